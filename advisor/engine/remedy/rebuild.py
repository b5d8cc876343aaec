"""The Kconfig changes that give a wanted value, with choices and dependencies resolved.

They are worked out on a copy of the configuration (Overlay), by the tree where there is one, else
from the rules' own facts, and offered only if the copy then reads as wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from advisor.engine.effective.world import World
from advisor.engine.remedy.blocked import Attempt, Blocked
from advisor.engine.remedy.dependencies import (
    of_way,
    set_changes,
    with_tools,
)
from advisor.engine.remedy.goals import Goal, without_opposing
from advisor.engine.remedy.group_rebuild import group_changes
from advisor.engine.remedy.what_if import world_with
from advisor.model.report import Remedy, RemedyKind, Role, spelled_out
from advisor.model.rules import LIST, REQUIREMENT, Tunable, Value

if TYPE_CHECKING:
    from advisor.model.tree import Assignment


def rebuild(
    tunable: Tunable, name: str, world: World, alone: bool = True
) -> Remedy | Blocked | None:
    """The Kconfig changes that give a value; Blocked with the cause; None if Kconfig has no say.

    Of several ways it is the first that can be had and, unless it is not to do so `alone`, reads as
    wanted then; one that is so already may not be what the line asks for.
    """
    if tunable.kind == REQUIREMENT:
        return _required(tunable, name, world)
    # No line gives another value than what is built where that is final, as the rules may know; of
    # nearly all they do not, and what is built is not looked up for it.
    final = {value.name: value.final for value in tunable.values if value.final}
    built = world.built(tunable).values if final else ()
    if built and all(one != name and one in final for one in built):
        return Blocked(final[built[0]])
    wanted = name.partition("..")[0]
    goal = Goal(tunable, lambda value: value == wanted, world_with(world, ()))
    blocked: Blocked | None = None
    is_so = False
    for attempt, left in _attempts(tunable, name, world):
        outcome = _tried(goal, name, attempt, left)
        if alone and isinstance(outcome, Remedy) and tunable.kind != "group":
            state = goal.after(outcome)
            if not (state and wanted in state.effective):
                why = f": {state.why}" if state and state.why else ""
                asked = spelled_out(c for c in outcome.changes if c.role is Role.ASKED)
                outcome = Blocked(f"{asked} alone does not make it {name}{why}")
        if isinstance(outcome, Remedy):
            return outcome
        blocked, is_so = blocked or outcome, is_so or outcome is None
        if is_so and not alone:
            return None
    return None if is_so else blocked


def _required(tunable: Tunable, name: str, world: World) -> Remedy | Blocked:
    """The Kconfig changes after which a function of a program works, as far as they do it."""
    from advisor.engine.remedy.required import remedy

    def built(other: Tunable, names: tuple[str, ...], world: World) -> Remedy | tuple[str, ...]:
        outcomes = [rebuild(other, one, world) for one in names]
        made = (one for one in outcomes if isinstance(one, Remedy))
        return next(made, tuple(one.reason for one in outcomes if isinstance(one, Blocked)))

    return remedy(Goal(tunable, lambda value: value == name, world), built)


def _attempts(
    tunable: Tunable, name: str, world: World
) -> Iterator[tuple[Attempt, tuple[str, ...]]]:
    """The changes for each way to a value, and what stands against members of a group."""
    if tunable.kind == "group":
        yield group_changes(tunable, name, world)
        return
    value = tunable.value(name)
    ways = value.sets if value else ()
    if tunable.symbol and value is None:
        ways = (((tunable.symbol, name.partition("..")[0]),),)
        value = Value(name, requires=tunable.requires)
    tried: list[tuple[set[str], str]] = []
    for pairs in _usable(ways, world):
        attempt = with_tools(partial(set_changes, tunable, value or Value(name), pairs), world)
        symbols = {symbol for symbol, _ in pairs}
        # A way without what this architecture does not have tells so, and why that is.
        parts = ((", ".join(sorted(more - symbols)), why) for more, why in tried if symbols < more)
        less = value is not None and of_way(value, pairs) != value.requires
        yield attempt, tuple(f"{names}: {why}" for names, why in parts) if less else ()
        # That a line of the way itself has no place here is no news to anybody.
        if isinstance(attempt, Blocked) and attempt.against and not attempt.planned:
            tried.append((symbols, attempt.reason))
    if not ways:
        yield (), ()  # a built-in line may have a word against it all the same


def _usable(
    ways: tuple[tuple[Assignment, ...], ...], world: World
) -> Iterator[tuple[Assignment, ...]]:
    """The ways without those that set what surely only other kernels have, or that add to a list
    which this configuration does not show; all, where no other is left.

    One by one: what other kernels have is asked of the catalogue, which few audits have to read.
    """

    def present(pairs: tuple[Assignment, ...]) -> bool:
        # What these switch on is shown, or may be hidden by what it needs.
        names = (world.spelled(symbol) for symbol, value in pairs if value != "n")
        return all(
            world.config.get(name) is not None or not world.is_elsewhere(name) for name in names
        )

    def shown(pairs: tuple[Assignment, ...]) -> bool:
        lists = (symbol for symbol, value in pairs if value.startswith(LIST))
        return all(world.config.get(world.spelled(symbol)) is not None for symbol in lists)

    several = len(ways) > 1 and not world.subject.tree
    here = usable = False
    for pairs in ways:
        if not several or present(pairs):
            here = True
            if shown(pairs):
                usable = True
                yield pairs
    if not usable:
        yield from ways if here else tuple(filter(shown, ways)) or ways


def _tried(
    goal: Goal, name: str, attempt: Attempt, left: tuple[str, ...]
) -> Remedy | Blocked | None:
    """Return a way as a remedy, with the words that stand against it out of the built-in line."""
    remedy = Remedy(RemedyKind.REBUILD, name, left=left)
    if not isinstance(attempt, Blocked):
        remedy = remedy._replace(changes=attempt)
    elif goal.tunable.kind != "group":
        return attempt
    if goal.world.config.get("CMDLINE") is not None:
        remedy = without_opposing(remedy, goal)
    if not remedy.changes:
        return attempt if isinstance(attempt, Blocked) else None
    keep = goal.world.subject.keep
    if kept := [change.symbol for change in remedy.changes if change.symbol in keep]:
        return Blocked(f"{', '.join(kept)} shall stay as it is (--keep)")
    return remedy
