"""What a kernel tree says: of a fragment's lines, and of one symbol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from advisor.model.kernel import assignment
from advisor.model.tree import LineOutcome, LineResult, Selector, SideEffect, SymbolFacts, TreeUse
from advisor.output import Style, encoding, factwords, json, treewords
from advisor.output.text import wrapped

CHECK_SCHEMA = "kernel-advisor/check/v1"
_MOST = 6


class Checked(NamedTuple):
    """A fragment, checked: on which configuration, in which tree, with what side effects."""

    fragment: str
    base: str
    proof: str
    tree: TreeUse
    results: tuple[LineResult, ...]
    effects: tuple[SideEffect, ...]


def check_text(checked: Checked, style: Style) -> str:
    """Return the lines that do not hold, with cause and remedy, and the number of the others."""
    return "\n".join(_check(checked, style)) + "\n"


def _check(checked: Checked, style: Style) -> Iterable[str]:
    use = checked.tree
    yield from wrapped("fragment", f"{checked.fragment}, on {checked.base}", style, 0)
    yield from wrapped(
        "tree", f"{treewords.tree(use)} ({factwords.proof(checked.proof, use)})", style, 0
    )
    for warning in use.warnings:
        yield from wrapped("warning", warning, style, 0)
    for result in checked.results:
        if result.outcome is LineOutcome.DROPPED:
            yield from ("", *_dropped(result, style))
    if effects := treewords.effects(checked.effects, all_of_them=style.verbose):
        yield from ("", "side effects")
        for title, items in effects:
            yield from wrapped("-", f"{title}: {items}", style, 2, 2)
    yield ""
    yield from _rest(checked, style)
    counts = Counter(result.outcome for result in checked.results)
    yield ", ".join(f"{outcome.value}: {counts[outcome]}" for outcome in LineOutcome)


def _rest(checked: Checked, style: Style) -> Iterable[str]:
    """Yield the lines that hold, and what was taken for granted."""
    if not style.verbose:
        if checked.tree.assumed:
            yield from wrapped("assumed", treewords.assumed(checked.tree), style, 0)
        return
    for result in checked.results:
        if result.outcome is not LineOutcome.DROPPED:
            yield from wrapped(result.outcome.value, _line(result), style, 0, 12)
    for subject, value, source in checked.tree.assumed:
        yield from wrapped("assumed", f"{subject} = {value}, {source}", style, 0, 12)


def _line(result: LineResult) -> str:
    old = f", which is called {result.renamed} in this tree" if result.renamed else ""
    return f"{assignment(result.symbol, result.value)}{old} (line {result.location.line})"


def _dropped(result: LineResult, style: Style) -> Iterable[str]:
    yield from wrapped("DROPPED", f"{_line(result)}: becomes {result.result}", style, 0)
    yield from wrapped("because", result.reason, style)
    if result.remedy:
        lines = ", ".join(assignment(symbol, value) for symbol, value in result.remedy)
        beside = ", in addition to what the other lines need" if result.with_others else ""
        yield from wrapped("add", f"{lines}{beside}", style)
    elif result.with_others:
        yield from wrapped("add", "nothing more: the other lines need the same additions", style)


def check_json(checked: Checked, style: Style) -> str:
    """Return the same as a versioned JSON document."""
    return encoding.json_text(encoding.document(CHECK_SCHEMA, encoding.encoder(SHAPES)(checked)))


SHAPES: encoding.Shapes = {
    **json.SHAPES,
    Checked: "fragment base proof tree lines=results side_effects=effects",
    LineResult: (
        "symbol value path=location.path line=location.line outcome result renamed reason",
        ("remedy", lambda result: dict(result.remedy)),
        "with_others",
    ),
}
"""What a document has of each record of a check."""


def symbol(facts: SymbolFacts, tree: str, style: Style) -> str:
    """Return a symbol as the tree has it: type, prompt, what it needs, what selects it, where."""
    return "\n".join(_symbol(facts, tree, style)) + "\n"


def _symbol(facts: SymbolFacts, tree: str, style: Style) -> Iterable[str]:
    yield f"{facts.name} in {tree}"
    yield from wrapped("type", f"{facts.type}, now {facts.value}", style)
    for definition in facts.definitions:
        prompt = f'"{definition.prompt}"' if definition.prompt else "no prompt: nobody can set it"
        if definition.prompt_condition not in ("", "y"):
            prompt += f" if {definition.prompt_condition}"
        yield from wrapped("defined", f"{definition.where}: {prompt}", style)
        for line in definition.lines:
            yield from wrapped("needs", f"{line.text} ({line.where})", style)
    lists = {
        "unmet": facts.unmet,
        "choice": [name for name in facts.choice if name != facts.name],
        "selected": _selectors(facts.selected_by),
        "implied": _selectors(facts.implied_by),
        "selects": facts.selects,
        "range": facts.ranges,
        "default": facts.defaults[:_MOST],
    }
    for label, texts in lists.items():
        if texts:
            yield from wrapped(label, ", ".join(texts), style)


def _selectors(selectors: tuple[Selector, ...]) -> list[str]:
    """Return the selectors that are on, or else the first that could be."""
    first = [s for s in selectors if s.now != "n"] or selectors[:_MOST]
    texts = [f"by {s.symbol}{'' if s.now != 'n' else ' (not now)'} ({s.where})" for s in first]
    more = len(selectors) - len(first)
    return texts + [f"and {more} more"] * bool(more)
