"""What makes a condition true: lines of a rebuild, words of the boot line, settings of run time; or
why nothing does."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from advisor.engine.effective.world import World
from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.boot_remedies import lists_of
from advisor.engine.remedy.dependencies import enabled
from advisor.engine.remedy.in_tree import proven
from advisor.engine.remedy.modules import is_loadable
from advisor.model import condition
from advisor.model.condition import Expr, Term, operands, operator_of, term
from advisor.model.report import Change, Remedy, Role, Setting
from advisor.model.rules import LIST, Tunable, extended
from advisor.model.saying import said
from advisor.model.software import Fix
from advisor.model.sysctl import key_of

Means = Callable[[Tunable, tuple[str, ...], World], "Remedy | tuple[str, ...]"]
"""Gives a tunable one of these values; else the reasons why nothing does."""
_NOTHING = Fix()
_OTHER = {"0": "1", "1": "0"}
"""What a switch of run time is instead."""
_ONWARDS = {">=": " or newer", ">": " and newer", "<=": " or older", "<": " and older"}


def needed(needs: Expr, world: World) -> Expr:
    """Return what is missing of a condition that is false."""
    return condition.lacking(condition.elsewhere(needs, world), world)


def whole_fix(needs: Expr, world: World, means: Means) -> Fix:
    """Return what makes a false condition true; of one that hangs on the processor's vendor, which
    was not told, for each of them."""
    found = fix(needed(needs, world), world, means)
    names = {name for kind, name, *_ in condition.atoms(needs) if kind == "fact"}
    if world.subject.machine.vendor or "vendor" not in names:
        return found
    fixes = []
    for vendor in ("intel", "amd"):
        machine = world.subject.machine._replace(vendor=vendor)
        told = world.after(world.subject._replace(machine=machine))
        if told.evaluate(needs) is False:
            fixes.append(fix(needed(needs, told), told, means))
    return reduce(Fix.plus, fixes) if fixes else found


def fix(expr: Expr, world: World, means: Means) -> Fix:
    """Return what makes a false condition true: of several ways the one that asks for the least."""
    tag = operator_of(expr)
    if tag == "&":
        parts = (fix(part, world, means) for part in operands(expr))
        return reduce(Fix.plus, parts, _NOTHING).opened()
    if tag == "|":
        return ways(expr, world, means)[0]
    if tag == "!":
        return _taken_away(operands(expr)[0], world)
    one = term(expr)
    if tag == "on":
        return _switched_on(one[1], world)
    if tag == "sym":
        return _assigned(one, world)
    if tag == "is":
        return _set(one, world, means)
    if tag == "boot":
        return _on_the_line(one[1], world)
    if tag == "shown":
        return Fix(settings=(Setting(key_of(one[1]), one[2]),))
    return Fix(why=(f"Linux {release(one)}" if is_kernel(expr) else f"that {said(expr)}",))


def ways(expr: Expr, world: World, means: Means) -> list[Fix]:
    """Return what each of the parts of an alternative takes, the least first."""
    return sorted((fix(part, world, means) for part in operands(expr)), key=lambda way: way.effort)


def is_kernel(expr: Expr) -> bool:
    """Tell whether a condition asks for the kernel's version alone."""
    return operator_of(expr) == "fact" and term(expr)[1] == "kernel"


def release(one: Term) -> str:
    """Return `5.4` for a release, `6.0 or newer` for all from one on."""
    _, _, sign, number = one
    return f"{number}{_ONWARDS.get(sign, '')}"


def is_in_list(one: Term) -> bool:
    """Tell whether a term asks for a word in the list that a symbol holds."""
    return one[2] == "=" and one[3].startswith("*")


# --- the boot line --------------------------------------------------------------------------------


def _on_the_line(word: str, world: World) -> Fix:
    """Return the word to add, or the kernel's list with the entry in it; of a value that only the
    user knows, or a word that another program reads, that it has to be there."""
    name, _, value = word.partition("=")
    if value == "*":
        return Fix(why=(f"{name}= with a value on the boot line",))
    if world.knowledge.reader(word):
        return Fix(why=(f"{word} on the boot line",))
    parameter = world.knowledge.parameter(name)
    if not (parameter and parameter.stands_for):
        return Fix(words=(word,))
    old = [one.text for one in world.line.counting(name)]
    lists = lists_of(name, world)
    if not lists:
        return Fix(why=(f"{value} in the list of {name}= on the boot line",))
    new = f"{name}={extended(lists[-1], f'{LIST}{value}')}"
    return Fix(words=(new,), drop=tuple(old))


def _taken_away(expr: Expr, world: World) -> Fix:
    one = term(expr)
    if one[0] == "boot":
        own = {word.text for word in world.line.own()}
        texts = [word.text for word in world.line.matching(one[1]) if word.text in own]
        return Fix(drop=tuple(texts or (one[1],)))
    if one[0] == "on":
        name = world.spelled(one[1])
        return Fix((Change(name, world.config.get(name), "n", Role.ASKED),))
    if one[0] == "shown" and one[2] in _OTHER and key_of(one[1]) != one[1]:
        return Fix(settings=(Setting(key_of(one[1]), _OTHER[one[2]]),))
    return Fix(why=(f"what else makes this so: {said(['!', expr])}",))


# --- a rebuild ------------------------------------------------------------------------------------


def _switched_on(symbol: str, world: World) -> Fix:
    """Return the lines that switch an option on, as a module where one serves."""
    name = world.spelled(symbol)
    if world.is_elsewhere(symbol):
        when = world.other_releases(symbol)
        return Fix(why=(f"a kernel that has {name}{f' ({when})' if when else ''}",))
    if world.lacks_prompt(name):
        return Fix(hidden=(name,))

    def lightest(change: Change) -> Change:
        return change._replace(new="m") if is_loadable(change, world) else change

    asked = lightest(Change(name, world.config.get(name), "y", Role.ASKED))
    if world.subject.tree:
        outcome = proven([asked], world, modules=True)
        if isinstance(outcome, Blocked):
            return Fix(why=(f"{name}; {outcome.reason}",))
        return Fix(tuple(outcome))
    if changes := enabled(symbol, world):
        return Fix(tuple(map(lightest, changes)))
    hidden = (name,) if asked.old is None and world.config.complete else ()
    return Fix((asked,), hidden=hidden)


def _assigned(one: Term, world: World) -> Fix:
    symbol = world.spelled(one[1])
    if is_in_list(one):
        return Fix(why=(f"{one[3].strip('*')} in the list {symbol}",))
    if one[2] != "=":
        return Fix(why=(said(one),))
    return Fix((Change(symbol, world.config.get(symbol), one[3], Role.ASKED),))


def _set(one: Term, world: World, means: Means) -> Fix:
    """Return the least invasive remedy that gives a tunable the value."""
    _, name, sign, value = one
    tunable = world.knowledge.tunable(name)
    names = tuple(v.name for v in tunable.values if (v.name == value) is (sign == "=")) or (value,)
    remedy = means(tunable, names, world)
    if isinstance(remedy, Remedy):
        return Fix(remedy.changes, remedy.words, remedy.drop, remedy.settings)
    reasons = "; ".join(remedy) or "this kernel has no way to it"
    return Fix(why=(f"{tunable.title}: {reasons}",))
