"""Which symbols no line could have on in a kernel: a line that could not be otherwise is no cause.

PREEMPT_RT needs what an architecture tells Kconfig of itself (ARCH_SUPPORTS_RT), and some symbols
are of other releases, or of a patch. The index tells so: no catalogue is read for it.
"""

from __future__ import annotations

from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.model import condition
from advisor.model.condition import Expr

# How the symbols are called with which architectures tell Kconfig what they have.
_CAPABILITIES = ("HAVE_", "ARCH_HAS_", "ARCH_HAVE_", "ARCH_SUPPORTS_", "ARCH_WANT", "ARCH_ENABLE_")


def is_capability(symbol: str) -> bool:
    """Whether it is called as what an architecture, and no person, tells Kconfig."""
    return symbol.startswith(_CAPABILITIES)


def impossible(symbol: str, world: KernelFacts) -> bool:
    """Whether a whole configuration, which says nothing of the symbol, could not have it on: it is
    of another release or a patch, or needs what this release or architecture does not have."""
    if not world.config.complete or world.config.get(world.spelled(symbol)) is not None:
        return False
    names = (symbol, *world.knowledge.aliases(symbol))
    return all(
        world.other_releases(name) or world.is_patched(name) or _out_of_reach(name, world)
        for name in names
    )


def _out_of_reach(symbol: str, world: KernelFacts) -> bool:
    """Whether the rule that sets the symbol needs what there is not."""
    provider = world.knowledge.provider(symbol)
    if provider is None:
        return False
    # What is set beside it, and is shown, needs the same of the architecture.
    shown = any(world.config.get(world.spelled(name)) is not None for name, _ in provider[2])
    return _never(provider[1].requires, shown, world)


def _never(expr: Expr, shown: bool, world: KernelFacts) -> bool:
    """Whether a condition fails by what no line of the configuration is about: the release, or what
    the architecture has, unless something is `shown` that rests on that."""
    tag = condition.operator_of(expr)
    if tag == "&":
        return any(_never(part, shown, world) for part in condition.operands(expr))
    if tag == "|":
        return all(_never(part, shown, world) for part in condition.operands(expr))
    if tag == "fact":
        return world.evaluate(expr) is False
    if tag != "on" or shown:
        return False
    name = condition.term(expr)[1]
    return is_capability(name) and world.config.get(world.spelled(name)) is None
