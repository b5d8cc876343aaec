"""A plan as a boot line: the line alone, and the reasons apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module

from advisor.model.cmdline import parse_cmdline
from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.output import BOOT_FORMATS, Style, phrases
from advisor.output.plan import anything, refuse


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the boot line of each report, a line each."""
    for report in reports:
        refuse("plain", (w.text for w in parse_cmdline(report.plan.cmdline).words), anything)
    return "".join(f"{report.plan.cmdline}\n" for report in reports)


def remarks(plan: Plan) -> list[str]:
    """Return nothing: the line needs no remark."""
    return []


def reasons(report: Report, formats: Iterable[str]) -> list[str]:
    """Return lines for stderr: what was added or removed, and what no boot line can give.

    With it goes what a reader of each format has to know.
    """
    plan = report.plan
    lines = [f"added: {' '.join(plan.words)}"] if plan.words else ["added: nothing"]
    dead = {item.subject: item.message for item in plan.dead}
    if dropped := [word for word in plan.dropped if word not in dead]:
        lines.append(f"removed: {' '.join(dropped)}")
    lines += (f"removed, because it has no effect: {message}" for message in dead.values())
    for omission in plan.omissions:
        advice = omission.advice
        lines.append(
            f"not on a boot line: {omission.tunable.title} ({advice.strength.value}): "
            + phrases.omission(omission)
        )
    if plan.optional:
        lines.append(
            f"left out: {plan.optional} weaker findings ('--strength could' includes them)"
        )
    for name in formats:
        lines += (f"{name}: {line}" for line in import_module(BOOT_FORMATS[name]).remarks(plan))
    return list(dict.fromkeys(lines))  # two profiles may miss the same
