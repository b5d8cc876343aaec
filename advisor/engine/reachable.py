"""A partial configuration without the lines that switch off what no such kernel could have on.

A list of everything, as OpenWrt's base for all its boards, says `# CONFIG_X is not set` of every
architecture's symbols. In a whole .config such a line shows that the kernel offers the symbol.
"""

from __future__ import annotations

from collections.abc import Callable

from advisor.inputs.config import KernelConfig
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Above, ConfigEntry, Configuration, Location, Locator, entry_of
from advisor.model.subject import Subject

Test = Callable[[str], bool]


class Reachable(Above):
    """The configuration, with what is off in it and `never` on as if no line named it."""

    def __init__(self, base: KernelConfig, never: Test) -> None:
        super().__init__(base)
        self._path = base.path
        self._never = never

    def shows(self, symbol: str) -> bool:
        """Whether a line names the symbol and this kernel may have it."""
        return self.get(symbol) is not None

    def get(self, symbol: str) -> str | None:
        """The value; None where the line tells nothing."""
        value = self._base.get(symbol)
        return None if value == "n" and self._never(symbol) else value

    def place(self, symbol: str) -> Location | Locator:
        """Where the line is that decides the value; the file alone where none does."""
        hidden = self.get(symbol) is None
        return Location(self._path) if hidden else self._base.place(symbol)

    def entry(self, symbol: str) -> ConfigEntry:
        """The value with the line that decides it; the file alone where none does."""
        hidden = self.get(symbol) is None
        return entry_of(None, Location(self._path)) if hidden else self._base.entry(symbol)


def never_on(symbol: str, subject: Subject, knowledge: Knowledge) -> bool:
    """Whether nothing can switch the symbol on in kernels of that version and architecture.

    For a build that only tests whether everything compiles nothing is said.
    """
    if subject.config.get("COMPILE_TEST") == "y":
        return False
    return knowledge.unreachable.never_on(symbol, subject.kernel, subject.machine.arch)


def reachable(subject: Subject, knowledge: Knowledge) -> Configuration:
    """The configuration as it counts; with a tree, which knows best, and of a whole one as it is.

    Changes over a configuration (Overlay) are over what counts of it already.
    """
    config, arch = subject.config, subject.machine.arch
    if config.complete or subject.tree or not arch or not isinstance(config, KernelConfig):
        return config
    known: dict[str, bool] = {}

    def never(symbol: str) -> bool:
        if symbol not in known:
            name = knowledge.name(symbol)  # what only a patch brings is there where it is named
            patched = name is not None and name.kind == "out-of-tree"
            known[symbol] = not patched and (
                _of_others(symbol, subject, knowledge) or never_on(symbol, subject, knowledge)
            )
        return known[symbol]

    return Reachable(config, never)


def _of_others(symbol: str, subject: Subject, knowledge: Knowledge) -> bool:
    """Whether the symbol is another architecture's."""
    from advisor.knowledge.existence import Standing, standing

    told = subject.kernel, subject.machine.arch
    if subject.kernel is None:
        seen = knowledge.catalogue.seen(symbol)
        return seen is not None and not seen.kernels(subject.machine.arch)
    return standing(symbol, knowledge.catalogue, *told).standing is Standing.OTHER_ARCH
