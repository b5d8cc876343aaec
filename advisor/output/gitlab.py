"""The Code Quality report of GitLab: what its documentation names, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.model.report import Report
from advisor.output import Style
from advisor.output.encoding import json_text
from advisor.output.escape import clipped, visible
from advisor.output.issues import Issue, issues_of
from advisor.output.levels import LEVELS

MOST_TEXT = 1024
"""Characters of a description."""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the issues of all reports as one list, without waived ones."""
    issues = [issue for issue in issues_of(reports, style) if not issue.waived]
    issues.sort(key=lambda issue: (*issue.spots[0][:3], issue.rule, issue.key))
    return json_text(list(map(_entry, issues)))


def _entry(issue: Issue) -> dict[str, Any]:
    spot = issue.spots[0]
    return {
        "description": clipped(" ".join(issue.lines), MOST_TEXT),
        "check_name": issue.rule,
        "fingerprint": issue.key,
        "severity": LEVELS[issue.grade].gitlab,
        "location": {"path": visible(spot.path), "lines": {"begin": spot.line}},
    }
