"""What reports come to in numbers: by profile and area, and by effort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from advisor.model.finding import Finding, Verdict
from advisor.model.profile import Strength
from advisor.model.remedy import RemedyKind
from advisor.model.report import Report
from advisor.record import NamedTuple


class Cell(NamedTuple):
    """How many tunables of an area a profile wants otherwise, by the strength of its advice."""

    area: str
    must: int = 0
    should: int = 0
    could: int = 0

    @property
    def due(self) -> int:
        """How many must or should change."""
        return self.must + self.should


class Row(NamedTuple):
    """A profile, with the areas in which something differs, sorted; how many tunables it could not
    be judged on."""

    profile: str
    cells: tuple[Cell, ...]
    unknown: int = 0


class Effort(NamedTuple):
    """How many of the changes that the profiles which go together ask for are made in one way:
    `now`, at the next `boot`, by a `rebuild`, or by `none` that is known. Those that could be made
    are apart from those that must or should."""

    way: str
    due: int
    could: int


def row(report: Report, profile: str) -> Row:
    """What one of the report's profiles asks for, by area."""
    findings = [f for f in report.findings if f.advice.profile == profile]
    counts = Counter((f.tunable.area, f.advice.strength) for f in _changes(findings))
    unknown = {
        f.tunable.id for f in findings if f.verdict is Verdict.UNKNOWN and not f.runtime_only
    }
    return Row(
        profile,
        tuple(
            Cell(area, *(counts[area, strength] for strength in Strength))
            for area in sorted({area for area, _ in counts})
        ),
        len(unknown),
    )


def efforts(report: Report) -> tuple[Effort, ...]:
    """The changes that all profiles of the report ask for, each tunable once, by the least
    invasive remedy of each."""
    counts = Counter(
        (f.remedies[0].kind if f.remedies else None, f.advice.strength is Strength.COULD)
        for f in _changes(report.findings)
    )
    return tuple(
        Effort(kind.effort if kind else "none", counts[kind, False], counts[kind, True])
        for kind in (*RemedyKind, None)
    )


def _changes(findings: Iterable[Finding]) -> list[Finding]:
    """What should change, the strongest advice on each tunable."""
    found: dict[str, Finding] = {}
    for finding in sorted(findings, key=lambda finding: finding.advice.strength.rank):
        if finding.verdict is Verdict.CHANGE and not finding.waived:
            found.setdefault(finding.tunable.id, finding)
    return list(found.values())
