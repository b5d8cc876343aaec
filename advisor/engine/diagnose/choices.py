"""Lines that each take a member of one choice, of which Kconfig keeps the last.

scripts/kconfig/confdata.c#conf_read_simple, read in 6.1 (the last such line becomes the choice's
value) and 6.12 (each member named goes before those named earlier).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from advisor.engine.effective.world import World
from advisor.model.finding import Diagnostic, diagnostic


def overruled(world: World) -> Iterator[Diagnostic]:
    """Report the lines that take a member of a choice of which a later line takes another, if the
    kernel's version is known and every kernel read around it has them in one choice."""
    if world.subject.kernel is None or world.subject.tree:
        return
    taken: dict[str, list[str]] = defaultdict(list)
    for symbol in _taken(world):
        if choice := _choice(symbol, world):
            taken[choice].append(symbol)
    for members in taken.values():
        places = sorted((world.config.entry(member).location, member) for member in members)
        last, winner = places[-1]
        # Merged files name each member that they give up.
        for place, member in places[:-1]:
            if place.path == last.path:
                message = f"{member} and {winner} are members of one choice; line {last.line} wins"
                yield diagnostic("choice-overruled", place, message, subject=member)


def _taken(world: World) -> Iterable[str]:
    """Return the symbols with the value y that may be members of a choice."""
    config, knowledge = world.config, world.knowledge
    if not config.complete:  # all its symbols are looked up anyway
        return [name for name in config.symbols() if config.get(name) == "y"]
    # Of a whole configuration only the choices in the rules are looked at.
    taken: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in knowledge.ids("choices"):
        if config.get(name) == "y":
            taken[tuple(knowledge.siblings(name))].append(name)
    return [name for names in taken.values() if len(names) > 1 for name in names]


def _choice(symbol: str, world: World) -> str:
    """Return the choice that surely has the symbol, by its first member; empty if none has."""
    subject, catalogue = world.subject, world.knowledge.catalogue
    seen, arch = catalogue.seen(symbol), subject.machine.arch
    if seen is None or subject.kernel is None:
        return ""
    around = catalogue.around(subject.kernel, arch)
    found = {one.choice for number in around for one in seen.traits(number, arch)}
    everywhere = all(seen.traits(number, arch) for number in around)
    return found.pop() if everywhere and len(found) == 1 else ""
