"""Which findings the change that another finding asks for settles as well.

Another finding of its strength or more covers a finding if its first remedy holds all of the other
one's (of a rebuild: is the same), and leaves nothing of it once followed. `idle=poll` is no reason
for three pieces of advice. A finding is covered as well if it does not apply once the other one is
followed: the performance policy of a driver that picks frequencies itself pins the energy
preference, and advice on the preference stands `unless` the governor is that.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.engine.causes import own_parameters
from advisor.engine.judge import judge_advice
from advisor.engine.state import World
from advisor.engine.what_if import rebooted, with_settings
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.report import Finding, Remedy, RemedyKind, Role, Verdict

_SETTLED = (Verdict.OK, Verdict.NOT_APPLICABLE)


def without_covered(findings: Sequence[Finding], world: World) -> list[Finding]:
    """The findings, those that another one covers with its id. The leader is the strongest, of
    those that only take words away the one whose setting fewest parameters make, else the first."""
    asked = [finding for finding in findings if _is_asked(finding)]
    order = {finding.id: number for number, finding in enumerate(asked)}
    names = {one.id: own_parameters(one.tunable) if _only_drops(one) else set() for one in asked}
    asked.sort(key=lambda one: (one.advice.strength.rank, len(names[one.id]), order[one.id]))
    covered: dict[str, Finding] = {}
    for leader in asked:
        others = [
            other
            for other in asked
            if leader.id not in covered and other.id not in covered and _may_cover(leader, other)
        ]
        after = followed(leader.remedies[0], world) if others else world
        for other in others:
            if _settles(leader, other, after):
                covered[other.id] = leader
    return [_told(finding, covered.get(finding.id)) for finding in findings]


def followed(remedy: Remedy, world: World) -> World:
    """The world once a remedy is followed."""
    if remedy.kind is RemedyKind.RUNTIME:
        return with_settings(world, remedy.settings)
    return rebooted(world, remedy)


def _is_asked(finding: Finding) -> bool:
    """Whether it asks for something that nobody has decided to leave."""
    if not finding.remedies or (finding.waived is not None and not finding.waived.baseline):
        return False
    return finding.verdict is Verdict.CHANGE or finding.runtime_only


def _only_drops(finding: Finding) -> bool:
    """Whether it asks first for no more than words to be left out."""
    first = finding.remedies[0]
    return bool(first.drop) and not (first.words or first.changes or first.settings)


def _may_cover(leader: Finding, other: Finding) -> bool:
    """Whether it is worth to look what the leader's remedy leaves of the other."""
    if other is leader or other.advice.strength.rank < leader.advice.strength.rank:
        return False
    if _names(other.advice.unless, leader):
        return True
    if other.advice.profile != leader.advice.profile:
        return False
    first, second = leader.remedies[0], other.remedies[0]
    if first.kind is not second.kind or first.second_step is not second.second_step:
        return False
    if _only_drops(leader) and own_parameters(leader.tunable).isdisjoint(
        map(parameter_name, first.drop)
    ):
        return False  # of several that a word merely touches none stands for the others
    if first.kind is RemedyKind.REBUILD:  # a part of one has a purpose of its own
        return _edits(second) == _edits(first)
    return bool(_edits(second)) and _edits(second) <= _edits(first)


def _names(unless: condition.Expr, leader: Finding) -> bool:
    """Whether the value that the leader asks for is one of what a condition stands for."""
    value = leader.remedies[0].value
    return ["is", leader.tunable.id, "=", value] in [*map(list, condition.atoms(unless))]


def _edits(remedy: Remedy) -> set[tuple[str, str]]:
    """What a remedy changes, edit by edit."""
    lines = ((c.symbol, c.new) for c in remedy.changes if c.role is not Role.SIBLING)
    settings = ((setting.key, setting.value) for setting in remedy.settings)
    words = (("add", word) for word in remedy.words)
    return {*lines, *settings, *words, *(("drop", word) for word in remedy.drop)}


def _settles(leader: Finding, other: Finding, after: World) -> bool:
    if _names(other.advice.unless, leader):
        return condition.surely(other.advice.unless, after)
    return other.remedies == leader.remedies or (
        judge_advice(other.advice, after, lambda _: False).verdict in _SETTLED
    )


def _told(finding: Finding, leader: Finding | None) -> Finding:
    if leader is None:
        return finding
    first = leader.remedies[0]
    value = leader.tunable.describe((first.value,))
    what = f"without {' '.join(first.drop)}" if _only_drops(leader) else value
    return finding.covered(leader.id, f"comes with {leader.tunable.title}: {what}")


def told_once(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; of two steps whose first is a rebuild that another finding asks for as well,
    only the second is told, and whose rebuild it comes after."""
    asked = [(finding, _lines(finding)) for finding in findings]
    rebuilds = [(one.tunable.title, lines) for one, lines in asked if not one.second_step]
    found = []
    for finding, lines in asked:
        if not (lines and finding.second_step):
            found.append(finding)
            continue
        other = next((title for title, others in rebuilds if lines <= others), "")
        rebuilds += [] if other else [(finding.tunable.title, lines)]
        remedies = (one._replace(rebuilt_by=other) for one in finding.remedies)
        found.append(finding._replace(remedies=tuple(remedies)))
    return found


def _lines(finding: Finding) -> set[tuple[str, str]]:
    """What the rebuild of a finding that asks for one sets."""
    waived = finding.waived is not None and not finding.waived.baseline
    if finding.verdict is not Verdict.CHANGE or waived:
        return set()
    return {(change.symbol, change.new) for one in finding.remedies for change in one.changes}
