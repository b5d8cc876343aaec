"""A parser made from the table of an earlier parse, in an eighth of the time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import kconfiglib

from advisor.tree.kconfig.macros import Context
from advisor.tree.kconfig.parser import Parser
from advisor.tree.kconfig.questions import AnswerSymbol, AskedQuestion
from advisor.tree.kconfig.table import ANSWER, CONSTANT, DEFINED, UNDEFINED, Table
from advisor.tree.kconfig.values import Choice, Dialect, OldChoice, ValueSymbol
from advisor.tree.toolchain import Question


def parser_of(table: Table, context: Context, dialect: Dialect) -> Parser:
    """The parser as it was when the table was made of it, with no value worked out.

    Raises KeyError, IndexError, TypeError or ValueError where the table is none of table_of().
    """
    restored = _Restored(table, Parser(context), dialect)
    restored.expressions()
    restored.nodes()
    restored.properties()
    restored.rest(context)
    return restored.parser


class _Restored:
    """A parser while it is filled; `_items` are symbols, choices and expressions by number."""

    def __init__(self, table: Table, parser: Parser, dialect: Dialect) -> None:
        self.parser = parser
        self._texts, self._numbers = table
        parser.dialect = dialect
        self._items = self._symbols()
        self._choices()

    def _rows(self, name: str, width: int) -> Iterator[tuple[int, ...]]:
        return zip(*[iter(self._numbers[name])] * width, strict=True)

    def _symbols(self) -> list[Any]:
        """All symbols, with the parser's own tables of them."""
        parser, items = self.parser, []
        classes = {DEFINED: ValueSymbol, ANSWER: AnswerSymbol}
        n, y_m_n = parser.n, dict(parser.const_syms)
        syms, defined = {}, []
        for name, (kind, type_) in zip(
            self._texts["symbols"], self._rows("symbols", 2), strict=True
        ):
            if kind == CONSTANT and name in y_m_n:
                items.append(y_m_n[name])
                continue
            symbol = classes.get(kind, kconfiglib.Symbol)()
            symbol.kconfig, symbol.name, symbol.orig_type = parser, name, type_
            symbol.direct_dep = symbol.rev_dep = symbol.weak_rev_dep = n
            symbol.is_constant = kind in (CONSTANT, ANSWER)
            items.append(symbol)
            if kind == DEFINED:
                defined.append(symbol)
            if kind in (DEFINED, UNDEFINED):
                syms[name] = symbol
            elif kind == CONSTANT:
                parser.const_syms[name] = symbol
        parser.syms, parser.unique_defined_syms = syms, defined
        parser.modules = syms["MODULES"]
        return items

    def _choices(self) -> None:
        parser, items = self.parser, self._items
        kind = Choice if parser.dialect.modern_choices else OldChoice
        parser.unique_choices = choices = [kind() for _ in self._texts["choices"]]
        for choice, name in zip(choices, self._texts["choices"], strict=True):
            choice.kconfig, choice.name = parser, name
        items += choices
        for number, member in self._rows("members", 2):
            items[number].syms.append(items[member])
            items[member].choice = items[number]

    def expressions(self) -> None:
        """What symbols are joined to, in tuples as kconfiglib has them."""
        items = self._items
        for operator, left, right in self._rows("expressions", 3):
            if right < 0:
                items.append((operator, items[left]))
            else:
                items.append((operator, items[left], items[right]))

    def nodes(self) -> None:
        """The places that define something, with what facts and values look for there."""
        parser, items = self.parser, self._items
        files, prompts = self._texts["files"], self._texts["prompts"]
        kind = kconfiglib.MenuNode
        nodes: list[Any] = []
        make = kind.__new__
        for item, file, line, parent, depends, prompt, condition in self._rows("nodes", 7):
            node = make(kind)
            node.kconfig, node.filename, node.linenr = parser, files[file], line
            node.parent = None if parent < 0 else nodes[parent]
            node.dep = items[depends]
            node.prompt = None if prompt < 0 else (prompts[prompt], items[condition])
            nodes.append(node)
            if item < 0:
                node.item = kconfiglib.MENU
            else:
                node.item = items[item]
                items[item].nodes.append(node)

    def properties(self) -> None:
        """What symbols and choices depend on, come to, and do to others."""
        parser, items = self.parser, self._items
        for symbol, number in zip(
            parser.unique_defined_syms, self._numbers["depends"], strict=True
        ):
            symbol.direct_dep = items[number]
        rows = self._rows("choices", 3)
        for choice, (type_, optional, depends) in zip(parser.unique_choices, rows, strict=True):
            choice.orig_type, choice.is_optional = type_, bool(optional)
            choice.direct_dep = items[depends]
        for item, value, condition in self._rows("defaults", 3):
            items[item].defaults.append((items[value], items[condition]))
        for item, low, high, condition in self._rows("ranges", 4):
            items[item].ranges.append((items[low], items[high], items[condition]))
        for item, target, condition in self._rows("selects", 3):
            items[item].selects.append((items[target], items[condition]))
        for item, target, condition in self._rows("implies", 3):
            items[item].implies.append((items[target], items[condition]))
        for target, expression in self._rows("selected", 2):
            parser.selected.setdefault(items[target], []).append(items[expression])
        for target, expression in self._rows("implied", 2):
            parser.implied.setdefault(items[target], []).append(items[expression])
        parser.reverse()

    def rest(self, context: Context) -> None:
        """The questions, still open, and what else a parse notes."""
        parser, items, numbers = self.parser, self._items, self._numbers
        parser.unwritten = {items[number] for number in numbers["unwritten"]}
        parser.transitional = [items[number] for number in numbers["transitional"]]
        parser.notes = list(self._texts["notes"])
        texts = zip(*[iter(self._texts["questions"])] * 3, strict=True)
        for (number, owner), question in zip(self._rows("questions", 2), texts, strict=True):
            asks = None if owner < 0 else items[owner]
            asked = AskedQuestion(items[number], Question(*question), asks)
            asked.guess(context.toolchain)
            parser.questions.append(asked)
