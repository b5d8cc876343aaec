"""A proof by the trees' own tools: what it finds, what it foresees, and that it leaves no trace."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from advisor.errors import TreeError
from advisor.inputs.config import parse_config
from advisor.tree.kbuild import Proof, make_arch, prove, symbols_named
from advisor.tree.kerneltree import open_tree
from advisor.tree.proof import Lost, ProofResult, compare

from .cells import Cell
from .kernels import FOLDERS, PROJECT, Base, debian
from .test_check import FRAGMENT
from .tools import clean, run

pytestmark = [pytest.mark.kernel, pytest.mark.sampled]

CELLS = [
    Cell("realtime", Base("6.1", "amd64"), "could"),
    Cell("diagnosis", Base("6.12", "cloud-amd64"), "could"),
    Cell("server-throughput", Base("6.1", "arm64-defconfig"), "should"),
    Cell("desktop-latency", Base("6.12", "arm64-defconfig"), "could"),
]


def listing(folder: Path) -> dict[str, tuple[int, ...]]:
    """All that is in the folder, with kind, size and times.

    Not the time of the inode, which another test changes by a second name of the file (`linked`).
    """
    found = {str(path): path.lstat() for path in (folder, *folder.rglob("*"))}
    return {
        path: (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
        for path, status in found.items()
    }


def linked(tree: Path, copy: Path) -> Path:
    """A second tree of the same files, where the file system allows; else of copies."""

    def link(source: str, target: str) -> None:
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)

    shutil.copytree(tree, copy, symlinks=True, copy_function=link)
    return copy


def compared(tree: Path, arch: str, fragment: str, proof: Proof) -> ProofResult:
    """The proof against the fragment, and against the advisor's own evaluation."""
    config = parse_config(proof.base_text, "base")
    evaluated = open_tree(str(tree), make_arch(arch, proof.base_text), config)
    assert compare({}, evaluated.snapshot(), proof.base).differences == ()
    lines = parse_config(fragment, "fragment")
    requested = {symbol: lines.get(symbol) or "n" for symbol in lines.symbols()}
    # The merge takes a line of the base away also for one that conf then rejects.
    for symbol in symbols_named(fragment):
        evaluated.reset(symbol)
    for symbol, value in requested.items():
        evaluated.set(symbol, value)
    return compare(requested, evaluated.snapshot(), proof.result)


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_the_advisors_fragment_is_proven(kernels, prover, cell):
    version, arch = cell.base.version, FOLDERS[cell.base.arch]
    outcome = prover.trial(cell).made()
    tree = kernels.tree(version)
    before = listing(tree)
    proof = prove(str(tree), arch, outcome.base, outcome.fragment)
    assert listing(tree) == before
    assert (proof.base_text, proof.result_text) == (outcome.base, outcome.result)
    assert proof.warnings == ()
    assert bool(proof.notes) == (arch == "arm64")
    assert compared(tree, arch, outcome.fragment, proof) == ProofResult((), ())


@pytest.mark.parametrize("version", ["6.1", "6.12"])
def test_lines_that_do_not_hold_are_foreseen(kernels, version):
    tree = kernels.tree(version)
    # As Debian ships it: made by a compiler of another name, which the first make changes.
    config = debian(Base(version, "amd64")).decode()
    proof = prove(str(tree), "x86", config, FRAGMENT + "CONFIG_MODULES=x\n")
    found = compared(tree, "x86", FRAGMENT + "CONFIG_MODULES=x\n", proof)
    assert found.differences == ()
    assert any("symbol value 'x' invalid for MODULES" in line for line in proof.warnings)
    assert {Lost("NO_SUCH_SYMBOL", "y", None), Lost("PERF_EVENTS", "n", "y")} <= {*found.lost}
    assert Lost("ZSWAP", "m", "n") in found.lost  # a bool: m is no value of it
    assert Lost("HZ_1000", "y", "n") in found.lost  # HZ_300 comes later, and wins
    assert "HZ_300" not in {line.symbol for line in found.lost}


@pytest.mark.parametrize(
    ("version", "name", "profile"),
    [("6.1", "rt-amd64", "realtime"), ("6.12", "arm64-defconfig", "power-saving")],
)
def test_the_command_proves_its_fragment(kernels, tmp_path, version, name, profile):
    base, tree = Base(version, name), kernels.tree(version)
    before = listing(tree)
    config = kernels.base(base)
    environment = clean({"PYTHONPATH": str(PROJECT)})
    command = [sys.executable, "-m", "advisor"]
    where = ["--tree", str(tree), "--prove", "kbuild", "-o", "out"]
    words = ["fragment", str(config), "--profile", profile, *where]
    said = run([*command, *words], tmp_path, environment)
    assert "defect" not in said
    assert "# Proof: kbuild " in (tmp_path / "out").read_text()
    words = ["check", "out", "--on", str(config), *where[:-1], "checked"]
    assert "defect" not in run([*command, *words], tmp_path, environment)
    assert (tmp_path / "checked").read_text().endswith("dropped: 0\n")
    assert listing(tree) == before


def test_no_order_of_the_environment_gets_through(kernels, monkeypatch, tmp_path):
    """Each of these would lead make, or conf, to write or read elsewhere; also for 32 bits."""
    for name in ("KBUILD_OUTPUT", "O", "KCONFIG_CONFIG", "srctree", "objtree", "abs_objtree"):
        monkeypatch.setenv(name, str(tmp_path))
    for name, value in {"sub_make_done": "1", "MAKEFLAGS": "-n", "ARCH": "arm64"}.items():
        monkeypatch.setenv(name, value)
    tree = kernels.tree("6.12")
    before = listing(tree)
    proof = prove(str(tree), "x86", "# CONFIG_64BIT is not set\n", "CONFIG_SMP=y\n")
    assert listing(tree) == before
    assert list(tmp_path.iterdir()) == []
    assert (proof.base.get("X86_32"), proof.result.get("X86_64")) == ("y", None)
    assert compared(tree, "x86", "CONFIG_SMP=y\n", proof) == ProofResult((), ())


def test_kbuild_itself_refuses_what_is_not_clean(kernels, tmp_path):
    """What is looked for beforehand is what kbuild would say, here and in its own words."""
    tree = linked(kernels.tree("6.12"), tmp_path / "tree")
    (tree / ".config").touch()
    with pytest.raises(TreeError, match=r"it has \.config.*mrproper"):
        prove(str(tree), "x86", "", "CONFIG_SMP=y\n")
    out = tmp_path / "out"
    out.mkdir()
    words = ["make", "-s", "-C", str(tree), f"O={out}", "ARCH=x86_64", "olddefconfig"]
    with pytest.raises(AssertionError, match="The source tree is not clean, please run"):
        run(words, out, clean())


def test_a_tree_whose_kconfig_is_broken_says_what_make_says(kernels, tmp_path):
    tree = linked(kernels.tree("6.12"), tmp_path / "tree")
    kconfig = tree / "init" / "Kconfig"
    text = kconfig.read_text() + "\nconfig\n\tbogus\n"
    kconfig.unlink()  # the link, not the file of the other tree
    kconfig.write_text(text)
    with pytest.raises(TreeError, match=r"ended with 2:\n(.*\n)*.*init/Kconfig:\d+") as caught:
        prove(str(tree), "x86", "", "CONFIG_SMP=y\n")
    assert len(caught.value.message.splitlines()) <= 16
