"""The switches that kernels have on for an architecture, whatever a configuration says of them.

A defconfig leaves out what Kconfig gives anyway: what the architecture always has (SMP on arm64),
and what another symbol of it selects (NO_HZ_COMMON beside NO_HZ_IDLE). `brought.gz` is written as
catalogue.py tells; the trait is `y` for always, or the symbol that brings the switch, be it as a
module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.knowledge.catalogue import Names

if TYPE_CHECKING:
    from advisor.model.kernel import KernelVersion

_ALWAYS = "y"


class Brought(Names):
    """The symbols that something else has on."""

    file = "brought.gz"
    section = "brought"

    def by(self, symbol: str, kernel: KernelVersion | None, arch: str | None) -> list[str]:
        """What brings the symbol: other symbols, and itself where it is always on.

        So it is in the kernels read before and after this one, in the last for all after that, and
        in all that were read for one whose version was not told; on all architectures where none
        was told.
        """
        seen = self.seen(symbol)
        if seen is None or (arch and not any(arch in known.arches for known in self.kernels)):
            return []
        needed = [*range(len(self.kernels))]
        if kernel is not None:
            needed = self.around(kernel, arch)
            oldest = self.kernels[needed[0]].version.numbers if needed else (0,)
            if not needed or oldest[:2] > kernel.numbers[:2]:
                return []
        elif arch:
            needed = [n for n in needed if self.read_for(arch) >> n & 1]
        found: dict[str, int] = {}
        for fact in seen.facts:
            if fact.on(arch) and (arch or not fact.arches):
                found[fact.traits] = found.get(fact.traits, 0) | fact.kernels
        brings = (by for by, kernels in found.items() if all(kernels >> n & 1 for n in needed))
        return [symbol if by == _ALWAYS else by for by in brings]
