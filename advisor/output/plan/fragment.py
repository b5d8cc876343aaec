"""A plan as a fragment for scripts/kconfig/merge_config.sh, each line with its reason.

No comment holds a CONFIG_ word and no value line a trailing comment, since merge_config.sh up to
6.12 searches both for symbols (read in 6.1 and 6.12).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from advisor.model.kernel import assignment
from advisor.model.plan import Step
from advisor.model.remedy import Role
from advisor.model.report import Report
from advisor.output import Style, factwords, phrases, treewords
from advisor.output.plan import files
from advisor.output.plan.comments import comment_lines, effect_lines, heading, reasons


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the fragment of each report: settings with their reasons, and what is left out."""
    return files(reports, partial(_fragment, style=style))


def _fragment(report: Report, style: Style) -> Iterable[str]:
    plan = report.plan
    yield from heading("Fragment", report)
    yield from comment_lines(
        f"Proof: {report.proof} ({factwords.proof(report.proof, report.tree)})"
    )
    if report.tree:
        yield from comment_lines(f"Tree: {treewords.tree(report.tree)}")
        yield from comment_lines(f"Assumed: {treewords.assumed(report.tree)}")
        for warning in report.tree.warnings:
            yield from comment_lines(f"Warning: {warning}")
    if not plan.steps:
        yield from comment_lines(
            "Nothing to change: the configuration has all wanted values that a fragment can set."
        )
    if plan.optional:
        yield from comment_lines(
            f"Left out: {plan.optional} weaker findings ('--strength could' includes them)."
        )
    yield from effect_lines(plan.effects or (), style.verbose)
    written: set[str] = set()
    for step in plan.steps:
        yield from ("", *_step(step, written, report))
    for omission in plan.omissions:
        who = f"[{omission.advice.strength.value}, {omission.advice.key}]"
        what = f"{omission.tunable.title}, wanted {omission.wanted} {who}"
        reason = phrases.omission(omission)
        yield from ("", *comment_lines(f"Not included: {what}: {reason}"))


def _step(step: Step, written: set[str], report: Report) -> Iterable[str]:
    yield from reasons(step.finding, step.remedy, report)
    fresh = [change for change in step.remedy.changes if change.symbol not in written]
    fresh.sort(key=lambda change: change.role is not Role.DEPENDENCY)
    if fresh and fresh[0].role is Role.DEPENDENCY:
        yield from comment_lines("Needed for it:")
    yield from (assignment(change.symbol, change.new) for change in fresh)
    written |= {change.symbol for change in fresh}
