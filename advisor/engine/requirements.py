"""What programs require, judged on a kernel's effective state: what is missing, what to add."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.engine.effective.world import World
from advisor.engine.remedy.conditions import fix, is_in_list, is_kernel, key, release, ways
from advisor.engine.remedy.goals import Goal
from advisor.engine.remedy.remedies import ladder
from advisor.model import condition
from advisor.model.condition import Expr, Term, operands, operator_of, term
from advisor.model.kernel import parse_version
from advisor.model.report import Change, Remedy, Role
from advisor.model.rules import Option, Tunable
from advisor.model.saying import said
from advisor.model.software import (
    Ability,
    Answer,
    Fix,
    Function,
    Judged,
    Lack,
    Part,
    Program,
    Unasked,
    shortly,
)
from advisor.record import NamedTuple

_ON = ("y", "m")
_PACKAGE = "the package of this kernel that has the module {}"


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


def ability(
    program: Program, world: World, version: str = "", asked: str = "", modules: Modules = UNSEEN
) -> Ability:
    """Judge a program of that version (empty: the newest), or the function of it that is `asked`
    for with what the program needs to start."""
    functions = tuple(
        judged(function, world, modules)
        for function in program.functions
        if function.is_of(version) and (not asked or function.is_start or function.id == asked)
    )
    gone = tuple(one for one in program.unasked if _is_gone(one, world))
    answer = _answer(functions, asked)
    return Ability(program, version, asked, answer, functions, gone)


def _is_gone(unasked: Unasked, world: World) -> bool:
    return bool(unasked.after) and world.subject.is_since(parse_version(unasked.after).numbers)


def _answer(functions: Iterable[Judged], asked: str) -> Answer:
    """Return what the functions come to: a program needs those to start, and the one asked for."""
    needed = [one.answer for one in functions if one.function.is_start or asked]
    rest = [one.answer for one in functions if not (one.function.is_start or asked)]
    for answers, answer, sum_ in (
        (needed, Answer.NO, Answer.NO),
        (needed, Answer.UNKNOWN, Answer.UNKNOWN),
        (rest, Answer.NO, Answer.PARTLY),
    ):
        if answer in answers:
            return sum_
    return Answer.YES


def judged(function: Function, world: World, modules: Modules = UNSEEN) -> Judged:
    """Judge one function: whether each part holds, and with which modules."""
    lacks: list[Lack] = []
    inputs: frozenset[str] = frozenset()
    needed: list[str] = []
    for part in function.parts:
        truth = world.evaluate(part.needs)
        if truth is False:
            lacks.append(_lack(part, world))
        elif truth is True:
            names = _modules(part.needs, world, modules)
            lacks += [_not_installed(part, name) for name in names if modules.lacks(name)]
            needed += filter(modules.waits, names)
        else:
            inputs |= condition.unknowns(truth)
    if lacks:
        return Judged(function, Answer.NO, tuple(lacks))
    if inputs:
        return Judged(function, Answer.UNKNOWN, inputs=inputs)
    return Judged(function, Answer.YES, modules=tuple(dict.fromkeys(needed)))


def _not_installed(part: Part, name: str) -> Lack:
    why = f"the module {name} is not installed"
    return Lack(part.name, wrong=(why,), fix=Fix(why=(_PACKAGE.format(name),)))


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
        return min(found, key=lambda names: _toll(names, modules), default=[])
    if tag in ("on", "sym"):
        return _modules_of((term(expr)[1],), world)
    if tag == "is":
        _, name, _, value = term(expr)
        return _modules_of(_symbols(world.knowledge.tunable(name), value), world)
    return []


def _toll(names: list[str], modules: Modules) -> tuple[int, int]:
    return sum(map(modules.lacks, names)), sum(map(modules.waits, names))


def _symbols(tunable: Tunable, value: str) -> list[str]:
    """Return the symbols that give a tunable the value: what it sets, or the members of a group."""
    ways = [way for one in tunable.values if one.name == value for way in one.sets]
    return [
        *(symbol for way in ways[:1] for symbol, text in way if text in _ON),
        *(member.symbol for member in tunable.members if member.symbol),
    ]


def _modules_of(symbols: Iterable[str], world: World) -> list[str]:
    return [
        name
        for symbol in symbols
        if world.symbol(symbol) == "m"
        for name in world.knowledge.modules_of(symbol) or (symbol,)
    ]


# --- what is missing ------------------------------------------------------------------------------


def _lack(part: Part, world: World) -> Lack:
    lacking = condition.lacking(condition.elsewhere(part.needs, world), world)
    terms = operands(lacking) if operator_of(lacking) == "&" else [lacking]
    lacks = [_missing(one, world) for one in terms]
    return Lack(
        part.name,
        off=tuple(name for lack in lacks for name in lack.off),
        absent=tuple(name for lack in lacks for name in lack.absent),
        needs=tuple(text for lack in lacks for text in lack.needs),
        wrong=tuple(text for lack in lacks for text in lack.wrong),
        fix=fix(lacking, world, _means),
    )


def _missing(expr: Expr, world: World) -> Lack:
    """Return what is missing of a false condition."""
    tag = operator_of(expr)
    if tag == "|":
        return _alternatives(expr, world)
    if is_kernel(expr):
        return Lack("", needs=(f"Linux {release(term(expr))}",))
    if tag == "on":
        symbol = term(expr)[1]
        name = world.spelled(symbol)
        is_absent = world.is_elsewhere(symbol)
        return Lack("", absent=(name,)) if is_absent else Lack("", off=(name,))
    if tag == "is":
        return _state(term(expr), world)
    return Lack("", wrong=(_wrong(expr),))


def _wrong(expr: Expr) -> str:
    """Return what is not as a false condition asks, in words."""
    tag = operator_of(expr)
    if tag == "shown":
        _, path, form = term(expr)
        return f"{key(path)} is not {form}"
    if tag == "sym" and is_in_list(term(expr)):
        return f"{term(expr)[1]} does not list {term(expr)[3].strip('*')}"
    if tag == "sym" and term(expr)[2:] == ["=", "y"]:
        return f"{term(expr)[1]} is not built in"
    return said(["!", expr])


def _alternatives(expr: Expr, world: World) -> Lack:
    """Return of what one is needed: `FUSE_FS, or Linux 5.11 or newer`."""
    found = ways(expr, world, _means)
    firm = [way for way in found if not way.why and all(one.new != "n" for one in way.changes)]
    first, *others = operands(expr)
    if not firm and all(_is_of(other, first) for other in others):
        return _missing(first, world)
    nouns = _least([_asked(way) for way in firm or found])
    if len(nouns) == 1 and firm and set(nouns[0]) <= {one.symbol for one in firm[0].changes}:
        return Lack("", off=nouns[0])
    texts = [shortly(one) for one in nouns]
    compound = any("," in one or " and " in one or " or " in one for one in texts)
    return Lack("", needs=((", or " if compound else " or ").join(texts),))


def _is_of(one: Expr, other: Expr) -> bool:
    """Tell whether both ask for a value of the same tunable."""
    return operator_of(one) == operator_of(other) == "is" and term(one)[1] == term(other)[1]


def _least(sets: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return these sets of names, without those that have all of another one and more."""
    once = list(dict.fromkeys(sets))
    return [one for one in once if not any({*other} < {*one} for other in once)]


def _asked(way: Fix) -> tuple[str, ...]:
    """Return what a way asks for, as nouns."""
    return (
        *(_called(one) for one in way.changes if one.role is Role.ASKED),
        *(name for name in way.hidden if all(name != one.symbol for one in way.changes)),
        *(f"{_in_short(word)} on the boot line" for word in way.words),
        *(f"the boot line without {word}" for word in way.drop if not way.words),
        *(f"{one.key} = {one.value}" for one in way.settings),
        *way.why,
    )


def _in_short(word: str) -> str:
    """Return a word of the boot line, of a list only its last entry: `lsm=...,apparmor`."""
    name, _, value = word.partition("=")
    return f"{name}=...,{value.rpartition(',')[2]}" if "," in value else word


def _called(change: Change) -> str:
    if change.new == "n":
        return f"{change.symbol} off"
    return change.symbol if change.new in _ON else f"{change.symbol}={change.new}"


def _state(one: Term, world: World) -> Lack:
    """Return the members that are off, or what a tunable is instead: `Seccomp: off`."""
    _, name, _, value = one
    tunable, state = world.knowledge.tunable(name), world.value(name)
    if state is None or not state.effective:
        return Lack("", wrong=(f"{tunable.title}: not in this kernel",))
    off = [member for member, _ in state.off] or [
        symbol for symbol in _symbols(tunable, value) if world.symbol(symbol) == "n"
    ]
    if off and not state.why:
        return Lack("", off=tuple(off))
    why = f", since {state.why}" if state.why else ""
    return Lack("", wrong=(f"{tunable.title}: {tunable.describe(state.effective)}{why}",))


def _means(tunable: Tunable, names: tuple[str, ...], world: World) -> Remedy | tuple[str, ...]:
    """Return the least invasive remedy that gives a tunable one of the values."""
    goal = Goal(tunable, lambda found: found in names, world)
    found = ladder(Option(tunable.id, names), names, goal)
    return found.remedies[0] if found.remedies else found.reasons
