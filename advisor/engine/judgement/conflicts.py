"""Several profiles at once: where they cannot all be satisfied, and who is preferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import satisfied_by
from advisor.engine.remedy.what_if import Test, followed
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.finding import ASIDE, Conflict, Finding, Verdict
from advisor.model.kernel import Machine
from advisor.model.profile import Option, Strength
from advisor.model.remedy import Remedy
from advisor.model.tunable import Tunable, filled

Demand = tuple[Finding, Option]
Demands = dict[str, list[Demand]]
"""By tunable."""


def demands(findings: Iterable[Finding]) -> Demands:
    """What the applicable advice asks, by tunable; alternatives (any_of) bind nobody."""
    by_tunable: Demands = {}
    for finding in findings:
        if finding.verdict in ASIDE or len(finding.advice.options) > 1:
            continue
        untold = finding.verdict is Verdict.OK and finding.missing
        if untold or (finding.verdict is Verdict.UNKNOWN and finding.reason):
            continue  # whether it applies at all was not told
        option = finding.advice.options[0]
        by_tunable.setdefault(option.tunable, []).append((finding, option))
    return by_tunable


def conflicts(findings: Iterable[Finding], world: World) -> list[Conflict]:
    """Tunables for which no single value satisfies all the advice, with both sides."""
    by_tunable = demands(findings)
    disputes = []
    for name, sides in sorted(by_tunable.items()):
        tunable = world.knowledge.tunable(name)
        profiles = {finding.advice.profile for finding, _ in sides}
        suits_all = joint_test(name, by_tunable, world)
        # All may want the same in words, be it that nobody told what these stand for here.
        wanted = [{*option.want, *option.accept} for _, option in sides if not option.avoid]
        alike = len(wanted) == len(sides) and set.intersection(*wanted)
        candidates = _candidates(tunable, sides, world.subject.machine)
        if len(profiles) > 1 and not (alike or any(map(suits_all, candidates))):
            disputes.append(_dispute(tunable, sides))
        if tunable.kind == "group":
            disputes += _member_conflicts(tunable, sides, by_tunable, world)
    return disputes


def out_of_reach(
    findings: list[Finding], together: Iterable[Finding], world: World
) -> list[Conflict]:
    """Tunables with values that suit all the advice, none of which this kernel can have, while one
    profile alone could have what it wants: `together` are the same findings, remedied for all."""
    by_tunable = demands(findings)
    lost = dict.fromkeys(
        alone.tunable.id
        for alone, joint in zip(findings, together, strict=True)
        if alone.verdict is Verdict.CHANGE and joint.verdict is Verdict.BLOCKED
    )
    disputes = []
    for name in lost:
        tunable, sides = world.knowledge.tunable(name), by_tunable[name]
        if len({finding.advice.profile for finding, _ in sides}) > 1:
            disputes.append(_dispute(tunable, sides))
    return disputes


def _dispute(tunable: Tunable, sides: Iterable[Demand]) -> Conflict:
    wishes = tuple((finding.advice, option.wanted(tunable)) for finding, option in sides)
    return Conflict(tunable.id, tunable.title, wishes)


def broken(findings: Iterable[Finding], world: World) -> list[Conflict]:
    """What a policy or a program asks for and a change that others ask for would break, or the
    other way round, where each is a must; both name a thing of their own."""
    findings = list(findings)
    if not any(finding.advice.is_binding for finding in findings):
        return []
    # Of thousands of policies only those are tried that a change touches.
    settled: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.verdict is Verdict.OK and finding.advice.strength is Strength.MUST:
            for name in _rests_on(finding.tunable):
                settled.setdefault(world.spelled(name), []).append(finding)
    disputes = []
    for finding in findings:
        names = _touched(finding.remedies[0]) if finding.verdict is Verdict.CHANGE else ()
        others = {other.id: other for name in names for other in settled.get(name, ())}
        if broken := [other for other in others.values() if _breaks(finding, other, world)]:
            sides = tuple((side.advice, side.wanted) for side in (finding, *broken))
            disputes.append(Conflict(finding.tunable.id, finding.tunable.title, sides))
    return disputes


def _breaks(finding: Finding, other: Finding, world: World) -> bool:
    """Whether what is as the other one wants would not be so once a finding is followed."""
    advice, kept = finding.advice, other.advice
    if advice.profile == kept.profile or not (advice.is_binding or kept.is_binding):
        return False
    after = followed(world, finding.remedies[0]).value(other.tunable.id)
    good = satisfied_by(kept.options[0], world)
    return bool(after and good and not all(map(good, after.effective)))


def _touched(remedy: Remedy) -> list[str]:
    """The symbols and parameters that a remedy changes."""
    words = (parameter_name(word) for word in (*remedy.words, *remedy.drop))
    return sorted({*words, *(change.symbol for change in remedy.changes)})


def _rests_on(tunable: Tunable) -> set[str]:
    """The symbols and parameters that a tunable's values are told by."""
    names = {tunable.symbol, tunable.parameter, *tunable.set_symbols} - {""}
    for value in tunable.values:
        names.update(parameter_name(word) for word in value.boot)
        for kind, name, *_ in condition.atoms(value.when):
            names.add(parameter_name(name) if kind == "boot" else name)
    return names


def _candidates(tunable: Tunable, sides: list[Demand], machine: Machine) -> Iterable[str]:
    """Every value that could satisfy somebody: the named ones, and the ends of ranges."""
    yield from (value.name for value in tunable.values)
    if tunable.kind == "group":
        yield from ("off", "partly", "on")
    for _, option in sides:
        # Ranges that overlap have an end in common, so that the ends are enough.
        for entry in option.want + option.accept:
            yield from filter(None, (filled(entry, machine) or "").split(".."))


def _member_conflicts(
    group: Tunable, sides: list[Demand], by_tunable: Demands, world: World
) -> Iterable[Conflict]:
    """A group that shall be off, one of whose members another profile wants on."""
    off = next((finding.advice for finding, option in sides if option.want == ("off",)), None)
    for member in group.members if off else ():
        provider = world.knowledge.provider(member.symbol)
        if off is None or provider is None or provider[0].id == group.id:
            continue
        tunable, value, _ = provider
        for finding, option in by_tunable.get(tunable.id, ()):
            advice = finding.advice
            if option.want[:1] == (value.name,) and advice.profile != off.profile:
                other = (off, f"{group.describe(('off',))}: {group.title}")
                wishes = ((advice, option.wanted(tunable)), other)
                yield Conflict(tunable.id, tunable.title, wishes)


def disputed_members(
    finding: Finding, disputes: Iterable[Conflict], world: World
) -> frozenset[str]:
    """The symbols of a group's members about which profiles are at odds."""
    if finding.tunable.kind != "group":
        return frozenset()
    others = (one for one in disputes if one.subject != finding.tunable.id)
    mine = (one for one in others if any(side.key == finding.id for side, _ in one.sides))
    tunables = (world.knowledge.tunable(one.subject) for one in mine)
    return frozenset(world.spelled(symbol) for one in tunables for symbol in one.set_symbols)


def undisputed(remedy: Remedy, disputed: frozenset[str]) -> Remedy:
    """The remedy of a group without the members that are disputed, which it leaves."""
    changes = tuple(change for change in remedy.changes if change.symbol not in disputed)
    if len(changes) == len(remedy.changes):
        return remedy
    names = dict.fromkeys(one.symbol for one in remedy.changes if one not in changes)
    left = tuple(f"{name}: the profiles disagree (see the conflict)" for name in names)
    return remedy._replace(changes=changes, left=(*remedy.left, *left))


def at_one(findings: list[Finding], world: World) -> list[Finding]:
    """The findings; of what is set at run time only, each with the values that suit all who ask for
    it, where somebody names such a value: of two that differ the second would undo the first."""
    by_tunable = demands(f for f in findings if f.runtime_only and not f.advice.disks)
    suiting: dict[str, tuple[Remedy, ...]] = {}
    for name, sides in by_tunable.items():
        suits_all = joint_test(name, by_tunable, world)
        ways = {way.value: way for finding, _ in sides for way in finding.remedies}
        suiting[name] = tuple(way for value, way in ways.items() if suits_all(value))

    def settled(finding: Finding) -> Finding:
        ways = suiting.get(finding.tunable.id, ()) if finding.runtime_only else ()
        return finding._replace(remedies=ways) if ways and not finding.advice.disks else finding

    return list(map(settled, findings))


def settle(
    findings: list[Finding], disputes: Iterable[Conflict], prefer: str
) -> tuple[list[Finding], list[Conflict]]:
    """The findings without those a preferred profile overrides, and the conflicts that remain."""
    overruled: set[str] = set()
    remaining = []
    for conflict in disputes:
        sides = [advice for advice, _ in conflict.sides]
        if any(advice.profile == prefer for advice in sides):
            overruled |= {advice.key for advice in sides if advice.profile != prefer}
        else:
            remaining.append(conflict)
    return [f for f in findings if f.id not in overruled], remaining


def specific(
    findings: list[Finding], disputes: Iterable[Conflict], world: World, prefer: str
) -> list[Finding]:
    """The findings, without what a profile asks in these disputes against one that extends it and
    so knows the work better: that one decides, which the finding says. One that is preferred stays.
    """
    ruled: dict[str, str] = {}
    for dispute in disputes:
        profiles = {advice.profile for advice, _ in dispute.sides}
        for advice, _ in dispute.sides:
            over = [name for name in profiles if advice.profile in _general(name, world)]
            if over and advice.profile != prefer:
                keys = (one.key for one, _ in dispute.sides if one.profile == min(over))
                ruled[advice.key] = min(keys)

    def settled(finding: Finding) -> Finding:
        if finding.id not in ruled:
            return finding
        by = ruled[finding.id]
        decides, profile = by.partition("/")[0], finding.advice.profile
        ruled_out = finding.covered(
            by, f"the profile {decides}, which extends {profile}, decides this"
        )
        return ruled_out._replace(target="", missing=frozenset())

    return list(map(settled, findings)) if ruled else findings


def _general(profile: str, world: World) -> set[str]:
    """The profiles that one extends, be it through others."""
    direct = world.knowledge.profile(profile).extends
    return {*direct, *(name for one in direct for name in _general(one, world))}


def shared_test(tunable: str, by_tunable: Demands, world: World) -> Test | None:
    """The test of a value against everybody who has a say about the tunable, where several have."""
    several = len(by_tunable.get(tunable, ())) > 1
    return joint_test(tunable, by_tunable, world) if several else None


def joint_test(tunable: str, by_tunable: Demands, world: World) -> Callable[[str], bool]:
    """The test of a value against everybody who has a say about the tunable."""
    tests = [satisfied_by(option, world) for _, option in by_tunable.get(tunable, ())]
    return lambda value: all(test(value) for test in tests if test)
