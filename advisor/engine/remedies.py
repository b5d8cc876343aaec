"""The ways to a wanted value without a rebuild: at run time, and on the boot line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from advisor.engine.state import World
from advisor.model.cmdline import parse_cmdline
from advisor.model.condition import Expr
from advisor.model.kernel import CommandLine, Layer
from advisor.model.report import Remedy, RemedyKind, Setting, State
from advisor.model.rules import Member, Tunable, filled

if TYPE_CHECKING:
    from advisor.model.tree import Assignment

Test = Callable[[str], bool]


def runtime_remedy(tunable: Tunable, name: str, world: World) -> Remedy | None:
    """The run-time path to a value, where this kernel has it."""
    pairs, when = _runtime_path(tunable, name)
    if not pairs or world.evaluate(when) is False:
        return None
    return Remedy(RemedyKind.RUNTIME, name, settings=tuple(Setting(*pair) for pair in pairs))


def _runtime_path(tunable: Tunable, name: str) -> tuple[list[Assignment], Expr]:
    value = tunable.value(name)
    if value is not None:
        return [*value.sysctl, *value.sysfs], value.runtime_when
    if name == tunable.default and not name[:1].isdigit():
        return [], None  # "the kernel's own choice" is nothing that can be written
    number = name.partition("..")[0]
    return [(path, number) for path in (tunable.sysctl, tunable.sysfs) if path], None


def boot_change(
    tunable: Tunable, targets: Iterable[str], state: State, good: Test, world: World
) -> Remedy | None:
    """The change of the boot line that gives a wanted value: dropping words, or adding some."""
    for remedy in _boot_candidates(tunable, targets, state, world):
        after = rebooted(world, remedy).state(tunable.id)
        if after and after.effective and all(map(good, after.effective)):
            return remedy
    return None


def _boot_candidates(
    tunable: Tunable, targets: Iterable[str], state: State, world: World
) -> Iterable[Remedy]:
    drop = _given(world, (origin.text for origin in state.origins))
    if drop:
        value = next(iter(world.built(tunable).values), "")
        yield Remedy(RemedyKind.BOOT, value, drop=drop)
    for name in targets:
        if tunable.kind == "group":
            yield from _group_words(tunable, name, state, world)
        elif words := boot_words(tunable, name, world):
            yield Remedy(RemedyKind.BOOT, name, words=words, drop=drop)


def _given(world: World, texts: Iterable[str]) -> tuple[str, ...]:
    """Those of the words that stand on the user's own line, not in the built-in one."""
    own = {word.text for word in world.line.own()}
    return tuple(text for text in texts if text in own)


def _group_words(tunable: Tunable, name: str, state: State, world: World) -> Iterable[Remedy]:
    """Every member that is not as wanted, switched on the boot line; none if one cannot be."""
    wrong = dict(state.on if name == "off" else state.off)
    words: list[str] = []
    drop: list[str] = []
    for member in tunable.members:
        origin = wrong.get(member.symbol)
        if origin is None:
            continue
        switches = member.boot_off if name == "off" else member.boot_on
        if origin.layer is Layer.BOOT:
            drop += _against(member, name, world)
        elif switches and world.line.honours(switches[0]).truth is True:
            words.append(world.line.spell(switches[0]))
        else:
            return
    # One word may decide several members.
    words, drop = list(dict.fromkeys(words)), list(dict.fromkeys(drop))
    yield Remedy(RemedyKind.BOOT, name, words=tuple(words), drop=tuple(drop))


def _against(member: Member, name: str, world: World) -> Iterable[str]:
    """All words of the user's line that keep the member from being `name`; there may be several."""
    for switch in member.boot_on if name == "off" else member.boot_off:
        yield from (w.text for w in world.line.matching(switch) if w.layer is Layer.BOOT)


def boot_words(tunable: Tunable, name: str, world: World) -> tuple[str, ...]:
    """The words that give a value on this kernel's boot line; empty where it would ignore them."""
    value = tunable.value(name)
    words = _spelled(tunable, name, world)
    allowed = world.evaluate(value.boot_when) if value else True
    if allowed is not True or any(world.line.honours(w).truth is not True for w in words):
        return ()
    return words


def _spelled(tunable: Tunable, name: str, world: World) -> tuple[str, ...]:
    """The words for a value, under the names that this kernel knows."""
    value = tunable.value(name)
    words = [filled(word, world.subject.machine) for word in (value.boot if value else ())]
    plain = tuple(word for word in words if word)
    if len(plain) < len(words):
        return ()
    if value is None and tunable.parameter and _can_be_given(tunable, name):
        plain = (f"{tunable.parameter}={name.partition('..')[0]}",)
    return tuple(map(world.line.spell, plain))


def unheard(tunable: Tunable, names: Iterable[str], world: World) -> list[str]:
    """Why this kernel would not follow the words for these values."""
    found = []
    for word in dict.fromkeys(word for name in names for word in _spelled(tunable, name, world)):
        ruling = world.line.honours(word)
        if ruling.truth is False:
            found.append(f"{word} {ruling.reason}" if ruling.cause != "void" else ruling.reason)
    return found


def _can_be_given(tunable: Tunable, name: str) -> bool:
    """Whether a value stands on the boot line as it is: a number, or a list of CPUs."""
    return name[:1].isdigit() or (tunable.kind == "list" and name != tunable.default)


def rebooted(world: World, remedy: Remedy) -> World:
    """The world after a boot with the changed line, before anything is set at run time."""
    line = world.subject.cmdline or CommandLine("")
    kept = [word.text for word in world.line.own() if word.text not in remedy.drop]
    text = " ".join(merged(kept, remedy.words, world))
    changed = parse_cmdline(text, line.name)._replace(init=line.init)
    return World(world.subject._replace(cmdline=changed, sysctl={}), world.knowledge)


def merged(line: list[str], words: Iterable[str], world: World) -> list[str]:
    """The line with further words, each in the place of all that its parameter had."""
    for word in words:
        line = [*cleared(line, [word], world), word]
    return line


def cleared(line: list[str], words: Iterable[str], world: World) -> list[str]:
    """The line without what further words stand in the place of."""
    for word in words:
        names = set(world.knowledge.spellings(_name(word)))
        line = [
            old
            for old in line
            if (name := _name(old)) not in names or _beside(old, name, word, world)
        ]
    return line


def _name(word: str) -> str:
    return word.partition("=")[0].removeprefix('"').replace("-", "_")


def _beside(old: str, name: str, new: str, world: World) -> bool:
    """Whether a parameter takes both words."""
    parameter = world.knowledge.parameter(name)
    several = parameter and (parameter.duplicates == "accumulate" or parameter.anew)
    return bool(several) and old != new
