"""A review: what came of each changed file, and what is said of it, the gravest first.

People read it as a document of pages; as JSON it is review.schema.json; in other formats it is the
reports on the new sides.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.comparison import Comparison
from advisor.model.report import Report
from advisor.model.review import Entry, Review, SettingsChange
from advisor.output import (
    Style,
    auditpage,
    cells,
    diffjson,
    diffpage,
    diffwords,
    encoding,
    json,
    phrases,
    renderer,
    settingspage,
)
from advisor.output.page import Code, Document, Inline, Page, Row, Strong, joined, listing, marked

SCHEMA = "kernel-advisor/review/v1"
_PAGES = ("text", "markdown", "html")
FORMATS = dict.fromkeys((*_PAGES, "json"), __name__)
"""Those that tell of both sides."""


def render(name: str, review: Review, style: Style) -> str:
    """Return the review in one of FORMATS, or the reports on the new sides in another format."""
    if name == "json":
        return encoding.json_text(encoding.document(SCHEMA, encoding.encoder(SHAPES)(review)))
    if name in _PAGES:
        return renderer(name)(review, style)
    # The log of a run tells what the change did; who keeps results wants all of them.
    reports: Iterable[Report | None] = review.reports
    if name == "github":
        own = [review.policy.report] if review.policy else []
        reports = [*own, *map(_new, review.entries)]
    return renderer(name)([report for report in reports if report], style)


def _new(entry: Entry) -> Report | None:
    """Return the report on the new side with only what is worse or new there."""
    report, comparison = entry.report, entry.comparison
    if report is None or comparison is None:
        return report
    ids = {s.new.id for shifts in comparison.by_profile.values() for s in shifts if s.counts}
    keys = {(item.id, item.subject) for item in comparison.appeared}
    return report._replace(
        findings=tuple(finding for finding in report.findings if finding.id in ids),
        conflicts=tuple(c for c in report.conflicts if any(a.key in ids for a, _ in c.sides)),
        diagnostics=tuple(d for d in report.diagnostics if (d.id, d.subject) in keys),
    )


def document(review: Review, format: str) -> Document:
    """Return the table of all files, and a page for each that has more to show than a line.

    Files that cannot be read come first, then those that fail.
    """
    entries = sorted(
        review.entries, key=lambda e: (e.problem is None, not e.failed, e.report is None)
    )
    pages = [settingspage.page(review.policy, review, format)] if review.policy else []
    rows: list[tuple[Inline, ...]] = []
    numbers: list[int | None] = []
    for entry in entries:
        sign = "unreadable" if entry.problem else "fails" if entry.failed else ""
        old = (" from ", Code(entry.old_path)) if entry.status == "renamed" else ()
        change = f"{entry.kind}, {entry.status}"
        rows.append((
            (Strong(sign),) if sign else (), (Code(entry.path), *old), (change,),
            marked(_gist(entry)),
        ))  # fmt: skip
        numbers.append(len(pages) if entry.report else None)
        if entry.report:
            pages.append(_page(entry, entry.report, format))
    name = f":{review.marker}" if review.marker else ""
    return Document(
        "Kernel configuration review", f"review{name}", tuple(pages), summary(review),
        ("", "File", "Change", "What changed"), tuple(rows), tuple(numbers),
        settingspage.foot(review.policy),
    )  # fmt: skip


def _page(entry: Entry, report: Report, format: str) -> Page:
    """Return what a change means, or the report on a new file, all of whose lines are changed."""
    if entry.comparison:
        page = diffpage.page(entry.comparison, format)
        sections = page.sections
    else:
        page = auditpage.page(report, format)
        sections = (*page.sections, *diffpage.accounts(report.lines, format))
    edits = []
    for edit in entry.edits:  # `FILE, line 3 (symbol-stale)`, and the lines of a diff
        diff = [f"-{edit.was}", *(f"+{line}" for line in edit.now)]
        items = tuple(Row("", (Code(line),)) for line in diff)
        edits.append(Row("", (Code(edit.path), f", line {edit.line} ({edit.rule})"), items))
    suggested = listing("edits", "Suggested changes", edits, format, len(edits))
    note = joined((page.note, marked(entry.note)), "; ")
    return page._replace(sections=(*suggested, *sections), note=note)


def summary(review: Review) -> str:
    """Return the sum of a review: `4 files changed: 1 fails, 1 cannot be read`."""
    policy = settingspage.summary(review)
    if not review.entries:
        span = f"between {review.base} and {review.head}"
        nothing = f"No kernel configuration, fragment or boot line changed {span}."
        return f"{nothing} {policy[:1].upper()}{policy[1:]}." if policy else nothing
    failed = sum(entry.failed for entry in review.entries)
    broken = sum(entry.problem is not None for entry in review.entries)
    parts = [f"{failed} {'fails' if failed == 1 else 'fail'}"] if failed else []
    parts += ["none fails"] if not (failed or broken) else []
    parts += [f"{broken} cannot be read"] if broken else []
    # Nobody else would look for what a waiver accepts.
    excused = sum(map(_excused, review.entries))
    parts += [f"{phrases.counted(excused, 'finding')} waived"] if excused else []
    count = phrases.counted(len(review.entries), "file")
    return f"{count} changed: {', '.join(parts)}{policy and f'; {policy}'}"


def _excused(entry: Entry) -> int:
    """Return how many findings would count if they were not waived."""
    change = entry.comparison
    if change:
        shifts = (shift for shifts in change.by_profile.values() for shift in shifts)
        return sum(shift.excused for shift in shifts) + sum(bool(d.waived) for d in change.appeared)
    return len(phrases.waived(entry.report, baseline=False)) if entry.report else 0


def _gist(entry: Entry) -> str:
    """Return what came of one file, by the names of the weightiest changes."""
    if entry.problem:
        return f"cannot be read: {entry.problem.message}"
    if entry.comparison:
        return cells.of_comparison(entry.comparison) or "nothing that matters"
    found = cells.of_report(entry.report) if entry.report else entry.note
    return found or "nothing to change"


def verdict(entry: Entry) -> str:
    """Return what came of one file, in numbers."""
    if entry.problem:
        return f"cannot be read: {entry.problem.message}"
    if entry.comparison:
        return diffwords.verdict(entry.comparison) or "nothing that matters"
    return phrases.verdict_line(entry.report) if entry.report else entry.note or "nothing to judge"


SHAPES: encoding.Shapes = {
    **diffjson.SHAPES,
    Review: "base head failed trusts_head policy files=entries",
    SettingsChange: "path digest failed more standing own|null items",
    Entry: (
        "path old_path status kind failed",
        ("verdict", verdict),
        "note|null",
        ("problem", lambda entry: entry.problem.message if entry.problem else None),
        ("lines", lambda entry: getattr(entry.comparison or entry.report, "lines", ())),
        "edits report comparison",
    ),
    Report: json.report_data,
    Comparison: diffjson.comparison_document,
}
"""What a document has of each record of a review."""
