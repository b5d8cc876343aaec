"""The remedy for a function of a program: what makes its condition true, as one change."""

from __future__ import annotations

from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.conditions import Means, needed, whole_fix
from advisor.engine.remedy.what_if import Goal
from advisor.model import condition
from advisor.model.report import Change, Remedy, RemedyKind, Role


def remedy(goal: Goal, means: Means) -> Remedy | Blocked:
    """Return the least that has the requirement met; or why nothing does."""
    tunable = goal.tunable
    needs = tunable.values[0].when
    found = whole_fix(needs, goal.world, means)
    if found.why:
        return Blocked(f"needs {'; '.join(found.why)}")
    kind = RemedyKind.BOOT if found.words or found.drop else RemedyKind.RUNTIME
    kind = RemedyKind.REBUILD if found.changes else kind
    name, parts = tunable.values[0].name, (found.settings, found.words, found.drop, found.changes)
    told = Remedy(kind, name, *parts)
    lines = {change.symbol for change in found.changes}
    if behind := [name for name in found.hidden if name in lines]:
        names = " and ".join(behind)
        return Blocked(f"this configuration does not offer {names}: --tree DIR finds what it needs")
    if goal.is_met_by(told):
        return told
    # The options without a prompt that its lines bring along in a tree are there as well.
    symbols = condition.symbols(needed(needs, goal.world)) if found.changes else ()
    derived = (
        Change(name, goal.world.config.get(name), "y", Role.DEPENDENCY)
        for name in symbols
        if goal.world.lacks_prompt(name)
    )
    if goal.is_met_by(told._replace(changes=(*told.changes, *derived))):
        return told
    if found.hidden and not found.changes:
        return Blocked(f"needs other options, which switch on {' and '.join(found.hidden)}")
    return Blocked("no change that is known is enough")
