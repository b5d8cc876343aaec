"""A plan for one machine as JSON (plan.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.model.report import File, Item, Kept, Omission, Plan, Report, Setting
from advisor.output import Style, json, phrases
from advisor.output.encoding import Shapes, document, encoder, json_text
from advisor.output.plan import modprobed, sysctld, tmpfilesd, udev

SCHEMA = "kernel-advisor/plan/v1"
_LINES = {
    File.SYSCTL: sysctld.lines,
    File.TMPFILES: tmpfilesd.lines,
    File.UDEV: udev.lines,
    File.MODPROBE: modprobed.lines,
}


def render(reports: Sequence[Report], style: Style) -> str:
    """Return all plans as one document; the same input gives the same bytes."""
    return json_text(document(SCHEMA, {"plans": encoder(SHAPES)(reports)}))


def _lines(one: Kept) -> list[str]:
    return list(_LINES[one.file](one)) if one.file else []


def _files(report: Report) -> dict[str, Any]:
    """Return the files that have something to say, by format, with the paths in a folder."""
    return {file.value: file.path for file in files(report.plan)}


def files(plan: Plan) -> list[File]:
    """List the files that a plan has something for."""
    used = {file for item in plan.items for file in item.files}
    return [file for file in File if file in used]


SHAPES: Shapes = {
    **json.SHAPES,
    Report: (
        ("subject", json.SUBJECT),
        "profiles proof tree",
        ("files", _files),
        "items=plan.items",
        ("boot_line", "line=plan.cmdline add=plan.words remove=plan.dropped"),
        "left_out=plan.omissions optional=plan.optional",
    ),
    Item: (
        "id=finding.id tunable=finding.tunable strength=finding.advice.strength profiles",
        "effort=remedy.kind.effort",
        "now=finding.now|null wanted=finding.wanted value=remedy.value why=finding.advice.why",
        "cost=finding.cost reason=finding.reason held=remedy.held settings=kept words=remedy.words",
        "drop=remedy.drop changes=remedy.changes sources=finding.advice.sources",
    ),
    Kept: ("setting*", "file|null", ("lines", _lines), "note=why disks"),
    Setting: "layer key value instances",
    Omission: (
        "advice=advice.key tunable strength=advice.strength wanted",
        ("reason", phrases.omission),
    ),
}
"""What a document has of each record of a plan."""
