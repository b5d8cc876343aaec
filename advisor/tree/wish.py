"""What the lines of anyone's fragment ask for, under the names and types that a tree has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.model.kernel import Location, quoted
from advisor.model.tree import Lines
from advisor.tree.check import KnownNames
from advisor.tree.why import why_not

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree

Written = tuple[str, str, Location]


class Wish(NamedTuple):
    """A line as it is written, and the lines that stand for it in the tree.

    `reason` says why those are others. Without lines nothing stands for it, or, if it is not
    `missed`, another line of the fragment does.
    """

    symbol: str
    value: str
    location: Location
    lines: Lines
    reason: str = ""
    missed: bool = False


def wishes_of(tree: KernelTree, lines: Sequence[Written], names: KnownNames) -> list[Wish]:
    """Each line as this tree has it; of several about a symbol the last one counts."""
    last = {symbol: (value, place) for symbol, value, place in lines}
    wishes: list[Wish] = []
    for symbol, value, place in lines:
        if place == last[symbol][1]:
            wishes.append(_but_own(tree, _wish(tree, (symbol, value, place), names), last))
        elif value == last[symbol][0]:
            wishes.append(Wish(symbol, value, place, ()))
        else:
            reason = f"line {last[symbol][1].line} sets another value, and the last line counts"
            wishes.append(Wish(symbol, value, place, (), reason))
    return wishes


def _but_own(tree: KernelTree, wish: Wish, last: Mapping[str, tuple[str, Location]]) -> Wish:
    """The wish, or that another line of the fragment stands for it: that of its name today."""
    own = next((line for line in wish.lines if line[0] != wish.symbol and line[0] in last), None)
    if own is None:
        return wish
    value, place = last[own[0]]
    reason = f"{wish.symbol} is called {own[0]} in this tree, and line {place.line} sets {own[0]}"
    return Wish(*wish[:3], (), reason, missed=_fitting(tree, own[0], value) != own[1])


def _wish(tree: KernelTree, line: Written, names: KnownNames) -> Wish:
    symbol, value, _ = line
    renamed = names.renames.get(symbol)
    if tree.defines(symbol) and not renamed:
        return _as_it_is(tree, line)
    new = [renamed] if renamed else names.now(symbol, value)
    note = "" if renamed else names.note(symbol)
    if not new:
        if value == "n":  # which it is
            return Wish(*line, ((symbol, value),))
        reason = f"{symbol} {names.fate(symbol)}"
        return Wish(*line, (), reason, missed=True)
    reason = f"{symbol} is called {' and '.join(new)} in this tree{note}"
    lines = tuple((name, _fitting(tree, name, value)) for name in new)
    # With the name more may be another: the unit of a number.
    foreign = note and value not in ("y", "m", "n")
    if not foreign and all(told is not None and tree.prompted(name) for name, told in lines):
        return Wish(*line, tuple((name, told or "") for name, told in lines), reason)
    if value == "n":
        return Wish(*line, ((symbol, value),))
    if not foreign and all(told == tree.value(name) for name, told in lines):
        return Wish(*line, (), f"{reason}; no line is needed, as the symbol already has this value")
    why = "which nobody can set" if not foreign else f"so the value {value} may not fit"
    return Wish(*line, (), f"{reason}, {why}", missed=True)


def _as_it_is(tree: KernelTree, line: Written) -> Wish:
    """A line under the tree's own name, with a value of the symbol's type."""
    symbol, value, _ = line
    told = _fitting(tree, symbol, value)
    if told is None and value not in ("y", "m", "n") and tree.accepts(symbol, quoted(value)):
        return Wish(
            *line, ((symbol, quoted(value)),), f"{symbol} is a string, so its value needs quotes"
        )
    bare = value.strip('"')
    if told is None and bare != value and tree.accepts(symbol, bare):
        reason = f"{symbol} is not a string in this tree, so its value must not have quotes"
        return Wish(*line, ((symbol, bare),), reason)
    if told is None:
        return Wish(*line, (), why_not(tree, symbol, value), missed=True)
    reason = (
        "" if told == value else f"{symbol} is a bool in this tree: {value} is no value of a bool"
    )
    return Wish(*line, ((symbol, told),), reason)


def _fitting(tree: KernelTree, symbol: str, value: str) -> str | None:
    """The value in the symbol's type: what is a module elsewhere may be a bool; None if none is."""
    if tree.accepts(symbol, value):
        return value
    return "y" if value == "m" and tree.accepts(symbol, "y") else None
