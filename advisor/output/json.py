"""The report as JSON, in a versioned form of its own (report.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from advisor import __version__
from advisor.model.kernel import Location, Severity
from advisor.model.report import (
    Change,
    Conflict,
    Diagnostic,
    Finding,
    Origin,
    Remedy,
    Report,
    Setting,
    Verdict,
    Waiver,
)
from advisor.model.rules import Source, Strength, Tunable
from advisor.model.tree import SideEffect, TreeUse
from advisor.output import Style, phrases

SCHEMA = "kernel-advisor/report/v1"


def render(reports: Sequence[Report], style: Style) -> str:
    """All reports as one document; the same input gives the same bytes."""
    document = {
        "schema": SCHEMA,
        "tool": {"name": "kernel-advisor", "version": __version__},
        "reports": [_report(report) for report in reports],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _report(report: Report) -> dict[str, Any]:
    return {
        "subject": {
            "path": report.name,
            "kernel": report.kernel.text if report.kernel else None,
            "complete": report.complete,
            "cmdline": report.cmdline,
            "machine": report.machine._asdict(),
        },
        "profiles": [profile.id for profile in report.profiles],
        "proof": report.proof,
        "tree": tree_use(report.tree),
        "failed": report.failed,
        "summary": _summary(report),
        "findings": [_finding(finding, report) for finding in report.findings],
        "diagnostics": [
            {**diagnostic_json(item), "fingerprint": item.fingerprint}
            for item in report.diagnostics
        ],
        "conflicts": [_conflict(conflict) for conflict in report.conflicts],
        "side_effects": side_effects(report.plan.effects),
    }


def tree_use(use: TreeUse | None) -> dict[str, Any] | None:
    """The tree of a proof, and what was taken for granted."""
    if use is None:
        return None
    assumed = [{"subject": s, "value": value, "source": source} for s, value, source in use.assumed]
    return {**use._asdict(), "assumed": assumed, "warnings": list(use.warnings)}


def side_effects(effects: Iterable[SideEffect] | None) -> list[dict[str, Any]] | None:
    """What a plan changes without naming it; None where no plan was made, or no tree told."""
    if effects is None:
        return None
    return [
        {"kind": e.kind.value, "symbol": e.symbol, "from": e.old, "to": e.new, "why": e.why}
        for e in effects
    ]


def _summary(report: Report) -> dict[str, Any]:
    changes = phrases.of(report, Verdict.CHANGE)
    return {
        "change": {s.value: sum(f.advice.strength is s for f in changes) for s in Strength},
        "verdicts": {v.value: sum(f.verdict is v for f in report.findings) for v in Verdict},
        "diagnostics": {
            s.value: sum(d.severity is s for d in phrases.diagnostics(report)) for s in Severity
        },
        "line": phrases.verdict_line(report),
    }


def _finding(finding: Finding, report: Report) -> dict[str, Any]:
    advice, tunable, state = finding.advice, finding.tunable, finding.state
    return {
        "id": finding.id,
        "fingerprint": finding.fingerprint,
        "verdict": finding.verdict.value,
        "strength": advice.strength.value,
        "stance": advice.stance.value,
        "profile": advice.profile,
        "tunable": {"id": tunable.id, "title": tunable.title, "area": tunable.area},
        "state": {
            "effective": list(state.effective),
            "compiled": list(state.compiled),
            "boot": list(state.boot),
            "runtime": list(state.runtime),
            "origins": [origin_json(origin) for origin in state.origins],
            "on": [{"symbol": symbol, **origin_json(origin)} for symbol, origin in state.on],
            "off": [{"symbol": symbol, **origin_json(origin)} for symbol, origin in state.off],
        },
        "now": finding.now,
        "wanted": finding.wanted,
        "why": advice.why,
        "cost": finding.cost,
        "reason": finding.reason,
        "missing": sorted(finding.missing),
        "runtime_only": finding.runtime_only,
        "practice": report.practice.get(tunable.id, ""),
        "remedies": [remedy_json(remedy, tunable) for remedy in finding.remedies],
        "sources": [source_json(source) for source in advice.sources],
        "waived": waiver_json(finding.waived),
    }


def waiver_json(waiver: Waiver | None) -> dict[str, Any] | None:
    """What accepts a finding, if anything does."""
    if waiver is None:
        return None
    told = {key: getattr(waiver, key) for key in ("rule", "reason", "owner", "expires", "baseline")}
    return {**told, "location": _location(waiver.location)}


def _location(location: Location) -> dict[str, Any]:
    return {"path": location.path, "line": location.line or None, "column": location.column or None}


def origin_json(origin: Origin) -> dict[str, Any]:
    """What makes a setting so, and where."""
    return {"layer": origin.layer.value, "text": origin.text, **_location(origin.location)}


def remedy_json(remedy: Remedy, tunable: Tunable) -> dict[str, Any]:
    """A way to the wanted value: the sentence, and the data that it is made from."""
    return {
        "kind": remedy.kind.value,
        "text": phrases.instruction(remedy, tunable),
        "value": remedy.value,
        "settings": [_setting(setting) for setting in remedy.settings],
        "words": list(remedy.words),
        "drop": list(remedy.drop),
        "changes": [_change(change) for change in remedy.changes],
        "needs": [change.symbol for change in remedy.needs],
        "takes_away": [change.symbol for change in remedy.takes_away],
        "left": list(remedy.left),
        "beside": remedy.beside,
        "lasts": remedy.lasts,
    }


def _setting(setting: Setting) -> dict[str, str]:
    return {
        "layer": setting.layer,
        "key": setting.key,
        "value": setting.value,
        "instances": setting.instances.value,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "symbol": change.symbol,
        "from": change.old,
        "to": change.new,
        "role": change.role.value,
    }


def source_json(source: Source) -> dict[str, Any]:
    """Where a fact can be checked."""
    return {
        "kind": source.kind,
        "ref": source.ref,
        "kernel": source.kernel or None,
        "url": source.url,
    }


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A problem of the inputs, and where."""
    return {
        "id": diagnostic.id,
        "subject": diagnostic.subject,
        "severity": diagnostic.severity.value,
        **_location(diagnostic.location),
        "message": diagnostic.message,
        "remedy": diagnostic.remedy,
        "source": diagnostic.source,
        "waived": waiver_json(diagnostic.waived),
    }


def _conflict(conflict: Conflict) -> dict[str, Any]:
    sides = [
        {"profile": advice.profile, "advice": advice.id, "wanted": wanted, "why": advice.why}
        for advice, wanted in conflict.sides
    ]
    return {"tunable": conflict.subject, "title": conflict.title, "sides": sides}
