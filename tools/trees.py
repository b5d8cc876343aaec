"""Reads every kernel tree of a folder and prints a Markdown table of how it went.

    python tools/trees.py FOLDER [--arch x86 ...] [--newest 3]

Every folder in FOLDER that holds a Kconfig file is taken for a tree. Those of the newest versions
are read for every architecture they have, the others for those of --arch. Nothing is executed, and
no configuration is given, so that default answers stand for the toolchain's.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from advisor.errors import TreeError
from advisor.model.kernel import KernelVersion
from advisor.tree.kerneltree import open_tree, tree_version


class Row(NamedTuple):
    """How one tree was read for one architecture."""

    version: str
    arch: str
    symbols: int
    seconds: float
    verdict: str


def main() -> int:
    """Prints the table; ends with 1 if a tree could not be read."""
    parser = argparse.ArgumentParser(description="reads every kernel tree of a folder")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", nargs="+", default=["x86", "arm64", "riscv"])
    parser.add_argument("--newest", type=int, default=3, help="so many for all architectures")
    options = parser.parse_args()
    rows = list(read(options.folder, options.arch, options.newest))
    print("| version | architecture | symbols | seconds | verdict |")
    print("|---|---|---:|---:|---|")
    for row in rows:
        symbols = f"{row.symbols:,}" if row.symbols else ""
        print(f"| {row.version} | {row.arch} | {symbols} | {row.seconds:.2f} | {row.verdict} |")
    return any(not row.symbols for row in rows)


def read(folder: Path, arches: Iterable[str], newest: int) -> Iterator[Row]:
    """A row for each tree and architecture, by version."""
    trees = trees_in(folder)
    for number, (version, path) in enumerate(trees, 1):
        known = sorted(entry.parent.name for entry in path.glob("arch/*/Kconfig"))
        recent = number > len(trees) - newest
        for arch in known if recent else (arch for arch in arches if arch in known):
            print(f"{version.text} {arch}", file=sys.stderr)
            yield row(str(path), version.text, arch)


def trees_in(folder: Path) -> list[tuple[KernelVersion, Path]]:
    """The trees of a folder with their versions, the oldest first."""
    return sorted(
        (tree_version(str(path)), path) for path in folder.iterdir() if (path / "Kconfig").is_file()
    )


def row(path: str, version: str, arch: str) -> Row:
    """Opens the tree and works out every value; seconds are those of the processor."""
    gc.collect()  # the tree before is a heap of circles, to be paid by its own row
    start = time.process_time()
    try:
        tree = open_tree(path, arch, None)
        tree.snapshot()
    except TreeError as error:
        verdict = f"**{error}**".replace("|", "\\|")
        return Row(version, arch, 0, time.process_time() - start, verdict)
    seconds = time.process_time() - start
    verdict = f"read, notes: {len(tree.warnings)}" if tree.warnings else "read"
    return Row(version, arch, tree.count, seconds, verdict)


if __name__ == "__main__":
    sys.exit(main())
