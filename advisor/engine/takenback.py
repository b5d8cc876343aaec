"""A configuration with lines of it taken back, to find out which of them decide a value.

A switch has its other value then, and of a choice another member is taken: each in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product

from advisor.model.kernel import (
    Above,
    ConfigEntry,
    Configuration,
    Layer,
    Location,
    Locator,
    entry_of,
)
from advisor.model.report import LACK, Origin

# More ways than these to take several lines back are not gone through.
_MOST = 16
Lines = tuple[tuple[str, str], ...]


class Otherwise(Above):
    """A configuration in which some symbols have other values."""

    def __init__(self, base: Configuration, values: dict[str, str]) -> None:
        super().__init__(base)
        self._values = values

    def shows(self, symbol: str) -> bool:
        """What the configuration names, and what is set here."""
        return symbol in self._values or self._base.shows(symbol)

    def get(self, symbol: str) -> str | None:
        """The other value, where it has one."""
        return self._values.get(symbol) or self._base.get(symbol)

    def place(self, symbol: str) -> Location | Locator:
        """As the configuration itself."""
        return self._base.place(symbol)

    def entry(self, symbol: str) -> ConfigEntry:
        """The value, at the place of the line that is taken back."""
        if symbol not in self._values:
            return self._base.entry(symbol)
        return entry_of(self._values[symbol], self._base.entry(symbol).location)


def ways(
    origins: Iterable[Origin], config: Configuration, siblings: dict[str, list[str]]
) -> list[Configuration]:
    """The configuration with the compiled ones of these lines taken back, in each way there is;
    none where one of them is a number or a text, which has no other value, or there are too many.

    `siblings` are the members of the choices in question, by each member.
    """
    lines = [origin.text for origin in origins if origin.layer is Layer.COMPILED]
    each = [list(_of(text, siblings)) for text in lines]
    found = list(islice(product(*each), _MOST + 1))
    if len(found) > _MOST:
        return []
    return [Otherwise(config, {k: v for part in way for k, v in part}) for way in found]


def _of(text: str, siblings: dict[str, list[str]]) -> Iterator[Lines]:
    symbol, value = symbol_and_value(text)
    others = [name for name in siblings.get(symbol, ()) if name != symbol]
    if value == "n":
        yield ((symbol, "y"), *((name, "n") for name in others))
    elif value in ("y", "m"):
        if not others:
            yield ((symbol, "n"),)
        for other in others:
            yield ((symbol, "n"), (other, "y"))


def symbol_and_value(text: str) -> tuple[str, str]:
    """`CONFIG_HZ=250`, `# CONFIG_HZ_250 is not set` and `lack of CONFIG_HZ_250`, parted."""
    if text.startswith(LACK):
        return text.removeprefix(f"{LACK} CONFIG_"), "n"
    if text.startswith("# CONFIG_"):
        return text.removeprefix("# CONFIG_").removesuffix(" is not set"), "n"
    symbol, _, value = text.removeprefix("CONFIG_").partition("=")
    return symbol, value
