"""Every fragment, merged by the tree's own merge_config.sh and completed by its own conf."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.kernel

STRENGTHS = ("must", "should", "could")


def open_findings(report: dict[str, Any], strength: str) -> list[dict[str, Any]]:
    """What a rebuild could still change, down to this strength."""
    strengths = STRENGTHS[: STRENGTHS.index(strength) + 1]
    return [
        finding
        for finding in report["findings"]
        if finding["verdict"] == "change"
        and finding["strength"] in strengths
        and any(remedy["kind"] == "rebuild" for remedy in finding["remedies"])
    ]


def settings(text: str) -> list[str]:
    """The lines that set something."""
    return [line for line in text.splitlines() if re.match(r"(# )?CONFIG_", line)]


def test_every_line_holds(outcome):
    wrong = outcome.differences()
    assert not wrong, "\n".join(wrong)


def test_every_line_is_needed(outcome):
    idle = outcome.idle_lines()
    assert not idle, "\n".join(idle)


def test_conf_warns_of_no_line(outcome):
    named = set(re.findall(r"CONFIG_(\w+)", "\n".join(settings(outcome.fragment))))
    warnings = [line for line in outcome.conf_log.splitlines() if "warning:" in line]
    bad = [
        line for line in warnings if named & set(re.findall(r"\w+", line.split("warning:", 1)[1]))
    ]
    assert not bad, "\n".join(bad)


def test_comments_name_no_symbol(outcome):
    lines = set(outcome.fragment.splitlines()) - set(settings(outcome.fragment))
    bad = [line for line in lines if "CONFIG_" in line]
    assert not bad, "\n".join(bad)


def test_fragment_is_empty_only_if_nothing_is_open(outcome):
    missing = [
        f for f in open_findings(outcome.before, outcome.cell.strength) if not outcome.omitted(f)
    ]
    assert settings(outcome.fragment) or not missing, "\n".join(f["id"] for f in missing)


def test_no_finding_is_left_that_a_rebuild_could_change(settled):
    left = [
        f for f in open_findings(settled.after, settled.cell.strength) if not settled.omitted(f)
    ]
    assert not left, "\n".join(f"{f['id']}: is {f['now']}, wanted {f['wanted']}" for f in left)


def test_second_fragment_is_empty(settled):
    again = settings(settled.second)
    assert not again, "\n".join(again)
