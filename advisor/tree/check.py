"""Anyone's fragment against a kernel tree: which lines take effect, which are dropped, and why."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.model.kernel import Location
from advisor.model.tree import Assignment, LineOutcome, LineResult
from advisor.tree.search import Limits, achieve, holds
from advisor.tree.why import why_not

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree


class KnownNames(NamedTuple):
    """What is known of names that the tree may not have.

    `renames` are the tree's own old names; `now` gives the names to write in this tree for a symbol
    of another kernel with a value, all of them, and `note` what else is new with them, behind a
    full stop; `fate` says that one is not there, what became of it, or what it may mean.
    """

    renames: Mapping[str, str] = {}
    now: Callable[[str, str], Sequence[str]] = lambda *_: ()
    note: Callable[[str], str] = lambda _: ""
    fate: Callable[[str], str] = lambda _: "is not in this tree"


def check_fragment(
    tree: KernelTree,
    lines: list[tuple[str, str, Location]],
    names: KnownNames,
    allowed: Iterable[str] = (),
) -> list[LineResult]:
    """The outcome of every line of a fragment, all of it merged onto the tree's configuration.

    `lines` are symbol, value and place; for a remedy `allowed` symbols may go. A line counts as
    already so if it held before.
    """
    targets = [
        (symbol, names.renames.get(symbol, symbol), value, place) for symbol, value, place in lines
    ]
    before = {name: tree.line(name) for _, name, _, _ in targets}
    results = []
    with tree.trial():
        for symbol, value, _ in lines:
            tree.set(symbol, value)
        for symbol, name, value, place in targets:
            after = tree.line(name) or "n"
            outcome = LineOutcome.EFFECTIVE
            if after != value:
                outcome = LineOutcome.DROPPED
            elif (before[name] or "n") == value:
                outcome = LineOutcome.ALREADY
            renamed = name if name != symbol else ""
            if value == "n" and (now := _still_on(tree, symbol, names, before)):
                outcome, after = LineOutcome.DROPPED, now
            results.append(LineResult(symbol, value, place, outcome, after, renamed=renamed))
        dropped = (one for one in results if one.outcome is LineOutcome.DROPPED)
        names_of = (result.renamed or result.symbol for result in dropped)
        pending = tuple((name, before[name] or "n") for name in names_of if name in before)
        limits = Limits((), frozenset(before), frozenset(allowed), pending)
        results = [
            result
            if result.outcome is not LineOutcome.DROPPED
            else _explained(tree, result, limits)
            if tree.defines(result.symbol)
            else _unknown(tree, result, names)
            for result in results
        ]
        return _with_others(tree, results, limits)


def _still_on(tree: KernelTree, symbol: str, names: KnownNames, fixed: Container[str]) -> str:
    """The value of what a symbol that is to be off is called in this tree: empty where that is off,
    or `fixed` by a line of its own."""
    new = () if tree.defines(symbol) else names.now(symbol, "n")
    values = (tree.line(name) for name in new if name not in fixed)
    return next((value for value in values if value in ("y", "m")), "")


def _unknown(tree: KernelTree, result: LineResult, names: KnownNames) -> LineResult:
    """A line about a symbol that the tree has not: its name there, its end, or what it may mean."""
    symbol = result.symbol
    new = names.now(symbol, result.value)
    if not new:
        reason = f"{symbol} {names.fate(symbol)}"
        return result._replace(reason=reason)
    is_now = f"{symbol} is called {' and '.join(new)} in this tree"
    if not all(map(tree.prompted, new)):
        reason = f"{is_now}, but has no prompt: remove the line"
        return result._replace(reason=reason)
    wanted = [(name, result.value) for name in new]
    search = achieve(tree, wanted)
    remedy = () if search.reason else (*search.needed, *wanted)
    reason = f"{is_now}; {search.reason}".rstrip("; ")
    return result._replace(reason=reason, remedy=remedy)


def _explained(tree: KernelTree, result: LineResult, limits: Limits) -> LineResult:
    """A line that is dropped: why, and the further lines with which it would hold."""
    name = result.renamed or result.symbol
    reason = why_not(tree, name, result.value)
    if result.renamed and tree.value(result.symbol) == result.value:
        reason = f"{result.symbol} takes effect only if no line sets its new name, {name}"
    # The other lines of the fragment stay as they are: only what it does not name may be added.
    limits = limits._replace(fixed=limits.fixed - {name})
    search = achieve(tree, [(name, result.value)], limits)
    if search.reason.startswith(reason):
        reason = search.reason  # and what was tried in vain
    renamed = ((name, result.value),) if result.renamed and not search.reason else ()
    return result._replace(reason=reason, remedy=(*search.needed, *renamed))


def _with_others(tree: KernelTree, results: list[LineResult], limits: Limits) -> list[LineResult]:
    """The results, where lines without a remedy may hold with those of the other lines."""
    added = tuple(dict.fromkeys(line for result in results for line in result.remedy))
    if not added:
        return results
    with tree.trial():
        for line in added:
            tree.set(*line)
        held = tuple(_target(one) for one in results if holds(tree, *_target(one)))
        pending = tuple(line for line in limits.pending if line[0] not in dict(held))
        limits = limits._replace(held=(*added, *held), pending=pending)
        return [
            _together(tree, result, limits)
            if result.outcome is LineOutcome.DROPPED
            and not result.remedy
            and tree.defines(_target(result)[0])
            else result
            for result in results
        ]


def _together(tree: KernelTree, result: LineResult, limits: Limits) -> LineResult:
    """A line without a remedy where the tree has those of all others: it may hold, or have one."""
    name, value = _target(result)
    if holds(tree, name, value):
        # What was tried in vain for the line alone would contradict that.
        return result._replace(reason=result.reason.partition("; ")[0], with_others=True)
    if result.reason.startswith(why_not(tree, name, value)):
        return result  # no nearer than it was
    search = achieve(tree, [(name, value)], limits._replace(fixed=limits.fixed - {name}))
    if search.reason:
        return result
    reason = result.reason.partition("; ")[0]
    return result._replace(reason=reason, remedy=search.needed, with_others=True)


def _target(result: LineResult) -> Assignment:
    """The line under the name that its symbol has in the tree."""
    return result.renamed or result.symbol, result.value
