"""The report for a terminal: findings first, what is right folded to a count, the verdict last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from advisor.model.kernel import Severity
from advisor.model.report import Diagnostic, Finding, Report, Verdict
from advisor.model.rules import Stance, Strength
from advisor.output import Style, phrases
from advisor.output.escape import visible

_LABEL = 10
_COLOURS = {
    Strength.MUST: "1;31", Strength.SHOULD: "1;33", Strength.COULD: "1;36",
    Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36",
}  # fmt: skip


def render(reports: Sequence[Report], style: Style) -> str:
    """All reports, one after the other, each ending in its verdict line."""
    return "\n".join("\n".join(_report(report, style)) + "\n" for report in reports)


def _report(report: Report, style: Style) -> list[str]:
    lines = _head(report, style)
    for conflict in report.conflicts:
        lines += ["", painted(visible(f"CONFLICT  {conflict.title}"), "1;31", style)]
        for side in phrases.conflict_sides(conflict):
            lines += wrapped("-", side, style, label_width=2)
    for finding in phrases.shown(report):
        lines += _finding(finding, report, style)
    for diagnostic in phrases.diagnostics(report):
        lines += diagnostic_lines(diagnostic, style)
    return [*lines, "", *_folded(report, style), _verdict(report, style)]


_NO_PROFILE = "none: only what is given is checked (--profile names a workload)"


def _head(report: Report, style: Style) -> list[str]:
    subject = f"{report.name}: {phrases.kernel(report.kernel, report.machine.arch)}"
    if not report.complete:
        subject += " (a fragment or defconfig: what it does not name is unknown)"
    line = "(not given, judged as empty)" if report.cmdline is None else report.cmdline
    facts = [
        ("subject", subject),
        ("profile", ", ".join(profile.id for profile in report.profiles) or _NO_PROFILE),
        ("boot line", line or "(empty)"),
    ]
    if report.tree:
        facts.append(
            ("tree", f"{phrases.tree(report.tree)} ({phrases.proof(report.proof, report.tree)})")
        )
        facts += [("warning", text) for text in report.tree.warnings]
    return [part for name, text in facts for part in wrapped(name, text, style, 0)]


def _finding(finding: Finding, report: Report, style: Style) -> list[str]:
    advice = finding.advice
    label = f"{advice.strength.value.upper():7} {finding.verdict.value}"
    who = f"{advice.profile}: " if len(report.profiles) > 1 else ""
    head, *rest = wrapped(
        label, f"{who}{finding.tunable.title} [{finding.tunable.id}]", style, 0, 16
    )
    lines = ["", painted(head[:16], _COLOURS[advice.strength], style) + head[16:], *rest]
    now = f"{finding.now}, {phrases.origins(finding, report.name)}".rstrip(", ")
    lines += wrapped("now", now, style)
    for symbol, note, by in phrases.members(finding, report.name):
        lines += wrapped("-", f"{symbol}: {note}; {by}", style, _LABEL, 2)
    if finding.state.why:
        lines += wrapped("note", finding.state.why, style)
    lines += wrapped("wanted", finding.wanted, style)
    lines += wrapped("why", advice.why, style)
    shown = finding.remedies if style.verbose else finding.remedies[:1]
    for index, remedy in enumerate(shown):
        lines += wrapped("or" if index else "do", phrases.remedy(remedy, finding.tunable), style)
    for name, text in (("but", finding.reason), ("cost", finding.cost)):
        if text:
            lines += wrapped(name, text, style)
    if style.verbose:
        if practice := report.practice.get(finding.tunable.id):
            lines += wrapped("others", practice, style)
        for source in advice.sources:
            lines += wrapped("source", source.url, style)
    return lines


def diagnostic_lines(diagnostic: Diagnostic, style: Style) -> list[str]:
    """A diagnostic: its head, what is wrong, what to do."""
    label = diagnostic.severity.value.upper()
    place = phrases.where(diagnostic.location)
    head, *rest = wrapped(label, f"{diagnostic.id} ({place})", style, 0, 8)
    lines = ["", painted(head[:8], _COLOURS[diagnostic.severity], style) + head[8:], *rest]
    lines += wrapped("what", diagnostic.message, style)
    if diagnostic.remedy:
        lines += wrapped("do", diagnostic.remedy, style)
    if style.verbose and diagnostic.source:
        lines += wrapped("source", diagnostic.source, style)
    return lines


def _folded(report: Report, style: Style) -> Iterable[str]:
    right = phrases.of(report, Verdict.OK)
    unknown = phrases.of(report, Verdict.UNKNOWN)
    runtime = phrases.of(report, Verdict.UNKNOWN, runtime=True)
    absent = phrases.of(report, Verdict.NOT_APPLICABLE)
    told_already = phrases.shown(report)
    blocked = [f for f in phrases.of(report, Verdict.BLOCKED) if f not in told_already]
    if style.verbose:
        yield from _listed("already right", (_right(f, report.name) for f in right), style)
        told = (f"{f.tunable.title}: {f.reason or f.now}" for f in unknown)
        yield from _listed("unknown", told, style)
        yield from _listed("at run time only", map(_at_run_time, runtime), style)
        told = (f"{f.tunable.title}: {f.reason}" for f in absent)
        yield from _listed("not applicable", told, style)
        told = (f"{f.tunable.title}: {f.reason}" for f in blocked)
        yield from _listed("situational, but blocked", told, style)
    if report.tree and style.verbose:
        told = (f"{subject} = {value}, {source}" for subject, value, source in report.tree.assumed)
        yield from _listed("answers of tools", told, style)
    elif report.tree:
        yield from wrapped("assumed", phrases.assumed(report.tree), style, 0)
    for name, count in phrases.missing(unknown):
        yield from wrapped("unknown", f"{count} more could be judged with {name}", style, 0)
    waived, known = phrases.accepted(report)
    told = (f"{what}; {phrases.waiver(waiver)}" for what, waiver in waived)
    if style.verbose:
        yield from _listed("waived", told, style)
        yield from _listed("in the baseline", known, style)
    counts = {
        "waived": len(waived),
        "in the baseline": len(known),
        "already right": len(right),
        "at run time only": len(runtime),
        "not applicable": len(absent),
        "situational, but blocked": len(blocked),
    }
    shown = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    if shown and not style.verbose:
        yield from wrapped("folded", f"{shown} (--verbose lists them)", style, 0)


def _listed(title: str, items: Iterable[str], style: Style) -> Iterable[str]:
    found = list(items)
    if found:
        yield f"{title}: {len(found)}"
        for item in found:
            yield from wrapped("-", item, style, label_width=2)
        yield ""


def _right(finding: Finding, path: str) -> str:
    text = f"{finding.tunable.title}: {finding.now}, {phrases.origins(finding, path)}".rstrip(", ")
    if finding.advice.stance is Stance.KEEP and finding.advice.cost:
        text += f"; kept at this cost: {finding.advice.cost}"
    return text


def _at_run_time(finding: Finding) -> str:
    do = phrases.instructions(finding) or finding.wanted
    cost = f" Cost: {finding.cost}" if finding.cost else ""
    strength, title = finding.advice.strength.value, finding.tunable.title
    return f"{strength} {title}: {do}. {finding.advice.why}{cost}"


def _verdict(report: Report, style: Style) -> str:
    return painted(phrases.verdict_line(report), "1;31" if report.failed else "1;32", style)


def painted(text: str, code: str, style: Style) -> str:
    """Text in a colour (of ECMA-48), where colours are wanted."""
    return f"\033[{code}m{text}\033[0m" if style.colour else text


def wrapped(
    label: str, text: str, style: Style, indent: int = 2, label_width: int = 0
) -> tuple[str, ...]:
    """Text behind a label, filled to the width; further lines stand under the first one's text."""
    return _lines(label, text, style.width, indent, label_width or _LABEL - indent)


@lru_cache(maxsize=4096)
def _lines(label: str, text: str, width: int, indent: int, label_width: int) -> tuple[str, ...]:
    """Greedy filling; a word longer than the line keeps a line of its own."""
    margin = " " * (indent + label_width)
    head = f"{' ' * indent}{label:{label_width - 1}} "
    room = max(width - len(margin), 20)
    filled: list[str] = []
    line = ""
    for word in visible(text).split():
        if line and len(line) + 1 + len(word) > room:
            filled.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    filled.append(line)
    return tuple((head if not index else margin) + part for index, part in enumerate(filled))
