"""One kernel tree and architecture as rules see it, and what of it contradicts them.

Only what the tree decides is checked: a condition on the machine or on what somebody configured
stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from advisor.knowledge.store import Knowledge
from advisor.model.condition import Expr, Truth, evaluate
from advisor.model.kernel import Location, parse_version
from advisor.model.tree import Assignment, SymbolFacts
from advisor.tree.kerneltree import KernelTree


class Contradiction(NamedTuple):
    """A rule and a tree that do not agree: what either says, and where in the tree.

    `rule` is `tunable/<id>`, `parameter/<name>`, `rename/<old>` or `profile/<id>/<advice>`; `check`
    names the kind of fact, `subject` the symbol or word.
    """

    check: str
    rule: str
    subject: str
    says: str
    tree: str
    where: Location | None = None


Checked = Iterator[Contradiction | None]


class TreeView:
    """One tree and architecture, as conditions see it: what only a configuration tells is open."""

    def __init__(self, tree: KernelTree, arch: str, knowledge: Knowledge) -> None:
        self.tree = tree
        self.arch = arch
        self.knowledge = knowledge
        self._facts: dict[str, SymbolFacts | None] = {}

    def defines(self, symbol: str) -> bool:
        """Whether the tree defines the symbol itself, not only takes it for an old name."""
        return self.tree.defines(symbol) and symbol not in self.tree.renames

    def spelled(self, symbol: str) -> str | None:
        """Finds the name by which the tree has the symbol; None if it has it under none."""
        names = (symbol, *self.knowledge.aliases(symbol))
        return next((name for name in names if self.defines(name)), None)

    def facts(self, symbol: str) -> SymbolFacts:
        """Gives what the tree says of a symbol that it defines."""
        if symbol not in self._facts:
            self._facts[symbol] = self.tree.about(symbol)
        facts = self._facts[symbol]
        assert facts is not None
        return facts

    def against(self, check: str, rule: str, symbol: str, says: str, has: str) -> Contradiction:
        """Makes a contradiction by a symbol that the tree defines, with the symbol's place."""
        return Contradiction(
            check, rule, symbol, says, has, self.facts(symbol).definitions[0].where
        )

    def truth(self, expr: Expr) -> Truth:
        """Evaluates a condition as far as version, architecture and symbols decide it."""
        return evaluate(expr, self)

    def possible(self, expr: Expr) -> bool:
        """Whether a condition can hold in this tree."""
        return self.truth(expr) is not False

    # condition.Facts

    def symbol(self, name: str) -> str | None:
        """Gives `n` for what the tree does not have; what it has is open."""
        return None if self.spelled(name) else "n"

    def present(self, name: str) -> bool | None:
        """Gives False for what the tree does not have; what it has is open."""
        return None if self.spelled(name) else False

    def fact(self, name: str) -> str | int | tuple[int, ...] | None:
        """The version and the architecture."""
        if name == "kernel":
            return self.tree.version.numbers
        return self.arch if name == "arch" else None

    def boot(self, word: str) -> bool:
        """No boot line is given: no word is there."""
        return False

    def shown(self, path: str, form: str) -> bool:
        """No kernel runs, and shows anything."""
        return False

    def effective(self, tunable: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """Open."""
        return (), frozenset((tunable,))


def in_time(since: str, until: str, version: tuple[int, int, int]) -> bool:
    """Whether a version is within a rule's own since (included) and until (excluded)."""
    early = bool(since) and version < parse_version(since).numbers
    late = bool(until) and version >= parse_version(until).numbers
    return not early and not late


def usable(pairs: Iterable[Assignment], view: TreeView) -> list[Assignment] | None:
    """Spells the assignments as the tree does; None if it lacks a symbol that is to be on."""
    spelled = []
    for symbol, text in pairs:
        name = view.spelled(symbol)
        if name is not None:
            spelled.append((name, text))
        elif text != "n":
            return None
    return spelled
