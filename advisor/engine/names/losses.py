"""The features that a change loses, by what they are for: drivers, file systems, security, ...

The area of a symbol follows from its menu, as the configuration's own comments or a tree have it.
Menus that mix several things (x86's "Processor type and features") give none; options that harden a
kernel are of the area security in any menu.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.effective.world import World
from advisor.engine.names.symbols import Naming, choice_of
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import Loss, Movement, SymbolKind, SymbolMove
from advisor.model.tunable import Tunable

SECURITY = "security"
HARDENING = "hardening"
_ON = ("y", "m")


def losses(
    moves: Sequence[SymbolMove],
    movements: Iterable[Movement],
    sides: tuple[World, World],
    naming: Naming,
) -> tuple[Loss, ...]:
    """Return the symbols that are no longer built, those of moved settings first."""
    knowledge = sides[1].knowledge
    areas = {title: one.of for one in knowledge.facts("menu") for title in one.names}

    def area_of(menu: str) -> str:
        """Return the area of a menu's symbols; empty for the menus that mix several things."""
        return next(filter(None, map(areas.get, menu.split(" > "))), "")

    def is_listed(symbol: str, value: str) -> bool:
        """Return whether recommendations for hardened kernels give the symbol that value."""
        listed = knowledge.listed(symbol)
        return listed is not None and value in listed.values

    # Nothing of the old configuration names what got an option of its own: it comes first.
    found = {m.symbol: Loss(m.symbol, area_of(m.menu)) for m in moves if m.split}
    for movement in (m for m in movements if not _is_unwanted(m.tunable, knowledge)):
        own = SECURITY if movement.tunable.area == SECURITY else ""
        for symbol in switched_off(movement, *sides, naming):
            area = area_of(naming.menus.get(symbol, "")) or own
            if area and not (own and is_listed(symbol, "n")):
                found.setdefault(symbol, Loss(symbol, area))
    for move in moves:
        hardens = move.symbol.startswith("MITIGATION_") or is_listed(move.symbol, "y")
        area = area_of(move.menu) or (SECURITY if hardens else "")
        successor = knowledge.successor(move.symbol) if move.became else None
        if successor and successor.protects:
            area = SECURITY
        # Nobody loses anything by an option that only weakens (HARDENED_USERCOPY_FALLBACK).
        if area == SECURITY and is_listed(move.symbol, "n"):
            continue
        gone = move.kind in (SymbolKind.GONE, SymbolKind.UNTOLD)
        # A symbol that has another name now, or is part of another one, is no loss.
        if move.kind is SymbolKind.LOST or (gone and area and move.old in _ON and not move.why):
            found[move.symbol] = Loss(move.symbol, area, gone)
    return tuple(found.values())


def _is_unwanted(tunable: Tunable, knowledge: Knowledge) -> bool:
    """Return whether hardening wants a tunable of the area security off."""
    known = tunable.area == SECURITY and HARDENING in knowledge.ids("profiles")
    advice = knowledge.profile(HARDENING).advice if known else ()
    options = (option for one in advice for option in one.options)
    return any(one.tunable == tunable.id and "off" in one.want for one in options)


def switched_off(movement: Movement, before: World, after: World, naming: Naming) -> Iterator[str]:
    """Return the symbols of a tunable that are off now, without members of choices: one of these is
    always taken."""
    tunable = movement.tunable
    symbols = {symbol: None for symbol, on in movement.changed if not on}
    symbols.update(dict.fromkeys(tunable.set_symbols))
    for symbol in symbols:
        was, now = before.config.get(symbol), after.config.get(symbol)
        lost = was in _ON and now not in _ON and symbol not in tunable.choice
        # What the symbol did may be a part of what is on in the new kernel.
        became = after.knowledge.became(symbol) if lost and now is None else ()
        lives_on = any(after.config.get(other) in _ON for other in became)
        if lost and not lives_on and not choice_of(symbol, after, naming):
            yield symbol
