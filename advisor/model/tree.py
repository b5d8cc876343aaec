"""What is asked of a kernel tree, and what it answers."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from advisor.model.kernel import Location
from advisor.record import NamedTuple

Assignment = tuple[str, str]
# Kconfig lines in the order in which they are merged onto a configuration.
Lines = tuple[Assignment, ...]


class Effect(Enum):
    """What a change of a configuration does to a symbol that nobody named."""

    LOST = "lost"
    NEW = "new"
    DERIVED = "derived"


class SearchResult(NamedTuple):
    """The further lines with which wanted ones hold, in the order to write them.

    Where there are none, the reason, and the wanted symbol that does not come to its value.
    """

    needed: Lines = ()
    reason: str = ""
    missed: str = ""


class SideEffect(NamedTuple):
    """A symbol that a plan changes without naming it; `old` and `new` are None where it is hidden.

    `why` is what the symbol now lacks, `root` whether it is lost by itself and not with another.
    """

    kind: Effect
    symbol: str
    old: str | None
    new: str | None
    why: str = ""
    root: bool = True


class LineAnswer(NamedTuple):
    """What a tree knows of a line's symbol: its `name` there (empty: it has none), whether a user
    can set it, `why` the line does not hold now (empty: it does), and of a symbol that the tree has
    not which one may be meant, as a question.
    """

    name: str = ""
    prompted: bool = False
    why: str = ""
    near: str = ""


ONLY_A_MODULE = "can only be m"
"""What a reason says of a symbol that is wanted as y, but needs something that is m."""


class TreeOracle(Protocol):
    """A kernel tree that was evaluated for one configuration, and what lines would make of it."""

    def defines(self, symbol: str) -> bool:
        """Whether the tree has the symbol for this architecture."""

    def value(self, lines: Lines, symbol: str) -> str | None:
        """What a .config would show of the symbol; None if it would not show it."""

    def achieve(
        self, lines: Lines, wanted: Lines, keep: frozenset[str], fixed: frozenset[str] = frozenset()
    ) -> SearchResult:
        """The fewest lines beside `lines` with which `wanted` holds and `keep` stays.

        No line is found for a symbol in `fixed`, but what else is done may change it.
        """

    def members(self, lines: Lines, symbol: str) -> tuple[str, ...]:
        """The members of the symbol's choice that a .config would show; empty without a choice."""

    def line(self, symbol: str, value: str) -> LineAnswer:
        """What becomes of a line that the configuration has."""

    def effects(self, lines: Lines) -> tuple[SideEffect, ...]:
        """All that changes beside the lines themselves."""

    def lost(self, lines: Lines) -> tuple[SideEffect, ...]:
        """Of that, what users set and is off then."""


class TreeUse(NamedTuple):
    """The tree that proved a report: where it is, what it is, and what was taken for granted.

    `assumed` are (symbol or macro, value, where the value is from); with `ran` the tree's own
    questions to the tools of this machine were answered by running them.
    """

    path: str
    version: str
    arch: str
    ran: bool = False
    assumed: tuple[tuple[str, str, str], ...] = ()
    warnings: tuple[str, ...] = ()


class LineOutcome(Enum):
    """What becomes of a line of a fragment."""

    EFFECTIVE = "effective"
    ALREADY = "already so"
    DROPPED = "dropped"


class LineResult(NamedTuple):
    """One line: what it asks, what it comes to, why, and what would make it hold.

    `renamed` is the symbol's name in this tree, where it is another one; `with_others` says that it
    holds only once the remedies of the other lines are there beside its own, which may be empty.
    """

    symbol: str
    value: str
    location: Location
    outcome: LineOutcome
    result: str
    reason: str = ""
    remedy: tuple[Assignment, ...] = ()
    renamed: str = ""
    with_others: bool = False


class KconfigLine(NamedTuple):
    """A line of a Kconfig file, without its indentation."""

    text: str
    where: Location


class Definition(NamedTuple):
    """One of the places that define a symbol; `prompt` is empty where a user cannot set it.

    `depends` is all it depends on there, with what surrounds it; `lines` its own `depends on`.
    """

    where: Location
    prompt: str
    prompt_condition: str
    depends: str
    lines: tuple[KconfigLine, ...]


class Selector(NamedTuple):
    """A symbol that selects or implies another: under what condition, and how far it does now."""

    symbol: str
    condition: str
    now: str
    where: Location


class SymbolFacts(NamedTuple):
    """Of one symbol, in the present state of the tree.

    `visible` is n, m or y: how far a user may set it; `unmet` are the terms, of the prompt or else
    of the dependencies, that are n now. `depends` joins all definitions. `choice` are all members
    of the symbol's choice. `ranges` and `defaults` stand as `value if condition`.
    """

    name: str
    type: str
    value: str
    visible: str
    depends: str
    unmet: tuple[str, ...]
    definitions: tuple[Definition, ...]
    selected_by: tuple[Selector, ...]
    implied_by: tuple[Selector, ...]
    selects: tuple[str, ...]
    choice: tuple[str, ...]
    ranges: tuple[str, ...]
    defaults: tuple[str, ...]


def differ(old: str | None, new: str | None) -> bool:
    """Whether two values mean something else: a symbol that is hidden is as good as off."""
    return old != new and not (old in (None, "n") and new in (None, "n"))
