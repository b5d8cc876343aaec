"""The world after a change: after a rebuild, a boot with another line, or a setting at run time."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.engine.effective.overlay import Overlay
from advisor.engine.effective.run_time import of_machine
from advisor.engine.effective.world import World
from advisor.model.cmdline import parameter_name, parse_cmdline
from advisor.model.kernel import CommandLine, Location
from advisor.model.report import Change, Remedy, RemedyKind, Setting
from advisor.model.subject import Subject


def world_with(world: World, changes: Iterable[Change]) -> World:
    """The world as it would be with these changes, without its boot line and run-time settings."""
    # A fragment is for whoever boots the kernel, with whatever line: it decides by itself.
    return _rebuilt(world, world.subject.anew()._replace(cmdline=None), tuple(changes))


def moved(symbols: Iterable[str], world: World) -> bool:
    """Tell whether the changes of this world set one of these symbols."""
    config = world.config
    return isinstance(config, Overlay) and any(config.moves(world.spelled(s)) for s in symbols)


def _rebuilt(world: World, subject: Subject, changes: tuple[Change, ...]) -> World:
    """Return the world of a subject whose kernel is built with these changes."""
    lines = {change.symbol: change.new for change in changes}
    config = Overlay(world.config, lines, world.subject.tree)
    # What lines bring by default a tree tells; without one, the rules do.
    opened = world.opened
    if not world.subject.tree:
        opened |= {c.symbol for c in changes if c.old in (None, "n") and c.new in ("y", "m")}
    return world.after(subject._replace(config=config), opened)


def rebooted(world: World, remedy: Remedy) -> World:
    """The world after a boot of the changed kernel with the changed line, before anything is set at
    run time.

    It is made once, and keeps what it found: remedies are tried, judged, and held against others.
    """
    subject = world.subject
    told = subject.sysctl or subject.sysfs or subject.lacking or subject.closed
    if not (remedy.words or remedy.drop or remedy.changes or told):
        return world  # nothing is another thing then, and all that was found holds
    change = ("booted", remedy.words, remedy.drop, remedy.changes)
    if change not in world.changed:
        line = subject.cmdline or CommandLine("")
        kept = [word.text for word in world.line.own() if word.text not in remedy.drop]
        text = " ".join(merged(kept, remedy.words, world))
        changed = parse_cmdline(text, line.name)._replace(init=line.init, part=line.part)
        after = subject.anew(of_machine(subject.sysfs))._replace(cmdline=changed)
        world.changed[change] = (
            _rebuilt(world, after, remedy.changes) if remedy.changes else world.after(after)
        )
    return world.changed[change]


def followed(world: World, remedy: Remedy) -> World:
    """Return the world once a remedy is followed."""
    if remedy.kind is RemedyKind.RUNTIME:
        return with_settings(world, remedy.settings)
    return rebooted(world, remedy)


def with_settings(world: World, settings: Iterable[Setting]) -> World:
    """The world with these written at run time; made once, likewise."""
    written = tuple(settings)
    change = ("written", written)
    if change not in world.changed:
        subject = world.subject
        sysctl, sysfs = dict(subject.sysctl), dict(subject.sysfs)
        for setting in written:
            table = sysctl if setting.layer == "sysctl" else sysfs
            table[setting.key] = setting.value, Location(setting.key)
        world.changed[change] = world.after(subject._replace(sysctl=sysctl, sysfs=sysfs))
    return world.changed[change]


def merged(line: list[str], words: Iterable[str], world: World) -> list[str]:
    """The line with further words, each in the place of all that its parameter had."""
    for word in words:
        line = [*cleared(line, [word], world), word]
    return line


def cleared(line: list[str], words: Iterable[str], world: World) -> list[str]:
    """The line without what further words stand in the place of."""
    for word in words:
        names = set(world.knowledge.spellings(parameter_name(word)))
        line = [
            old
            for old in line
            if (name := parameter_name(old)) not in names or _beside(old, name, word, world)
        ]
    return line


def _beside(old: str, name: str, new: str, world: World) -> bool:
    """Whether a parameter takes both words."""
    parameter = world.knowledge.parameter(name)
    # cgroup_disable= and the like add up; hugepages= counts for each hugepagesz=.
    several = parameter and parameter.duplicates in ("accumulate", "sized", "reserving")
    return bool(several) and old != new
