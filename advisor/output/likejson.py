"""What a tuning does on one kernel as JSON (like.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from advisor.model.finding import Finding
from advisor.model.kernel import KernelVersion, Location
from advisor.model.like import Answered, Likeness, Tuning
from advisor.model.profile import Advice
from advisor.output import Style
from advisor.output.encoding import Shapes, document, encoder, json_text
from advisor.output.likepage import verdict

SCHEMA = "kernel-advisor/like/v1"


def render(likenesses: Sequence[Likeness], style: Style) -> str:
    """Return all tunings and kernels as one document; the same input gives the same bytes."""
    return json_text(document(SCHEMA, {"tunings": _encoded(likenesses)}))


_SHAPES: Shapes = {
    Likeness: (
        "tuning subject=name kernel arch|null profiles failed", ("line", verdict), "breaks",
        "entries left_out",
    ),
    Tuning: "name system files remarks",
    KernelVersion: attrgetter("text"),
    Answered: (
        "key=entry.key value=entry.value label=entry.label place=entry.place answer now read why",
        ("tunable", lambda one: one.tunable.id if one.tunable else None), "against",
    ),
    Advice: "profile strength why",
    Location: "path line",
    Finding: "id tunable=tunable.id title=tunable.title strength=advice.strength",
}  # fmt: skip
"""What a document has of each record."""
_encoded = encoder(_SHAPES)
