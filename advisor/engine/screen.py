"""A host's reports in numbers: by profile and area, and by effort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from advisor.model.evidence import Signs
from advisor.model.kernel import Severity
from advisor.model.report import Finding, RemedyKind, Report, Verdict
from advisor.model.rules import Strength
from advisor.model.screen import Cell, Effort, Row, Screen

_ABOUT_READING = "host-"


def screen(
    release: str,
    together: Report,
    alone: Iterable[Report],
    signs: Signs,
    unread: Iterable[str] = (),
) -> Screen:
    """A host's screen, of the report on the profiles that go together and one on each that is
    shown alone. `unread` are sentences on what could not be read of its signs."""
    open_ones = [d for d in together.diagnostics if not d.waived]
    severities = Counter(d.severity for d in open_ones)
    read = (d.message for d in open_ones if d.id.startswith(_ABOUT_READING))
    asleep = "" if release else "no kernel runs there: what is set at run time is not known"
    return Screen(
        name=together.name,
        release=release,
        kernel=together.kernel,
        machine=together.machine,
        signs=signs,
        fits=together.recommended,
        together=tuple(profile.id for profile in together.profiles),
        rows=tuple(map(_row, alone)),
        efforts=_efforts(_changes(together)),
        errors=severities[Severity.ERROR],
        warnings=severities[Severity.WARNING],
        notes=tuple(filter(None, (asleep, signs.place, *read, *unread))),
    )


def shown(report: Report, most: int) -> list[str]:
    """The profiles that a screen shows, those first that go together; at most so many."""
    together = [profile.id for profile in report.profiles]
    others = [one.profile for one in report.recommended if one.profile not in together]
    return [*together, *others][:most]


def _changes(report: Report) -> list[Finding]:
    """What should change, the strongest advice on each tunable."""
    found: dict[str, Finding] = {}
    for finding in sorted(report.findings, key=lambda finding: finding.advice.strength.rank):
        if finding.verdict is Verdict.CHANGE and not finding.waived:
            found.setdefault(finding.tunable.id, finding)
    return list(found.values())


def _row(report: Report) -> Row:
    counts = Counter((f.tunable.area, f.advice.strength) for f in _changes(report))
    unknown = {
        f.tunable.id for f in report.findings if f.verdict is Verdict.UNKNOWN and not f.runtime_only
    }
    return Row(
        report.profiles[0].id,
        tuple(
            Cell(area, *(counts[area, strength] for strength in Strength))
            for area in sorted({area for area, _ in counts})
        ),
        len(unknown),
    )


_WAYS = {
    RemedyKind.RUNTIME: "now",
    RemedyKind.BOOT: "boot",
    RemedyKind.REBUILD: "rebuild",
    None: "none",
}


def _efforts(changes: Iterable[Finding]) -> tuple[Effort, ...]:
    """By the least invasive remedy of each."""
    counts = Counter(
        (f.remedies[0].kind if f.remedies else None, f.advice.strength is Strength.COULD)
        for f in changes
    )
    return tuple(
        Effort(way, counts[kind, False], counts[kind, True]) for kind, way in _WAYS.items()
    )
