"""What lines would make of a configuration in an evaluated tree: the live TreeOracle."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from advisor.model.kernel import Configuration
from advisor.model.tree import (
    Assignment,
    Effect,
    LineAnswer,
    Lines,
    SearchResult,
    SideEffect,
    differ,
)
from advisor.tree.search import Limits, achieve
from advisor.tree.why import why_not

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree

_WORD = re.compile(r"\w+")


class Oracle:
    """Answers from a tree, starting at the configuration that is loaded in it.

    The tree is the oracle's own from then on. The lines of the last question stay in place, since
    the next one mostly goes on from there. `assumed` are the answers of tools that mattered for the
    configuration: (symbol or macro, value, where the value is from). What is `allowed` may go for
    other symbols' sake.
    """

    assumed: tuple[tuple[str, str, str], ...]

    def __init__(self, tree: KernelTree, allowed: Iterable[str] = ()) -> None:
        self._tree = tree
        self._allowed = frozenset(allowed)
        self._before = tree.snapshot()
        self.assumed = self._assumed_before = tuple(tree.assumptions)
        self._placed: list[tuple[Assignment, AbstractContextManager[None]]] = []

    def defines(self, symbol: str) -> bool:
        """TreeOracle."""
        return self._tree.defines(symbol)

    def value(self, lines: Lines, symbol: str) -> str | None:
        """TreeOracle."""
        self._go(lines)
        return self._tree.line(symbol)

    def achieve(
        self, lines: Lines, wanted: Lines, keep: frozenset[str], fixed: frozenset[str] = frozenset()
    ) -> SearchResult:
        """TreeOracle."""
        self._go(lines)
        kept = tuple((symbol, self._before.get(symbol, "n")) for symbol in sorted(keep))
        return achieve(self._tree, wanted, Limits((*lines, *kept), fixed, self._allowed))

    def members(self, lines: Lines, symbol: str) -> tuple[str, ...]:
        """TreeOracle."""
        self._go(lines)
        choice = self._tree.choice(symbol)
        return tuple(member for member in choice if self._tree.line(member) is not None)

    def line(self, symbol: str, value: str) -> LineAnswer:
        """TreeOracle."""
        self._go(())
        tree = self._tree
        name = tree.renames.get(symbol, symbol)
        if not tree.defines(name):
            return LineAnswer(near=tree.near(symbol))
        why = why_not(tree, name, value) if differ(value, tree.line(name)) else ""
        return LineAnswer(name, tree.prompted(name), why)

    def effects(self, lines: Lines) -> tuple[SideEffect, ...]:
        """TreeOracle; `assumed` then holds what mattered for these lines as well."""
        # From the start, so that all that depends on the lines is asked for again.
        self._go(())
        self._tree.forget_asked()
        moved = self._moved(lines)
        self.assumed = tuple(sorted({*self._assumed_before, *self._tree.assumptions}))
        return self._classified(moved)

    def lost(self, lines: Lines) -> tuple[SideEffect, ...]:
        """TreeOracle."""
        moved = self._moved(lines)
        return tuple(one for one in self._classified(moved) if one.kind is Effect.LOST)

    def _moved(self, lines: Lines) -> list[tuple[str, str | None, str | None]]:
        """What the lines, which stay in place, change beside themselves: symbol, old and new."""
        self._go(())
        self._tree.settle()
        self._go(lines)
        named = {symbol for symbol, _ in lines}
        moved = [
            (symbol, self._before.get(symbol), value)
            for symbol, value in sorted(self._tree.moved().items())
            if symbol not in named
        ]
        return [change for change in moved if differ(*change[1:])]

    def predicted(self, lines: Lines) -> dict[str, str]:
        """All that a .config would show with these lines."""
        self._go(lines)
        return self._tree.snapshot()

    def rewind(self) -> None:
        """Leaves the tree at the configuration, as if nothing had been asked."""
        self._go(())

    def moved(self, config: Configuration, symbols: list[str]) -> dict[str, str | None]:
        """What the configuration comes to in the tree, where that is not what its lines say."""
        before = self._before
        gone: dict[str, str | None] = {s: None for s in symbols if s not in before}
        return gone | {s: value for s, value in before.items() if config.get(s) != value}

    def _go(self, lines: Lines) -> None:
        """Puts the lines in place, and takes back those that another question left."""
        placed = self._placed
        # Trials are nested: what follows the first line that differs has to go in reverse order.
        same = 0
        while same < min(len(placed), len(lines)) and placed[same][0] == lines[same]:
            same += 1
        while len(placed) > same:
            placed.pop()[1].__exit__(None, None, None)
        for line in lines[same:]:
            trial = self._tree.trial()
            trial.__enter__()
            placed.append((line, trial))
            self._tree.set(*line)

    def _classified(
        self, moved: list[tuple[str, str | None, str | None]]
    ) -> tuple[SideEffect, ...]:
        kinds = {symbol: self._kind(symbol, old, new) for symbol, old, new in moved}
        lost = {symbol for symbol, kind in kinds.items() if kind is Effect.LOST}
        effects = []
        for symbol, old, new in moved:
            why, root = "", True
            if symbol in lost:
                unmet = self._tree.unmet(symbol)
                why = " && ".join(unmet)
                # What is lost only since another one is needs no line of its own in a report.
                root = not any(word in lost for term in unmet for word in _WORD.findall(term))
            effects.append(SideEffect(kinds[symbol], symbol, old, new, why, root))
        return tuple(effects)

    def _kind(self, symbol: str, old: str | None, new: str | None) -> Effect:
        if not self._tree.prompted(symbol) or self._tree.choice(symbol):
            return Effect.DERIVED
        was, is_ = old in ("y", "m"), new in ("y", "m")
        if was and not is_:
            return Effect.LOST
        return Effect.NEW if is_ and not was else Effect.DERIVED
