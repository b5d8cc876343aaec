"""A configuration with other values for some symbols, on which a change is tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.model.kernel import Above, Configuration, Location, Locator

if TYPE_CHECKING:
    from advisor.model.tree import Lines, TreeOracle

_PLACE = Location("the fragment")


class Overlay(Above):
    """A configuration with other values, and what a tree, if there is one, makes of them."""

    def __init__(
        self, base: Configuration, values: Mapping[str, str], tree: TreeOracle | None = None
    ) -> None:
        super().__init__(base)
        self._values = values
        # A tree is asked for all lines at once: what they come to is not what each comes to.
        below = base.lines if isinstance(base, Overlay) else ()
        self.lines: Lines = tuple({**dict(below), **values}.items())
        self._tree = tree if self.lines else None

    def moves(self, symbol: str) -> bool:
        """Whether these values, or those that they stand over, are other ones than before."""
        if symbol in self._values and self._values[symbol] != self._base.get(symbol):
            return True
        return isinstance(self._base, Overlay) and self._base.moves(symbol)

    def shows(self, symbol: str) -> bool:
        """As the configuration below: only a tree tells which symbols a line makes visible."""
        return self.get(symbol) is not None if self._tree else self._base.shows(symbol)

    def get(self, symbol: str) -> str | None:
        """The value with the changes made."""
        if self._tree:
            return self._tree.value(self.lines, symbol)
        return self._values[symbol] if symbol in self._values else self._base.get(symbol)

    def place(self, symbol: str) -> Locator:
        """That of the configuration below; no line where the value is another."""
        if self.get(symbol) == self._base.get(symbol):
            return self._base.place(symbol)
        return _PLACE


class Supposed(Overlay):
    """A configuration with a line more; a symbol that is `gone` is off and has no line."""

    def __init__(self, base: Configuration, symbol: str, value: str, *, gone: bool = False) -> None:
        super().__init__(base, {symbol: value})
        self._symbol = symbol
        self._gone = gone
        self.key = symbol, value, gone
        self.count: int = 1 + (base.count if isinstance(base, Supposed) else 0)

    def shows(self, symbol: str) -> bool:
        """Return whether a line names the symbol, or the one that is supposed does."""
        if symbol == self._symbol:
            return not self._gone
        return super().shows(symbol)
