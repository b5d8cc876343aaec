"""Reports as pages: facts, what should change, diagnostics, and the rest by verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.model.finding import Diagnostic, Finding, Verdict
from advisor.model.report import Report
from advisor.model.summary import efforts, row
from advisor.output import factwords, findingpage, phrases
from advisor.output.page import (
    COUNT,
    OUT,
    Code,
    Document,
    Entry,
    Inline,
    Page,
    Row,
    Section,
    codes,
    kept,
    lines,
    listing,
    marked,
    mode,
)

if TYPE_CHECKING:
    from advisor.model.tree import TreeUse


def document(reports: Sequence[Report], format: str) -> Document:
    """Return all reports, a page each, without what the format leaves out."""
    table: list[tuple[Inline, ...]] = []
    if len(reports) > 1 and mode("overview", format) != OUT:
        from advisor.output import cells

        table = [
            ((report.name,), (_kernel(report),), (cells.of_report(report) or "nothing to change",))
            for report in reports
        ]
    return Document(
        "Kernel audit", "audit", tuple(page(report, format) for report in reports),
        columns=("Configuration", "Kernel", "What should change"), table=tuple(table),
        names=tuple(range(len(table))),
    )  # fmt: skip


def page(report: Report, format: str) -> Page:
    """Return the page of one report, without what the format leaves out."""
    titles = ", ".join(profile.title for profile in report.profiles) or "Configuration"
    return Page(
        report.name, (f"{titles}: ", Code(report.name)), phrases.verdict_line(report),
        report.failed, kept(_facts(report), format), tuple(_sections(report, format)),
    )  # fmt: skip


def _kernel(report: Report) -> str:
    return factwords.kernel(report.kernel, report.machine.arch, report.inferred)


def _facts(report: Report) -> Iterator[Row]:
    kernel = _kernel(report)
    if any(one.id == "host-no-config" for one in report.diagnostics):
        kernel += " (configuration not known: settings that depend on it are unknown)"
    elif not report.complete:
        kernel += " (a fragment or defconfig: symbols without a line are unknown)"
    yield Row("subject", (f"{report.name}: {kernel}",), part="subject")
    yield Row("kernel", (kernel,), part="kernel")
    yield Row("merged", codes(report.merged), part="given")
    none = "none: only the inputs are checked (--profile names a workload)"
    yield Row("profile", codes(profile.id for profile in report.profiles) or marked(none))
    if report.recommended:
        from advisor.output import fits

        known = (one.profile for one in report.recommended)
        yield Row("fits", marked(fits.sentence(report), *known), part="given")
    no_line = "(not given, judged as empty)" if report.cmdline is None else "(empty)"
    yield Row("boot line", (Code(report.cmdline) if report.cmdline else no_line,), part="given")
    yield Row("built in", codes(filter(None, [report.built_in])), part="given")
    machine = factwords.machine(report.machine, report.inferred.vendor)
    yield Row("machine", (machine,), part="given")
    in_use = "; ".join(f"{one.name} {one.text}" for one in report.in_use)
    yield Row("in use", (in_use,), part="given")
    if report.hardened:
        yield Row("hardened", marked(factwords.hardened(report.hardened)), part="given")
    yield from proof(report.proof, report.tree)
    if report.profiles:
        unknown = len(phrases.of(report, Verdict.UNKNOWN))
        unread = len(phrases.unread(report))
        yield Row("to do", (factwords.to_do(efforts(report), unknown, unread),))
    if len(report.profiles) == 1:  # several have a table
        by_area = factwords.areas(row(report, report.profiles[0].id))
        yield Row("by area", (by_area,), part="by area")
    yield outcome(report.failed)


def outcome(failed: bool) -> Row:
    """Return the row that says whether the run fails because of this page."""
    return Row("outcome", ("fails" if failed else "passes",), part="outcome")


def proof(grade: str, use: TreeUse | None) -> Iterator[Row]:
    """Yield what the verdicts rest on, and the answers of tools that the tree took for granted."""
    yield Row("proof", (Code(grade), f": {factwords.proof(grade, use)}"), part="given")
    if use:
        from advisor.output import treewords

        yield Row("tree", (Code(use.path), f": Linux {use.version}, {use.arch}"), part="given")
        yield from (Row("warning", marked(text)) for text in use.warnings)
        yield Row("assumed", marked(treewords.assumed(use)), part="given")


# --- sections -------------------------------------------------------------------------------------


def _sections(report: Report, format: str) -> Iterator[Section]:
    """Yield the sections that are not empty, the most important first."""
    yield from _areas(report, format)
    conflicts = map(findingpage.conflict, report.conflicts)
    yield from _section("conflicts", "Conflicts", len(report.conflicts), conflicts, format)
    to_see = phrases.to_see(report)
    at_findings = {id(item) for one in to_see for item in phrases.cautions(one, report)}
    diagnostics_ = [item for item in phrases.diagnostics(report) if id(item) not in at_findings]
    unknown, unread = phrases.of(report, Verdict.UNKNOWN), phrases.unread(report)
    parts: tuple[tuple[str, str, Sequence[Finding | Diagnostic]], ...] = (
        ("changes", "What should change", to_see),
        ("diagnostics", "Diagnostics of the inputs", diagnostics_),
        (
            "blocked",
            "Optional and blocked",
            [f for f in phrases.of(report, Verdict.BLOCKED) if f not in to_see],
        ),
        ("unknown", "Not known", unknown),
        ("unread", "Required at run time, value not read", unread),
        (
            "runtime",
            "At run time only",
            [f for f in phrases.of(report, Verdict.UNKNOWN, runtime=True) if f not in unread],
        ),
        ("waived", "Waived", phrases.waived(report, baseline=False)),
        ("baseline", "In the baseline", phrases.waived(report, baseline=True)),
        ("right", "Already right", phrases.right(report)),
        ("absent", "Not applicable", phrases.absent(report)),
    )
    for part, title, subjects in parts:
        entries = (
            findingpage.finding(one, part, report, format)
            if isinstance(one, Finding)
            else findingpage.diagnostic(one, format)
            for one in subjects
        )
        yield from _section(part, title, len(subjects), entries, format)
        if part == "unknown":
            hints = (
                Row("unknown", marked(f"{count} more could be judged with {name}"))
                for name, count in phrases.missing(unknown)
            )
            yield from listing("hints", "Inputs that would allow more verdicts", hints, format)
    yield from _sizes(report, format)
    if report.plan.effects or report.tree:
        yield from _of_tree(report, format)
    if report.ledger:
        from advisor.output import ledger

        yield from ledger.sections(report.ledger, format)


def _areas(report: Report, format: str) -> Iterator[Section]:
    """Yield what each of several profiles would change, by area."""
    if len(report.profiles) > 1 and mode("areas", format) != OUT:
        rows = [row(report, profile.id) for profile in report.profiles]
        names, cells = factwords.matrix(rows)
        table = tuple(tuple((text,) for text in line) for line in cells)
        yield Section(
            "areas", "Differences by area (! marks a must)", mode("areas", format),
            items=tuple(Row(one.profile, (factwords.areas(one),)) for one in rows),
            columns=("Profile", *names), cells=table if names else (),
        )  # fmt: skip


def _sizes(report: Report, format: str) -> Iterator[Section]:
    """Yield the sizes that only the site knows: the value, its line, and how to compute a size."""
    items = []
    for size in report.sizes:
        value, origins = size.state.describe(size.tunable), size.state.origins
        by = (", ", *findingpage.by_lines(origins, report.name)) if size.state.effective else ()
        computed = " ".join(
            f"{profile}: {text}" if len(size.computed) > 1 else text
            for profile, text in size.computed
        )
        text = (f"{size.tunable.title}: {value or 'not known'}", *by, ". ", *marked(computed))
        items.append(Row("", text))
    yield from listing("sizes", "Sizes that depend on your site", items, format, len(items))


def _of_tree(report: Report, format: str) -> Iterator[Section]:
    """Yield the side effects of a plan, and the answers of tools that were taken for granted."""
    from advisor.output import treewords

    effects = treewords.effects(report.plan.effects or (), all_of_them=True)
    items = lines(f"{title}: {names}" for title, names in effects)
    yield from listing("effects", "Side effects of a rebuild", items, format)
    answers = [
        Row("", (Code(subject), " = ", Code(value), f", {source}"))
        for subject, value, source in (report.tree.assumed if report.tree else ())
    ]
    yield from listing("answers", "Answers of tools", answers, format, len(answers))


_CELLS = {
    "changes": ("Setting", "Now", "Wanted", "Least invasive remedy"),
    "diagnostics": ("Diagnostic", "Where", "What", "Remedy"),
}


def _section(
    part: str, title: str, number: int, entries: Iterable[Entry], format: str
) -> Iterator[Section]:
    """Yield a section of entries, or only their number; nothing without any."""
    how = mode(part, format)
    if not number or how == OUT:
        return
    shown: list[Entry] = []
    meanings: set[Row] = set()
    for entry in entries if how != COUNT else ():
        rows = entry.rows
        if format.startswith("text"):  # which says what a kind of diagnostic means once
            rows = tuple(one for one in rows if one not in meanings)
            meanings.update(one for one in rows if one.label == "meaning")
        shown.append(entry._replace(rows=rows))
    columns = _CELLS.get(part, ()) if shown else ()
    yield Section(part, title, how, number, tuple(shown), columns=columns)


def diagnostics(items: Sequence[Diagnostic], title: str, format: str) -> Iterator[Section]:
    """Yield a section of diagnostics, if there are some."""
    entries = (findingpage.diagnostic(item, format) for item in items)
    return _section("diagnostics", title, len(items), entries, format)
