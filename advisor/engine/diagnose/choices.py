"""Two lines that each take a member of one choice, of which Kconfig keeps the last.

scripts/kconfig/confdata.c#conf_read_simple, read in 6.1 (the last such line becomes the choice's
value) and 6.12 (each member named goes before those named earlier).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from advisor.engine.state import World
from advisor.model.kernel import Location
from advisor.model.report import Diagnostic, diagnostic


def overruled(world: World) -> Iterator[Diagnostic]:
    """The lines that take a member of a choice of which a later line takes another.

    Only where the kernel's version is known, and every kernel read around it has them in one
    choice.
    """
    if world.subject.kernel is None or world.subject.tree:
        return
    taken: dict[str, list[str]] = defaultdict(list)
    for symbol in _taken(world):
        if choice := _choice(symbol, world):
            taken[choice].append(symbol)
    for members in taken.values():
        places = sorted((_place(member, world), member) for member in members)
        last, winner = places[-1]
        # Files that were merged give each member up by name.
        for place, member in places[:-1]:
            if place.path == last.path:
                message = f"{member} and {winner} are of one choice, of which line {last.line} wins"
                yield diagnostic("choice-overruled", place, message, subject=member)


def _taken(world: World) -> Iterable[str]:
    """The symbols with the value y that are members of a choice, as far as is cheaply known."""
    config, knowledge = world.config, world.knowledge
    if not config.complete:  # whose symbols are all looked up anyway
        return [name for name in config.symbols() if config.get(name) == "y"]
    # Of a whole configuration only those choices are looked at that rules know.
    taken: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in knowledge.ids("choices"):
        if config.get(name) == "y":
            taken[tuple(knowledge.siblings(name))].append(name)
    return [name for names in taken.values() if len(names) > 1 for name in names]


def _choice(symbol: str, world: World) -> str:
    """The choice that the symbol surely belongs to, by its first member; empty if to none."""
    subject, catalogue = world.subject, world.knowledge.catalogue
    seen, arch = catalogue.seen(symbol), subject.machine.arch
    if seen is None or subject.kernel is None:
        return ""
    around = catalogue.around(subject.kernel, arch)
    found = {one.choice for number in around for one in seen.traits(number, arch)}
    everywhere = all(seen.traits(number, arch) for number in around)
    return found.pop() if everywhere and len(found) == 1 else ""


def _place(symbol: str, world: World) -> Location:
    return world.config.entry(symbol).location
