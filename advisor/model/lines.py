"""The account of a changed line: what it asks for, what comes of it, and what to write instead."""

from __future__ import annotations

from enum import Enum

from advisor.model.kernel import Location, Severity
from advisor.record import NamedTuple


class LineKind(Enum):
    """What becomes of a line.

    `effective` is said by a tree alone, which keeps it; `exists` where the kernel has the symbol,
    and only a tree would tell whether Kconfig keeps the line; `void`: no prompt, so that no line
    sets it; `absent`: other kernels or architectures have it; `taken out`: a line that is there no
    more; `untold`: the kernel is not known, or lies between two that differ.
    """

    EFFECTIVE = "takes effect"
    EXISTS = "exists"
    ALREADY = "already so"
    RENAMED = "renamed"
    VOID = "no effect"
    DROPPED = "dropped"
    ABSENT = "not in this kernel"
    UNKNOWN = "unknown"
    TAKEN_OUT = "taken out"
    UNTOLD = "not told"


FAILING = (
    LineKind.RENAMED, LineKind.VOID, LineKind.DROPPED, LineKind.ABSENT, LineKind.UNKNOWN,
)  # fmt: skip
"""Kinds of lines that do not do what they say."""


class ChangedLine(NamedTuple):
    """One line about a symbol that somebody wrote; a value is None where none is shown.

    `old` is the value without the line, `asked` the line's, `value` what comes out as far as is
    known. `rule` is the id of the diagnostic that tells it, with its `severity` and `remedy`; it is
    empty where nothing is wrong. `instead` are the lines to write in its place: none at all where
    it is to be taken out, None where nobody knows. A line of a whole configuration, which Kconfig
    wrote, is not of a `fragment`.
    """

    symbol: str
    location: Location
    old: str | None
    asked: str | None
    value: str | None = None
    kind: LineKind = LineKind.UNTOLD
    why: str = ""
    instead: tuple[tuple[str, str], ...] | None = None
    rule: str = ""
    severity: Severity | None = None
    remedy: str = ""
    fragment: bool = True

    @property
    def fails(self) -> bool:
        """Whether it surely does not do what it says."""
        return self.severity is Severity.ERROR


class Edit(NamedTuple):
    """A line of a file, and the lines to write in its place: none where it is to be taken out.

    `rule` is the finding or diagnostic that asks for it.
    """

    path: str
    line: int
    was: str
    now: tuple[str, ...]
    rule: str
