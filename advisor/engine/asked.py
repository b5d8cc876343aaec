"""What an evaluation asks a world for: symbols, words of the line, settings of run time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from advisor.engine.joining import rewritten
from advisor.engine.kernelfacts import KernelFacts
from advisor.model.kernel import Above, ConfigEntry, Location, Locator, Word
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.kernel import Configuration

Value = TypeVar("Value")


class _Keys(dict[str, Value]):
    """A mapping that keeps the keys it was asked for and has."""

    def __init__(self, base: Mapping[str, Value]) -> None:
        super().__init__(base)
        self.asked: set[str] = set()

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return super().__contains__(key)

    def __getitem__(self, key: str) -> Value:
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: object = None) -> object:  # type: ignore[override]  # of any type, as in a dict
        self.asked.add(key)
        return super().get(key, default)


class _Asked(Above):
    """A configuration that keeps the symbols it was asked for, in their order."""

    def __init__(self, base: Configuration) -> None:
        super().__init__(base)
        self.symbols_asked: dict[str, None] = {}

    def shows(self, symbol: str) -> bool:
        """As the configuration below."""
        self.symbols_asked[symbol] = None
        return self._base.shows(symbol)

    def get(self, symbol: str) -> str | None:
        """As the configuration below."""
        self.symbols_asked[symbol] = None
        return self._base.get(symbol)

    def place(self, symbol: str) -> Location | Locator:
        """As the configuration below."""
        return self._base.place(symbol)

    def entry(self, symbol: str) -> ConfigEntry:
        """As the configuration below."""
        return self._base.entry(symbol)


class Asked(NamedTuple):
    """What an evaluation asked for: symbols in their order, words, and settings of run time."""

    symbols: tuple[str, ...]
    words: tuple[Word, ...]
    settings: tuple[str, ...]


def asked_by(
    evaluate: Callable[[KernelFacts], object], parameters: Iterable[str], world: KernelFacts
) -> Asked:
    """What the evaluation asks a world for, and the words of these parameters."""
    config = _Asked(world.config)
    words: tuple[Word, ...] = ()
    while True:
        # A word that decides keeps others from being asked for: they are without it.
        traced = world.after(rewritten(world.subject._replace(config=config), words, ()))
        names = traced.line.by_name = _Keys(traced.line.by_name)
        names.asked.update(parameters)
        settings = traced.told_settings = _Keys(traced.settings())
        evaluate(traced)
        if traced.line.has_read_lists:
            names.asked.update(given.word.name for given in traced.line.lists())
        more = [w for w in world.line.words if w.name in names.asked and w not in words]
        if not more:
            break
        words += (*more,)
    given = tuple(key for key in world.settings() if key in settings.asked)
    by_words = {world.settings()[key][1] for key in given}
    words += tuple(word for word in world.line.words if world.word_origin(word) in by_words)
    return Asked(tuple(config.symbols_asked), words, given)
