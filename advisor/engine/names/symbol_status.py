"""The status of a symbol in one kernel: here, stale, removed, too new, elsewhere or unknown."""

from __future__ import annotations

from advisor.engine.effective.world import World
from advisor.errors import meant
from advisor.knowledge.existence import NameStatus, Standing, standing
from advisor.model.numbers import release_numbers
from advisor.model.rules import Rename

MOST_TYPOS = 500
"""How many unknown names of one configuration are compared with all known ones."""
ELSEWHERE = (Standing.REMOVED, Standing.TOO_NEW, Standing.OTHER_ARCH)
STALE = "symbol-stale"
REMOVE = "remove the line"


def status(symbol: str, world: World) -> NameStatus:
    """Return the symbol's status, as the kernels read around this one have it."""
    subject = world.subject
    return standing(symbol, world.knowledge.catalogue, subject.kernel, subject.machine.arch)


def is_here(symbol: str, world: World) -> bool:
    """Return whether this kernel surely has the symbol, with a prompt."""
    return status(symbol, world).standing is Standing.HERE


def names_here(symbol: str, world: World, value: str = "y") -> list[str]:
    """Return the names under which this kernel has what a line sets to that value."""
    names = world.knowledge.names_now(symbol, value)
    return [name for name in names if is_here(name, world)]


def past_rename(symbol: str, world: World) -> Rename | None:
    """Return the rename or removal in the rules that this kernel's version has behind it."""
    rename, kernel = world.knowledge.rename(symbol), world.subject.kernel
    return rename if rename and kernel and kernel.numbers >= release_numbers(rename.since) else None


def renamed(rename: Rename) -> str:
    """Return a sentence on the rename."""
    now = f"called {rename.new}" if rename.new else "gone"
    return f"{rename.old} is {now} since {rename.since}: {rename.note}"


def remedy_of_unknown(symbol: str, world: World, may_be_typo: bool) -> str:
    """Return what to do about a symbol that no kernel read has: what the rules know of it, or the
    name that may be meant; empty where neither is known."""
    known, rename = world.knowledge.name(symbol), world.knowledge.rename(symbol)
    if rename and rename.new and world.subject.kernel is None:
        return f"write {rename.new}, its name since {rename.since}"
    if rename and known:  # of an older kernel: a rename that is past is reported as stale
        return "keep the line only if the kernel has the patch that adds the symbol"
    if known:
        return known.today
    near = world.knowledge.catalogue.typo(symbol) if may_be_typo else []
    near = [name for name in near if is_here(name, world)] or near
    return meant(near)
