"""Ledgers as JSON, in a versioned form of its own (costs.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.measured import Ledger
from advisor.output import Style, json
from advisor.output.costjson import ledger_json

SCHEMA = "kernel-advisor/costs/v1"


def render(ledgers: Sequence[Ledger], style: Style) -> str:
    """All ledgers as one document; the same input gives the same bytes."""
    del style
    return json.text(json.document(SCHEMA, ledgers=list(map(ledger_json, ledgers))))
