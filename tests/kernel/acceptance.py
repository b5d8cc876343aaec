"""Holds evaluation and advice against many kernel trees and architectures, by the trees' own conf.

    python -m tests.kernel.acceptance FOLDER [--tree NAME ...] [--arch NAME ...] [--kind ...]
    python -m tests.kernel.acceptance FOLDER --page

Each folder in FOLDER is a tree: its Kconfig files, makefiles, scripts/ and arch/*/configs/ are
enough. What is found goes into FOLDER/acceptance.jsonl at once, and what stands there is not made
again; `--page` prints it as docs/evidence/acceptance.md. An architecture without a compiler of its
own is configured with the host's answers, which the configuration records.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

from advisor.inputs.config import read_config
from advisor.tree.kerneltree import open_tree

from . import tools
from .acceptancepage import page
from .advice import Advisor
from .cells import PROFILES, Cell, Outcome, Trial, settings
from .conformance import configuration, differences
from .kernels import FOLDERS, Base, Kernels, Lines, release
from .remedies import checked

MADE = ("defconfig", "tinyconfig", "allnoconfig", "allmodconfig")
SEED = 1000
"""That of the first random configuration."""
KINDS = ("conformance", "database", "model", "check")
# What no advice is about: the machine that a kernel is for; boards only where a user names them.
_PLATFORM = re.compile(r"64BIT|MMU|SMP|ARM_LPAE|CPU_(?:BIG|LITTLE)_ENDIAN|\w*PAGE_(?:SIZE_)?\d+KB?")
_BOARDS = re.compile(r"(?:ARCH|MACH|SOC|PLAT)_\w+")
# Options with such a name, on machines that have no boards; KVM_GUEST selects the first.
_NO_BOARDS = ("ARCH_CPUIDLE_HALTPOLL", "ARCH_MEMORY_PROBE", "ARCH_RANDOM")
# What must not be, of a fragment.
FAULTS = ("lost", "second", "platform")
Row = dict[str, Any]
Key = tuple[str, str, str]
"""Tree, architecture, kind."""


class Trees(Kernels):
    """The trees of a folder, each by the name that it has there."""

    def tree(self, version: str) -> Path:
        return self._trees / version

    def has(self, tree: str, arch: str) -> bool:
        """Whether the tree knows the architecture."""
        return (self.tree(tree) / "arch" / FOLDERS[arch] / "Kconfig").is_file()


def main() -> int:
    """Fills the list, or prints the page; ends with 1 if something there does not hold."""
    parser = argparse.ArgumentParser(description="holds the advisor against many kernel trees")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tree", nargs="+", help="folders there; all if not given")
    parser.add_argument("--arch", nargs="+", default=list(FOLDERS), choices=list(FOLDERS))
    parser.add_argument("--random", type=int, default=10, help="so many random configurations")
    parser.add_argument("--kind", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--page", action="store_true", help="print the page of what was found")
    options = parser.parse_args()
    found = options.folder / "acceptance.jsonl"
    if options.page:
        rows = list(kept(found))
        print(page(rows), end="")
        return any(row["faults"] for row in rows)
    os.environ.update(tools.clean())
    trees = options.tree or sorted(path.parent.name for path in options.folder.glob("*/Kconfig"))
    with tempfile.TemporaryDirectory(prefix="kernel-advisor-") as work:
        kernels = Trees(options.folder.resolve(), Path(work))
        cells = [
            cell for cell in product(trees, options.arch, options.kind) if kernels.has(*cell[:2])
        ]
        for row in made(kernels, cells, found, options.random):
            with open(found, "a") as file:
                file.write(json.dumps(row) + "\n")
            print(*list(row.values())[:3], len(row["faults"]), "faults", file=sys.stderr)
    return 0


def kept(found: Path) -> Iterator[Row]:
    """What was found so far."""
    if found.exists():
        yield from map(json.loads, found.read_text().splitlines())


def made(kernels: Trees, cells: Iterable[Key], found: Path, random: int) -> Iterator[Row]:
    """A row for each cell that is not kept."""
    known = {(row["tree"], row["arch"], row["kind"]) for row in kept(found)}
    for tree, arch, kind in cells:
        if (tree, arch, kind) in known:
            continue
        of = {"tree": tree, "arch": arch, "kind": kind}
        try:
            if kind == "conformance":
                row = conformance(kernels, tree, arch, random)
            elif kind == "check":
                row = checked(kernels, tree, arch)
            else:
                row = survival(kernels, tree, arch, kind)
        except AssertionError as error:
            # Some vendors' trees have no defconfig; what make says of a broken one is told.
            told = "\n".join(str(error).splitlines()[-3:])
            print(f"{tree} {arch} {kind}: not made\n{told}", file=sys.stderr)
            continue
        yield {**of, "version": release(kernels.tree(tree)), **row}


def conformance(kernels: Kernels, tree: str, arch: str, random: int) -> Row:
    """Whether each configuration that conf made comes out of the advisor as it is."""
    names = [*MADE, *(f"randconfig-{SEED + number}" for number in range(random))]
    symbols, faults = 0, []
    for name in names:
        config = read_config(str(_configuration(kernels, tree, arch, name)), complete=True)
        found = differences(config, open_tree(str(kernels.tree(tree)), FOLDERS[arch], config))
        symbols += len(config)
        faults += [f"{name}: {one}" for one in found]
    return {"configurations": len(names), "symbols": symbols, "faults": faults}


def _configuration(kernels: Kernels, tree: str, arch: str, name: str) -> Path:
    return configuration(kernels, kernels.work / f"{tree}-{arch}-{name}", tree, arch, name)


def survival(kernels: Kernels, tree: str, arch: str, grade: str) -> Row:
    """What becomes of every profile's fragment for the architecture's defconfig."""
    base = Base(tree, f"{arch}-defconfig")
    advisor = Advisor(kernels.tree(tree), kernels.base(base))
    row: Row = {"faults": []}
    for profile in PROFILES:
        trial = Trial(kernels, Cell(profile, base, "could", grade), advisor)
        for name, items in _counted(trial.made(), advisor).items():
            row[name] = row.get(name, 0) + len(items)
            if name in FAULTS:
                row["faults"] += [f"{profile}: {name}: {item}" for item in items]
    return row


def _counted(outcome: Outcome, advisor: Advisor) -> dict[str, list[str]]:
    """What is counted of one fragment."""
    asked = Lines.of(outcome.fragment).values
    before, after = (Lines.of(text).values for text in (outcome.base, outcome.result))
    moved = sorted(s for s in {*before, *after} if before.get(s, "n") != after.get(s, "n"))
    off = [s for s in moved if before.get(s) in ("y", "m") and after.get(s) not in ("y", "m")]
    answered = outcome.answered()
    return {
        "advices": [*answered, *outcome.blocked()],
        "planned": [finding["id"] for finding in answered if not outcome.omitted(finding)],
        "lines": settings(outcome.fragment),
        "lost": outcome.differences(),
        "second": settings(outcome.second),
        "platform": [
            symbol
            for symbol in moved
            if _PLATFORM.fullmatch(symbol)
            or (
                _BOARDS.match(symbol)
                and symbol not in _NO_BOARDS
                and advisor.prompts(symbol)
                and {before.get(symbol, "n"), after.get(symbol, "n")} <= {"y", "m", "n"}
            )
        ],
        "features": [s for s in off if s not in asked and advisor.offers(s)],
    }


if __name__ == "__main__":
    sys.exit(main())
