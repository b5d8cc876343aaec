"""A fragment made whole in a kernel tree: what its lines need, found for all of them together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from advisor.model.repair import Addition, RepairedLine
from advisor.model.tree import Assignment, Lines
from advisor.tree.check import KnownNames
from advisor.tree.price import weakened
from advisor.tree.search import KEPT, Limits, achieve, holds
from advisor.tree.why import why_not
from advisor.tree.wish import Wish, Written, wishes_of

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree


def fix_fragment(
    tree: KernelTree, lines: Sequence[Written], names: KnownNames, allowed: Iterable[str] = ()
) -> tuple[RepairedLine, ...]:
    """What stands in place of every line, merged onto the tree's configuration.

    `lines` are symbol, value and place, also those that a later one about the same symbol takes
    back. What holds stays. What does not gets the fewest lines with which all hold together, at no
    price but that of `allowed` symbols (search.py); each of these lines was tried without.
    """
    return _Fix(tree, wishes_of(tree, lines, names), frozenset(allowed)).run()


class _Fix:
    """One repair: wishes by their number, those that are had, and the lines added for them."""

    def __init__(self, tree: KernelTree, wishes: Sequence[Wish], allowed: frozenset[str]) -> None:
        self._tree, self._allowed = tree, allowed
        self._wishes = dict(enumerate(wishes))
        self._open = [number for number, wish in self._wishes.items() if wish.lines]
        self._names = frozenset(name for number in self._open for name, _ in wishes[number].lines)
        self._before = {name: tree.line(name) or "n" for name in self._names}
        self._plain: Mapping[str, str] = {}
        self._had: set[int] = set()
        self._added: dict[Assignment, int] = {}
        self._reasons: dict[int, str] = {}
        # Those that were in vain before any line was added.
        self._vain: set[int] = set()

    def run(self) -> tuple[RepairedLine, ...]:
        """The lines in their order, each with what it needs before it."""
        self._close(self._open)
        for number in self._open:
            if number not in self._had | self._vain:
                self._prefer(number)
        self._hold_together()
        for number in self._open:
            if number not in self._had:
                self._take_nearest(number)
        self._leave_out()
        before = self._additions()
        lines = [self._repaired(number, before.get(number, ())) for number in self._wishes]
        last = {line.symbol: line for line in lines}
        return tuple(
            line
            # The same line again goes the way of the last one.
            if line.lines or line.reason or last[line.symbol].kept
            else line._replace(reason=f"line {last[line.symbol].location.line} says the same")
            for line in lines
        )

    def _repaired(self, number: int, before: tuple[Addition, ...]) -> RepairedLine:
        wish = self._wishes[number]
        missed, lines, reason = wish.missed, wish.lines, wish.reason
        if lines and number not in self._had:
            cause = self._reasons[number]
            # The line's other name is told, too.
            reason = cause if not reason or cause.startswith(reason) else f"{reason}; {cause}"
            missed, lines = True, ()
        return RepairedLine(*wish[:3], lines, before, reason, missed)

    # The search

    def _close(self, order: Sequence[int]) -> None:
        """Finds what the wishes need, one after the other, until none that is left has a way."""
        self._added, self._reasons = {}, {}
        with self._tree.trial():
            self._set(self._own(self._open))
            self._had = {n for n in order if not self._missed(self._wishes[n].lines)}
            left = [number for number in order if number not in self._had]
            while left:
                still = [number for number in left if not self._get(number, left)]
                if len(still) == len(left):
                    return
                left = still

    def _prefer(self, number: int) -> None:
        """Gets a wish before all others, if more can be had so: what they need may exclude it."""
        before = self._had, self._added, self._reasons
        with self._tree.trial():
            self._set(self._own(self._open))
            self._had = {n for n in self._open if not self._missed(self._wishes[n].lines)}
            self._added, self._reasons = {}, {}
            alone = self._get(number, self._open)
        if alone:
            self._close([number, *(n for n in self._open if n != number)])
        if not alone or len(self._had) <= len(before[0]):
            self._had, self._added, self._reasons = before

    def _get(self, number: int, left: Iterable[int]) -> bool:
        """Whether a wish holds, or does so with lines that it then gets."""
        tree, lines = self._tree, self._wishes[number].lines
        missed = self._missed(lines)
        if missed:
            others = [one for one in left if one not in self._had]
            # Nothing is found for what other lines of the fragment are about.
            limits = Limits(
                self._own(self._had), self._names - {name for name, _ in lines}, self._allowed,
                tuple((name, self._before[name]) for name, _ in self._own(others)),
            )  # fmt: skip
            found = achieve(tree, lines, limits)
            if found.reason:
                if not self._added:
                    self._vain.add(number)
                self._reasons[number] = self._reason(missed[0], found.reason)
                return False
            self._set((*found.needed, *lines))
            self._added.update(dict.fromkeys(found.needed, number))
        self._had.add(number)
        return True

    def _reason(self, line: Assignment, told: str) -> str:
        """Why a line cannot be had, and which other lines of the fragment stand in its way."""
        reason = why_not(self._tree, *line)
        words = set(re.findall(r"\w+", reason)) - {line[0]}
        of_it = [n for n in self._open for name, _ in self._wishes[n].lines if name in words]
        if told.startswith(reason) and (KEPT not in told or not of_it):
            return told  # and what was tried in vain
        stand = [self._wishes[n].symbol for n in of_it if n in self._had]
        fall = [self._wishes[n].symbol for n in of_it if n not in self._had]
        which = (f"the fragment's own line for {', '.join(stand)} stays as it is",) if stand else ()
        either = (f"{', '.join(fall)} cannot be enabled either",) if fall else ()
        return "; ".join((reason, *which, *either))

    def _hold_together(self) -> None:
        """Takes back what does not hold once the lines that cannot be had are left out."""
        while True:
            with self._placed(self._added):
                fallen = {n: m for n in self._had if (m := self._missed(self._wishes[n].lines))}
                for number, missed in fallen.items():
                    self._reasons[number] = why_not(self._tree, *missed[0])
            if not fallen:
                return
            self._had -= fallen.keys()

    def _take_nearest(self, number: int) -> None:
        """Of a wish that cannot be had, what Kconfig makes of it: a module, the end of a range."""
        wish = self._wishes[number]
        name, value = wish.lines[0]
        with self._placed(self._added):
            without = self._tree.line(name)
            self._set(wish.lines)
            nearest = self._tree.line(name) or "n"
            kept = not self._missed(self._own(self._had))
        if len(wish.lines) > 1 or nearest in (without, value, "n") or not kept:
            return
        if self._tree.accepts(name, nearest):
            reason = "; ".join(filter(None, (wish.reason, self._reasons[number])))
            self._wishes[number] = Wish(*wish[:3], ((name, nearest),), reason, missed=True)
            self._had.add(number)

    # The lines that were added

    def _leave_out(self) -> None:
        """Leaves out each line without which all hold and nothing more is taken away."""
        order = self._arranged()
        with self._placed(()):
            self._plain = self._tree.snapshot()
        with self._placed(order):
            taken = self._lost()
        for line in reversed(order):
            fewer = [one for one in order if one != line]
            with self._placed(fewer):
                spare = not self._missed((*fewer, *self._own(self._had)))
                if spare and not self._lost() - taken:
                    order = fewer
        self._added = {line: self._added[line] for line in order}

    def _additions(self) -> dict[int, tuple[Addition, ...]]:
        """The lines to write above each wish: the first of those that need them."""
        with self._placed(self._added):
            taken = self._lost()
        found: dict[int, list[Addition]] = {}
        for line, cause in self._added.items():
            with self._placed(one for one in self._added if one != line):
                fallen = [n for n in sorted(self._had) if self._missed(self._wishes[n].lines)]
                keeps = () if fallen else tuple(sorted(self._lost() - taken))
            needed_by = tuple(self._wishes[number].symbol for number in fallen or (cause,))
            first = fallen[0] if fallen else cause
            found.setdefault(first, []).append(Addition(*line, needed_by, keeps))
        return {number: tuple(additions) for number, additions in found.items()}

    def _arranged(self) -> list[Assignment]:
        """The lines that were added, each behind those that it needs itself."""
        order: list[Assignment] = []
        left = sorted(self._added)
        with self._tree.trial():
            for own in ((), self._own(self._had)):
                self._set(own)
                while line := next(filter(self._tree.takes, left), None):
                    self._tree.set(*line)
                    order.append(line)
                    left.remove(line)
        return order + left

    # The tree

    def _own(self, numbers: Iterable[int]) -> Lines:
        """What the wishes come to, in the fragment's order."""
        return tuple(line for number in sorted(numbers) for line in self._wishes[number].lines)

    def _set(self, lines: Iterable[Assignment]) -> None:
        for line in lines:
            self._tree.set(*line)

    def _missed(self, lines: Iterable[Assignment]) -> list[Assignment]:
        return [line for line in lines if not holds(self._tree, *line)]

    def _lost(self) -> set[str]:
        """What is weaker than with the fragment's own lines alone."""
        return weakened(self._tree, self._plain, self._tree.snapshot())

    @contextmanager
    def _placed(self, added: Iterable[Assignment]) -> Iterator[None]:
        """The tree with these lines and those that are had, and nothing else of the fragment."""
        with self._tree.trial():
            self._set((*added, *self._own(self._had)))
            yield
