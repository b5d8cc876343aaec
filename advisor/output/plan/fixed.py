"""A repaired fragment: its author's lines with their comments, and what they need above them.

No comment of ours holds a CONFIG_ word: see fragment.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from advisor import __version__
from advisor.model.kernel import assignment
from advisor.model.repair import Repair, RepairedLine
from advisor.output import Style, factwords, phrases, treewords
from advisor.output.plan.comments import comment_lines, effect_lines

_MADE = "# Repaired by kernel-advisor "
_CARRIED = "# Carried over by kernel-advisor "


def render(repair: Repair, style: Style) -> str:
    """Return the whole fragment, or the text as it was if nothing of it changed."""
    if not repair.changed:
        return repair.text
    rows = repair.text.removesuffix("\n").split("\n")
    lines = {line.location.line: line for line in repair.lines}
    body: list[str] = []
    for number, row in enumerate(rows, 1):
        if number in repair.ignored:
            what = row.replace("CONFIG_", "")
            body += comment_lines(f"Not included: {what}: Kconfig ignores a line in this form")
        else:
            body += _line(lines[number], row) if number in lines else [row]
    # What an earlier repair said of itself holds no more.
    if body[0].startswith(_MADE):
        del body[: body.index("") + 1 if "" in body else 0]
    return "\n".join([*_heading(_MADE, repair, style), "", *body, ""])


def carried(repair: Repair, style: Style) -> str:
    """Return lines of an old configuration as a fragment: those that hold, then the others."""
    rows: list[str] = []
    for had in (True, False):
        lines = [line for line in repair.lines if bool(line.lines) is had]
        rows += [""] * bool(lines)
        for line in lines:
            rows += _line(line, assignment(line.symbol, line.value))
    return "\n".join([*_heading(_CARRIED, repair, style), *rows, ""])


def _heading(made: str, repair: Repair, style: Style) -> Iterable[str]:
    use = repair.tree
    yield from comment_lines(f"{made[2:]}{__version__}: {repair.fragment}")
    yield from comment_lines(f"For {repair.base}, in {treewords.tree(use)}")
    yield from comment_lines(f"Proof: {repair.proof} ({factwords.proof(repair.proof, use)})")
    if use.assumed:
        yield from comment_lines(f"Assumed: {treewords.assumed(use)}")
    for warning in use.warnings:
        yield from comment_lines(f"Warning: {warning}")
    if repair.missed:
        yield from comment_lines(f"Lines that Kconfig cannot keep as they were: {repair.missed}")
    yield from effect_lines(repair.effects, style.verbose)


def _line(line: RepairedLine, row: str) -> Iterable[str]:
    groups = groupby(line.before, lambda one: (one.needed_by, one.keeps))
    for (needed_by, keeps), additions in groups:
        kept = f", to keep {phrases.first(keeps)}" if keeps else ""
        yield from comment_lines(f"Needed for {phrases.first(needed_by)}{kept}:")
        yield from (assignment(one.symbol, one.value) for one in additions)
    if line.kept:
        yield row
        return
    was = f"{line.symbol}={line.value}"
    if not line.lines:
        yield from comment_lines(f"Not included: {was}: {line.reason}")
        return
    yield from comment_lines(f"Was {was}: {line.reason}")
    yield from (assignment(*one) for one in line.lines)
