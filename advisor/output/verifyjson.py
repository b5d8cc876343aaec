"""Whether a plan holds as JSON (verify.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.kernel import KernelVersion
from advisor.model.verify import AskedPlan, Check, CheckedItem, Log, Seen, Verified
from advisor.output import Style
from advisor.output.encoding import Shapes, document, encoder, json_text
from advisor.output.verifypage import line

SCHEMA = "kernel-advisor/verify/v1"


def render(verified: Sequence[Verified], style: Style) -> str:
    """Return all plans and hosts as one document; the same input gives the same bytes."""
    return json_text(document(SCHEMA, {"verified": _encoded(verified)}))


def _kernel(version: KernelVersion) -> str:
    return version.text


_SHAPES: Shapes = {
    Verified: ("plan host=seen failed", ("line", line), "items"),
    AskedPlan: "path digest arch|null release|null profiles",
    Seen: "name kernel arch|null release|null boot|null log",
    KernelVersion: _kernel,
    Log: (("path", lambda log: log.place.path), ("lines", lambda log: len(log.lines))),
    CheckedItem: (
        "id=item.id tunable=item.tunable title=item.title strength=item.strength",
        "effort=item.kind.effort counts standing checks",
    ),
    Check: "key asked now then standing reason evidence",
}
"""What a document has of each record."""
_encoded = encoder(_SHAPES)
