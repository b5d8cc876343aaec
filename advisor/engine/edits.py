"""The edits of a review: other text for the lines of the change that make a setting wrong.

Only lines that the change under review brought are edited: its author did not write the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from advisor.model.comparison import Comparison, Shift
from advisor.model.finding import Diagnostic, Finding
from advisor.model.kernel import Layer, assignment
from advisor.model.lines import ChangedLine, Edit
from advisor.model.profile import Strength
from advisor.model.remedy import Remedy, RemedyKind, Role
from advisor.model.report import Report

Texts = Mapping[tuple[str, int], tuple[str, str]]
"""The changed lines of a file: the symbol and the text, by path and line."""


def edited(
    report: Report, comparison: Comparison | None, lines: Iterable[ChangedLine], texts: Texts
) -> tuple[Report, Comparison | None, tuple[Edit, ...]]:
    """Return both with the edits of findings that are open or worse, and all edits, one a line.

    `lines` are those of the new side with their accounts.
    """
    report = report._replace(findings=tuple(_of(f, texts) for f in report.findings))
    told: tuple[Finding, ...] = report.findings
    diagnostics: tuple[Diagnostic, ...] = report.diagnostics
    if comparison:
        made: dict[int, Shift] = {}  # a shift that is in two places stays the same object

        def replaced(shifts: Iterable[Shift]) -> tuple[Shift, ...]:
            pairs = ((shift, shift._replace(new=_of(shift.new, texts))) for shift in shifts)
            return tuple(made.setdefault(id(shift), other) for shift, other in pairs)

        by_profile = {name: replaced(each) for name, each in comparison.by_profile.items()}
        movements = tuple(m._replace(shifts=replaced(m.shifts)) for m in comparison.movements)
        comparison = comparison._replace(by_profile=by_profile, movements=movements)
        shifts = (shift for each in comparison.by_profile.values() for shift in each)
        told = tuple(shift.new for shift in shifts if shift.counts)
        if not comparison.chosen:  # a wish of some profiles is no change to offer to everybody
            told = tuple(one for one in told if one.advice.strength is Strength.MUST)
        diagnostics = comparison.appeared
    open_ = {(item.id, item.subject) for item in diagnostics if not item.waived}
    edits = []
    for line in lines:
        place = line.location.path, line.location.line
        is_open = (line.rule, line.symbol) in open_
        if is_open and line.instead is not None and place in texts:
            instead = tuple(assignment(*pair) for pair in line.instead)
            edits.append(Edit(*place, texts[place][1], instead, line.rule))
    edits += [edit for finding in told if not finding.waived for edit in finding.edits]
    found = {(edit.path, edit.line): edit for edit in reversed(edits)}
    return report, comparison, tuple(edit for _, edit in sorted(found.items()))


def _of(finding: Finding, texts: Texts) -> Finding:
    """Return the finding with the edits of the lines at fault; of a boot line its remedy first."""
    if not finding.remedies:
        return finding
    causes = [by for _, by in finding.offending] or list(finding.state.origins)
    layers = {cause.layer for cause in causes}
    if layers == {Layer.BOOT}:
        first = sorted(finding.remedies, key=lambda one: one.kind is not RemedyKind.BOOT)
        return finding._replace(remedies=tuple(first))
    rebuilds = [one for one in finding.remedies if one.kind is RemedyKind.REBUILD]
    locations = [cause.location for cause in causes]
    places = [(one.path, one.line) for one in locations if (one.path, one.line) in texts]
    if layers != {Layer.COMPILED} or len(rebuilds) != 1 or len(places) != len(causes):
        return finding
    return finding._replace(edits=tuple(_edits(finding.id, rebuilds[0], places, texts)))


def _edits(
    rule: str, rebuild: Remedy, places: list[tuple[str, int]], texts: Texts
) -> Iterator[Edit]:
    """Return the lines as the rebuild has them; symbols without a line stand in the first one."""
    symbols = {texts[place][0] for place in places}
    own = {c.symbol: c for c in rebuild.changes if c.symbol in symbols}
    further = [c for c in rebuild.changes if c.symbol not in symbols and c.role is not Role.SIBLING]
    for place in dict.fromkeys(places):
        symbol, text = texts[place]
        change = own.get(symbol)
        # A member of a choice that is given up needs no line beside the one that is taken.
        stays = change and change.role is not Role.SIBLING
        now = [assignment(symbol, change.new)] if change and stays else []
        now += [assignment(c.symbol, c.new) for c in further]
        further = []
        if now or change:
            yield Edit(*place, text, tuple(now), rule)
