"""The report for a pull request comment: a summary that stands alone, the rationale folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.model.report import Diagnostic, Finding, Report, Verdict
from advisor.model.rules import Source
from advisor.model.tree import TreeUse
from advisor.output import Style, budget, phrases
from advisor.output.escape import code, prose

MARKER = "<!-- kernel-advisor:audit -->"
"""The first line, by which a later run finds its own comment."""


def render(reports: Sequence[Report], style: Style) -> str:
    """All reports, a heading each, as far as a comment has room for them."""
    sections = [f"\n{section(report, style)}" for report in reports]
    return MARKER + budget.bounded(sections, budget.MOST - len(MARKER))


def section(report: Report, style: Style) -> str:
    """One report with its heading."""
    return "\n".join(_report(report, style)) + "\n"


def _report(report: Report, style: Style) -> Iterable[str]:
    profiles = ", ".join(profile.title for profile in report.profiles) or "Configuration"
    yield f"### {prose(profiles)}: {code(report.name)}"
    yield ""
    yield f"**{phrases.verdict_line(report)}**"
    yield ""
    line = (
        "no boot line given"
        if report.cmdline is None
        else f"boot line {code(report.cmdline or '(empty)')}"
    )
    kernel = prose(phrases.kernel(report.kernel, report.machine.arch))
    yield f"{kernel}; {line}; proof: {report.proof}{in_tree(report.tree)}."
    for warning in report.tree.warnings if report.tree else ():
        yield ""
        yield f"**Warning:** {prose(warning)}"
    yield from _conflicts(report)
    shown = phrases.shown(report)
    yield from _table(shown, report)
    yield from diagnostic_table(phrases.diagnostics(report))
    for finding in shown:
        yield from _rationale(finding, report)
    yield from _folded(report)


def in_tree(use: TreeUse | None) -> str:
    """The tree that a proof rests on, if there is one, in parentheses."""
    return f" ({code(use.path)}: {prose(use.version)})" if use else ""


def _conflicts(report: Report) -> Iterable[str]:
    for conflict in report.conflicts:
        yield ""
        yield f"**Conflict over {prose(conflict.title)}**"
        yield ""
        for side in phrases.conflict_sides(conflict):
            yield f"- {prose(side)}"


def _table(findings: list[Finding], report: Report) -> Iterable[str]:
    if not findings:
        return
    yield ""
    yield "| | Setting | Now | Wanted | Least invasive remedy |"
    yield "|---|---|---|---|---|"
    for finding in findings:
        label = f"**{finding.advice.strength.value}** {finding.verdict.value}"
        do = (
            prose(phrases.remedy(finding.remedies[0], finding.tunable))
            if finding.remedies
            else prose(finding.reason)
        )
        cells = (label, prose(finding.tunable.title), prose(finding.now), prose(finding.wanted), do)
        yield f"| {' | '.join(cells)} |"


def diagnostic_table(shown: list[Diagnostic]) -> Iterable[str]:
    """A table of diagnostics, if there are some."""
    if shown:
        yield ""
        yield "| | Diagnostic | Where | What |"
        yield "|---|---|---|---|"
    for item in shown:
        place = code(phrases.where(item.location))
        yield f"| **{item.severity.value}** | {item.id} | {place} | {_explained(item)} |"


def _explained(item: Diagnostic) -> str:
    remedy = f" Remedy: {prose(item.remedy)}" if item.remedy else ""
    return f"{prose(item.message.rstrip('.'))}.{remedy}"


def _rationale(finding: Finding, report: Report) -> Iterable[str]:
    yield ""
    yield "<details>"
    yield f"<summary>Why: {prose(finding.tunable.title)}</summary>"
    yield ""
    yield prose(finding.advice.why)
    yield ""
    if by := phrases.origins(finding, report.name):
        yield f"- Now {prose(finding.now)}, {code(by)}"
    for symbol, note, by in phrases.members(finding, report.name):
        yield f"- {code(symbol)}: {prose(note)}; {code(by)}"
    for remedy in finding.remedies:
        yield f"- Remedy {prose(phrases.remedy(remedy, finding.tunable))}"
    if finding.cost:
        yield f"- Cost: {prose(finding.cost)}"
    if finding.reason:
        yield f"- But {prose(finding.reason)}"
    if practice := report.practice.get(finding.tunable.id):
        yield f"- Others: {prose(practice)}"
    for source in finding.advice.sources:
        yield f"- Source: {link(source)}"
    yield ""
    yield "</details>"


def link(source: Source) -> str:
    """The source as a link that stays one, whatever its reference holds."""
    kernel = f" ({source.kernel})" if source.kernel else ""
    # A link target ends at a blank or a parenthesis: both are percent-encoded.
    target = source.url.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{prose(source.ref)}{kernel}]({target})"


def _folded(report: Report) -> Iterable[str]:
    unknown = phrases.of(report, Verdict.UNKNOWN)
    runtime = phrases.of(report, Verdict.UNKNOWN, runtime=True)
    right = phrases.of(report, Verdict.OK)
    yield ""
    for name, count in phrases.missing(unknown):
        yield f"{count} more could be judged with {name}.  "
    waived, known = phrases.accepted(report)
    sum_ = [f"{len(right)} already right", f"{len(runtime)} at run time only"]
    sum_ += [f"{len(waived)} waived"] * bool(waived)
    sum_ += [f"{len(known)} in the baseline"] * bool(known)
    yield f"{', '.join(sum_)}."
    yield from details("At run time", map(_at_run_time, runtime))
    yield from details("Waived", (f"{prose(w)}: {prose(phrases.waiver(by))}" for w, by in waived))
    yield from details("In the baseline", map(prose, known))


def _at_run_time(finding: Finding) -> str:
    do = phrases.instructions(finding) or finding.wanted
    what = f"{finding.advice.strength.value}: {prose(finding.tunable.title)}"
    cost = f" Cost: {prose(finding.cost)}" if finding.cost else ""
    return f"{what}: {code(do)}. {prose(finding.advice.why)}{cost}"


def details(title: str, items: Iterable[str]) -> Iterable[str]:
    """A folded list under its title, if there are items (which are fit for Markdown)."""
    shown = [f"- {item}" for item in items]
    if shown:
        yield from folded(title, shown)


def folded(title: str, lines: Iterable[str]) -> Iterable[str]:
    """Lines behind a title that opens them."""
    yield from ("", "<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>")
