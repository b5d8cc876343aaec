"""Workflow commands of GitHub Actions: each line becomes an annotation of the run.

What the runner makes of a line was read in its source (Runner.Common/ActionCommand.cs).
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.report import Report
from advisor.output import Style, phrases
from advisor.output.escape import clipped, visible
from advisor.output.issues import Issue, issues_of
from advisor.output.levels import LEVELS, RANK

MOST = 10
"""How many annotations of a kind GitHub keeps of one step."""
MOST_TEXT = 1024
"""Characters of a message; the runner cuts it off at 4096."""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the gravest issues of each kind as commands, and a line of text for each report."""
    issues = [issue for issue in issues_of(reports, style) if not issue.waived]
    issues.sort(key=lambda issue: (RANK[issue.grade], issue.spots[0][:3], issue.rule))
    lines: list[str] = []
    for command in dict.fromkeys(level.github for level in LEVELS.values() if level.github):
        own = [issue for issue in issues if LEVELS[issue.grade].github == command]
        left = len(own) - MOST
        for number, issue in enumerate(own[:MOST], 1):
            more = f" (and {left} more of this kind)" if number == MOST and left > 0 else ""
            lines.append(_command(command, issue, more))
    for report in reports:
        # No command begins with this line, nor has it one in the old form, which begins with ##[.
        path = visible(style.places.of(report.name)).replace("##[", "## [")
        verdict = f"{phrases.verdict_line(report)} (proof: {report.proof})"
        lines.append(f"kernel-advisor: {path}: {verdict}")
    return "\n".join(lines) + "\n"


def _command(command: str, issue: Issue, more: str) -> str:
    spot = issue.spots[0]
    properties = {
        "file": "" if spot.path.startswith("<") else spot.path,
        "line": str(spot.line),
        "col": str(spot.column or ""),
        "title": f"{issue.grade}: {issue.title} [{issue.rule}]{more}",
    }
    # Nothing in a property may end it, or the command.
    escapes = str.maketrans({":": "%3A", ",": "%2C"})
    texts = ((name, _data(visible(text)).translate(escapes)) for name, text in properties.items())
    traits = ",".join(f"{name}={text}" for name, text in texts if text)
    return f"::{command} {traits}::{_data(clipped(chr(10).join(issue.lines), MOST_TEXT))}"


def _data(text: str) -> str:
    """Return the text behind the second `::`: one line, whatever the text holds."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
