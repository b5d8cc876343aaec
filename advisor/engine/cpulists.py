"""CPU lists on the command line: what they come to, and where the kernel would not follow.

How a list is read: bitmap_parselist() in lib/bitmap-str.c; what each parameter makes of it stands
in the rules (the table `list` of a parameter).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor import condition
from advisor.engine.bootline import BootLine, plain
from advisor.model import Diagnostic, ListRules, Parameter, Severity, Word

if TYPE_CHECKING:
    from typing import NamedTuple

    from advisor.engine.state import World
else:
    from advisor.record import NamedTuple

_REGION = re.compile(r"(?:all|(N|\d+)(?:-(N|\d+))?)(?::(N|\d+)/(N|\d+))?", re.IGNORECASE)
_LARGEST = 1 << 16


class CpuList(NamedTuple):
    """The CPUs of a list; None if that takes the machine's count. `problem` is why it is refused.

    `beyond` is the first CPU that the machine does not have.
    """

    cpus: frozenset[int] | None
    problem: str = ""
    beyond: int | None = None


def read_list(text: str, count: int | None) -> CpuList:
    """A list as the kernel reads it on a machine with `count` CPUs, if that is told."""
    found: set[int] = set()
    known = True
    for region in re.split(r"[,\s]+", text.strip(", \t")):
        match = _REGION.fullmatch(region)
        if not match or "n" in region.replace("N", ""):
            return CpuList(None, f"{region!r} is no CPU and no range of CPUs")
        if count is None and ("N" in region or region[:3].lower() == "all"):
            known = False
            continue
        first, last, used, group = _numbers(match, (count or 1) - 1)
        if first > last or group == 0 or used > group:
            return CpuList(None, f"{region!r} does not ascend" if first > last else f"{region!r}")
        if last >= (count or _LARGEST):
            return CpuList(None, "", last)
        found.update(cpu for cpu in range(first, last + 1) if (cpu - first) % group < used)
    return CpuList(frozenset(found) if known else None)


def _numbers(match: re.Match[str], last: int) -> tuple[int, int, int, int]:
    def number(text: str | None, default: int) -> int:
        return default if text is None else last if text == "N" else int(text)

    start = number(match[1], 0)
    end = number(match[2], start if match[1] else last)
    return start, end, number(match[3], 1), number(match[4], 1)


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
        if parameter is None or parameter.type != "cpulist" or not word.value:
            continue
        if line.honours(plain(word)).truth is not False:
            lists.append(_settled(_given(word, parameter, world), lists, world))
    return lists


def _given(word: Word, parameter: Parameter, world: condition.World) -> GivenList:
    rules = parameter.list or ListRules()
    flags, text = _without_flags(word.value or "", rules)
    purposes = frozenset(flag for flag in flags if flag in rules.flags) or frozenset(rules.default)
    unknown = tuple(flag for flag in flags if flag not in rules.flags)
    return GivenList(word, parameter, read_list(text, possible(world)), purposes, unknown)


def _settled(given: GivenList, earlier: list[GivenList], world: condition.World) -> GivenList:
    """The list with what it counts as, beside those that stand before it."""
    rules, found = given.rules, given.found
    if rules.refused and (found.problem or found.beyond is not None):
        instead = given.word._replace(value=rules.instead) if rules.instead else None
        return given._replace(counts=instead)
    for other in earlier:
        if other.counts and _rivals(given, other, world) and not _equal(given, other):
            return given._replace(loses_to=other.word)
    return given._replace(counts=given.word)


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
    cpus = world.subject.machine.cpus
    if found.problem:
        yield _diagnostic("cpulist-malformed", given, found.problem, rules.refused, world)
    elif found.beyond is not None:
        problem = f"CPU {found.beyond} is beyond the {possible(world)} that there can be"
        yield _diagnostic("cpulist-beyond", given, problem, rules.refused, world)
    elif found.cpus is None:
        return
    elif rules.all and cpus and found.cpus >= set(range(cpus)):
        yield _diagnostic("cpulist-all", given, "no CPU is left out", rules.all, world)
    elif rules.first and 0 in found.cpus and world.evaluate(rules.first_when) is True:
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


def _diagnostic(
    name: str, given: GivenList, problem: str, consequence: str, world: World
) -> Diagnostic:
    then = f"; {consequence}" if consequence else ""
    sources = given.parameter.sources
    return Diagnostic(
        name,
        Severity.ERROR if name in _ERRORS else Severity.WARNING,
        world.place(given.word),
        f"{given.word.text}: {problem}{then}",
        given.parameter.advice or "give CPUs that the machine has, such as 2-7,10",
        sources[0].url if sources else "",
    )


_ERRORS = ("cpulist-malformed", "cpulist-beyond")
