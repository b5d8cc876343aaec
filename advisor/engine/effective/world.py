"""A World is one subject, asked: for facts, symbols, words, settings, and states of tunables."""

from __future__ import annotations

from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.engine.effective.run_time import Reading
from advisor.engine.effective.state import compiled, interpreted, state_of
from advisor.knowledge.store import Knowledge
from advisor.model.state import State
from advisor.model.subject import Subject
from advisor.model.tunable import Tunable


class World(KernelFacts):
    """One subject, asked: answers conditions, and keeps the states it found."""

    def __init__(
        self, subject: Subject, knowledge: Knowledge, opened: frozenset[str] = frozenset()
    ) -> None:
        super().__init__(subject, knowledge, opened)
        self._states: dict[str, State | None] = {}
        self._values: dict[str, State | None] = {}
        self._compiled: dict[str, Reading] = {}
        # The worlds after changes that were tried (remedy/what_if.py).
        self.changed: dict[tuple[object, ...], World] = {}

    def state(self, name: str) -> State | None:
        """The state of a tunable, with the lines that decide it; None where this kernel has no such
        thing."""
        if name not in self._states:
            state = self.value(name)
            if state:
                from advisor.engine.effective.causes import with_causes

                state = with_causes(self.knowledge.tunable(name), state, self)
            self._states[name] = state
        return self._states[name]

    def value(self, name: str) -> State | None:
        """The state without the lines that decide it, which take longer to find."""
        if name not in self._values:
            self._values[name] = None  # a cycle of conditions reads as "does not exist"
            self._values[name] = state_of(self.knowledge.tunable(name), self)
        return self._values[name]

    def built(self, tunable: Tunable) -> Reading:
        """What was compiled in, after interpretation, whatever the lines say."""
        if tunable.id not in self._compiled:
            reading = compiled(tunable, self)
            self._compiled[tunable.id] = interpreted(tunable, reading, self)[0]
        return self._compiled[tunable.id]
