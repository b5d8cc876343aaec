"""Why a line does not hold in a kernel tree, in a sentence with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.model.kernel import Location
from advisor.model.tree import ONLY_A_MODULE

if TYPE_CHECKING:
    from advisor.model.tree import SymbolFacts
    from advisor.tree.kerneltree import KernelTree

_TOOLS = {"PAHOLE_VERSION": "pahole", "RUSTC_VERSION": "rustc"}
"""Tools whose version Kconfig records, 0 where a tool is missing."""


def why_not(tree: KernelTree, symbol: str, value: str) -> str:
    """Why a line does not hold now: in one sentence, with file and line of the tree."""
    facts = tree.about(symbol)
    if facts is None:
        return f"{symbol} is not in this tree"
    where = facts.definitions[0].where
    if wrong := _no_value(facts, value):
        return f"{symbol} is {'an' * (facts.type == 'int') or 'a'} {facts.type} ({where}): {wrong}"
    if forced := _forced(tree, facts, value):
        return f"{symbol} cannot be {value}: {forced}"
    if needs := lacking(facts):
        return f"{symbol} needs {needs[0]} ({needs[1]}){_missing_tool(tree, needs[0])}"
    if not any(definition.prompt for definition in facts.definitions):
        names = [s.symbol for s in facts.selected_by]
        by = f"only {', '.join(names[:4])} can select it" if names else "its defaults decide"
        return f"{symbol} has no prompt ({where}): {by}"
    if facts.visible == "n":
        prompts = [d.prompt_condition for d in facts.definitions if d.prompt_condition]
        condition = prompts[0] if prompts else "hidden"
        return f"{symbol} has no visible prompt now ({where}): {condition}"
    if facts.type not in ("bool", "tristate") and facts.ranges:
        return f"{value} is outside the range of {symbol}, {facts.ranges[0]} ({where})"
    if value == "y" and facts.visible == "m":
        return f"{symbol} {ONLY_A_MODULE}: a dependency is m ({where})"
    chosen = next((s for s in facts.choice if s != symbol and tree.value(s) == "y"), "")
    if chosen:
        return f"{chosen}=y is the selected member of the choice of {symbol} ({where})"
    return f"{symbol} stays {facts.value} ({where})"


def _missing_tool(tree: KernelTree, needs: str) -> str:
    """Which tool is to be installed that the configuration records as missing, if one is needed."""
    for symbol, tool in _TOOLS.items():
        if re.search(rf"\b{symbol}\b", needs) and tree.value(symbol) == "0":
            return f"; {symbol} is 0: install {tool}, and configure the kernel again"
    return ""


def _no_value(facts: SymbolFacts, value: str) -> str:
    """Why a value is none of the symbol's type (sym_string_valid() of symbol.c), if it is so."""
    if facts.type != "string" and value[:1] == '"':
        return f"write {value.strip(chr(34))} without the quotes"
    return f"{value} is no value of a bool" * (facts.type == "bool" and value not in ("y", "n"))


def _forced(tree: KernelTree, facts: SymbolFacts, value: str) -> str:
    """What makes a symbol stronger than the value, whatever it needs itself."""
    if value == "m" and facts.type == "tristate" and (modules := tree.lacks_modules):
        return f"{modules} is n, so no symbol can be a module"
    stronger = {"n": ("m", "y"), "m": ("y",)}.get(value, ())
    active = [selector for selector in facts.selected_by if selector.now in stronger]
    return ", ".join(f"{one.symbol} selects it ({one.where})" for one in active[:3])


def lacking(facts: SymbolFacts) -> tuple[str, Location] | None:
    """What a symbol needs and does not have now, and the line that says so; None if nothing."""
    if not facts.unmet:
        return None
    lines = [line for d in facts.definitions for line in d.lines]
    telling = [line for line in lines if facts.unmet[0].split()[0].strip("!(") in line.text]
    unmet = [f"({term})" if "||" in term else term for term in facts.unmet]
    where = (telling or lines)[0].where if lines else facts.definitions[0].where
    return " && ".join(unmet), where


def gates(tree: KernelTree, symbols: Iterable[str]) -> list[str]:
    """The symbols that are off and need nothing themselves, on which what these lack rests."""
    found: dict[str, None] = {}
    left, seen = [*symbols], set[str]()
    while left:
        symbol = left.pop(0)
        facts = tree.about(symbol)
        if symbol in seen or facts is None:
            continue
        seen.add(symbol)
        lacked = [term for term in facts.unmet if tree.defines(term)]
        left += lacked
        if not facts.unmet and tree.prompted(symbol) and tree.line(symbol) == "n":
            found[symbol] = None
    return [*found]
