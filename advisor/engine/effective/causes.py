"""The deciding lines of a setting: the smallest set of inputs that, taken back, changes it.

The engine evaluates the tunable once on inputs that record what is asked for (asked.py), and then
again with each of the recorded inputs taken back.

The order is fixed: words and settings first; then the lines on which the condition of the value
rests, those first about which fewer of the tunable's values ask; then what its other conditions
name; then the rest. A line that is there comes before one that is not. If no single input of a tier
is enough, all of the tier are taken back together, and each that makes no difference is put back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from advisor.engine.effective.asked import (
    NAMED,
    OWN,
    REST,
    WORDS,
    Asked,
    Input,
    Lines,
    asked_by,
    line,
    without,
    words_asked,
)
from advisor.engine.effective.group_state import NOBODY, is_member_on
from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.engine.effective.run_time import of_machine
from advisor.engine.effective.state import state_of
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.condition import Expr
from advisor.model.kernel import Layer, Location
from advisor.model.state import LACK, Origin, State

if TYPE_CHECKING:
    from advisor.model.tunable import Member, Tunable

_OUTSIDE = 1000
"""How many values ask about what no value asks about: more than any."""
Changes = Callable[[Sequence[Input]], bool]
"""Whether what is asked for is another thing with these taken back."""


def deciding(
    inputs: Iterable[Input], changes: Changes, ends: Changes, by_words: bool = False
) -> tuple[Origin, ...]:
    """The first set of inputs with which the answer `changes`, and with no part of it; of the first
    two tiers also one that merely `ends` it. What is so `by_words` is tried with these first."""
    tiers: dict[int, list[Input]] = {}
    for one in sorted(inputs, key=lambda one: one.rank):
        tiers.setdefault(one.rank[0], []).append(one)
    words = tiers.get(WORDS, [])
    for tier, own in tiers.items():
        there = [one for one in own if not one.origin.text.startswith(LACK)]
        beside = words if tier != WORDS else []
        several = [[one for one in there if one.is_set], there]
        alone = [[one] for one in own]
        with_words = [[*beside, one] for one in there if beside]
        groups = [*with_words, *alone] if by_words else [*alone, *with_words]
        groups += [[*beside, *group] for group in several if len(group) > 1]
        tests = (changes, ends) if tier <= OWN else (changes,)
        for test, group in product(tests, groups):
            if found := _together(group, test):
                return found
    everything = [*words, *tiers.get(OWN, ())]
    return _together(everything, changes) or _together(everything, ends)


def _together(inputs: list[Input], changes: Changes) -> tuple[Origin, ...]:
    """Those of several inputs that have to be taken back, if that changes it: the last are put back
    first, and once more, as with a word put back a line may make no difference any more."""
    if not inputs or not changes(inputs):
        return ()
    for one in (*reversed(inputs), *reversed(inputs)):
        fewer = [other for other in inputs if other is not one]
        if fewer and len(fewer) < len(inputs) and changes(fewer):
            inputs = fewer
    return tuple(one.origin for one in inputs)


def causes(tunable: Tunable, state: State, world: KernelFacts) -> tuple[Origin, ...]:
    """The inputs that decide a tunable's state; none where it rests on no line."""
    if not state.effective:
        return ()
    asked = asked_by(lambda then: state_of(tunable, then), _parameters(tunable, world), world)
    inputs = (*words_asked(asked, world), *_lines_asked(tunable, state, asked, world))
    opened: list[Origin] = []

    def taken_back(taken: Sequence[Input], doubtful: bool) -> bool:
        # Of a choice it is enough that another member makes a difference.
        for then in without(taken, world):
            after = state_of(tunable, then)
            if _differs(after, state, doubtful):
                return True
            if len(taken) == 1 and after and set(after.effective) - set(state.effective):
                opened.append(taken[0].origin)
        return False

    found = deciding(
        inputs,
        lambda taken: taken_back(taken, False),
        lambda taken: taken_back(taken, True),
        by_words=state.boot == state.effective,
    )
    return found or tuple(opened[:1])  # what leaves it open decides more than nothing does


def _differs(after: State | None, state: State, doubtful: bool) -> bool:
    """Whether it surely is another state, or, where that is enough, in doubt or none at all."""
    if after is None or not after.effective:
        return doubtful
    if set(after.effective).isdisjoint(state.effective):
        return True
    other = set(after.effective) != set(state.effective)
    return other and (doubtful or after.missing <= state.missing)


# --- what may decide ------------------------------------------------------------------------------


def _parameters(tunable: Tunable, world: KernelFacts) -> set[str]:
    """The parameters of the line that a tunable names itself: where one word decides, an evaluation
    asks for no other."""
    if not world.line.words:
        return set()
    asked = {parameter_name(name) for kind, name, *_ in _atoms(tunable) if kind == "boot"}
    names = own_parameters(tunable) | asked
    return {one for name in names for one in world.knowledge.spellings(name)}


def own_parameters(tunable: Tunable) -> set[str]:
    """The parameters whose words give a tunable's values."""
    words = [word for value in tunable.values for way in (value.boot, *value.reads) for word in way]
    return set(map(parameter_name, filter(None, (*words, tunable.parameter))))


def _atoms(tunable: Tunable) -> Iterator[condition.Term]:
    """The terms of the conditions that read a tunable's values, and that make them other ones."""
    for value in tunable.values:
        yield from condition.atoms(value.when)
    for rule in tunable.interpret:
        yield from condition.atoms(rule.only_if)


def _lines_asked(
    tunable: Tunable, state: State, asked: Asked, world: KernelFacts
) -> Iterator[Input]:
    """The lines of the configuration that a tunable's value may rest on."""
    if len(state.compiled) > 1 and any(map(str.isupper, state.missing)):
        return  # a line that nobody told decides
    own = dict.fromkeys(_own(tunable, state, world))
    named = Counter(
        world.spelled(name)
        for value in tunable.values
        for name in condition.symbols(value.built_when)
    )
    rules = (
        *(rule.only_if for rule in tunable.interpret),
        *(default.only_if for default in tunable.defaults),
        *(value.boot_only_if for value in tunable.values),
    )
    for name in (name for expr in rules for name in condition.symbols(expr)):
        named.setdefault(world.spelled(name), _OUTSIDE)
    texts, hidden = _compared(tunable, world), _hidden(tunable, world)
    # Nothing that is compiled in gives the value.
    is_told = tunable.symbol and world.config.get(world.spelled(tunable.symbol)) is not None
    giving = () if is_told else _giving(tunable, state, world)
    by_default = not is_told and not any(condition.surely(when, world) for when in giving)
    for number, symbol in enumerate(dict.fromkeys((*own, *asked.symbols))):
        tier = OWN if symbol in own else NAMED if symbol in named else REST
        if by_default and (tier == REST or world.config.get(symbol) is None):
            continue  # set by no line, it rests on one that keeps another value away at most
        yield from line(symbol, world, tier, (named[symbol], number), texts.get(symbol, ()), hidden)


def _own(tunable: Tunable, state: State, world: KernelFacts, depth: int = 3) -> Iterator[str]:
    """The symbols that a value's condition rests on, in its order; of what it asks about other
    tunables theirs."""
    if tunable.symbol:
        yield world.spelled(tunable.symbol)
    for expr in _giving(tunable, state, world):
        for kind, name, *_ in condition.atoms(condition.deciding(expr, world)):
            if kind in ("on", "sym", "present"):
                yield from world.told_by(name)
            elif kind == "is" and depth and (other := world.value(name)):
                yield from _own(world.knowledge.tunable(name), other, world, depth - 1)


def _giving(tunable: Tunable, state: State, world: KernelFacts) -> list[Expr]:
    """The conditions that give a value: of the rules that make it of another one, else its own."""
    name = state.effective[0] if state.effective else ""
    rules = [rule.only_if for rule in tunable.interpret if rule.target == name]
    held = [when for when in rules if world.evaluate(when) is True]
    value = tunable.value(name)
    own = [value.built_when] if value else []
    return [*held, *own] if not held or state.compiled == state.effective else held


def _hidden(tunable: Tunable, world: KernelFacts) -> dict[str, Lines]:
    """By a symbol that a line switches off, what a value sets beside it and no line is about."""
    get = world.config.get
    found: dict[str, Lines] = {}
    for pairs in (pairs for value in tunable.values for pairs in value.sets):
        lines = [(world.spelled(symbol), setting) for symbol, setting in pairs]
        unseen = tuple(one for one in lines if get(one[0]) is None and one[1] != "n")
        for symbol, setting in lines if unseen else ():
            if setting != "n" and get(symbol) == "n":
                others = tuple(one for one in unseen if one[0] != symbol)
                found.setdefault(symbol, others)
    return found


def _compared(tunable: Tunable, world: KernelFacts) -> dict[str, dict[str, None]]:
    """The texts that a tunable's conditions compare symbols with."""
    texts: dict[str, dict[str, None]] = {}
    for kind, name, *rest in _atoms(tunable):
        if kind == "sym":
            texts.setdefault(world.spelled(name), {})[rest[1].strip("*")] = None
    return texts


# --- states with their causes ---------------------------------------------------------------------


def with_causes(tunable: Tunable, state: State, world: KernelFacts) -> State:
    """The state with the inputs that decide it, of a group with those of each member."""
    if tunable.kind == "group":
        members = {member.name: member for member in world.members(tunable)}
        on, off = (
            tuple(
                (name, of if of.text else _of_member(members[name], is_on, world))
                for name, of in pairs
            )
            for is_on, pairs in ((True, state.on), (False, state.off))
        )
        return state._replace(on=on, off=off)
    if state.origins:
        return _shown(tunable, state, world)
    return state._replace(origins=causes(tunable, state, world))


def _shown(tunable: Tunable, state: State, world: KernelFacts) -> State:
    """The state that files of the running kernel show, with what would make it the same without
    them; where it could be nothing else, nothing decides it."""
    booted = world.after(world.subject.anew(of_machine(world.subject.sysfs)))
    before = booted.value(tunable.id)
    if before is None or before.effective != state.effective:
        return state
    lines = causes(tunable, before, booted)
    # A switch of what cannot be built: no other value can be written at run time.
    others = (value for value in tunable.values if value.name not in state.effective)
    ways = (value.runtime_only_if for value in others if value.settings)
    is_switch = bool(tunable.values) and all(world.evaluate(when) is False for when in ways)
    if not lines and state.compiled == state.effective and is_switch:
        return state._replace(origins=())
    return state._replace(origins=(*state.origins, *lines))


def _of_member(member: Member, is_on: bool, world: KernelFacts) -> Origin:
    """The input that decides a group's member, several as one; an empty one where none does."""
    names = {parameter_name(word) for word in (*member.boot_on, *member.boot_off)}
    telling = world.told_by(member.symbol) if member.symbol else []
    if member.when is None and len(telling) == 1 and names.isdisjoint(world.line.by_name):
        return world.origin(telling[0])
    asked = asked_by(lambda then: is_member_on(member, then), names, world)
    inputs = [*words_asked(asked, world)]
    when = condition.symbols(condition.deciding(member.when, world))
    own = dict.fromkeys((*telling, *map(world.spelled, when)))
    for number, symbol in enumerate(dict.fromkeys((*own, *asked.symbols))):
        tier = OWN if symbol in own else NAMED
        inputs += line(symbol, world, tier, (symbol not in own, number))
    # The words that the kernel reads, or would if the member was built.
    is_built, honours = world.symbol(member.symbol) != "n", world.line.honours
    waits = (one for one in member.boot_on if not is_built or honours(one).truth is not False)
    if not is_on and (word := next(waits, "")):
        rank = (OWN, True, True, 0, True, len(own))
        line_of_boot = world.subject.cmdline.name if world.subject.cmdline else ""
        lack = Origin(Layer.BOOT, f"{LACK} {word}", Location(line_of_boot, 1))
        inputs.append(Input(lack, rank, lacking=word.replace("*", "1")))

    def changes(taken: Sequence[Input]) -> bool:
        return any(is_member_on(member, then) is not is_on for then in without(taken, world))

    found = deciding(inputs, changes, lambda _: False)
    if not found:  # Kconfig decides it, or nothing: what this kernel always has
        return world.origin(telling[0]) if telling else NOBODY
    in_order = sorted(found, key=lambda one: one.layer is not Layer.COMPILED)
    return in_order[0]._replace(text=" and ".join(one.text for one in in_order))
