"""A fragment over a configuration, without a tree: as merge_config.sh takes their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from advisor.model import ConfigEntry, Configuration, Location, entry_of


class Merged:
    """The protocol Configuration, of a fragment's lines before those of its base.

    Where the fragment decides for a member of a choice, the base's other members are off. What
    else Kconfig makes of it, a tree has to tell.
    """

    def __init__(
        self,
        base: Configuration,
        fragment: Configuration,
        siblings: Callable[[str], Iterable[str]],
    ) -> None:
        """`siblings` gives the members of a symbol's choice, itself among them."""
        self._base = base
        self._fragment = fragment
        self.complete = base.complete
        chosen = [s for s in fragment.symbols() if fragment.get(s) == "y"]
        others = {other for symbol in chosen for other in siblings(symbol)}
        self._given_up = {o for o in others - {*chosen} if base.get(o) == "y"}

    def symbols(self) -> Iterable[str]:
        """The symbols that either names."""
        return dict.fromkeys((*self._base.symbols(), *self._fragment.symbols()))

    def shows(self, symbol: str) -> bool:
        """Whether either names it."""
        return self._fragment.shows(symbol) or self._base.shows(symbol)

    def get(self, symbol: str) -> str | None:
        """The fragment's value, else the base's."""
        value = self._fragment.get(symbol)
        if value is not None:
            return value
        return "n" if symbol in self._given_up else self._base.get(symbol)

    def entry(self, symbol: str) -> ConfigEntry:
        """The value, and the line of the file that decides it."""
        if self._fragment.shows(symbol):
            return self._fragment.entry(symbol)
        if symbol in self._given_up:
            return entry_of("n", Location(self._fragment_name))
        return self._base.entry(symbol)

    @property
    def _fragment_name(self) -> str:
        first = next(iter(self._fragment.symbols()), "")
        return self._fragment.entry(first).location.path
