"""Machines at a glance as JSON (machine.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.model.screen import Screen
from advisor.output import Style
from advisor.output.fits import as_json
from advisor.output.json import document, fields, text

SCHEMA = "kernel-advisor/machine/v1"


def render(screens: Sequence[Screen], style: Style) -> str:
    """All of them as one document."""
    return text(document(SCHEMA, machines=list(map(_screen, screens))))


def _screen(screen: Screen) -> dict[str, Any]:
    signs = screen.signs
    return {
        "path": screen.name or None,
        "release": screen.release or None,
        "kernel": screen.kernel.text if screen.kernel else None,
        "facts": screen.machine._asdict(),
        "is": signs.machine or None,
        "told_by": signs.told_by or None,
        "system": signs.system or None,
        "traits": [
            {"trait": sign.name, "text": sign.text} for sign in signs.signs if sign.kind == "trait"
        ],
        "fits": [
            {**as_json(one), "audited": one.profile in screen.together} for one in screen.fits
        ],
        "differs": [
            {
                "profile": row.profile,
                "areas": [fields(cell, "area", "must", "should", "could") for cell in row.cells],
                "unknown": row.unknown,
            }
            for row in screen.rows
        ],
        "efforts": {one.way: {"due": one.due, "could": one.could} for one in screen.efforts},
        "diagnostics": {"error": screen.errors, "warning": screen.warnings},
        "notes": list(screen.notes),
    }
