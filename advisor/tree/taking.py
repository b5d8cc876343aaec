"""The lines of a configuration, as a tree takes them: users' values, and what becomes of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import kconfiglib

from advisor.errors import TreeError
from advisor.inputs.config import KernelConfig
from advisor.model.kernel import InputNote, Severity, unquote
from advisor.tree.kconfig.parser import Parser


def symbol_of(parser: Parser, symbol: str) -> Any:
    """kconfiglib's object; None too for a name that only expressions use."""
    known = parser.syms.get(symbol)
    return known if known is not None and known.nodes else None


def take(parser: Parser, config: KernelConfig, serial: int) -> tuple[list[InputNote], int]:
    """Makes the configuration's lines the users' values; returns those that cannot be, and the
    number of the last line of a choice, of which the first follows `serial`."""
    for symbol in parser.unique_defined_syms:
        symbol.user_value = None
    parser.serials.clear()
    notes: list[InputNote] = []
    for name in config.symbols():
        symbol = symbol_of(parser, name)
        value = config.get(name) or ""
        if symbol is None:
            notes.append(_note("unknown-symbol", config, name, value, "is not in this tree"))
            continue
        given = user_value(symbol, value)
        if given is None:
            if value != "n":
                why = f"is no value for a {kconfiglib.TYPE_TO_STR[symbol.orig_type]}"
                notes.append(_note("invalid-value", config, name, value, why))
            continue
        symbol.user_value = given
        if symbol.choice:
            serial += 1
            parser.serials[symbol] = serial
    for choice in parser.unique_choices:
        choice.adopt()
    parser._invalidate_all()
    return notes, serial


def misread(parser: Parser, config: KernelConfig, renames: Mapping[str, str]) -> list[InputNote]:
    """Works all values out; returns the lines that the tree reads as something else."""
    notes = []
    with no_circle():
        # In the order of the files, which keeps the recursion low.
        for symbol in parser.unique_defined_syms:
            value = symbol.str_value
            if symbol.ranges and symbol.user_value not in (None, value) and symbol.visibility:
                why = f"is out of range here and becomes {value}"
                old = str(symbol.user_value)
                notes.append(_note("out-of-range", config, symbol.name, old, why))
    for old, new in renames.items():
        if config.shows(old):
            why = f"is called {new} in this tree"
            notes.append(_note("renamed-symbol", config, old, config.get(old) or "", why))
    return notes


def user_value(symbol: Any, value: str) -> Any:
    """What conf_set_sym_val() of confdata.c makes of a line's value; None if it takes it not."""
    kind = symbol.orig_type
    if kind is kconfiglib.BOOL or kind is kconfiglib.TRISTATE:
        number = kconfiglib.STR_TO_TRI.get(value)
        return None if number == 1 and kind is kconfiglib.BOOL else number
    if kind is kconfiglib.STRING:
        return unquote(value) if value[:1] == '"' else None
    pattern = _INT if kind is kconfiglib.INT else _HEX
    return value if pattern.fullmatch(value) else None


# sym_string_valid() of symbol.c.
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]+")


def _note(kind: str, config: KernelConfig, symbol: str, value: str, why: str) -> InputNote:
    """A line of the configuration that does not come out as it is written."""
    # That a value is none of the type is worse in a file than in what a tree makes of it.
    severity = Severity.WARNING if kind == "invalid-value" else None
    where = config.entry(symbol).location
    return InputNote(kind, where, f"CONFIG_{symbol}={value[:60]} {why}", symbol, severity)


@contextmanager
def no_circle() -> Iterator[None]:
    """Turns what evaluation cannot bear into a TreeError."""
    try:
        yield
    except RecursionError as error:
        raise TreeError(
            "symbols depend on each other in a circle, or nest too deeply",
            where="Kconfig",
            hint="the tree's own `make olddefconfig` names these symbols",
        ) from error
