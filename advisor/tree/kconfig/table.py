"""A parsed tree as a flat table of names and numbers: what a parse comes to.

A table holds no text of a file but names, prompts and conditions' constants, and nothing that could
be executed. Symbols, choices and expressions share one row of numbers, in that order; what an
expression is made of stands before it. `restore.py` makes a parser of it again.

As bytes: a line of JSON with the texts and the length of each row of numbers, then those rows, as
32-bit integers in this machine's order of bytes.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

import kconfiglib

from advisor.tree.kconfig.parser import Parser
from advisor.tree.kconfig.questions import AnswerSymbol
from advisor.tree.kconfig.values import ValueSymbol

NOTHING = -1
DEFINED, UNDEFINED, CONSTANT, ANSWER = range(4)
"""The kinds of symbols."""


class Table(NamedTuple):
    """`texts` and `numbers` by name; each row of numbers is read in steps of so many:

    symbols 2 (kind, type), choices 3 (type, whether it may be empty, what it depends on), members 2
    (choice, symbol), expressions 3 (operator, left, right), depends 1 (of each defined symbol),
    nodes 7 (item or none for a menu, file, line, parent, what it depends on, prompt, its
    condition), defaults 3 (item, value, condition), ranges 4 (symbol, ends, condition), selects and
    implies 3 (symbol, target, condition), selected and implied 2 (target, expression), questions 2
    (symbol, symbol that asks), unwritten and transitional 1 (symbol).
    """

    texts: Mapping[str, list[Any]]
    numbers: Mapping[str, list[int]]


def table_of(parser: Parser) -> Table:
    """What a parse has come to; the values that a configuration gave are no part of it."""
    return _Writer(parser).table()


def packed(table: Table) -> bytes:
    """The table as bytes."""
    lengths = {name: len(row) for name, row in table.numbers.items()}
    head = json.dumps([table.texts, lengths], separators=(",", ":")).encode()
    return b"\n".join((head, b"".join(array("i", row).tobytes() for row in table.numbers.values())))


def unpacked(data: bytes) -> Table:
    """The table of packed(); raises ValueError where it is none."""
    head, _, rest = data.partition(b"\n")
    texts, lengths = json.loads(head)
    row = array("i")
    row.frombytes(rest)
    if len(row) != sum(lengths.values()):
        raise ValueError("its rows do not have the stated length")
    numbers, at = {}, 0
    for name, length in lengths.items():
        numbers[name] = row[at : at + length].tolist()
        at += length
    return Table(texts, numbers)


class _Writer:
    """Numbers all that a parser holds."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._symbols = [
            *parser.unique_defined_syms,
            *(symbol for symbol in parser.syms.values() if not symbol.nodes),
            *parser.const_syms.values(),
            *(query.symbol for query in parser.questions),
        ]
        items = [*self._symbols, *parser.unique_choices]
        self._numbers = {id(item): number for number, item in enumerate(items)}
        self._numbers[id(None)] = NOTHING
        self._count = len(items)
        self._expressions: list[int] = []
        self._alike: dict[tuple[int, int, int], int] = {}

    def table(self) -> Table:
        """All of it; the expressions last, when all were met."""
        parser, ref = self._parser, self._ref
        defined, choices = parser.unique_defined_syms, parser.unique_choices
        nodes, files, prompts = self._nodes((*defined, *choices))
        numbers: dict[str, list[int]] = {
            "symbols": _flat((_kind(symbol), symbol.orig_type) for symbol in self._symbols),
            "choices": _flat((c.orig_type, c.is_optional, ref(c.direct_dep)) for c in choices),
            "members": _flat((ref(c), ref(member)) for c in choices for member in c.syms),
            "depends": [ref(symbol.direct_dep) for symbol in defined],
            "nodes": nodes,
            "defaults": self._rows("defaults", (*defined, *choices)),
            "ranges": self._rows("ranges", defined),
            "selects": self._rows("selects", defined),
            "implies": self._rows("implies", defined),
            "selected": self._pairs(parser.selected),
            "implied": self._pairs(parser.implied),
            "questions": _flat((ref(one.symbol), ref(one.owner)) for one in parser.questions),
            "unwritten": [ref(symbol) for symbol in parser.unwritten],
            "transitional": [ref(symbol) for symbol in parser.transitional],
        }
        texts = {
            "symbols": [symbol.name for symbol in self._symbols],
            "choices": [choice.name for choice in choices],
            "files": files,
            "prompts": prompts,
            "questions": _flat(one.question for one in parser.questions),
            "notes": parser.notes,
        }
        return Table(texts, {**numbers, "expressions": self._expressions})

    def _rows(self, name: str, items: Iterable[Any]) -> list[int]:
        """Of each item, what its attribute lists."""
        ref = self._ref
        return [
            number
            for item in items
            for row in getattr(item, name)
            for number in (ref(item), *map(ref, row))
        ]

    def _pairs(self, by_target: Mapping[Any, list[Any]]) -> list[int]:
        ref = self._ref
        return _flat((ref(target), ref(one)) for target, all_ in by_target.items() for one in all_)

    def _ref(self, item: Any) -> int:
        """The number of a symbol, choice or expression; expressions that are alike have one."""
        number = self._numbers.get(id(item))
        if number is None:
            operator, left, *right = item
            row = (operator, self._ref(left), self._ref(right[0]) if right else NOTHING)
            number = self._alike.get(row)
            if number is None:
                number = self._alike[row] = self._count + len(self._alike)
                self._expressions += row
            self._numbers[id(item)] = number
        return number

    def _nodes(self, items: Iterable[Any]) -> tuple[list[int], list[str], list[str]]:
        """The places that define the items, each behind its menu; the files and prompts there."""
        files: dict[str, int] = {}
        prompts: list[str] = []
        known: dict[int, int] = {id(None): NOTHING}
        rows: list[int] = []
        ref, menu = self._ref, kconfiglib.MENU
        waiting = [node for item in items for node in item.nodes]
        waiting.reverse()
        while waiting:
            node = waiting[-1]
            parent = known.get(id(node.parent))
            if parent is None:
                waiting.append(node.parent)
                continue
            waiting.pop()
            if id(node) in known:
                continue
            known[id(node)] = len(known) - 1
            prompt, condition = NOTHING, None
            if node.prompt:
                prompt, condition = len(prompts), node.prompt[1]
                prompts.append(node.prompt[0])
            file = files.setdefault(node.filename, len(files))
            item = NOTHING if node.item is menu else ref(node.item)
            rows += (item, file, node.linenr, parent, ref(node.dep), prompt, ref(condition))
        return rows, list(files), prompts


def _kind(symbol: Any) -> int:
    if isinstance(symbol, ValueSymbol):
        return DEFINED
    if isinstance(symbol, AnswerSymbol):
        return ANSWER
    return CONSTANT if symbol.is_constant else UNDEFINED


def _flat(rows: Iterable[Iterable[Any]]) -> list[Any]:
    return list(chain.from_iterable(rows))
