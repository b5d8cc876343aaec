"""What makes a condition true: lines of a rebuild, words of the boot line, settings of run time; or
why nothing does."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from advisor.engine.effective.needs import met
from advisor.engine.effective.world import World
from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.boot_remedies import lists_of
from advisor.engine.remedy.dependencies import enabled
from advisor.engine.remedy.in_tree import proven
from advisor.engine.remedy.modules import is_loadable
from advisor.engine.remedy.what_if import Goal
from advisor.model import condition
from advisor.model.condition import Expr, Term, operands, operator_of, term
from advisor.model.remedy import Change, Remedy, RemedyKind, Role, Setting
from advisor.model.saying import said
from advisor.model.software import Fix, Lack, Part, shortly
from advisor.model.sysctl import key_of
from advisor.model.tunable import LIST, Tunable, extended

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
    if not world.knowledge.list_of(name):
        return Fix(words=(word,))
    old = [one.text for one in world.line.counting(name)]
    lists = lists_of(name, world)
    if not lists:
        return Fix(why=(f"{value} in the list of {name}= on the boot line",))
    new = f"{name}={extended(lists[-1], _addition(name, value, world))}"
    return Fix(words=(new,), drop=tuple(old))


def _addition(name: str, entry: str, world: World) -> str:
    """Return how the rules add an entry to the list of a parameter: before which other one."""
    added = f"{name}={LIST}{entry}"
    # Few requirements are about a list: only these pay for decoding all rules.
    words = (
        word
        for tunable in world.knowledge.tunables()
        for value in tunable.values
        for word in value.boot_else
    )
    known = (word for word in words if word == added or word.startswith(f"{added},"))
    return next(known, added).partition("=")[2]


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
    return Fix(why=(f"a system where {said(['!', expr])}",))


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
        return Fix(why=(f"a kernel where {said(one)}",))
    return Fix((Change(symbol, world.config.get(symbol), one[3], Role.ASKED),))


def _set(one: Term, world: World, means: Means) -> Fix:
    """Return the least invasive remedy that gives a tunable the value."""
    _, name, sign, value = one
    tunable = world.knowledge.tunable(name)
    names = tuple(v.name for v in tunable.values if (v.name == value) is (sign == "=")) or (value,)
    remedy = means(tunable, names, world)
    if isinstance(remedy, Remedy):
        return Fix(remedy.changes, remedy.words, remedy.drop, remedy.settings)
    reasons = "; ".join(remedy) or "no known change sets this value in this kernel"
    return Fix(why=(f"{tunable.title}: {reasons}",))


# --- what is missing, in words --------------------------------------------------------------------


_ON = ("y", "m")
_AS = {"n": " off", "y": "", "m": ""}
_MOST = 3
"""So many ways are told at most."""


def lack(part: Part, world: World, means: Means, then: World | None = None) -> Lack:
    """Return what is missing of a part that does not hold, and what to do if that still is so in
    the world `then`; without such a world, nothing of that."""
    lacking = needed(part.needs, world)
    terms = operands(lacking) if operator_of(lacking) == "&" else [lacking]
    lacks = [_missing(one, world, means) for one in terms]
    return Lack(
        part.name,
        off=tuple(name for lack in lacks for name in lack.off),
        absent=tuple(name for lack in lacks for name in lack.absent),
        needs=tuple(text for lack in lacks for text in lack.needs),
        wrong=tuple(text for lack in lacks for text in lack.wrong),
        fix=whole_fix(part.needs, then, means)
        if then and met(part.needs, then) is False
        else Fix(),
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
    is_state = operator_of(first) == "is"
    if not firm and is_state and all(term(one)[:2] == term(first)[:2] for one in others):
        return _missing(first, world, means)  # all ask for a value of the same tunable
    once = list(dict.fromkeys(_asked(way, world) for way in firm or found))
    # Without those that have all of another one and more.
    nouns = [one for one in once if not any({*other} < {*one} for other in once)]
    if len(nouns) == 1 and firm and set(nouns[0]) <= {one.symbol for one in firm[0].changes}:
        return Lack("", off=nouns[0])
    # Only the first names are told: those that other ways have as well come behind.
    common = set(nouns[0]).intersection(*nouns[1:]) if len(nouns) > 1 else set()
    texts = [shortly(sorted(one, key=common.__contains__)) for one in nouns]
    if len(texts) > _MOST:
        texts = [*texts[: _MOST - 1], f"{len(texts) - _MOST + 1} other ways"]
    compound = any("," in one or " and " in one or " or " in one for one in texts)
    return Lack("", needs=((", or " if compound else " or ").join(texts),))


def _asked(way: Fix, world: World) -> tuple[str, ...]:
    """Return what a way asks for, as nouns."""
    asked = (change for change in way.changes if change.role is Role.ASKED)
    return (
        *(f"{one.symbol}{_AS.get(one.new, f'={one.new}')}" for one in asked),
        *(name for name in way.hidden if all(name != one.symbol for one in way.changes)),
        *(f"{_in_short(word, world)} on the boot line" for word in way.words),
        *(f"the boot line without {word}" for word in way.drop if not way.words),
        *(f"{one.key} = {one.value}" for one in way.settings),
        *way.why,
    )


def _in_short(word: str, world: World) -> str:
    """Return a word of the boot line, of a list only its new entry: `lsm=...,apparmor`."""
    name, _, value = word.partition("=")
    if "," not in value:
        return word
    there = {entry for owned in lists_of(name, world) for entry in owned.split(",")}
    new = [entry for entry in value.split(",") if entry not in there]
    return f"{name}=...,{(new or [value.rpartition(',')[2]])[0]}"


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


# --- the remedy for a function of a program -------------------------------------------------------


def remedy(goal: Goal, means: Means) -> Remedy | Blocked:
    """Return the least that has the requirement met; or why nothing does."""
    tunable = goal.tunable
    needs = tunable.values[0].when
    found = whole_fix(needs, goal.world, means)
    if found.why:
        return Blocked(f"needs {'; '.join(found.why)}")
    kind = RemedyKind.BOOT if found.words or found.drop else RemedyKind.RUNTIME
    kind = RemedyKind.REBUILD if found.changes else kind
    name, parts = tunable.values[0].name, (found.settings, found.words, found.drop, found.changes)
    told = Remedy(kind, name, *parts)
    lines = {change.symbol for change in found.changes}
    if behind := [name for name in found.hidden if name in lines]:
        names = " and ".join(behind)
        reason = f"this configuration does not offer {names}: --tree DIR finds what is missing"
        return Blocked(reason)
    if unproven := [name for name in found.unproven if name in lines]:
        reason = f"{shortly(unproven)} may depend on further options: --tree DIR finds these"
        told = told._replace(left=(reason,))
    if goal.is_met_by(told):
        return told
    # The options without a prompt that its lines bring along in a tree are there as well.
    symbols = condition.symbols(needed(needs, goal.world)) if found.changes else ()
    derived = (
        Change(name, goal.world.config.get(name), "y", Role.DEPENDENCY)
        for name in symbols
        if goal.world.lacks_prompt(name)
    )
    if goal.is_met_by(told._replace(changes=(*told.changes, *derived))):
        return told
    if found.hidden and not found.changes:
        return Blocked(f"needs {' and '.join(found.hidden)}, which other options switch on")
    return Blocked("no known change is enough")
