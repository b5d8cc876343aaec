"""Tries a change: whether a tunable comes to a wanted value with it, and what stands against that.

No remedy is worked out to its end: it is proposed, tried on a copy of the subject, and words of the
boot line that keep the value from being as wanted are taken out until it is, or none is left.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from advisor.engine.effective.builtin_cmdline import place_of_built_in, without_words
from advisor.engine.effective.group_state import words_against
from advisor.engine.effective.world import World
from advisor.engine.remedy.what_if import cleared, merged, rebooted
from advisor.model.kernel import Layer
from advisor.model.report import Change, Remedy, RemedyKind, Role, State
from advisor.model.rules import Tunable
from advisor.record import NamedTuple

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
    words = [w for w in after.line.words if w.text in texts and not after.line.guards(w)]
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
