"""Whether the effective value satisfies each advice, and the remedies where it does not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from advisor.engine.effective import run_time
from advisor.engine.effective.world import World
from advisor.engine.remedy.boot_remedies import boot_words
from advisor.engine.remedy.hardening import weighed
from advisor.engine.remedy.remedies import ladder, least, untold_needs
from advisor.engine.remedy.runtime_remedies import no_way, runtime_remedy
from advisor.engine.remedy.what_if import Goal, Test
from advisor.model import condition
from advisor.model.condition import deciding, left_open, unknowns
from advisor.model.disks import called
from advisor.model.finding import OPEN, Finding, Verdict
from advisor.model.numbers import within
from advisor.model.profile import POLICY, REQUIREMENT, Advice, Option, Profile, Stance
from advisor.model.remedy import Remedy
from advisor.model.saying import shortly
from advisor.model.state import State
from advisor.model.tunable import Tunable, filled, is_other, other_text, worded

_NOTHING: frozenset[str] = frozenset()
_LINE = frozenset(("cmdline",))
# A kernel is taken to have what Xen's control domain alone lacks, where nobody tells of one.
_OF_CONTROL_DOMAIN = frozenset(("virtual", "hypervisor"))
_OTHERS = "{housekeeping}"
_SYMBOL = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")
_LISTS = frozenset(("{isolate}", _OTHERS))
# Of several ways to one end, the one that is satisfied counts, else the one that can be had: of
# those the nearest.
_BEST = (Verdict.OK, Verdict.CHANGE, Verdict.UNKNOWN, Verdict.BLOCKED, Verdict.NOT_APPLICABLE)


def judge(world: World, profiles: Iterable[Profile], allowed: Test | None = None) -> list[Finding]:
    """A finding for every advice of these profiles, in their order; neutral ones give none.

    `allowed` as in judge_advice.
    """
    return [
        judge_advice(advice, world, allowed)
        for profile in profiles
        for advice in profile.advice
        if advice.stance is not Stance.NEUTRAL
    ]


def judge_advice(advice: Advice, world: World, allowed: Test | None = None) -> Finding:
    """One advice, judged; of alternatives, the best.

    `allowed` narrows the values a remedy may aim at, where other profiles have a say as well.
    """
    machine = world.subject.machine
    if advice.ways:  # it was judged in another world
        advice = advice._replace(options=advice.ways)
    if any("{" in entry for option in advice.options for entry in option.want):
        advice = advice._replace(options=tuple(_with_symbols(o, world) for o in advice.options))
    if advice.ask and getattr(machine, advice.ask) is not None:
        # What it asks the operator is answered: the answer stands in its place.

        def put(entries: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(filled(entry, machine) or entry for entry in entries)

        options = (o._replace(want=put(o.want), accept=put(o.accept)) for o in advice.options)
        advice = advice._replace(options=tuple(options))
    if advice.ask:
        advice = advice._replace(why=filled(advice.why, machine) or worded(advice.why))
    if machine.isolate is None:
        # An alternative that rests on the operator's answer is none before it is given.
        known = tuple(o for o in advice.options if not _LISTS.intersection(o.want))
        advice = advice._replace(options=known or advice.options)
    ways = tuple(o for o in advice.options if not condition.surely(o.unless, world))
    if 0 < len(ways) < len(advice.options):
        advice = advice._replace(options=ways, ways=advice.options)
    tunables = tuple(world.knowledge.tunable(option.tunable) for option in advice.options)
    findings = [
        _judge_option(advice, number, world, allowed, tunables) for number in range(len(tunables))
    ]
    best = min(findings, key=lambda finding: _BEST.index(finding.verdict))
    # A way may be none by the machine or the boot line, and not by what this kernel has.
    terms = (term for option in advice.options for term in condition.atoms(option.unless))
    other = any(kind in ("fact", "boot") for kind, *_ in terms)
    if best.verdict is Verdict.CHANGE and not other:
        # Where it takes another machine for another way, what is near on this one tells nothing.
        best = min((f for f in findings if f.verdict is Verdict.CHANGE), key=_farness)
    none = {f.tunable.id for f in findings if f.verdict is Verdict.NOT_APPLICABLE}
    return weighed(best._replace(absent=frozenset(none - {best.tunable.id})), world)


def _with_symbols(option: Option, world: World) -> Option:
    """The option with the values of symbols in place of their names in braces."""

    def put(entries: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            _SYMBOL.sub(lambda found: world.symbol(found[1]) or found[0], e) for e in entries
        )

    return option._replace(want=put(option.want), accept=put(option.accept))


def _farness(finding: Finding) -> tuple[bool, int, bool, int]:
    """How far it is to what an alternative wants: what leaves nothing open comes first, then what
    is less invasive, a group of which a part is so already, and what takes fewer lines."""
    first, state = finding.remedies[0], finding.state
    partly = bool(state.off if finding.target == "off" else state.on)
    lines = len(first.settings) + len(first.drop) + len(first.changes)
    lines += sum(word not in first.repeats for word in first.words)
    return bool(finding.reason), first.kind.rank, not partly, lines


def _judge_option(
    advice: Advice, number: int, world: World, allowed: Test | None, tunables: tuple[Tunable, ...]
) -> Finding:
    option, tunable = advice.options[number], tunables[number]
    applies, reason, missing = _applies(advice, tunable, world)
    state = None if applies is Verdict.NOT_APPLICABLE else _meant(advice, world.value(tunable.id))

    def finding(verdict: Verdict, **more: Any) -> Finding:
        # Of what is right few readers want to know why, and to find out takes longest.
        whole = state if verdict is Verdict.OK else state and world.state(tunable.id)
        known = _meant(advice, whole) or State(tunable.id, ())
        known = _with_lack(known, verdict, tunable, world)
        return Finding(advice.key, verdict, advice, tunable, known, tunables, **more)

    if applies is Verdict.NOT_APPLICABLE:
        return finding(applies, reason=reason)
    if state is not None and not state.effective:
        unshown = _unshown(advice, option, tunable, state, world)
        if unshown:
            return finding(unshown.pop("verdict"), **unshown)
    if state is not None and not state.effective and state.missing:
        lines = ", ".join(sorted(filter(str.isupper, state.missing)))
        reason = f"no line names {lines}" if lines else ""
        return finding(Verdict.UNKNOWN, missing=state.missing, reason=reason)
    if state is None or not state.effective:
        return finding(Verdict.NOT_APPLICABLE, reason=_lack(advice, tunable, world))
    verdict, more = _compared(advice, option, tunable, state, world, allowed)
    if applies is Verdict.UNKNOWN:
        # What is right anyway is so whether or not the advice applies, unless a word may come yet.
        told = verdict if verdict is Verdict.OK and missing != _LINE else applies
        return finding(told, missing=missing, reason=reason if told is applies else "")
    if verdict in OPEN and (missing := _doubts(tunable, state, world)):
        return finding(Verdict.UNKNOWN, missing=missing)
    if verdict is Verdict.CHANGE:
        value = tunable.value(more["target"])
        first = more["remedies"][0]
        # What a setting costs is no cost of leaving it out.
        is_left_out = bool(first.drop) and not (first.words or first.changes)
        general = "" if is_left_out and more["target"] != "on" else tunable.cost
        own = "" if _is_of_another(advice.cost, more["target"], tunable) else advice.cost
        more["cost"] = own or (value.cost if value else "") or general
        more["lacking"] = _lacking(option, tunable, world)
    return finding(verdict, **more)


def _is_of_another(cost: str, target: str, tunable: Tunable) -> bool:
    """Whether a cost is that of other values of a choice, as `off: …` is not of `on`."""
    names = cost.partition(":")[0].lower().split(" or ")
    return target not in names and all(map(tunable.value, names))


def _with_lack(state: State, verdict: Verdict, tunable: Tunable, world: World) -> State:
    """The state of a function of a program with what is missing for it, in words."""
    if tunable.kind != REQUIREMENT or verdict not in OPEN:
        return state
    from advisor.engine.remedy.conditions import lack
    from advisor.model.software import Part

    return state._replace(runs=lack(Part("", tunable.values[0].when), world, least).missing)


def _unshown(
    advice: Advice, option: Option, tunable: Tunable, state: State, world: World
) -> dict[str, Any]:
    """What the finding holds of a setting that is there and that no input shows, where it is one of
    run time: what can be told is how to set it. Nothing of other settings."""
    remedies = _ways(option.want, tunable, world) or _ways(option.accept, tunable, world)
    if not runtime_only(tunable) and (state.missing or not remedies):
        return {}
    if "arch" in _doubts(tunable, state, world):
        return {"verdict": Verdict.UNKNOWN, "missing": frozenset(("arch",))}
    if not remedies and (why := no_way(option.want + option.accept, tunable, world)):
        return {"verdict": Verdict.NOT_APPLICABLE, "reason": why}
    cost = advice.cost or tunable.cost
    return {"verdict": Verdict.UNKNOWN, "runtime_only": True, "remedies": remedies, "cost": cost}


def _meant(advice: Advice, state: State | None) -> State | None:
    """The state of what the advice is about: of the disks of some kinds, where it names these."""
    return run_time.of_disks(state, advice.disks) if state and advice.disks else state


def _lack(advice: Advice, tunable: Tunable, world: World) -> str:
    """Why there is nothing that the advice could be about."""
    if advice.disks and world.value(tunable.id):
        return f"this machine has no {called(advice.disks)}"
    return lack(tunable, world)


def lack(tunable: Tunable, world: World) -> str:
    """Why this kernel has no such thing, in words."""
    if world.evaluate(tunable.only_if) is not False:
        return "no part of this kernel has this setting"
    needs = condition.lacking(condition.elsewhere(tunable.only_if, world), world)
    lines = [
        world.origin(name).text
        for name in condition.symbols(needs)
        if world.config.get(name) == "n"
    ]
    written = f"; here {' and '.join(lines)}" if lines else ""
    if condition.operator_of(needs) == "!":
        prevents = deciding(condition.operands(needs)[0], world)
        return f"this setting does not exist if {_in_words(prevents, world)}{written}"
    return f"this setting exists only if {_in_words(needs, world)}{written}"


def _lacking(option: Option, tunable: Tunable, world: World) -> tuple[str, ...]:
    """Of several members of a choice that are wanted, those that this kernel has no way to."""
    if not tunable.choice or len(option.want) < 2 or not world.config.complete:
        return ()
    return tuple(
        name
        for name in option.want
        if (value := tunable.value(name))
        and value.sets
        and all(any(world.present(symbol) is False for symbol, _ in pairs) for pairs in value.sets)
        and not boot_words(tunable, name, world)
        and not runtime_remedy(tunable, name, world)
    )


def _doubts(tunable: Tunable, state: State, world: World) -> frozenset[str]:
    """What would tell whether there is such a thing in this kernel; no line of which shows it."""
    told = world.state(tunable.id) or state
    if told.origins or told.runtime or told.on or told.off:
        return _NOTHING
    return unknowns(world.evaluate(tunable.only_if)) - _OF_CONTROL_DOMAIN


def _applies(advice: Advice, tunable: Tunable, world: World) -> tuple[Verdict, str, frozenset[str]]:
    if patch := world.decided_by(tunable.id):
        why = f"a patch ({patch}=y) decides this setting in a way that no rule describes"
        return Verdict.NOT_APPLICABLE, why, _NOTHING
    if advice.ask and getattr(world.subject.machine, advice.ask) is None:
        return (
            Verdict.NOT_APPLICABLE,
            f"applies only with --{advice.ask.replace('_', '-')}",
            _NOTHING,
        )
    if condition.is_elsewhere(tunable.only_if, world):
        return Verdict.NOT_APPLICABLE, _lack(advice, tunable, world), _NOTHING
    if condition.surely(advice.unless, world):
        why = f"does not apply if {_in_words(deciding(advice.unless, world), world)}"
        return Verdict.NOT_APPLICABLE, why, _NOTHING
    if advice.profile == POLICY and world.subject.cmdline is None:
        # Without a line no policy about its words is met or not.
        of_line = bool(tunable.parameter)
        if tunable.kind == REQUIREMENT:
            terms = condition.atoms(tunable.values[0].when)
            of_line = any(kind == "boot" for kind, *_ in terms)
        if of_line:
            return Verdict.UNKNOWN, "", _LINE
    truth = world.evaluate(advice.only_if)
    if truth is False:
        here = condition.elsewhere(advice.only_if, world)
        why = f"applies only if {_in_words(deciding(here, world), world)}"
        return Verdict.NOT_APPLICABLE, why, _NOTHING
    if truth is True:
        return Verdict.OK, "", _NOTHING
    why = f"depends on whether {_in_words(left_open(advice.only_if, world), world)}"
    return Verdict.UNKNOWN, why, truth


def _in_words(expr: condition.Expr, world: World) -> str:
    """The condition as a reason tells it, each word with the line that has it, and the symbols as
    this kernel calls them."""
    return shortly(condition.spelled(expr, world.spelled), world.which_line)


def _compared(  # noqa: PLR0913, PLR0917  # one question, and all that it is about
    advice: Advice,
    option: Option,
    tunable: Tunable,
    state: State,
    world: World,
    allowed: Test | None,
) -> tuple[Verdict, dict[str, Any]]:
    """The verdict on a known state, and what else the finding holds; of the disks that the advice
    is about each has to be as wanted."""
    disks = advice.disks
    good = satisfied_by(option, world)
    if good is None:
        if _spares_isolated(option, tunable, state, world):
            return Verdict.OK, {}
        return Verdict.UNKNOWN, {"missing": frozenset(("cpus",))}
    hits = [good(value) for value in state.effective]
    if all(hits):
        return Verdict.OK, {}
    strange = [value for value in state.effective if is_other(value)]
    if strange and all(map(good, set(state.effective).difference(strange))):
        return Verdict.UNKNOWN, {
            "reason": f"the rules do not describe the value {other_text(strange[0])}"
        }
    state = state if disks else world.state(tunable.id) or state
    if any(hits) and not (disks or run_time.all_count(tunable, state.counts)):
        reason = run_time.undecided(state)
        return Verdict.UNKNOWN, {"missing": state.missing, "reason": reason}
    # Where other profiles have a say, it is met as before but remedied as suits all of them.
    goal = Goal(tunable, allowed or good, world)
    found = ladder(option, targets(option, tunable, goal.good, world), goal)
    if found.missing:
        return Verdict.UNKNOWN, {"missing": found.missing}
    if not found.remedies:
        reason = "; ".join(dict.fromkeys(found.reasons)) or state.why
        reason = reason or "no known change sets the wanted value in this kernel"
        # Protection that a kernel is too old for is lacking all the same, and what other profiles
        # rule out this kernel may have.
        must_be = advice.stance is Stance.KEEP or advice.is_binding
        none = found.absent and allowed is None and not must_be
        return Verdict.NOT_APPLICABLE if none else Verdict.BLOCKED, {"reason": reason}
    lefts = [reason for remedy in found.remedies for reason in remedy.left]
    left = "; ".join(filter(None, (*lefts, untold_needs(found.remedies, goal))))
    target = found.remedies[0].value
    return Verdict.CHANGE, {"remedies": found.remedies, "target": target, "reason": left}


def runtime_only(tunable: Tunable) -> bool:
    """Whether nothing that is compiled or given at boot says anything about it."""
    if tunable.symbol or tunable.parameter or tunable.members or tunable.default:
        return False
    return all(not v.sets and v.when is None and not v.boot and not v.reads for v in tunable.values)


def _ways(names: Iterable[str], tunable: Tunable, world: World) -> tuple[Remedy, ...]:
    """The run-time paths to these values, of a fragment also those of which no line tells."""
    ways = (runtime_remedy(tunable, name, world, may_lack=True) for name in names)
    return tuple(filter(None, ways))


def targets(option: Option, tunable: Tunable, allowed: Test, world: World) -> list[str]:
    """The values to try for, the preferred first, the merely accepted last; what other
    architectures have is none of them where there is anything else."""
    machine = world.subject.machine
    named = [filled(entry, machine) for entry in option.want + option.accept if entry != "*"]
    if option.avoid:
        named += [value.name for value in tunable.values if value.name not in option.avoid]
    names = [name for name in dict.fromkeys(named) if name and allowed(name.partition("..")[0])]
    pairs = ((name, tunable.value(name)) for name in names)
    here = (name for name, v in pairs if not (v and condition.is_elsewhere(v.requires, world)))
    return [*here] or names


def satisfied_by(option: Option, world: World) -> Test | None:
    """The test of a value; None where it depends on a fact of the machine that was not told."""
    avoid = bool(option.avoid)
    machine = world.subject.machine
    tests = [filled(entry, machine) for entry in option.avoid or option.want + option.accept]
    known = [test for test in tests if test is not None]
    if len(known) < len(tests):
        return None
    tunable = world.knowledge.tunable(option.tunable)

    def fits(value: str, test: str) -> bool:
        if tunable.kind != "list":
            return test in (value, "*") or within(value, test)
        from advisor.engine.effective.cpu_lists import covers

        parameter = world.knowledge.parameter(tunable.parameter)
        return value == test or covers(value, test, parameter, world)

    return lambda value: any(fits(value, test) for test in known) is not avoid


def _spares_isolated(option: Option, tunable: Tunable, state: State, world: World) -> bool:
    """Whether lists name none of the isolated CPUs where all the others are wanted: which these
    are only the number of CPUs tells, which was not told, and no isolated one is enough."""
    from advisor.engine.effective.cpu_lists import apart

    isolated = world.subject.machine.isolate
    return (
        tunable.kind == "list"
        and option.want == (_OTHERS,)
        and isolated is not None
        and all(apart(value, isolated) for value in state.effective)
    )


def resting_on(finding: Finding, world: World) -> set[str]:
    """The symbols that make the compiled setting of a satisfied finding what it is."""
    tunable, state = finding.tunable, finding.state
    if tunable.members:
        wanted = any("on" in option.want for option in finding.advice.options)
        return {world.spelled(symbol) for symbol, _ in (state.on if wanted else state.off)}
    symbols = [tunable.symbol] if tunable.symbol else []
    for name in state.compiled:
        value = tunable.value(name)
        symbols += value.symbols if value else ()
    return {world.spelled(symbol) for symbol in symbols}
