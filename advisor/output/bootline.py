"""A plan as a boot line: the line alone, and the reasons apart."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model import Report
from advisor.output import Style


def render(reports: Sequence[Report], style: Style) -> str:
    """The boot line of each report, a line each."""
    return "".join(f"{report.plan.cmdline}\n" for report in reports)


def reasons(report: Report) -> list[str]:
    """What was added, and what no boot line can give, a line each for stderr."""
    plan = report.plan
    lines = [f"added: {' '.join(plan.words)}"] if plan.words else ["added: nothing"]
    for omission in plan.omissions:
        advice = omission.advice
        lines.append(
            f"not on a boot line: {omission.title} ({advice.strength.value}): {omission.reason}"
        )
    if plan.optional:
        lines.append(f"left out: {plan.optional} weaker (--strength could includes them)")
    return lines
