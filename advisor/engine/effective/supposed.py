"""A partial configuration with what it leaves open supposed to be so: what holds in each way it may
be is certain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.engine.effective.overlay import Supposed

if TYPE_CHECKING:
    from advisor.engine.effective.kernel_facts import KernelFacts

MOST = 4
"""Of how many symbols each way is tried: with more of them the answer stays open."""
_SWITCHES = "bt"  # of the catalogue's types


def each_way(missing: frozenset[str], world: KernelFacts) -> Iterator[KernelFacts]:
    """Yield the world with one of the missing symbols on, off, and, unless this kernel surely has
    it, gone; nothing where none of them is a switch, or too much is supposed already."""
    config = world.config
    if world.subject.tree or (isinstance(config, Supposed) and config.count >= MOST):
        return
    named = (world.spelled(name) for name in sorted(missing) if name.isupper())
    symbol = next((name for name in named if _is_switch(name, world)), "")
    if symbol:
        yield world.supposing(Supposed(config, symbol, "y"))
        yield world.supposing(Supposed(config, symbol, "n"))
        if not _is_here(symbol, world):
            yield world.supposing(Supposed(config, symbol, "n", gone=True))


def _is_switch(symbol: str, world: KernelFacts) -> bool:
    """Return whether the symbol is on or off wherever it is, and nothing else."""
    seen = world.knowledge.catalogue.seen(symbol)
    return seen is not None and all(fact.traits[:1] in _SWITCHES for fact in seen.facts)


def _is_here(symbol: str, world: KernelFacts) -> bool:
    from advisor.knowledge.existence import Standing, standing

    kernel, arch = world.subject.kernel, world.subject.machine.arch
    if kernel is None:
        return False
    known = standing(symbol, world.knowledge.catalogue, kernel, arch)
    return known.standing in (Standing.HERE, Standing.HIDDEN)
