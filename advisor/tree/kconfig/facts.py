"""What a tree says of one symbol: for a report that must show why, and where to check it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import reduce
from typing import Any, NamedTuple

import kconfiglib
from kconfiglib import expr_value

from advisor.model.kernel import Location
from advisor.model.tree import Definition, KconfigLine, Selector, SymbolFacts
from advisor.tree.files import TreeFiles
from advisor.tree.kconfig.parser import Parser
from advisor.tree.kconfig.values import spelled

# What begins the next entry of a file, and so ends the one before.
_ENTRY = re.compile(r"\s*(?:(?:menu)?config|(?:end)?(?:choice|menu|if)|source|comment)\b")


class Declaration(NamedTuple):
    """A symbol without its state: `prompt` if a user can set it under some condition, `old` if it
    only takes a value under an old name; `choice` is the first member of its choice.
    """

    name: str
    type: str
    prompt: bool
    old: bool
    choice: str


def facts(parser: Parser, files: TreeFiles, symbol: Any) -> SymbolFacts:
    """All that the tree says of a defined symbol."""
    sources = _Sources(files)
    return SymbolFacts(
        name=symbol.name,
        type=kconfiglib.TYPE_TO_STR[symbol.orig_type],
        value=spelled(symbol),
        visible=kconfiglib.TRI_TO_STR[symbol.visibility],
        depends=_text(symbol.direct_dep),
        unmet=unmet(symbol),
        definitions=tuple(
            Definition(
                Location(node.filename, node.linenr),
                node.prompt[0] if node.prompt else "",
                _text(node.prompt[1] if node.prompt else parser.y),
                _text(node.dep),
                sources.lines(node, r"depends\s+on\b.*"),
            )
            for node in symbol.nodes
        ),
        selected_by=_selectors(parser.selected.get(symbol, ()), symbol, "select", sources),
        implied_by=_selectors(parser.implied.get(symbol, ()), symbol, "imply", sources),
        selects=tuple(dict.fromkeys(target.name for target, _ in symbol.selects)),
        choice=tuple(member.name for member in symbol.choice.syms) if symbol.choice else (),
        ranges=tuple(
            _conditional(f"{_name(low)} {_name(high)}", condition, parser)
            for low, high, condition in symbol.ranges
        ),
        defaults=tuple(
            _conditional(_text(default), condition, parser)
            for default, condition in symbol.defaults
        ),
    )


def declarations(parser: Parser) -> Iterator[Declaration]:
    """Every symbol that the tree defines for its architecture."""
    old = set(parser.transitional)
    for symbol in parser.unique_defined_syms:
        members = symbol.choice.syms if symbol.choice else ()
        yield Declaration(
            symbol.name,
            kconfiglib.TYPE_TO_STR[symbol.orig_type],
            any(node.prompt for node in symbol.nodes) and symbol not in old,
            symbol in old,
            members[0].name if members else "",
        )


def menus(parser: Parser) -> dict[str, str]:
    """The menu of every symbol, as `A > B`: where its first definition with a prompt stands."""
    menu_of = {}
    for symbol in parser.unique_defined_syms:
        node = next((node for node in symbol.nodes if node.prompt), symbol.nodes[0])
        path: list[str] = []
        # The outermost node is the file itself: its title, the mainmenu, is on no path.
        while (node := node.parent) is not None and node.parent is not None:
            if node.item == kconfiglib.MENU:
                path.insert(0, node.prompt[0])
        menu_of[symbol.name] = " > ".join(path)
    return menu_of


def hanging(parser: Parser) -> Counter[str]:
    """How many definitions stand in the menu of each symbol, which it opens, or that grows below
    it of what depends on it."""
    below: Counter[str] = Counter()
    for symbol in parser.unique_defined_syms:
        for node in symbol.nodes:
            while (node := node.parent) is not None:
                if isinstance(node.item, kconfiglib.Symbol):
                    below[node.item.name] += 1
    return below


def _selectors(
    expressions: Any, target: Any, keyword: str, sources: _Sources
) -> tuple[Selector, ...]:
    selectors = []
    for expr in expressions:
        symbol, condition = (expr[1], _text(expr[2])) if isinstance(expr, tuple) else (expr, "")
        if symbol.nodes:  # else its condition is never true
            now = kconfiglib.TRI_TO_STR[expr_value(expr)]
            where = _where(symbol, target, keyword, sources)
            selectors.append(Selector(symbol.name, condition, now, where))
    return tuple(selectors)


def _where(symbol: Any, target: Any, keyword: str, sources: _Sources) -> Location:
    """The line that selects; that of the definition where it is not found."""
    for node in symbol.nodes:
        if lines := sources.lines(node, rf"{keyword}\s+{re.escape(target.name)}\b.*"):
            return lines[0].where
    return Location(symbol.nodes[0].filename, symbol.nodes[0].linenr)


def unmet(symbol: Any) -> tuple[str, ...]:
    """What keeps a user from setting it; of a symbol without a prompt, those that keep it off."""
    if symbol.visibility:
        return ()
    # A prompt's condition has the dependencies in it: menu_finalize() joins them.
    conditions = [node.prompt[1] for node in symbol.nodes if node.prompt] or [symbol.direct_dep]
    terms = (term for condition in conditions for term in _unmet_terms(condition))
    return tuple(dict.fromkeys(terms))


def _unmet_terms(expr: Any) -> tuple[str, ...]:
    """The terms joined by && that are n now; all of it where it is no such list."""
    if isinstance(expr, tuple) and expr[0] is kconfiglib.AND:
        return tuple(dict.fromkeys(_unmet_terms(expr[1]) + _unmet_terms(expr[2])))
    return () if expr_value(expr) else (_text(expr),)


def _conditional(text: str, condition: Any, parser: Parser) -> str:
    return text if condition is parser.y else f"{text} if {_text(condition)}"


def _text(expr: Any) -> str:
    return str(kconfiglib.expr_str(_without_choices(expr), _name))


def _without_choices(expr: Any) -> Any:
    """The expression with what a choice is asked under in place of the choice: its members depend
    on it before 6.11."""
    if isinstance(expr, kconfiglib.Choice):
        prompts = [_without_choices(node.prompt[1]) for node in expr.nodes if node.prompt]
        return reduce(expr.kconfig._make_or, prompts) if prompts else expr
    if not isinstance(expr, tuple) or expr[0] not in (kconfiglib.AND, kconfiglib.OR):
        return expr
    symbol = next(iter(kconfiglib.expr_items(expr)))
    join = symbol.kconfig._make_and if expr[0] is kconfiglib.AND else symbol.kconfig._make_or
    return join(*map(_without_choices, expr[1:]))


def _name(item: Any) -> str:
    """A symbol as Kconfig writes it; a choice that is never asked by what it is."""
    if isinstance(item, kconfiglib.Choice):
        return "<choice>"
    if item.is_constant and item.name not in kconfiglib.STR_TO_TRI and item.name[:2] != "$(":
        return f'"{item.name}"'
    return str(item.name)


class _Sources:
    """The files of the tree, read once more where a line is looked for."""

    def __init__(self, files: TreeFiles) -> None:
        self._files = files
        self._read: dict[str, list[str]] = {}

    def lines(self, node: Any, pattern: str) -> tuple[KconfigLine, ...]:
        """The lines of that entry which match."""
        name = node.filename
        if name not in self._read:
            self._read[name] = self._files.text(name).split("\n")
        wanted = re.compile(r"\s+" + pattern)
        matching = []
        for number, line in enumerate(self._read[name][node.linenr :], node.linenr + 1):
            if wanted.match(line):
                matching.append(KconfigLine(line.strip(), Location(name, number)))
            # A help text may quote Kconfig lines: what follows it is not the entry's any more.
            elif _ENTRY.match(line) or line.strip() in ("help", "---help---"):
                break
        return tuple(matching)
