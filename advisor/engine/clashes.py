"""What one program needs on and another one off: shown with both reasons, settled by nobody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.engine.remedy.lacking import symbols_of
from advisor.knowledge.store import Knowledge
from advisor.model.condition import Expr, operands, operator_of, term
from advisor.model.software import Ability, Ask, Clash

_OFF = ("n", "off")


def clashes(abilities: Sequence[Ability], knowledge: Knowledge) -> tuple[Clash, ...]:
    """Return the symbols of which one program asks for the opposite of what another one does, with
    what its own list asks for and no function of it rests on."""
    asks: dict[str, list[Ask]] = {}
    for one in abilities:
        for symbol, ask in _asks(one, knowledge):
            asks.setdefault(symbol, []).append(ask)
    return tuple(
        Clash(symbol, tuple(dict.fromkeys(found)))
        for symbol, found in sorted(asks.items())
        if len({ask.on for ask in found}) > 1 and len({ask.program for ask in found}) > 1
    )


def _asks(one: Ability, knowledge: Knowledge) -> Iterator[tuple[str, Ask]]:
    program = one.program
    for judged in one.functions:
        for part in judged.function.parts:
            for symbol, on in _needed(part.needs, knowledge):
                yield symbol, Ask(program.id, judged.function.title, on, judged.function.why)
    for unasked in program.unasked:
        if unasked.kind == "wrong":
            for symbol in unasked.names:
                yield symbol, Ask(program.id, "", True, unasked.why)


def _needed(expr: Expr, knowledge: Knowledge) -> Iterator[tuple[str, bool]]:
    """Yield the symbols that a condition needs on or off, whatever else is so."""
    tag = operator_of(expr)
    if tag == "&":
        for part in operands(expr):
            yield from _needed(part, knowledge)
    elif tag == "on":
        yield term(expr)[1], True
    elif tag == "!" and operator_of(inner := operands(expr)[0]) == "on":
        yield term(inner)[1], False
    elif tag == "is" and term(expr)[2] == "=":
        _, name, _, value = term(expr)
        tunable = knowledge.tunable(name)
        if value in _OFF:
            ways = [way for one in tunable.values if one.name == value for way in one.sets]
            yield from ((symbol, False) for way in ways[:1] for symbol, text in way if text == "n")
        else:
            yield from ((symbol, True) for symbol in symbols_of(tunable, value))
