"""The lists of symbols, sysctls and boot words that the sources of programs have: each is accounted
for."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.effective.causes import own_parameters
from advisor.knowledge.documents import Documents, Problem
from advisor.knowledge.store import Knowledge
from advisor.lint.symbols import symbols_of
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.condition import Expr
from advisor.model.software import Function, Program
from advisor.model.sysctl import key_of


def check_lists(knowledge: Knowledge, documents: Documents) -> Iterator[Problem]:
    """Checks that each listed name is in a condition or in `unasked`, and none is in both."""
    for name in documents.programs:
        program = knowledge.program(name)
        if program is None:
            continue
        place = documents.places[f"software/{name}"]
        listed = {symbol for one in documents.lists.get(name, ()) for symbol in one.split()}
        needed, named = needs_of(program, knowledge), set(_named(program))
        unasked = [symbol for one in program.unasked for symbol in one.names]
        twice = sorted({symbol for symbol in unasked if unasked.count(symbol) > 1})
        # What a function asks of older kernels alone is obsolete, and needed there.
        kept = {s for one in program.unasked if one.kind != "obsolete" for s in one.names}
        for symbols, wrong in (
            (
                sorted(listed - needed - {*unasked}),
                "is listed, but neither needed nor in `unasked`",
            ),
            (sorted({*unasked} - listed), "is in `unasked`, but in no list"),
            (sorted(named & kept), "is needed, but also in `unasked`"),
            (twice, "is twice in `unasked`"),
        ):
            yield from ((place, f"the name {symbol} {wrong}") for symbol in symbols)


def _named(program: Program) -> Iterator[str]:
    """Yields the names that conditions have themselves, without those of tunables."""
    for function in program.functions:
        for part in function.parts:
            yield from _names(part.needs)


def _names(expr: Expr) -> Iterator[str]:
    """Yields the symbols of a condition, its sysctls, and its words of the boot line as `lsm=`."""
    yield from condition.symbols(expr)
    for kind, name, *_ in condition.atoms(expr):
        if kind == "boot":
            yield f"{parameter_name(name)}="
        elif kind == "shown":
            yield key_of(name)


def needs_of(program: Program, knowledge: Knowledge) -> set[str]:
    """Finds the symbols, sysctls and boot words that the functions of a program rest on, also by
    tunables."""
    return {name for function in program.functions for name in names_needed(function, knowledge)}


def names_needed(function: Function, knowledge: Knowledge) -> Iterator[str]:
    """Yields the names in a function's conditions, and those of the tunables in these."""
    for part in function.parts:
        yield from _names(part.needs)
        for kind, name, *_ in condition.atoms(part.needs):
            if kind == "is":
                tunable = knowledge.tunable(name)
                yield from (*symbols_of(tunable), *tunable.sysctls)
                yield from (f"{one}=" for one in own_parameters(tunable))
