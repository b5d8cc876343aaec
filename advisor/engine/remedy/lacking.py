"""What is missing of a false condition, in words, and what to do."""

from __future__ import annotations

from advisor.engine.effective.world import World
from advisor.engine.remedy.conditions import (
    Means,
    is_in_list,
    is_kernel,
    needed,
    release,
    ways,
    whole_fix,
)
from advisor.model.condition import Expr, Term, operands, operator_of, term
from advisor.model.report import Role
from advisor.model.rules import Tunable
from advisor.model.saying import said
from advisor.model.software import Fix, Lack, Part, shortly
from advisor.model.sysctl import key_of

_ON = ("y", "m")
_MOST = 3
"""So many ways are told at most."""


def lack(part: Part, world: World, means: Means, *, is_brief: bool = False) -> Lack:
    """Return what is missing of a part that does not hold, and unless `is_brief` what to do."""
    lacking = needed(part.needs, world)
    terms = operands(lacking) if operator_of(lacking) == "&" else [lacking]
    lacks = [_missing(one, world, means) for one in terms]
    return Lack(
        part.name,
        off=tuple(name for lack in lacks for name in lack.off),
        absent=tuple(name for lack in lacks for name in lack.absent),
        needs=tuple(text for lack in lacks for text in lack.needs),
        wrong=tuple(text for lack in lacks for text in lack.wrong),
        fix=Fix() if is_brief else whole_fix(part.needs, world, means),
    )


def _missing(expr: Expr, world: World, means: Means) -> Lack:
    """Return what is missing of a false condition."""
    tag = operator_of(expr)
    if tag == "|":
        return _alternatives(expr, world, means)
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
    inner = operands(expr)[0] if tag == "!" else expr
    if operator_of(inner) == "shown":
        _, path, form = term(inner)
        return f"{key_of(path)} is {'not ' * (inner is expr)}{form}"
    if tag == "sym" and is_in_list(term(expr)):
        return f"{term(expr)[1]} does not list {term(expr)[3].strip('*')}"
    if tag == "sym" and term(expr)[2:] == ["=", "y"]:
        return f"{term(expr)[1]} is not built in"
    return said(["!", expr])


def _alternatives(expr: Expr, world: World, means: Means) -> Lack:
    """Return of what one is needed: `FUSE_FS, or Linux 5.11 or newer`."""
    found = ways(expr, world, means)
    firm = [way for way in found if not way.why and all(one.new != "n" for one in way.changes)]
    first, *others = operands(expr)
    # All ask for a value of the same tunable.
    if not firm and all(
        {operator_of(one), operator_of(first)} == {"is"} and term(one)[1] == term(first)[1]
        for one in others
    ):
        return _missing(first, world, means)
    once = list(dict.fromkeys(_asked(way) for way in firm or found))
    # Without those that have all of another one and more.
    nouns = [one for one in once if not any({*other} < {*one} for other in once)]
    if len(nouns) == 1 and firm and set(nouns[0]) <= {one.symbol for one in firm[0].changes}:
        return Lack("", off=nouns[0])
    texts = [shortly(one) for one in nouns]
    if len(texts) > _MOST:
        texts = [*texts[: _MOST - 1], f"{len(texts) - _MOST + 1} other ways"]
    compound = any("," in one or " and " in one or " or " in one for one in texts)
    return Lack("", needs=((", or " if compound else " or ").join(texts),))


def _asked(way: Fix) -> tuple[str, ...]:
    """Return what a way asks for, as nouns."""
    return (
        *(
            f"{one.symbol} off"
            if one.new == "n"
            else one.symbol
            if one.new in _ON
            else f"{one.symbol}={one.new}"
            for one in way.changes
            if one.role is Role.ASKED
        ),
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


def _state(one: Term, world: World) -> Lack:
    """Return the members that are off, or what a tunable is instead: `Seccomp: off`."""
    _, name, _, value = one
    tunable, state = world.knowledge.tunable(name), world.value(name)
    if state is None or not state.effective:
        return Lack("", wrong=(f"{tunable.title}: not in this kernel",))
    off = [member for member, _ in state.off] or [
        symbol for symbol in symbols_of(tunable, value) if world.symbol(symbol) == "n"
    ]
    if off and not state.why:
        return Lack("", off=tuple(off))
    why = f", since {state.why}" if state.why else ""
    return Lack("", wrong=(f"{tunable.title}: {tunable.describe(state.effective)}{why}",))


def symbols_of(tunable: Tunable, value: str) -> list[str]:
    """Return the symbols that give a tunable the value: what it sets, or the members of a group."""
    ways = [way for one in tunable.values if one.name == value for way in one.sets]
    return [
        *(symbol for way in ways[:1] for symbol, text in way if text in _ON),
        *(member.symbol for member in tunable.members if member.symbol),
    ]
