"""Machines at a glance as JSON (machine.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.evidence import Recommendation
from advisor.model.screen import Screen
from advisor.model.summary import Effort, Row
from advisor.output import Style, json
from advisor.output.encoding import Shapes, document, encoder, json_text
from advisor.record import NamedTuple

SCHEMA = "kernel-advisor/machine/v1"


def render(screens: Sequence[Screen], style: Style) -> str:
    """Return all machines as one document."""
    encoded = encoder(SHAPES)
    return json_text(document(SCHEMA, {"machines": encoded(screens)}))


def _traits(screen: Screen) -> list[dict[str, str]]:
    signs = screen.signs.signs
    return [{"trait": sign.name, "text": sign.text} for sign in signs if sign.kind == "trait"]


class _Fit(NamedTuple):
    """A profile that fits a machine, and whether an audit judges the machine by it."""

    fit: Recommendation
    audited: bool


SHAPES: Shapes = {
    **json.SHAPES,
    Screen: (
        "path=name|null release|null kernel facts=machine is=signs.machine|null",
        "told_by=signs.told_by|null system=signs.system|null",
        ("traits", _traits),
        ("fits", lambda screen: [_Fit(one, one.profile in screen.together) for one in screen.fits]),
        "differs=rows",
        ("efforts", lambda screen: {one.way: one for one in screen.efforts}),
        ("diagnostics", "error=errors warning=warnings"),
        "notes",
    ),
    _Fit: "fit* audited",
    Row: "profile areas=cells unknown",
    Effort: "due could",
}
"""What a document has of each record of a machine."""
