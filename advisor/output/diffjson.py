"""A comparison as JSON, in a versioned form of its own (diff.schema.json)."""

from __future__ import annotations

import json
from typing import Any

from advisor import __version__
from advisor.model.comparison import Comparison, Movement, Shift, Side
from advisor.model.report import State
from advisor.output import Style, diffwords
from advisor.output.json import (
    diagnostic_json,
    origin_json,
    remedy_json,
    source_json,
    tree_use,
    waiver_json,
)

SCHEMA = "kernel-advisor/diff/v1"


def render(comparison: Comparison, style: Style) -> str:
    """The document; the same input gives the same bytes."""
    document = {
        "schema": SCHEMA,
        "tool": {"name": "kernel-advisor", "version": __version__},
        "old": _side(comparison.old),
        "new": _side(comparison.new),
        "profiles": [_profile(profile.id, comparison) for profile in comparison.profiles],
        "proof": comparison.proof,
        "tree": tree_use(comparison.tree),
        "failed": comparison.failed,
        "verdict": diffwords.verdict(comparison),
        "settings": [_movement(movement) for movement in comparison.movements],
        "advice": [_shift(s) for shifts in comparison.by_profile.values() for s in shifts],
        "words": [{"word": word, "added": added} for word, added in comparison.words],
        "appeared": [diagnostic_json(item) for item in comparison.appeared],
        "solved": [diagnostic_json(item) for item in comparison.solved],
        "renamed": [one._asdict() for one in comparison.renamed],
        "symbols": [
            {**move._asdict(), "kind": move.kind.name.lower()} for move in comparison.symbols
        ],
        "choices": [one._asdict() for one in comparison.chosen_otherwise],
        "hidden": comparison.hidden,
        "unheld": [one._asdict() for one in comparison.unheld],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _side(side: Side) -> dict[str, Any]:
    return {
        "path": side.name,
        "kernel": side.kernel.text if side.kernel else None,
        "complete": side.complete,
        "cmdline": side.cmdline,
        "machine": side.machine._asdict(),
    }


def _profile(name: str, comparison: Comparison) -> dict[str, Any]:
    found = diffwords.outcome(comparison.by_profile[name])
    counts = {key: len(getattr(found, key)) for key in ("worse", "open", "better", "unsure")}
    return {"id": name, "status": found.status, "line": diffwords.summary(found), **counts}


def _movement(movement: Movement) -> dict[str, Any]:
    tunable = movement.tunable
    return {
        "tunable": {"id": tunable.id, "title": tunable.title, "area": tunable.area},
        "drift": diffwords.drift(movement.shifts),
        "old": _state(movement.old),
        "new": _state(movement.new),
        "was": diffwords.said(tunable, movement.old),
        "now": diffwords.said(tunable, movement.new),
        "members": [{"symbol": symbol, "on": on} for symbol, on in movement.changed],
        "because": movement.why,
    }


def _state(state: State | None) -> dict[str, Any] | None:
    if state is None:
        return None
    origins = [origin_json(origin) for origin in state.origins]
    return {"effective": list(state.effective), "origins": origins}


def _shift(shift: Shift) -> dict[str, Any]:
    new = shift.new
    return {
        "id": new.id,
        "profile": new.advice.profile,
        "tunable": new.tunable.id,
        "strength": new.advice.strength.value,
        "drift": shift.drift.value,
        "counts": shift.counts,
        "verdict": {"old": shift.old.verdict.value, "new": new.verdict.value},
        "wanted": new.wanted,
        "why": new.advice.why,
        "cost": diffwords.cost(shift),
        "remedies": [remedy_json(one, new.tunable) for one in new.remedies],
        "sources": [source_json(one) for one in new.advice.sources],
        "waived": waiver_json(new.waived),
    }
