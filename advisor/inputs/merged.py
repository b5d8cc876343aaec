"""A fragment on its base, as merge_config.sh joins them; what Kconfig makes of it a tree tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from advisor.inputs.config import KernelConfig
from advisor.model.kernel import ConfigEntry, Location, Locator, entry_of
from advisor.model.lines import ChangedLine


class Merged(KernelConfig):
    """The base with the fragment's settings, each at its own place.

    `given_up` are symbols of the base that are off now, with the fragment's symbol that says so;
    `top` is the fragment, `title` names both files.
    """

    __slots__ = ("_base", "_given_up", "title", "top")

    def __init__(self, top: KernelConfig, base: KernelConfig, given_up: Mapping[str, str]) -> None:
        values = {f"CONFIG_{name}": base.get(name) or "n" for name in base.symbols()}
        values.update((f"CONFIG_{name}", "n") for name in given_up)
        values.update((f"CONFIG_{name}", top.get(name) or "n") for name in top.symbols())
        # Of two lines for a symbol Kconfig takes the last, so for a tree this says the same.
        super().__init__(top.path, f"{base.text}\n{top.text}", values)
        self.title = f"{base.path} + {top.path}"
        self._base = base
        self.top = top
        self._given_up = given_up
        self.complete = base.complete
        self.version = top.version or base.version
        self.arch = base.arch or top.arch
        self.notes = top.notes

    def header(self) -> Location:
        """The header that counts."""
        return (self.top if self.top.version else self._base).header()

    def lines(self) -> tuple[ChangedLine, ...]:
        """The fragment's lines, each with the base's value; those of several in their order."""
        below = self._base.lines()
        own = tuple(
            ChangedLine(name, self.top.entry(name).location, self._base.get(name), value)
            for name in self.top.symbols()
            if (value := self.top.get(name)) is not None
        )
        named = {line.symbol for line in own}
        return (*(line for line in below if line.symbol not in named), *own)

    def place(self, symbol: str) -> Locator:
        """The symbol's line in the fragment, or in the base."""
        if self.top.shows(symbol):
            return self.top.place(symbol)
        if by := self._given_up.get(symbol):
            return self.top.place(by)
        return self._base.place(symbol)

    def entry(self, symbol: str) -> ConfigEntry:
        """The value with its line in the fragment, or in the base."""
        if self.top.shows(symbol):
            return self.top.entry(symbol)
        if by := self._given_up.get(symbol):
            return entry_of("n", self.top.entry(by).location)
        return self._base.entry(symbol)


def merged(
    top: KernelConfig, base: KernelConfig, siblings: Callable[[str], Iterable[str]]
) -> KernelConfig:
    """Lays the fragment on its base; of a choice that it decides, the base's members are off."""
    chosen = [name for name in top.symbols() if top.get(name) == "y"]
    others = {other: name for name in chosen for other in siblings(name)}
    given_up = {o: by for o, by in others.items() if not top.shows(o) and base.get(o) == "y"}
    return Merged(top, base, given_up)


def joined(
    configs: Sequence[KernelConfig], siblings: Callable[[str], Iterable[str]]
) -> KernelConfig:
    """Joins all files in their order: of two lines for a symbol the later one counts.

    It is called as the first, whose header counts; each line keeps its place, each note its file.
    """
    config = reduce(lambda base, top: merged(top, base, siblings), configs)
    config.path = configs[0].path
    config.version = configs[0].version
    config.notes = tuple(note for one in configs for note in one.notes)
    return config
