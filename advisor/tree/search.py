"""The search for the least further lines with which a wanted symbol holds in a tree."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import count, islice, product
from typing import TYPE_CHECKING, NamedTuple

from advisor.errors import and_more
from advisor.model.condition import OPERATORS, Expr, operands, operator_of, term
from advisor.model.condition_parser import parse
from advisor.model.tree import Assignment, Lines, SearchResult
from advisor.tree.price import MOST_NAMED, Price, Prices, Size, is_foreign, size
from advisor.tree.why import why_not

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree

MOST_TRIALS = 120
"""How many candidates are tried before the search gives up."""
_MORE_TRIALS = 24
"""How many more, for a smaller plan than one that switches on a subsystem or displaces a value."""
KEPT = "must stay as it is"
"""What a reason says of symbols that no line is found for."""
_MOST_FIXES = 12
_Fix = frozenset[Assignment]
# How symbols of all types look where no .config would show them.
_NOTHING = (None, "", '""', "0", "0x0")


class Limits(NamedTuple):
    """What a search may not do.

    What is `held` must hold as well. No line is found for a symbol that is held or `fixed`. Of
    `allowed` symbols everything may go. `pending` are lines to take back before a price is asked.
    """

    held: Lines = ()
    fixed: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    pending: Lines = ()


_NONE = Limits()


def achieve(tree: KernelTree, wanted: Iterable[Assignment], limits: Limits = _NONE) -> SearchResult:
    """The least further lines with which all of `wanted` holds in the tree's present state.

    Of plans that take nothing away the least is the one that displaces the fewest values, then
    switches on the fewest subsystems, then has the fewest lines (price.py). No line makes the
    kernel one for other machines. Nothing that users set is switched off or made weaker as a means,
    but for what a wanted symbol excludes by its own entry.
    """
    search = _Search(tree, tuple(wanted), limits)
    found = search.run()
    return found if found.reason else SearchResult(search.minimal(found.needed))


class _Search:
    """One search: candidates are sets of lines, those of the fewest first."""

    def __init__(self, tree: KernelTree, wanted: Lines, limits: Limits) -> None:
        self._tree, self._wanted = tree, wanted
        self._held, self._allowed = limits.held, limits.allowed
        self._fixed = limits.fixed | {symbol for symbol, _ in (*limits.held, *wanted)}
        self._prices = Prices(tree, wanted, limits.allowed, limits.pending)
        self._first = SearchResult()
        self._hopeless = SearchResult()
        self._dear = ""
        self._foreign: set[str] = set()
        self._order = count()
        self._queue: list[tuple[int, int, _Fix]] = [(0, next(self._order), frozenset())]
        self._tried: set[_Fix] = set()

    def run(self) -> SearchResult:
        """The first candidate that holds at no price; else the reason that tells most."""
        for _ in range(MOST_TRIALS):
            if not self._queue:
                return self._reason()
            _, _, fix = heapq.heappop(self._queue)
            if not self._holds_with(fix):
                continue
            price = self._prices.of(fix) if fix else Price()
            if not price:
                return SearchResult(tuple(sorted(self._least(fix))))
            if not self._dear:
                told = self._prices.told(fix, price)
                settable = [line for line in fix if self._tree.prompted(line[0])]
                self._dear = f"{_spelled(settable or fix)} would remove {told}"
            self._keep(fix, price)
        reason = self._reason()
        return reason._replace(
            reason=f"{reason.reason}; no solution was found in {MOST_TRIALS} trials"
        )

    def _least(self, found: _Fix) -> _Fix:
        """The plan, or a smaller one: its size only grows with what is added to it."""
        most = size(self._tree, found)
        if most[:2] == (0, 0):
            return found
        left: list[tuple[Size, int, _Fix]] = []
        for _ in range(_MORE_TRIALS):
            for _, order, fix in self._queue:
                heapq.heappush(left, (size(self._tree, fix), order, fix))
            self._queue.clear()
            if not left or left[0][0] >= most:
                return found
            _, _, fix = heapq.heappop(left)
            if self._holds_with(fix) and not self._prices.of(fix):
                return fix
        return found

    def minimal(self, needed: Lines) -> Lines:
        """The lines without those that no user can set, or that hold by themselves once the others
        are there, and keep nothing."""
        for line in sorted(needed, key=lambda one: self._tree.prompted(one[0])):
            fewer = tuple(one for one in needed if one != line)
            with self._tree.trial():
                spare = not any(self._undone(fewer))
            if spare and not self._prices.of(fewer):
                needed = fewer
        return needed

    def _undone(self, fix: Iterable[Assignment]) -> tuple[list[Assignment], str]:
        """The lines that do not hold with the candidate, and the first symbol held that moves."""
        tree, lines = self._tree, (*sorted(fix), *self._wanted)
        for line in lines:
            tree.set(*line)
        # What the candidate itself adds has to hold as well, or it is no help.
        missed = [line for line in lines if not holds(tree, *line)]
        moved = (symbol for symbol, value in self._held if not holds(tree, symbol, value))
        return missed, next(moved, "")

    def _holds_with(self, fix: _Fix) -> bool:
        """Whether all holds with these lines; if not, what else can be tried is queued."""
        with self._tree.trial():
            missed, undone = self._undone(fix)
            if not missed and not undone:
                return True
            if not missed:
                reason = f"{undone} would lose the value that the plan sets or keeps"
                self._first = self._first if self._first.reason else SearchResult((), reason)
                return False
            self._branch(missed, fix)
        return False

    def _keep(self, fix: _Fix, price: Price) -> None:
        """Queues the candidate with what keeps, beside it, what it would take away."""
        with self._tree.trial():
            for line in (*sorted(fix), *self._wanted):
                self._tree.set(*line)
            lost = [(symbol, self._prices.before(symbol)) for symbol in price.lost]
            # What a new default takes away (`default !EXPERT`) stays by a line of its own.
            if self._fixed.isdisjoint(dict(lost)) and all(map(self._tree.takes, lost)):
                self._add(fix.union(lost))
            self._branch(lost, fix)

    def _branch(self, missed: list[Assignment], fix: _Fix) -> None:
        line, further, barred = _next(self._tree, missed, fix, self._fixed, self._allowed)
        self._foreign |= barred.foreign
        if not self._first.reason:
            self._first = _failure(self._tree, line, barred)
        unhelped = [one for one in missed if one in self._wanted]
        if unhelped and not further and not self._hopeless.reason:
            self._hopeless = _failure(self._tree, unhelped[0], barred)
        for merged in further:
            self._add(merged)

    def _add(self, fix: _Fix) -> None:
        if fix not in self._tried and len(dict(fix)) == len(fix):
            self._tried.add(fix)
            # Fewer changes first; to switch something off counts double.
            weight = sum(2 if value == "n" else 1 for _, value in fix)
            heapq.heappush(self._queue, (weight, next(self._order), fix))

    def _reason(self) -> SearchResult:
        if self._dear:
            return self._first._replace(reason=f"{self._first.reason}; {self._dear}")
        found = self._hopeless if self._hopeless.reason else self._first
        if not self._foreign:
            return found
        names = and_more(sorted(self._foreign), MOST_NAMED)
        machines = f"{names} would make this a kernel for other machines"
        return found._replace(reason=f"{found.reason}; {machines}")


def _spelled(lines: Iterable[Assignment]) -> str:
    return ", ".join(f"{symbol}={value}" for symbol, value in sorted(lines))


def _failure(tree: KernelTree, line: Assignment, barred: _Barred) -> SearchResult:
    """Why a line does not hold, and what could have helped if it were not to stay as it is."""
    reason = why_not(tree, *line)
    if barred.fixed:
        reason += f"; {', '.join(sorted(barred.fixed))} {KEPT}"
    return SearchResult((), reason, line[0])


class _Barred(NamedTuple):
    """What could have helped: symbols that stay as they are, and those of other machines."""

    fixed: set[str]
    foreign: set[str]


def _next(
    tree: KernelTree,
    missed: list[Assignment],
    fix: _Fix,
    fixed: frozenset[str],
    allowed: frozenset[str],
) -> tuple[Assignment, list[_Fix], _Barred]:
    """The first line missed that something can be done for, and what can be tried.

    If there is none, the first line, and what would have helped it.
    """
    barred: list[_Barred] = []
    for line in missed:
        barred.append(_Barred(set(), set()))
        if line in fix and (as_module := _as_module(tree, line)):
            return line, [fix - {line} | {as_module}], barred[-1]
        for ways in _ways(tree, *line):
            merged = [fix | further for further in islice(ways, _MOST_FIXES)]
            # Of no use: what is tried already, two values for a symbol, and one that is fixed.
            if usable := [
                one
                for one in merged
                if one != fix
                and len(dict(one)) == len(one)
                and fixed.isdisjoint(dict(one))
                and not any(_is_barred(tree, line, allowed) for line in one)
            ]:
                return line, usable, barred[-1]
            further = {line for one in merged for line in one - fix}
            named = {symbol for symbol, _ in further}
            barred[-1].fixed.update((named & fixed) - {line[0]})
            barred[-1].foreign.update(s for s, v in further if _is_barred(tree, (s, v), allowed))
    return missed[0], [], barred[0]


def _as_module(tree: KernelTree, line: Assignment) -> Assignment | None:
    """A line that helps, as the module that its symbol can only be; None if it can be more."""
    facts = tree.about(line[0])
    return (line[0], "m") if facts and line[1] == "y" and facts.visible == "m" else None


def _is_barred(tree: KernelTree, line: Assignment, allowed: frozenset[str]) -> bool:
    return line[0] not in allowed and is_foreign(tree, line)


def holds(tree: KernelTree, symbol: str, value: str) -> bool:
    """Whether a .config would show that value of the symbol now; `n` also where it shows none."""
    now = tree.line(symbol)
    return now == value or (value == "n" and now in _NOTHING)


def _ways(tree: KernelTree, symbol: str, value: str) -> Iterator[Iterable[_Fix]]:
    """Sets of lines, each of which may bring `symbol` nearer to `value`; the likelier first."""
    facts = tree.about(symbol)
    if facts is None:
        return
    if value == "m" and facts.type == "tristate" and (modules := tree.lacks_modules):
        yield [frozenset(((modules, "y"),))]
        return
    if value == "n" and (active := [s.symbol for s in facts.selected_by if s.now != "n"]):
        yield [frozenset((selector, "n") for selector in active)]
        return
    # One term after the other: the next trial meets the next one.
    for unmet in facts.unmet:
        yield _fixes(tree, _parsed(unmet), True)
    if facts.unmet:
        return
    if facts.visible == "n" and value != "n":
        yield [frozenset(((selector.symbol, "y"),)) for selector in facts.selected_by]
    for definition in facts.definitions:
        if definition.prompt and definition.prompt_condition not in ("", "y"):
            yield _fixes(tree, _parsed(definition.prompt_condition), True)


def _parsed(text: str) -> Expr:
    try:
        return parse(text)
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
