"""What an old configuration had on, had again in a tree: at no price of what it keeps anyway."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.errors import and_more
from advisor.model.repair import RepairedLine
from advisor.model.tree import Assignment
from advisor.tree.check import KnownNames
from advisor.tree.fix import fix_fragment
from advisor.tree.price import MOST_NAMED, is_foreign, weakened
from advisor.tree.wish import Written

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree

_ON = ("y", "m")
_WORD = re.compile(r"\w+")
# It shows everything, and builds what no machine of this kind can have.
_NEVER = ("COMPILE_TEST",)
_Taken = dict[str, list[str]]


def carried_over(
    tree: KernelTree, had: Mapping[str, str], lines: Sequence[Written], names: KnownNames,
    allowed: Iterable[str] = (),
) -> tuple[RepairedLine, ...]:  # fmt: skip
    """What stands in place of each of `lines`, which the tree's configuration lacks.

    As `fix_fragment`, but a line may exclude what a fragment's author wants in its place, and here
    nobody does: what `had` on and the tree keeps on is not given for another line, but for
    `allowed` symbols and for the other members of a choice.
    """
    # A machine that the kernel was for already is no other machine, whatever it now stands under.
    allowed = frozenset(allowed) | _machines(tree, lines)
    dear: dict[str, str] = {}
    while True:
        left = [line for line in lines if line[0] not in dear]
        found = fix_fragment(tree, left, names, allowed)
        taken = _taken(tree, had, found, allowed)
        if not taken:
            return tuple(_in_order(lines, found, dear))
        # One of several that take the same together: the last, for what protects comes first.
        told = {symbol: lost for symbol, lost in taken.items() if symbol}
        last = [line.symbol for line in found if line.lines][-1]
        for symbol, lost in (told or {last: taken[""]}).items():
            dear[symbol] = f"it would remove {and_more(lost, MOST_NAMED)}"


def _machines(tree: KernelTree, lines: Iterable[Written]) -> frozenset[str]:
    """What the boards and chips among the lines need of their own kind: ARCH_BCM2835 needs ARCH_BCM
    in 6.1."""
    boards = [symbol for symbol, value, _ in lines if is_foreign(tree, (symbol, value))]
    words = {word for name in boards for term in tree.unmet(name) for word in _WORD.findall(term)}
    return frozenset(
        word
        for word in words
        if tree.defines(word) and is_foreign(tree, (word, "y")) and word not in _NEVER
    )


def _in_order(
    lines: Iterable[Written], found: Iterable[RepairedLine], dear: Mapping[str, str]
) -> Iterator[RepairedLine]:
    by_name = {line.symbol: line for line in found}
    for line in lines:
        if reason := dear.get(line[0]):
            yield RepairedLine(*line, (), reason=reason, missed=True)
        else:
            yield by_name[line[0]]


def _taken(
    tree: KernelTree, had: Mapping[str, str], found: Sequence[RepairedLine], allowed: frozenset[str]
) -> _Taken:
    """What the lines take away, by the line that does; under no name what only several do."""
    plain = tree.snapshot()
    members = {other for line in found for name, _ in line.lines for other in tree.choice(name)}

    def lost(pairs: Iterable[Assignment]) -> list[str]:
        lines = dict(pairs)
        with tree.trial():
            for pair in lines.items():
                tree.set(*pair)
            weaker = weakened(tree, plain, tree.snapshot()) - members - allowed
        # What a line names first, then what rests on that.
        found = (name for name in weaker if had.get(name) in _ON)
        return sorted(found, key=lambda name: (name not in lines, name))

    every = lost(pair for line in found for pair in _pairs(line))
    if not every:
        return {}
    needed = {
        symbol: (one.symbol, one.value)
        for line in found
        for one in line.before
        for symbol in one.needed_by
    }
    by_line: _Taken = {}
    for line in found:
        own = (*_pairs(line), *((needed[line.symbol],) if line.symbol in needed else ()))
        if line.lines and (its := lost(own)):
            by_line[line.symbol] = its
    return by_line or {"": every}


def _pairs(line: RepairedLine) -> Iterator[Assignment]:
    yield from ((one.symbol, one.value) for one in line.before)
    yield from line.lines
