"""What programs require, judged on a kernel's effective state: what is missing, what to add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from advisor.engine.effective.needs import met
from advisor.engine.effective.world import World
from advisor.engine.remedy.conditions import lack, symbols_of
from advisor.engine.remedy.remedies import least
from advisor.engine.remedy.what_if import rebooted, with_settings
from advisor.model import condition
from advisor.model.condition import Expr, operands, operator_of, term
from advisor.model.kernel import parse_version
from advisor.model.remedy import Remedy, RemedyKind
from advisor.model.software import Ability, Answer, Fix, Function, Judged, Lack, Program
from advisor.record import NamedTuple

_PACKAGE = "this kernel's package with the module {}"


class Modules(NamedTuple):
    """The modules that a host has loaded, and those that are installed for its kernel; None where
    nobody could look."""

    loaded: frozenset[str] | None = None
    installed: frozenset[str] | None = None

    def lacks(self, name: str) -> bool:
        """Whether the module can surely not be loaded."""
        return self.installed is not None and name not in self.installed and self.waits(name)

    def waits(self, name: str) -> bool:
        """Whether the module is not loaded, as far as is known."""
        return self.loaded is None or name not in self.loaded


UNSEEN = Modules()


def ability(  # noqa: PLR0913  # what is asked, of which kernel
    program: Program,
    world: World,
    version: str = "",
    asked: str = "",
    modules: Modules = UNSEEN,
    *,
    is_brief: bool = False,
) -> Ability:
    """Judge a program of that version (empty: the newest), or the function of it that is `asked`
    for with what the program needs to start; if `is_brief`, without what to do."""
    wanted = [one for one in program.functions if one.is_of(version) and one.is_asked(asked)]
    found: dict[str, Judged] = {}
    then = world
    for function in sorted(wanted, key=lambda one: not one.is_start):
        found[function.id] = one = judged(function, world, modules, then, is_brief=is_brief)
        then = _with(one.lacks, then)
    # Of two ways that ask for as much, what a later function needs anyway is enough.
    for one in () if is_brief else [one for one in found.values() if one.answer is Answer.NO]:
        others = [
            lack for each in found.values() if each.function != one.function for lack in each.lacks
        ]
        after = _with(others, world)
        if all(met(part.needs, after) is True for part in one.function.parts):
            lacks = tuple(lack._replace(fix=Fix()) for lack in one.lacks)
            found[one.function.id] = one._replace(lacks=lacks)
    functions = tuple(found[function.id] for function in wanted)
    ended = ((one, one.after and parse_version(one.after)) for one in program.unasked)
    gone = tuple(one for one, after in ended if after and world.subject.is_since(after.numbers))
    answer = _answer(functions, asked)
    return Ability(program, version, asked, answer, functions, gone)


def _answer(functions: Sequence[Judged], asked: str) -> Answer:
    """Return what the functions come to: a program needs those to start, and the one asked for.

    What other architectures alone have is nothing that this one lacks."""
    needed = [one.answer for one in functions if one.function.is_start or asked]
    rest = [one.answer for one in functions if not (one.function.is_start or asked)]
    for answers, answer, sum_ in (
        (needed, Answer.NO, Answer.NO),
        (needed, Answer.ELSEWHERE, Answer.ELSEWHERE),
        (needed, Answer.UNKNOWN, Answer.UNKNOWN),
        (rest, Answer.NO, Answer.PARTLY),
    ):
        if answer in answers:
            return sum_
    return Answer.YES if {*needed, *rest} != {Answer.ELSEWHERE} else Answer.ELSEWHERE


def judged(
    function: Function,
    world: World,
    modules: Modules = UNSEEN,
    then: World | None = None,
    *,
    is_brief: bool = False,
) -> Judged:
    """Judge one function: whether each part holds, and with which modules; what to do beside what
    makes the world `then` of this one, or if `is_brief` nothing of that."""
    arch = world.fact("arch")
    then = then or world
    if function.instead_needs is not None and met(function.instead_needs, world) is False:
        function = function._replace(instead="")
    if function.arch and arch is not None and arch not in function.arch:
        return Judged(function, Answer.ELSEWHERE)
    lacks: list[Lack] = []
    inputs: frozenset[str] = frozenset()
    needed: list[str] = []
    for part in function.parts:
        truth = met(part.needs, world)
        if truth is False:
            lacks.append(lack(part, world, least, None if is_brief else then))
            then = _with(lacks[-1:], then)
        elif truth is True:
            names = _modules(part.needs, world, modules)
            for name in filter(modules.lacks, names):
                why, fix = f"the module {name} is not installed", (_PACKAGE.format(name),)
                lacks.append(Lack(part.name, wrong=(why,), fix=Fix(why=fix)))
            needed += filter(modules.waits, names)
        else:
            inputs |= condition.unknowns(truth)
    if function.arch and arch is None and (lacks or inputs):
        return Judged(function, Answer.UNKNOWN, inputs=inputs | {"arch"})
    if lacks:
        return Judged(function, Answer.NO, tuple(lacks))
    if inputs:
        return Judged(function, Answer.UNKNOWN, inputs=inputs)
    return Judged(function, Answer.YES, modules=tuple(dict.fromkeys(needed)))


def _with(lacks: Iterable[Lack], world: World) -> World:
    """Return the world once all is done that these ask for."""
    whole = reduce(Fix.plus, (one.fix for one in lacks), Fix())
    words, drop, changes = whole.words, whole.drop, whole.changes
    after = world
    if words or drop or changes:
        remedy = Remedy(RemedyKind.REBUILD, "", words=words, drop=drop, changes=changes)
        after = rebooted(world, remedy)
        # Sysctls that are told are asked for at each boot.
        after = after.after(after.subject._replace(sysctl=world.subject.sysctl))
    return with_settings(after, whole.settings) if whole.settings else after


# --- modules --------------------------------------------------------------------------------------


def _modules(expr: Expr, world: World, modules: Modules) -> list[str]:
    """Return the modules that make a condition true: of several ways those of the one that needs
    the fewest more."""
    tag = operator_of(expr)
    if tag == "&":
        return [name for part in operands(expr) for name in _modules(part, world, modules)]
    if tag == "|":
        ways = [part for part in operands(expr) if world.evaluate(part) is True]
        found = [_modules(part, world, modules) for part in ways]

        def toll(names: list[str]) -> tuple[int, int]:
            return sum(map(modules.lacks, names)), sum(map(modules.waits, names))

        return min(found, key=toll, default=[])
    if tag in ("on", "sym"):
        return _modules_of((term(expr)[1],), world)
    if tag == "is":
        _, name, _, value = term(expr)
        return _modules_of(symbols_of(world.knowledge.tunable(name), value), world)
    return []


def _modules_of(symbols: Iterable[str], world: World) -> list[str]:
    return [
        name
        for symbol in symbols
        if world.symbol(symbol) == "m"
        for name in world.knowledge.modules_of(symbol)
    ]
