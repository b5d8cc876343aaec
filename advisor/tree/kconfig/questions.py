"""The questions that a tree asks of tools, in the place of symbols, and how they are decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import kconfiglib

from advisor.inputs.config import KernelConfig
from advisor.tree.kconfig.values import NO_SLOTS, written
from advisor.tree.toolchain import DEFAULT, RECORDED, Assumption, Question, Toolchain


class AnswerSymbol(kconfiglib.Symbol):  # type: ignore[misc]  # kconfiglib has no types
    """A yes or no of a tool, in the place of a symbol in expressions; named as the file asks it."""

    __slots__ = NO_SLOTS

    _cached_tri_val: int
    _was_set: bool

    @property
    def tri_value(self) -> int:
        """The answer; that it was wanted is noted."""
        self._was_set = True
        return self._cached_tri_val


class AskedQuestion:
    """One question with its symbol in expressions, and the symbol whose definition asks it."""

    def __init__(self, symbol: Any, question: Question, owner: Any) -> None:
        self.symbol = symbol
        self.question = question
        self.owner = owner
        self.source = DEFAULT

    def set(self, yes: bool, source: str) -> None:
        """Decides whether the command succeeds."""
        self.value = 2 if yes == (self.question.yes == "y") else 0
        self.source = source

    @property
    def value(self) -> int:
        """What the symbol is in expressions: 0 or 2."""
        value: int = self.symbol._cached_tri_val
        return value

    @value.setter
    def value(self, value: int) -> None:
        self.symbol._cached_tri_val = value

    def guess(self, toolchain: Toolchain) -> None:
        """Decides it as no configuration tells."""
        self.set(toolchain.guess(self.question.command), DEFAULT)


def settle(parser: Any, toolchain: Toolchain, config: KernelConfig, *, whole: bool) -> None:
    """Decides the answers by what the configuration shows of the symbols that ask.

    `whole` tells whether a symbol that it does not show was asked and is off: so in a complete
    configuration of the tree's own release. The configuration's values must have been taken. All
    symbols are left to be evaluated anew.
    """
    owners: dict[Any, list[AskedQuestion]] = {}
    for query in parser.questions:
        if query.owner is not None and (whole or config.shows(query.owner.name)):
            owners.setdefault(query.owner, []).append(query)
            query.set((config.get(query.owner.name) or "n") != "n", DEFAULT)
    # An answer may depend on another one; more than two rounds were never needed.
    for _ in range(4):
        changed = [
            _settle_one(owner, questions, toolchain, config.get(owner.name))
            for owner, questions in owners.items()
        ]
        parser._invalidate_all()
        if not any(changed):
            break
    forget_wanted(parser.questions)


def forget_wanted(questions: Iterable[AskedQuestion]) -> None:
    """Lets only answers count that are wanted from now on."""
    for query in questions:
        query.symbol._was_set = False


def _settle_one(
    owner: Any, questions: list[AskedQuestion], toolchain: Toolchain, recorded: str | None
) -> bool:
    """Decides those of one symbol; returns whether that changed them.

    They are recorded where the opposite would give the symbol another line than it has.
    """
    before = [query.value for query in questions]
    fitting = []
    for yes in (True, False):
        for query in questions:
            query.set(yes, DEFAULT)
        owner._invalidate()
        if written(owner) == recorded:
            fitting.append(yes)
    owner._invalidate()
    for query in questions:
        if len(fitting) == 1:
            query.set(fitting[0], RECORDED)
        else:
            query.guess(toolchain)
    return before != [query.value for query in questions]


def assumptions(toolchain: Toolchain, questions: Iterable[AskedQuestion]) -> list[Assumption]:
    """The answers that mattered so far, by symbol or macro."""
    used = dict(toolchain.used)
    for one in questions:
        if one.symbol._was_set and (one.owner is None or one.source != DEFAULT or _matters(one)):
            subject = one.owner.name if one.owner else one.symbol.name
            value = kconfiglib.TRI_TO_STR[one.value]
            used.setdefault(subject, Assumption(subject, value, one.source))
    return [used[subject] for subject in sorted(used)]


def _matters(query: AskedQuestion) -> bool:
    """Whether the opposite would give the symbol that asks another line, as things are."""
    lines = []
    for _ in range(2):
        query.value = 2 - query.value
        query.owner._invalidate()
        lines.append(written(query.owner))
    return lines[0] != lines[1]
