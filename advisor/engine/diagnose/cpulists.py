"""CPU lists of the boot line that are dropped, contradict each other, or leave no CPU."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_letters
from typing import TYPE_CHECKING

from advisor.engine.effective.cpu_lists import (
    GivenList,
    belong_together,
    containing,
    equal_lists,
    has_boot_cpu,
    is_no_flag,
    leaves_none,
    possible,
    refused_for_flag,
    unsupported_flags,
)
from advisor.inputs.cpulist import read_list, show_list
from advisor.model.condition import show
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.likeness import slipped
from advisor.model.numbers import count_of
from advisor.model.rules import address

if TYPE_CHECKING:
    from advisor.engine.effective.world import World


def diagnose_lists(world: World) -> Iterator[Diagnostic]:
    """Report what is wrong with the CPU lists that the kernel would parse."""
    earlier: list[GivenList] = []
    for given in world.line.lists():
        then = given.rules.refused if refused_for_flag(given, world) else given.rules.skips
        empty = given.word.value and given.cpu_list.cpus == frozenset()
        if empty and not any(map(is_no_flag, given.unknown)):
            remedy = f"write {given.word.name}=LIST, such as 2-7, or remove the parameter"
            problem, then = "the list names no CPU", given.rules.refused
            yield _diagnostic("cpulist-malformed", given, problem, then, world, remedy)
            continue
        for flag in given.unknown:
            if is_no_flag(flag):
                yield _no_flag(flag, given, world)
                continue
            older = " in this kernel" if flag in dict(given.rules.flags) else ""
            problem = f"there is no flag {flag!r}{older}"
            meant = slipped(flag, [name for name, _ in given.rules.flags])
            instead = f"{meant[0]}," if meant else ""
            remedy = f"write {given.word.text.replace(f'{flag},', instead, 1)}"
            yield _diagnostic("cpulist-flag", given, problem, then, world, remedy)
        for flag, when in unsupported_flags(given, world).items():
            problem = f"the flag {flag!r} needs {show(when)}"
            remedy = f"write {given.word.text.replace(f'{flag},', '', 1)}"
            yield _diagnostic("cpulist-flag", given, problem, given.rules.refused, world, remedy)
        if given.loses_to:
            winner = f"{given.loses_to.text} comes first and takes precedence"
            problem = f"{winner}; the two lists must be equal"
            id, then, remedy = (
                "parameter-duplicate",
                given.rules.unequal,
                "keep only one of the two lists",
            )
            yield _diagnostic(id, given, problem, then, world, remedy)
        else:
            yield from _of_list(given, world)
            for other in earlier:
                rules = belong_together(given.parameter, other.parameter)
                known = given.cpu_list.cpus is not None and other.cpu_list.cpus is not None
                if rules and known and not equal_lists(given, other):
                    problem = f"this list differs from the list of {other.word.text}"
                    yield _diagnostic("cpulist-differs", given, problem, rules.differs, world)
            yield from _isolated(given, world)
            yield from _offline(given, world)
            for other in containing(given, world.line.lists(), possible(world)):
                problem, then = (
                    f"all CPUs of this list are in {other.word.text}",
                    given.rules.contained,
                )
                yield _diagnostic("parameter-redundant", given, problem, then, world)
        earlier.append(given)


def _isolated(given: GivenList, world: World) -> Iterator[Diagnostic]:
    """Report a list of CPUs for what isolated CPUs are to be free of, if it names such."""
    for other in world.line.lists() if given.rules.outside else ():
        cpus, isolated = given.cpu_list.cpus or frozenset(), other.cpu_list.cpus or frozenset()
        if not (other.counts and other.purposes & {"domain", "nohz"} and cpus & isolated):
            continue
        problem = (
            f"the list names CPUs {show_list(cpus & isolated)}, which {other.word.text} isolates"
        )
        rest = show_list(cpus - isolated)
        remedy = f"write {given.word.name}={rest}" if rest else ""
        yield _diagnostic("cpulist-differs", given, problem, given.rules.outside, world, remedy)
        return


def _offline(given: GivenList, world: World) -> Iterator[Diagnostic]:
    """Report a list of CPUs that maxcpus= keeps from starting.

    Read in 6.12: smp_init() of kernel/smp.c brings up CPUs by their number until so many run.
    """
    words = world.line.counting("maxcpus")
    limit = count_of(words[-1].value or "") if words else None
    late = [cpu for cpu in given.cpu_list.cpus or () if limit and cpu >= limit]
    if not (late and given.counts and given.purposes & {"domain", "nohz"}):
        return
    cpus = show_list(late)
    problem = f"with {words[-1].text}, the kernel starts none of the CPUs {cpus} at boot"
    then = "a program with an affinity for these CPUs fails until they are online"
    file = f"/sys/devices/system/cpu/cpu{min(late)}/online"
    remedy = f"remove {words[-1].text}, or bring the CPUs up: echo 1 > {file}"
    yield _diagnostic("parameter-caution", given, problem, then, world, remedy)


def _no_flag(flag: str, given: GivenList, world: World) -> Diagnostic:
    """Report a word that is no flag, most likely a list with the word `cpu` before its numbers."""
    problem = f"{flag!r} is neither a flag (only letters and '_') nor a list of CPUs"
    numbers, remedy = flag.lstrip(ascii_letters + "_"), ""
    if read_list(numbers, possible(world)).cpus:
        remedy = f"write {given.word.name}={(given.word.value or '').replace(flag, numbers)}"
    return _diagnostic("cpulist-malformed", given, problem, given.rules.refused, world, remedy)


def _of_list(given: GivenList, world: World) -> Iterator[Diagnostic]:
    rules, cpu_list = given.rules, given.cpu_list
    if cpu_list.problem:
        yield _diagnostic("cpulist-malformed", given, cpu_list.problem, rules.refused, world)
    elif cpu_list.beyond is not None:
        problem = f"CPU {cpu_list.beyond} is beyond the {possible(world)} possible CPUs"
        yield _diagnostic("cpulist-beyond", given, problem, rules.refused, world)
    elif leaves_none(given, world):
        yield _diagnostic("cpulist-all", given, "the list contains every CPU", rules.all, world)
    elif has_boot_cpu(given, world):
        yield _diagnostic("cpulist-boot-cpu", given, "CPU 0 is in the list", rules.first, world)


def _diagnostic(  # noqa: PLR0913, PLR0917  # as many as a diagnostic has
    name: str, given: GivenList, problem: str, consequence: str, world: World, remedy: str = ""
) -> Diagnostic:
    then = f"; {consequence}" if consequence else ""
    message = f"{given.word.text}: {problem}{then}"
    source, text = address(given.parameter.sources), given.word.text
    return diagnostic(name, world.place(given.word), message, remedy, source, text)
