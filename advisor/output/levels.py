"""The one table of grades: what other programs call what a finding or diagnostic comes to.

`make golden` writes it into docs/formats.md.
"""

from __future__ import annotations

from advisor.record import NamedTuple

FAILURE = "failure"


class Level(NamedTuple):
    """A grade for SARIF, as a command of GitHub, as a severity of GitLab, and for JUnit.

    The outcome for JUnit is that of a grade which --fail-on does not name. What is empty is not
    shown.
    """

    sarif: str
    github: str
    gitlab: str
    junit: str


LEVELS = {
    "conflict": Level("error", "error", "critical", FAILURE),
    "must": Level("error", "error", "critical", "passed"),
    "error": Level("error", "error", "critical", "passed"),
    "should": Level("warning", "warning", "major", "passed"),
    "warning": Level("warning", "warning", "major", "passed"),
    "could": Level("note", "notice", "minor", "passed"),
    "note": Level("note", "notice", "minor", "passed"),
    "blocked": Level("note", "notice", "info", "skipped"),
    "unknown": Level("", "", "", "skipped"),
}
"""By grade, the gravest first: those of findings, of diagnostics, and profiles in conflict."""

RANK = {grade: rank for rank, grade in enumerate(LEVELS)}


def outcome(grade: str, fail_on: frozenset[str]) -> str:
    """Return the outcome of a test case of the grade: it fails if the run fails because of it."""
    return FAILURE if grade in fail_on else LEVELS[grade].junit
