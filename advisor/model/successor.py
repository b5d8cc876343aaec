"""Symbols whose meaning is another symbol's now: apart from rules.py, as no audit needs them."""

from __future__ import annotations

from advisor.record import NamedTuple


class Successor(NamedTuple):
    """A symbol that is gone, and what took its place (rules/successors.toml).

    `new` are the names to write instead of it; with `part` what it did is a part of these now.
    `last` is the last tree that had it, `first` the next one that was read, `kinds` what speaks for
    it, `note` what is another beside the name.
    """

    old: str
    new: tuple[str, ...]
    part: bool
    last: str
    first: str
    kinds: tuple[str, ...]
    note: str = ""

    @property
    def became(self) -> str:
        """What it is now, in words: `is KEXEC_SIG now`."""
        names = " and ".join(self.new)
        return f"is a part of {names} now" if self.part else f"is {names} now"

    @property
    def protects(self) -> bool:
        """Whether it is there to protect something."""
        return "security" in self.kinds


class Split(NamedTuple):
    """A part of a feature that got an option of its own, which is off by default.

    In the tree `last` all of `old` together gave what in `first`, the next one that was read, needs
    `new` as well. `kinds` is what speaks for it, `note` what needs it.
    """

    old: tuple[str, ...]
    new: str
    last: str
    first: str
    kinds: tuple[str, ...]
    note: str = ""
