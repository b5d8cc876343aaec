"""The world after a change: after a rebuild, a boot with another line, or a setting at run time.

No remedy is worked out to its end: it is proposed, tried on a copy of the subject, and words of the
boot line that keep the value from being as wanted are taken out until it is, or none is left.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from advisor.engine.effective.group_state import words_against
from advisor.engine.effective.overlay import Overlay
from advisor.engine.effective.run_time import of_machine
from advisor.engine.effective.world import World
from advisor.inputs.builtin_cmdline import place_of_built_in, without_words
from advisor.model.cmdline import parameter_name, parse_cmdline
from advisor.model.kernel import CommandLine, Layer, Location
from advisor.model.remedy import Change, Remedy, RemedyKind, Role, Setting
from advisor.model.state import State
from advisor.model.subject import Subject
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple


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


# --- goals ----------------------------------------------------------------------------------------


Test = Callable[[str], bool]


class Goal(NamedTuple):
    """A tunable of a world, and the test of the values that it shall have."""

    tunable: Tunable
    good: Test
    world: World

    def after(self, remedy: Remedy) -> State | None:
        """Return the state of the tunable after a boot with the change, without deciding lines."""
        return rebooted(self.world, remedy).value(self.tunable.id)

    def is_met_by(self, remedy: Remedy) -> bool:
        """Tell whether every possible value is a good one after a boot with the change.

        Of a group in a file that is not whole, only the members that the file names count.
        """
        after = self.after(remedy)
        is_group = self.tunable.kind == "group" and self.good(remedy.value)
        if after and after.effective and is_group and not self.world.config.complete:
            wrong = after.off if remedy.value == "on" else after.on
            return bool(remedy.words or remedy.drop) and not wrong
        return self.is_met_in(after)

    def is_met_in(self, state: State | None) -> bool:
        """Tell whether every value that a state leaves possible is a good one."""
        values = state.effective if state else ()
        return bool(values) and all(map(self.good, values))

    def may_be_met_by(self, remedy: Remedy) -> bool:
        """Tell whether some possible value is a good one after a boot with the change."""
        after = self.after(remedy)
        return after is None or not after.effective or any(map(self.good, after.effective))


def with_words(value: str, words: tuple[str, ...], world: World) -> Remedy:
    """Return the remedy that adds words to the boot line, in place of others of their parameters.

    The first word on an empty boot line replaces a built-in line that is a fallback: its words are
    repeated.
    """
    if not replaces_built_in(world):
        own = [word.text for word in world.line.own()]
        stay = {*cleared(own, words, world), *words}
        drop = tuple(dict.fromkeys(text for text in own if text not in stay))
        return Remedy(RemedyKind.BOOT, value, words=words, drop=drop)
    built_in = [word.text for word in world.line.words]
    whole = tuple(merged(built_in, words, world))
    # Where a line was told, it surely is empty, and the words are new on it.
    repeats = () if world.subject.cmdline else tuple(w for w in whole if w not in words)
    return Remedy(RemedyKind.BOOT, value, words=whole, repeats=repeats)


def replaces_built_in(world: World) -> bool:
    """Tell whether the built-in line counts, and would not beside any word on the boot line."""
    fallback = place_of_built_in(world.subject) == "fallback"
    return fallback and bool(world.line.words) and not world.line.own()


def without_opposing(
    remedy: Remedy, goal: Goal, is_enough: Callable[[Remedy], bool] | None = None
) -> Remedy:
    """Return the remedy that also takes out the words which decide against the goal.

    Round by round, until the remedy `is_enough` (meets the goal) or nothing is left to take out:
    behind idle=halt, nohz=off may stand in the way of the same end. No word that guards is taken.
    """
    while not (is_enough or goal.is_met_by)(remedy):
        after = rebooted(goal.world, remedy)
        longer = _without(remedy, _opposing(remedy, goal, after), after, goal.world)
        if longer == remedy:
            break
        remedy = longer
    return remedy


def without_deciding(remedy: Remedy, goal: Goal) -> Remedy:
    """Return the remedy that also takes out the words which decide against the goal now, be it that
    the remedy would overrule them: of two that contradict each other one is enough."""
    return _without(remedy, _opposing(remedy, goal, goal.world), goal.world, goal.world)


def _opposing(remedy: Remedy, goal: Goal, after: World) -> set[str]:
    """Return the texts of the inputs that decide against the value of a remedy."""
    if not after.line.words:
        return set()  # nothing can be taken out
    state = after.state(goal.tunable.id)
    if state is None:
        return set()
    wrong = state.on if remedy.value == "off" else state.off
    origins = (*state.origins, *(origin for _, origin in wrong))
    texts = {text for origin in origins for text in origin.text.split(" and ")}
    if goal.tunable.kind == "group":
        texts |= {word.text for word in words_against(goal.tunable, remedy.value, state, after)}
    built_in = {word.text for word in goal.world.line.words if word.layer is Layer.BUILT_IN}
    return texts - (set(remedy.words) - built_in)


def _without(remedy: Remedy, texts: set[str], after: World, world: World) -> Remedy:
    """Return the remedy that takes words of these texts out of the lines, too."""
    # Words that guard stay, and nobody can take out what firmware adds.
    words = [
        word
        for word in after.line.words
        if word.text in texts and not (after.line.guards(word) or world.is_added(word.text))
    ]
    built_in = {word.text for word in words if word.layer is Layer.BUILT_IN}
    if remedy.kind is RemedyKind.REBUILD and built_in:
        old, now = world.config.get("CMDLINE"), after.config.get("CMDLINE") or '""'
        change = Change("CMDLINE", old, without_words(now, built_in), Role.ASKED)
        others = (one for one in remedy.changes if one.symbol != "CMDLINE")
        remedy = remedy._replace(changes=(*others, change))
    elif replaces_built_in(world):
        gone = {word.text for word in words}
        shown = remedy.words or tuple(word.text for word in world.line.words)
        kept = tuple(text for text in shown if text not in gone)
        # Where none is kept the line stays empty, and the built-in one counts.
        repeats = tuple(text for text in remedy.repeats if text not in gone)
        return remedy._replace(words=kept, repeats=repeats) if kept and gone else remedy
    dropped = {*remedy.drop, *(word.text for word in words if word.layer is Layer.BOOT)}
    return remedy._replace(drop=in_order(dropped, world))


def in_order(texts: Container[str], world: World) -> tuple[str, ...]:
    """Return those words of the boot loader's line that are among these, as the line has them."""
    own = (word.text for word in world.line.own())
    return tuple(dict.fromkeys(text for text in own if text in texts))
