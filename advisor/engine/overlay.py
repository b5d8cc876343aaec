"""A configuration with changes over it, on which a plan is tried before it is offered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.engine.state import World
from advisor.model.kernel import Above, ConfigEntry, Configuration, Location, Locator, entry_of
from advisor.model.report import Change
from advisor.model.subject import Subject

if TYPE_CHECKING:
    from advisor.model.tree import Lines, TreeOracle


class Overlay(Above):
    """A configuration with changes over it, and what a tree, if there is one, makes of them."""

    def __init__(
        self, base: Configuration, changes: Iterable[Change] = (), tree: TreeOracle | None = None
    ) -> None:
        super().__init__(base)
        self.changes = {change.symbol: change for change in changes}
        # A tree is asked for all lines at once: what they come to is not what each comes to.
        below = base.lines if isinstance(base, Overlay) else ()
        own = {change.symbol: change.new for change in self.changes.values()}
        self.lines: Lines = tuple({**dict(below), **own}.items())
        self._tree = tree if self.lines else None

    def moves(self, symbol: str) -> bool:
        """Whether these changes, or those that they stand over, give the symbol another value."""
        change = self.changes.get(symbol)
        if change and change.old != change.new:
            return True
        return isinstance(self._base, Overlay) and self._base.moves(symbol)

    def shows(self, symbol: str) -> bool:
        """As the configuration below: only a tree tells which symbols a line makes visible."""
        return self.get(symbol) is not None if self._tree else self._base.shows(symbol)

    def get(self, symbol: str) -> str | None:
        """The value with the changes made."""
        if self._tree:
            return self._tree.value(self.lines, symbol)
        change = self.changes.get(symbol)
        return change.new if change else self._base.get(symbol)

    def place(self, symbol: str) -> Location | Locator:
        """That of the configuration below; no line where the value is another."""
        if self.get(symbol) == self._base.get(symbol):
            return self._base.place(symbol)
        return Location("the fragment")

    def entry(self, symbol: str) -> ConfigEntry:
        """The value; without a line where it is not that of the configuration below."""
        value = self.get(symbol)
        if value == self._base.get(symbol):
            return self._base.entry(symbol)
        return entry_of(value, Location("the fragment"))


def world_with(world: World, changes: Iterable[Change]) -> World:
    """The world as it would be with these changes, without its boot line and run-time settings."""
    # A fragment is for whoever boots the kernel, with whatever line: it decides by itself.
    changes = tuple(changes)
    config = Overlay(world.config, changes, world.subject.tree)
    subject: Subject = world.subject.anew()._replace(config=config, cmdline=None)
    # What lines bring by default a tree tells; without one, the rules do.
    opened = world.opened
    if not world.subject.tree:
        opened |= {c.symbol for c in changes if c.old in (None, "n") and c.new in ("y", "m")}
    return World(subject, world.knowledge, opened)
