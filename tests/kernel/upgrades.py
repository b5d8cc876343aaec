"""Holds `upgrade --carry-over` against a tree's own tools, from tree to tree.

    python -m tests.kernel.upgrades FOLDER CONFIG TREE...

Each TREE is a folder in FOLDER (as of tests.kernel.acceptance). CONFIG is upgraded to the first of
them, what comes out with the fragment merged to the next, and so on. A row of
docs/evidence/upgrade.md is printed for each; what is not as it should be stands below, and the exit
code is 1.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from advisor.inputs.config import read_config
from advisor.tree.kerneltree import KernelTree, open_tree

from . import tools
from .acceptance import Trees
from .kernels import FOLDERS, Lines
from .test_compare import TOOLS, advisor, with_settings

COLUMNS = (
    "from", "to", "lost", "gone", "lines", "do not hold", "asked, on", "untold",
    "diffconfig", "untold", "off at the end", "no reason", "first line",
)  # fmt: skip
_ON = ("y", "m")


class Step(NamedTuple):
    """One upgrade: the row, and what is wrong with it."""

    row: tuple[object, ...]
    faults: dict[str, Any]


def main() -> int:
    """Prints the rows; ends with 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description="holds upgrades against the kernel's own tools")
    parser.add_argument("folder", type=Path)
    parser.add_argument("config", type=Path)
    parser.add_argument("tree", nargs="+")
    options = parser.parse_args()
    folders = {folder: name for name, folder in FOLDERS.items()}
    arch = folders[read_config(str(options.config)).arch or "x86"]
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        trees = Trees(options.folder.resolve(), Path(work))
        old = Path(work) / "old.config"
        old.write_text(read_config(str(options.config)).text)
        name = options.config.name.partition(".config")[0]
        for number, tree in enumerate(options.tree):
            folder = Path(work) / f"step-{number}"
            folder.mkdir()
            step = upgraded(trees, arch, old, tree, folder)
            print(f"| {name} | {tree} | {' | '.join(map(str, step.row))} |", flush=True)
            for what, fault in step.faults.items():
                wrong += bool(fault)
                print(*(f"{what}: {fault}\n" for _ in range(bool(fault))), file=sys.stderr, end="")
            old, name = folder / "merged" / ".config", tree
    return int(bool(wrong))


def upgraded(trees: Trees, arch: str, old: Path, tree: str, folder: Path) -> Step:
    """The configuration in that tree: as advisor and tools have it."""
    carried, page = folder / "carried.config", folder / "page.txt"
    document = advisor(
        "upgrade", old, "--tree", trees.tree(tree), "--run-toolchain", "--carry-over", carried,
        "--write", f"text={page}",
    )  # fmt: skip
    trees.build(tree, arch)
    plain = folder / "plain"
    plain.mkdir()
    shutil.copy(old, plain / ".config")
    listed = Lines.of(trees.make(tree, arch, plain, "listnewconfig"))
    trees.olddefconfig(tree, arch, plain)
    fragment = Lines.of(carried.read_text())
    missing = {}
    for start, name in ((old, "on-old"), (plain / ".config", "merged")):
        merged = folder / name
        merged.mkdir()
        trees.merge(tree, merged, start, carried)
        trees.olddefconfig(tree, arch, merged)
        missing |= fragment.missing_in(Lines.of((merged / ".config").read_text()))
    script = trees.tree(tree) / "scripts" / "diffconfig"
    diff = tools.run([sys.executable, str(script), str(old), str(plain / ".config")], folder, {})
    told = _told(document)
    asked = {symbol: value for symbol, value in listed.values.items() if value in _ON}
    kept = Lines.of((plain / ".config").read_text()).values
    changed = list(_changed(diff))
    off = dict(_off(old, folder / "merged/.config", trees.tree(tree), arch))
    reasons = set(re.findall(r"Not included: (\w+)=", re.sub(r"\n# ", " ", carried.read_text())))
    first = page.read_text().partition("\n")[0].split()[0]
    security = [one["symbol"] for one in document["losses"] if one["area"] == "security"]
    faults = {
        "does not hold": missing,
        "asked and untold": sorted(s for s in asked if s not in told and s in kept),
        "of diffconfig untold": [line for line in changed if line[1:].split()[0] not in told],
        "off without a reason": sorted(off.keys() - reasons),
        "security not first": security if security and first != "worse" else [],
    }
    kinds = [move["kind"] for move in document["symbols"]]
    row = (
        kinds.count("lost"), kinds.count("gone"), len(fragment.values), len(missing), len(asked),
        len(faults["asked and untold"]), len(changed), len(faults["of diffconfig untold"]),
        len(off), len(faults["off without a reason"]),
        f"worse: {len(security)}" if first == "worse" else "-",
    )  # fmt: skip
    return Step(row, faults)


def _told(document: dict[str, Any]) -> set[str]:
    """The symbols that the comparison names, or that a setting tells which moved."""
    told = with_settings(document) | {move["symbol"] for move in document["symbols"]}
    for one in document["renamed"]:
        told |= {one["old"], one["new"]}
    return told | {name for one in document["choices"] for name in (one["old"], one["new"])}


def _changed(diff: str) -> Iterator[str]:
    """The lines of diffconfig that matter: what went or came on, and what has another value; not
    answers of the machine's tools."""
    for line in diff.splitlines():
        words = line[1:].split()
        counts = line[0] == " " or (len(words) > 1 and words[1] in _ON)
        if counts and words and not words[0].startswith((*TOOLS, "ARCH_")):
            yield line


def _off(old: Path, new: Path, path: Path, arch: str) -> Iterator[tuple[str, str]]:
    """What was on, has a prompt in the tree, and is off with the fragment merged."""
    tree: KernelTree = open_tree(str(path), arch, read_config(str(new)))
    after = Lines.of(new.read_text()).values
    for symbol, value in Lines.of(old.read_text()).values.items():
        lost = value in _ON and after.get(symbol) not in _ON
        if lost and tree.defines(symbol) and tree.prompted(symbol):
            yield symbol, value


if __name__ == "__main__":
    sys.exit(main())
