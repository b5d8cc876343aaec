"""What of a plan is a module: since what it needs is one, or since nothing needs it before modules
are loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from advisor.engine.effective.components import by_modules
from advisor.engine.effective.world import World
from advisor.engine.remedy.what_if import world_with
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.remedy import Change, Role
from advisor.model.tunable import Member, Tunable

_OFF = (None, "n")


def as_modules(
    changes: tuple[Change, ...], needs: Mapping[str, Expr], world: World
) -> tuple[Change, ...]:
    """The changes, with m for each of the symbols of which it is known what each `needs` that
    cannot be y: Kconfig makes m of it, and says that the line did not hold."""
    if world.symbol("MODULES") == "n":
        return changes
    moving = True
    while moving:  # one of them may need another
        after = world_with(world, changes)
        modules = {
            change.symbol
            for change in changes
            if change.new == "y"
            and by_modules(needs.get(change.symbol), after)
            and "tristate" in _types(change.symbol, world)
        }
        changes = tuple(c._replace(new="m") if c.symbol in modules else c for c in changes)
        moving = bool(modules)
    return changes


def of_group(changes: Iterable[Change], tunable: Tunable, world: World) -> tuple[Change, ...]:
    """The changes that switch a group on, with m for what loads on demand: where a member is a
    module that is on already, or none is on and no member is needed before modules are loaded, as
    what can only be built in may be."""
    members = [member for member in world.members(tunable) if member.symbol]
    symbols = [world.spelled(member.symbol) for member in members]
    values = set(map(world.symbol, symbols))

    def loads_on_demand(member: Member) -> bool:
        """Whether it may be a module, or is an option of one."""
        parts = (member.symbol, *condition.symbols(member.requires))
        return any(_types(world.spelled(symbol), world) == {"tristate"} for symbol in parts)

    every = (member for member in tunable.members if member.symbol)
    if "m" not in values and ("y" in values or not all(map(loads_on_demand, every))):
        at_once = world.knowledge.fact("at-once").names
        symbols = [symbol for symbol in symbols if symbol in at_once]
    return _as_modules(changes, lambda one: one.symbol in symbols and is_loadable(one, world))


def _as_modules(changes: Iterable[Change], test: Callable[[Change], bool]) -> tuple[Change, ...]:
    return tuple(change._replace(new="m") if test(change) else change for change in changes)


def brought_along(changes: tuple[Change, ...], world: World) -> tuple[Change, ...]:
    """The changes, with m for what is brought along for modules alone."""
    asked = [c for c in changes if c.role is Role.ASKED and c.new in ("y", "m")]
    if not any(_is_of_module(change, world) for change in asked):
        return changes
    # What may be y is for more than a module serves: a bool is an option of a module.
    if any(one.new == "y" and "tristate" in _types(one.symbol, world) for one in asked):
        return changes
    foundation = world.knowledge.fact("foundation").names
    if any(change.symbol in foundation for change in changes):
        return changes
    lighter = _as_modules(
        changes, lambda one: one.role is Role.DEPENDENCY and is_loadable(one, world)
    )
    if lighter == changes:
        return changes
    # Not where what one of these needs, as far as the rules tell, is there only by y.
    before, after = world_with(world, changes), world_with(world, lighter)
    providers = (world.knowledge.provider(one.symbol) for one in changes if one.new != "n")
    needs = [found[1].requires for found in providers if found]
    is_refused = any(
        after.evaluate(one) is False and before.evaluate(one) is not False for one in needs
    )
    return changes if is_refused else lighter


def _is_of_module(change: Change, world: World) -> bool:
    """Whether it is a module, or an option of what is one already."""
    if change.new == "m":
        return True
    provider = world.knowledge.provider(change.symbol)
    return provider is not None and by_modules(provider[1].requires, world)


def is_loadable(change: Change, world: World) -> bool:
    """Whether what a change switches on may be a module as well, and makes none of what is there
    and built in."""
    symbol, known = change.symbol, world.knowledge.fact
    if change.new != "y" or change.old not in _OFF or world.symbol("MODULES") != "y":
        return False
    if not world.takes_modules():
        return False
    if symbol in known("never-module").names or "nomodule" in world.line.by_name:
        return False
    if any(world.symbol(other) == "y" for other in known("works-with", symbol).names):
        return False
    return _types(symbol, world) == {"tristate"}  # in all kernels around this one


def _types(symbol: str, world: World) -> set[str]:
    """What it is in the kernels that were read around this one."""
    from advisor.knowledge.catalogue import numbers

    kernel, arch = world.subject.kernel, world.subject.machine.arch
    if (seen := world.knowledge.catalogue.seen(symbol)) is None:
        return set()
    if kernel:
        traits = seen.traits_around(kernel, arch)
    else:
        traits = [trait for n in numbers(seen.kernels(arch)) for trait in seen.traits(n, arch)]
    return {trait.type for trait in traits}
