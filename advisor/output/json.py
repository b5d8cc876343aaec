"""Reports as JSON (report.schema.json)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from advisor.model.evidence import Recommendation
from advisor.model.finding import Against, Conflict, Diagnostic, Finding, Package, Verdict, Waiver
from advisor.model.kernel import NOTHING_INFERRED, KernelVersion, Location, Severity
from advisor.model.profile import Advice, Profile, Strength
from advisor.model.remedy import Change, Remedy, Setting
from advisor.model.report import Report, Size
from advisor.model.rules import Source
from advisor.model.state import Origin, State
from advisor.model.tree import SideEffect, TreeUse
from advisor.model.tunable import Tunable
from advisor.output import Style, phrases
from advisor.output.encoding import Shapes, document, encoder, json_text, rows
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.measured import Ledger, Measured

SCHEMA = "kernel-advisor/report/v1"


class _Member(NamedTuple):
    """A member of a group, with the line that makes it so."""

    symbol: str
    origin: Origin


class _Way(NamedTuple):
    """A remedy, with the tunable that it sets."""

    remedy: Remedy
    tunable: Tunable


class _Side(NamedTuple):
    """A side of a conflict: the advice, and what it wants in words."""

    advice: Advice
    wanted: str


def render(reports: Sequence[Report], style: Style) -> str:
    """Return all reports as one document; the same input gives the same bytes."""
    return json_text(document(SCHEMA, {"reports": list(map(report_data, reports))}))


def report_data(report: Report) -> dict[str, Any]:
    """Return one report as data."""
    data: dict[str, Any] = _encoded(report)
    for finding, found in zip(report.findings, data["findings"], strict=True):
        practice = report.practice.get(finding.tunable.id)
        found["practice"] = practice.text if practice else ""
    return data


def _changes(report: Report) -> dict[str, int]:
    """Count the changes that are asked for by strength; of each profile, also the same ones."""
    counts = Counter(
        finding.advice.strength
        for finding in report.findings
        if finding.verdict is Verdict.CHANGE and not finding.waived and not finding.runtime_only
    )
    return {strength.value: counts[strength] for strength in Strength}


def _verdicts(report: Report) -> dict[str, int]:
    counts = Counter(finding.verdict.in_v1 for finding in report.findings)
    return {verdict.in_v1: counts[verdict.in_v1] for verdict in Verdict}


def _severities(report: Report) -> dict[str, int]:
    counts = Counter(diagnostic.severity for diagnostic in phrases.diagnostics(report))
    return {severity.value: counts[severity] for severity in Severity}


def _inferred(report: Report) -> dict[str, str | None]:
    """Return what the symbols show of a kernel whose header does not; nothing if that was known."""
    if report.inferred == NOTHING_INFERRED:
        return {}
    symbol, after, before, vendor = report.inferred
    data = {
        "arch_by": symbol or None,
        "newer_than": after.text if after else None,
        "older_than": before.text if before else None,
    }
    return {**data, "vendor_by": vendor} if vendor else data


def _instances(state: State) -> list[dict[str, Any]]:
    """Return how many instances have each value, if they differ; of disks also of which kind."""
    if state.counts and state.kinds:
        return [{"value": of.value, "count": of.number, "kind": of.kind} for of in state.kinds]
    return [{"value": value, "count": count} for value, count in state.counts]


def ways(finding: Finding) -> list[_Way]:
    """Return the remedies of a finding, as documents show them."""
    return [_Way(remedy, finding.tunable) for remedy in finding.remedies]


def costs(records: Ledger | tuple[Measured, ...] | None) -> Any:
    """Return what was measured as data; None of nothing."""
    if not records:
        return None
    from advisor.output.ledgerjson import encoded

    return encoded(records)


SUBJECT = "path=name kernel complete cmdline machine"
"""What a document has of a report or a side of a comparison."""
DIAGNOSTIC = "id subject severity location* message remedy source waived"

SHAPES: Shapes = {
    Report: (
        ("subject", (SUBJECT, ("inferred?", _inferred), "merged?")),
        "profiles proof tree failed",
        (
            "summary",
            (
                ("change", _changes),
                ("verdicts", _verdicts),
                ("diagnostics", _severities),
                ("line", phrases.verdict_line),
            ),
        ),
        "findings diagnostics conflicts side_effects=plan.effects hardened? recommended?",
        ("costs?", lambda report: costs(report.ledger)),
        "sizes?",
        ("in_use?", lambda report: dict(report.in_use)),
        "built_in?",
    ),
    Finding: (
        "id fingerprint verdict=verdict.in_v1 covered_by? strength=advice.strength",
        "stance=advice.stance profile=advice.profile tunable state now wanted why=advice.why",
        "cost reason missing runtime_only",
        ("practice", lambda finding: ""),  # of the report
        ("remedies", ways),
        "package? sources=advice.sources waived against?",
        ("needed_by?", lambda finding: [one.key for one in finding.advice.needed_by]),
        ("uncapped?", lambda finding: finding.against and finding.uncapped),
    ),
    Tunable: "id title area",
    State: (
        "effective compiled boot runtime origins",
        ("on", lambda state: [_Member(*one) for one in state.on]),
        ("off", lambda state: [_Member(*one) for one in state.off]),
        ("instances?", _instances),
    ),
    _Member: "symbol origin*",
    Origin: "layer text by? location*",
    Location: "path line|null column|null",
    _Way: (
        "kind=remedy.kind",
        ("text", lambda way: phrases.instruction(*way)),
        "value=remedy.value settings=remedy.settings words=remedy.words drop=remedy.drop",
        "changes=remedy.changes",
        ("needs", lambda way: [change.symbol for change in way.remedy.needs]),
        ("takes_away", lambda way: [change.symbol for change in way.remedy.takes_away]),
        "left=remedy.left beside=remedy.beside lasts=remedy.lasts held=remedy.held?",
        ("loses", lambda way: [{"symbol": one.symbol, "why": one.why} for one in way.remedy.lost]),
        "vendor=remedy.vendor|null",
    ),
    Setting: "layer key value instances",
    Change: "symbol from=old to=new role",
    Source: "kind ref kernel|null url",
    Package: "distribution install",
    Waiver: "rule reason owner expires baseline location",
    Against: "setting why by=who sources",
    Diagnostic: f"{DIAGNOSTIC} fingerprint",
    Conflict: (
        "tunable=subject title",
        ("sides", lambda conflict: [_Side(*side) for side in conflict.sides]),
    ),
    _Side: "profile=advice.profile advice=advice.id wanted why=advice.why",
    SideEffect: "kind symbol from=old to=new why",
    TreeUse: (
        "path version arch ran",
        ("assumed", rows("assumed", "subject", "value", "source")),
        "warnings",
    ),
    Recommendation: "profile clear weight reasons",
    Size: (
        "tunable=tunable.id",
        ("now", lambda size: size.state.describe(size.tunable)),
        ("computed_from", lambda size: dict(size.computed)),
    ),
    KernelVersion: attrgetter("text"),
    Profile: attrgetter("id"),
}
"""What a document has of each record of a report."""

_encoded = encoder(SHAPES)
