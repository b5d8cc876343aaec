"""A comparison as JSON, in a versioned form of its own (diff.schema.json)."""

from __future__ import annotations

from typing import Any

from advisor.model.comparison import Comparison, LostDriver, Movement, Shift
from advisor.model.kernel import assignment
from advisor.model.lines import ChangedLine
from advisor.model.report import State
from advisor.output import Style, diffwords, json
from advisor.output.json import fields

SCHEMA = "kernel-advisor/diff/v1"


def render(comparison: Comparison, style: Style) -> str:
    """The document; the same input gives the same bytes."""
    return json.text(document(comparison))


def document(comparison: Comparison) -> dict[str, Any]:
    """The comparison with its schema, as data."""
    shifts = [shift for each in comparison.by_profile.values() for shift in each]
    return json.document(
        SCHEMA,
        old=json.subject_json(comparison.old),
        new=json.subject_json(comparison.new),
        profiles=[_profile(profile.id, comparison) for profile in comparison.profiles],
        proof=comparison.proof,
        tree=json.tree_use(comparison.tree),
        failed=comparison.failed,
        verdict=diffwords.verdict(comparison),
        settings=list(map(_movement, comparison.movements)),
        advice=list(map(_shift, shifts)),
        words=[{"word": word, "added": added} for word, added in comparison.words],
        run_time=[{"setting": one, "added": added} for one, added in comparison.run_time],
        appeared=list(map(json.diagnostic_json, comparison.appeared)),
        solved=list(map(json.diagnostic_json, comparison.solved)),
        renamed=[one._asdict() for one in comparison.renamed],
        symbols=[{**move._asdict(), "kind": move.kind.name.lower()} for move in comparison.symbols],
        choices=[one._asdict() for one in comparison.chosen_otherwise],
        hidden=comparison.hidden,
        unheld=[one._asdict() for one in comparison.unheld],
        lines=list(map(line, comparison.lines)),
        losses=[one._asdict() for one in comparison.losses],
        drivers=list(map(_driver, comparison.drivers)),
        devices_untold=comparison.devices_untold,
    )


def line(line: ChangedLine) -> dict[str, Any]:
    """The account of a changed line."""
    instead = line.instead
    return {
        **fields(line, "symbol"),
        **fields(line.location, "path", "line"),
        **fields(line, "old", "asked", "value"),
        "kind": line.kind.name.lower().replace("_", "-"),
        "why": line.why,
        "rule": line.rule or None,
        "instead": None if instead is None else [assignment(*pair) for pair in instead],
    }


def _profile(name: str, comparison: Comparison) -> dict[str, Any]:
    balance = diffwords.balance(comparison.by_profile[name])
    counts = {key: len(shifts) for key, shifts in balance._asdict().items()}
    return {
        "id": name,
        "status": balance.status,
        "line": diffwords.summary(balance, diffwords.calm(comparison)),
        **counts,
    }


def _driver(driver: LostDriver) -> dict[str, Any]:
    devices = [{"bus": one.bus, "ids": list(one.ids)} for one in driver.devices]
    return {**driver._asdict(), "devices": devices}


def _movement(movement: Movement) -> dict[str, Any]:
    tunable = movement.tunable
    return {
        "tunable": fields(tunable, "id", "title", "area"),
        "drift": diffwords.drift(movement.shifts),
        "old": _state(movement.old),
        "new": _state(movement.new),
        "was": diffwords.setting(tunable, movement.old),
        "now": diffwords.setting(tunable, movement.new),
        "members": [{"symbol": symbol, "on": on} for symbol, on in movement.changed],
        "because": movement.why,
        **_measured(movement),
    }


def _measured(movement: Movement) -> dict[str, Any]:
    """What was measured of the move; nothing of most."""
    if not movement.measured:
        return {}
    from advisor.output.costjson import record_json

    return {"measured": list(map(record_json, movement.measured))}


def _state(state: State | None) -> dict[str, Any] | None:
    if state is None:
        return None
    return {"effective": state.effective, "origins": list(map(json.origin_json, state.origins))}


def _shift(shift: Shift) -> dict[str, Any]:
    new = shift.new
    return {
        "id": new.id,
        "profile": new.advice.profile,
        "tunable": new.tunable.id,
        "strength": new.advice.strength.value,
        **fields(shift, "drift", "counts"),
        "verdict": {"old": shift.old.verdict.in_v1, "new": new.verdict.in_v1},
        "wanted": new.wanted,
        "why": new.advice.why,
        "cost": diffwords.cost(shift),
        "remedies": [json.remedy_json(one, new.tunable) for one in new.remedies],
        "sources": list(map(json.source_json, new.advice.sources)),
        "waived": json.waiver_json(new.waived),
    }
