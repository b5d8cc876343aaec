"""A fragment repaired for a kernel tree: what stands in place of each of its lines, and why."""

from __future__ import annotations

from advisor.model.kernel import Location
from advisor.model.tree import Lines, SideEffect, TreeUse
from advisor.record import NamedTuple


class Addition(NamedTuple):
    """A line that others of the fragment need: which, as the fragment names them.

    Where no line falls without it, `keeps` are the symbols that those lines would else take away.
    """

    symbol: str
    value: str
    needed_by: tuple[str, ...]
    keeps: tuple[str, ...] = ()


class RepairedLine(NamedTuple):
    """A line of a fragment, and what stands in its place.

    `value` is spelled as in a .config, `n` for "is not set". `lines` stand instead, below those
    `before`; `reason` says why they are not the line as it was, and is empty where they are. With
    `missed` what the line asks for is not had; else no lines mean that another one stands for it.
    """

    symbol: str
    value: str
    location: Location
    lines: Lines
    before: tuple[Addition, ...] = ()
    reason: str = ""
    missed: bool = False

    @property
    def kept(self) -> bool:
        """Whether the line stays as it was written."""
        return not self.reason


class Repair(NamedTuple):
    """A fragment, repaired: what it is for, how far that is proven, and its lines, as in its text.

    `text` is the fragment as it was, `effects` what its lines now change beside themselves.
    """

    fragment: str
    base: str
    proof: str
    tree: TreeUse
    text: str
    lines: tuple[RepairedLine, ...]
    effects: tuple[SideEffect, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything is another than in the text."""
        return any(not line.kept or line.before for line in self.lines)

    @property
    def missed(self) -> int:
        """How many lines do not come to what they ask for."""
        return sum(line.missed for line in self.lines)

    def written(self) -> Lines:
        """All lines that it sets, in their order."""
        return tuple(
            pair
            for line in self.lines
            for pair in (*((one.symbol, one.value) for one in line.before), *line.lines)
        )
