"""The whole way of one subject: state, judgement, conflicts, diagnostics, and a plan if asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.engine import fingerprint
from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge, judge_advice, resting_on, satisfied_by
from advisor.engine.judgement.together import told_once, with_what_follows, without_covered
from advisor.engine.remedy.hardening import hardened, without_lacking
from advisor.engine.remedy.packaged import with_packages
from advisor.inputs.builtin_cmdline import lines_of
from advisor.knowledge.store import Knowledge
from advisor.model.condition import surely
from advisor.model.finding import Conflict, Diagnostic, Finding, Verdict
from advisor.model.kernel import Severity
from advisor.model.plan import Kept, Omission, Plan
from advisor.model.profile import REQUIRES, Profile, Stance, Strength
from advisor.model.remedy import RemedyKind
from advisor.model.report import Report, Size
from advisor.model.subject import Subject
from advisor.model.sysctl import release_of
from advisor.record import NamedTuple
from advisor.repository import RepositoryPaths

if TYPE_CHECKING:
    from advisor.engine.judgement.conflicts import Demand
    from advisor.engine.waivers import Accepted
    from advisor.model.measured import Measured
    from advisor.model.plan import Scope
    from advisor.model.tree import TreeOracle


class Policy(NamedTuple):
    """What the user decided: `plan` is empty, `fragment`, `cmdline`, or what a whole plan
    may have; see parse_fail_on.

    Unless `in_full`, nothing is told of what distributions do, nor by which lines that is so which
    is right already. What is `accepted` stays; `paths` tells what a configuration is called within
    its repository. With `keep_words` a planned boot line also holds those of the user's words that
    the kernel makes nothing of. With `costs` the report has a ledger of what was measured.
    """

    fail_on: frozenset[str] = frozenset(("must", "error"))
    prefer: str = ""
    plan: str | Scope = ""
    weakest: Strength = Strength.SHOULD
    in_full: bool = False
    accepted: Accepted | None = None
    paths: RepositoryPaths = RepositoryPaths()
    keep_words: bool = False
    costs: bool = False


# The parameters that say which CPUs the operator isolates.
_ISOLATING = frozenset(("isolcpus", "nohz_full"))
# Everything --fail-on may name; a strength includes the stronger ones, as does a severity.
FAIL_ON = ("must", "should", "could", "blocked", "unknown", "error", "warning", "note", "never")


def audit(
    subject: Subject, knowledge: Knowledge, profiles: Iterable[Profile], policy: Policy
) -> Report:
    """The report of one subject under these profiles."""
    profiles = tuple(profiles)
    world = _world(subject, knowledge, profiles)
    subject = world.subject
    path = policy.paths.of(subject.name)
    findings = _judged(world, profiles, policy, path)
    findings, disputed = _together(findings, world, policy)
    findings = _with_neutral_harm(findings, profiles, world)
    if world.line.words:
        from advisor.engine.owners import with_boot_words

        findings = [with_boot_words(finding) for finding in findings]
    if subject.next:
        from advisor.engine.owners import with_owners

        findings = [with_owners(finding, subject.next, world) for finding in findings]
    findings = with_packages(findings, world)
    diagnostics = _diagnosed(findings, world, policy, path)
    plan = _planned(findings, disputed, diagnostics, world, policy)
    ledger = None
    if policy.costs:
        from advisor.engine.costs import ledger as made

        ledger = made(world)
    built_in = (line.text for line in lines_of(subject) if line is not subject.cmdline)
    failed = fails(findings, diagnostics, policy.fail_on) or bool(disputed)
    return Report(
        name=subject.name,
        kernel=subject.kernel,
        machine=subject.machine,
        complete=subject.config.complete,
        cmdline=subject.cmdline.text if subject.cmdline else None,
        profiles=profiles,
        findings=tuple(findings),
        diagnostics=tuple(diagnostics),
        conflicts=tuple(fingerprint.of_conflicts(disputed, path)),
        plan=plan,
        failed=failed,
        practice={
            name: knowledge.practice.of(name, subject.machine.arch)
            for name in dict.fromkeys(finding.tunable.id for finding in findings)
            if policy.in_full
        },
        fail_on=policy.fail_on,
        sysctl=bool(subject.sysctl),
        path=path,
        inferred=subject.inferred,
        merged=subject.merged,
        hardened=hardened(world),
        lines=subject.lines,
        measured=_measured(findings, world),
        kept=_kept(findings, world),
        ledger=ledger,
        sizes=tuple(_sizes(profiles, world)),
        in_use=subject.in_use,
        built_in=" ".join(next(built_in, "").split()),
        release=release_of(subject.sysctl),
    )


def _judged(
    world: World, profiles: tuple[Profile, ...], policy: Policy, path: str
) -> list[Finding]:
    """Return a finding for each advice, by its fingerprint, with the waiver that accepts it."""
    # Before all else that changes findings: what accepts them knows them by their keys.
    judged = [without_lacking(finding, world) for finding in judge(world, profiles)]
    if any(finding.advice.needed_by for finding in judged):
        from advisor.engine.judgement.needing import narrowed

        judged = [narrowed(finding, world) for finding in judged]
    findings = fingerprint.of_findings(judged, path)
    if policy.in_full:
        # With the lines by which it is so, which the judge leaves out of what is right.
        findings = [
            one._replace(state=world.state(one.tunable.id) or one.state)
            if one.verdict is Verdict.OK
            else one
            for one in findings
        ]
    return policy.accepted.findings(findings, path) if policy.accepted else findings


def _together(
    findings: list[Finding], world: World, policy: Policy
) -> tuple[list[Finding], list[Conflict]]:
    """Return the findings as their remedies stand beside one another, and what is disputed."""
    findings = without_covered(findings, world)
    disputed: list[Conflict] = []
    several = len({finding.advice.profile for finding in findings}) > 1
    if several:
        findings, disputed = _reconciled(findings, world, policy)
    is_waiting = any(finding.is_waiting for finding in findings)
    if is_waiting:
        from advisor.engine.plan.fragment_plan import unblocked

        findings = unblocked(findings, disputed, world)
    if several or is_waiting:
        findings = told_once(without_covered(findings, world))  # of remedies that are others now
    findings = with_what_follows(findings, world)
    tree = world.subject.tree
    if tree and not policy.plan:  # of a plan, all side effects are told
        findings = [_priced(finding, tree) for finding in findings]
    return findings, disputed


def _with_neutral_harm(
    findings: list[Finding], profiles: Iterable[Profile], world: World
) -> list[Finding]:
    """Return the findings; of those that ask for a change, each with the harm that another profile
    knows of on some machines, without a wish of its own."""
    harms: dict[str, dict[str, str]] = {}
    for advice in (one for profile in profiles for one in profile.advice):
        applies = advice.stance is Stance.NEUTRAL and world.evaluate(advice.only_if) is not False
        if applies and advice.otherwise and not surely(advice.unless, world):
            harms.setdefault(advice.options[0].tunable, {})[advice.profile] = advice.otherwise

    def told(finding: Finding) -> Finding:
        known = harms.get(finding.tunable.id, {}).items()
        others = [f"{who}: {text.rstrip('.')}" for who, text in known]
        if not others or finding.verdict is not Verdict.CHANGE:
            return finding
        return finding._replace(reason="; ".join(filter(None, (finding.reason, *others))))

    return list(map(told, findings)) if harms else findings


def _diagnosed(
    findings: list[Finding], world: World, policy: Policy, path: str
) -> list[Diagnostic]:
    """Return the problems of the inputs, beside what the findings ask for."""
    told = diagnose(world, findings)
    if any(finding.advice.profile.startswith(REQUIRES) for finding in findings):
        from advisor.engine.clashes import disagreeing

        told += disagreeing(findings, world)
    if world.line.words:
        from advisor.engine.plan.idle_words import beside_remedies

        told = beside_remedies(told, findings, world)
    found = fingerprint.of_diagnostics(told, path)
    return policy.accepted.diagnostics(found, path) if policy.accepted else found


def _measured(findings: Iterable[Finding], world: World) -> dict[str, tuple[Measured, ...]]:
    """What the lab measured of the changes that the findings ask for."""
    known = [
        one
        for one in findings
        if one.verdict is Verdict.CHANGE and world.knowledge.is_measured(one.tunable.id)
    ]
    if not known:
        return {}
    from advisor.engine.costs import of_findings

    return of_findings(known, world)


def _kept(findings: Iterable[Finding], world: World) -> dict[str, tuple[Kept, ...]]:
    """The files that make the first remedy of a finding last, where it acts at run time."""
    changes = (one for one in findings if one.verdict is Verdict.CHANGE and one.remedies)
    passing = [one for one in changes if one.remedies[0].kind is RemedyKind.RUNTIME]
    if not passing:
        return {}
    from advisor.engine.plan.carriers import kept

    return {one.id: tuple(kept(one, one.remedies[0].settings, world)) for one in passing}


def _reconciled(
    findings: list[Finding], world: World, policy: Policy
) -> tuple[list[Finding], list[Conflict]]:
    """The findings of several profiles as one list, and where they are at odds.

    What is waived asks for nothing, and so disputes nothing.
    """
    from advisor.engine.judgement.conflicts import (
        at_one,
        broken,
        conflicts,
        out_of_reach,
        settle,
        specific,
    )

    findings = specific(findings, conflicts(_to_do(findings), world), world, policy.prefer)
    found = [*conflicts(_to_do(findings), world), *broken(_to_do(findings), world)]
    findings, disputed = settle(findings, found, policy.prefer)
    together = _jointly(findings, disputed, world)
    if lost := out_of_reach(findings, together, world):
        findings = specific(findings, lost, world, policy.prefer)
        together = _jointly(findings, disputed, world)
        lost = out_of_reach(findings, together, world)
        findings, more = settle(findings, lost, policy.prefer)
        disputed += more
        together = _jointly(findings, disputed, world)
    return at_one(together, world), disputed


def _world(subject: Subject, knowledge: Knowledge, profiles: tuple[Profile, ...]) -> World:
    """The subject as it is judged: its changed lines told apart, its CPUs as its line parts them,
    and in a tree without paying with what satisfied advice rests on."""
    if subject.lines:
        from advisor.engine.names.lines import accounted

        subject = accounted(subject, knowledge)
    world, machine = World(subject, knowledge), subject.machine
    if machine.isolate is None and not _ISOLATING.isdisjoint(world.line.by_name):
        from advisor.engine.effective.cpu_lists import divided

        parted = subject._replace(machine=divided(machine, world.line.lists()))
        world = World(parted, knowledge)
    if subject.tree:
        world = World(protected(world.subject, knowledge, profiles), knowledge)
    return world


def _sizes(profiles: tuple[Profile, ...], world: World) -> Iterator[Size]:
    """What the profiles leave to the site to compute, once for all of them, where it exists."""
    computed: dict[str, dict[str, str]] = {}
    machine, every = world.subject.machine, [one for p in profiles for one in p.advice]
    answered = {
        option.tunable
        for one in every
        if one.ask and getattr(machine, one.ask) is not None
        for option in one.options
    }
    for advice in (one for one in every if one.sized):
        if advice.options[0].tunable in answered:
            continue
        if world.evaluate(advice.only_if) is not False and not surely(advice.unless, world):
            computed.setdefault(advice.options[0].tunable, {})[advice.profile] = advice.sized
    for name, texts in computed.items():
        if state := world.state(name):
            yield Size(world.knowledge.tunable(name), state, tuple(texts.items()))


def protected(subject: Subject, knowledge: Knowledge, profiles: tuple[Profile, ...]) -> Subject:
    """The subject with the symbols on which satisfied advice rests: no plan shall pay with them."""
    # Only whether advice is satisfied counts here, which no tree has to tell, and no remedy.
    world = World(subject._replace(tree=None), knowledge)
    guarded: set[str] = set()
    settled: set[str] = set()
    for finding in judge(world, profiles, lambda _: False):
        if finding.verdict is Verdict.OK:
            symbols = resting_on(finding, world)
            (guarded if finding.advice.stance is Stance.KEEP else settled).update(symbols)
    return subject._replace(guarded=frozenset(guarded), settled=frozenset(settled))


def _planned(
    findings: list[Finding],
    disputed: list[Conflict],
    diagnostics: list[Diagnostic],
    world: World,
    policy: Policy,
) -> Plan:
    if not policy.plan:
        return Plan()
    from advisor.engine.plan.boot_line_plan import plan_bootline
    from advisor.engine.plan.fragment_plan import plan_fragment, side_effects

    todo = _to_do(findings)
    if policy.plan == "cmdline":
        accepted = frozenset(item.subject for item in diagnostics if item.is_left)
        keep = None if policy.keep_words else accepted
        plan = plan_bootline(todo, disputed, world, policy.weakest, keep)
    elif isinstance(policy.plan, str):
        plan = plan_fragment(todo, disputed, world, policy.weakest)
    else:
        from advisor.engine.plan.whole_plan import plan_whole

        plan = plan_whole(todo, disputed, world, policy.weakest, policy.plan)
        if world.subject.next:
            from advisor.engine.sysctl_order import with_order

            plan = with_order(plan, world.subject.next, world)
    if policy.plan != "cmdline":
        plan = plan._replace(effects=side_effects(plan, world))
    waived = [
        Omission(f.advice, f.tunable, f.wanted, f"waived: {f.waived.reason}")
        for f in findings
        if f.waived and f.is_left
    ]
    return plan._replace(omissions=(*plan.omissions, *waived))


def _priced(finding: Finding, tree: TreeOracle) -> Finding:
    """The finding with what its rebuilds would take away; of one that works by itself."""

    remedies = (
        one._replace(lost=tree.lost(tuple((change.symbol, change.new) for change in one.changes)))
        if one.changes and not one.beside
        else one
        for one in finding.remedies
    )
    return finding._replace(remedies=tuple(remedies))


def _to_do(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if not finding.is_left]


def _jointly(findings: list[Finding], disputed: list[Conflict], world: World) -> list[Finding]:
    """The findings with remedies that suit every profile; with none where profiles dispute."""
    from advisor.engine.judgement.conflicts import (
        demands,
        disputed_members,
        shared_test,
        undisputed,
    )

    demanded = demands(_to_do(findings))
    contested = {conflict.subject for conflict in disputed}

    def settled(finding: Finding) -> Finding:
        name = finding.tunable.id
        if finding.verdict is not Verdict.CHANGE or finding.is_left:
            return finding
        if name in contested:
            return finding._replace(remedies=(), reason="the profiles disagree: see the conflict")
        if members := disputed_members(finding, disputed, world):
            ways = [undisputed(one, members) for one in finding.remedies]
            left = dict.fromkeys(text for one in ways for text in one.left)
            whole = tuple(one for one in ways if one.changes or one.words or one.settings)
            finding = finding._replace(remedies=whole, reason="; ".join(left))
        if allowed := shared_test(name, demanded, world):
            strength = finding.uncapped or finding.advice.strength
            advice = finding.advice._replace(strength=strength)
            again = judge_advice(advice, world, allowed)
            if again.verdict is Verdict.CHANGE and again.target != finding.target:
                reason = _ruled_out(finding, demanded[name], world)
                again = again._replace(reason="; ".join(filter(None, (again.reason, reason))))
            return again._replace(waived=finding.waived, fingerprint=finding.fingerprint)
        return finding

    return list(map(settled, findings))


def _ruled_out(finding: Finding, sides: Iterable[Demand], world: World) -> str:
    """Which profiles rule out the value that a finding alone leads to; empty if none does."""
    tests = ((other.advice.profile, satisfied_by(option, world)) for other, option in sides)
    against = dict.fromkeys(name for name, good in tests if good and not good(finding.target))
    value = finding.tunable.describe((finding.target,))
    return f"ruled out by {' and '.join(against)}: {value}" if against else ""


def fails(
    findings: Iterable[Finding], diagnostics: Iterable[Diagnostic], fail_on: frozenset[str]
) -> bool:
    """Whether something that is not waived is of a grade that fails."""
    grades = {finding.grade for finding in findings if not finding.waived}
    grades |= {item.severity.value for item in diagnostics if not item.waived}
    return not fail_on.isdisjoint(grades)


def parse_fail_on(text: str) -> frozenset[str]:
    """`should,warning` as the grades that fail. Raises ValueError naming the unknown word."""
    grades: set[str] = set()
    for word in map(str.strip, text.split(",")):
        if word not in FAIL_ON:
            raise ValueError(repr(word))
        if word == "never" and text.strip() != word:
            raise ValueError(f"{word!r} beside others")
        scales = [[member.value for member in scale] for scale in (Strength, Severity)]
        for names in (*scales, ["blocked"], ["unknown"]):
            if word in names:
                grades.update(names[: names.index(word) + 1])
    return frozenset(grades)
