"""The search for the fewest further lines with which a wanted symbol holds in a tree."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import count, islice, product
from typing import TYPE_CHECKING

from advisor.model import condition
from advisor.model.condition import OPERATORS, Expr, operands, operator_of, term
from advisor.model.tree import Assignment, SearchResult
from advisor.tree.why import why_not

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree

MOST_TRIALS = 120
"""How many candidates are tried before the search gives up."""
_MOST_FIXES = 12
_Fix = frozenset[Assignment]
# How symbols of all types look where no .config would show them.
_NOTHING = (None, "", '""', "0", "0x0")


def achieve(
    tree: KernelTree,
    wanted: Iterable[Assignment],
    held: Iterable[Assignment] = (),
    fixed: frozenset[str] = frozenset(),
) -> SearchResult:
    """The fewest further lines with which all of `wanted` holds in the tree's present state.

    What is `held` must hold as well. No line is found for a symbol that is held, wanted or fixed.
    """
    wanted, held = tuple(wanted), tuple(held)
    fixed |= {symbol for symbol, _ in (*held, *wanted)}
    first = SearchResult()
    hopeless: SearchResult | None = None
    tried: set[_Fix] = set()
    order = count()
    queue: list[tuple[int, int, _Fix]] = [(0, next(order), frozenset())]
    for _ in range(MOST_TRIALS):
        if not queue:
            return hopeless or first
        _, _, fix = heapq.heappop(queue)
        with tree.trial():
            _apply(tree, (*sorted(fix), *wanted))
            # What the candidate itself adds has to hold as well, or it is no help.
            missed = [line for line in (*sorted(fix), *wanted) if not _holds(tree, *line)]
            undone = next((symbol for symbol, value in held if not _holds(tree, symbol, value)), "")
            if not missed and not undone:
                return SearchResult(tuple(sorted(fix)))
            if not missed:
                reason = f"{undone} would not stay as it is planned or kept"
                first = first if first.reason else SearchResult((), reason)
                continue
            line, further, barred = _next(tree, missed, fix, fixed)
            if not first.reason:
                first = SearchResult((), _told(tree, line, barred), line[0])
            if not further and hopeless is None:
                hopeless = _hopeless(tree, [one for one in missed if one in wanted], barred)
            for merged in further:
                if merged not in tried:
                    tried.add(merged)
                    heapq.heappush(queue, (_weight(merged), next(order), merged))
    return first._replace(reason=f"{first.reason}; no way was found in {MOST_TRIALS} trials")


def _hopeless(tree: KernelTree, missed: list[Assignment], barred: set[str]) -> SearchResult | None:
    """The first wanted line that is missed where nothing more can be done."""
    return SearchResult((), _told(tree, missed[0], barred), missed[0][0]) if missed else None


def _told(tree: KernelTree, line: Assignment, barred: set[str]) -> str:
    stays = f"; {', '.join(sorted(barred))} is to stay as it is" if barred else ""
    return why_not(tree, *line) + stays


def _next(
    tree: KernelTree, missed: list[Assignment], fix: _Fix, fixed: frozenset[str]
) -> tuple[Assignment, list[_Fix], set[str]]:
    """The first line missed that something can be done for, and what can be tried.

    If there is none, the first line, and the fixed symbols that would have helped it.
    """
    barred: list[set[str]] = []
    for line in missed:
        barred.append(set())
        for ways in _ways(tree, *line):
            merged = [fix | further for further in islice(ways, _MOST_FIXES)]
            if usable := [one for one in merged if one != fix and not _unusable(one, fixed)]:
                return line, usable, set()
            named = {symbol for one in merged for symbol, _ in one - fix}
            barred[-1] |= (named & fixed) - {line[0]}
    return missed[0], [], barred[0]


def _apply(tree: KernelTree, assignments: Iterable[Assignment]) -> None:
    for symbol, value in assignments:
        tree.set(symbol, value)


def _holds(tree: KernelTree, symbol: str, value: str) -> bool:
    found = tree.value(symbol)
    return found == value or (value == "n" and found in _NOTHING)


def _unusable(fix: _Fix, fixed: frozenset[str]) -> bool:
    symbols = [symbol for symbol, _ in fix]
    return len(set(symbols)) < len(symbols) or any(symbol in fixed for symbol in symbols)


def _weight(fix: _Fix) -> int:
    """Fewer changes first; to switch something off counts double."""
    return sum(2 if value == "n" else 1 for _, value in fix)


def _ways(tree: KernelTree, symbol: str, value: str) -> Iterator[Iterable[_Fix]]:
    """Sets of lines, each of which may bring `symbol` nearer to `value`; the likelier first."""
    facts = tree.about(symbol)
    if facts is None:
        return
    if value == "n":
        active = [s.symbol for s in facts.selected_by if s.now != "n"]
        if active:
            yield [frozenset((selector, "n") for selector in active)]
        return
    # One term after the other: the next trial meets the next one.
    for unmet in facts.unmet:
        yield _fixes(tree, _parsed(unmet), True)
    if facts.unmet:
        return
    if facts.visible == "n":
        yield [frozenset(((selector.symbol, "y"),)) for selector in facts.selected_by]
    for definition in facts.definitions:
        if definition.prompt and definition.prompt_condition not in ("", "y"):
            yield _fixes(tree, _parsed(definition.prompt_condition), True)


def _parsed(text: str) -> Expr:
    try:
        return condition.parse(text)
    except ValueError:  # a macro or a constant that no line can change
        return None


def _fixes(tree: KernelTree, expr: Expr, wanted: bool) -> Iterator[_Fix]:
    """Sets of lines that make a Kconfig expression true, or false, as far as lines can."""
    if expr is None:
        return
    tag, parts = operator_of(expr), operands(expr)
    if tag == "!":
        yield from _fixes(tree, parts[0], not wanted)
    elif tag == "on":
        yield frozenset(((term(expr)[1], "y" if wanted else "n"),))
    elif tag == "sym":
        _, symbol, operator, value = term(expr)
        yield from _compared(symbol, operator, value, wanted)
    elif tag in ("&", "|") and (tag == "|") is wanted:
        for part in parts:
            yield from _fixes(tree, part, wanted)
    elif tag in ("&", "|"):
        open_ = [part for part in parts if _true(tree, part) is not wanted]
        each = [list(islice(_fixes(tree, part, wanted), 4)) for part in open_]
        for chosen in islice(product(*each), _MOST_FIXES):
            yield frozenset().union(*chosen)


def _compared(symbol: str, operator: str, value: str, wanted: bool) -> Iterator[_Fix]:
    if operator not in ("=", "!=") or value not in ("y", "m", "n"):
        return  # a number or a text, often of the toolchain: no line of ours
    equal = (operator == "=") is wanted
    other = "y" if value == "n" else "n"
    yield frozenset(((symbol, value if equal else other),))


def _true(tree: KernelTree, expr: Expr) -> bool | None:
    """The truth of an expression now; None where it compares what is no tristate."""
    tag = operator_of(expr)
    if tag in OPERATORS:
        parts = [_true(tree, part) for part in operands(expr)]
        if tag == "!":
            return None if parts[0] is None else not parts[0]
        return all(parts) if tag == "&" else any(parts)
    kind, name, *compared = term(expr)
    if kind == "on":
        return tree.value(name) in ("y", "m")
    if kind == "sym" and compared[0] in ("=", "!="):
        return ((tree.value(name) or "n").strip('"') == compared[1]) is (compared[0] == "=")
    return None
