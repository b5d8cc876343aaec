"""Which symbols of a tree nothing can switch on for its architecture, whatever else is set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import kconfiglib

from advisor.tree.kconfig.parser import Parser
from advisor.tree.kconfig.questions import AnswerSymbol

# With it the drivers of all machines are built, for a test that they can be: they run nowhere.
_FOR_TESTS = "COMPILE_TEST"
_SWITCHES = (kconfiglib.BOOL, kconfiglib.TRISTATE)


def unreachable(parser: Parser) -> Iterator[str]:
    """The switches that are defined and can never be on: each prompt, default and select of theirs
    needs something that this architecture does not have.

    Found from below: only what rests on something that can be on can be on itself. What a condition
    wants off is taken as possible, and so is what a toolchain answers.
    """
    reach = Reach(parser)
    for symbol in parser.unique_defined_syms:
        if symbol.orig_type in _SWITCHES and symbol.name != _FOR_TESTS and symbol not in reach.on:
            yield symbol.name


class Reach:
    """What can be `on`, as far as it was found."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self.on: set[Any] = set()
        left = [one for one in parser.unique_defined_syms if one.name != _FOR_TESTS]
        found = True
        while found:
            found = False
            waiting = []
            for symbol in left:
                if self._can_be_on(symbol):
                    self.on.add(symbol)
                    found = True
                else:
                    waiting.append(symbol)
            left = waiting

    def _can_be_on(self, symbol: Any) -> bool:
        if any(node.prompt and self._possible(node.prompt[1]) for node in symbol.nodes):
            return True
        defaults = symbol.defaults
        switch = symbol.orig_type in _SWITCHES
        if any(self._possible(c) and (not switch or self._possible(v)) for v, c in defaults):
            return True
        if any(map(self._possible, self._parser.selected.get(symbol, ()))):
            return True
        implied = self._parser.implied.get(symbol, ())
        return any(map(self._possible, implied)) and self._possible(symbol.direct_dep)

    def _possible(self, expr: Any) -> bool:
        """Whether the condition may hold."""
        if not isinstance(expr, tuple):
            if isinstance(expr, kconfiglib.Choice):
                # A choice without a prompt is never asked, and takes its default.
                prompts = [node.prompt[1] for node in expr.nodes if node.prompt]
                return not prompts or any(map(self._possible, prompts))
            if isinstance(expr, AnswerSymbol) or expr in self.on:
                return True
            return bool(expr.is_constant and expr.name != "n")
        operator, *operands = expr
        if operator is kconfiglib.AND:
            return all(map(self._possible, operands))
        if operator is kconfiglib.OR:
            return any(map(self._possible, operands))
        if operator is kconfiglib.EQUAL and operands[1].name in ("y", "m"):
            return self._possible(operands[0])
        if operator is kconfiglib.UNEQUAL and operands[1].name == "n":
            return self._possible(operands[0])
        return True
