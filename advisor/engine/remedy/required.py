"""The remedy for a function of a program: what makes its condition true, as one change."""

from __future__ import annotations

from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.conditions import Means, needed, whole_fix
from advisor.engine.remedy.goals import Goal
from advisor.model import condition
from advisor.model.report import Change, Remedy, RemedyKind, Role
from advisor.model.software import Fix


def remedy(goal: Goal, means: Means) -> Remedy | Blocked:
    """Return the least that has the requirement met; or why nothing does."""
    tunable = goal.tunable
    needs = tunable.values[0].when
    found = whole_fix(needs, goal.world, means)
    if found.why:
        return Blocked(f"needs {'; '.join(found.why)}")
    told = Remedy(
        _kind(found), tunable.values[0].name, found.settings, found.words, found.drop,
        found.changes,
    )  # fmt: skip
    lines = {change.symbol for change in found.changes}
    if behind := [name for name in found.hidden if name in lines]:
        names = " and ".join(behind)
        return Blocked(f"this configuration does not offer {names}: --tree DIR finds what it needs")
    if goal.is_met_by(told) or goal.is_met_by(_with_derived(told, goal)):
        return told
    if found.hidden and not found.changes:
        return Blocked(f"needs other options, which switch on {' and '.join(found.hidden)}")
    return Blocked("no change that is known is enough")


def _with_derived(told: Remedy, goal: Goal) -> Remedy:
    """Return the remedy with the options without a prompt that its lines bring along in a tree."""
    world = goal.world
    names = filter(
        world.lacks_prompt, condition.symbols(needed(goal.tunable.values[0].when, world))
    )
    derived = (Change(name, world.config.get(name), "y", Role.DEPENDENCY) for name in names)
    return told._replace(changes=(*told.changes, *derived)) if told.changes else told


def _kind(found: Fix) -> RemedyKind:
    if found.changes:
        return RemedyKind.REBUILD
    return RemedyKind.BOOT if found.words or found.drop else RemedyKind.RUNTIME
