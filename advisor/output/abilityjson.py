"""What a kernel can run as JSON (can.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from advisor.model.kernel import KernelVersion
from advisor.model.rules import Source
from advisor.model.software import Abilities, Ability, Ask, Clash, Fix, Judged, Lack, Unasked
from advisor.output import Style
from advisor.output.abilitypage import sentence, settings, verdict
from advisor.output.encoding import Shapes, document, encoder, json_text

SCHEMA = "kernel-advisor/can/v1"


def render(abilities: Sequence[Abilities], style: Style) -> str:
    """Return what all kernels can run as one document; the same input gives the same bytes."""
    return json_text(document(SCHEMA, {"kernels": _encoded(abilities)}))


_SHAPES: Shapes = {
    Abilities: ("name kernel arch|null programs failed clashes", ("line", verdict)),
    Clash: "symbol asks",
    Ask: "program function on why",
    KernelVersion: attrgetter("text"),
    Ability: (
        "id=program.id title=program.title version read=program.version asked answer modules",
        ("line", sentence),
        "functions obsolete",
    ),
    Judged: (
        "id=function.id title=function.title kind=function.kind answer lacks modules inputs",
        "why=function.why instead=function.instead sources=function.sources",
    ),
    Lack: "part missing fix",
    Fix: ("lines words drop", ("settings", settings), "why hidden unproven"),
    Unasked: "names after why",
    Source: "kind url note",
}
"""What a document has of each record."""
_encoded = encoder(_SHAPES)
