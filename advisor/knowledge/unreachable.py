"""The switches that kernels define for an architecture and that nothing can switch on there.

Of a driver for another machine, or of what no file of the architecture selects (ARCH_SUPPORTS_RT),
`# CONFIG_X is not set` in a list of everything is no proof that this kernel could have it.
`unreachable.gz` is written as catalogue.py tells; the only trait is `n`. A build for tests alone
(COMPILE_TEST) counts for nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.knowledge.catalogue import Names

if TYPE_CHECKING:
    from advisor.model.kernel import KernelVersion


class Unreachable(Names):
    """The symbols that are off in every configuration of an architecture."""

    file = "unreachable.gz"
    section = "unreachable"

    def never_on(self, symbol: str, kernel: KernelVersion | None, arch: str | None) -> bool:
        """Whether it is so in the kernels read before and after this one, or in one of its own
        release; of a kernel whose version was not told, in all that were read."""
        seen = self.seen(symbol) if arch is not None else None
        if seen is None or not any(arch in known.arches for known in self.kernels):
            return False
        here = seen.kernels(arch)
        if kernel is None:
            return here == self.read_for(arch)
        around = self.around(kernel, arch)
        read = [self.kernels[number].version.numbers for number in around]
        own = any(numbers[:2] == kernel.numbers[:2] for numbers in read)
        between = bool(read) and read[0] <= kernel.numbers <= read[-1]
        return (own or between) and all(here >> number & 1 for number in around)
