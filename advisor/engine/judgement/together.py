"""What remedies do to one another, read from the worlds after each of them alone.

A finding is *covered* if the first remedy of another finding of its strength or more holds all of
its own (of a rebuild: is the same), and leaves nothing of it once followed: `idle=poll` is no
reason for three pieces of advice. It is covered as well if it does not apply then: the performance
policy of a driver that picks frequencies itself pins the energy preference, and advice on that
stands `unless` the governor is that.

Other advice *applies only then*: `idle=poll` makes a limit on idle states needless. Whoever follows
the advice to take it away needs the limit, and is told of both at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.effective.causes import own_parameters
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge_advice
from advisor.engine.remedy.hardening import without_lacking
from advisor.engine.remedy.what_if import followed, merged, world_with
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.finding import Finding, Verdict
from advisor.model.remedy import Remedy, RemedyKind, Role, spelled_out

_SETTLED = (Verdict.OK, Verdict.NOT_APPLICABLE)


def is_open(finding: Finding) -> bool:
    """Tell whether a finding asks for a change that nobody has decided to leave."""
    if not finding.remedies or finding.is_left:
        return False
    return finding.verdict is Verdict.CHANGE or finding.runtime_only


def _only_drops(remedy: Remedy) -> bool:
    return bool(remedy.drop) and not (remedy.words or remedy.changes or remedy.settings)


# --- covered --------------------------------------------------------------------------------------


def without_covered(findings: Sequence[Finding], world: World) -> list[Finding]:
    """Return the findings, those that another one covers with its id.

    The leader is the strongest, of those that only take words away the one whose setting fewest
    parameters make, else the first.
    """
    asked = list(filter(is_open, findings))
    asked.sort(key=lambda one: (one.advice.strength.rank, _breadth(one)))
    covered: dict[str, Finding] = {}
    for leader in asked:
        for other in asked if leader.id not in covered else ():
            if other.id not in covered and _covers(leader, other, world):
                covered[other.id] = leader
    return [
        finding.covered(by.id, _told(by)) if (by := covered.get(finding.id)) else finding
        for finding in findings
    ]


def _breadth(finding: Finding) -> int:
    """Return how many parameters make the setting of a finding that only takes words away."""
    return len(own_parameters(finding.tunable)) if _only_drops(finding.remedies[0]) else 0


def _covers(leader: Finding, other: Finding, world: World) -> bool:
    first, second = leader.remedies[0], other.remedies[0]
    if other is leader or other.advice.strength.rank < leader.advice.strength.rank:
        return False
    given = ["is", leader.tunable.id, "=", first.value]
    if given in map(list, condition.atoms(other.advice.unless)):
        return condition.surely(other.advice.unless, followed(world, first))
    linked = _is_needed_by(leader, other) or _is_needed_by(other, leader)
    if not linked and other.advice.profile != leader.advice.profile:
        return False
    if first.kind is not second.kind:
        return False
    if first.second_step is not second.second_step:
        return False
    if _only_drops(first) and own_parameters(leader.tunable).isdisjoint(
        map(parameter_name, first.drop)
    ):
        return False  # of several that a word merely touches none stands for the others
    own, more = _edits(second), _edits(first)
    if _only_drops(first) and own < more and _breadth(leader) > _breadth(other):
        return False  # what it takes away besides is narrower: l1tf=off beside mitigations=off
    # A part of a rebuild has a purpose of its own, unless one finding is the reason of the other.
    whole = first.kind is RemedyKind.REBUILD and not linked
    if not (own == more if whole else own and own <= more):
        return False
    if other.remedies == leader.remedies:
        return True
    after = followed(world, first)
    return judge_advice(other.advice, after, lambda _: False).verdict in _SETTLED


def _is_needed_by(requirement: Finding, finding: Finding) -> bool:
    """Return whether what a finding wants is told to be needed for that requirement."""
    return any(one.key == requirement.advice.key for one in finding.advice.needed_by)


def _edits(remedy: Remedy) -> set[tuple[str, str]]:
    """Return what a remedy changes, edit by edit."""
    lines = ((c.symbol, c.new) for c in remedy.changes if c.role is not Role.SIBLING)
    settings = ((setting.key, setting.value) for setting in remedy.settings)
    words = (("add", word) for word in remedy.words)
    return {*lines, *settings, *words, *(("drop", word) for word in remedy.drop)}


def _told(leader: Finding) -> str:
    first, tunable = leader.remedies[0], leader.tunable
    drops = f"without {' '.join(first.drop)}" if _only_drops(first) else ""
    return (
        f"included in the change of {tunable.title} ({drops or tunable.describe((first.value,))})"
    )


def told_once(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings; where another finding asks for the same rebuild, the one with a second
    step names that finding instead."""
    lines = {
        one.id: {(change.symbol, change.new) for way in one.remedies for change in way.changes}
        for one in findings
        if one.verdict is Verdict.CHANGE and is_open(one)
    }
    rebuilds = [(f.tunable.title, lines.get(f.id, set())) for f in findings if not f.second_step]
    found = []
    for finding in findings:
        remedies = finding.remedies
        if finding.second_step and (own := lines.get(finding.id)):
            other = next((title for title, others in rebuilds if own <= others), "")
            rebuilds += [] if other else [(finding.tunable.title, own)]
            remedies = tuple(one._replace(rebuilt_by=other) for one in remedies)
        found.append(finding._replace(remedies=remedies))
    return found


# --- what applies only then -----------------------------------------------------------------------


def with_what_follows(findings: Sequence[Finding], world: World) -> list[Finding]:
    """Return the findings, each with what its first remedy makes other findings of.

    One that only takes words away brings the words for advice as strong as its own that applies
    only then. What then takes a rebuild is told beside it, as is advice of which a rebuild leaves
    nothing.
    """
    asleep = [finding for finding in findings if finding.verdict is Verdict.NOT_APPLICABLE]
    asked = [f for f in findings if f.verdict is Verdict.CHANGE and not f.waived and f.remedies]

    def with_them(finding: Finding) -> Finding:
        first, rank = finding.remedies[0], finding.advice.strength.rank
        if first.kind is RemedyKind.BOOT:
            stirred = [other for other in asleep if other.advice.strength.rank <= rank]
            woken: list[str] = []
            if _only_drops(first):
                first, woken = _with_woken(first, stirred, findings, world)
            told = [*woken, *_rebuilds_then(first, stirred, world)]
        else:
            told = [*_at_odds(finding, asked, world)]
        reason = finding.reason or "; ".join(told)
        return finding._replace(remedies=(first, *finding.remedies[1:]), reason=reason)

    changing = {one.id for one in findings if one.verdict is Verdict.CHANGE and one.remedies}
    return [with_them(one) if one.id in changing else one for one in findings]


def _with_woken(
    first: Remedy, asleep: Iterable[Finding], findings: Sequence[Finding], world: World
) -> tuple[Remedy, list[str]]:
    """Return the remedy with the words for advice that applies once it is followed, and which
    advice that is; not for advice that others of the same tunable would then undo."""
    told: list[str] = []
    for other in asleep:
        after = followed(world, first)
        fresh = without_lacking(judge_advice(other.advice, after), after)
        more = fresh.remedies[0] if fresh.verdict is Verdict.CHANGE else None
        if more is None or more.kind is not RemedyKind.BOOT:
            continue
        wanted = merged(list(first.words), more.words, world)
        there = {word.text for word in world.line.own()}
        drop = dict.fromkeys(word for word in (*first.drop, *more.drop) if word not in wanted)
        # What it would have taken along, since nobody saw it act, and is wanted now stays.
        new = tuple(word for word in wanted if word not in there)
        longer = first._replace(words=new, drop=tuple(drop))
        others = [one for one in findings if one.tunable.id == other.tunable.id]
        if not _asking(others, followed(world, longer)) - _asking(others, after):
            besides = [word for word in new if word not in first.words]
            besides += [word for word in drop if word not in first.drop]
            first = longer
            told += [_applying(fresh, " ".join(besides))] if besides else []
    return first, told


def _applying(woken: Finding, words: str) -> str:
    """Return which advice the words of a remedy are for, once its other words are gone."""
    advice = woken.advice
    by = f"{advice.profile}, {advice.strength.value}"
    cost = woken.cost.rstrip(".")
    return f"{words}: needed after this change for {woken.tunable.title} ({by})" + (
        f"; cost: {cost}" if cost else ""
    )


def _asking(findings: Iterable[Finding], after: World) -> set[str]:
    """Return which of the findings ask for something in the world after a remedy."""
    judged = (judge_advice(finding.advice, after) for finding in findings)
    return {one.id for one in judged if one.verdict is Verdict.CHANGE}


def _rebuilds_then(first: Remedy, asleep: Iterable[Finding], world: World) -> Iterator[str]:
    """Yield which advice applies after a change of the boot line and takes a rebuild."""
    names = {parameter_name(word) for word in (*first.words, *first.drop)}
    for other in asleep:
        asked = (other.tunable.only_if, other.advice.only_if, other.advice.unless)
        terms = (term for expr in asked for term in condition.atoms(expr))
        if names.isdisjoint(parameter_name(name) for kind, name, *_ in terms if kind == "boot"):
            continue
        woken = judge_advice(other.advice, followed(world, first))
        remedy = woken.remedies[0] if woken.verdict is Verdict.CHANGE else None
        if remedy and remedy.kind is RemedyKind.REBUILD:
            lines = spelled_out(c for c in remedy.changes if c.role is not Role.SIBLING)
            strength = other.advice.strength.value
            applies = f"after this change, {other.tunable.title} ({strength}) applies"
            yield f"{applies}: rebuild with {lines}"


def _at_odds(finding: Finding, asked: Iterable[Finding], world: World) -> Iterator[str]:
    """Yield that a rebuild takes away what advice as strong needs, and that the rebuild of stronger
    advice takes away what this one needs."""
    rank = finding.advice.strength.rank
    others = [other for other in asked if other.tunable.id != finding.tunable.id]
    undone = dict.fromkeys(
        other.tunable.title
        for other in others
        if other.advice.strength.rank <= rank and _undoes(finding, other, world)
    )
    if undone:
        yield f"this change would remove other wanted settings: {', '.join(undone)}"
    stronger = dict.fromkeys(
        f"{other.tunable.title} ({other.advice.strength.value})"
        for other in others
        if other.advice.strength.rank < rank and _undoes(other, finding, world)
    )
    if stronger:
        yield f"one kernel cannot have both this change and stronger advice: {', '.join(stronger)}"


def _undoes(finding: Finding, other: Finding, world: World) -> bool:
    """Return whether a kernel with the rebuild of a finding cannot have what the other one wants,
    which it can have alone."""
    changes, remedy = finding.remedies[0].changes, other.remedies[0]
    off = {change.symbol for change in changes if change.new == "n"}
    needed = {change.symbol for change in remedy.changes if change.new != "n"}
    asked = (other.tunable.only_if, other.tunable.needs_of(remedy.value))
    used = {world.spelled(name) for expr in asked for name in condition.symbols(expr)}
    if needed <= off or used.isdisjoint(change.symbol for change in changes):
        return False
    # Each with what the other one brings itself.
    alone, after = (world_with(world, more) for more in (remedy.changes, remedy.changes + changes))
    lost = (expr for expr in asked if after.evaluate(expr) is False)
    return any(alone.evaluate(expr) is not False for expr in lost)
