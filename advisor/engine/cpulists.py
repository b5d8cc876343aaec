"""CPU lists on the command line: which the kernel goes by, and what is wrong with the others.

What each parameter makes of a list stands in the rules (the table `list` of a parameter).
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.inputs.cpulist import CpuList, read_list, show_list
from advisor.model import condition
from advisor.model.kernel import Machine, Word, count_of
from advisor.model.rules import ListRules, Parameter
from advisor.record import NamedTuple


class GivenList(NamedTuple):
    """A list that the kernel would parse, and what becomes of it.

    `counts` is the word that the kernel goes by: the word itself, another one in its place, or None
    where the list is refused. `loses_to` is the earlier list that it would have to equal.
    """

    word: Word
    parameter: Parameter
    cpu_list: CpuList
    purposes: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    counts: Word | None = None
    loses_to: Word | None = None

    @property
    def rules(self) -> ListRules:
        """What the parameter makes of a list."""
        return self.parameter.list or ListRules()


def given_lists(words: Iterable[tuple[Word, Parameter]], world: condition.Facts) -> list[GivenList]:
    """What the kernel makes of each CPU list of the line: of these words, in its order."""
    lists: list[GivenList] = []
    for word, parameter in words:
        lists.append(_settled(_given(word, parameter, world), lists, world))
    return lists


def _given(word: Word, parameter: Parameter, world: condition.Facts) -> GivenList:
    rules = parameter.list or ListRules()
    flags, text = parted(word.value or "", rules)
    # Where the version was not told, a flag is taken for one that the kernel knows.
    known = {flag for flag, when in rules.flags if condition.evaluate(when, world) is not False}
    purposes = frozenset(flag for flag in flags if flag in known) or frozenset(rules.default)
    unknown = tuple(flag for flag in flags if flag not in known)
    cpu_list = read_list(text, possible(world)) if text else CpuList(frozenset())
    return GivenList(word, parameter, cpu_list, purposes, unknown)


def _settled(given: GivenList, earlier: list[GivenList], world: condition.Facts) -> GivenList:
    """The list with what it counts as, beside those that stand before it."""
    rules, cpu_list = given.rules, given.cpu_list
    if rules.refused and (cpu_list.problem or cpu_list.beyond is not None):
        instead = given.word._replace(value=rules.instead) if rules.instead else None
        return given._replace(counts=instead)
    if refused_for_flag(given, world):
        return given
    if cpu_list.cpus == frozenset():
        return given  # an empty list is no error, and nothing
    # The first list that counts wins: later ones must equal it, or the kernel drops them.
    for other in earlier:
        if other.counts and _rivals(given, other, world) and not equal_lists(given, other):
            return given._replace(loses_to=other.word)
    return given._replace(counts=_without_boot_cpu(given, world))


def refused_for_flag(given: GivenList, world: condition.Facts) -> bool:
    """Whether the kernel drops the list for a flag that it does not know."""
    strict = given.rules.strict
    return bool(given.unknown and strict) and condition.evaluate(strict, world) is True


def _without_boot_cpu(given: GivenList, world: condition.Facts) -> Word:
    """The word as it counts where the kernel takes the boot CPU out of its list."""
    if not (leaves_none(given, world) or has_boot_cpu(given, world)):
        return given.word
    flags, _ = parted(given.word.value or "", given.rules)
    cpus = (given.cpu_list.cpus or frozenset()) - {0}
    return given.word._replace(value=",".join([*flags, show_list(cpus)]))


def leaves_none(given: GivenList, world: condition.Facts) -> bool:
    """Whether the list names all CPUs of the machine where one has to be left out."""
    cpus, number = given.cpu_list.cpus, world.fact("cpus")
    if not (given.rules.all and cpus and isinstance(number, int)):
        return False
    return cpus >= set(range(number))


def has_boot_cpu(given: GivenList, world: condition.Facts) -> bool:
    """Whether the list names the boot CPU where that has to be left out."""
    rules, cpus = given.rules, given.cpu_list.cpus
    named = bool(rules.first and cpus and 0 in cpus)
    return named and condition.evaluate(rules.first_when, world) is True


def _rivals(given: GivenList, other: GivenList, world: condition.Facts) -> bool:
    """Whether the kernel wants the two lists to be equal."""
    if not (given.purposes and other.purposes):
        return False
    together = bool(given.purposes & other.purposes)
    return together or condition.evaluate(given.rules.apart, world) is False


def equal_lists(given: GivenList, other: GivenList) -> bool:
    """Whether both name the same CPUs."""
    if given.cpu_list.cpus is None or other.cpu_list.cpus is None:
        return given.word.value == other.word.value
    return given.cpu_list.cpus == other.cpu_list.cpus


def covers(value: str, wanted: str, parameter: Parameter | None, world: condition.Facts) -> bool:
    """Whether a list names the CPUs that another one names, for at least the same purposes."""
    rules = (parameter.list if parameter else None) or ListRules()
    (flags, text), (others, other) = (parted(line, rules) for line in (value, wanted))
    cpus, needed = (read_list(line, possible(world)).cpus for line in (text, other))
    purposes, least = (set(some) or set(rules.default) for some in (flags, others))
    return cpus is not None and cpus == needed and least <= purposes


def apart(value: str, other: str) -> bool:
    """Whether two lists, of a machine whose CPUs were not counted, name no CPU in common; not so
    where one is no list of numbers."""
    cpus, others = (read_list(text, None).cpus for text in (value, other))
    return bool(cpus and others) and not set(cpus or ()) & set(others or ())


def divided(machine: Machine, lists: Iterable[GivenList]) -> Machine:
    """The machine with its CPUs parted as lists of its boot line say: isolcpus= for domains, else
    nohz_full=. As it is where none counts, or where one takes the boot CPU.
    """
    counting = [given for given in lists if given.counts and given.cpu_list.cpus]
    chosen = [g for g in counting if g.parameter.name == "isolcpus" and "domain" in g.purposes]
    chosen = chosen or [given for given in counting if given.parameter.name == "nohz_full"]
    cpus = chosen[0].cpu_list.cpus if chosen else None
    if not cpus or 0 in cpus:
        return machine
    others = show_list(set(range(machine.cpus)) - cpus) if machine.cpus else None
    return machine._replace(isolate=show_list(cpus), housekeeping=others or None)


def possible(world: condition.Facts) -> int | None:
    """How many CPUs the machine has, or this kernel can have."""
    cpus = world.fact("cpus")
    limits = [cpus if isinstance(cpus, int) else None, count_of(world.symbol("NR_CPUS"))]
    return min((limit for limit in limits if limit), default=None)


def parted(value: str, rules: ListRules | None) -> tuple[list[str], str]:
    """The words before the list, and the list."""
    flags = []
    while rules and rules.flags and value[:1].isalpha():
        head, _, value = value.partition(",")
        flags.append(head)
    return flags, value
