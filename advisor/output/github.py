"""Workflow commands of GitHub Actions: each line becomes an annotation of the run.

What the runner makes of a line was read in its source (Runner.Common/ActionCommand.cs).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.report import Report
from advisor.output import Style, phrases
from advisor.output.escape import clipped, visible
from advisor.output.issues import Issue, shown
from advisor.output.levels import LEVELS, RANK

MOST = 10
"""How many annotations of a kind GitHub keeps of one step."""
MOST_TEXT = 1024
"""Characters of a message; the runner cuts it off at 4096."""


def render(reports: Sequence[Report], style: Style) -> str:
    """The gravest of each kind as commands, and a line of plain text for each report."""
    issues = [issue for issue in shown(reports, style) if not issue.waived]
    issues.sort(key=lambda issue: (RANK[issue.grade], issue.spots[0][:3], issue.rule))
    lines: list[str] = []
    for command in dict.fromkeys(level.github for level in LEVELS.values() if level.github):
        lines += _commands(command, [i for i in issues if LEVELS[i.grade].github == command])
    lines += [_sum(report, style) for report in reports]
    return "\n".join(lines) + "\n"


def _commands(command: str, issues: list[Issue]) -> Iterator[str]:
    more = len(issues) - MOST
    for number, issue in enumerate(issues[:MOST], 1):
        left = f" (and {more} more of this kind)" if number == MOST and more > 0 else ""
        yield _command(command, issue, left)


def _command(command: str, issue: Issue, left: str) -> str:
    spot = issue.spots[0]
    properties = {
        "file": "" if spot.path.startswith("<") else spot.path,
        "line": str(spot.line),
        "col": str(spot.column or ""),
        "title": f"{issue.grade}: {issue.title} [{issue.rule}]{left}",
    }
    told = ",".join(f"{name}={_property(text)}" for name, text in properties.items() if text)
    return f"::{command} {told}::{_data(clipped(chr(10).join(issue.lines), MOST_TEXT))}"


def _data(text: str) -> str:
    """What stands behind the second `::`: one line, whatever the text holds."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """What stands behind a property's name: nothing that ends it, or the command."""
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def _sum(report: Report, style: Style) -> str:
    """The verdict as plain text: no command begins with it, nor stands in it in the old form."""
    path = visible(style.places.of(report.name)).replace("##[", "## [")
    return f"kernel-advisor: {path}: {phrases.verdict_line(report)} (proof: {report.proof})"
