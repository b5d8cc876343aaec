"""What `check` says of the fragments that a tree has itself, held against the tree's own tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from advisor.cli.trees import names_in
from advisor.inputs.config import named_lines, read_config
from advisor.knowledge import index
from advisor.model.kernel import assignment
from advisor.model.tree import Assignment, LineOutcome, LineResult
from advisor.tree.check import check_fragment
from advisor.tree.kerneltree import open_tree

from .kernels import FOLDERS, Base, Kernels, Lines

COUNTED = ("fragments", "lines", "dropped", "remedies", "with others")


def checked(kernels: Kernels, tree: str, arch: str) -> dict[str, Any]:
    """Counts, and as faults each line that conf makes something else of than it was told to come
    to, and each that does not hold with its remedy, or with those of all lines."""
    place = kernels.tree(tree)
    base = kernels.base(Base(tree, f"{arch}-defconfig"))
    config = read_config(str(base), complete=True)
    opened = open_tree(str(place), FOLDERS[arch], config)
    names = names_in(opened, index.load(()))
    row: dict[str, Any] = {**dict.fromkeys(COUNTED, 0), "faults": []}
    for path in fragments(place, arch):
        lines = named_lines(read_config(str(path), fragment=True))
        results = check_fragment(opened, lines, names)
        dropped = [one for one in results if one.outcome is LineOutcome.DROPPED]
        helped = [one for one in dropped if one.remedy or one.with_others]
        counts = (1, len(results), len(dropped), sum(bool(one.remedy) for one in helped),
                  sum(one.with_others for one in helped))  # fmt: skip
        for name, count in zip(COUNTED, counts, strict=True):
            row[name] += count
        made = _Made(kernels, tree, arch, base, path)
        # For what the tree has under another name its remedy stands.
        known = {one for one in results if opened.defines(_target(one)[0])}
        row["faults"] += [f"{path.name}: {fault}" for fault in made.faults(results, helped, known)]
    return row


def fragments(tree: Path, arch: str) -> list[Path]:
    """The fragments for all kernels, and for those of the architecture."""
    folders = ("kernel/configs", f"arch/{FOLDERS[arch]}/configs")
    return [path for folder in folders for path in sorted((tree / folder).glob("*.config"))]


class _Made:
    """What the tree's own tools make of one fragment with further lines."""

    def __init__(self, kernels: Kernels, tree: str, arch: str, base: Path, fragment: Path) -> None:
        self._kernels, self._tree, self._arch = kernels, tree, arch
        self._base, self._fragment = base, fragment

    def faults(
        self, results: Iterable[LineResult], helped: Sequence[LineResult], known: set[LineResult]
    ) -> list[str]:
        """What is not as `check` says, of the fragment's lines and of those that can be helped."""
        plain = self._values(())
        told = [(_target(one)[0], one.result) for one in results if one in known]
        found = [f"wrong: {fault}" for fault in _other(told, plain)]
        alone = sorted((one for one in helped if not one.with_others), key=lambda one: one.remedy)
        for remedy, group in groupby(alone, key=lambda one: one.remedy):
            asked = [*remedy, *(_target(one) for one in group if one in known)]
            found += [f"no remedy: {fault}" for fault in _other(asked, self._values(remedy))]
        every = tuple(dict.fromkeys(line for one in helped for line in one.remedy))
        if every:
            asked = [*every, *(_target(one) for one in helped if one in known)]
            found += [f"not together: {fault}" for fault in _other(asked, self._values(every))]
        return found

    def _values(self, more: Sequence[Assignment]) -> Mapping[str, str]:
        kernels = self._kernels
        folder = kernels.work / f"check-{self._tree}-{self._arch}"
        folder.mkdir(exist_ok=True)
        lines = "\n".join(assignment(*line) for line in more)
        written = folder / "fragment.config"
        written.write_text(f"{self._fragment.read_text()}\n{lines}\n")
        kernels.merge(self._tree, folder, self._base, written)
        kernels.olddefconfig(self._tree, self._arch, folder)
        return Lines.of((folder / ".config").read_text()).values


def _target(result: LineResult) -> Assignment:
    return result.renamed or result.symbol, result.value


def _other(lines: Iterable[Assignment], values: Mapping[str, str]) -> list[str]:
    """The lines that do not stand there, each with what does."""
    return [
        f"{symbol}={value} comes to {values.get(symbol, 'n')}"
        for symbol, value in dict.fromkeys(lines)
        if values.get(symbol, "n") != value
    ]
