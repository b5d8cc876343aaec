"""The report as JSON, in a versioned form of its own (report.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from advisor import __version__
from advisor.model.kernel import NOTHING_INFERRED, Location, Severity
from advisor.model.report import (
    Conflict,
    Diagnostic,
    Finding,
    Hardened,
    Origin,
    Remedy,
    Report,
    State,
    Verdict,
    Waiver,
)
from advisor.model.rules import Source, Strength, Tunable
from advisor.model.tree import SideEffect, TreeUse
from advisor.output import Style, phrases

if TYPE_CHECKING:
    from advisor.model.comparison import Side

SCHEMA = "kernel-advisor/report/v1"


def render(reports: Sequence[Report], style: Style) -> str:
    """All reports as one document; the same input gives the same bytes."""
    return text(document(SCHEMA, reports=list(map(report_json, reports))))


def document(schema: str, **parts: Any) -> dict[str, Any]:
    """The parts of a document behind the name of its schema, and what made it."""
    return {"schema": schema, "tool": {"name": "kernel-advisor", "version": __version__}, **parts}


def text(document: Any) -> str:
    """A document as it is written."""
    # ASCII alone (json's default): a path may hold bytes that are no UTF-8, which json then writes
    # as the surrogates that Python has for them, and every reader takes.
    return json.dumps(document, indent=2) + "\n"


def fields(record: object, *names: str) -> dict[str, Any]:
    """Those fields of a record by their names, of an Enum its value; json makes tuples lists."""
    values = ((name, getattr(record, name)) for name in names)
    return {name: one.value if isinstance(one, Enum) else one for name, one in values}


def report_json(report: Report) -> dict[str, Any]:
    """One report."""
    # Of each profile, also where several say the same.
    changes = [
        f for f in report.findings
        if f.verdict is Verdict.CHANGE and not f.waived and not f.runtime_only
    ]  # fmt: skip
    open_ones = phrases.diagnostics(report)
    return {
        "subject": {**subject_json(report), **_shown_by(report)},
        "profiles": [profile.id for profile in report.profiles],
        "proof": report.proof,
        "tree": tree_use(report.tree),
        "failed": report.failed,
        "summary": {
            "change": {s.value: sum(f.advice.strength is s for f in changes) for s in Strength},
            "verdicts": _verdicts(report.findings),
            "diagnostics": {s.value: sum(d.severity is s for d in open_ones) for s in Severity},
            "line": phrases.verdict_line(report),
        },
        "findings": [_finding(finding, report) for finding in report.findings],
        "diagnostics": [
            {**diagnostic_json(item), "fingerprint": item.fingerprint}
            for item in report.diagnostics
        ],
        "conflicts": [_conflict(conflict) for conflict in report.conflicts],
        "side_effects": side_effects(report.plan.effects),
        **_hardened(report.hardened),
        **_recommended(report),
        **_ledger(report),
        **_sizes(report),
        **({"in_use": dict(report.in_use)} if report.in_use else {}),
        **({"built_in": report.built_in} if report.built_in else {}),
    }


def _verdicts(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings are of each verdict."""
    counts = dict.fromkeys((verdict.in_v1 for verdict in Verdict), 0)
    for finding in findings:
        counts[finding.verdict.in_v1] += 1
    return counts


def _recommended(report: Report) -> dict[str, Any]:
    """What fits a host, where nobody named a profile."""
    if not report.recommended:
        return {}
    from advisor.output.fits import as_json

    return {"recommended": list(map(as_json, report.recommended))}


def _sizes(report: Report) -> dict[str, Any]:
    """What the profiles leave to the site, where they do."""
    sizes = [
        {
            "tunable": size.tunable.id,
            "now": size.state.describe(size.tunable),
            "computed_from": dict(size.computed),
        }
        for size in report.sizes
    ]
    return {"sizes": sizes} if sizes else {}


def _ledger(report: Report) -> dict[str, Any]:
    """What was measured of all that is on, where that was asked for."""
    if report.ledger is None:
        return {}
    from advisor.output.costjson import ledger_json

    return {"costs": ledger_json(report.ledger)}


def _hardened(item: Hardened | None) -> dict[str, Any]:
    """That the subject is hardened as a whole, where it is."""
    return {"hardened": fields(item, "settings", "total")} if item else {}


def subject_json(subject: Report | Side) -> dict[str, Any]:
    """What was judged: a configuration, its boot line and machine."""
    return {
        "path": subject.name,
        "kernel": subject.kernel.text if subject.kernel else None,
        **fields(subject, "complete", "cmdline"),
        "machine": subject.machine._asdict(),
    }


def _shown_by(report: Report) -> dict[str, Any]:
    """What the symbols tell where no header does, and what was merged; nothing where none was."""
    shown: dict[str, Any] = {}
    if report.inferred != NOTHING_INFERRED:
        symbol, after, before, vendor = report.inferred
        shown["inferred"] = {
            "arch_by": symbol or None,
            "newer_than": after.text if after else None,
            "older_than": before.text if before else None,
        }
        if vendor:
            shown["inferred"]["vendor_by"] = vendor
    if report.merged:
        shown["merged"] = list(report.merged)
    return shown


def _counts(state: State) -> dict[str, Any]:
    """Of how many instances each value is, where they differ; of disks, by their kinds."""
    kinds = [{"value": of.value, "count": of.number, "kind": of.kind} for of in state.kinds]
    kinds = kinds if state.counts else []
    counts = kinds or [{"value": value, "count": count} for value, count in state.counts]
    return {"instances": counts} if counts else {}


def tree_use(use: TreeUse | None) -> dict[str, Any] | None:
    """The tree of a proof, and what was taken for granted."""
    if use is None:
        return None
    assumed = [{"subject": s, "value": value, "source": source} for s, value, source in use.assumed]
    return {**use._asdict(), "assumed": assumed}


def side_effects(effects: Iterable[SideEffect] | None) -> list[dict[str, Any]] | None:
    """What a plan changes without naming it; None where no plan was made, or no tree told."""
    if effects is None:
        return None
    return [
        {**fields(e, "kind", "symbol"), "from": e.old, "to": e.new, "why": e.why} for e in effects
    ]


def _finding(finding: Finding, report: Report) -> dict[str, Any]:
    advice, tunable, state = finding.advice, finding.tunable, finding.state
    return {
        **fields(finding, "id", "fingerprint"),
        "verdict": finding.verdict.in_v1,
        **(fields(finding, "covered_by") if finding.covered_by else {}),
        **fields(advice, "strength", "stance", "profile"),
        "tunable": fields(tunable, "id", "title", "area"),
        "state": {
            **fields(state, "effective", "compiled", "boot", "runtime"),
            "origins": [origin_json(origin) for origin in state.origins],
            "on": [{"symbol": symbol, **origin_json(origin)} for symbol, origin in state.on],
            "off": [{"symbol": symbol, **origin_json(origin)} for symbol, origin in state.off],
            **_counts(state),
        },
        **fields(finding, "now", "wanted"),
        "why": advice.why,
        **fields(finding, "cost", "reason"),
        "missing": sorted(finding.missing),
        "runtime_only": finding.runtime_only,
        "practice": told.text if (told := report.practice.get(tunable.id)) else "",
        "remedies": [remedy_json(remedy, tunable) for remedy in finding.remedies],
        "sources": [source_json(source) for source in advice.sources],
        "waived": waiver_json(finding.waived),
        **_against(finding),
    }


def _against(finding: Finding) -> dict[str, Any]:
    """What following the advice goes against, and how strong it is otherwise; nothing of most."""
    against = [
        {
            **fields(one, "setting", "why"),
            "by": one.who,
            "sources": [source_json(source) for source in one.sources],
        }
        for one in finding.against
    ]
    weaker = {"uncapped": finding.uncapped.value} if finding.uncapped else {}
    return {"against": against, **weaker} if against else {}


def waiver_json(waiver: Waiver | None) -> dict[str, Any] | None:
    """What accepts a finding, if anything does."""
    if waiver is None:
        return None
    return {
        **fields(waiver, "rule", "reason", "owner", "expires", "baseline"),
        "location": _location(waiver.location),
    }


def _location(location: Location) -> dict[str, Any]:
    return {"path": location.path, "line": location.line or None, "column": location.column or None}


def origin_json(origin: Origin) -> dict[str, Any]:
    """What makes a setting so, and where."""
    by = fields(origin, "by") if origin.by else {}
    return {**fields(origin, "layer", "text"), **by, **_location(origin.location)}


def remedy_json(remedy: Remedy, tunable: Tunable) -> dict[str, Any]:
    """A way to the wanted value: the sentence, and the data that it is made from."""
    return {
        "kind": remedy.kind.value,
        "text": phrases.instruction(remedy, tunable),
        "value": remedy.value,
        "settings": [fields(s, "layer", "key", "value", "instances") for s in remedy.settings],
        **fields(remedy, "words", "drop"),
        "changes": [
            {"symbol": c.symbol, "from": c.old, "to": c.new, "role": c.role.value}
            for c in remedy.changes
        ],
        "needs": [change.symbol for change in remedy.needs],
        "takes_away": [change.symbol for change in remedy.takes_away],
        **fields(remedy, "left", "beside", "lasts"),
        **(fields(remedy, "held") if remedy.held else {}),
        "loses": [{"symbol": one.symbol, "why": one.why} for one in remedy.lost],
        "vendor": remedy.vendor or None,
    }


def source_json(source: Source) -> dict[str, Any]:
    """Where a fact can be checked."""
    return {**fields(source, "kind", "ref", "kernel", "url"), "kernel": source.kernel or None}


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A problem of the inputs, and where."""
    return {
        **fields(diagnostic, "id", "subject", "severity"),
        **_location(diagnostic.location),
        **fields(diagnostic, "message", "remedy", "source"),
        "waived": waiver_json(diagnostic.waived),
    }


def _conflict(conflict: Conflict) -> dict[str, Any]:
    sides = [
        {"profile": advice.profile, "advice": advice.id, "wanted": wanted, "why": advice.why}
        for advice, wanted in conflict.sides
    ]
    return {"tunable": conflict.subject, "title": conflict.title, "sides": sides}
