"""CPU lists on the command line: which the kernel goes by, and what is wrong with the others.

What each parameter makes of a list stands in the rules (the table `list` of a parameter).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor import condition
from advisor.engine.bootline import BootLine, plain
from advisor.inputs.cpulist import CpuList, read_list, show_list
from advisor.model import Diagnostic, ListRules, Parameter, Severity, Word, address
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.engine.state import World


class GivenList(NamedTuple):
    """A list that the kernel would parse, and what becomes of it.

    `counts` is the word that the kernel goes by: the word itself, another one in its place, or None
    where the list is refused. `loses_to` is the earlier list that it would have to equal.
    """

    word: Word
    parameter: Parameter
    found: CpuList
    purposes: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    counts: Word | None = None
    loses_to: Word | None = None

    @property
    def rules(self) -> ListRules:
        """What the parameter makes of a list."""
        return self.parameter.list or ListRules()


def given_lists(line: BootLine, world: condition.World) -> list[GivenList]:
    """The CPU lists on the line, in the kernel's order, and what the kernel makes of each."""
    lists: list[GivenList] = []
    for word in line.words:
        parameter = line.parameter(word)
        if parameter is None or parameter.type != "cpulist" or word.value is None:
            continue
        if line.honours(plain(word)).truth is not False:
            lists.append(_settled(_given(word, parameter, world), lists, world))
    return lists


def _given(word: Word, parameter: Parameter, world: condition.World) -> GivenList:
    rules = parameter.list or ListRules()
    flags, text = _without_flags(word.value or "", rules)
    purposes = frozenset(flag for flag in flags if flag in rules.flags) or frozenset(rules.default)
    unknown = tuple(flag for flag in flags if flag not in rules.flags)
    found = read_list(text, possible(world)) if text else CpuList(frozenset())
    return GivenList(word, parameter, found, purposes, unknown)


def _settled(given: GivenList, earlier: list[GivenList], world: condition.World) -> GivenList:
    """The list with what it counts as, beside those that stand before it."""
    rules, found = given.rules, given.found
    if rules.refused and (found.problem or found.beyond is not None):
        instead = given.word._replace(value=rules.instead) if rules.instead else None
        return given._replace(counts=instead)
    if found.cpus == frozenset():
        return given  # an empty list is no error, and nothing
    for other in earlier:
        if other.counts and _rivals(given, other, world) and not _equal(given, other):
            return given._replace(loses_to=other.word)
    return given._replace(counts=_without_boot_cpu(given, world))


def _without_boot_cpu(given: GivenList, world: condition.World) -> Word:
    """The word as it counts where the kernel takes the boot CPU out of its list."""
    if not (_leaves_none(given, world) or _has_boot_cpu(given, world)):
        return given.word
    flags, _ = _without_flags(given.word.value or "", given.rules)
    cpus = (given.found.cpus or frozenset()) - {0}
    return given.word._replace(value=",".join([*flags, show_list(cpus)]))


def _leaves_none(given: GivenList, world: condition.World) -> bool:
    """Whether the list names all CPUs of the machine where one has to be left out."""
    cpus, told = given.found.cpus, world.fact("cpus")
    if not (given.rules.all and cpus and isinstance(told, int)):
        return False
    return cpus >= set(range(told))


def _has_boot_cpu(given: GivenList, world: condition.World) -> bool:
    """Whether the list names the boot CPU where that has to be left out."""
    rules, cpus = given.rules, given.found.cpus
    named = bool(rules.first and cpus and 0 in cpus)
    return named and condition.evaluate(rules.first_when, world) is True


def _rivals(given: GivenList, other: GivenList, world: condition.World) -> bool:
    """Whether the kernel wants the two lists to be equal."""
    if not (given.purposes and other.purposes):
        return False
    together = bool(given.purposes & other.purposes)
    return together or condition.evaluate(given.rules.apart, world) is False


def _equal(given: GivenList, other: GivenList) -> bool:
    if given.found.cpus is None or other.found.cpus is None:
        return given.word.value == other.word.value
    return given.found.cpus == other.found.cpus


def covers(value: str, wanted: str, parameter: Parameter | None, world: condition.World) -> bool:
    """Whether a list names the CPUs that another one names, for at least the same purposes."""
    rules = (parameter.list if parameter else None) or ListRules()
    (flags, text), (others, other) = (_without_flags(line, rules) for line in (value, wanted))
    found, asked = (read_list(line, possible(world)).cpus for line in (text, other))
    given, needed = (set(some) or set(rules.default) for some in (flags, others))
    return found is not None and found == asked and needed <= given


def possible(world: condition.World) -> int | None:
    """How many CPUs the machine has, or this kernel can have."""
    built, told = world.symbol("NR_CPUS") or "", world.fact("cpus")
    limits = [told if isinstance(told, int) else None, int(built) if built.isdigit() else None]
    return min((limit for limit in limits if limit), default=None)


def diagnose_lists(world: World) -> Iterator[Diagnostic]:
    """What is wrong with the CPU lists that the kernel would parse."""
    earlier: list[GivenList] = []
    for given in world.line.lists():
        for flag in given.unknown:
            yield _diagnostic(
                "cpulist-flag", given, f"{flag!r} is no flag of it", given.rules.skips, world
            )
        if given.loses_to:
            yield _losing(given, given.loses_to, world)
        else:
            yield from _of_list(given, world)
            yield from _differing(given, earlier, world)
            yield from _contained(given, world)
        earlier.append(given)


def _losing(given: GivenList, winner: Word, world: World) -> Diagnostic:
    problem = f"{winner.text} stands before it and counts (the two must be equal)"
    return _diagnostic("parameter-duplicate", given, problem, given.rules.unequal, world)


def _without_flags(value: str, rules: ListRules) -> tuple[list[str], str]:
    """The words before the list, and the list."""
    flags = []
    while rules.flags and value[:1].isalpha():
        head, _, value = value.partition(",")
        flags.append(head)
    return flags, value


def _of_list(given: GivenList, world: World) -> Iterator[Diagnostic]:
    rules, found = given.rules, given.found
    if found.problem:
        yield _diagnostic("cpulist-malformed", given, found.problem, rules.refused, world)
    elif found.beyond is not None:
        problem = f"CPU {found.beyond} is beyond the {possible(world)} that there can be"
        yield _diagnostic("cpulist-beyond", given, problem, rules.refused, world)
    elif _leaves_none(given, world):
        yield _diagnostic("cpulist-all", given, "no CPU is left out", rules.all, world)
    elif _has_boot_cpu(given, world):
        yield _diagnostic("cpulist-boot-cpu", given, "CPU 0 is among them", rules.first, world)


def _differing(given: GivenList, earlier: list[GivenList], world: World) -> Iterator[Diagnostic]:
    """Lists of two parameters that belong together and are not the same."""
    for other in earlier:
        names = {given.parameter.name, other.parameter.name}
        rules = given.rules if given.rules.same in names else other.rules
        if len(names) < 2 or rules.same not in names:
            continue
        known = given.found.cpus is not None and other.found.cpus is not None
        if known and not _equal(given, other):
            problem = f"not the list of {other.word.text}"
            yield _diagnostic("cpulist-differs", given, problem, rules.differs, world)


def _contained(given: GivenList, world: World) -> Iterator[Diagnostic]:
    """A list that adds nothing to one of another parameter, on whichever side of it."""
    for other in world.line.lists():
        inside = other.counts and other.parameter.name == given.rules.within
        if inside and given.found.cpus and given.found.cpus <= (other.found.cpus or frozenset()):
            problem = f"all of it is in {other.word.text}"
            yield _diagnostic("parameter-redundant", given, problem, given.rules.contained, world)


def _diagnostic(
    name: str, given: GivenList, problem: str, consequence: str, world: World
) -> Diagnostic:
    then = f"; {consequence}" if consequence else ""
    return Diagnostic(
        name,
        _SEVERITIES.get(name, Severity.WARNING),
        world.place(given.word),
        f"{given.word.text}: {problem}{then}",
        _REMEDIES[name],
        address(given.parameter.sources),
        given.word.text,
    )


_REMEDIES = {
    "cpulist-malformed": "write it as 2-7,10: ascending, without blanks",
    "cpulist-beyond": "give CPUs that the machine has",
    "cpulist-all": "leave one CPU or more out of it",
    "cpulist-boot-cpu": "leave CPU 0 out of it",
    "cpulist-flag": "take the word out",
    "cpulist-differs": "give both the same list, or only one of them",
    "parameter-duplicate": "keep one of them",
    "parameter-redundant": "remove it",
}
_SEVERITIES = {
    "cpulist-malformed": Severity.ERROR,
    "cpulist-beyond": Severity.ERROR,
    "parameter-redundant": Severity.NOTE,
}
