"""The ways to a wanted value on the boot line: leaving words out, and adding some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.effective.components import Standing, named
from advisor.engine.effective.world import World
from advisor.engine.remedy.what_if import (
    Goal,
    rebooted,
    with_words,
    without_deciding,
    without_opposing,
)
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.kernel import Layer, unquote
from advisor.model.remedy import Remedy, RemedyKind
from advisor.model.state import LACK, State
from advisor.model.tunable import LIST, Tunable, extended, filled

_NOTHING: frozenset[str] = frozenset()


def boot_remedy(names: Sequence[str], goal: Goal) -> Remedy | None:
    """Return the change of the boot line that gives the first of these values it can give.

    To leave words out goes before adding some: what is built may be as wanted already.
    """
    shorter = Remedy(RemedyKind.BOOT, "")
    if goal.tunable.kind != "group":
        shorter = without_opposing(shorter, goal)
        if _works(shorter, goal):
            # The value that a line without some of its words gives.
            after = goal.after(shorter)
            values = after.effective if after else ()
            several = shorter.drop and len(values) > 1
            built = goal.world.built(goal.tunable).values if several else ()
            given = next((value for value in built if value in values), next(iter(values), ""))
            return settled(shorter._replace(value=given), goal)
    added = []
    for name, words in _candidates(names, goal):
        added.append(_added(name, words, goal))
        if _works(added[-1], goal):
            return settled(added[-1], goal)
    longer = (without_opposing(remedy, goal) for remedy in added)
    found = next((remedy for remedy in longer if _works(remedy, goal)), None)
    if found is None and shorter.drop:
        found = _behind(shorter, names, goal)
    return settled(found, goal) if found else None


def _behind(shorter: Remedy, names: Sequence[str], goal: Goal) -> Remedy | None:
    """Return a remedy with words that the kernel honours only once others are off the line:
    intel_iommu=on in place of iommu=off."""
    then = goal._replace(world=rebooted(goal.world, shorter))
    for name, words in _candidates(names, then):
        added = _added(name, words, then)
        whole = added._replace(drop=tuple(dict.fromkeys((*shorter.drop, *added.drop))))
        if goal.is_met_by(whole):
            return whole
    return None


def _works(remedy: Remedy, goal: Goal) -> bool:
    """Tell whether a remedy changes the line, and meets the goal."""
    return bool(remedy.drop or remedy.words) and goal.is_met_by(remedy)


def _added(name: str, words: tuple[str, ...], goal: Goal) -> Remedy:
    """Return the remedy that adds words for a value."""
    remedy = without_deciding(with_words(name, words, goal.world), goal)
    if goal.tunable.kind != "list":
        return remedy
    from advisor.engine.remedy.affected_words import with_lists

    return with_lists(remedy, goal.world)


def comes_back(goal: Goal) -> bool:
    """Tell whether a boot of what is there gives a wanted value, against what run time shows."""
    told = goal.world.subject.sysctl or goal.world.subject.sysfs
    return bool(told) and goal.is_met_by(Remedy(RemedyKind.BOOT, ""))


def settled(remedy: Remedy, goal: Goal) -> Remedy:
    """Return the remedy with what it takes along of the line, unless the value rests on that."""
    if not goal.world.line.own():
        return remedy
    from advisor.engine.remedy.affected_words import settled as with_line_settled

    whole = with_line_settled(remedy, goal.world)
    return whole if whole == remedy or goal.is_met_by(whole) else remedy


# --- words for a value ----------------------------------------------------------------------------


def _candidates(names: Iterable[str], goal: Goal) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield values with words that may give them."""
    tunable, world = goal.tunable, goal.world
    for name in names:
        if tunable.kind == "group":
            state = world.state(tunable.id)
            words = _switches(tunable, name, state, world) if state else None
            if words is not None:
                yield name, words
            continue
        words, others = boot_words(tunable, name, world), [*_other_words(tunable, name, world)]
        if words:
            yield name, words
        for word in others:
            yield name, (word,)
        if words and others:  # as many as it takes, the fewest first
            yield name, (*others, *words)
        if not (words or others or world.config.complete) and _is_open(tunable, name, world):
            return  # what a fragment leaves open is no reason to settle for another value


def _switches(tunable: Tunable, name: str, state: State, world: World) -> tuple[str, ...] | None:
    """Return the words that switch the members of a group which no word keeps from being as wanted;
    None if one of them has no such word."""
    wrong = dict(state.on if name == "off" else state.off)
    words: dict[str, None] = {}  # one word may decide several members
    for member in tunable.members:
        origin = wrong.get(member.name)
        if origin is None or (origin.layer is Layer.BOOT and not origin.text.startswith(LACK)):
            continue
        switches = member.boot_off if name == "off" else member.boot_on
        if not switches or world.line.honours(switches[0]).truth is not True:
            return None
        words[world.line.spell(switches[0])] = None
    return tuple(words)


def boot_words(tunable: Tunable, name: str, world: World) -> tuple[str, ...]:
    """Return the words that give a value on this kernel's boot line, without those that are for
    another kernel's or machine's driver; none where it would ignore all of them, or may ignore one.
    """
    value = tunable.value(name)
    if value and world.evaluate(value.boot_only_if) is not True:
        return ()
    truths = {word: _honoured(word, tunable, world) for word in spelled(tunable, name, world)}
    if not set(truths.values()) <= {True, False}:
        return ()
    return tuple(word for word, truth in truths.items() if truth is True)


def _honoured(word: str, tunable: Tunable, world: World) -> condition.Truth:
    """Return whether this kernel honours a word wherever it has what the tunable is about."""
    truth = world.line.honours(word).truth
    parameter = world.knowledge.parameter(parameter_name(word))
    if not parameter or not condition.unknowns(truth):
        return truth
    rests_on_it = truth == world.evaluate(parameter.only_if)
    return (rests_on_it and condition.follows(parameter.only_if, tunable.only_if, world)) or truth


def _other_words(tunable: Tunable, name: str, world: World) -> Iterator[str]:
    """Yield the words of which each alone may give a value where those of its own do not count."""
    value = tunable.value(name)
    for word in value.boot_else if value else ():
        parameter, is_list, addition = word.partition(f"={LIST}")
        owned = lists_of(parameter, world) if is_list else ()
        written = [f"{parameter}={extended(one, addition)}" for one in owned] if is_list else [word]
        yield from (one for one in written if world.line.honours(one).truth is True)


def lists_of(name: str, world: World) -> list[str]:
    """Return the list that a parameter has on the line, or else the compiled one that it would
    replace, without names of what is not built; none where neither is known."""
    if given := world.line.counting(name):
        return [word.value or "" for word in given]
    compiled = world.config.get(world.knowledge.list_of(name))
    if not compiled:
        return []
    text = unquote(compiled)
    if found := world.knowledge.named_in("boot", name):
        names = named(text, *found, world)
        there = (one.name for one in names if one.standing is not Standing.ABSENT)
        text = ",".join(there)
    return [text]


def spelled(tunable: Tunable, name: str, world: World) -> tuple[str, ...]:
    """Return the words for a value, under the names that this kernel knows."""
    value = tunable.value(name)
    words = [filled(word, world.subject.machine) for word in (value.boot if value else ())]
    # A number and a list of CPUs stand on the boot line as they are.
    as_it_is = name[:1].isdigit() or (tunable.kind == "list" and name != tunable.default)
    if value is None and tunable.parameter and as_it_is:
        words = [f"{tunable.parameter}={name.partition('..')[0]}"]
    plain = [word for word in words if word]
    return tuple(map(world.line.spell, plain)) if len(plain) == len(words) else ()


# --- why there is none ----------------------------------------------------------------------------


def _is_open(tunable: Tunable, name: str, world: World) -> bool:
    """Tell whether symbols that were not told decide if the boot line can give the value."""
    value, words = tunable.value(name), spelled(tunable, name, world)
    truths = [world.line.honours(word).truth for word in words]
    truths += [world.evaluate(value.boot_only_if)] if value and words else []
    missing = _NOTHING.union(*map(condition.unknowns, truths))
    return False not in truths and any(name.isupper() for name in missing)


def unheard(tunable: Tunable, name: str, world: World) -> list[str]:
    """Return why this kernel would not follow the words for a value."""
    # What is void is explained by a sentence of the rules, which names the word itself.
    return [
        ruling.reason if ruling.cause == "void" else f"{word} {ruling.reason}"
        for word in spelled(tunable, name, world)
        if (ruling := world.line.honours(word)).truth is False
    ]


def is_too_new(tunable: Tunable, name: str, world: World) -> bool:
    """Tell whether all words for a value are of later releases than this kernel's."""
    rulings = [world.line.honours(word) for word in spelled(tunable, name, world)]
    return bool(rulings) and all(r.truth is False and r.cause == "new" for r in rulings)


def undecided(tunable: Tunable, names: Iterable[str], world: World) -> frozenset[str]:
    """Return what would tell whether there is a way to these values, where none can be offered."""
    missing: set[str] = set()
    for name in names:
        value, words = tunable.value(name), spelled(tunable, name, world)
        truths = [world.line.honours(word).truth for word in words]
        truths += map(world.evaluate, (value.boot_only_if, value.runtime_only_if) if value else ())
        missing.update(*map(condition.unknowns, truths))
    told = {"kernel": world.subject.kernel, "arch": world.subject.machine.arch}
    # Whether a release has a backport no further number tells.
    missing -= {name for name, fact in told.items() if fact is not None}
    return frozenset(missing or (name for name, fact in told.items() if fact is None))
