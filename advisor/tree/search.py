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
# A test build makes drivers visible on machines without their device; a kernel for one processor
# is not made one for several for an option's sake.
_OTHER_BUILDS = (("COMPILE_TEST", "y"), ("SMP", "y"))
# How symbols of all types look where no .config would show them.
_NOTHING = (None, "", '""', "0", "0x0")


def achieve(
    tree: KernelTree,
    wanted: Iterable[Assignment],
    held: Iterable[Assignment] = (),
    fixed: frozenset[str] = frozenset(),
) -> SearchResult:
    """The fewest further lines with which all of `wanted` holds in the tree's present state.

    What is `held` must hold as well. No line is found for a symbol that is held, wanted or fixed,
    and none that makes the kernel one for other machines: COMPILE_TEST, SMP, platforms (ARCH_QCOM).
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
            lines = (*sorted(fix), *wanted)
            for line in lines:
                tree.set(*line)
            # What the candidate itself adds has to hold as well, or it is no help.
            missed = [line for line in lines if not _holds(tree, *line)]
            undone = next((symbol for symbol, value in held if not _holds(tree, symbol, value)), "")
            if not missed and not undone:
                return SearchResult(tuple(sorted(fix)))
            if not missed:
                reason = f"{undone} would not stay as it is planned or kept"
                first = first if first.reason else SearchResult((), reason)
                continue
            line, further, barred = _next(tree, missed, fix, fixed)
            if not first.reason:
                first = _failure(tree, line, barred)
            unhelped = [one for one in missed if one in wanted]
            if unhelped and not further and hopeless is None:
                hopeless = _failure(tree, unhelped[0], barred)
            for merged in further:
                if merged not in tried:
                    tried.add(merged)
                    # Fewer changes first; to switch something off counts double.
                    weight = sum(2 if value == "n" else 1 for _, value in merged)
                    heapq.heappush(queue, (weight, next(order), merged))
    return first._replace(reason=f"{first.reason}; no way was found in {MOST_TRIALS} trials")


def _failure(tree: KernelTree, line: Assignment, barred: set[str]) -> SearchResult:
    """Why a line does not hold, and what could have helped if it were not to stay as it is."""
    stays = f"; {', '.join(sorted(barred))} is to stay as it is" if barred else ""
    return SearchResult((), why_not(tree, *line) + stays, line[0])


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
            # Of no use: what is tried already, two values for a symbol, and one that is fixed.
            if usable := [
                one
                for one in merged
                if one != fix
                and len(dict(one)) == len(one)
                and fixed.isdisjoint(dict(one))
                and not any(map(_is_foreign, one))
            ]:
                return line, usable, set()
            named = {symbol for one in merged for symbol, _ in one - fix}
            barred[-1] |= (named & fixed) - {line[0]}
    return missed[0], [], barred[0]


def _is_foreign(line: Assignment) -> bool:
    """Whether a line is about other machines than the one that the configuration is for."""
    symbol, value = line
    return line in _OTHER_BUILDS or (symbol.startswith("ARCH_") and value == "y")


def _holds(tree: KernelTree, symbol: str, value: str) -> bool:
    now = tree.value(symbol)
    return now == value or (value == "n" and now in _NOTHING)


def _ways(tree: KernelTree, symbol: str, value: str) -> Iterator[Iterable[_Fix]]:
    """Sets of lines, each of which may bring `symbol` nearer to `value`; the likelier first."""
    facts = tree.about(symbol)
    if facts is None:
        return
    if value == "n":
        if active := [s.symbol for s in facts.selected_by if s.now != "n"]:
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
        # A number or a text is often of the toolchain: no line of ours.
        if operator in ("=", "!=") and value in ("y", "m", "n"):
            other = "y" if value == "n" else "n"
            yield frozenset(((symbol, value if (operator == "=") is wanted else other),))
    elif tag in ("&", "|") and (tag == "|") is wanted:
        for part in parts:
            yield from _fixes(tree, part, wanted)
    elif tag in ("&", "|"):
        open_ = [part for part in parts if _true(tree, part) is not wanted]
        # Every open part has to change; of one with more than four ways the rest is left out.
        each = [list(islice(_fixes(tree, part, wanted), 4)) for part in open_]
        for chosen in islice(product(*each), _MOST_FIXES):
            yield frozenset().union(*chosen)


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
