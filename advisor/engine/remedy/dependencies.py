"""The Kconfig changes that a wish takes, with the dependencies of each; or why it cannot be had.

Worked out from the rules' own facts, or by the tree where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.engine.effective.impossible import is_capability
from advisor.engine.effective.world import World
from advisor.engine.remedy.blocked import (
    Attempt,
    Blocked,
    not_in_release,
    not_offered,
    nowhere_on,
    why_false,
    why_none,
    why_not_all,
    without_prompt,
)
from advisor.engine.remedy.in_tree import proven
from advisor.engine.remedy.modules import brought_along
from advisor.engine.remedy.what_if import moved, world_with
from advisor.model import condition
from advisor.model.condition import Expr, Term
from advisor.model.kernel import is_text, parse_version, unquote
from advisor.model.profile import POLICY
from advisor.model.remedy import Change, Role, spelled_out
from advisor.model.tunable import LIST, Tunable, Value, extended

if TYPE_CHECKING:
    from advisor.knowledge.store import Provider
    from advisor.model.tree import Assignment


def set_changes(
    tunable: Tunable, value: Value, pairs: tuple[Assignment, ...], world: World
) -> Attempt:
    """The changes of one way to a value, with what they need."""
    changes = assignments(pairs, world, is_exact=tunable.area == POLICY)
    if world.subject.tree:
        return _proven_with_purpose(changes, of_way(value, pairs), world)
    if tunable.area == POLICY and changes and all(world.lacks_prompt(c.symbol) for c in changes):
        return without_prompt(changes[0].symbol)
    siblings = other_members(tunable, changes, world)
    lacking = [c.symbol for c in changes if c.old is None and c.new != "n"]
    if not world.config.complete:
        # A member that a fragment does not name is there unless no such kernel has it.
        if absent := [symbol for symbol in lacking if world.present(symbol) is False]:
            return not_in_release(absent[0], world) or Blocked(f"this kernel has no {absent[0]}")
    elif siblings and any(symbol in tunable.choice for symbol in lacking):
        # A member that is not shown may be hidden by what it needs: only where all of that is
        # there already does the choice lack it.
        needed = _requirements(value.requires, world, changes + siblings, depth=0)
        if not needed:
            return Blocked(f"the Kconfig choice of this kernel has no {changes[0].symbol}")
    changes += siblings
    ways = (way for way in value.sets if set(pairs).issubset(way))
    together = [symbol for way in (pairs, *ways) for symbol, _ in way]
    requires = _unshown(of_way(value, pairs), changes, world)
    return completed(changes, requires, together, world, value.complete)


def _proven_with_purpose(changes: list[Change], requires: Expr, world: World) -> Attempt:
    """The changes as the tree works them out, with what the rules require beside Kconfig: without
    an offloaded CPU a kernel with RCU_LAZY makes no callback lazy. What the tree does not have of
    that is left out, as it knows best."""
    outcome = proven(changes, world)
    if isinstance(outcome, Blocked) or not outcome:
        return outcome
    if world_with(world, outcome).evaluate(requires) is not False:
        return outcome
    further = _requirements(requires, world, list(outcome), depth=0)
    if isinstance(further, Blocked) or not further:
        return outcome
    known = {change.symbol for change in changes}
    whole = proven([*changes, *(one for one in further if one.symbol not in known)], world)
    if isinstance(whole, Blocked) or world_with(world, whole).evaluate(requires) is False:
        return outcome
    return whole


def of_way(value: Value, pairs: tuple[Assignment, ...]) -> Expr:
    """What a value needs when these are set for it: not what an architecture must HAVE for a symbol
    that only another way sets, nor what else is asked of that (`!AMD_IOMMU || vendor != intel`)."""
    own = {symbol for symbol, _ in pairs}
    others = {*value.symbols} - own
    if not others or condition.operator_of(value.requires) != "&":
        return value.requires

    def is_about_others(part: Expr) -> bool:
        if not {f"HAVE_{symbol}" for symbol in others}.isdisjoint(condition.symbols(part)):
            return True
        first = condition.operands(part)[0] if condition.operator_of(part) == "|" else None
        return condition.operator_of(first) == "!" and others.issuperset(condition.symbols(first))

    parts = condition.operands(value.requires)
    return ["&", *(part for part in parts if not is_about_others(part))]


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
    ends = shown if len(shown) < len(asked) else ("",)

    def is_shown(symbol: str) -> bool:
        if not symbol.endswith(ends) or world.config.get(world.spelled(symbol)) is not None:
            return False  # where a line names it, that line is asked
        return is_capability(symbol) or world.is_elsewhere(symbol)

    def left_of(expr: Expr) -> Expr:
        tag = condition.operator_of(expr)
        if tag == "on":
            return None if is_shown(condition.term(expr)[1]) else expr
        if tag not in ("&", "|"):
            return expr
        parts = [left_of(part) for part in condition.operands(expr)]
        kept = [part for part in parts if part is not None]
        return [tag, *kept] if kept and (tag == "&" or kept == parts) else None

    return left_of(requires)


def is_here(symbol: str, world: World) -> bool:
    """Whether the kernel, whose version is told, surely has the symbol, with a prompt."""
    kernel, knowledge = world.subject.kernel, world.knowledge
    if kernel is None:
        return False
    from advisor.knowledge.existence import Standing, standing

    known = standing(symbol, knowledge.catalogue, kernel, world.subject.machine.arch)
    return known.standing is Standing.HERE and not world.never_on(symbol)


def _offered(symbol: str, requires: Expr, complete: str, world: World) -> bool:
    """Whether the kernel surely asks for the symbol, though no line of the file is about it: it has
    it with a prompt, and what is required, which is here, is all that it needs from the release
    `complete` on. Such a file was written for another kernel, or by hand, and does not tell that
    the option cannot be had."""
    kernel = world.subject.kernel
    if not complete or kernel is None or kernel.numbers < parse_version(complete).numbers:
        return False
    return world.evaluate(requires) is True and is_here(symbol, world)


def assignments(pairs: Iterable[Assignment], world: World, is_exact: bool = False) -> list[Change]:
    """The lines of these that this configuration does not have, under the names that it uses. What
    is built in does as well as a module, unless that is asked for exactly."""
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
        if value.startswith(LIST):
            if old is None:
                continue  # what the default list has is not shown
            new = f'"{extended(unquote(old), value)}"'
        elif (
            value == "m"
            and old != "m"
            and not is_exact
            and (old == "y" or not world.takes_modules())
        ):
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
    return world.evaluate(left_out.only_if) is not False


def other_members(tunable: Tunable, changes: list[Change], world: World) -> list[Change]:
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


def completed(
    changes: list[Change], requires: Expr, together: Iterable[str], world: World, complete: str = ""
) -> Attempt:
    """The changes with their dependencies, if all of it can be had.

    `together` are the symbols of which the changes are part, some of them set already; from the
    release `complete` on they need no more than is required.
    """
    needed = _requirements(requires, world, changes, depth=0)
    if isinstance(needed, Blocked):
        return needed
    # A symbol that the configuration does not show can appear only when what it needs, or what
    # is set together with it, is switched on. Of what it needs that has been looked at.
    names = (name for kind, name, *_ in condition.atoms(requires) if kind == "is")
    through = (symbol for name in names for symbol in world.knowledge.tunable(name).set_symbols)
    opens = moved([*condition.symbols(requires), *through, *together], world) or any(
        c.new in ("y", "m") and (c.old in ("n", "m") or c in needed) for c in needed + changes
    )
    for change in changes:
        if change.old is None and change.new != "n" and not opens and world.config.complete:
            if _offered(change.symbol, requires, complete, world):
                continue
            told = f"this kernel does not offer {change.symbol} in this configuration"
            return not_in_release(change.symbol, world) or Blocked(told)
    whole = tuple({change.symbol: change for change in needed + changes}.values())
    if whole and all(world.is_derived(change.symbol) for change in whole):
        return without_prompt(whole[0].symbol)
    # With m for what modules bring along, where the requirement holds so as well.
    lighter = brought_along(whole, world)
    if lighter != whole and world_with(world, lighter).evaluate(requires) is False:
        return whole
    return lighter


def with_tools(attempt: Callable[[World], Attempt], world: World) -> Attempt:
    """What an attempt comes to in this world; where it wants for nothing but a program of the
    build, that, with the lines that it takes beside the program."""
    outcome = attempt(world)
    if not isinstance(outcome, Blocked) or outcome.tool is None:
        return outcome
    symbol, value = outcome.tool
    there = Change(symbol, world.config.get(symbol), value, Role.DEPENDENCY)
    then = attempt(world_with(world, [there]))
    if isinstance(then, Blocked):
        return then
    # What else a choice offers goes by itself, but not what the value itself wants off.
    told = (change for change in then if change.new != "n" or change.role is Role.ASKED)
    return Blocked(f"{outcome.reason}, then rebuild with {spelled_out(told)}")


def _requirements(
    requires: Expr, world: World, changes: list[Change], depth: int
) -> list[Change] | Blocked:
    """The further changes a condition needs, once these changes are made."""
    after = world_with(world, changes)
    if requires is None or after.evaluate(requires) is not False:
        return []
    if depth > 8:  # what a condition needs may lead back to it
        return Blocked(f"its dependencies are nested too deep: {condition.show(requires)}")
    tag = condition.operator_of(requires)
    if tag == "&":
        further: list[Change] = []
        found: list[Blocked] = []
        for part in condition.operands(requires):
            # Each beside those before it: what one switches on another may rest on.
            outcome = _requirements(part, world, further + changes, depth + 1)
            if not isinstance(outcome, Blocked):
                further += outcome
            elif outcome.against or outcome.tool:  # which its owner can change
                found.append(outcome)
            elif not found:
                return outcome
        return why_not_all(found) if found else further
    if tag == "|":
        return _any_of(condition.operands(requires), world, changes, depth)
    if tag == "on" or (tag == "sym" and requires[2] == "=" and requires[3] in ("y", "m")):
        return _enable(condition.term(requires), world, changes, depth)
    return why_false(requires, after)


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
    if ways:
        return min(ways, key=len)
    if found:
        return why_none(found, world)
    # Which other kernel would do: the releases among these facts, or else all of them.
    releases = [part for part in parts if condition.term(part)[1] == "kernel"]
    return Blocked(f"needs {' or '.join(map(condition.show, releases or parts))}")


def _enable(
    requires: Term, world: World, changes: list[Change], depth: int
) -> list[Change] | Blocked:
    symbol = world.spelled(requires[1])
    old = world.config.get(symbol)
    if port := world.knowledge.fact("port", symbol).says:  # no option is worth another port
        return Blocked(f"needs {port}")
    # A kernel for one processor is not for a machine that is told to have several.
    if symbol == "SMP" and old == "n" and (world.subject.machine.cpus or 1) < 2:
        return Blocked("needs SMP, and this kernel is built for a single processor")
    if old is None and not world.config.complete and world.present(symbol) is False:
        return Blocked(nowhere_on(symbol, world))
    provider = world.knowledge.provider(requires[1])
    if provider and depth < 4 and (old is None or symbol in provider[0].choice):
        return _provided(symbol, provider, world, changes)
    if old is None and depth < 4 and (member := world.knowledge.member(requires[1])):
        after = world_with(world, changes)
        change = Change(symbol, old, "y", Role.DEPENDENCY)
        brought = completed([change], member.requires, (), after)
        return brought if isinstance(brought, Blocked) else list(brought)
    if old in ("n", "m"):
        value_text = requires[3] if requires[0] == "sym" else "y"
        if value_text == "m" and not world.takes_modules():
            value_text = "y"
        return [Change(symbol, old, value_text, Role.DEPENDENCY)]
    if patch := world.knowledge.fact("patch", symbol).says:
        return Blocked(f"needs {patch}")
    if world.config.get(f"{symbol}_MANUAL") == "n":  # the model of memory is a choice of these
        return Blocked(f"needs {symbol}_MANUAL, which is off in this configuration")
    return not_offered((symbol,), world)


def enabled(symbol: str, world: World) -> tuple[Change, ...] | None:
    """The changes that switch on what no rule sets; None where it cannot be had. A whole
    configuration has to show it: only what a kernel offers has a line that it is not set.
    """
    name = world.spelled(symbol)
    if world.subject.tree:
        outcome = proven([Change(name, world.config.get(name), "y", Role.ASKED)], world)
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
    after = world_with(world, changes)  # what these switch on may be what it shows up with
    outcome: Attempt = ()
    for way in ways:
        if any(planned.get(name, new) != new for name, new in way):
            return Blocked(f"needs {symbol}, which other changes rule out")
        outcome = set_changes(tunable, value, way, after)
        if not isinstance(outcome, Blocked):
            return [c._replace(role=Role.DEPENDENCY) for c in outcome]
    return outcome if isinstance(outcome, Blocked) else []
