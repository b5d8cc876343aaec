"""What of a plan can be a module only, as what it needs is one."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.engine.overlay import world_with
from advisor.engine.state import World
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.report import Change


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
            and _by_modules(needs.get(change.symbol), after)
            and _is_tristate(change.symbol, world)
        }
        changes = tuple(c._replace(new="m") if c.symbol in modules else c for c in changes)
        moving = bool(modules)
    return changes


def _by_modules(requires: Expr, world: World) -> bool:
    """Whether a condition that holds does so by modules alone."""
    tag = condition.operator_of(requires)
    if tag == "on":
        return world.symbol(condition.term(requires)[1]) == "m"
    if tag not in ("&", "|"):
        return False
    parts = condition.operands(requires)
    if tag == "&":
        return any(_by_modules(part, world) for part in parts)
    held = [part for part in parts if world.evaluate(part) is not False]
    return bool(held) and all(_by_modules(part, world) for part in held)


def _is_tristate(symbol: str, world: World) -> bool:
    """Whether it may be a module in a kernel that was read around this one."""
    from advisor.knowledge.catalogue import numbers

    kernel, arch = world.subject.kernel, world.subject.machine.arch
    if (seen := world.knowledge.catalogue.seen(symbol)) is None:
        return False
    if kernel:
        traits = seen.traits_around(kernel, arch)
    else:
        traits = [trait for n in numbers(seen.kernels(arch)) for trait in seen.traits(n, arch)]
    return any(trait.type == "tristate" for trait in traits)
