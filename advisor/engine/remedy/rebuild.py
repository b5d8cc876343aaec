"""The Kconfig changes that give a wanted value, with choices and dependencies resolved.

They are worked out on a copy of the configuration (Overlay), by the tree where there is one, else
from the rules' own facts, and offered only if the copy then reads as wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from advisor.engine.effective.group_state import is_hidden, kept_out
from advisor.engine.effective.overlay import Overlay
from advisor.engine.effective.world import World
from advisor.engine.remedy.blocked import Attempt, Blocked
from advisor.engine.remedy.dependencies import (
    assignments,
    completed,
    is_here,
    of_way,
    other_members,
    set_changes,
    with_tools,
)
from advisor.engine.remedy.in_tree import proven
from advisor.engine.remedy.modules import as_modules, brought_along, of_group
from advisor.engine.remedy.what_if import Goal, moved, without_opposing, world_with
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.kernel import Word
from advisor.model.profile import REQUIREMENT
from advisor.model.remedy import Change, Remedy, RemedyKind, Role, spelled_out
from advisor.model.tunable import LIST, Member, Tunable, Value

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
                outcome = Blocked(f"{asked} alone does not set the value {name}{why}")
        if isinstance(outcome, Remedy):
            return outcome
        blocked, is_so = blocked or outcome, is_so or outcome is None
        if is_so and not alone:
            return None
    return None if is_so else blocked


def _required(tunable: Tunable, name: str, world: World) -> Remedy | Blocked:
    """The Kconfig changes after which a function of a program works, as far as they do it."""
    from advisor.engine.remedy.conditions import remedy

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
    """Return a way as a remedy, with the words that prevent it out of the built-in line."""
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
        return Blocked(f"{', '.join(kept)} must stay as it is (--keep)")
    return remedy


# --- groups ---------------------------------------------------------------------------------------


_Wanted = list[tuple[Member, list[Change]]]


def group_changes(tunable: Tunable, name: str, world: World) -> tuple[Attempt, tuple[str, ...]]:
    """The changes for every member that can be had, and what stands against the others."""
    wanted = _members_to_switch(tunable, name, world)
    left: list[str] = []
    outcome: Attempt = ()
    if not world.subject.tree:
        # Members may select one another: each is tried beside all the others, those that fail go.
        for item in list(wanted):
            outcome = with_tools(partial(completed, _joined(wanted), item[0].requires, ()), world)
            if isinstance(outcome, Blocked):
                wanted.remove(item)
                left.append(f"{item[0].symbol}: {outcome.reason}")
    while wanted:
        outcome = _together(tunable, wanted, world)
        if not (world.subject.tree and isinstance(outcome, Blocked)):
            break
        # A tree names the first member that cannot be had beside the others.
        wanted.remove(_culprit(tunable, wanted, outcome, world))
        left.append(outcome.reason)
    reasons = tuple(dict.fromkeys(left))
    if not wanted:
        words = kept_out(tunable, world).values() if name == "on" else ()
        none = _kept(words) or "this kernel offers no option for this setting"
        return Blocked("; ".join(reasons) or none), reasons
    if name != "on" or isinstance(outcome, Blocked):
        return outcome, reasons
    # What the changes open comes as well, until nothing moves, as far as all can be had together.
    while more := _opened(tunable, wanted, outcome, world):
        further = _together(tunable, wanted + more, world)
        if not further or isinstance(further, Blocked):
            break
        wanted, outcome = wanted + more, further
    return _unless_kept_out(tunable, outcome, reasons, world)


def _members_to_switch(tunable: Tunable, name: str, world: World) -> _Wanted:
    """The members that are not as wanted, each with its lines. Where no line shows one, those that
    are hidden by something that is off and offered, as all tracers are without FTRACE."""
    wanted = []
    for member in world.members(tunable):
        pairs = _member_assignments(member, name, world) if member.symbol else ()
        if changes := assignments(pairs, world):
            changes += _menu(member, world)
            wanted.append((member, changes + other_members(tunable, changes, world)))
    # What other changes of a plan make visible says nothing of the rest.
    shown = any(world.config.get(change.symbol) for _, (change, *_) in wanted)
    for member in () if shown or name != "on" or world.subject.tree else world.members(tunable):
        needs = condition.symbols(member.requires) if member.when is None else ()
        off = any(world.config.get(world.spelled(symbol)) == "n" for symbol in needs)
        unseen = off and world.config.get(world.spelled(member.symbol)) is None
        if any(member is other for other, _ in wanted):
            continue
        if unseen and not world.is_elsewhere(world.spelled(member.symbol)):
            wanted.append((member, assignments(((member.symbol, "y"),), world)))
    return wanted


def _unless_kept_out(
    tunable: Tunable, changes: tuple[Change, ...], left: tuple[str, ...], world: World
) -> tuple[Attempt, tuple[str, ...]]:
    """The changes, with the words of the line that keep modules out; none where all are kept."""
    built = Overlay(world.config, {c.symbol: c.new for c in changes}, world.subject.tree)
    kept = kept_out(tunable, World(world.subject._replace(config=built), world.knowledge))
    symbols = {world.spelled(symbol): word for symbol, word in kept.items()}
    asked = [change.symbol for change in changes if change.role is Role.ASKED]
    if asked and symbols.keys() >= set(asked):
        return Blocked(_kept(kept.values())), left
    return changes, (*left, *(f"{symbol}: {_kept((word,))}" for symbol, word in symbols.items()))


def _kept(words: Iterable[Word]) -> str:
    """That these words keep modules out."""
    texts = dict.fromkeys(word.text for word in words)
    named = " and ".join(texts)
    return f"with {named}, the kernel does not load modules" * bool(texts)


def _together(tunable: Tunable, wanted: _Wanted, world: World) -> Attempt:
    """The changes of all these members with their dependencies, by the tree or else the rules."""
    changes = _joined(wanted)
    needs = {world.spelled(member.symbol): member.requires for member, _ in wanted}
    if world.subject.tree:  # it would make what a member needs y where that is m
        lines = as_modules(of_group(changes, tunable, world), needs, world)
        return proven([*lines], world, modules=True)
    required = [requires for requires in needs.values() if requires is not None]
    outcome = completed(changes, ["&", *required] if required else None, (), world)
    if isinstance(outcome, Blocked):
        return outcome
    outcome = as_modules(of_group(outcome, tunable, world), needs, world)
    return as_modules(brought_along(outcome, world), needs, world)


def _opened(
    tunable: Tunable, wanted: _Wanted, changes: tuple[Change, ...], world: World
) -> _Wanted:
    """The members that no line of a whole configuration shows, but that these changes open."""
    if not world.config.complete:
        return []
    after, taken = world_with(world, changes), [member for member, _ in wanted]
    return [
        (member, [Change(symbol, None, "y", Role.ASKED), *_menu(member, after)])
        for member in world.members(tunable)
        for symbol in (world.spelled(member.symbol),)
        if member.symbol and member.when is None and member not in taken
        if world.config.get(symbol) is None
        if _is_open(symbol, member.requires, world, world_with(after, _menu(member, after)))
    ]


def _menu(member: Member, world: World) -> list[Change]:
    """The menus that hide a member, where a plan opens them and no line is about them yet."""
    menus = () if world.subject.tree else map(world.spelled, member.behind.split())
    unseen = [menu for menu in menus if world.config.get(menu) is None]
    if not unseen or not moved(condition.symbols(member.requires), world):
        return []
    return [Change(one, None, "y", Role.DEPENDENCY) for one in unseen if is_here(one, world)]


def _is_open(symbol: str, requires: Expr, world: World, after: World) -> bool:
    """Whether a symbol without a line is off and offered `after` changes."""
    if after.subject.tree:
        return after.config.get(symbol) == "n"
    if requires is None or world.evaluate(requires) is not False:
        return False
    opened = after.config.get(symbol) is None and after.evaluate(requires) is True
    # Of a choice that opens one member is on by default.
    return opened and not world.knowledge.siblings(symbol) and is_here(symbol, world)


def _culprit(
    tunable: Tunable, wanted: _Wanted, outcome: Blocked, world: World
) -> tuple[Member, list[Change]]:
    """The member that cannot be had: named by the tree, or the one without which the rest can."""
    for item in wanted:
        if any(change.symbol == outcome.symbol for change in item[1]):
            return item
    # The tree's word may be of a symbol that none of them asks for: then by trying.
    for item in wanted:
        others = [other for other in wanted if other is not item]
        if not isinstance(_together(tunable, others, world), Blocked):
            return item
    return wanted[0]


def _joined(parts: Iterable[tuple[Member, list[Change]]]) -> list[Change]:
    return [change for _, changes in parts for change in changes]


def _member_assignments(member: Member, name: str, world: World) -> tuple[Assignment, ...]:
    symbol = world.spelled(member.symbol)
    value = world.config.get(symbol)
    if name == "on" and member.when is not None and world.evaluate(member.when) is True:
        return ()  # by another member of its choice, say
    # Without a line it can have one if its menu is off, or if what it needs has moved.
    comes = is_hidden(member, world) or moved(condition.symbols(member.requires), world)
    if name == "on" and (value == "n" or (value is None and comes)):
        return ((symbol, "y"),)
    if member.when is None:
        # What this kernel does not offer is no reason to withhold the rest.
        is_on = value in ("y", "m") or (value is None and world.symbol(symbol) == "y")
        return ((symbol, "n"),) if name == "off" and is_on else ()
    if name == "off" and world.evaluate(member.when) is not True:
        return ()
    old, new = ("n", "y") if name == "on" else ("y", "n")
    for gate in map(world.spelled, reversed(condition.symbols(member.when))):
        # Supposed, not proven: other members may have to change with it.
        supposed = Overlay(world.config, {gate: new})
        after = World(world.subject._replace(config=supposed, tree=None), world.knowledge)
        if world.config.get(gate) == old and after.evaluate(member.when) is (name == "on"):
            return ((gate, new),)
    return ()
