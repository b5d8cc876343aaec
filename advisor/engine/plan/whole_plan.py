"""One consistent set of changes for one machine: settings of run time, the boot line, a fragment.

Each finding has its first remedy, the least invasive one. The boot line and the fragment are those
of their own plans, made for the findings that they are for. What the changes wake comes along: the
other advice is judged again in the world that follows, until nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.effective.world import World
from advisor.engine.judgement.conflicts import demands, shared_test
from advisor.engine.judgement.judge import judge_advice, satisfied_by
from advisor.engine.judgement.together import is_open
from advisor.engine.plan.boot_line_plan import UNWANTED, plan_bootline
from advisor.engine.plan.carried import carried
from advisor.engine.plan.carriers import kept
from advisor.engine.plan.fragment_plan import by_strength, is_followed, omitted, plan_fragment
from advisor.engine.plan.grounds import with_grounds
from advisor.engine.remedy.hardening import without_lacking
from advisor.engine.remedy.what_if import rebooted, with_settings
from advisor.model.cmdline import parameter_name, parse_cmdline
from advisor.model.finding import Conflict, Finding, Verdict
from advisor.model.plan import Item, Omission, Plan, Scope, Step
from advisor.model.profile import Strength
from advisor.model.remedy import Remedy, RemedyKind, Setting

_NO_BASE = "needs a rebuild: give --tree TREE, or --whole if the file is complete"


def plan_whole(
    findings: Sequence[Finding],
    conflicts: Iterable[Conflict],
    world: World,
    weakest: Strength,
    scope: Scope,
) -> Plan:
    """The changes for every open finding of this strength that the scope has, each once."""
    conflicts = tuple(conflicts)
    firm, weaker = by_strength([*filter(scope.takes, findings)], conflicts, weakest)
    again = {finding.id: finding for finding in carried(firm, world)}
    chosen = [again.get(one.id, one) for one in firm if is_open(one) or one.id in again]
    draft = _Draft(findings, conflicts, world, weakest, scope)
    draft.make(chosen)
    while more := list(_woken(firm, chosen, draft, world)):
        chosen += more
        draft.make(chosen)
    blocked = [omitted(f, f.reason) for f in firm if f.verdict is Verdict.BLOCKED]
    by_effort = sorted(draft.items(), key=lambda item: item.remedy.kind.rank)
    return Plan(
        steps=draft.rebuild.steps,
        whole=True,
        items=tuple(with_grounds(by_effort, world)),
        words=draft.boot.words,
        dropped=draft.boot.dropped,
        cmdline=draft.boot.cmdline,
        built_in=draft.boot.built_in,
        omissions=(*draft.omissions(), *blocked),
        optional=sum(map(is_open, weaker)),
    )


class _Draft:
    """The changes for some findings, and the world as it will be with all of them."""

    def __init__(
        self,
        findings: Sequence[Finding],
        conflicts: tuple[Conflict, ...],
        world: World,
        weakest: Strength,
        scope: Scope,
    ) -> None:
        self.boot = self.rebuild = Plan()
        self.after = world
        self._findings = findings
        self._conflicts = conflicts
        self._world = world
        self._weakest = weakest
        self._effort = scope.effort
        self._chosen: list[Finding] = []
        self._at_run_time: list[Finding] = []
        self._on_line: set[str] = set()
        self._needless: set[str] = set()
        self._demands = demands(findings)
        self.refused: dict[str, Finding] = {}

    def make(self, chosen: Sequence[Finding]) -> None:
        """Plans anew, for these findings."""
        self._chosen = list(chosen)
        self._on_line = {one.id for one in chosen if self._lasts_on_line(one)}
        self._needless = set()
        booted = self._booted()
        # A built-in line gives way to a boot line: then the words are to stand on that, or not.
        instead = {
            step.finding.id
            for step in (self.rebuild.steps if self.boot.words else ())
            if not (step.finding.second_step or step.remedy.left)
            and not is_followed(step.finding.advice, booted)
        }
        if instead:
            self._on_line |= instead
            booted = self._booted()
        # What only another processor takes is for nobody who told of none.
        written = (one for one in chosen if self._kind(one) is RemedyKind.RUNTIME)
        self._at_run_time = [one for one in written if not one.remedies[0].vendor]
        self.after = with_settings(booted, self._settings())
        while lost := next((f for f in self._at_run_time if not _has_way(f, self.after)), None):
            self._replace(lost, booted)
            self.after = with_settings(booted, self._settings())
        for finding in [*self._at_run_time]:
            if self._is_needless(finding, booted):
                self._at_run_time.remove(finding)
                self._needless.add(finding.id)
                self.after = with_settings(booted, self._settings())

    def _booted(self) -> World:
        """Plans the boot line and the fragment, and returns the world after a boot with both."""
        world, weakest = self._world, self._weakest
        line = world.subject.cmdline
        boot, rebuild = self._of(RemedyKind.BOOT), self._of(RemedyKind.REBUILD)
        self.boot, self.rebuild = Plan(cmdline=line.text if line else ""), Plan()
        if boot:
            self.boot = plan_bootline(boot, (), world, weakest)
        if rebuild and world.config.complete:
            self.rebuild = plan_fragment(rebuild, self._conflicts, world, weakest)
            self._take_off_line(rebuild)
        changes = tuple(change for step in self.rebuild.steps for change in step.remedy.changes)
        every = Remedy(RemedyKind.REBUILD, "", (), self.boot.words, self.boot.dropped, changes)
        return rebooted(world, every)

    def _take_off_line(self, rebuild: Iterable[Finding]) -> None:
        """Takes the words off the boot line that would win over the rebuilt kernel's value."""
        words = {finding.id: finding.remedies[0].drop for finding in rebuild if finding.remedies}
        steps = tuple(
            step._replace(remedy=step.remedy._replace(drop=words.get(step.finding.id, ())))
            for step in self.rebuild.steps
        )
        self.rebuild = self.rebuild._replace(steps=steps)
        line = parse_cmdline(self.boot.cmdline)
        gone = dict.fromkeys(word for step in steps for word in step.remedy.drop)
        if any(word.text in gone for word in line.words):
            dropped = tuple(dict.fromkeys((*self.boot.dropped, *gone)))
            self.boot = self.boot._replace(dropped=dropped, cmdline=line.without(gone))

    def _replace(self, lost: Finding, booted: World) -> None:
        """Takes another remedy for a finding whose own the other settings rule out, or none."""
        self._at_run_time.remove(lost)
        beside = with_settings(booted, self._settings())
        suits_all = shared_test(lost.tunable.id, self._demands, beside)
        fresh = judge_advice(lost.advice, beside, suits_all)
        if fresh.verdict is Verdict.CHANGE and fresh.remedies[0].kind is RemedyKind.RUNTIME:
            with_it = with_settings(booted, [*self._settings(), *fresh.remedies[0].settings])
            if _has_way(fresh, with_it):
                self._at_run_time.append(fresh)

    def _lasts_on_line(self, finding: Finding) -> bool:
        """Whether no file keeps the setting, and a word of the boot line does."""
        first, *others = finding.remedies
        boot = RemedyKind.BOOT
        if first.kind is not RemedyKind.RUNTIME or boot.rank > self._effort.rank:
            return False
        if all(one.kind is not boot for one in others):
            return False
        return not any(one.file for one in kept(finding, first.settings, self._world))

    def _is_needless(self, finding: Finding, booted: World) -> bool:
        """Whether the advice applies to nothing once the other changes are made."""
        if judge_advice(finding.advice, self.after).verdict is not Verdict.NOT_APPLICABLE:
            return False
        beside = with_settings(booted, self._settings(but=finding))
        return judge_advice(finding.advice, beside).verdict is Verdict.NOT_APPLICABLE

    def _of(self, kind: RemedyKind) -> list[Finding]:
        """The findings whose remedy is of this kind, and what else has a say on their tunables."""
        if kind.rank > self._effort.rank:
            return []
        own = [one for one in self._chosen if self._kind(one) is kind]
        asked, ids = {one.tunable.id for one in own}, {one.id for one in own}
        others = (one for one in self._findings if one.verdict is Verdict.OK)
        return [*own, *(f for f in others if f.tunable.id in asked and f.id not in ids)]

    def _kind(self, finding: Finding) -> RemedyKind:
        return RemedyKind.BOOT if finding.id in self._on_line else finding.remedies[0].kind

    def _settings(self, but: Finding | None = None) -> list[Setting]:
        others = (finding for finding in self._at_run_time if finding is not but)
        return [one for finding in others for one in finding.remedies[0].settings]

    def items(self) -> Iterator[Item]:
        """Each change once, with the profiles that ask for it."""
        merged: dict[tuple[tuple[str, tuple[str, ...]], tuple[Setting, ...]], Step] = {}
        for step in self._steps():
            of = step.finding.tunable.id, step.finding.advice.disks
            merged.setdefault((of, step.remedy.settings), step)
        for ((name, disks), _), (finding, remedy) in merged.items():
            same = (f for f in self._chosen if (f.tunable.id, f.advice.disks) == (name, disks))
            profiles = (finding.advice.profile, *(one.advice.profile for one in same))
            files = tuple(kept(finding, remedy.settings, self._world))
            files = files if remedy.kind is RemedyKind.RUNTIME else ()
            yield Item(finding, remedy, tuple(dict.fromkeys(profiles)), files)

    def _steps(self) -> Iterator[Step]:
        for finding in self._at_run_time:
            if self._holds(finding):
                yield Step(finding, finding.remedies[0])
        for step in self.boot.steps:
            if self._holds(step.finding):
                yield step._replace(remedy=self._as_planned(step.remedy))
        yield from self.rebuild.steps

    def _as_planned(self, remedy: Remedy) -> Remedy:
        """The remedy with the words that the planned line has of it: others may have changed or
        replaced some."""
        words = tuple(word for word in self.boot.words if word in remedy.words)
        if not words:
            names = set(map(parameter_name, remedy.words))
            words = tuple(word for word in self.boot.words if parameter_name(word) in names)
        return remedy._replace(words=words, repeats=())

    def _holds(self, finding: Finding) -> bool:
        return is_followed(finding.advice, self.after)

    def omissions(self) -> Iterator[Omission]:
        """What the plan cannot give, or leaves to more effort."""
        others = (*self.boot.omissions, *self.rebuild.omissions)
        told = {(one.advice.key, one.tunable.id) for one in others}
        yield from others
        done = {step.finding.tunable.id for step in self._steps()}
        for finding in self.refused.values():
            yield omitted(finding, UNWANTED, finding.remedies[0])
        for finding in self._chosen:
            if (finding.id, finding.tunable.id) in told:
                continue
            if finding.tunable.id in done:
                if not self._holds(finding):
                    yield omitted(finding, UNWANTED)
                continue
            yield omitted(finding, *self._why_not(finding))

    def _why_not(self, finding: Finding) -> tuple[str, Remedy | None]:
        """Why this plan has no change for a finding, and the remedy that it would have."""
        first = finding.remedies[0]
        if first.kind.rank > self._effort.rank:
            return f"needs --effort {first.kind.effort}, which is more than this plan allows", first
        if first.vendor:
            return "is only for processors of some vendors: give --vendor", first
        if first.kind is RemedyKind.REBUILD and not self._world.config.complete:
            return _NO_BASE, first
        if finding.id in self._needless:
            return "other changes of this plan make this change unnecessary", first
        if self._holds(finding):
            return "other changes of this plan already set this value", None
        return "other changes of this plan would undo this change", first


def _has_way(finding: Finding, after: World) -> bool:
    """Whether the value can still be written in the world after all changes."""
    value = finding.tunable.value(finding.remedies[0].value)
    return value is None or after.evaluate(value.runtime_only_if) is not False


def _woken(
    firm: Sequence[Finding], chosen: Iterable[Finding], draft: _Draft, world: World
) -> Iterator[Finding]:
    """Yield the findings that ask for something only once the changes are made.

    What a finding that is left out would have covered asks for itself.
    """
    if draft.after is world and all(one.verdict is not Verdict.COVERED for one in firm):
        return
    # Of what is planned already the profiles agreed, or one was preferred.
    had = {finding.tunable.id for finding in chosen}
    # What was read at run time does not count after a reboot, whatever is changed.
    same = rebooted(world, Remedy(RemedyKind.REBUILD, ""))
    for finding in firm:
        if finding.tunable.id in had or finding.verdict in (Verdict.BLOCKED, Verdict.UNKNOWN):
            continue
        fresh = without_lacking(judge_advice(finding.advice, draft.after), draft.after)
        if fresh.verdict is not Verdict.CHANGE or not fresh.remedies:
            continue
        covered = finding.verdict is Verdict.COVERED
        if not covered and judge_advice(finding.advice, same).verdict is Verdict.CHANGE:
            continue
        if _is_refused(fresh, firm, draft.after):
            draft.refused[fresh.id] = fresh
        else:
            yield fresh._replace(fingerprint=finding.fingerprint)


def _is_refused(fresh: Finding, firm: Iterable[Finding], after: World) -> bool:
    """Whether other advice is satisfied after the changes, and not with the value of the remedy."""
    for other in firm:
        if other.id == fresh.id or other.tunable.id != fresh.tunable.id:
            continue
        good = satisfied_by(other.advice.options[0], after)
        is_right = judge_advice(other.advice, after).verdict is Verdict.OK
        if is_right and good and not good(fresh.remedies[0].value):
            return True
    return False


def at_odds(items: Iterable[Item]) -> Iterator[tuple[Item, Item, Setting]]:
    """Yield two items that set one key to different values, with the setting of the second."""
    first: dict[tuple[str, tuple[str, ...]], tuple[Item, Setting]] = {}
    for item in items:
        disks = item.finding.advice.disks
        for setting in item.remedy.settings if item.kept else ():
            other, before = first.setdefault((setting.key, disks), (item, setting))
            if before.value != setting.value:
                yield other, item, setting
