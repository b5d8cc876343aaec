"""A review of two revisions: each changed file, and what the change means."""

from __future__ import annotations

from enum import Enum

from advisor.errors import InputError
from advisor.model.comparison import Comparison
from advisor.model.finding import Diagnostic
from advisor.model.kernel import Machine
from advisor.model.lines import Edit
from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.record import NamedTuple


class Entry(NamedTuple):
    """One changed file. `report` is that on the new side, `comparison` what the change means where
    there are two sides; `problem` is why there is neither.

    `note` says what is taken for granted, or why nothing was judged; `edits` are the changes of its
    lines that close what is open.
    """

    path: str
    old_path: str
    status: str
    kind: str
    report: Report | None = None
    note: str = ""
    problem: InputError | None = None
    comparison: Comparison | None = None
    edits: tuple[Edit, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether it counts for --fail-on: what a change makes worse, or all of a new file."""
        if self.comparison:
            return self.comparison.failed
        return bool(self.report and self.report.failed)


class Standing(Enum):
    """Whether what a change says of its own judgement counts, and why."""

    FIRST = "first"
    """The base has no settings: the new ones count once they are part of it."""
    HARMLESS = "harmless"
    """Nothing less fails by it."""
    OPEN = "open"
    """Less may fail by it, and nobody else accepted that."""
    ACCEPTED = "accepted"
    """Less may fail by it, and its digest was accepted outside of the change: it counts."""


class SettingsChange(NamedTuple):
    """What a change does to what it is judged by: settings, waivers, rules, profiles, baseline.

    `items` says it, a diagnostic each (`more` were too many to tell); `digest` stands for exactly
    this change. `own` is what the change comes to when it is judged by its own, and empty where
    that is not another question.
    """

    path: str
    standing: Standing
    items: tuple[Diagnostic, ...]
    more: int = 0
    digest: str = ""
    own: str = ""
    failed: bool = False

    @property
    def report(self) -> Report:
        """For formats that know reports alone: the settings file as what is judged."""
        nothing = Report(
            self.path, None, Machine(), False, None, (), (), self.items, (), Plan(), self.failed
        )
        fail_on = frozenset(("error",) if self.failed else ())
        return nothing._replace(path=self.path, fail_on=fail_on)


class Review(NamedTuple):
    """All that an output shows of a review; `base` and `head` are as the user named them.

    `local` is the change of a work tree. `policy` is what the change does to what it is judged by;
    with `trusts_head` it was judged by its own.
    """

    base: str
    head: str
    entries: tuple[Entry, ...]
    marker: str = ""
    local: bool = False
    policy: SettingsChange | None = None
    trusts_head: bool = False

    @property
    def reports(self) -> list[Report]:
        """Those of the new sides, for formats that know nothing of two sides."""
        own = [self.policy.report] if self.policy else []
        return own + [entry.report for entry in self.entries if entry.report]

    @property
    def failed(self) -> bool:
        """Whether the run fails, for a file's sake or that of the change's own policy."""
        return bool(self.policy and self.policy.failed) or any(e.failed for e in self.entries)

    @property
    def exit_code(self) -> int:
        """3 if a side cannot be read, 1 if one fails, else 0."""
        if any(entry.problem for entry in self.entries):
            return InputError.exit_code
        return 1 if self.failed else 0
