"""What a tunable says of its symbols, held against one kernel tree and architecture: their types,
ranges, prompts, choices and defaults, and what conditions ask of symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.lint.symbols import conditions
from advisor.lint.view import Checked, Contradiction, TreeView, in_time, usable
from advisor.model import condition
from advisor.model.condition import Expr, Term
from advisor.model.numbers import kernel_number
from advisor.model.tree import Assignment
from advisor.model.tunable import Tunable, TunableNotes, Value

_TRISTATE = ("bool", "tristate")
_NUMBER = {"int": re.compile(r"-?\d+"), "hex": re.compile(r"0[xX][0-9a-fA-F]+")}
_PLAIN_RANGE = re.compile(r"(-?\d+|0[xX][0-9a-fA-F]+) (-?\d+|0[xX][0-9a-fA-F]+)")


def tunable_facts(tunable: Tunable, notes: TunableNotes, view: TreeView) -> Checked:
    """Checks all that a tunable says about symbols that this tree has."""
    rule = f"tunable/{tunable.id}"
    if not in_time(notes.since, "", view.tree.version.numbers):
        yield _out_of_time(rule, tunable, notes, view)
        return
    for expr in conditions(tunable):
        yield from condition_facts(expr, rule, view)
    if not view.possible(tunable.only_if):
        return
    yield from _choice(rule, tunable, view)
    for value in tunable.values:
        if view.possible(value.requires):
            yield from _value(rule, value, view)
    for member in tunable.members:
        if name := view.spelled(member.symbol):
            yield _of_type(rule, name, _TRISTATE, view)
    if tunable.symbol and (name := view.spelled(tunable.symbol)):
        yield _of_type(rule, name, ("int", "hex", "string"), view)
        if not view.tree.prompted(name):
            yield _unprompted(rule, [(name, "...")], view)
        yield _default(rule, tunable.default, name, view)


def _out_of_time(
    rule: str, tunable: Tunable, notes: TunableNotes, view: TreeView
) -> Contradiction | None:
    """Checks that what `since` excludes is not in this tree, by its symbols."""
    # Only the first way to have the first value: others may be those of older kernels.
    pairs = next((pairs for value in tunable.values for pairs in value.sets), ())
    there = [symbol for symbol, text in pairs if text != "n" and view.defines(symbol)]
    if not there or len(there) < len(pairs):
        return None
    says = f"{there[0]} exists since {notes.since}"
    return view.against("since", rule, there[0], says, f"the tree has {there[0]}")


def condition_facts(expr: Expr, rule: str, view: TreeView) -> Checked:
    """Checks that a condition compares every symbol that it comes to with a value of the
    symbol's type."""
    for atom in _undecided(expr, view):
        if atom[0] not in ("on", "sym") or not view.defines(atom[1]):
            continue
        kind = view.facts(atom[1]).type
        logical = atom[0] == "on" or atom[3] in ("y", "m", "n")
        if (kind in _TRISTATE) is logical:
            yield None
        else:
            says = f"a condition asks whether {condition.show(atom)}"
            yield view.against("type", rule, atom[1], says, f"{atom[1]} is of the type {kind}")


def _undecided(expr: Expr, view: TreeView) -> Iterator[Term]:
    """Yields the terms that still count once version and architecture are known."""
    if expr is None:
        return
    tag = condition.operator_of(expr)
    if tag in condition.OPERATORS:
        parts = condition.operands(expr)
        if tag == "!" or not any(view.truth(part) is (tag == "|") for part in parts):
            for part in parts:
                yield from _undecided(part, view)
    else:
        yield condition.term(expr)


def _choice(rule: str, tunable: Tunable, view: TreeView) -> Checked:
    """Checks that the rule names the members of the tree's choice."""
    sets = [value.sets for value in tunable.values if value.sets]
    named = tunable.choice or [symbol for s in sets for pairs in s for symbol, _ in pairs[:1]]
    here = [name for symbol in named if (name := view.spelled(symbol))]
    known = {name for symbol in tunable.choice for name in (symbol, view.spelled(symbol))}
    for members, name in {view.facts(name).choice: name for name in here}.items():
        missing = [member for member in members if member not in known]
        if not tunable.choice:
            if members and len(sets) > 1:
                has = f"{name} is a member of the choice of {', '.join(members)}"
                yield view.against(
                    "choice", rule, name, f"the tunable sets {name} and names no choice", has
                )
        elif not members and len(here) > 1:
            says = f"{name} is a member of the choice"
            yield view.against("choice", rule, name, says, f"{name} is in no choice")
        elif missing:
            says = f"the choice has {', '.join(tunable.choice)}"
            has = f"the choice has {', '.join(missing)} as well"
            yield view.against("choice", rule, missing[0], says, has)
        else:
            yield None


def _value(rule: str, value: Value, view: TreeView) -> Checked:
    """Checks the types and prompts of what a value sets, where the tree has all of it.

    Of alternatives, those that can be set here count; an older kernel's may stand among them.
    """
    had = [spelled for pairs in value.sets if (spelled := usable(pairs, view))]
    settable = [spelled for spelled in had if any(view.tree.prompted(s) for s, _ in spelled)]
    for spelled in settable or had[:1]:
        for symbol, text in spelled:
            yield _takes(rule, symbol, text, view)
    if had:
        # What the tree has so without being told needs no prompt.
        already = (all(view.tree.value(s) == text for s, text in spelled) for spelled in had)
        yield None if settable or any(already) else _unprompted(rule, had[0], view)


def _takes(rule: str, symbol: str, text: str, view: TreeView) -> Contradiction | None:
    """Whether a value fits the type and every unconditional range."""
    facts = view.facts(symbol)
    has = f"{symbol} is of the type {facts.type}"
    if facts.type in _TRISTATE:
        right = text in ("y", "n") or (text == "m" and facts.type == "tristate")
    elif facts.type in _NUMBER:
        right = bool(_NUMBER[facts.type].fullmatch(text))
        # Kconfig takes the first range whose condition holds: only one that stands first and has
        # none is sure to be it.
        plain = _PLAIN_RANGE.fullmatch(facts.ranges[0]) if right and facts.ranges else None
        if plain and not _lies_within(text, plain[1], plain[2]):
            right, has = False, f"the range of {symbol} is {plain[0]}"
    else:
        right = facts.type == "string"
    return (
        None if right else view.against("type", rule, symbol, f"the rule sets {symbol}={text}", has)
    )


def _lies_within(value: str, low: str, high: str) -> bool:
    """Whether a number lies within a range; nothing does within one that is not of numbers."""
    first, number, last = map(kernel_number, (low, value, high))
    if first is None or number is None or last is None:
        return False
    return first <= number <= last


def _of_type(
    rule: str, symbol: str, types: tuple[str, ...], view: TreeView
) -> Contradiction | None:
    kind = view.facts(symbol).type
    if kind in types:
        return None
    says = f"{symbol} is of the type {' or '.join(types)}"
    return view.against("type", rule, symbol, says, f"{symbol} is of the type {kind}")


def _default(rule: str, default: str, symbol: str, view: TreeView) -> Contradiction | None:
    """Checks that a default which the rule quotes is one of Kconfig's."""
    defaults = [line.partition(" if ")[0] for line in view.facts(symbol).defaults]
    if not default.isdecimal() or not defaults or default in defaults:
        return None
    has = f"the default of {symbol} is {' or '.join(defaults)}"
    return view.against("default", rule, symbol, f"the default is {default}", has)


def _unprompted(rule: str, lines: list[Assignment], view: TreeView) -> Contradiction:
    """Reports that a user can set none of these symbols."""
    says = f"the rule sets {', '.join('='.join(line) for line in lines)}"
    return view.against("prompt", rule, lines[0][0], says, f"{lines[0][0]} has no prompt")
