"""The advisor's own evaluation of a tree against the tree's conf, symbol by symbol.

Every configuration is one that conf has refreshed, so that loading it must give it back. Edited
ones, which conf then has to change, show that both change the same. What still differs stands in
tree_differences.toml with the reason.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import tomli

from advisor.inputs.config import parse_config, read_config
from advisor.tree.kerneltree import Access, KernelTree, open_tree

from .conformance import MADE, Difference, configuration, differences, values
from .kernels import ARCHES, DEBIAN, FOLDERS, VERSIONS, Base

pytestmark = [pytest.mark.kernel, pytest.mark.sampled]

KNOWN = tomli.loads((Path(__file__).parent / "tree_differences.toml").read_text())["difference"]
CASES = [(version, arch, name) for version in VERSIONS for arch in ARCHES for name in MADE]
CASES += [(version, "x86_64", name) for version in VERSIONS for name in DEBIAN]
EDITED = [
    (version, arch, seed) for version in VERSIONS for arch in ARCHES for seed in range(3)
]  # fmt: skip


def unexplained(found: list[Difference], version: str, arch: str, name: str) -> list[str]:
    """Those that tree_differences.toml does not list."""
    known = {
        (entry["symbol"], entry.get("conf"), entry.get("ours"))
        for entry in KNOWN
        if (entry["version"], entry["arch"], entry["config"]) == (version, arch, name)
    }
    return [str(one) for one in found if tuple(one) not in known]


@pytest.mark.parametrize(("version", "arch", "name"), CASES)
def test_a_refreshed_configuration_stays_as_it_is(kernels, tmp_path, version, arch, name):
    path = configuration(kernels, tmp_path / "made", version, arch, name)
    config = read_config(str(path))
    # The first parse is kept, and the next ones are made of it.
    tree = open_tree(str(kernels.tree(version)), FOLDERS[arch], config, Access(use_cache=True))
    found = differences(config, tree)
    assert not unexplained(found, version, arch, name), len(found)
    # The same lines in the same order, too.
    lines = path.read_text().splitlines()
    if not found:
        assert tree.write().splitlines() == [
            line for line in lines if line.startswith("CONFIG_") or line.endswith(" is not set")
        ]
    assert tree.load(config) == tree.notes
    assert differences(config, tree) == found


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_defconfig_comes_out_as_from_make(kernels, version, arch):
    # A defconfig records no answers, so the tools of this machine are asked, as make does.
    config = read_config(str(kernels.defconfig(version, arch)))
    tree = open_tree(str(kernels.tree(version)), FOLDERS[arch], config, Access(run_toolchain=True))
    made = read_config(str(kernels.base(Base(version, f"{arch}-defconfig"))))
    found = differences(made, tree)
    assert not unexplained(found, version, arch, "make defconfig"), len(found)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_kept_parse_is_the_parse(kernels, version, arch):
    config = read_config(str(kernels.base(Base(version, f"{arch}-defconfig"))))
    kept = Access(use_cache=True)
    fresh, *others = (
        open_tree(str(kernels.tree(version)), FOLDERS[arch], config, access)
        for access in (Access(), kept, kept)
    )
    assert all(told(other) == told(fresh) for other in others)


def told(tree: KernelTree) -> list[object]:
    """All that a tree tells."""
    symbols = [one.name for one in tree.declarations()]
    return [
        tree.snapshot(), tree.notes, tree.warnings, tree.renames, tree.menus(), tree.assumptions,
        list(tree.declarations()), list(map(tree.about, symbols)), tree.files.digests,
        tree.files.listed, [tree.places(symbol) for symbol in symbols],
    ]  # fmt: skip


@pytest.mark.parametrize(("version", "arch", "seed"), EDITED)
def test_an_edited_configuration_changes_as_with_conf(kernels, tmp_path, version, arch, seed):
    kernels.build(version, arch)
    base = read_config(str(kernels.base(Base(version, f"{arch}-defconfig"))))
    tree = open_tree(str(kernels.tree(version)), FOLDERS[arch], base, Access(use_cache=True))
    text = edited(tree, values(base), random.Random(f"{version} {arch} {seed}"))
    (tmp_path / ".config").write_text(text)
    tree.load(parse_config(text, "edited", complete=True))
    kernels.olddefconfig(version, arch, tmp_path)
    found = differences(read_config(str(tmp_path / ".config")), tree)
    # Of what the base did not have to ask, the base cannot tell the answer.
    guessed = {entry.subject for entry in tree.assumptions if entry.source == "default"}
    left = [one for one in found if one.symbol not in guessed]
    assert not unexplained(left, version, arch, f"edited {seed}"), text


def edited(tree: KernelTree, lines: dict[str, str | None], chance: random.Random) -> str:
    """The lines with thirty of them changed, added or removed: wrong, hidden and two at a time."""
    facts = [tree.about(symbol) for symbol in chance.sample(sorted(lines), 300)]
    settable = [fact for fact in facts if fact and any(d.prompt for d in fact.definitions)]
    members = [member for fact in settable for member in fact.choice]
    for _ in range(30):
        if members and chance.random() < 0.4:
            fact = tree.about(chance.choice(members))
        else:
            fact = chance.choice(settable)
        assert fact
        lines.pop(fact.name, None)
        if chance.random() < 0.85:
            lines[fact.name] = chance.choice(VALUES[fact.type])
    return "".join(
        f"# CONFIG_{symbol} is not set\n" if value == "n" else f"CONFIG_{symbol}={value}\n"
        for symbol, value in lines.items()
    )


VALUES = {
    "bool": ["y", "n", "m"], "tristate": ["y", "m", "n"], "string": ['"x"', '""', "bare"],
    "int": ["0", "1", "99", "100000", "-5", "x"], "hex": ["0x0", "10", "0xffffffff", "zz"],
}  # fmt: skip
