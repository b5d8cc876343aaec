"""CPU lists on the command line: which of them the kernel uses, and what is wrong with the others.

The rules say what each parameter makes of a list (the table `list` of a parameter).
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.errors import InputError
from advisor.inputs.cpulist import CpuList, read_list, show_list
from advisor.model import condition
from advisor.model.kernel import Machine, Word
from advisor.model.numbers import count_of
from advisor.model.parameter import ListRules, Parameter
from advisor.record import NamedTuple

MOST, LIST = 1 << 20, 1 << 12
"""The most CPUs that the lists of one line name in all, and what each list is charged at least."""


class GivenList(NamedTuple):
    """A list that the kernel would parse, and what becomes of it.

    `counts` is the word that the kernel uses: the word itself, another one in its place, or None if
    the list is refused. `loses_to` is the earlier list that it would have to equal. It is not
    `sure` if the kernel may not read the parameter at all.
    """

    word: Word
    parameter: Parameter
    cpu_list: CpuList
    purposes: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    counts: Word | None = None
    loses_to: Word | None = None
    sure: bool = True

    @property
    def rules(self) -> ListRules:
        """Return the rules on what the parameter makes of a list."""
        return self.parameter.list or ListRules()


def given_lists(words: Iterable[tuple[Word, Parameter]], world: condition.Facts) -> list[GivenList]:
    """Return what the kernel makes of each CPU list of the line, in its order.

    Raises InputError for lists that name more CPUs in all than MOST.
    """
    lists: list[GivenList] = []
    named = 0
    for word, parameter in words:
        lists.append(_settled(_given(word, parameter, world), lists, world))
        named += max(len(lists[-1].cpu_list.cpus or ()), LIST)
        if named > MOST:
            hint = f"the limit is {MOST} CPUs in all, or {MOST // LIST} lists"
            raise InputError("too many CPU lists on the boot line", where=word.name, hint=hint)
    return lists


def belong_together(one: Parameter, other: Parameter) -> ListRules | None:
    """Return the rules by which the lists of two parameters have to be the same, if they have."""
    for given, named in ((one, other), (other, one)):
        if given.list and given.list.same == named.name != given.name:
            return given.list
    return None


def containing(
    given: GivenList, lists: Iterable[GivenList], count: int | None = None
) -> list[GivenList]:
    """Return the lists that surely count and within which a list is of no use, as they have all of
    its CPUs.

    Of a list of all `count` CPUs the kernel takes out the one that it boots on, which is the first
    (housekeeping_setup() of kernel/sched/isolation.c).
    """
    within = given.rules.within
    around = [o for o in lists if o.counts and o.sure and o.parameter.name == within]
    cpus = given.cpu_list.cpus

    def has(other: GivenList) -> frozenset[int]:
        """Return the CPUs that the kernel takes from a list."""
        named = other.cpu_list.cpus or frozenset()
        return named - {0} if count and len(named) >= count else named

    return [other for other in around if cpus and cpus <= has(other)]


def _given(word: Word, parameter: Parameter, world: condition.Facts) -> GivenList:
    rules = parameter.list or ListRules()
    flags, text = parted(word.value or "", rules)
    # If the version is not known, the kernel is taken to know the flag.
    known = {flag for flag, when in rules.flags if condition.evaluate(when, world) is not False}
    purposes = frozenset(flag for flag in flags if flag in known) or frozenset(rules.default)
    unknown = tuple(flag for flag in flags if flag not in known)
    cpu_list = read_list(text, possible(world)) if text else CpuList(frozenset())
    return GivenList(word, parameter, cpu_list, purposes, unknown)


def _settled(given: GivenList, earlier: list[GivenList], world: condition.Facts) -> GivenList:
    """Return the list with the word that the kernel uses, beside the lists before it."""
    rules, cpu_list = given.rules, given.cpu_list
    if rules.refused and (cpu_list.problem or cpu_list.beyond is not None):
        instead = given.word._replace(value=rules.instead) if rules.instead else None
        return given._replace(counts=instead)
    if refused_for_flag(given, world):
        return given
    if cpu_list.cpus == frozenset():
        return given  # an empty list is no error, and has no effect
    # The first list that counts wins: later ones must equal it, or the kernel drops them.
    for other in earlier:
        if not (other.counts and given.purposes and other.purposes) or equal_lists(given, other):
            continue
        together = bool(given.purposes & other.purposes)
        if together or condition.evaluate(rules.apart, world) is False:
            return given._replace(loses_to=other.word)
    if not (leaves_none(given, world) or has_boot_cpu(given, world)):
        return given._replace(counts=given.word)
    # The kernel takes the boot CPU out of the list.
    flags, _ = parted(given.word.value or "", rules)
    if not (cpus := show_list((cpu_list.cpus or frozenset()) - {0})):
        return given
    return given._replace(counts=given.word._replace(value=",".join([*flags, cpus])))


def refused_for_flag(given: GivenList, world: condition.Facts) -> bool:
    """Return whether the kernel drops the list for a flag that it does not know, that can be none,
    or whose feature is not built."""
    strict = given.rules.strict
    if any(map(is_no_flag, given.unknown)) or unsupported_flags(given, world):
        return True
    return bool(given.unknown and strict) and condition.evaluate(strict, world) is True


def unsupported_flags(given: GivenList, world: condition.Facts) -> dict[str, condition.Expr]:
    """Return the flags of the list whose feature this kernel surely lacks, with what each needs."""
    needs = [(flag, when) for flag, when in given.rules.needs if flag in given.purposes]
    return {flag: when for flag, when in needs if condition.evaluate(when, world) is False}


def is_no_flag(word: str) -> bool:
    """Return whether a word before a list has more than letters and `_`, for which any kernel that
    knows flags drops the list (housekeeping_isolcpus_setup())."""
    return not word.replace("_", "").isalpha()


def leaves_none(given: GivenList, world: condition.Facts) -> bool:
    """Return whether the list names all CPUs of the machine, though one has to be left out."""
    cpus, number = given.cpu_list.cpus, world.fact("cpus")
    if not (given.rules.all and cpus and isinstance(number, int)):
        return False
    return cpus >= set(range(number))


def has_boot_cpu(given: GivenList, world: condition.Facts) -> bool:
    """Return whether the list names the boot CPU, though that has to be left out."""
    rules, cpus = given.rules, given.cpu_list.cpus
    named = bool(rules.first and cpus and 0 in cpus)
    return named and condition.evaluate(rules.first_when, world) is True


def equal_lists(given: GivenList, other: GivenList) -> bool:
    """Return whether both lists name the same CPUs."""
    if given.cpu_list.cpus is None or other.cpu_list.cpus is None:
        return given.word.value == other.word.value
    return given.cpu_list.cpus == other.cpu_list.cpus


def covers(value: str, wanted: str, parameter: Parameter | None, world: condition.Facts) -> bool:
    """Return whether a list names the CPUs of another one, for at least the same purposes; a list
    that is wanted without the purpose of one without flags is not to have that."""
    rules = (parameter.list if parameter else None) or ListRules()
    (flags, text), (others, other) = (parted(line, rules) for line in (value, wanted))
    cpus, needed = (read_list(line, possible(world)).cpus for line in (text, other))
    purposes, least = (set(some) or set(rules.default) for some in (flags, others))
    more = (purposes - least) & set(rules.default)
    return cpus is not None and cpus == needed and least <= purposes and not more


def apart(value: str, other: str) -> bool:
    """Return whether two lists name no CPU in common, on a machine whose number of CPUs is not
    known; False if one is no list of numbers."""
    cpus, others = (read_list(text, None).cpus for text in (value, other))
    return bool(cpus and others) and not set(cpus or ()) & set(others or ())


def divided(machine: Machine, lists: Iterable[GivenList]) -> Machine:
    """Return the machine with its CPUs parted as its boot line says: by isolcpus= for domains, else
    by nohz_full=; as it is if neither counts, or if one takes the boot CPU."""
    counting = [given for given in lists if given.counts and given.cpu_list.cpus]
    chosen = [g for g in counting if g.parameter.name == "isolcpus" and "domain" in g.purposes]
    chosen = chosen or [given for given in counting if given.parameter.name == "nohz_full"]
    cpus = chosen[0].cpu_list.cpus if chosen else None
    if not cpus or 0 in cpus:
        return machine
    others = show_list(set(range(machine.cpus)) - cpus) if machine.cpus else None
    return machine._replace(isolate=show_list(cpus), housekeeping=others or None)


def possible(world: condition.Facts) -> int | None:
    """Return how many CPUs the machine has, or this kernel can have; None if neither is known."""
    cpus = world.fact("cpus")
    limits = [cpus if isinstance(cpus, int) else None, count_of(world.symbol("NR_CPUS"))]
    return min((limit for limit in limits if limit), default=None)


def parted(value: str, rules: ListRules | None) -> tuple[list[str], str]:
    """Split a value into the flags before the list, and the list."""
    flags = []
    while rules and rules.flags and value[:1].isalpha():
        head, _, value = value.partition(",")
        flags.append(head)
    return flags, value
