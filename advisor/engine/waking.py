"""What a boot without a word asks for next: a remedy that only takes words away takes care of it.

`idle=poll` makes a limit on idle states needless, and none is asked for beside it. Whoever follows
the advice to take it away needs the limit, and is told of both at once. What then takes a rebuild
is told beside the remedy: without `mitigations=off` those that were not built are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.engine.hardening import without_lacking
from advisor.engine.judge import judge_advice
from advisor.engine.state import World
from advisor.engine.what_if import merged, rebooted
from advisor.model.cmdline import parameter_name
from advisor.model.condition import atoms
from advisor.model.report import Finding, Remedy, RemedyKind, Role, Verdict, spelled_out


def with_what_wakes(findings: Sequence[Finding], world: World) -> list[Finding]:
    """The findings; of each boot remedy without new words, with the words for that advice as strong
    as its own which applies only once it is followed; not those that other advice would then undo.
    """
    asleep = [finding for finding in findings if finding.verdict is Verdict.NOT_APPLICABLE]
    return [_awake(finding, asleep, findings, world) for finding in findings]


def with_rebuilds(findings: Sequence[Finding], world: World) -> list[Finding]:
    """The findings; with that advice, as strong, which the words of their remedies wake and a
    rebuild alone follows."""
    if not any(map(_boot_remedy, findings)):
        return [*findings]
    asleep = [
        (finding, _asked_of_the_line(finding))
        for finding in findings
        if finding.verdict is Verdict.NOT_APPLICABLE
    ]
    return [_with_rebuild(finding, asleep, world) for finding in findings]


def _boot_remedy(finding: Finding) -> Remedy | None:
    """The change of the boot line that the finding asks for first, if it is one."""
    if finding.verdict is not Verdict.CHANGE or not finding.remedies:
        return None
    first = finding.remedies[0]
    return first if first.kind is RemedyKind.BOOT else None


def _with_rebuild(
    finding: Finding, asleep: Iterable[tuple[Finding, set[str]]], world: World
) -> Finding:
    first = _boot_remedy(finding)
    if first is None or finding.reason:
        return finding
    names = {parameter_name(word) for word in (*first.words, *first.drop)}
    strength = finding.advice.strength
    stirred = [
        other.advice
        for other, asked in asleep
        if other.advice.strength.rank <= strength.rank and names & asked
    ]
    if not stirred:
        return finding
    after = rebooted(world, first)
    woken = [judge_advice(advice, after) for advice in stirred]
    told = [_rebuilt(one) for one in woken if one.verdict is Verdict.CHANGE]
    return finding._replace(reason="; ".join(filter(None, told)))


def _asked_of_the_line(finding: Finding) -> set[str]:
    """The parameters by which it applies or does not."""
    conditions = (finding.tunable.exists, finding.advice.when, finding.advice.unless)
    terms = (term for expr in conditions for term in atoms(expr))
    return {parameter_name(name) for kind, name, *_ in terms if kind == "boot"}


def _rebuilt(finding: Finding) -> str:
    """That it applies, if nothing lighter than a rebuild follows it."""
    first = finding.remedies[0]
    if first.kind is not RemedyKind.REBUILD:
        return ""
    lines = spelled_out(change for change in first.changes if change.role is not Role.SIBLING)
    strength = finding.advice.strength.value
    return f"{finding.tunable.title} ({strength}) applies then: rebuild with {lines}"


def _awake(
    finding: Finding, asleep: Iterable[Finding], findings: Sequence[Finding], world: World
) -> Finding:
    first = _boot_remedy(finding)
    if first is None or first.words or not first.drop:
        return finding
    whole, after = first, rebooted(world, first)
    strength = finding.advice.strength
    for other in (one for one in asleep if one.advice.strength.rank <= strength.rank):
        more = _plus(whole, other, world, after)
        if more == whole:
            continue
        others = [one for one in findings if one.tunable.id == other.tunable.id]
        then = rebooted(world, more)
        if not _asked(others, then) - _asked(others, after):
            whole, after = more, then
    rest = finding.remedies[1:]
    return finding if whole == first else finding._replace(remedies=(whole, *rest))


def _asked(findings: Iterable[Finding], after: World) -> set[str]:
    """Which of the findings ask for something in the world after a remedy."""
    return {
        finding.id
        for finding in findings
        if judge_advice(finding.advice, after).verdict is Verdict.CHANGE
    }


def _plus(remedy: Remedy, other: Finding, world: World, after: World) -> Remedy:
    """The remedy with the words for advice that applies `after` it is followed."""
    fresh = without_lacking(judge_advice(other.advice, after), after)
    more = _boot_remedy(fresh)
    if more is None:
        return remedy
    wanted = merged(list(remedy.words), more.words, world)
    there = {word.text for word in world.line.own()}
    drop = dict.fromkeys(word for word in (*remedy.drop, *more.drop) if word not in wanted)
    # What it would have taken along, since nobody saw it act, and is wanted now stays.
    new = tuple(word for word in wanted if word not in there)
    return remedy._replace(words=new, drop=tuple(drop))
