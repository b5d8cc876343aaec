"""The words of the boot line that a remedy has to change or take out beside its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.engine.effective.cpu_lists import (
    GivenList,
    belong_together,
    containing,
    parted,
    possible,
)
from advisor.engine.effective.word_values import plain
from advisor.engine.remedy.hardening import protects
from advisor.engine.remedy.what_if import rebooted
from advisor.inputs.cpulist import read_list, show_list
from advisor.model.kernel import Layer

if TYPE_CHECKING:
    from advisor.engine.effective.world import World
    from advisor.model.kernel import Word
    from advisor.model.parameter import Parameter
    from advisor.model.remedy import Remedy


def with_lists(remedy: Remedy, world: World) -> Remedy:
    """Return a remedy that writes a CPU list in the place of all others of its parameter, and with
    the same CPUs in the list of the parameter that belongs to it."""
    for text in remedy.words:
        name, _, value = text.partition("=")
        parameter = world.knowledge.parameter(name)
        if parameter is None or parameter.list is None:
            continue
        cpus = parted(value, parameter.list)[1]
        remedy = _without(remedy, (old.word.text for old in _others(parameter, cpus, world)))
        for other in _companions(parameter, world):
            olds = _others(other, cpus, world)
            # Nobody has seen a list act that the kernel drops today.
            acting = [old for old in olds if old.counts and not old.loses_to]
            flags = dict.fromkeys(
                flag
                for old in acting
                for flag in parted(old.word.value or "", old.rules)[0]
                if flag in old.purposes
            )
            if acting and (new := f"{other.name}={','.join([*flags, cpus])}") not in remedy.words:
                remedy = remedy._replace(words=(*remedy.words, new))
            remedy = _without(remedy, (old.word.text for old in olds))
    return remedy


def _companions(parameter: Parameter, world: World) -> list[Parameter]:
    """Return the parameters on the line whose lists have to be the same."""
    others = {given.parameter.name: given.parameter for given in world.line.lists()}
    return [other for other in others.values() if belong_together(parameter, other)]


def _others(parameter: Parameter, cpus: str, world: World) -> list[GivenList]:
    """Return the parameter's lists on the boot loader's line that are of other CPUs."""
    wanted = read_list(cpus, possible(world)).cpus
    return [
        given
        for given in world.line.lists()
        if given.parameter.name == parameter.name
        and given.word.layer is Layer.BOOT
        and given.cpu_list.cpus != wanted
    ]


def settled(remedy: Remedy, world: World) -> Remedy:
    """Return the remedy that also drops the words that would stop to act with it, or start to.

    Nobody has seen a word act that another one keeps from acting, so it goes with that, but for the
    list of the CPUs that are to be isolated. No remedy takes out a word that guards.
    """
    while world.line.own():
        after = rebooted(world, remedy)
        there = {word.text for word in after.line.own()} - {*remedy.drop, *remedy.words}
        own = [word for word in world.line.own() if not _guards(word, world)]
        staying = [word for word in own if word.text in there]
        # What a list of wrong CPUs would do to other words does not happen once it is gone.
        drop = {word.text for word in staying if _clashes(word, world, after)} or {
            *(word.text for word in staying if _turns(word, world, after)),
            *_in_the_way(remedy, world, after),
        }
        drop -= set(remedy.drop)
        if not drop:
            return remedy
        remedy = _without(remedy, (word.text for word in world.line.own() if word.text in drop))
    return remedy


def _clashes(word: Word, world: World, after: World) -> bool:
    """Return whether the word is a CPU list that the kernel reads only with the remedy, and that is
    wrong: malformed, refused, void beside another list, or not the list that it has to equal."""
    if world.line.may_count(word) or not after.line.may_count(word):
        return False
    given = next((one for one in after.line.lists() if one.word.text == word.text), None)
    if given is None:
        return False
    cpus = show_list(given.cpu_list.cpus or ())
    is_counted = word.text in (one.text for one in after.line.counting(word.name))
    if given.cpu_list.problem or not given.counts or not is_counted:
        return True
    return any(_others(other, cpus, after) for other in _companions(given.parameter, after))


def _turns(word: Word, world: World, after: World) -> bool:
    """Return whether the word becomes idle or doubtful, or was idle and acts."""
    before, then = _faults(word, world), _faults(word, after)
    if "void" in before and _isolates(word, after):
        return False
    return bool(then - before) or "void" in before - then


def _isolates(word: Word, world: World) -> bool:
    """Return whether the word lists the CPUs that are to be isolated."""
    isolate = world.subject.machine.isolate
    if isolate is None:
        return False  # a malformed list has no CPUs either
    wanted = read_list(isolate, possible(world)).cpus
    return any(
        given.word.text == word.text and given.cpu_list.cpus == wanted
        for given in world.line.lists()
    )


def _in_the_way(remedy: Remedy, world: World, after: World) -> Iterator[str]:
    """Return the word of the line without which a word that the remedy adds would count."""
    for new in after.line.own():
        if new.text not in remedy.words or not _is_void(new, after):
            continue
        for word in world.line.own():
            if word.text not in (*remedy.drop, *remedy.words) and not _guards(word, world):
                without = rebooted(world, _without(remedy, (word.text,)))
                if not _is_void(new, without):
                    yield word.text
                    break


def _faults(word: Word, world: World) -> set[str]:
    """Return what is wrong with the word."""
    faults = {
        "void": _is_void(word, world),
        "unread": not world.line.may_count(word),
        "needless": needless(word, world),
        "doubtful": bool(world.line.remarks(plain(word), "caution")),
    }
    return {name for name, is_so in faults.items() if is_so}


def _is_void(word: Word, world: World) -> bool:
    """Return whether another word or setting keeps the word from acting."""
    ruling = world.line.ruling(word)
    if ruling.truth is False:
        return ruling.cause == "void"
    if world.line.remarks(plain(word), "void"):
        return True
    return any(given.loses_to for given in world.line.lists() if given.word.text == word.text)


def needless(word: Word, world: World) -> bool:
    """Return whether the word adds nothing to what is so anyway."""
    if world.line.remarks(plain(word), "redundant"):
        return True
    lists, count = world.line.lists(), possible(world)
    return any(containing(given, lists, count) for given in lists if given.word.text == word.text)


def _guards(word: Word, world: World) -> bool:
    return world.line.guards(word) or protects(word, world)


def _without(remedy: Remedy, texts: Iterable[str]) -> Remedy:
    """Return the remedy that takes out these words, too."""
    return remedy._replace(drop=tuple(dict.fromkeys((*remedy.drop, *texts))))
