"""The changes of meaning between two subjects: settings, advice, diagnostics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.engine import fingerprint
from advisor.engine.audit import Policy, protected
from advisor.engine.costs import of_movement
from advisor.engine.diagnose.flaws import ended
from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge, judge_advice
from advisor.engine.names.lines import accounted
from advisor.engine.names.losses import losses, switched_off
from advisor.engine.names.symbols import Naming, moved_symbols
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import Comparison, Drift, Movement, Shift, Side, Unheld
from advisor.model.finding import Diagnostic, Finding, Verdict
from advisor.model.kernel import Layer, Word
from advisor.model.lines import ChangedLine, LineKind
from advisor.model.plan import Plan
from advisor.model.profile import Profile
from advisor.model.report import Report
from advisor.model.state import State
from advisor.model.subject import Subject
from advisor.model.tree import differ
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple

_ABSENT = frozenset(("symbol-stale", "symbol-removed", "symbol-too-new", "symbol-other-arch"))
"""Diagnostics of symbols that the kernel does not have: these are not listed as moved."""
Pair = tuple[State | None, State | None]
"""The states of a tunable before and after."""
_SATISFIED = {Verdict.OK: True, Verdict.CHANGE: False, Verdict.BLOCKED: False}


class Terms(NamedTuple):
    """The profiles to compare for, what fails, and the place of symbols.

    If no profile was `chosen`, all are reported and none fails.
    """

    profiles: tuple[Profile, ...]
    chosen: bool
    policy: Policy
    naming: Naming = Naming()


def compare(old: Subject, new: Subject, knowledge: Knowledge, terms: Terms) -> Comparison:
    """Return what the change from one subject to the other means for these profiles."""
    profiles, chosen, policy, naming = terms
    old, new = accounted(old, knowledge), accounted(new, knowledge)
    if new.tree:
        new = protected(new, knowledge, profiles)
    before, after = World(old, knowledge), World(new, knowledge)
    moved = {
        name: (before.state(name), after.state(name))
        for name in knowledge.ids("tunables")
        if _meaning(before.value(name)) != _meaning(after.value(name))
    }
    was = _judged_before(before, profiles)
    judged = judge(after, profiles)
    halves = dict(_lost_halves(zip(was, judged, strict=True), moved, (before, after), naming))
    now = _judged_now([halves.get(f.id, f) for f in judged], after, terms)
    shifts = [shift._replace(half=shift.new.id in halves) for shift in _shifts(was, now, moved)]
    old_ones, new_ones = diagnose(before), diagnose(after)
    worse = tuple(shift.new for shift in shifts if shift.counts)
    appeared = _accepted(_alone(new_ones, old_ones), worse, new, policy)
    every = (_movement(knowledge.tunable(name), pair, shifts) for name, pair in moved.items())
    movements = tuple(
        movement._replace(measured=of_movement(movement.tunable.id, before, after))
        for movement in every
        if old.kernel != new.kernel or not _follows(movement)
    )
    moves = moved_symbols(before, after, _symbols(movements, after), naming)
    idle = (line for line in new.lines if line.rule or line.kind is LineKind.VOID)
    failing = {line.symbol for line in idle}
    failing |= {item.subject for item in new_ones if item.id in _ABSENT}
    moves = moves._replace(symbols=tuple(m for m in moves.symbols if m.symbol not in failing))
    advice = {profile.id: {one.key for one in profile.advice} for profile in profiles}
    by_profile = {
        name: tuple(shift for shift in shifts if shift.new.id in keys)
        for name, keys in advice.items()
    }
    comparison = Comparison(
        old=_side(old),
        new=_side(new),
        profiles=profiles,
        chosen=chosen,
        movements=movements,
        by_profile=by_profile,
        words=_words(before, after),
        run_time=_run_time(old, new),
        appeared=tuple(appeared),
        solved=tuple(one for one in _alone(old_ones, new_ones) if ended(one, after)),
        lines=tuple(_changed_lines(old, new)),
        losses=losses(moves.symbols, movements, (before, after), naming),
        unheld=tuple(  # also those of the new side that did not change
            Unheld(line.symbol, line.asked or "n", line.value, line.why)
            for line in (new.lines if new.tree else ())
            if line.rule and differ(line.asked, line.value)
        ),
        **moves._asdict(),
    )
    grades = {shift.new.grade for shift in shifts if chosen and shift.counts}
    grades |= {item.severity.value for item in appeared if not item.waived}
    return comparison._replace(failed=not policy.fail_on.isdisjoint(grades))


def _judged_before(world: World, profiles: Iterable[Profile]) -> list[Finding]:
    """Return the old side's findings, without remedies unless the verdict rests on one.

    With few inputs a setting could not be judged without remedies, and the new side's finding would
    be reported as something that the change brought.
    """
    findings = judge(world, profiles, lambda _: False)
    advice = {one.key: one for profile in profiles for one in profile.advice}
    return [
        judge_advice(advice[finding.id], world) if finding.verdict is Verdict.UNKNOWN else finding
        for finding in findings
    ]


def _lost_halves(
    pairs: Iterable[tuple[Finding, Finding]],
    moved: Mapping[str, Pair],
    worlds: tuple[World, World],
    naming: Naming,
) -> Iterator[tuple[str, Finding]]:
    """Yield the advice of which another kernel lost one of the settings that satisfied it, with the
    finding about that one alone.

    To a new system the setting that is left is as good; an installed one may rest on the other.
    """
    before, after = worlds
    ok = [was for was, now in pairs if was.verdict is now.verdict is Verdict.OK]
    for finding in ok if before.subject.kernel != after.subject.kernel else ():
        if len(finding.advice.options) < 2:
            continue
        for option in finding.advice.options:
            pair, tunable = moved.get(option.tunable), before.knowledge.tunable(option.tunable)
            if pair and any(switched_off(_movement(tunable, pair, ()), *worlds, naming)):
                alone = finding.advice._replace(options=(option,), ways=())
                found = judge_advice(alone, after)
                if judge_advice(alone, before).verdict is Verdict.OK != found.verdict:
                    yield finding.id, found


def _judged_now(findings: Iterable[Finding], world: World, terms: Terms) -> list[Finding]:
    """Return the new side's findings with their waivers."""
    path, accepted = terms.policy.paths.of(world.subject.name), terms.policy.accepted
    findings = fingerprint.of_findings(findings, path)
    if accepted:
        findings = accepted.findings(findings, path)
    if terms.chosen and any(finding.is_waiting for finding in findings):
        from advisor.engine.plan.fragment_plan import unblocked

        findings = unblocked(findings, [], world)
    return findings


def _accepted(
    appeared: list[Diagnostic], worse: tuple[Finding, ...], new: Subject, policy: Policy
) -> list[Diagnostic]:
    """Return the new diagnostics with their waivers, and a diagnostic for each waiver of a finding
    that is worse or open now, if the waiver has ended."""
    path = policy.paths.of(new.name)
    appeared = fingerprint.of_diagnostics(appeared, path)
    if policy.accepted is None:
        return appeared
    report = Report(
        new.name, new.kernel, new.machine, new.config.complete, None, (), worse, (), (),
        Plan(), path=path,
    )  # fmt: skip
    remarks = policy.accepted.remarks([report])[0]
    ended = [item for item in remarks if item.id == "waiver-expired"]
    return policy.accepted.diagnostics(appeared, path) + ended


def _changed_lines(old: Subject, new: Subject) -> Iterator[ChangedLine]:
    """Return the lines that differ between the sides; those that fail come first.

    Of a whole configuration only lines that fail are returned: the others are symbols that moved.
    """
    before = {line.symbol: line for line in old.lines}
    after = {line.symbol for line in new.lines}
    changed = []
    for line in new.lines:
        was = before.get(line.symbol)
        if was and was.asked == line.asked:
            continue
        if line.fragment or line.rule:
            changed.append(line._replace(old=old.config.get(line.symbol)))
    for line in old.lines:
        if line.fragment and line.symbol not in after:
            values = old.config.get(line.symbol), None, new.config.get(line.symbol)
            gone = ChangedLine(line.symbol, line.location, *values, LineKind.TAKEN_OUT)
            changed.append(gone)
    yield from sorted(changed, key=lambda line: not line.rule)


def _side(subject: Subject) -> Side:
    line = subject.cmdline.text if subject.cmdline else None
    config = subject.config
    bare = next(iter(config.symbols()), None) is None
    return Side(subject.name, subject.kernel, subject.machine, config.complete, line, bare)


def _meaning(state: State | None) -> tuple[object, ...]:
    """Return what decides whether two states mean the same."""
    if state is None or not state.effective:
        return ()
    # The order of several possible values has no meaning.
    return frozenset(state.effective), frozenset(symbol for symbol, _ in state.on)


def _shifts(
    was: Sequence[Finding], now: Sequence[Finding], moved: Mapping[str, Pair]
) -> Iterator[Shift]:
    before = {finding.id: finding for finding in was}
    for finding in now:
        about = any(option.tunable in moved for option in finding.advice.options)
        if drift := _drift(before[finding.id], finding, about):
            yield Shift(before[finding.id], finding, drift)


def _drift(old: Finding, new: Finding, moved: bool) -> Drift | None:
    was, is_ = _SATISFIED.get(old.verdict), _SATISFIED.get(new.verdict)
    if is_ is None:
        unsure = new.verdict is Verdict.UNKNOWN
        return Drift.MOOT if moved and (was is not None or unsure) else None
    if is_:
        return Drift.BETTER if was is False else Drift.FINE if moved else None
    if was is None:
        return Drift.OPEN
    if not old.tunable.members or old.tunable.id != new.tunable.id:
        return Drift.WORSE if was else Drift.STILL if moved else None
    # The members of a group count one by one: some may be new in this kernel.
    before, after = ({symbol for symbol, _ in f.offending} for f in (old, new))
    on, off = ({symbol for symbol, _ in members} for members in (old.state.on, old.state.off))
    if not (new.state.on or new.state.off):  # what hid all members gave none of them
        return Drift.WORSE if on - before else Drift.STILL if moved else None
    if (after - before) & (on | off):
        return Drift.WORSE
    if after - before:
        return Drift.OPEN
    came = {symbol for symbol, _ in new.state.on}
    return Drift.BETTER if any(s not in off or s in came for s in before - after) else None


def _movement(tunable: Tunable, pair: Pair, shifts: Iterable[Shift]) -> Movement:
    old, new = pair
    on_before = {symbol for symbol, _ in old.on} if old else set()
    on_after = {symbol for symbol, _ in new.on} if new else set()
    changed = [(symbol, True) for symbol in sorted(on_after - on_before)]
    gone = on_before - on_after
    if new:  # a member without a symbol that this kernel does not count is part of another one
        gone &= {one.symbol for one in tunable.members} | {name for name, _ in new.off}
    changed += [(symbol, False) for symbol in sorted(gone)]
    if old and new and not changed:  # this kernel has more members, and they are off
        known = {symbol for symbol, _ in old.off}
        changed = [(symbol, False) for symbol, _ in new.off if symbol not in known]
    about = (s for s in shifts if any(o.tunable == tunable.id for o in s.new.advice.options))
    return Movement(tunable, old, new, tuple(changed), tuple(about))


def _follows(movement: Movement) -> bool:
    """Return whether a group came or went as a whole, by a change that is reported by itself: with
    `mitigations=off` no mitigation is switched off one by one."""
    whole = movement.tunable.members and (movement.old is None or movement.new is None)
    matters = any(shift.counts or shift.drift is Drift.BETTER for shift in movement.shifts)
    return bool(whole) and not matters


def _symbols(movements: Iterable[Movement], world: World) -> set[str]:
    """Return the symbols that spell the tunables that moved: these are not reported once more."""
    symbols: set[str] = set()
    for movement in movements:
        tunable = movement.tunable
        symbols.update((tunable.symbol, *tunable.choice, *tunable.set_symbols))
        symbols.update(symbol for symbol, _ in movement.changed)
    return symbols | {alias for symbol in symbols for alias in world.knowledge.aliases(symbol)}


def _alone(diagnostics: list[Diagnostic], others: list[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics of one side that the other one does not have, or not as often."""
    left = Counter((item.id, item.subject) for item in others)
    alone = []
    for item in diagnostics:
        left[item.id, item.subject] -= 1
        if left[item.id, item.subject] < 0:
            alone.append(item)
    return alone


def _words(before: World, after: World) -> tuple[tuple[str, bool], ...]:
    """Return the words of the boot line, or built in, that came and went."""

    def texts(world: World) -> Counter[str]:
        line = world.subject.cmdline
        own: tuple[Word, ...] = (*line.words, *line.init) if line else ()
        built_in = [word for word in world.line.words if word.layer is Layer.BUILT_IN]
        return Counter(word.text for word in (*built_in, *own))

    old, new = texts(before), texts(after)
    came, went = (new - old).elements(), (old - new).elements()
    return (*((word, True) for word in came), *((word, False) for word in went))


def _run_time(old: Subject, new: Subject) -> tuple[tuple[str, bool], ...]:
    """Return the settings of run time of one side alone, by name; those that went come first."""
    before, after = ({**side.sysctl, **side.sysfs} for side in (old, new))
    moved = sorted(
        (key, side is after, f"{key}={side[key][0]}")
        for side, other in ((before, after), (after, before))
        for key in side
        if key not in other or side[key][0] != other[key][0]
    )
    return tuple((text, came) for _, came, text in moved)
