"""What one program needs on and another one off: shown with both reasons, settled by nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.effective.world import World
from advisor.engine.remedy.conditions import symbols_of
from advisor.knowledge.store import Knowledge
from advisor.model.condition import Expr, operands, operator_of, term
from advisor.model.finding import Diagnostic, Finding, Verdict, diagnostic
from advisor.model.kernel import Location
from advisor.model.profile import REQUIRES, Advice, Stance
from advisor.model.software import Ability, Ask, Clash, Function, Program

_OFF = ("n", "off")
_WORKLOAD = "the workload"


def clashes(abilities: Sequence[Ability], knowledge: Knowledge) -> tuple[Clash, ...]:
    """Return the symbols of which one program asks for the opposite of what another one does, with
    what its own list asks for and no function of it rests on."""
    return _clashing(
        ask
        for one in abilities
        for ask in _asks(one.program, [judged.function for judged in one.functions], knowledge)
    )


def disagreeing(findings: Iterable[Finding], world: World) -> Iterator[Diagnostic]:
    """Report what one required program asks for, and another one or a profile for the opposite."""
    knowledge, asks = world.knowledge, list[tuple[str, Ask]]()
    functions: dict[str, list[str]] = {}
    for finding in findings:
        advice = finding.advice
        if finding.is_left or finding.verdict is Verdict.NOT_APPLICABLE:
            continue
        if advice.profile.startswith(REQUIRES):
            functions.setdefault(advice.profile.removeprefix(REQUIRES), []).append(advice.id)
        else:
            asks += _of_profile(advice, knowledge)
    for name, ids in functions.items():
        if program := knowledge.program(name):
            asks += _asks(program, [one for one in program.functions if one.id in ids], knowledge)
    for clash in _clashing(asks):
        if any(ask.program in functions for ask in clash.asks):
            told = ". ".join(ask.told.rstrip(".") for ask in clash.asks)
            place = Location(world.subject.name)
            message = f"{clash.symbol}: {told}"
            yield diagnostic("programs-disagree", place, message, subject=clash.symbol)


def _of_profile(advice: Advice, knowledge: Knowledge) -> Iterator[tuple[str, Ask]]:
    """Yield what an advice that takes one value alone asks for."""
    option = advice.options[0]
    is_alone = len(advice.options) == 1 == len(option.want) and not option.accept
    if advice.stance is Stance.WANT and is_alone:
        for symbol, on in _needed(["is", option.tunable, "=", option.want[0]], knowledge):
            yield symbol, Ask(advice.profile, _WORKLOAD, on, advice.why)


def _clashing(found: Iterable[tuple[str, Ask]]) -> tuple[Clash, ...]:
    asks: dict[str, list[Ask]] = {}
    for symbol, ask in found:
        asks.setdefault(symbol, []).append(ask)
    return tuple(
        Clash(symbol, tuple(dict.fromkeys(found)))
        for symbol, found in sorted(asks.items())
        if len({ask.on for ask in found}) > 1 and len({ask.program for ask in found}) > 1
    )


def _asks(
    program: Program, functions: Iterable[Function], knowledge: Knowledge
) -> Iterator[tuple[str, Ask]]:
    for function in functions:
        for part in function.parts:
            for symbol, on in _needed(part.needs, knowledge):
                yield symbol, Ask(program.id, function.title, on, function.why)
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
