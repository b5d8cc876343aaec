"""What the parts of the engine below the World ask it for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from advisor.engine.effective.boot_line import BootLine
from advisor.engine.effective.run_time import Files
from advisor.knowledge.store import Knowledge
from advisor.model.condition import Expr, Facts, Truth
from advisor.model.kernel import Configuration, Word
from advisor.model.report import Origin, State
from advisor.model.rules import Member, Tunable
from advisor.model.subject import Subject


class KernelFacts(Facts, Protocol):
    """One subject that answers conditions and more: the World implements it (state.py)."""

    subject: Subject
    config: Configuration
    knowledge: Knowledge
    line: BootLine
    files: Files
    opened: frozenset[str]
    told_settings: Mapping[str, tuple[str, Origin]] | None

    def after(self, subject: Subject, opened: frozenset[str] | None = None) -> KernelFacts:
        """The same kernel with another subject."""

    def evaluated(self, tunable: Tunable) -> State | None:
        """The state of a tunable as it is looked at, without the lines that decide it."""

    def value(self, name: str) -> State | None:
        """The same, kept."""

    def evaluate(self, expr: Expr) -> Truth:
        """The truth of a condition."""

    def settings(self) -> Mapping[str, tuple[str, Origin]]:
        """What is set at run time, and by which line."""

    def members(self, tunable: Tunable) -> Iterator[Member]:
        """The members of a group that are something to this machine."""

    def spelled(self, name: str) -> str:
        """The name under which the configuration has a symbol."""

    def told_by(self, symbol: str) -> str:
        """The symbol whose line tells of this one."""

    def is_elsewhere(self, name: str) -> bool:
        """Whether only other kernels have the symbol."""

    def is_patched(self, name: str) -> bool:
        """Whether only a patch brings the symbol."""

    def other_releases(self, name: str) -> str:
        """When a symbol came or went, if that is not in this kernel's release."""

    def origin(self, symbol: str) -> Origin:
        """The line about a symbol as the configuration spells it, or the lack of one."""

    def line_of(self, symbol: str) -> Origin:
        """The line about a symbol under whatever name, or the lack of one."""

    def word_origin(self, word: Word) -> Origin:
        """A word of the command line as an input."""

    def word_lacking(self, word: str) -> Origin:
        """The lack of a word as an input."""
