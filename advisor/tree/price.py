"""What lines take away that are only a means to an end: no plan pays with what it is not about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from advisor.model import condition
from advisor.model.condition_parser import parse
from advisor.model.numbers import whole_number
from advisor.model.tree import Assignment, Lines
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree

# What a kernel is for: its word size, its processors, its byte order, its pages and their tables.
_MACHINE = ("64BIT", "MMU", "SMP", "CPU_BIG_ENDIAN", "CPU_LITTLE_ENDIAN", "PAGE_SHIFT", "ARM_LPAE")
# Where architectures keep their boards and chips: mach-imx, plat-omap, platforms/pseries,
# Kconfig.platforms, Kconfig.socs (read in 4.19 to 7.2).
_BOARDS = re.compile(r"arch/\w+/(?:mach-|plat-|platforms/|Kconfig\.(?:platforms|socs?)\b)")
_BOARD_NAME = re.compile(r"(?:ARCH|MACH|SOC|PLAT)_")
# There are none of these names there, but options (ARCH_CPUIDLE_HALTPOLL, ARCH_MEMORY_PROBE).
_NO_BOARDS = ("arch/x86/Kconfig", "arch/s390/Kconfig")
# A test build makes drivers visible on machines without their device.
_TEST_BUILD = "COMPILE_TEST"
_RANKS = {"n": 0, "m": 1, "y": 2}
MOST_NAMED = 3
_MOST_LOST = 8


def is_foreign(tree: KernelTree, line: Assignment) -> bool:
    """Whether a line makes the kernel one for other machines, or a test build."""
    symbol, value = line
    if value != "y":
        return False
    if symbol in (_TEST_BUILD, *_MACHINE):
        return True
    places = tree.places(symbol)
    if any(map(_BOARDS.match, places)):
        return True
    under_arch = any(place.startswith("arch/") for place in places)
    named = _BOARD_NAME.match(symbol) is not None and not set(_NO_BOARDS).issuperset(places)
    return named or (under_arch and bool(tree.choice(symbol)))


class Price(NamedTuple):
    """Symbols that users set, and that means switch off or make weaker; and of the machine."""

    lost: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lost or self.machine)


class Size(NamedTuple):
    """How much a plan does that takes nothing away, to compare it with others in this order.

    `displaced` are settings that it weakens or changes, as far as these are what the wanted symbol
    excludes itself; `subsystems` those that come on; `lines` all that it writes.
    """

    displaced: int = 0
    subsystems: int = 0
    lines: int = 0


def size(tree: KernelTree, means: Iterable[Assignment]) -> Size:
    """The size of a plan in the tree's present state."""
    means = tuple(means)
    was = {symbol: tree.line(symbol) or "n" for symbol, _ in means}
    displaced = sum(was[s] != "n" and _RANKS.get(v, 0) <= _RANKS.get(was[s], 0) for s, v in means)
    new = (symbol for symbol, value in means if value in ("y", "m") and was[symbol] == "n")
    return Size(displaced, sum(map(tree.is_subsystem, new)), len(means))


class Prices:
    """The prices of means in the tree's present state, of which wanted lines are the end.

    What a wanted symbol itself excludes in so many words (it depends on its being off, or is
    selected by it) may go, with what rests on that; so may `allowed` symbols. `pending` are lines
    to take back first: what stands already, and would take effect only by the means.
    """

    def __init__(
        self, tree: KernelTree, wanted: Lines, allowed: frozenset[str], pending: Lines
    ) -> None:
        self._tree, self._wanted = tree, wanted
        self._allowed, self._pending = allowed, pending
        self._before: Mapping[str, str] | None = None

    def of(self, means: Iterable[Assignment]) -> Price:
        """What the means take away by themselves; nothing in the tree is changed by asking."""
        means = tuple(means)
        excluded = tuple(line for line in means if line[1] == "n" and self._excluded(line[0]))
        lost = self._lost(means)
        if lost and excluded:
            lost -= self._lost(excluded)
        lost -= self._allowed
        machine = {symbol for symbol in lost if symbol in _MACHINE}
        return Price(tuple(sorted(lost - machine)), tuple(sorted(machine)))

    def told(self, means: Iterable[Assignment], price: Price) -> str:
        """The price as the end of a sentence: what goes by itself; not what goes with that."""
        lost = {*price.machine, *price.lost}
        with self._tree.trial():
            for line in means:
                self._tree.set(*line)
            roots = [s for s in price.lost if lost.isdisjoint(self._lacks(s))]
        named = [*price.machine, *(roots or price.lost)][:_MOST_LOST]
        rest = len(lost) - len(named)
        more = f" and {rest} more (a check with these lines lists all of them)" if rest else ""
        return f"{', '.join(named)}{more}"

    def _lacks(self, symbol: str) -> set[str]:
        return {word for term in self._tree.unmet(symbol) for word in re.findall(r"\w+", term)}

    def before(self, symbol: str) -> str:
        """What a symbol is without any means."""
        return (self._before or {}).get(symbol, "n")

    def _excluded(self, symbol: str) -> bool:
        return any(symbol in _named(self._tree, wanted) for wanted, _ in self._wanted)

    def _lost(self, lines: Lines) -> set[str]:
        """The symbols that users set and the lines make weaker, and those of the machine."""
        if self._before is None:
            self._before = self._snapshot(())
        before, after = self._before, self._snapshot(lines)
        return weakened(self._tree, before, after)

    def _snapshot(self, lines: Lines) -> Mapping[str, str]:
        with self._tree.trial():
            for line in (*self._pending, *lines):
                self._tree.set(*line)
            return self._tree.snapshot()


def weakened(tree: KernelTree, before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """The symbols that users set and that are weaker in the later of two snapshots, and those of
    the machine that are another."""
    moved = {s for s in {*before, *after} if before.get(s, "n") != after.get(s, "n")}
    return {s for s in moved if _is_weaker(tree, s, before.get(s, "n"), after.get(s, "n"))}


def _is_weaker(tree: KernelTree, symbol: str, old: str, new: str) -> bool:
    if symbol in _MACHINE:
        return True
    if not tree.prompted(symbol):
        return False
    if old in _RANKS and new in _RANKS:
        # The member of a choice that stands for nothing is no loss.
        spare = symbol.endswith("_NONE") and bool(tree.choice(symbol))
        return _RANKS[new] < _RANKS[old] and not spare
    before, after = whole_number(old), whole_number(new)
    return before is not None and (after is None or after < before)


def _named(tree: KernelTree, symbol: str) -> set[str]:
    """The symbols that a symbol's own entry, its choice, or what selects it name."""
    facts = tree.about(symbol)
    if facts is None:
        return set()
    found = {*facts.choice, *(selector.symbol for selector in facts.selected_by)}
    for definition in facts.definitions:
        for text in (definition.depends, definition.prompt_condition):
            try:
                found.update(condition.symbols(parse(text)))
            except ValueError:  # a macro or a constant is among it
                found.update(re.findall(r"\w+", text))
    return found
