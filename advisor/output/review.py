"""A review in one comment: what changed as a table, then each file's report while there is room.

As JSON it is review.schema.json, as text what a terminal shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from advisor import __version__
from advisor.output import (
    Style,
    budget,
    diffjson,
    diffmarkdown,
    difftext,
    diffwords,
    markdown,
    phrases,
    renderer,
)
from advisor.output.escape import code, prose, visible

if TYPE_CHECKING:
    from advisor.model.report import Report
    from advisor.model.review import Entry, Review

SCHEMA = "kernel-advisor/review/v1"
_TABLE = budget.MOST // 3


def render(name: str, review: Review, style: Style) -> str:
    """The review in one of FORMATS; in another one, the reports on the new sides."""
    if name in _RENDER:
        return _RENDER[name](review, style)
    # The log of a run tells what the change did; who keeps results wants all of them.
    reports = [_new(entry) for entry in review.entries] if name == "github" else review.reports
    return renderer(name)([report for report in reports if report], style)


def _new(entry: Entry) -> Report | None:
    """The report on the new side with what is worse or new there alone."""
    report, comparison = entry.report, entry.comparison
    if report is None or comparison is None:
        return report
    shifts = (shift for found in comparison.by_profile.values() for shift in found)
    ids = {shift.new.id for shift in shifts if shift.counts}
    keys = {(item.id, item.subject) for item in comparison.appeared}
    return report._replace(
        findings=tuple(finding for finding in report.findings if finding.id in ids),
        conflicts=tuple(c for c in report.conflicts if any(a.key in ids for a, _ in c.sides)),
        diagnostics=tuple(d for d in report.diagnostics if (d.id, d.subject) in keys),
    )


def marker(name: str) -> str:
    """The hidden first line by which a later run finds its own comment."""
    return f"<!-- kernel-advisor:review{':' if name else ''}{name} -->"


def nothing(review: Review) -> str:
    """That there was nothing to review."""
    span = f"between {review.base} and {review.head}"
    return f"No kernel configuration, fragment or boot line changed {span}."


def verdict(entry: Entry) -> str:
    """What came of one file, in a line."""
    if entry.problem:
        return f"cannot be read: {entry.problem.message}"
    if entry.comparison:
        return diffwords.verdict(entry.comparison) or "nothing that counts"
    return phrases.verdict_line(entry.report) if entry.report else entry.note or "nothing to judge"


def summary(review: Review) -> str:
    """`4 files changed: 1 fails, 1 cannot be read`."""
    count = len(review.entries)
    failed = sum(entry.failed for entry in review.entries)
    broken = sum(entry.problem is not None for entry in review.entries)
    parts = [f"{failed} {'fails' if failed == 1 else 'fail'}"] if failed else []
    parts += [f"{broken} cannot be read"] if broken else []
    return f"{count} file{'s' * (count != 1)} changed: {', '.join(parts) or 'none fails'}"


def _change(entry: Entry) -> str:
    return f"{entry.kind}, {entry.status}"


def _ordered(review: Review) -> list[Entry]:
    """What a reader has to see first: what cannot be read, what fails, the others."""
    return sorted(review.entries, key=lambda e: (e.problem is None, not e.failed, e.report is None))


def _markdown(review: Review, style: Style) -> str:
    first = marker(review.marker)
    if not review.entries:
        return f"{first}\n{prose(nothing(review))}\n"
    entries = _ordered(review)
    head = f"{first}\n## Kernel configuration review\n\n**{prose(summary(review))}**\n"
    rows = budget.fitting(map(_row, entries), _TABLE)
    table = "\n| | File | Change | Verdict |\n|---|---|---|---|\n" + "".join(rows)
    if missing := rows.count(""):
        table += f"\nNot in this table: {missing} more.\n"
    left = budget.MOST - budget.size(head) - budget.size(table)
    return head + table + budget.bounded([_section(entry, style) for entry in entries], left)


def _row(entry: Entry) -> str:
    sign = "**unreadable**" if entry.problem else "**fails**" if entry.failed else ""
    name = code(entry.path)
    if entry.status == "renamed":
        name += f" from {code(entry.old_path)}"
    return f"| {sign} | {name} | {prose(_change(entry))} | {prose(verdict(entry))} |\n"


def _section(entry: Entry, style: Style) -> str:
    """What is said of one file: what the change means, or the report on a new file."""
    if not entry.report:
        return ""
    note = f"\n{prose(entry.note)}.\n" if entry.note else ""
    if entry.comparison:
        told = "\n".join(diffmarkdown.body(entry.comparison, style, budget.MOST)) + "\n"
    else:
        told = markdown.section(entry.report, style)
    return f"\n{told}{note}"


def _text(review: Review, style: Style) -> str:
    if not review.entries:
        return f"{visible(nothing(review))}\n"
    lines = [visible(summary(review))]
    lines += [visible(f"{e.path} ({_change(e)}): {verdict(e)}") for e in _ordered(review)]
    pages = [page for entry in _ordered(review) if (page := _page(entry, style))]
    return "\n".join(lines) + "\n" + "".join(f"\n{page}" for page in pages)


def _page(entry: Entry, style: Style) -> str:
    if entry.comparison:
        return difftext.render(entry.comparison, style)
    return renderer("text")([entry.report], style) if entry.report else ""


def _json(review: Review, style: Style) -> str:
    document = {
        "schema": SCHEMA,
        "tool": {"name": "kernel-advisor", "version": __version__},
        "base": review.base,
        "head": review.head,
        "failed": any(entry.failed for entry in review.entries),
        "files": [_file(entry, style) for entry in review.entries],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _file(entry: Entry, style: Style) -> dict[str, Any]:
    report = None
    if entry.report:
        report = json.loads(renderer("json")([entry.report], style))["reports"][0]
    change = entry.comparison
    return {
        "path": entry.path,
        "old_path": entry.old_path,
        "status": entry.status,
        "kind": entry.kind,
        "failed": entry.failed,
        "verdict": verdict(entry),
        "note": entry.note or None,
        "problem": entry.problem.message if entry.problem else None,
        "report": report,
        "comparison": json.loads(diffjson.render(change, style)) if change else None,
    }


_RENDER: dict[str, Callable[[Review, Style], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
FORMATS = dict.fromkeys(_RENDER, __name__)
