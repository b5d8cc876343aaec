"""Which symbols of a tree something else has on: the architecture itself, or one other symbol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import kconfiglib

from advisor.tree.kconfig.parser import Parser
from advisor.tree.kconfig.questions import AnswerSymbol
from advisor.tree.kconfig.reach import Reach

ALWAYS = "y"
_SWITCHES = (kconfiglib.BOOL, kconfiglib.TRISTATE)
# What tells of the compiler and its tools, which files ask in words that become a plain y.
_TOOLS = ("CC_", "AS_", "LD_", "GCC", "CLANG", "RUST", "BINDGEN", "PAHOLE", "TOOLS_", "TOOLCHAIN_")


def brought(parser: Parser) -> Iterator[tuple[str, str]]:
    """Yield each switch that is on in every configuration with ALWAYS, and each that another one
    has on whatever else is set (`select` without a condition that may fail) with that other.

    Only what surely is so counts: a prompt, a toolchain's answer or a condition may come out either
    way.
    """
    known = _Settled(parser)
    for symbol in parser.unique_defined_syms:
        if symbol in known.settled:
            yield symbol.name, ALWAYS
        elif symbol in known.possible and symbol.orig_type in _SWITCHES:
            # One that is defined in several places may be on by any of these.
            nodes = [n for n in symbol.nodes if len(symbol.nodes) == 1 or known.holds(n.dep)]
            selects = (one for node in nodes for one in node.orig_selects)
            brings = {target for target, when in selects if known.holds(when) and target.nodes}
            for name in sorted(one.name for one in brings - known.settled):
                yield name, symbol.name


class _Settled:
    """What is on in every configuration, as far as it was found."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self.possible = Reach(parser).on
        self.settled: set[Any] = set()
        switches = (one for one in parser.unique_defined_syms if one.orig_type in _SWITCHES)
        left = [one for one in switches if not one.name.startswith(_TOOLS)]
        count = -1
        while count < len(self.settled):
            count = len(self.settled)
            self.settled.update(filter(self._is_on, left))
            left = [one for one in left if one not in self.settled]

    def _is_on(self, symbol: Any) -> bool:
        if any(map(self.holds, self._parser.selected.get(symbol, ()))):
            return True
        if symbol.choice or any(node.prompt for node in symbol.nodes):
            return False
        for value, when in symbol.defaults:
            if not self.holds(value):
                if not self._fails(when):
                    return False  # it may be the first that counts, and is off
            elif self.holds(when):
                return True
        return False

    def holds(self, expr: Any) -> bool:
        """Return whether the condition is so in every configuration."""
        return self._comes_to(expr, on=True)

    def _fails(self, expr: Any) -> bool:
        """Return whether the condition is not so in any configuration."""
        return self._comes_to(expr, on=False)

    def _comes_to(self, expr: Any, *, on: bool) -> bool:
        if not isinstance(expr, tuple):
            return self._is_settled(expr) if on else self._is_never_on(expr)
        operator, *operands = expr
        if operator is kconfiglib.NOT:
            return self._comes_to(operands[0], on=not on)
        if operator not in (kconfiglib.AND, kconfiglib.OR):
            return False
        joined = all if (operator is kconfiglib.AND) is on else any
        return joined(self._comes_to(one, on=on) for one in operands)

    def _is_settled(self, item: Any) -> bool:
        return item in self.settled or (_is_constant(item) and item.name == "y")

    def _is_never_on(self, item: Any) -> bool:
        if _is_constant(item):
            return bool(item.name == "n")
        if isinstance(item, AnswerSymbol | kconfiglib.Choice) or item.name.startswith(_TOOLS):
            return False
        is_test = item.name == "COMPILE_TEST"
        return item.orig_type in _SWITCHES and item not in self.possible and not is_test


def _is_constant(expr: Any) -> bool:
    is_symbol = isinstance(expr, kconfiglib.Symbol) and not isinstance(expr, AnswerSymbol)
    return is_symbol and bool(expr.is_constant)
