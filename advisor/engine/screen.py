"""A host's screen: the recommended profiles, and the reports on them in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from advisor.model.evidence import Signs
from advisor.model.kernel import Severity
from advisor.model.report import Report
from advisor.model.screen import Screen
from advisor.model.summary import efforts, row

_ABOUT_READING = "host-"


def screen(
    release: str,
    together: Report,
    alone: Iterable[Report],
    signs: Signs,
    unread: Iterable[str] = (),
) -> Screen:
    """Return a host's screen from the report on the profiles that go together and the report on
    each one that is shown alone. `unread` are sentences on signs that could not be read."""
    open_ones = [d for d in together.diagnostics if not d.waived]
    severities = Counter(d.severity for d in open_ones)
    read = (d.message for d in open_ones if d.id.startswith(_ABOUT_READING))
    # The diagnostic that the next boot is judged instead says so as well.
    asleep = ""
    if not release and not any(d.id == "host-not-running" for d in open_ones):
        asleep = "these files are not of a running system: run-time settings are not known"
    return Screen(
        name=together.name,
        release=release,
        kernel=together.kernel,
        machine=together.machine,
        signs=signs,
        fits=together.recommended,
        together=tuple(profile.id for profile in together.profiles),
        rows=tuple(row(report, report.profiles[0].id) for report in alone),
        efforts=efforts(together),
        errors=severities[Severity.ERROR],
        warnings=severities[Severity.WARNING],
        notes=tuple(filter(None, (asleep, signs.place, *read, *unread))),
        report=together,
    )


def shown(report: Report, most: int) -> list[str]:
    """Return the profiles that a screen shows, at most `most`; those that go together first."""
    together = [profile.id for profile in report.profiles]
    others = [one.profile for one in report.recommended if one.profile not in together]
    return [*together, *others][:most]
