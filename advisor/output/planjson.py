"""A plan for one machine as JSON (plan.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.model import condition
from advisor.model.plan import Item, Kept, Omission
from advisor.model.remedy import Setting
from advisor.model.report import Report
from advisor.output import Style, json, phrases
from advisor.output.encoding import Shapes, document, encoder, json_text
from advisor.output.plan import filelines
from advisor.output.plan.items import digest, files

SCHEMA = "kernel-advisor/plan/v1"


def render(reports: Sequence[Report], style: Style) -> str:
    """Return all plans as one document; the same input gives the same bytes."""
    return json_text(document(SCHEMA, {"plans": encoder(SHAPES)(reports)}))


def _files(report: Report) -> dict[str, Any]:
    """Return the files that have something to say, by format, with the paths in a folder."""
    return {file.value: report.plan.path(file) for file in files(report.plan)}


def _symbols(item: Item) -> list[str]:
    """Return the symbols without which the kernel has nothing to set."""
    tunable = item.finding.tunable
    needs = (tunable.only_if, tunable.needs_of(item.finding.target))
    return sorted({symbol for expr in needs for symbol in condition.needed(expr)})


def _shows(item: Item) -> dict[str, list[str]]:
    """Return what a file shows, where that is another text than is written."""
    value = item.finding.tunable.value(item.remedy.value)
    keys = {setting.key for setting in item.remedy.settings}
    return {path: list(forms) for path, forms in value.shows if path in keys} if value else {}


SHAPES: Shapes = {
    **json.SHAPES,
    Report: (
        ("subject", json.SUBJECT),
        ("digest", digest),
        "release|null profiles proof tree",
        ("files", _files),
        "items=plan.items",
        ("boot_line", "line=plan.cmdline add=plan.words remove=plan.dropped"),
        "left_out=plan.omissions optional=plan.optional",
    ),
    Item: (
        "id=finding.id tunable=finding.tunable strength=finding.advice.strength profiles",
        "effort=remedy.kind.effort in_force",
        "now=finding.now|null wanted=finding.wanted value=remedy.value why=finding.advice.why",
        "cost=finding.cost reason=finding.reason held=remedy.held settings=kept words=remedy.words",
        "drop=remedy.drop changes=remedy.changes",
        ("symbols", _symbols),
        ("grounds", lambda item: dict(item.grounds)),
        ("shows", _shows),
        "sources=finding.advice.sources",
    ),
    Kept: ("setting*", "file|null", ("lines", filelines.of), "note=why disks"),
    Setting: "layer key value instances",
    Omission: (
        "advice=advice.key tunable strength=advice.strength wanted",
        ("reason", phrases.omission),
    ),
}
"""What a document has of each record of a plan."""
