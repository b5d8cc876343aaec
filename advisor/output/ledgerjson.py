"""Ledgers as JSON (costs.schema.json), and what was measured as part of other documents."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from advisor.model.kernel import KernelVersion
from advisor.model.measured import Account, Charge, Lab, Ledger, Measured, Sum, Together, Window
from advisor.output import Style
from advisor.output.encoding import Shapes, document, encoder, json_text
from advisor.output.ledger import verdict

SCHEMA = "kernel-advisor/costs/v1"


def render(ledgers: Sequence[Ledger], style: Style) -> str:
    """Return all ledgers as one document; the same input gives the same bytes."""
    return json_text(document(SCHEMA, {"ledgers": encoded(ledgers)}))


SHAPES: Shapes = {
    Ledger: ("name kernel arch accounts", ("line", verdict)),
    KernelVersion: attrgetter("text"),
    Account: "kernel paid spared none open apart sums sums_checked=checks",
    Lab: "name release package arch",
    Charge: "record* title here other protects note",
    Measured: (
        "name tunable member windows none",
        ("boot", lambda record: _total(record.boot)),
        "memory",
        ("size", lambda record: _total(record.size)),
        "repeat",
    ),
    Window: "name without difference spread",
    Sum: "window difference tunables takes",
    Together: "name members windows repeat",
}
"""What a document has of each record of a ledger."""


def _total(window: Window | None) -> dict[str, float] | None:
    if window is None:
        return None
    return {"without": window.without, "difference": window.difference}


encoded = encoder(SHAPES)
