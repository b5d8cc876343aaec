"""What the remedy of another finding brings along, so that nobody is asked for it beside that.

The performance policy of a driver that picks the clock itself pins the energy preference, so advice
on the preference stands `unless` the governor is that. Told to set both, a reader sets one twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from advisor.engine.judge import judge_advice
from advisor.engine.state import World
from advisor.engine.what_if import rebooted
from advisor.model.cmdline import parameter_name
from advisor.model.kernel import Layer
from advisor.model.report import Finding, Remedy, RemedyKind, Verdict


def without_what_comes(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; what another's remedy makes true, as strong, is an `unless` that holds."""
    coming = {}
    for finding in reversed(findings):
        if _is_asked(finding) and finding.remedies:
            coming[finding.tunable.id, finding.remedies[0].value] = finding
    return first_of_the_same([_beside(finding, coming) for finding in findings])


def first_of_the_same(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; of a profile's advice with alternatives that comes to the very same remedies,
    as for two watchdogs with one mask, the first tells of it that is as strong."""
    first: dict[tuple[str, str, tuple[Remedy, ...]], Finding] = {}

    def told(finding: Finding) -> Finding:
        ways = finding.advice.ways or finding.advice.options
        if len(ways) < 2 or not _is_asked(finding) or not finding.remedies:
            return finding
        same = (finding.advice.profile, finding.tunable.id, finding.remedies)
        leader = first.setdefault(same, finding)
        if leader is finding or leader.advice.strength.rank > finding.advice.strength.rank:
            return finding
        reason = f"comes with {leader.tunable.title}: {leader.remedies[0].value}"
        return finding.covered(leader.id, reason)

    return list(map(told, findings))


def _is_asked(finding: Finding) -> bool:
    if finding.waived is not None and not finding.waived.baseline:
        return False
    return finding.verdict is Verdict.CHANGE or finding.runtime_only


def _beside(finding: Finding, coming: dict[tuple[str, str], Finding]) -> Finding:
    for kind, *term in _alternatives(finding.advice.unless) if _is_asked(finding) else ():
        other = coming.get((term[0], term[2])) if kind == "is" and term[1] == "=" else None
        if other and other.advice.strength.rank <= finding.advice.strength.rank:
            return finding.covered(other.id, f"comes with {other.tunable.title}: {other.wanted}")
    return finding


def _alternatives(expr: Any) -> Iterable[Sequence[str]]:
    """Terms of which one is enough for a condition to hold."""
    if not expr:
        return ()
    return expr[1:] if expr[0] == "|" else (expr,)


def one_of_each_word(findings: Sequence[Finding], world: World) -> list[Finding]:
    """The findings; of those of a profile that one word of the boot line makes, the strongest tells
    of it, and what leaving the word out settles as well comes with that.

    `idle=poll` is no reason for three pieces of advice: without it there is a governor and a driver
    of idle states again.
    """
    if not world.line.own():
        return [*findings]
    order = {finding.id: number for number, finding in enumerate(findings)}
    leaders = [finding for finding in findings if _asked_to_drop(finding) and _is_of(finding)]
    leaders.sort(key=lambda f: (f.advice.strength.rank, len(_names(f)), order[f.id]))
    settled: dict[str, Finding] = {}
    for leader in leaders:
        others = [
            other
            for other in findings
            if leader.id not in settled and other.id not in settled and _made_alike(other, leader)
        ]
        after = rebooted(world, leader.remedies[0]) if others else world
        for other in others:
            if judge_advice(other.advice, after).verdict in _SETTLED:
                settled[other.id] = leader
    return [_with(finding, settled.get(finding.id)) for finding in findings]


_SETTLED = (Verdict.OK, Verdict.NOT_APPLICABLE)


def _asked_to_drop(finding: Finding) -> bool:
    """Whether it asks first for no more than words to be left out."""
    first = finding.remedies[0] if _is_asked(finding) and finding.remedies else None
    return bool(first and first.kind is RemedyKind.BOOT and first.drop and not first.words)


def _is_of(finding: Finding) -> bool:
    """Whether the words to be left out make the setting themselves, and do not only touch it: of
    several that they touch none stands for the others."""
    dropped = {parameter_name(word) for word in finding.remedies[0].drop}
    return not dropped.isdisjoint(_names(finding))


def _names(finding: Finding) -> set[str]:
    """The parameters that a setting is made by: the fewer, the more it is what one is for."""
    tunable = finding.tunable
    words = [word for value in tunable.values for way in (value.boot, *value.reads) for word in way]
    return set(map(parameter_name, filter(None, (*words, tunable.parameter))))


def _made_alike(other: Finding, leader: Finding) -> bool:
    """Whether a word that the leader drops makes the other one as well, which is no stronger."""
    if other is leader or not _is_asked(other) or other.verdict is not Verdict.CHANGE:
        return False
    if other.advice.profile != leader.advice.profile:
        return False
    state, dropped = other.state, leader.remedies[0].drop
    origins = (*state.origins, *(origin for _, origin in (*state.on, *state.off)))
    made = any(origin.layer is Layer.BOOT and origin.text in dropped for origin in origins)
    return made and other.advice.strength.rank >= leader.advice.strength.rank


def _with(finding: Finding, leader: Finding | None) -> Finding:
    if leader is None:
        return finding
    reason = f"comes with {leader.tunable.title}: without {' '.join(leader.remedies[0].drop)}"
    return finding.covered(leader.id, reason)
