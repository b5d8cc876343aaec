"""Whether what a value `requires` is all that its lines need to be offered (`complete`).

Where it is, a kernel that has all of it and no line about the symbol was configured by other files
than its own, or by hand: a line added to such a file holds. Shown by trying all that the symbols in
question may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from advisor.lint.view import Checked, Contradiction, TreeView, usable
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.condition_parser import parse
from advisor.model.kernel import parse_version
from advisor.model.tree import Assignment
from advisor.model.tunable import Tunable, Value

# As many as are tried in all ways; the rules' conditions have a handful.
_MOST = 12


def offered_facts(tunable: Tunable, view: TreeView) -> Checked:
    """Checks that every value which is said to be complete is so in this tree."""
    if not view.possible(tunable.only_if):
        return
    for value in tunable.values:
        if value.complete and view.tree.version.numbers >= parse_version(value.complete).numbers:
            yield _offered(tunable, value, view)


def _offered(tunable: Tunable, value: Value, view: TreeView) -> Contradiction | None:
    for symbol, why in hidden(value, view):
        says = f"the value {value.name!r} requires all that {symbol} needs"
        return view.against("offered", f"tunable/{tunable.id}", symbol, says, why)
    return None


def hidden(value: Value, view: TreeView) -> Iterator[tuple[str, str]]:
    """The symbols that may not be offered where all is there that the value requires, each with
    what the tree asks for; of ways that this tree does not have nothing is said."""
    if not view.possible(value.requires):
        return
    for pairs in value.sets:
        spelled = usable(pairs, view) or []
        for symbol, text in spelled:
            if text != "n" and (why := _hidden(symbol, spelled, value.requires, view)):
                yield symbol, why


def _hidden(symbol: str, pairs: list[Assignment], requires: Expr, view: TreeView) -> str:
    """Finds what the tree asks for beyond `requires`; nothing where it asks for no more, or
    where the value asks for another kernel once the symbol is set."""
    prompts = [d.prompt_condition for d in view.facts(symbol).definitions if d.prompt]
    if "y" in prompts:
        return ""
    asked = " || ".join(f"({text})" for text in prompts)
    why = f"{symbol} needs {asked}" if prompts else f"{symbol} has no prompt"
    try:
        needs = parse(asked) if prompts else None
    except ValueError:
        return why
    names = dict.fromkeys(
        name for expr in (requires, needs) for name in condition.symbols(expr) if name != symbol
    )
    set_here = {name: text for name, text in pairs if text != "n" and name != symbol}
    free = [name for name in names if view.spelled(name) and name not in set_here]
    if len(free) > _MOST:
        return f"{why}, which has too many symbols to try"
    for values in product(*(_values(name, view) for name in free)):
        told = {**dict(zip(free, values, strict=True)), **set_here}
        # What is required for the symbol's sake (`!BTRFS_FS || ...`) counts once it is set.
        cases = [_Case({**told, **more}, view) for more in ({}, {symbol: "y"})]
        held = all(condition.evaluate(requires, case) is not False for case in cases)
        if held and (needs is None or condition.evaluate(needs, cases[0]) is not True):
            return why
    return ""


def _values(symbol: str, view: TreeView) -> tuple[str, ...]:
    name = view.spelled(symbol) or symbol
    return ("n", "m", "y") if view.facts(name).type == "tristate" else ("n", "y")


class _Case(TreeView):
    """One way in which the symbols may be set, as conditions ask."""

    def __init__(self, values: dict[str, str], view: TreeView) -> None:
        super().__init__(view.tree, view.arch, view.knowledge)
        self._values = values

    def symbol(self, name: str) -> str | None:
        """Gives the value in this case; `n` of what the tree does not have."""
        return self._values.get(name, "n")

    def present(self, name: str) -> bool | None:
        """Tells whether the tree has it."""
        return self.spelled(name) is not None
