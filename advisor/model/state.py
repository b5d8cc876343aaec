"""What a tunable is set to, and what makes it so."""

from __future__ import annotations

from advisor.model.disks import OfKind, shares, spread
from advisor.model.kernel import Layer, Location, Locator
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple

LACK = "lack of"
"""Stands before what is not there, where that is what makes something so."""


class Origin(NamedTuple):
    """What makes a setting so: the layer, the line's text, and where it stands.

    Most are never shown, so that a line of a configuration may stand here as what finds it. `by` is
    who sets it so at run time, where a host's files tell that.
    """

    layer: Layer
    text: str
    place: Locator
    by: str = ""

    @property
    def location(self) -> Location:
        """Where it stands, looked for now."""
        return self.place.location()


class State(NamedTuple):
    """What a tunable is set to. Several values where the inputs leave several possible.

    `compiled`, `boot` and `runtime` are the layers' own answers (empty: silent), `effective` their
    outcome, `missing` the inputs that would narrow it, `why` the reason of an interpretation. Of a
    group, `on` and `off` are its members with the line that makes each so, and `kept` those that a
    word switches on as a protection, which do not count, each with that word. `counts` says of how
    many instances each value is, where they differ: 31 policies and one; of disks, `kinds` says so
    of each kind. `runs` tells which of several exclusive things is the one that runs.
    """

    tunable: str
    effective: tuple[str, ...]
    compiled: tuple[str, ...] = ()
    boot: tuple[str, ...] = ()
    runtime: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    on: tuple[tuple[str, Origin], ...] = ()
    off: tuple[tuple[str, Origin], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    missing: frozenset[str] = frozenset()
    why: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    kinds: tuple[OfKind, ...] = ()
    runs: str = ""

    def describe(self, tunable: Tunable) -> str:
        """What is effective, in words."""
        if self.runs:
            return f"{tunable.describe(self.effective)} ({self.runs})"
        if self.kinds and self.counts:
            return spread((one.kind, _named(one.value, tunable), one.number) for one in self.kinds)
        if self.counts:
            return shares((_named(value, tunable), count) for value, count in self.counts)
        if not tunable.members or not self.effective:
            return tunable.describe(self.effective)
        total = len(self.on) + len(self.off)
        if not total:
            return (
                "none of its options is known"
                if self.missing
                else "this kernel has none of its options"
            )
        others = ", others not known" if self.missing else ""
        for name, word in self.kept:
            others += f"; {word} enables {name} as a protection"
        if not self.on:  # where what they hang on is off, those are not counted
            return f"none on{others}"
        return f"{len(self.on)} of {total} on{others}"


def _named(value: str, tunable: Tunable) -> str:
    # A title says in brackets what the name means.
    return tunable.describe((value,)).partition(" (")[0]
