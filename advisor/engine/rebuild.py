"""The Kconfig changes that give a wanted value, with choices and dependencies resolved.

They are worked out on a copy of the configuration (Overlay), by the tree where there is one, else
from the rules' own facts, and offered only if the copy then reads as wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.engine.impossible import is_capability
from advisor.engine.joining import without
from advisor.engine.members import words_against
from advisor.engine.overlay import Overlay, world_with
from advisor.engine.state import World
from advisor.model import condition
from advisor.model.condition import Expr, Term
from advisor.model.kernel import Layer, is_text, parse_version
from advisor.model.report import Change, Remedy, RemedyKind, Role
from advisor.model.rules import Member, Tunable, Value
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.knowledge.store import Provider
    from advisor.model.tree import Assignment, Lines, TreeOracle


class Blocked(NamedTuple):
    """Why a value cannot be had, and the symbol in the way where a tree tells it: whether there is
    no such thing in this release, and the symbols of which the configuration says nothing."""

    reason: str
    symbol: str = ""
    absent: bool = False
    lacking: tuple[str, ...] = ()


Attempt = tuple[Change, ...] | Blocked
"""The changes that give a value, none where it is so already; or why it cannot be had."""


def rebuild(
    tunable: Tunable, name: str, world: World, alone: bool = True
) -> Remedy | Blocked | None:
    """The Kconfig changes that give a value; Blocked with the cause; None if Kconfig has no say.

    Of several ways it is the first that can be had and, unless it is not to do so `alone`, reads as
    wanted then; one that is so already may not be what the line asks for.
    """
    blocked: Blocked | None = None
    is_so = False
    for attempt, left in _attempts(tunable, name, world):
        outcome = _tried(tunable, name, attempt, left, world)
        if alone and isinstance(outcome, Remedy):
            outcome = _enough(outcome, tunable, world)
        if isinstance(outcome, Remedy):
            return outcome
        blocked, is_so = blocked or outcome, is_so or outcome is None
        if is_so and not alone:
            return None
    return None if is_so else blocked


def _attempts(
    tunable: Tunable, name: str, world: World
) -> Iterator[tuple[Attempt, tuple[str, ...]]]:
    """The changes for each way to a value, and what stands against members of a group."""
    if tunable.kind == "group":
        yield _group_changes(tunable, name, world)
        return
    value = tunable.value(name)
    ways = value.sets if value else ()
    if tunable.symbol and value is None:
        ways = (((tunable.symbol, name.partition("..")[0]),),)
        value = Value(name, requires=tunable.requires)
    tried: list[tuple[set[str], str]] = []
    for pairs in _usable(ways, world):
        attempt = _set_changes(tunable, value or Value(name), pairs, world)
        symbols = {symbol for symbol, _ in pairs}
        # A way without what this architecture does not have tells so, and why that is.
        parts = ((", ".join(sorted(more - symbols)), why) for more, why in tried if symbols < more)
        less = value is not None and _of_way(value, pairs) != value.requires
        yield attempt, tuple(f"{names}: {why}" for names, why in parts) if less else ()
        # That a line of the way itself has no place here is no news to anybody.
        if isinstance(attempt, Blocked) and attempt.reason.endswith(_AGAINST):
            tried += [] if _OWN in attempt.reason else [(symbols, attempt.reason)]
    if not ways:
        yield (), ()  # a built-in line may have a word against it all the same


def _usable(
    ways: tuple[tuple[Assignment, ...], ...], world: World
) -> tuple[tuple[Assignment, ...], ...]:
    """The ways without those that set what surely only other kernels have, or that add to a list
    which this configuration does not show."""

    def shown(pairs: tuple[Assignment, ...]) -> bool:
        lists = (symbol for symbol, value in pairs if value.startswith(_LIST))
        return all(world.config.get(world.spelled(symbol)) is not None for symbol in lists)

    if len(ways) > 1 and not world.subject.tree:
        ways = tuple(pairs for pairs in ways if _here(pairs, world)) or ways
    return tuple(filter(shown, ways)) or ways


def _here(pairs: tuple[Assignment, ...], world: World) -> bool:
    """Whether each symbol that these switch on is shown, or may be hidden by what it needs."""
    return all(
        value == "n"
        or world.config.get(world.spelled(symbol)) is not None
        or not world.is_elsewhere(world.spelled(symbol))
        for symbol, value in pairs
    )


def _tried(
    tunable: Tunable, name: str, attempt: Attempt, left: tuple[str, ...], world: World
) -> Remedy | Blocked | None:
    """A way as a remedy, if it can be had."""
    words = _built_in_words(tunable, name, world)
    if isinstance(attempt, Blocked):
        # Of a group, the words that can be taken out are no less because an option cannot.
        if tunable.kind != "group" or not words:
            return attempt
        attempt = ()
    changes = (*attempt, *words)
    if not changes:
        return None
    if kept := [change.symbol for change in changes if change.symbol in world.subject.keep]:
        return Blocked(f"{', '.join(kept)} shall stay as it is (--keep)")
    return Remedy(RemedyKind.REBUILD, name, changes=changes, left=left)


def _enough(remedy: Remedy, tunable: Tunable, world: World) -> Remedy | Blocked:
    """The remedy, if the copy of the configuration reads as wanted with it."""
    state = world_with(world, remedy.changes).state(tunable.id)
    wanted = remedy.value.partition("..")[0]
    if tunable.kind == "group" or (state and wanted in state.effective):
        return remedy
    why = f": {state.why}" if state and state.why else ""
    asked = ", ".join(f"{c.symbol}={c.new}" for c in remedy.changes if c.role is Role.ASKED)
    return Blocked(f"{asked} alone does not make it {remedy.value}{why}")


def _built_in_words(tunable: Tunable, name: str, world: World) -> tuple[Change, ...]:
    """The built-in command line without the words that keep the tunable from the value, if it has
    such."""
    state = world_with(world, ()).state(tunable.id)
    origins = state.origins if state else ()
    words = {origin.text for origin in origins if origin.layer is Layer.BUILT_IN}
    if state and tunable.kind == "group":
        against = words_against(tunable, name, state, world)
        words |= {word.text for word in against if word.layer is Layer.BUILT_IN}
    old = world.config.get("CMDLINE")
    if not words or old is None:
        return ()
    return (Change("CMDLINE", old, without(old, words), Role.ASKED),)


def _set_changes(
    tunable: Tunable, value: Value, pairs: tuple[Assignment, ...], world: World
) -> Attempt:
    changes = _assignments(pairs, world)
    if world.subject.tree:
        return _proven(changes, world)
    siblings = _siblings(tunable, changes, world)
    lacking = [c.symbol for c in changes if c.old is None and c.new != "n"]
    if not world.config.complete:
        # A member that a fragment does not name is there unless no such kernel has it.
        if absent := [symbol for symbol in lacking if world.present(symbol) is False]:
            return _not_here(absent[0], world) or Blocked(f"this kernel has no {absent[0]}")
    elif siblings and any(symbol in tunable.choice for symbol in lacking):
        # A member that is not shown may be hidden by what it needs: only where all of that is
        # there already does the choice lack it.
        needed = _requirements(value.requires, world, changes + siblings, depth=0)
        if not needed:
            return Blocked(f"this kernel's choice has no {changes[0].symbol}")
    changes += siblings
    together = [symbol for symbol, _ in pairs]
    requires = _unshown(_of_way(value, pairs), changes, world)
    return _complete(changes, requires, together, world, value.complete)


def _of_way(value: Value, pairs: tuple[Assignment, ...]) -> Expr:
    """What a value needs when these are set for it: not what an architecture must HAVE for a symbol
    that only another way sets, nor what else is asked of that (`!AMD_IOMMU || vendor != intel`)."""
    own = {symbol for symbol, _ in pairs}
    others = {symbol for way in value.sets for symbol, _ in way if symbol not in own}
    if not others or condition.operator_of(value.requires) != "&":
        return value.requires
    parts = condition.operands(value.requires)
    return ["&", *(part for part in parts if not _is_about(part, others))]


def _is_about(part: Expr, symbols: set[str]) -> bool:
    """Whether a requirement is for one of these symbols alone."""
    if not {f"HAVE_{symbol}" for symbol in symbols}.isdisjoint(condition.symbols(part)):
        return True
    first = condition.operands(part)[0] if condition.operator_of(part) == "|" else None
    if first is None or condition.operator_of(first) != "!":
        return False
    return symbols.issuperset(condition.symbols(first))


def _unshown(requires: Expr, changes: list[Change], world: World) -> Expr:
    """A requirement without what the configuration shows to be there, though no line says so: a
    kernel writes that a symbol is not set only where it offers it. What its architecture must have
    for that, and what a later release asks for, is then no question any more.
    """
    asked = {c.symbol: c.old for c in changes if c.role is Role.ASKED and c.new != "n"}
    shown = tuple(f"_{symbol}" for symbol, old in asked.items() if old == "n")
    if not world.config.complete or not shown:
        return requires
    # Of what is hidden yet only what is called like it is known: ARCH_SUPPORTS_CRASH_DUMP.
    return _beside(requires, shown if len(shown) < len(asked) else ("",), world)


def _beside(requires: Expr, ends: tuple[str, ...], world: World) -> Expr:
    tag = condition.operator_of(requires)
    if tag == "on":
        symbol = condition.term(requires)[1]
        return None if symbol.endswith(ends) and _is_capability(symbol, world) else requires
    if tag not in ("&", "|"):
        return requires
    parts = [_beside(part, ends, world) for part in condition.operands(requires)]
    if tag == "|" and None in parts:
        return None
    kept = [part for part in parts if part is not None]
    return [tag, *kept] if kept else None


def _is_capability(symbol: str, world: World) -> bool:
    """Whether no line names what an architecture has, or other releases do."""
    if world.config.get(world.spelled(symbol)) is not None:
        return False
    return is_capability(symbol) or world.is_elsewhere(symbol)


def _offered(symbol: str, requires: Expr, complete: str, world: World) -> bool:
    """Whether the kernel surely asks for the symbol, though no line of the file is about it: it has
    it with a prompt, and what is required, which is here, is all that it needs from the release
    `complete` on. Such a file was written for another kernel, or by hand, and does not tell that
    the option cannot be had."""
    kernel, knowledge = world.subject.kernel, world.knowledge
    if not complete or kernel is None or world.evaluate(requires) is not True:
        return False
    if kernel.numbers < parse_version(complete).numbers:
        return False
    from advisor.knowledge.existence import Standing, standing

    known = standing(symbol, knowledge.catalogue, kernel, world.subject.machine.arch)
    return known.standing is Standing.HERE and not world.never_on(symbol)


def _group_changes(tunable: Tunable, name: str, world: World) -> tuple[Attempt, tuple[str, ...]]:
    """The changes for every member that can be had, and what stands against the others."""
    assigned = (
        (member, _assignments(_member_assignments(member, name, world), world))
        for member in world.members(tunable)
        if member.symbol
    )
    wanted = [
        (member, changes + _siblings(tunable, changes, world))
        for member, changes in assigned
        if changes
    ]
    if world.subject.tree:
        return _proven_group(wanted, world)
    if not wanted and name == "on":
        wanted = [(member, changes) for member, changes in _hidden(tunable, world) if changes]
    left: list[str] = []
    # Members may select one another: each is tried beside all the others, those that fail go.
    for item in list(wanted):
        outcome = _complete(_joined(wanted), item[0].requires, (), world)
        if isinstance(outcome, Blocked):
            wanted.remove(item)
            left.append(f"{item[0].symbol}: {outcome.reason}")
    if not wanted:
        reason = "; ".join(left) or "none of its options is offered by this kernel"
        return Blocked(reason), tuple(left)
    required = [member.requires for member, _ in wanted if member.requires is not None]
    outcome = _complete(_joined(wanted), ["&", *required] if required else None, (), world)
    return outcome, tuple(left)


def _hidden(tunable: Tunable, world: World) -> Iterator[tuple[Member, list[Change]]]:
    """The members that no line shows since something is off which this configuration offers, as all
    tracers are without FTRACE. They are looked for only where none is shown."""
    for member in world.members(tunable):
        needs = condition.symbols(member.requires) if member.when is None else ()
        off = any(world.config.get(world.spelled(symbol)) == "n" for symbol in needs)
        unseen = member.symbol and world.config.get(world.spelled(member.symbol)) is None
        if off and unseen and not world.is_elsewhere(world.spelled(member.symbol)):
            yield member, _assignments(((member.symbol, "y"),), world)


def _proven_group(
    wanted: list[tuple[Member, list[Change]]], world: World
) -> tuple[Attempt, tuple[str, ...]]:
    """Likewise with a tree, which names the first member that cannot be had beside the others."""
    left: list[str] = []
    while wanted:
        outcome = _proven(_joined(wanted), world)
        if not isinstance(outcome, Blocked):
            return outcome, tuple(dict.fromkeys(left))
        wanted.remove(_culprit(wanted, outcome, world))
        left.append(outcome.reason)
    reason = "; ".join(dict.fromkeys(left))
    reason = reason or "none of its options is offered by this kernel"
    return Blocked(reason), tuple(dict.fromkeys(left))


def _culprit(
    wanted: list[tuple[Member, list[Change]]], outcome: Blocked, world: World
) -> tuple[Member, list[Change]]:
    """The member that cannot be had: named by the tree, or the one without which the rest can."""
    for item in wanted:
        if any(change.symbol == outcome.symbol for change in item[1]):
            return item
    # The tree's word may be of a symbol that none of them asks for: then by trying.
    for item in wanted:
        others = [other for other in wanted if other is not item]
        if not isinstance(_proven(_joined(others), world), Blocked):
            return item
    return wanted[0]


def _joined(parts: Iterable[tuple[Member, list[Change]]]) -> list[Change]:
    return [change for _, changes in parts for change in changes]


def _member_assignments(member: Member, name: str, world: World) -> tuple[Assignment, ...]:
    symbol = world.spelled(member.symbol)
    value = world.config.get(symbol)
    if name == "on" and member.when is not None and world.evaluate(member.when) is True:
        return ()  # by another member of its choice, say
    if name == "on" and (
        value == "n" or (value is None and _moved(condition.symbols(member.requires), world))
    ):
        return ((symbol, "y"),)
    if member.when is None:
        # What this kernel does not offer is no reason to withhold the rest.
        is_on = value in ("y", "m") or (value is None and world.symbol(symbol) == "y")
        return ((symbol, "n"),) if name == "off" and is_on else ()
    if name == "off" and world.evaluate(member.when) is not True:
        return ()
    old, new = ("n", "y") if name == "on" else ("y", "n")
    for gate in map(world.spelled, reversed(condition.symbols(member.when))):
        change = Change(gate, old, new, Role.ASKED)
        # Supposed, not proven: other members may have to change with it.
        supposed = Overlay(world.config, [change])
        after = World(world.subject._replace(config=supposed, tree=None), world.knowledge)
        if world.config.get(gate) == old and after.evaluate(member.when) is (name == "on"):
            return ((gate, new),)
    return ()


# Before a name that is added to the list which the configuration has.
_LIST = "...,"


def _assignments(pairs: Iterable[Assignment], world: World) -> list[Change]:
    changes: list[Change] = []
    for symbol, value in pairs:
        spelled = world.spelled(symbol)
        old = world.config.get(spelled)
        # Absent is off already, and a line for it would be noise: but what these changes bring into
        # sight may come up as y.
        absent = value == "n" and old is None and world.config.complete
        brought = world.symbol(spelled) == "y"
        if absent and not brought and not any(_brings(c, spelled, world) for c in changes):
            continue
        if value == "n" and old is None and world.is_elsewhere(spelled):
            continue
        new = value
        if value.startswith(_LIST):
            if old is None:
                continue  # what the default list has is not shown
            names = [name for name in old.strip('"').split(",") if name]
            added = value.removeprefix(_LIST)
            new = old if added in names else f'"{",".join([*names, added])}"'
        elif value == "m" and (old == "y" or world.symbol("MODULES") == "n"):
            new = "y"
        elif (old or "").startswith('"') or is_text(value):
            new = f'"{value}"'
        if new != old:
            changes.append(Change(spelled, old, new, Role.ASKED))
    return changes


def _brings(change: Change, symbol: str, world: World) -> bool:
    """Whether the change switches on what the symbol is an option of, and on by default."""
    if change.old not in (None, "n") or change.new not in ("y", "m"):
        return False
    left_out = world.knowledge.unnamed(symbol).get(change.symbol)
    if left_out is None or left_out.value != "y":
        return False
    return world.evaluate(left_out.when) is not False


def _siblings(tunable: Tunable, changes: list[Change], world: World) -> list[Change]:
    """The other members of the choice that this configuration shows, each given up by name."""
    chosen = {change.symbol for change in changes}
    members = list(tunable.choice)
    if chosen.isdisjoint(members) and (kernel := world.subject.kernel):
        taken = (change.symbol for change in changes if change.new == "y")
        sets = (world.knowledge.chosen_with(one, kernel.numbers[:2]) for one in taken)
        members = [name for names in sets for name in names]
    values = {member: world.config.get(member) for member in members}
    return [
        Change(member, old, "n", Role.SIBLING)
        for member, old in (values.items() if chosen & set(values) else ())
        if member not in chosen and old is not None
    ]


def _complete(
    changes: list[Change],
    requires: Expr,
    together: Iterable[str],
    world: World,
    complete: str = "",
) -> Attempt:
    """The changes with their dependencies, if all of it can be had.

    `together` are the symbols of which the changes are part, some of them set already; from the
    release `complete` on they need no more than is required.
    """
    needed = _requirements(requires, world, changes, depth=0)
    if isinstance(needed, Blocked):
        return needed
    changes = list({change.symbol: change for change in needed + changes}.values())
    # A symbol that the configuration does not show can appear only when what it needs, or what
    # is set together with it, is switched on.
    opens = _moved([*_asked(requires, world), *together], world) or any(
        c.old in ("n", "m") and c.new in ("y", "m") for c in changes
    )
    for change in changes:
        if change.old is None and change.new != "n" and not opens and world.config.complete:
            if _offered(change.symbol, requires, complete, world):
                continue
            told = f"this kernel does not offer {change.symbol} in this configuration"
            return _not_here(change.symbol, world) or Blocked(told)
    if changes and all(world.is_derived(change.symbol) for change in changes):
        return Blocked(f"{changes[0].symbol} has no prompt in this kernel: other lines decide it")
    return tuple(changes)


def _proven(changes: list[Change], world: World) -> Attempt:
    """The changes with what the tree needs for them, and the choices' other members, by name."""
    tree, config = world.subject.tree, world.config
    if not changes or tree is None:
        return ()
    lines = config.lines if isinstance(config, Overlay) else ()
    wanted = tuple((change.symbol, change.new) for change in changes)
    keep = world.subject.keep | world.subject.guarded
    answer = tree.achieve(lines, wanted, keep, world.subject.settled)
    while answer.reason and (answer.missed, "m") in wanted:
        # What is selected by something built in cannot be a module, and y serves as well.
        wanted = tuple((s, "y" if s == answer.missed else value) for s, value in wanted)
        answer = tree.achieve(lines, wanted, keep, world.subject.settled)
    if answer.reason:
        return Blocked(answer.reason, answer.missed)
    changes = [
        *(Change(s, config.get(s), value, Role.DEPENDENCY) for s, value in answer.needed),
        *(change._replace(new=new) for change, (_, new) in zip(changes, wanted, strict=True)),
    ]
    return (*changes, *_members_given_up(changes, lines, world, tree))


def _members_given_up(
    changes: list[Change], lines: Lines, world: World, tree: TreeOracle
) -> Iterable[Change]:
    """The other members that the choices show then, each of them off by name."""
    after = (*lines, *((change.symbol, change.new) for change in changes))
    named = {symbol for symbol, _ in after}
    for change in changes:
        if change.new == "y":
            for member in tree.members(after, change.symbol):
                if member not in named:
                    named.add(member)
                    yield Change(member, world.config.get(member), "n", Role.SIBLING)


def _asked(requires: Expr, world: World) -> Iterator[str]:
    """The symbols that a condition asks for, by name or through a tunable."""
    yield from condition.symbols(requires)
    for atom in condition.atoms(requires):
        if atom[0] == "is":
            values = world.knowledge.tunable(atom[1]).values
            yield from (symbol for v in values for pairs in v.sets for symbol, _ in pairs)


def _moved(symbols: Iterable[str], world: World) -> bool:
    """Whether the plan so far changes one of these symbols."""
    planned = world.config.changes if isinstance(world.config, Overlay) else {}
    changes = (planned.get(world.spelled(symbol)) for symbol in symbols)
    return any(change and change.old != change.new for change in changes)


def _requirements(
    requires: Expr, world: World, changes: list[Change], depth: int
) -> list[Change] | Blocked:
    """The further changes a condition needs, once these changes are made."""
    after = world_with(world, changes)
    if requires is None or after.evaluate(requires) is not False:
        return []
    if depth > 8:  # what a condition needs may lead back to it
        return Blocked(f"its dependencies are too deep: {condition.show(requires)}")
    tag = condition.operator_of(requires)
    if tag == "&":
        further: list[Change] = []
        for part in condition.operands(requires):
            # Each beside those before it: what one switches on another may rest on.
            outcome = _requirements(part, world, further + changes, depth + 1)
            if isinstance(outcome, Blocked):
                return outcome
            further += outcome
        return further
    if tag == "|":
        return _any_of(condition.operands(requires), world, changes, depth)
    if tag == "on" or (tag == "sym" and requires[2] == "=" and requires[3] in ("y", "m")):
        return _enable(condition.term(requires), world, changes, depth)
    return Blocked(_cause(requires, after))


def _any_of(
    parts: Sequence[Expr], world: World, changes: list[Change], depth: int
) -> list[Change] | Blocked:
    ways: list[list[Change]] = []
    found: list[Blocked] = []
    for part in parts:
        outcome = _requirements(part, world, changes, depth + 1)
        if not isinstance(outcome, Blocked):
            ways.append(outcome)
        elif condition.operator_of(part) != "fact":
            found.append(outcome)  # that the kernel is not another one helps nobody
    return min(ways, key=len) if ways else _joined_causes(found, world)


def _joined_causes(found: Sequence[Blocked], world: World) -> Blocked:
    """Why none of several ways can be had: a line that can be changed says more than what no line
    is about, and what this release has more than what it has not."""
    if lines := [one.reason for one in found if one.reason.endswith(_AGAINST)]:
        return Blocked(" or ".join(dict.fromkeys(lines)))
    lacking = [symbol for one in found for symbol in one.lacking]
    causes = [one for one in found if not one.lacking]
    if lacking:
        causes.insert(0, _not_offered(lacking, world))
    causes = [one for one in causes if not one.absent] or causes
    absent = bool(causes) and all(one.absent for one in causes)
    unshown = tuple(symbol for one in causes for symbol in one.lacking)
    reasons = dict.fromkeys(one.reason for one in causes)
    return Blocked(" or ".join(reasons), absent=absent, lacking=unshown if len(causes) < 2 else ())


def _enable(
    requires: Term, world: World, changes: list[Change], depth: int
) -> list[Change] | Blocked:
    symbol = world.spelled(requires[1])
    old = world.config.get(symbol)
    if symbol == "64BIT":  # that is another port, for which no option's sake is enough
        return Blocked("needs a 64-bit kernel")
    if symbol == "SMP" and old == "n" and not _has_several(world):
        return Blocked("needs SMP, and this kernel is built for a single processor")
    if old is None and not world.config.complete and world.present(symbol) is False:
        return Blocked(_nowhere(symbol, world))
    provider = world.knowledge.provider(requires[1])
    if provider and depth < 4 and (old is None or symbol in provider[0].choice):
        return _provided(symbol, provider, world, changes)
    if old in ("n", "m"):
        value_text = requires[3] if requires[0] == "sym" else "y"
        return [Change(symbol, old, value_text, Role.DEPENDENCY)]
    if symbol == "ARCH_SUPPORTS_RT":
        return Blocked(_REALTIME)
    if world.config.get(f"{symbol}_MANUAL") == "n":  # the model of memory is a choice of these
        return Blocked(f"needs {symbol}_MANUAL, which is off here")
    return _not_offered((symbol,), world)


def _not_here(symbol: str, world: World) -> Blocked | None:
    """That a symbol is of other releases, if it is."""
    when = world.other_releases(symbol)
    return Blocked(f"{symbol} is not in this kernel: {when}", absent=True) if when else None


def _not_offered(symbols: Sequence[str], world: World) -> Blocked:
    """That one of these is needed of which no line tells; of those alone that this release has."""
    here = tuple(symbol for symbol in symbols if not world.other_releases(symbol))
    if not here:
        return Blocked(
            f"needs {symbols[0]}, which this kernel does not have", "", True, (*symbols,)
        )
    names = " or ".join(dict.fromkeys(here))
    return Blocked(f"needs {names}, which this configuration does not offer", lacking=here)


def enabled(symbol: str, world: World) -> tuple[Change, ...] | None:
    """The changes that switch on what no rule sets; None where it cannot be had. A whole
    configuration has to show it: only what a kernel offers has a line that it is not set.
    """
    name = world.spelled(symbol)
    if world.subject.tree:
        outcome = _proven([Change(name, world.config.get(name), "y", Role.ASKED)], world)
        return None if isinstance(outcome, Blocked) else outcome
    if world.config.get(name) != "n" or world.is_derived(name) or world.knowledge.siblings(symbol):
        return None
    needed = _enable(("on", symbol), world, [], depth=0)
    if isinstance(needed, Blocked):
        return None
    return tuple(c._replace(role=Role.ASKED) if c.symbol == name else c for c in needed)


def _provided(
    symbol: str, provider: Provider, world: World, changes: list[Change]
) -> list[Change] | Blocked:
    """A symbol that a rule sets, as that needs it."""
    tunable, value, pairs = provider
    planned = {change.symbol: change.new for change in changes}
    # What the rule sets beside it has a purpose of its own, unless only together they show up.
    alone = tuple(pair for pair in pairs if world.spelled(pair[0]) == symbol)
    ways = (pairs,) if symbol in map(world.spelled, tunable.choice) else (alone, pairs)
    outcome: Attempt = ()
    for way in ways:
        if any(planned.get(name, new) != new for name, new in way):
            return Blocked(f"needs {symbol}, which other changes rule out")
        outcome = _set_changes(tunable, value, way, world)
        if not isinstance(outcome, Blocked):
            return [c._replace(role=Role.DEPENDENCY) for c in outcome]
    return outcome if isinstance(outcome, Blocked) else []


_AGAINST = "stands against it"
_OWN = "(the fragment)"  # where Overlay places what is only planned
_REALTIME = "needs the real-time patch of this version, or a newer kernel"


def _nowhere(symbol: str, world: World) -> str:
    """Why a symbol cannot be switched on that a partial configuration need not show."""
    arch = world.subject.machine.arch
    nowhere = world.knowledge.unreachable.never_on(symbol, None, arch)
    if symbol == "ARCH_SUPPORTS_RT" and not nowhere:
        return _REALTIME
    return f"needs {symbol}, which {'no' if nowhere else 'this'} kernel for {arch} has"


def _has_several(world: World) -> bool:
    """Whether the machine is told to have several processors: a kernel for one is not for it."""
    cpus = world.subject.machine.cpus
    return cpus is not None and cpus > 1


# What is no line to write, but tells of the programs that the kernel is built with.
_OF_THE_BUILD = {
    "PAHOLE_VERSION": " (0: none was found): install pahole (dwarves) on the machine that builds it"
}


def _cause(requires: Expr, world: World) -> str:
    """Why a condition fails that no added line can mend, naming the line in the way."""
    tag = condition.operator_of(requires)
    for part in condition.operands(requires) if tag == "!" else ():
        if condition.operator_of(part) == "on":
            name = condition.term(part)[1]
            entry = world.config.entry(world.spelled(name))
            return f"{name}={entry.value} ({entry.location}) {_AGAINST}"
    if tag == "sym":
        _, name, *compared = condition.term(requires)
        if compared == ["!=", "n"]:
            return f"needs {name}, which is off here"
        untold = world.config.get(world.spelled(name)) is None
        if untold and compared[0] in ("<", "<=", ">", ">="):
            found = f"no line names {name}"  # n is what a switch is that no line names
        else:
            found = f"{name} is {world.symbol(name)}"
        return f"needs {condition.show(requires)}, and {found}{_OF_THE_BUILD.get(name, '')}"
    if tag == "present":
        return f"needs {condition.term(requires)[1]}, which this kernel does not have"
    return f"needs {condition.show(requires)}"
