"""The features that a change loses, by what they are for: drivers, file systems, security, ...

What a symbol is for its menu tells, as the configuration's own comments or a tree have it. What
has none of these menus is of no area (x86's "Processor type and features" mixes several), but for
what hardens a kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.state import World
from advisor.engine.symbols import Naming, choice_of
from advisor.model.comparison import Loss, Movement, SymbolKind, SymbolMove

SECURITY = "security"
_ON = ("y", "m")


def losses(
    moves: Iterable[SymbolMove],
    movements: Iterable[Movement],
    sides: tuple[World, World],
    naming: Naming,
) -> tuple[Loss, ...]:
    """What was built and is not any more, each symbol once, those first that settings rest on."""
    found: dict[str, Loss] = {}
    for movement in movements:
        for symbol in _off(movement, *sides, naming):
            own = SECURITY if movement.tunable.area == SECURITY else ""
            if own and _is_weakness(symbol, sides[1]):
                continue
            if area := _area(naming.menus.get(symbol, ""), sides[1]) or own:
                found.setdefault(symbol, Loss(symbol, area))
    for move in moves:
        area = _area(move.menu, sides[1]) or (SECURITY if _hardens(move.symbol, sides[1]) else "")
        if move.became and _protected(move.symbol, sides[1]):
            area = SECURITY
        # Of what only weakens (HARDENED_USERCOPY_FALLBACK) nobody loses anything.
        if area == SECURITY and _is_weakness(move.symbol, sides[1]):
            continue
        gone = move.kind in (SymbolKind.GONE, SymbolKind.UNTOLD)
        # What has another name now, or is part of something else, is no loss.
        if move.kind is SymbolKind.LOST or (gone and area and move.old in _ON and not move.why):
            found[move.symbol] = Loss(move.symbol, area, gone)
    return tuple(found.values())


def _area(menu: str, world: World) -> str:
    """What a menu's symbols are for; empty for the menus that mix several things."""
    areas = {title: one.of for one in world.knowledge.facts("menu") for title in one.names}
    return next(filter(None, map(areas.get, menu.split(" > "))), "")


def _hardens(symbol: str, world: World) -> bool:
    """Whether it is a mitigation, or those who harden kernels switch it on."""
    if symbol.startswith("MITIGATION_"):
        return True
    listed = world.knowledge.listed(symbol)
    return listed is not None and "y" in listed.values


def _protected(symbol: str, world: World) -> bool:
    """Whether a symbol that has another name now was there to protect something."""
    successor = world.knowledge.successor(symbol)
    return successor is not None and successor.protects


def _is_weakness(symbol: str, world: World) -> bool:
    """Whether those who harden kernels switch it off: COMPAT_BRK."""
    listed = world.knowledge.listed(symbol)
    return listed is not None and "n" in listed.values


def _off(movement: Movement, before: World, after: World, naming: Naming) -> Iterator[str]:
    """The symbols that spell a tunable and are off now; no members of a choice, of which always
    one is taken."""
    tunable = movement.tunable
    symbols = {symbol: None for symbol, on in movement.changed if not on}
    for value in tunable.values:
        symbols.update((symbol, None) for lines in value.sets for symbol, _ in lines)
    for symbol in symbols:
        was, now = before.config.get(symbol), after.config.get(symbol)
        lost = was in _ON and now not in _ON and symbol not in tunable.choice
        if lost and not choice_of(symbol, after, naming):
            yield symbol
