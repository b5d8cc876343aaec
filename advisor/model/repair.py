"""A fragment repaired for a kernel tree: what stands in place of each of its lines, and why."""

from __future__ import annotations

from collections.abc import Mapping

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

    `text` is the fragment as it was, `effects` what its lines now change beside themselves,
    `ignored` the numbers of lines of which Kconfig makes nothing, and nobody knows what they mean.
    """

    fragment: str
    base: str
    proof: str
    tree: TreeUse
    text: str
    lines: tuple[RepairedLine, ...]
    effects: tuple[SideEffect, ...] = ()
    ignored: tuple[int, ...] = ()

    def without(self, ignored: Mapping[int, str]) -> Repair:
        """The repair without the lines that Kconfig ignores, by their number, each with the one
        that it means, where that is clear: this one is among the lines, and stands in its place."""
        lines = (
            line._replace(reason=line.reason or "Kconfig ignores the original line")
            if line.location.line in ignored
            else line
            for line in self.lines
        )
        unclear = tuple(number for number, text in ignored.items() if not text)
        return self._replace(lines=tuple(lines), ignored=unclear)

    def mends(self, place: Location) -> bool:
        """Whether another line stands in the place of that one."""
        return any(
            line.location.line == place.line and line.lines and not line.kept for line in self.lines
        )

    @property
    def changed(self) -> bool:
        """Whether anything is another than in the text."""
        return bool(self.ignored) or any(not line.kept or line.before for line in self.lines)

    @property
    def missed(self) -> int:
        """How many lines do not come to what they ask for."""
        return sum(line.missed for line in self.lines) + len(self.ignored)

    def written(self) -> Lines:
        """All lines that it sets, in their order."""
        return tuple(
            pair
            for line in self.lines
            for pair in (*((one.symbol, one.value) for one in line.before), *line.lines)
        )
