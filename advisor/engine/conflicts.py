"""Several profiles at once: where they cannot all be satisfied, and who is preferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from advisor.engine.judge import satisfied_by
from advisor.engine.state import World
from advisor.model.report import Conflict, Finding, Verdict
from advisor.model.rules import Option, Tunable

Demand = tuple[Finding, Option]


def demands(findings: Iterable[Finding]) -> dict[str, list[Demand]]:
    """What the applicable advice asks, by tunable; alternatives (any_of) bind nobody."""
    found: dict[str, list[Demand]] = {}
    for finding in findings:
        if finding.verdict is Verdict.NOT_APPLICABLE or len(finding.advice.options) > 1:
            continue
        if finding.verdict is Verdict.UNKNOWN and finding.reason:
            continue  # whether it applies at all was not told
        option = finding.advice.options[0]
        found.setdefault(option.tunable, []).append((finding, option))
    return found


def conflicts(findings: Iterable[Finding], world: World) -> list[Conflict]:
    """Tunables for which no single value satisfies all the advice, with both sides."""
    asked = demands(findings)
    found = []
    for name in sorted(asked):
        tunable = world.knowledge.tunable(name)
        sides = asked[name]
        if _profiles(sides) > 1 and not _common(tunable, sides, world):
            found.append(_conflict(tunable, sides))
        if tunable.kind == "group":
            found += _member_conflicts(tunable, sides, asked, world)
    return found


def _profiles(sides: list[Demand]) -> int:
    return len({finding.advice.profile for finding, _ in sides})


def _common(tunable: Tunable, sides: list[Demand], world: World) -> list[str]:
    tests = [test for _, option in sides if (test := satisfied_by(option, world))]
    return [v for v in _candidates(tunable, sides) if all(test(v) for test in tests)]


def _candidates(tunable: Tunable, sides: list[Demand]) -> list[str]:
    """Every value that could satisfy somebody: the named ones, and the ends of ranges."""
    found = [value.name for value in tunable.values]
    if tunable.kind == "group":
        found += ["off", "partly", "on"]
    for _, option in sides:
        for entry in option.want + option.accept:
            found += [part for part in entry.split("..") if part]
    return list(dict.fromkeys(found))


def _conflict(tunable: Tunable, sides: list[Demand]) -> Conflict:
    shown = tuple((finding.advice, option.wanted(tunable)) for finding, option in sides)
    return Conflict(tunable.id, tunable.title, shown)


def _member_conflicts(
    group: Tunable, sides: list[Demand], asked: dict[str, list[Demand]], world: World
) -> list[Conflict]:
    """A group that shall be off, one of whose members another profile wants on."""
    off = [(finding, option) for finding, option in sides if option.want == ("off",)]
    found = []
    for member in group.members:
        provider = world.knowledge.provider(member.symbol)
        if not off or provider is None or provider[0].id == group.id:
            continue
        tunable, value, _ = provider
        for finding, option in asked.get(tunable.id, ()):
            if (
                option.want[:1] == (value.name,)
                and finding.advice.profile != off[0][0].advice.profile
            ):
                other = (off[0][0].advice, f"{group.describe(('off',))}: {group.title}")
                found.append(
                    Conflict(
                        tunable.id, tunable.title, ((finding.advice, option.wanted(tunable)), other)
                    )
                )
    return found


def settle(
    findings: list[Finding], found: Iterable[Conflict], prefer: str
) -> tuple[list[Finding], list[Conflict]]:
    """The findings without those a preferred profile overrides, and the conflicts that remain."""
    overruled: set[str] = set()
    remaining = []
    for conflict in found:
        sides = [advice for advice, _ in conflict.sides]
        if any(advice.profile == prefer for advice in sides):
            overruled |= {advice.key for advice in sides if advice.profile != prefer}
        else:
            remaining.append(conflict)
    return [f for f in findings if f.id not in overruled], remaining


def joint_test(tunable: str, asked: dict[str, list[Demand]], world: World) -> Callable[[str], bool]:
    """The test of a value against everybody who has a say about the tunable."""
    tests = [
        test
        for _, option in asked.get(tunable, ())
        if (test := satisfied_by(option, world)) is not None
    ]
    return lambda value: all(test(value) for test in tests)
