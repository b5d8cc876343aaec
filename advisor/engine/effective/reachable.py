"""A partial configuration without the lines that switch off what no such kernel could have on.

A list for all machines, as OpenWrt's base for all its boards, has `# CONFIG_X is not set` for the
symbols of every architecture. In a whole .config such a line shows that the kernel has the symbol.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from advisor.inputs.config import KernelConfig
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Above, Configuration, Location, Locator
from advisor.model.subject import Subject

Test = Callable[[str], bool]


class Reachable(Above):
    """The configuration without the lines of symbols that are off in it and `never` on."""

    def __init__(self, base: KernelConfig, never: Test) -> None:
        super().__init__(base)
        self._path = base.path
        self._never = never

    def get(self, symbol: str) -> str | None:
        """Return the value; None if the line does not count."""
        value = self._base.get(symbol)
        return None if value == "n" and self._never(symbol) else value

    def place(self, symbol: str) -> Locator:
        """Return where the line is that decides the value; the file alone if none does."""
        hidden = self.get(symbol) is None
        return Location(self._path) if hidden else self._base.place(symbol)


def never_on(symbol: str, subject: Subject, knowledge: Knowledge) -> bool:
    """Return whether nothing can switch the symbol on in kernels of that version and architecture;
    False for a build that only tests whether everything compiles."""
    if subject.config.get("COMPILE_TEST") == "y":
        return False
    return knowledge.unreachable.never_on(symbol, subject.kernel, subject.machine.arch)


def reachable(subject: Subject, knowledge: Knowledge) -> Configuration:
    """Return the configuration without such lines; with a tree, and a whole one, as it is.

    Changes over a configuration (Overlay) already stand over one without these lines.
    """
    config, arch = subject.config, subject.machine.arch
    if config.complete or subject.tree or not arch or not isinstance(config, KernelConfig):
        return config

    @cache
    def never(symbol: str) -> bool:
        name = knowledge.name(symbol)  # what only a patch brings is there where it is named
        if name is not None and name.kind == "out-of-tree":
            return False
        return _of_others(symbol, subject, knowledge) or never_on(symbol, subject, knowledge)

    return Reachable(config, never)


def _of_others(symbol: str, subject: Subject, knowledge: Knowledge) -> bool:
    """Return whether the symbol is another architecture's."""
    from advisor.knowledge.existence import Standing, standing

    kernel, arch = subject.kernel, subject.machine.arch
    if kernel is None:
        seen = knowledge.catalogue.seen(symbol)
        return seen is not None and not seen.kernels(arch)
    return standing(symbol, knowledge.catalogue, kernel, arch).standing is Standing.OTHER_ARCH
