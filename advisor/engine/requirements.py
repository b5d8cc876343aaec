"""What programs require, judged on a kernel's effective state: what is missing, what to add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from advisor.engine.effective.world import World
from advisor.engine.remedy.dependencies import enabled
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
)
from advisor.record import NamedTuple

_SYSCTLS = "/proc/sys/"
_NOTHING = Fix()
_ON = ("y", "m")
_ONWARDS = {">=": " or newer", ">": " and newer", "<=": " or older", "<": " and older"}
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


def _lack(part: Part, world: World) -> Lack:
    lacking = condition.lacking(condition.elsewhere(part.needs, world), world)
    return Lack(part.name, _missing(lacking, world), _fix(lacking, world))


def _not_installed(part: Part, name: str) -> Lack:
    why = f"the module {name} is not installed"
    return Lack(part.name, why, Fix(why=(_PACKAGE.format(name),)))


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


def _missing(expr: Expr, world: World) -> str:
    """Return what is not as a false condition asks, in words: `VETH and BRIDGE are off`."""
    tag = operator_of(expr)
    if tag in ("&", "|"):
        return _all_missing(operands(expr), tag, world)
    if tag == "on":
        return _off([term(expr)[1]])
    if tag == "is":
        return _state(term(expr), world)
    if tag == "shown":
        _, path, form = term(expr)
        return f"{_sysctl(path)} is not {form}"
    if tag == "sym" and _is_in_list(term(expr)):
        return f"{term(expr)[1]} does not list {term(expr)[3].strip('*')}"
    return said(["!", expr])


def _all_missing(parts: Sequence[Expr], tag: str, world: World) -> str:
    """Return what is missing of several parts; of several ways, words of the boot line only where
    there is nothing else."""
    if tag == "|":
        if all(_is_kernel(part) for part in parts):
            return f"the kernel is none of {', '.join(_release(term(part)) for part in parts)}"
        parts = [part for part in parts if operator_of(part) != "boot"] or parts
    names = list(dict.fromkeys(term(part)[1] for part in parts if operator_of(part) == "on"))
    told = [_off(names)] if names else []
    told += [_missing(part, world) for part in parts if operator_of(part) != "on"]
    return (" and " if tag == "|" else ", ").join(dict.fromkeys(told))


def _is_kernel(expr: Expr) -> bool:
    return operator_of(expr) == "fact" and term(expr)[1] == "kernel"


def _release(one: Term) -> str:
    """`5.4` for a release, `6.0 or newer` for all from one on."""
    _, _, sign, release = one
    return f"{release}{_ONWARDS.get(sign, '')}"


def _is_in_list(one: Term) -> bool:
    """Whether a term asks for a word in the list that a symbol holds."""
    return one[2] == "=" and one[3].startswith("*")


def _off(names: list[str]) -> str:
    """`A, B and C are off`."""
    if len(names) == 1:
        return f"{names[0]} is off"
    return f"{', '.join(names[:-1])} and {names[-1]} are off"


def _state(one: Term, world: World) -> str:
    """What a tunable is instead, and why: `Seccomp: off`."""
    _, name, _, value = one
    tunable, state = world.knowledge.tunable(name), world.value(name)
    if state is None or not state.effective:
        return f"{tunable.title}: not in this kernel"
    off = [member for member, _ in state.off] or [
        symbol for symbol in _symbols(tunable, value) if world.symbol(symbol) == "n"
    ]
    if off and not state.why:
        return _off(off)
    why = f" ({state.why})" if state.why else ""
    return f"{tunable.title}: {tunable.describe(state.effective)}{why}"


def _sysctl(path: str) -> str:
    return path.removeprefix(_SYSCTLS).replace("/", ".") if path.startswith(_SYSCTLS) else path


# --- what to add ----------------------------------------------------------------------------------


def _fix(expr: Expr, world: World) -> Fix:
    """Return what makes a false condition true: of several ways the one that asks for the least."""
    tag = operator_of(expr)
    if tag == "&":
        return reduce(Fix.plus, (_fix(part, world) for part in operands(expr)), _NOTHING)
    if tag == "|":
        ways = [_fix(part, world) for part in operands(expr)]
        return min(ways, key=lambda fix: (len(fix.why), sum(map(len, fix))))
    if tag == "!":
        return _taken_away(operands(expr)[0])
    one = term(expr)
    if tag in ("on", "sym"):
        return _switched_on(one, world)
    if tag == "is":
        return _set(one, world)
    if tag == "boot":
        return _on_the_line(one[1], world)
    if tag == "shown":
        return Fix(settings=(f"{_sysctl(one[1])} = {one[2]}",))
    return Fix(why=(f"Linux {_release(one)}" if _is_kernel(expr) else f"that {said(expr)}",))


def _on_the_line(word: str, world: World) -> Fix:
    """Return the word to add; of a list that the line may have already, what has to be in it; of a
    value that only the user knows, that there has to be one."""
    name, _, value = word.partition("=")
    if value == "*":
        return Fix(why=(f"{name}= with a value on the boot line",))
    parameter = world.knowledge.parameter(name)
    if parameter and parameter.stands_for:
        return Fix(why=(f"{value} in the list of {name}= on the boot line",))
    return Fix(words=(word,))


def _taken_away(expr: Expr) -> Fix:
    one = term(expr)
    if one[0] == "boot":
        return Fix(drop=(one[1],))
    if one[0] == "on":
        return Fix(lines=(_line(one[1], "n"),))
    return Fix(why=(f"what else makes this so: {said(['!', expr])}",))


def _switched_on(one: Term, world: World) -> Fix:
    symbol = world.spelled(one[1])
    if one[0] == "sym":
        if _is_in_list(one):
            return Fix(why=(f"{one[3].strip('*')} in the list {symbol}",))
        if one[2] != "=":
            return Fix(why=(said(one),))
        return Fix(lines=(_line(symbol, one[3]),))
    if world.is_elsewhere(one[1]):
        when = world.other_releases(one[1])
        return Fix(why=(f"{symbol} is not in this kernel{f': {when}' if when else ''}",))
    changes = enabled(one[1], world) or (Change(symbol, None, "y", Role.ASKED),)
    return Fix(lines=tuple(_line(c.symbol, _least(c, world)) for c in changes))


def _least(change: Change, world: World) -> str:
    """Return m for what can be a module, where modules reach the machine; else the value."""
    if change.new != "y" or change.old == "m" or not world.takes_modules():
        return change.new
    kernel, seen = world.subject.kernel, world.knowledge.catalogue.seen(change.symbol)
    traits = seen.traits_around(kernel, world.subject.machine.arch) if seen and kernel else ()
    return "m" if any(trait.type == "tristate" for trait in traits) else "y"


def _line(symbol: str, value: str) -> str:
    return f"# CONFIG_{symbol} is not set" if value == "n" else f"CONFIG_{symbol}={value}"


def _set(one: Term, world: World) -> Fix:
    """Return the least invasive remedy that gives a tunable the value."""
    _, name, sign, value = one
    tunable = world.knowledge.tunable(name)
    names = tuple(v.name for v in tunable.values if (v.name == value) is (sign == "=")) or (value,)
    goal = Goal(tunable, lambda found: found in names, world)
    found = ladder(Option(name, names), names, goal)
    if found.remedies:
        return _as_fix(found.remedies[0])
    return Fix(why=found.reasons or (f"{tunable.title}: this kernel has no way to it",))


def _as_fix(remedy: Remedy) -> Fix:
    return Fix(
        lines=tuple(_line(change.symbol, change.new) for change in remedy.changes),
        words=remedy.words,
        drop=remedy.drop,
        settings=tuple(f"{one.key} = {one.value}" for one in remedy.settings),
    )
