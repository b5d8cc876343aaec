"""One consistent set of changes for all advice: the fragment of a rebuild, or a boot line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import eq
from typing import TYPE_CHECKING

from advisor.engine.effective.world import World
from advisor.engine.judgement.conflicts import (
    Demands,
    demands,
    disputed_members,
    joint_test,
    undisputed,
)
from advisor.engine.judgement.judge import judge_advice, satisfied_by, targets
from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.hardening import weighed, without_lacking
from advisor.engine.remedy.rebuild import rebuild
from advisor.engine.remedy.runtime_remedies import runtime_remedy
from advisor.engine.remedy.what_if import Goal, rebooted, world_with
from advisor.model import condition
from advisor.model.finding import ASIDE, OPEN, Conflict, Finding, Verdict
from advisor.model.plan import Omission, Plan, Step
from advisor.model.profile import Advice, Option, Strength
from advisor.model.remedy import Change, Remedy, RemedyKind, Role, spelled_out
from advisor.model.tunable import Tunable

if TYPE_CHECKING:
    from advisor.model.tree import Lines, SideEffect

_LIGHTER = {RemedyKind.RUNTIME: "at run time", RemedyKind.BOOT: "on the boot line"}


def plan_fragment(
    findings: list[Finding], conflicts: Iterable[Conflict], world: World, weakest: Strength
) -> Plan:
    """The Kconfig changes for every wanted setting that is not compiled in already.

    The boot line has no say here: a fragment is for a rebuild. Advice weaker than `weakest` is
    only counted; what a rebuild cannot give is listed with its cause.
    """
    conflicts = tuple(conflicts)
    draft = _Draft(findings, world, weakest, conflicts)
    firm, weaker = by_strength(findings, conflicts, weakest)
    # A change can make room for what did not apply before it, so go round until all is settled.
    while draft.extend(firm):
        pass
    held, undone = _verified(draft.steps, draft.after)
    held, fallen = _proven(held, world)
    # Also what a later step brings by default may be what weaker advice wants off.
    optional = sum(judged_again(one, draft.after).verdict in OPEN for one in weaker)
    optional += len(draft.weakened)
    return Plan(held, omissions=(*draft.omissions, *undone, *fallen), optional=optional)


def _proven(steps: tuple[Step, ...], world: World) -> tuple[tuple[Step, ...], list[Omission]]:
    """The steps of which the tree, if there is one, keeps every line beside all the others."""
    tree = world.subject.tree
    omissions: list[Omission] = []
    while tree:
        lines = _lines(steps)
        fallen = {symbol for symbol, value in lines if (tree.value(lines, symbol) or "n") != value}
        lost = [step for step in steps if any(c.symbol in fallen for c in step.remedy.changes)]
        if not lost:
            break
        omissions += [
            omitted(s.finding, "other changes of this plan undo this change") for s in lost
        ]
        steps = tuple(step for step in steps if step not in lost)
    return steps, omissions


def _lines(steps: Iterable[Step]) -> Lines:
    """The lines of the steps, each symbol once, in the order in which a fragment has them."""
    return tuple({c.symbol: c.new for step in steps for c in step.remedy.changes}.items())


def side_effects(plan: Plan, world: World) -> tuple[SideEffect, ...] | None:
    """What the lines of a plan change beside themselves, where a tree tells."""
    return world.subject.tree.effects(_lines(plan.steps)) if world.subject.tree else None


class _Draft:
    """A fragment while it grows, and the world as it will be with it."""

    def __init__(
        self,
        findings: list[Finding],
        world: World,
        weakest: Strength,
        disputed: tuple[Conflict, ...],
    ) -> None:
        self.steps: list[Step] = []
        self.omissions: list[Omission] = []
        # What turned out weaker than was asked for: its lines would undo what hardens the kernel.
        self.weakened: set[str] = set()
        self.after = world_with(world, ())
        self._weakest = weakest
        self._base = world
        self._demands = demands(findings)
        self._disputed = disputed
        self._changes: dict[str, Change] = {}
        self._taken: dict[str, int] = {}

    def extend(self, findings: Iterable[Finding]) -> bool:
        """Adds what each open finding needs, where it can be had; whether there was anything."""
        self.omissions = []
        before, begun = len(self._changes), self.after
        for finding in findings:
            fresh = judged_again(finding, self.after)
            if fresh.verdict is Verdict.UNKNOWN and self.after is not begun:
                # Of two of which either would do on some machine, the first leaves the other open.
                fresh = judged_again(finding, begun)
            if fresh.verdict not in OPEN:
                continue
            later = next(filter(self._begins_with, finding.remedies), None)
            outcome = (
                later._replace(words=(), settings=(), drop=())
                if later
                else self._built(finding, fresh)
            )
            if isinstance(outcome, Blocked):
                if finding.id not in self._taken:
                    self._leave_out(finding, outcome.reason)
                continue
            if needed := self._spoiled(outcome):
                if finding.id not in self._taken:
                    title = needed.finding.tunable.title
                    reason = f"this change would disable an option that {title} needs"
                    self.omissions.append(omitted(finding, reason))
                continue
            # The boot line may have satisfied it so far, and nothing weighed these lines.
            told = _weighed(finding, outcome, self._base)
            if told.advice.strength.rank > self._weakest.rank:
                self.weakened.add(finding.id)
            else:
                self._take(told, outcome)
                if later:
                    reason = "needs a second step after the rebuild"
                    rest = later._replace(changes=(), rebuilt_by="")
                    self.omissions.append(omitted(finding, reason, rest))
        return len(self._changes) > before

    def _built(self, finding: Finding, fresh: Finding) -> Remedy | Blocked:
        """Returns the rebuild for a finding, without the members of a group that are disputed."""
        outcome = _rebuilt(finding, fresh, self._demands, self.after, self._changes)
        if isinstance(outcome, Blocked) or not self._disputed:
            return outcome
        outcome = undisputed(outcome, disputed_members(finding, self._disputed, self._base))
        return outcome if outcome.changes else Blocked("; ".join(outcome.left))

    def _leave_out(self, finding: Finding, reason: str) -> None:
        """Lists what cannot be had; once what pieces of advice with alternatives have in common."""
        told = [(o.advice.profile, o.tunable.id, o.reason) for o in self.omissions]
        this = finding.advice.profile, finding.tunable.id, reason
        if len(finding.advice.options) < 2 or this not in told:
            self.omissions.append(omitted(finding, reason))

    def _begins_with(self, remedy: Remedy) -> bool:
        """Whether a remedy begins with a rebuild that goes with what is planned."""
        planned = (self._changes.get(change.symbol, change).new for change in remedy.changes)
        news = (change.new for change in remedy.changes)
        return remedy.second_step and all(map(eq, news, planned))

    def _spoiled(self, remedy: Remedy) -> Step | None:
        """Return a step that is taken already and would come to nothing with these changes."""
        if all(change.new != "n" for change in remedy.changes):
            return None
        after = world_with(self._base, (*self._changes.values(), *remedy.changes))
        return next((s for s in self.steps if _holds(s, self.after) and not _holds(s, after)), None)

    def _take(self, finding: Finding, remedy: Remedy) -> None:
        """Makes a step of a remedy, or adds it to the step that the finding has."""
        place = self._taken.setdefault(finding.id, len(self.steps))
        if place < len(self.steps):
            step = self.steps[place]
            changes = {c.symbol: c for c in (*step.remedy.changes, *remedy.changes)}
            joined = step.remedy._replace(changes=tuple(changes.values()))
            self.steps[place] = step._replace(remedy=joined)
        else:
            self.steps.append(Step(finding, remedy))
        self._changes.update({change.symbol: change for change in remedy.changes})
        if line := next((one for one in remedy.changes if one.symbol == "CMDLINE"), None):
            # Words of several steps may go from it: each step has the line as it is in the end.
            for number, step in enumerate(self.steps):
                lines = (
                    c._replace(new=line.new) if c.symbol == line.symbol else c
                    for c in step.remedy.changes
                )
                self.steps[number] = step._replace(
                    remedy=step.remedy._replace(changes=tuple(lines))
                )
        self.after = world_with(self._base, self._changes.values())


def _holds(step: Step, after: World) -> bool:
    """Tell whether the setting of a step is there, and what its value needs."""
    tunable = step.finding.tunable
    asked = (tunable.only_if, tunable.needs_of(step.remedy.value))
    return all(after.evaluate(expr) is not False for expr in asked)


def _weighed(finding: Finding, remedy: Remedy, world: World) -> Finding:
    """The finding with what these changes go against, and as weak as that makes it."""
    told = weighed(finding._replace(verdict=Verdict.CHANGE, remedies=(remedy,)), world)
    if not told.against:
        return finding
    return finding._replace(against=told.against, advice=told.advice, uncapped=told.uncapped)


def unblocked(
    findings: Sequence[Finding], disputed: Iterable[Conflict], world: World
) -> list[Finding]:
    """Return the findings with those that other changes of a rebuild clear the way for."""
    waiting = [one for one in findings if one.is_waiting]
    to_do = [one for one in findings if not one.is_left]
    rebuilds = (change for f in to_do for one in f.remedies for change in one.changes)
    then = world_with(world, {change.symbol: change for change in rebuilds}.values())
    # Few are open with all changes made, and a whole plan takes as long as all the rest.
    if all(judge_advice(one.advice, then).is_waiting for one in waiting):
        return [*findings]
    plan = plan_fragment(to_do, disputed, world, Strength.COULD)
    own = {step.finding.id: step for step in plan.steps}
    # What one advice asks for, and another as well, is one step of the plan.
    shared = {step.finding.tunable.id: step for step in plan.steps}
    contested = {conflict.subject for conflict in disputed}
    # With all lines, and without the words that any remedy takes out: they may win over a line.
    told = [step.remedy for step in plan.steps]
    told += [one.remedies[0] for one in findings if one.remedies and not one.is_waiting]
    drop = tuple(dict.fromkeys(word for remedy in told for word in remedy.drop))
    lines = tuple(change for step in plan.steps for change in step.remedy.changes)
    after = rebooted(world, Remedy(RemedyKind.REBUILD, "", drop=drop, changes=lines))

    def cleared(finding: Finding) -> Finding:
        step = own.get(finding.id)
        if step is None and (step := shared.get(finding.tunable.id)):
            again = judge_advice(finding.advice, after, lambda _: False)
            step = step if again.verdict is Verdict.OK else None
        if step is None or finding.tunable.id in contested:
            return finding
        if not is_followed(step.finding.advice, after):
            return finding
        state = after.value(finding.tunable.id)
        if finding.second_step and (not state or state.effective != (step.remedy.value,)):
            return finding
        remedies = (step.remedy._replace(beside=True),)
        change = finding._replace(verdict=Verdict.CHANGE, reason="", remedies=remedies)
        return weighed(change._replace(target=step.remedy.value), world)

    return [cleared(one) if one.is_waiting else one for one in findings]


def by_strength(
    findings: list[Finding], conflicts: Iterable[Conflict], weakest: Strength
) -> tuple[list[Finding], list[Finding]]:
    """The findings that nobody disputes, the strongest first: down to the weakest that counts, and
    those that are weaker."""
    contested = {conflict.subject for conflict in conflicts}
    # Where two exclude each other, the one that is tried first has its way.
    kept = sorted(findings, key=lambda finding: finding.advice.strength.rank)
    kept = [finding for finding in kept if finding.tunable.id not in contested]
    firm = [finding for finding in kept if finding.advice.strength.rank <= weakest.rank]
    return firm, kept[len(firm) :]


def is_followed(advice: Advice, after: World) -> bool:
    """Whether the tunable of one of its options is set as that asks."""
    return any(_satisfied(option, after) for option in advice.ways or advice.options)


def _satisfied(option: Option, after: World) -> bool:
    if condition.surely(option.unless, after):
        return False
    state = after.value(option.tunable)
    good = satisfied_by(option, after)
    if state is None or good is None or not state.effective:
        return True
    # What some input would tell is not for a fragment to decide.
    return any(map(good, state.effective))


def judged_again(finding: Finding, after: World) -> Finding:
    """The finding as it is in the world after some changes."""
    fresh = judge_advice(finding.advice, after)
    return without_lacking(fresh, after) if finding.verdict in ASIDE else fresh


def ways(
    finding: Finding, fresh: Finding, kind: RemedyKind, by_tunable: Demands, after: World
) -> Iterator[tuple[Option, Goal, list[str]]]:
    """The alternatives that a plan may take, each with the values to try for: first that of the
    finding, or of what is judged afresh; no other where the nearest one is less invasive than what
    the plan is made of. Of values that are wanted alike that of the nearest remedy comes first: a
    plan does what the report says."""
    own = finding if finding.verdict in (Verdict.OK, Verdict.CHANGE) else fresh
    if finding.verdict is fresh.verdict is Verdict.CHANGE:
        own = fresh  # another line of the plan may have brought another alternative nearer
    options = sorted(own.advice.options, key=lambda option: option.tunable != own.tunable.id)
    nearest = [remedy.kind for remedy in (finding.remedies or fresh.remedies)[:1]]
    told = finding if finding.verdict is Verdict.CHANGE else fresh
    near = told.target if told.verdict is Verdict.CHANGE and told.remedies else ""
    for option in options[:1] if any(one.rank < kind.rank for one in nearest) else options:
        tunable = after.knowledge.tunable(option.tunable)
        goal = Goal(tunable, joint_test(tunable.id, by_tunable, after), after)
        names = targets(option, tunable, goal.good, after)
        if tunable.id == told.tunable.id and near in option.want:
            names.sort(key=lambda name: name != near)
        yield option, goal, names


def _rebuilt(
    finding: Finding, fresh: Finding, by_tunable: Demands, after: World, planned: dict[str, Change]
) -> Remedy | Blocked:
    """The first wanted value that a rebuild can give beside what is planned already."""
    causes: list[tuple[bool, str]] = []
    own = finding if finding.verdict is Verdict.CHANGE else fresh
    for option, goal, names in ways(finding, fresh, RemedyKind.REBUILD, by_tunable, after):
        tunable = goal.tunable
        for name in names:
            outcome = rebuild(tunable, name, after)
            asked = name in option.want
            if isinstance(outcome, Remedy) and (less := _with_less(outcome, tunable, own, after)):
                causes.append((asked, less))
            elif isinstance(outcome, Remedy):
                for change in outcome.changes:
                    before = planned.get(change.symbol, change)
                    # The built-in line is made shorter by one word after the other.
                    shorter = change.symbol == "CMDLINE" and change.old == before.new
                    if before.new != change.new and not shorter:
                        reason = f"{change.symbol}={before.new} is needed by other advice"
                        causes.append((asked, reason))
                        break
                else:
                    return outcome
            elif outcome:
                causes.append((asked, outcome.reason))
    lighter = [remedy for remedy in fresh.remedies if remedy.kind is not RemedyKind.REBUILD]
    nearest = next(iter(finding.remedies or lighter), None)
    elsewhere = "no Kconfig option sets the wanted value"
    if nearest and nearest.kind in _LIGHTER:
        elsewhere = f"is set {_LIGHTER[nearest.kind]}, without a rebuild"
    elif nearest:
        changes = (change for change in nearest.changes if change.role is not Role.SIBLING)
        elsewhere = (
            f"is on the boot line; the kernel reads the parameter only with {spelled_out(changes)}"
        )
    # What stands against the merely accepted is told where nothing else is.
    told = [reason for asked, reason in causes if asked] or [reason for _, reason in causes]
    return Blocked("; ".join(dict.fromkeys(told)) or elsewhere)


def _with_less(built: Remedy, tunable: Tunable, finding: Finding, after: World) -> str:
    """Why no rebuild is taken where the nearest remedy does with less: it leaves what hardens the
    kernel, or the others of which it chooses one, such as governors."""
    near = next(iter(finding.remedies), None) if finding.tunable.id == tunable.id else None
    if near is None or near.kind not in _LIGHTER:
        return ""
    way, value = _LIGHTER[near.kind], tunable.value(built.value)
    if near.value != built.value:
        alone = finding._replace(verdict=Verdict.CHANGE, remedies=(built,), against=())
        title = tunable.describe((near.value,))
        leaves = f"{title} can be set {way} instead; the kernel then keeps its hardening"
        return leaves if weighed(alone, after).against else ""
    asked = {(one.symbol, one.new) for one in built.changes if one.role is Role.ASKED}
    sets = [pairs for pairs in (value.sets if value else ()) if asked.issubset(pairs)]
    if not sets or all(setting == "n" for _, setting in sets[0]):
        return ""  # what is to be off goes as a whole
    then = world_with(after, built.changes)
    for other in tunable.values:
        if runtime_remedy(tunable, other.name, after) and not runtime_remedy(
            tunable, other.name, then
        ):
            kept = other.title or other.name
            return f"the setting can be changed {way} instead, and {kept} stays available"
    return ""


def _verified(steps: list[Step], after: World) -> tuple[tuple[Step, ...], list[Omission]]:
    """The steps whose advice still holds once all changes are made, and what they leave undone."""
    held, undone = [], []
    for step in steps:
        if step.remedy.left:
            undone.append(omitted(step.finding, "; ".join(step.remedy.left)))
        elif step.finding.second_step:
            pass  # what follows the rebuild is told, and only then it is as wanted
        elif not is_followed(step.finding.advice, after):
            undone.append(
                omitted(step.finding, "other changes of this plan would undo this change")
            )
            continue
        held.append(step)
    return tuple(held), undone


def omitted(finding: Finding, reason: str, remedy: Remedy | None = None) -> Omission:
    """What a finding wants and the plan cannot give; `remedy` would, in another way."""
    return Omission(finding.advice, finding.tunable, finding.wanted, reason, remedy)
