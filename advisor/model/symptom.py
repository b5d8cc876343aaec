"""A symptom: what people complain of, and which settings can cause it (rules/symptoms.toml)."""

from __future__ import annotations

import re

from advisor.model.numbers import within
from advisor.model.rules import Source
from advisor.model.state import State
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple

_SHORT = 3  # of "gas" or "ps" the last letter is no plural


class Cause(NamedTuple):
    """A setting that can cause a symptom.

    `values` can be the cause, or any value if there are none; `tell` says what is seen then, `run`
    is the command that shows it.
    """

    tunable: str
    tell: str
    run: str
    values: tuple[str, ...] = ()

    def is_met(self, value: str) -> bool:
        """Whether a value of the tunable can be the cause."""
        return any(value == one or within(value, one) for one in self.values)


class Symptom(NamedTuple):
    """A symptom with its causes, the most likely first.

    `names` are what else people call it; `first` says what to look at before any cause, and `run`
    is the command for that.
    """

    id: str
    title: str
    first: str
    run: str
    names: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    sources: tuple[Source, ...] = ()


class Suspect(NamedTuple):
    """A cause of a symptom, with its tunable and the state of that in one kernel.

    `guilty` is None where that is not known, or no kernel was given (`looked_at` is false then).
    `state` is None where the kernel has no such thing.
    """

    cause: Cause
    tunable: Tunable
    looked_at: bool = False
    state: State | None = None
    guilty: bool | None = None

    def may_run_otherwise(self) -> bool:
        """Whether run time may set it to something else, and nothing read tells of that."""
        one = self.tunable
        ways = one.sysctls or one.files
        return bool(ways) and self.state is not None and not self.state.runtime


def folded(name: str) -> str:
    """Return a name of a symptom as it is compared: small, with spaces between the words.

    >>> folded("Slow-Boot")
    'slow boot'
    """
    return " ".join(name.lower().replace("-", " ").replace("_", " ").split())


def plain_words(name: str) -> str:
    """Return the words of a name or message without punctuation, in the singular.

    >>> plain_words("watchdog: BUG: soft lockups - CPU#3")
    'watchdog bug soft lockup cpu 3'
    """
    words = re.findall(r"[a-z0-9_]+", name.lower())
    return " ".join(word.removesuffix("s") if len(word) > _SHORT else word for word in words)
