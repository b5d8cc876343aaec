"""The two laws of every report, as functions that say where they fail.

Causes: with all causes of a state taken back its value differs, and no proper subset of them does
as much; a state that rests on no line changes with none, and can be set. Remedies: followed on a
copy, a finding's remedy ends it, but for what it names as left, and nothing of the same strength or
more appears that the rest of its plan does not close; those of one plan do so together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge, judge_advice
from advisor.engine.plan.boot_line_plan import plan_bootline
from advisor.engine.plan.fragment_plan import plan_fragment, unblocked
from advisor.engine.remedy.remedies import said_of
from advisor.knowledge.store import Knowledge
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import Finding, Verdict
from advisor.model.kernel import Layer, Severity
from advisor.model.profile import Profile, Strength
from advisor.model.remedy import Remedy, RemedyKind
from advisor.model.state import Origin, State
from advisor.model.subject import Subject
from advisor.model.tunable import Tunable, Value, filled

from .inputs import (
    Asked,
    Edit,
    edited,
    followed,
    instances,
    otherwise,
    rebooted,
    reboots,
    symbol_and_value,
    taken_back,
    with_dependents,
)

OPEN = (Verdict.CHANGE, Verdict.BLOCKED)
_GRAVEST = {
    Strength.MUST: (Severity.ERROR,),
    Strength.SHOULD: (Severity.ERROR, Severity.WARNING),
    Strength.COULD: tuple(Severity),
}
# What tells which of the lines counts decides about every word of them, and about no value.
_JOINING = ("CMDLINE_BOOL", "CMDLINE_EXTEND", "CMDLINE_FORCE", "CMDLINE_OVERRIDE")
# More causes than this are not parted in all ways.
_MOST = 4


class Failure(NamedTuple):
    """A case in which a law does not hold: `about` is the tunable or the plan, `kind` how it fails,
    and `detail` is for the reader."""

    law: str
    about: str
    kind: str
    detail: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same in all configurations."""
        return self.law, self.about, self.kind


# --- causes -------------------------------------------------------------------------------------


def causes(world: World, plain: World | None) -> Iterator[Failure]:
    """Where a cause does not hold, of all states; only of those that `plain` shows otherwise."""
    knowledge = world.knowledge
    for name in knowledge.ids("tunables"):
        state = world.state(name)
        if state is None or (plain and plain.state(name) == state):
            continue
        yield from causes_of(knowledge.tunable(name), state, world.subject, knowledge)


def causes_of(
    tunable: Tunable, state: State, subject: Subject, knowledge: Knowledge
) -> Iterator[Failure]:
    """Where the causes of one state do not hold."""
    if tunable.members:
        yield from _members(tunable, state, subject, knowledge)
    elif state.origins:
        yield from _decides(tunable, state, subject, knowledge)
    elif len(state.effective) == 1:
        yield from _rests_on_nothing(tunable, state, subject, knowledge)


def _after(tunable: Tunable, edit: Edit, subject: Subject, knowledge: Knowledge) -> State | None:
    return World(edited(subject, edit), knowledge).value(tunable.id)


def _values(state: State | None) -> tuple[object, ...]:
    """What a state says; how many instances have each value is a part of that."""
    return (frozenset(state.effective), frozenset(state.counts)) if state else ()


def _decides(
    tunable: Tunable, state: State, subject: Subject, knowledge: Knowledge
) -> Iterator[Failure]:
    def changes(edit: Edit) -> bool:
        return _values(_after(tunable, edit, subject, knowledge)) != _values(state)

    def rules_out(edit: Edit) -> bool:
        """Whether the value is surely another then."""
        after = _after(tunable, edit, subject, knowledge)
        return not after or not set(after.effective) & set(state.effective)

    def enough(origins: Iterable[Origin]) -> bool:
        """Whether the value changes whichever way these are taken back; and is ruled out, where all
        causes together do that: what merely leaves it open does less."""
        edits = list(taken_back(origins, subject, knowledge))
        return all(map(changes, edits)) and (not surely or all(map(rules_out, edits)))

    shown = f"{' or '.join(state.effective)} by {' and '.join(o.text for o in state.origins)}"
    kind = "+".join(sorted({_form(origin) for origin in state.origins}))
    ways = list(taken_back(state.origins, subject, knowledge))
    if not any(changes(one) for way in ways for one in with_dependents(way, tunable, subject)):
        yield Failure("causes", tunable.id, f"does not decide: {kind}", shown)
        return
    if len(state.origins) > _MOST:
        return
    surely = all(map(rules_out, ways))
    if _in_parts(tunable, state) and all(enough((origin,)) for origin in state.origins):
        return  # each decides its own part of the value
    for size in range(1, len(state.origins)):
        parts = [part for part in combinations(state.origins, size) if enough(part)]
        if parts:
            some = "each alone" if len(parts) == len(state.origins) else "a part"
            told = " and ".join(origin.text for origin in parts[0])
            detail = f"{shown}; {told} is enough"
            yield Failure("causes", tunable.id, f"{some} is enough: {kind}", detail)
            return


def _in_parts(tunable: Tunable, state: State) -> bool:
    """Whether several lines each say a part of the value: of some instances, or in a list."""
    files = all(origin.layer is Layer.RUNTIME for origin in state.origins)
    return files or bool(state.counts) or bool(tunable.parameter and "," in state.effective[0])


def _form(origin: Origin) -> str:
    """What kind of a line it is."""
    if origin.layer is not Layer.COMPILED:
        return origin.layer.value
    value = symbol_and_value(origin.text)[1]
    if value == "n":
        return "not set" if origin.location.line else "absent"
    return "set" if value in ("y", "m") else "a value"


def _members(
    tunable: Tunable, state: State, subject: Subject, knowledge: Knowledge
) -> Iterator[Failure]:
    for was_on, members in ((True, state.on), (False, state.off)):
        for symbol, origin in members:
            # What this kernel always has rests on nothing.
            if origin.text and not any(
                _member(_after(tunable, edit, subject, knowledge), symbol) is not was_on
                for way in taken_back((origin,), subject, knowledge)
                for edit in with_dependents(way, tunable, subject)
            ):
                detail = f"{symbol} {'on' if was_on else 'off'} by {origin.text}"
                kind = f"does not decide: {symbol}, {_form(origin)}"
                yield Failure("causes", tunable.id, kind, detail)


def _member(state: State | None, symbol: str) -> bool | None:
    if state is None:
        return None
    return True if symbol in dict(state.on) else False if symbol in dict(state.off) else None


def _rests_on_nothing(
    tunable: Tunable, state: State, subject: Subject, knowledge: Knowledge
) -> Iterator[Failure]:
    shown = f"{state.effective[0]} by default"
    line = next(_deciding_lines(tunable, state, subject, knowledge), "")
    if line:
        yield Failure("causes", tunable.id, "rests on a line", f"{shown}, but {line} decides")
        return
    settings = list(_settings(tunable, state, subject, knowledge))
    changed = (_values(_after(tunable, edit, subject, knowledge)) for edit in settings)
    if settings and not any(values != _values(state) for values in changed):
        yield Failure("causes", tunable.id, "cannot be set", shown)


def _deciding_lines(
    tunable: Tunable, state: State, subject: Subject, knowledge: Knowledge
) -> Iterator[str]:
    """The lines of the configuration and the words with one of which the value changes."""
    for text, edit in _lines_asked(tunable, subject, knowledge):
        after = _after(tunable, edit, subject, knowledge)
        if after is not None and after.effective and _values(after) != _values(state):
            yield text
    for word in subject.cmdline.words if subject.cmdline else ():
        after = _after(tunable, Edit(columns=frozenset((word.column,))), subject, knowledge)
        if after is not None and after.effective and _values(after) != _values(state):
            yield word.text


def _lines_asked(
    tunable: Tunable, subject: Subject, knowledge: Knowledge
) -> Iterator[tuple[str, Edit]]:
    """Each line that was looked at to find the state, with what takes it back; of symbols that a
    person can set."""
    asked = Asked(subject.config)
    World(subject._replace(config=asked), knowledge).value(tunable.id)
    for symbol in asked.asked:
        value = subject.config.get(symbol)
        if value is None or symbol in _JOINING or not _has_prompt(symbol, subject, knowledge):
            continue
        for values in otherwise(symbol, value, knowledge):
            yield f"{symbol}={value}", Edit(values)


def _has_prompt(symbol: str, subject: Subject, knowledge: Knowledge) -> bool:
    """Whether any kernel near this one asks for the symbol."""
    seen = knowledge.catalogue.seen(symbol)
    if seen is None:
        return False
    arch, kernel = subject.machine.arch, subject.kernel
    near = (
        knowledge.catalogue.around(kernel, arch)
        if kernel
        else [len(knowledge.catalogue.kernels) - 1]
    )
    return any(traits.prompt for number in near for traits in seen.traits(number, arch))


def _settings(
    tunable: Tunable, state: State, subject: Subject, knowledge: Knowledge
) -> Iterator[Edit]:
    """The ways that this kernel has to say explicitly that it shall be something else: no line for
    what its rule says cannot be here, no word that it does not read."""
    world = World(subject, knowledge)
    for value in tunable.values:
        if value.name not in state.effective:
            yield from _settings_of(value, world)
    if tunable.values:
        return
    for text in ("1", "2-3"):
        if tunable.symbol:
            yield Edit(((tunable.symbol, text),))
        if tunable.parameter:
            yield from _words((f"{tunable.parameter}={text}",), world)
        if key := tunable.sysctl or tunable.sysfs:
            yield _written(((key, text),), subject)


def _settings_of(value: Value, world: World) -> Iterator[Edit]:
    if world.evaluate(value.requires) is not False:
        yield from (Edit(tuple(pairs)) for pairs in value.sets)
    if world.evaluate(value.boot_only_if) is not False:
        yield from _words([filled(word, world.subject.machine) for word in value.boot], world)
    pairs = (*value.sysctl, *value.sysfs)
    if pairs and world.evaluate(value.runtime_only_if) is not False:
        yield _written(pairs, world.subject)


def _words(texts: Iterable[str | None], world: World) -> Iterator[Edit]:
    texts = list(texts)
    edit = Edit(words=tuple(filter(None, texts)))
    if not texts or None in texts:
        return
    # What is too new for a kernel is known for certain only of a word that stands on the line.
    line = World(edited(world.subject, edit), world.knowledge).line
    if all(line.honours(word).truth is not False for word in edit.words):
        yield edit


def _written(pairs: Iterable[tuple[str, str]], subject: Subject) -> Edit:
    return Edit(
        settings=tuple((key, text) for path, text in pairs for key in instances(path, subject))
    )


# --- remedies -----------------------------------------------------------------------------------


class Standing(NamedTuple):
    """What is open: the strength of each finding by its id, what is unknown, the diagnostics; and
    every finding as it is judged."""

    findings: dict[str, Strength]
    unknown: frozenset[str]
    diagnostics: dict[tuple[str, str], Severity]
    judged: Mapping[str, Finding] = {}


class Audited:
    """A subject, audited as often as somebody asks for a profile; all share what was found."""

    def __init__(self, subject: Subject, knowledge: Knowledge) -> None:
        self.subject = subject
        self.world = World(subject, knowledge)
        self._diagnostics = {(d.id, d.subject): d.severity for d in diagnose(self.world)}
        self._judged: dict[str, dict[str, Finding]] = {}
        self._full: dict[str, list[Finding]] = {}

    def judged(self, profile: Profile) -> dict[str, Finding]:
        """The findings without what is to be done about them, which costs most of an audit."""
        if profile.id not in self._judged:
            found = judge(self.world, [profile], lambda _: False)
            self._judged[profile.id] = {finding.id: finding for finding in found}
        return self._judged[profile.id]

    def standing(self, profile: Profile) -> Standing:
        """What is open for the profile."""
        found = self.judged(profile).values()
        return Standing(
            {f.id: f.advice.strength for f in found if f.verdict in OPEN},
            frozenset(f.id for f in found if f.verdict is Verdict.UNKNOWN),
            self._diagnostics,
            self.judged(profile),
        )

    def changed(self, profile: Profile, plain: Audited | None) -> set[str]:
        """The findings that are not as in `plain`."""
        known = plain.judged(profile) if plain else {}
        return {name for name, found in self.judged(profile).items() if known.get(name) != found}

    def findings(self, profile: Profile, plain: Audited | None = None) -> list[Finding]:
        """The findings with their remedies, as advisor.engine.audit makes them; those that are as
        in `plain` are taken from there."""
        if profile.id not in self._full:
            changed = self.changed(profile, plain)
            known = {f.id: f for f in plain.findings(profile)} if plain else {}
            found = [
                judge_advice(finding.advice, self.world) if name in changed else known[name]
                for name, finding in self.judged(profile).items()
            ]
            if any(f.verdict is Verdict.BLOCKED and f.id in changed for f in found):
                found = unblocked(found, [], self.world)
            self._full[profile.id] = found
        return self._full[profile.id]


Chosen = list[tuple[Finding, Remedy]]


class Plan(NamedTuple):
    """Remedies that are followed together, the boot line that comes of it, if that is told, and the
    advice that it says it cannot follow, with the cause."""

    steps: Chosen
    line: str | None = None
    named: frozenset[str] = frozenset()


def _single(findings: list[Finding]) -> Chosen:
    return [
        (finding, remedy)
        for finding in findings
        for remedy in finding.remedies
        if finding.verdict is Verdict.CHANGE and not remedy.beside
    ]


def _plan(kind: RemedyKind, findings: list[Finding], changed: set[str], world: World) -> Plan:
    """What is written at run time, the boot line, or the fragment."""
    if kind is RemedyKind.REBUILD:
        fragment = plan_fragment(findings, [], world, Strength.COULD)
        steps = [(step.finding, step.remedy) for step in fragment.steps]
        return Plan(steps, None, frozenset(one.advice.key for one in fragment.omissions))
    if kind is RemedyKind.RUNTIME:
        # What is judged alike with and without a line may be remedied otherwise.
        ways = (f for f in findings if any(remedy.kind is kind for remedy in f.remedies))
        findings = [f if f.id in changed else judge_advice(f.advice, world) for f in ways]
    steps = [pair for pair in _single(findings) if pair[1].kind is kind and not pair[1].vendor]
    if kind is RemedyKind.RUNTIME:
        return Plan(steps)
    plan = plan_bootline(findings, [], world, Strength.COULD)
    omitted = frozenset(omission.advice.key for omission in plan.omissions)
    return Plan([pair for pair in steps if pair[0].id not in omitted], plan.cmdline, omitted)


def _plans(findings: list[Finding], changed: set[str], world: World) -> Iterator[tuple[str, Plan]]:
    """What is written at run time, the boot line, the fragment; that for a subject without line.

    Each where it is about a finding that changed.
    """
    for kind in (RemedyKind.RUNTIME, RemedyKind.BOOT):
        ways = (pair for pair in _single(findings) if pair[1].kind is kind and not pair[1].vendor)
        if any(finding.id in changed for finding, _ in ways):
            yield kind.value, _plan(kind, findings, changed, world)
    if world.config.complete and world.subject.cmdline is None:
        yield "rebuild", _plan(RemedyKind.REBUILD, findings, changed, world)


def remedies(
    running: Audited, knowledge: Knowledge, profiles: list[Profile], plain: Audited | None
) -> Iterator[Failure]:
    """Where a remedy does not close its finding, alone or with the others of its plan.

    Findings that are as in `plain`, which is this subject without a boot line, are left out.
    """
    subject = running.subject
    # What needs a reboot is held against the subject as it is after one.
    forgetful = bool(subject.sysctl or subject.sysfs)
    booted = Audited(rebooted(subject), knowledge) if forgetful else running
    after: dict[object, Audited] = {}

    def following(plan: Plan) -> tuple[Audited, Audited]:
        steps = tuple(remedy for _, remedy in plan.steps)
        key = steps if plan.line is None else plan.line
        if key not in after:
            given = parse_cmdline(plan.line) if plan.line is not None else None
            then = rebooted(subject)._replace(cmdline=given) if given else followed(steps, subject)
            after[key] = Audited(then, knowledge)
        return booted if any(map(reboots, steps)) else running, after[key]

    for profile in profiles:
        changed = running.changed(profile, plain)
        if not changed:
            continue
        findings = running.findings(profile, plain)

        def outcome(kind: RemedyKind) -> Outcome:
            plan = _plan(kind, findings, changed, running.world)  # noqa: B023
            return Outcome(following(plan)[1].standing(profile), plan.named)  # noqa: B023

        for pair in _single([finding for finding in findings if finding.id in changed]):
            before, then = (one.standing(profile) for one in following(Plan([pair])))
            yield from _closed(*pair, before, then, outcome)
        for name, plan in _plans(findings, changed, running.world):
            if plan.steps:
                before, then = (one.standing(profile) for one in following(plan))
                yield from _closed_together(name, plan, before, then)


class Outcome(NamedTuple):
    """What is open after a whole plan, and what the plan says it cannot give."""

    standing: Standing
    named: frozenset[str] = frozenset()


def _closed(
    finding: Finding,
    remedy: Remedy,
    before: Standing,
    after: Standing,
    outcome: Callable[[RemedyKind], Outcome],
) -> Iterator[Failure]:
    kind, name = remedy.kind.value, finding.tunable.id
    detail = f"{finding.id}: {_told(remedy)}"
    if not _reached(finding, remedy, after):
        if finding.id in after.findings:
            left = " with members left" if remedy.left else ""
            yield Failure("remedies", name, f"still open: {kind}{left}", detail)
        elif finding.id in after.unknown:
            yield Failure("remedies", name, f"then unknown: {kind}", detail)
    strength = finding.advice.strength
    if _appeared(strength, before, after):
        for new in _appeared(strength, before, after, outcome(remedy.kind)):
            yield Failure("remedies", name, f"opens {new}: {kind}", detail)


def _reached(finding: Finding, remedy: Remedy, after: Standing) -> bool:
    """Whether nothing is left of the finding but what the remedy names: members that it cannot
    reach, and what the inputs did not tell before or it says that it rests on."""
    then = after.judged[finding.id]
    told = " ".join(remedy.left)
    if finding.tunable.members:
        still = {symbol for symbol, _ in then.offending}
        if still - {reason.partition(":")[0] for reason in remedy.left}:
            return False
        if finding.id in after.findings:
            return bool(still)
    elif finding.id in after.findings:
        return False
    return all(
        name in finding.state.missing or said_of(name) in told for name in then.state.missing
    )


def _closed_together(name: str, plan: Plan, before: Standing, after: Standing) -> Iterator[Failure]:
    for finding, remedy in plan.steps:
        if finding.advice.key in plan.named and any(one.second_step for one in finding.remedies):
            continue  # of two steps a fragment has the first, and says so
        if finding.id in after.findings and not _reached(finding, remedy, after):
            detail = f"{finding.id}: {_told(remedy)}"
            yield Failure("remedies", f"{name} plan", f"still open: {finding.tunable.id}", detail)
    weakest = max((finding.advice.strength for finding, _ in plan.steps), key=lambda s: s.rank)
    for new in _appeared(weakest, before, after, Outcome(after, plan.named)):
        yield Failure("remedies", f"{name} plan", f"opens {new}", plan.steps[0][0].advice.profile)


def _appeared(
    strength: Strength, before: Standing, after: Standing, plan: Outcome | None = None
) -> list[str]:
    """What was not open before and is of that strength or more: advice, and diagnostics.

    What the rest of the same plan closes does not count, and no advice that applies only now, if
    the plan names it with what prevents it.
    """
    findings = {
        name.partition("/")[2]
        for name, grade in after.findings.items()
        if name not in before.findings
        and grade.rank <= strength.rank
        and not (plan and _follows(name, before, plan))
    }
    told = {
        name
        for (name, about), severity in after.diagnostics.items()
        if (name, about) not in before.diagnostics
        and severity in _GRAVEST[strength]
        and not (plan and (name, about) not in plan.standing.diagnostics)
    }
    return sorted(findings | told)


def _follows(name: str, before: Standing, plan: Outcome) -> bool:
    """Whether the advice applies only with the change, and the plan closes it or says why not."""
    if before.judged[name].verdict is not Verdict.NOT_APPLICABLE:
        return False
    return name not in plan.standing.findings or name in plan.named


def _told(remedy: Remedy) -> str:
    parts = [f"{setting.key} = {setting.value}" for setting in remedy.settings]
    parts += [*remedy.words, *(f"without {word}" for word in remedy.drop)]
    parts += [f"{change.symbol}={change.new}" for change in remedy.changes]
    return ", ".join(parts)
