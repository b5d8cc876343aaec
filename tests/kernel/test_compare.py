"""What `diff` and `upgrade` foresee, against what the tree's own tools make of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.knowledge import index

from .kernels import DEBIAN, PROJECT, Base, Kernels, Lines

pytestmark = [pytest.mark.kernel, pytest.mark.sampled]

# Answers of the machine's tools, which conf asks and a configuration records.
TOOLS = ("CC_", "GCC_", "AS_", "LD_", "CLANG_", "RUSTC_", "BINDGEN_", "PAHOLE_", "TOOLS_", "HAVE_")
# A fragment with a large effect: choices, features that go, and values that follow.
FRAGMENT = """\
CONFIG_EXPERT=y
CONFIG_PREEMPT_RT=y
CONFIG_HZ_1000=y
# CONFIG_KSM is not set
CONFIG_NR_CPUS=64
"""


def advisor(*words: object, fails: bool = False) -> dict:
    """What the command says, as JSON."""
    command = [sys.executable, "-m", "advisor", *map(str, words), "--format", "json"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == int(fails), done.stderr
    return json.loads(done.stdout)


def foreseen(document: dict, before: dict[str, str]) -> dict[str, tuple[str, str]]:
    """The symbols that a comparison tells one by one; off and absent are the same.

    `before` are the old values: a symbol that took over what another one did may have been on. What
    was part of another symbol and is an option of its own now had no line.
    """
    found = {
        move["symbol"]: (move["old"] or "n", move["new"] or "n")
        for move in document["symbols"]
        if not move["split"]
    }
    for one in document["renamed"]:
        found[one["old"]] = (one["value"], "n")
        found[one["new"]] = (before.get(one["new"], "n"), one["value"])
    return {symbol: pair for symbol, pair in found.items() if pair[0] != pair[1]}


def moved(old: Path, new: Path) -> dict[str, tuple[str, str]]:
    """The symbols whose values differ, as the tools wrote them."""
    before, after = (Lines.of(path.read_text()).values for path in (old, new))
    pairs = {s: (before.get(s, "n"), after.get(s, "n")) for s in {*before, *after}}
    return {s: pair for s, pair in pairs.items() if pair[0] != pair[1]}


def with_settings(document: dict) -> set[str]:
    """The symbols that are told with a setting that moved."""
    knowledge = index.load()
    found: set[str] = set()
    for entry in document["settings"]:
        tunable = knowledge.tunable(entry["tunable"]["id"])
        found |= {tunable.symbol, *tunable.choice, *(one["symbol"] for one in entry["members"])}
        found |= {s for value in tunable.values for pairs in value.sets for s, _ in pairs}
    return found | {other for symbol in found for other in knowledge.aliases(symbol)}


def disagreements(document: dict, old: Path, new: Path) -> list[str]:
    """Symbols of which the comparison does not say what the tools made of them."""
    told = foreseen(document, Lines.of(old.read_text()).values)
    real = moved(old, new)
    elsewhere = with_settings(document)
    found = []
    for symbol in sorted({*told, *real}):
        if symbol in elsewhere or symbol.startswith(TOOLS):
            continue
        if told.get(symbol) != real.get(symbol):
            found.append(f"{symbol}: told {told.get(symbol)}, made {real.get(symbol)}")
    return found


@pytest.mark.parametrize("name", DEBIAN)
def test_an_upgrade_is_what_olddefconfig_makes(kernels: Kernels, tmp_path: Path, name: str) -> None:
    old = kernels.base(Base("6.1", name))
    kernels.build("6.12", "x86_64")
    shutil.copy(old, tmp_path / ".config")
    kernels.olddefconfig("6.12", "x86_64", tmp_path)
    # What the old kernel did not ask the compiler, its configuration does not record.
    document = advisor("upgrade", old, "--tree", kernels.tree("6.12"), "--run-toolchain")
    assert disagreements(document, old, tmp_path / ".config") == []
    assert len(document["symbols"]) > 100


def test_what_is_carried_over_holds(kernels: Kernels, tmp_path: Path) -> None:
    """On the configuration that the new tree's tools make of the old one."""
    old, carried = kernels.base(Base("6.1", "amd64")), tmp_path / "carried.config"
    tree = kernels.tree("6.12")
    kernels.build("6.12", "x86_64")
    advisor("upgrade", old, "--tree", tree, "--run-toolchain", "--carry-over", carried)
    lines = Lines.of(carried.read_text())
    # What was renamed, and what now needs another symbol.
    assert {"MITIGATION_SLS", "NET_TC_SKB_EXT", "MLX5_CLS_ACT"} <= lines.values.keys()
    shutil.copy(old, tmp_path / ".config")
    kernels.olddefconfig("6.12", "x86_64", tmp_path)
    for start in (tmp_path / ".config", old):
        folder = tmp_path / f"on-{start.parent.name}"
        folder.mkdir()
        kernels.merge("6.12", folder, start, carried)
        kernels.olddefconfig("6.12", "x86_64", folder)
        assert lines.missing_in(Lines.of((folder / ".config").read_text())) == {}


def test_the_trees_own_tools_prove_what_is_carried_over(kernels: Kernels, tmp_path: Path) -> None:
    old, carried = kernels.base(Base("6.1", "cloud-amd64")), tmp_path / "carried.config"
    tree = kernels.tree("6.12")
    document = advisor("upgrade", old, "--tree", tree, "--prove", "kbuild", "--carry-over", carried)
    assert document["proof"] == "kbuild"
    text = carried.read_text()
    assert "# Proof: kbuild" in text
    assert "MITIGATION_SLS" in Lines.of(text).values


def test_what_listnewconfig_names_is_told(kernels: Kernels, tmp_path: Path) -> None:
    """Of its hundreds of questions those whose default switches something on."""
    old = kernels.base(Base("6.1", "amd64"))
    kernels.build("6.12", "x86_64")
    shutil.copy(old, tmp_path / ".config")
    listed = kernels.make("6.12", "x86_64", tmp_path, "listnewconfig")
    asked = {symbol: value for symbol, value in Lines.of(listed).values.items() if value in "ym"}
    document = advisor("upgrade", old, "--tree", kernels.tree("6.12"), "--run-toolchain")
    told = {move["symbol"]: move["new"] for move in document["symbols"]}
    told |= {one["new"]: one["value"] for one in document["renamed"]}
    elsewhere = with_settings(document)
    missing = {
        symbol: (value, told.get(symbol))
        for symbol, value in asked.items()
        if symbol not in elsewhere and told.get(symbol) != value
    }
    assert len(asked) > 50
    assert missing == {}


@pytest.mark.parametrize("name", DEBIAN)
def test_an_upgrade_is_a_page(kernels: Kernels, name: str) -> None:
    """Where diffconfig prints a line for each of some hundred or thousand symbols."""
    old, new = (kernels.base(Base(version, name)) for version in ("6.1", "6.12"))
    script = kernels.tree("6.12") / "scripts" / "diffconfig"
    lines = subprocess.run(
        [sys.executable, script, old, new], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    command = [sys.executable, "-m", "advisor", "diff", old, new, "-p", "server-throughput"]
    page = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False).stdout
    assert len(lines) > 500
    assert 5 * len(page.splitlines()) < 2 * len(lines)


def test_a_fragment_does_what_merge_config_and_conf_make(kernels: Kernels, tmp_path: Path) -> None:
    base = kernels.base(Base("6.12", "cloud-amd64"))
    fragment = tmp_path / "f.config"
    fragment.write_text(FRAGMENT)
    tree = kernels.tree("6.12")
    kernels.build("6.12", "x86_64")
    subprocess.run(
        ["sh", tree / "scripts/kconfig/merge_config.sh", "-m", "-O", tmp_path, base, fragment],
        cwd=tmp_path, capture_output=True, check=True,
    )  # fmt: skip
    kernels.olddefconfig("6.12", "x86_64", tmp_path)
    # One line does not hold: NR_CPUS is fixed where MAXSMP is on.
    document = advisor("diff", base, fragment, "--tree", tree, fails=True)
    assert [one["symbol"] for one in document["lines"] if one["kind"] == "dropped"] == ["NR_CPUS"]
    assert disagreements(document, base, tmp_path / ".config") == []
    ids = {entry["tunable"]["id"] for entry in document["settings"]}
    assert {"preempt-rt", "timer-frequency", "ksm"} <= ids
