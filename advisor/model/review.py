"""A review of two revisions: each changed file, and what the change means."""

from __future__ import annotations

from advisor.errors import InputError
from advisor.model.comparison import Comparison
from advisor.model.report import Report
from advisor.record import NamedTuple


class Entry(NamedTuple):
    """One changed file. `report` is that on the new side, `comparison` what the change means where
    there are two sides; `problem` is why there is neither.

    `note` says what is taken for granted, or why nothing was judged.
    """

    path: str
    old_path: str
    status: str
    kind: str
    report: Report | None = None
    note: str = ""
    problem: InputError | None = None
    comparison: Comparison | None = None

    @property
    def failed(self) -> bool:
        """Whether it counts for --fail-on: what a change makes worse, or all of a new file."""
        if self.comparison:
            return self.comparison.failed
        return bool(self.report and self.report.failed)


class Review(NamedTuple):
    """All that an output shows of a review; `base` and `head` are as the user named them."""

    base: str
    head: str
    entries: tuple[Entry, ...]
    marker: str = ""

    @property
    def reports(self) -> list[Report]:
        """Those of the new sides, for formats that know nothing of two sides."""
        return [entry.report for entry in self.entries if entry.report]

    @property
    def exit_code(self) -> int:
        """3 if a side cannot be read, 1 if one fails, else 0."""
        if any(entry.problem for entry in self.entries):
            return InputError.exit_code
        return 1 if any(entry.failed for entry in self.entries) else 0
