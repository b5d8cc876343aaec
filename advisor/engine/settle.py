"""What a change takes along of the boot line, so that no word of it is worse off with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.engine.bootline import plain
from advisor.engine.cpulists import GivenList, parted, possible
from advisor.engine.hardening import protects
from advisor.engine.what_if import rebooted
from advisor.inputs.cpulist import read_list, show_list
from advisor.model.kernel import Layer

if TYPE_CHECKING:
    from advisor.engine.state import World
    from advisor.model.kernel import Word
    from advisor.model.report import Remedy
    from advisor.model.rules import Parameter


def with_lists(remedy: Remedy, world: World) -> Remedy:
    """The remedy that writes a CPU list: in the place of all others of its parameter, and with the
    same CPUs in the list of the parameter that belongs to it."""
    for text in remedy.words:
        name, _, value = text.partition("=")
        parameter = world.knowledge.parameter(name)
        if parameter is None or parameter.list is None:
            continue
        cpus = parted(value, parameter.list)[1]
        remedy = _plus(remedy, (), (old.word.text for old in _others(parameter, cpus, world)))
        for other in _companions(parameter, world):
            if olds := _others(other, cpus, world):
                # One that the kernel drops today nobody has seen act.
                acting = [old for old in olds if old.counts and not old.loses_to]
                flags = dict.fromkeys(flag for old in acting for flag in _flags(old))
                new = [f"{other.name}={','.join([*flags, cpus])}"] if acting else []
                remedy = _plus(remedy, new, (old.word.text for old in olds))
    return remedy


def _companions(parameter: Parameter, world: World) -> list[Parameter]:
    """The parameters on the line whose lists have to be the same."""
    found: dict[str, Parameter] = {}
    for given in world.line.lists():
        other, same = given.parameter, parameter.list.same if parameter.list else ""
        if other.name != parameter.name and (
            same == other.name or given.rules.same == parameter.name
        ):
            found[other.name] = other
    return list(found.values())


def _others(parameter: Parameter, cpus: str, world: World) -> list[GivenList]:
    """The parameter's lists on the boot loader's line that are of other CPUs."""
    wanted = read_list(cpus, possible(world)).cpus
    return [
        given
        for given in world.line.lists()
        if given.parameter.name == parameter.name
        and given.word.layer is Layer.BOOT
        and given.cpu_list.cpus != wanted
    ]


def _flags(given: GivenList) -> list[str]:
    """The flags before a list that its parameter knows."""
    flags, _ = parted(given.word.value or "", given.rules)
    return [flag for flag in flags if flag in given.purposes]


def settled(remedy: Remedy, world: World) -> Remedy:
    """The remedy without what it would leave idle on the line, and without what it would wake.

    A word that another one keeps from acting would begin to act with that one gone: nobody has seen
    it act, so it goes too, but for the list of those CPUs that are to be isolated. No remedy takes
    out a word that guards.
    """
    while world.line.own():
        after = rebooted(world, remedy)
        # What a list of wrong CPUs would do to others is nothing that happens once it is gone.
        drop = set(_clashing(remedy, world, after)) or {
            *_turned(remedy, world, after),
            *_in_the_way(remedy, world, after),
        }
        drop -= set(remedy.drop)
        if not drop:
            return remedy
        own = (word.text for word in world.line.own() if word.text in drop)
        remedy = _plus(remedy, (), own)
    return remedy


def _staying(remedy: Remedy, world: World, after: World) -> Iterator[Word]:
    """The words of the line that the remedy is free to take out, and does not."""
    staying = {word.text for word in after.line.own()} - {*remedy.drop, *remedy.words}
    for word in world.line.own():
        if word.text in staying and not _guards(word, world):
            yield word


def _clashing(remedy: Remedy, world: World, after: World) -> Iterator[str]:
    """The CPU lists that waited only for what is built now, and are wrong."""
    for word in _staying(remedy, world, after):
        if _unread(word, world) and not _unread(word, after) and _clashes(word, after):
            yield word.text


def _turned(remedy: Remedy, world: World, after: World) -> Iterator[str]:
    """The words that stay and become idle or doubtful, or that were idle and act."""
    for word in _staying(remedy, world, after):
        if _void(word, world) and _isolates(word, after):
            continue
        if (
            _void(word, world) is not _void(word, after)
            or (_unread(word, after) and not _unread(word, world))
            or any(bad(word, after) and not bad(word, world) for bad in (needless, _doubted))
        ):
            yield word.text


def _isolates(word: Word, world: World) -> bool:
    """Whether it lists the CPUs that are to be isolated."""
    isolate = world.subject.machine.isolate
    if isolate is None:
        return False  # and no malformed list, which has no CPUs either
    wanted = read_list(isolate, possible(world)).cpus
    return any(
        given.word.text == word.text and given.cpu_list.cpus == wanted
        for given in world.line.lists()
    )


def _in_the_way(remedy: Remedy, world: World, after: World) -> Iterator[str]:
    """The word of the line without which what is added would count."""
    for new in after.line.own():
        if new.text not in remedy.words or not _void(new, after):
            continue
        for word in world.line.own():
            if word.text not in (*remedy.drop, *remedy.words) and not _guards(word, world):
                without = rebooted(world, _plus(remedy, (), (word.text,)))
                if not _void(new, without):
                    yield word.text
                    break


def _void(word: Word, world: World) -> bool:
    """Whether another word or setting keeps the word from acting."""
    ruling = world.line.honours(plain(word))
    if ruling.truth is False:
        return ruling.cause == "void"
    if world.line.remarks(plain(word), "void"):
        return True
    return any(given.loses_to for given in world.line.lists() if given.word.text == word.text)


def needless(word: Word, world: World) -> bool:
    """Whether the word adds nothing to what is so anyway."""
    if world.line.remarks(plain(word), "redundant"):
        return True
    lists = world.line.lists()
    for given in lists:
        cpus = given.cpu_list.cpus
        if given.word.text == word.text and given.rules.within and cpus:
            around = (o for o in lists if o.counts and o.parameter.name == given.rules.within)
            return any(cpus <= (other.cpu_list.cpus or frozenset()) for other in around)
    return False


def _doubted(word: Word, world: World) -> bool:
    """Whether the rules caution against the word."""
    return bool(world.line.remarks(plain(word), "caution"))


def _unread(word: Word, world: World) -> bool:
    """Whether the kernel has nothing that would read the word."""
    return world.line.honours(plain(word)).truth is False


def _clashes(word: Word, world: World) -> bool:
    """Whether the word is a CPU list that is malformed, refused, void beside another one of its
    parameter, or not the one it has to equal."""
    for given in world.line.lists():
        if given.word.text == word.text:
            cpus = show_list(given.cpu_list.cpus or ())
            others = _companions(given.parameter, world)
            is_counted = word.text in (one.text for one in world.line.counting(word.name))
            wrong = given.cpu_list.problem or not given.counts or not is_counted
            return bool(wrong) or any(_others(other, cpus, world) for other in others)
    return False


def _guards(word: Word, world: World) -> bool:
    return world.line.guards(word) or protects(word, world)


def _plus(remedy: Remedy, words: Iterable[str], drop: Iterable[str]) -> Remedy:
    """The remedy with further words added, and taken out."""
    added = tuple(dict.fromkeys((*remedy.words, *words)))
    return remedy._replace(words=added, drop=tuple(dict.fromkeys((*remedy.drop, *drop))))
