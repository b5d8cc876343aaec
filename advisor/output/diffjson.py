"""A comparison as JSON (diff.schema.json)."""

from __future__ import annotations

from itertools import chain
from typing import Any

from advisor.model.comparison import Comparison, Movement, Shift, Side, SymbolKind
from advisor.model.finding import Diagnostic
from advisor.model.kernel import assignment
from advisor.model.lines import ChangedLine, LineKind
from advisor.model.state import State
from advisor.output import Style, diffwords, json
from advisor.output.encoding import Shapes, document, encoder, json_text, rows

SCHEMA = "kernel-advisor/diff/v1"


def render(comparison: Comparison, style: Style) -> str:
    """Return the document; the same input gives the same bytes."""
    return json_text(comparison_document(comparison))


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison with its schema, as data."""
    return document(SCHEMA, encoder(SHAPES)(comparison))


def _profiles(comparison: Comparison) -> list[dict[str, Any]]:
    """Return what the comparison comes to for each profile."""
    balances = {p.id: diffwords.balance(comparison.by_profile[p.id]) for p in comparison.profiles}
    return [
        {
            "id": name,
            "status": balance.status,
            "line": diffwords.summary(balance, diffwords.calm(comparison)),
            **{drift: len(shifts) for drift, shifts in balance._asdict().items()},
        }
        for name, balance in balances.items()
    ]


def _name(kind: LineKind | SymbolKind) -> str:
    return kind.name.lower().replace("_", "-")


SHAPES: Shapes = {
    **json.SHAPES,
    Comparison: (
        "old new",
        ("profiles", _profiles),
        "proof tree failed",
        ("verdict", diffwords.verdict),
        "settings=movements",
        ("advice", lambda comparison: list(chain(*comparison.by_profile.values()))),
        ("words", rows("words", "word", "added")),
        ("run_time", rows("run_time", "setting", "added")),
        "appeared solved renamed symbols choices=chosen_otherwise hidden unheld lines losses",
        "drivers devices_untold",
    ),
    Side: json.SUBJECT,
    Movement: (
        "tunable",
        ("drift", lambda movement: diffwords.drift(movement.shifts)),
        "old new",
        ("was", lambda movement: diffwords.setting(movement.tunable, movement.old)),
        ("now", lambda movement: diffwords.setting(movement.tunable, movement.new)),
        ("members", rows("changed", "symbol", "on")),
        "because=why",
        ("measured?", lambda movement: json.costs(movement.measured)),
    ),
    State: "effective origins",
    Shift: (
        "id=new.id profile=new.advice.profile tunable=new.tunable.id strength=new.advice.strength",
        "drift counts",
        ("verdict", "old=old.verdict.in_v1 new=new.verdict.in_v1"),
        "wanted=new.wanted why=new.advice.why",
        ("cost", diffwords.cost),
        ("remedies", lambda shift: json.ways(shift.new)),
        "sources=new.advice.sources waived=new.waived",
    ),
    Diagnostic: json.DIAGNOSTIC,
    ChangedLine: (
        "symbol path=location.path line=location.line old asked value kind why rule|null",
        ("instead", lambda line: line.instead and [assignment(*pair) for pair in line.instead]),
    ),
    LineKind: _name,
    SymbolKind: _name,
}
"""What a document has of each record of a comparison, where that is not as in a report."""
