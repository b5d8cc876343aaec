"""Anyone's fragment against a kernel tree: which lines take effect, which are dropped, and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from advisor.engine.prove import Tree, achieve, why_not
from advisor.model import Assignment, Configuration, Location


class Outcome(Enum):
    """What becomes of a line of a fragment."""

    EFFECTIVE = "effective"
    ALREADY = "already so"
    DROPPED = "dropped"


class LineResult(NamedTuple):
    """One line: what it asks, what it comes to, why, and what would make it hold.

    `renamed` is the symbol's name in this tree, where it is another one.
    """

    symbol: str
    value: str
    location: Location
    outcome: Outcome
    result: str
    reason: str = ""
    remedy: tuple[Assignment, ...] = ()
    renamed: str = ""


def check_fragment(
    tree: Tree, fragment: Configuration, symbols: list[str], renames: Mapping[str, str]
) -> list[LineResult]:
    """The outcome of every line of a fragment, all of it merged onto the tree's configuration.

    `renames` are the tree's own old names. A line counts as already so if it held before.
    """
    lines = [(s, renames.get(s, s), fragment.get(s) or "n") for s in symbols]
    before = {name: tree.value(name) for _, name, _ in lines}
    results = []
    with tree.trial():
        for _, name, value in lines:
            tree.set(name, value)
        for symbol, name, value in lines:
            after = tree.value(name) or "n"
            outcome = Outcome.EFFECTIVE
            if after != value:
                outcome = Outcome.DROPPED
            elif before[name] == value:
                outcome = Outcome.ALREADY
            place = fragment.entry(symbol).location
            renamed = name if name != symbol else ""
            results.append(LineResult(symbol, value, place, outcome, after, renamed=renamed))
        return [_explained(tree, result, lines) for result in results]


def _explained(tree: Tree, result: LineResult, lines: list[tuple[str, str, str]]) -> LineResult:
    if result.outcome is not Outcome.DROPPED:
        return result
    name = result.renamed or result.symbol
    reason = why_not(tree, name, result.value)
    # The other lines of the fragment stay as they are: only what it does not name may be added.
    others = frozenset(other for _, other, _ in lines if other != name)
    found = achieve(tree, (), [(name, result.value)], others)
    return result._replace(reason=reason, remedy=found.needed)
