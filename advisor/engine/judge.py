"""Whether the effective value satisfies each advice, and the remedies where it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from advisor.condition import show, size
from advisor.engine.rebuild import Blocked, rebuild
from advisor.engine.remedy import boot_change, runtime_remedy
from advisor.engine.state import Values, World
from advisor.model import (
    Advice,
    Finding,
    Option,
    Profile,
    Remedy,
    Stance,
    State,
    Tunable,
    Verdict,
)

Test = Callable[[str], bool]
_NOTHING: frozenset[str] = frozenset()
_GROUP = {"off": "all off", "partly": "some of it", "on": "all on"}
# Of several ways to one end, the one that is satisfied counts, else the one that can be had.
_BEST = (Verdict.OK, Verdict.CHANGE, Verdict.UNKNOWN, Verdict.BLOCKED, Verdict.NOT_APPLICABLE)


def judge(world: World, profiles: Iterable[Profile]) -> list[Finding]:
    """A finding for every advice of these profiles, in their order; neutral ones give none."""
    return [
        judge_advice(advice, world)
        for profile in profiles
        for advice in profile.advice
        if advice.stance is not Stance.NEUTRAL
    ]


def judge_advice(advice: Advice, world: World, allowed: Test | None = None) -> Finding:
    """One advice, judged; of alternatives, the best.

    `allowed` narrows the values a remedy may aim at, where other profiles have a say as well.
    """
    findings = [_judge_option(advice, option, world, allowed) for option in advice.options]
    return min(findings, key=lambda finding: _BEST.index(finding.verdict))


def _judge_option(advice: Advice, option: Option, world: World, allowed: Test | None) -> Finding:
    tunable = world.knowledge.tunable(option.tunable)
    blank = Finding(
        advice.key,
        Verdict.NOT_APPLICABLE,
        advice,
        tunable,
        State(tunable.id, ()),
        "",
        _wanted_of(advice, world),
    )
    applies, reason, missing = _applies(advice, world)
    if applies is Verdict.NOT_APPLICABLE:
        return blank._replace(reason=reason)
    state = world.state(tunable.id)
    if state is None:
        return blank._replace(reason=f"this kernel has no {_short(tunable)}")
    if runtime_only(tunable) and not state.effective:
        return _runtime_advice(blank._replace(state=state), option, world)
    if not state.effective:
        if state.missing:
            return blank._replace(state=state, verdict=Verdict.UNKNOWN, missing=state.missing)
        return blank._replace(state=state, reason=f"this kernel has no {_short(tunable)}")
    finding = blank._replace(state=state, now=_now(state, tunable))
    if applies is Verdict.UNKNOWN:
        return finding._replace(verdict=Verdict.UNKNOWN, missing=missing, reason=reason)
    return _compared(finding, option, world, allowed)


def _applies(advice: Advice, world: World) -> tuple[Verdict, str, frozenset[str]]:
    if advice.unless is not None and world.evaluate(advice.unless) is True:
        return Verdict.NOT_APPLICABLE, f"does not apply where {show(advice.unless)}", _NOTHING
    truth = world.evaluate(advice.when)
    if truth is False:
        return Verdict.NOT_APPLICABLE, f"applies only where {show(advice.when)}", _NOTHING
    if truth is True:
        return Verdict.OK, "", _NOTHING
    return Verdict.UNKNOWN, f"depends on {show(advice.when)}", truth


def _compared(finding: Finding, option: Option, world: World, allowed: Test | None) -> Finding:
    good = satisfied_by(option, world)
    if good is None:
        return finding._replace(verdict=Verdict.UNKNOWN, missing=frozenset(("cpus",)))
    hits = [good(value) for value in finding.state.effective]
    if all(hits):
        return finding._replace(verdict=Verdict.OK)
    if any(hits):
        return finding._replace(verdict=Verdict.UNKNOWN, missing=finding.state.missing)
    remedies, blocked = _ladder(option, finding, allowed or good, world)
    if not remedies:
        reason = "; ".join(dict.fromkeys(blocked)) or "there is no way to it in this kernel"
        return finding._replace(verdict=Verdict.BLOCKED, reason=reason)
    target = remedies[0].value
    value = finding.tunable.value(target)
    cost = finding.advice.cost or (value.cost if value else "") or finding.tunable.cost
    return finding._replace(
        verdict=Verdict.CHANGE,
        remedies=tuple(remedies),
        target=target,
        cost=cost,
        reason="; ".join(filter(None, (remedy.left for remedy in remedies))),
    )


def runtime_only(tunable: Tunable) -> bool:
    """Whether nothing that is compiled or given at boot says anything about it."""
    if tunable.symbol or tunable.parameter or tunable.members or tunable.default:
        return False
    return all(not v.sets and v.when is None and not v.boot and not v.reads for v in tunable.values)


def _runtime_advice(finding: Finding, option: Option, world: World) -> Finding:
    found = [runtime_remedy(finding.tunable, name, world) for name in option.want]
    remedies = tuple(remedy for remedy in found if remedy)
    return finding._replace(
        verdict=Verdict.UNKNOWN,
        runtime_only=True,
        remedies=remedies,
        cost=finding.advice.cost or finding.tunable.cost,
    )


def _ladder(
    option: Option, finding: Finding, good: Test, world: World
) -> tuple[list[Remedy], list[str]]:
    """One remedy a rung, least invasive first, each for the first value that rung can give."""
    tunable, state = finding.tunable, finding.state
    names = targets(option, tunable, good, world)
    found = (runtime_remedy(tunable, name, world) for name in names)
    ladder = [next((remedy for remedy in found if remedy), None)]
    ladder.append(boot_change(tunable, names, state, good, world))
    blocked: list[str] = []
    # Where taking a word off the boot line is enough, nobody wants to hear of a rebuild.
    if not any(remedy and remedy.drop and not remedy.words for remedy in ladder):
        for name in names:
            outcome = rebuild(tunable, name, world)
            if isinstance(outcome, Blocked):
                blocked.append(outcome.reason)
            elif outcome:
                ladder.append(outcome)
                break
    return [remedy for remedy in ladder if remedy], blocked


def targets(option: Option, tunable: Tunable, allowed: Test, world: World) -> list[str]:
    """The values to try for, the preferred first, the merely accepted last."""
    named = [_filled(entry, world) for entry in option.want + option.accept if entry != "*"]
    if option.avoid:
        named += [value.name for value in tunable.values if value.name not in option.avoid]
    return [name for name in dict.fromkeys(named) if name and allowed(name.partition("..")[0])]


def _filled(entry: str, world: World) -> str | None:
    """A wanted value with the machine's facts in it; None where they were not told."""
    if "{cpus}" not in entry:
        return entry
    cpus = world.subject.machine.cpus
    return None if cpus is None else entry.replace("{cpus}", str(cpus))


def satisfied_by(option: Option, world: World) -> Test | None:
    """The test of a value; None where it depends on a fact of the machine that was not told."""
    avoid = bool(option.avoid)
    tests = [_filled(entry, world) for entry in option.avoid or option.want + option.accept]
    known = [test for test in tests if test is not None]
    if len(known) < len(tests):
        return None
    return lambda value: any(_fits(value, test) for test in known) is not avoid


def _fits(value: str, test: str) -> bool:
    if value == test:
        return True
    if test == "*":
        return True
    low, dots, high = test.partition("..")
    if not dots:
        return False
    try:
        number = size(value)
        return (not low or number >= size(low)) and (not high or number <= size(high))
    except ValueError:
        return False


def _wanted_of(advice: Advice, world: World) -> str:
    tunables = [world.knowledge.tunable(option.tunable) for option in advice.options]
    if len(tunables) == 1:
        return wanted(advice.options[0], tunables[0])
    parts = [f"{t.title}: {wanted(o, t)}" for o, t in zip(advice.options, tunables, strict=True)]
    return "; or ".join(parts)


def wanted(option: Option, tunable: Tunable) -> str:
    """What an advice asks for, in words."""
    if option.avoid and not option.want:
        return "not " + describe(option.avoid, tunable)
    if option.avoid:
        return describe(option.want, tunable) + f" (not {describe(option.avoid, tunable)})"
    return describe(option.want, tunable)


def _now(state: State, tunable: Tunable) -> str:
    if not tunable.members:
        return describe(state.effective, tunable)
    total = len(state.on) + len(state.off)
    return f"{len(state.on)} of {total} on" + (", others not told" if state.missing else "")


def describe(values: Values, tunable: Tunable) -> str:
    """Values in words, with their unit."""
    shown = []
    if tunable.members:
        return " or ".join(_GROUP[name] for name in values)
    for name in values:
        value = tunable.value(name)
        text = value.title if value and value.title else name
        unit = f" {tunable.unit}" if tunable.unit and name[:1].isdigit() else ""
        shown.append(text + unit)
    return " or ".join(shown)


def _short(tunable: Tunable) -> str:
    title = tunable.title
    return title if title[1:2].isupper() or title[:1].isdigit() else title[:1].lower() + title[1:]
