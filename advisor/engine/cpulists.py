"""CPU lists on the command line: what they come to, and where the kernel would not follow.

How a list is read: bitmap_parselist() in lib/bitmap-str.c; what each parameter makes of it stands
in the rules (the table `list` of a parameter).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.engine.bootline import plain
from advisor.engine.state import World
from advisor.model import Diagnostic, Layer, ListRules, Location, Parameter, Severity, Word

if TYPE_CHECKING:
    from typing import NamedTuple
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


class _Given(NamedTuple):
    """A list that the kernel would honour, and where it stands."""

    word: Word
    parameter: Parameter
    found: CpuList
    world: World

    @property
    def rules(self) -> ListRules:
        return self.parameter.list or ListRules()


def diagnose_lists(world: World) -> Iterator[Diagnostic]:
    """What is wrong with the CPU lists that the kernel would honour."""
    earlier: list[_Given] = []
    for word in world.line.words:
        parameter = world.knowledge.parameter(word.name)
        if parameter is None or parameter.type != "cpulist" or not word.value:
            continue
        if world.line.honours(plain(word)).truth is False:
            continue
        unknown, text = _without_flags(word.value, parameter.list or ListRules())
        given = _Given(word, parameter, read_list(text, _count(world)), world)
        for flag in unknown:
            yield _diagnostic(
                "cpulist-flag", given, f"{flag!r} is no flag of it", given.rules.skips
            )
        yield from _of_list(given)
        yield from _differing(given, earlier)
        earlier.append(given)


def _without_flags(value: str, rules: ListRules) -> tuple[list[str], str]:
    """The words before the list that are no flags, and the list."""
    unknown = []
    while rules.flags and value[:1].isalpha():
        head, _, value = value.partition(",")
        if head not in rules.flags:
            unknown.append(head)
    return unknown, value


def _count(world: World) -> int | None:
    """How many CPUs the machine has, or this kernel can have."""
    built = world.symbol("NR_CPUS") or ""
    limits = [world.subject.machine.cpus, int(built) if built.isdigit() else None]
    return min((limit for limit in limits if limit), default=None)


def _of_list(given: _Given) -> Iterator[Diagnostic]:
    rules, found, world = given.rules, given.found, given.world
    cpus = world.subject.machine.cpus
    if found.problem:
        yield _diagnostic("cpulist-malformed", given, found.problem, rules.refused)
    elif found.beyond is not None:
        problem = f"CPU {found.beyond} is beyond the {_count(world)} that there can be"
        yield _diagnostic("cpulist-beyond", given, problem, rules.refused)
    elif found.cpus is None:
        return
    elif rules.all and cpus and found.cpus >= set(range(cpus)):
        yield _diagnostic("cpulist-all", given, "no CPU is left out", rules.all)
    elif rules.first and 0 in found.cpus and world.evaluate(rules.first_when) is True:
        yield _diagnostic("cpulist-boot-cpu", given, "CPU 0 is among them", rules.first)


def _differing(given: _Given, earlier: list[_Given]) -> Iterator[Diagnostic]:
    """Lists of two parameters that belong together and are not the same."""
    for other in earlier:
        names = {given.parameter.name, other.parameter.name}
        rules = given.rules if given.rules.same in names else other.rules
        if len(names) < 2 or rules.same not in names:
            continue
        known = given.found.cpus is not None and other.found.cpus is not None
        if known and given.found.cpus != other.found.cpus:
            problem = f"not the list of {other.word.text}"
            yield _diagnostic("cpulist-differs", given, problem, rules.differs)


def _diagnostic(name: str, given: _Given, problem: str, consequence: str) -> Diagnostic:
    word, world = given.word, given.world
    line = world.subject.cmdline
    place = Location(line.name if line else "", 1, word.column)
    if word.layer is Layer.BUILT_IN:
        place = world.config.entry("CMDLINE").location
    then = f"; {consequence}" if consequence else ""
    sources = given.parameter.sources
    return Diagnostic(
        name,
        Severity.ERROR if name in _ERRORS else Severity.WARNING,
        place,
        f"{word.text}: {problem}{then}",
        given.parameter.advice or "give CPUs that the machine has, such as 2-7,10",
        sources[0].url if sources else "",
    )


_ERRORS = ("cpulist-malformed", "cpulist-beyond")
