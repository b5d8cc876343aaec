"""What the symbols of a configuration tell of its kernel, by the catalogue.

For files whose header does not say it: defconfigs and fragments have none, and some distributions
strip or rewrite it.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from advisor.inputs.config import KernelConfig
from advisor.knowledge.catalogue import Catalogue, Fact
from advisor.model.kernel import Inferred

# A vendor's backports are in no kernel of its number: up to 112 of 8,220 symbols in the whole
# configurations of 42 distributions and devices, where the nearest kernel read lacked 0 to 90 of
# them. So a kernel counts as possible that lacks at most twice as many as the nearest, and these.
_SPARE = 400
_TOO_MANY = 10
_NO_ARCH: tuple[str | None, str] = (None, "")


def infer(config: KernelConfig, catalogue: Catalogue, arch: str | None = None) -> None:
    """Fills in the architecture, and what else is inferred, of what the header does not tell.

    `arch` is what the user tells.
    """
    symbol = ""
    if arch is None and config.arch is None:
        config.arch, symbol = architecture(config, catalogue)
    inferred = Inferred(symbol)
    if config.version is None and config.complete:
        inferred = _kernels(config, catalogue, arch or config.arch)._replace(symbol=symbol)
    config.inferred = inferred


def architecture(config: KernelConfig, catalogue: Catalogue) -> tuple[str | None, str]:
    """The only architecture that has all that the configuration sets, and a symbol that shows it.

    None where there are several, or none: a fragment may be made for more than one.
    """
    possible: frozenset[str] | None = None
    fewest, telling = frozenset(catalogue.kernels[-1].arches if catalogue.kernels else ()), ""
    every = frozenset[str]().union(*(kernel.arches for kernel in catalogue.kernels))
    for name in config.symbols():
        if config.get(name) not in ("y", "m"):
            continue
        arches = _arches(catalogue.facts(name), every)
        if arches is None:
            continue
        possible = arches if possible is None else possible & arches
        if len(arches) < len(fewest):
            fewest, telling = arches, name
    return (next(iter(possible)), telling) if possible and len(possible) == 1 else _NO_ARCH


def _arches(facts: tuple[Fact, ...], every: frozenset[str]) -> frozenset[str] | None:
    """Those of all architectures that ever had a symbol; None where any may."""
    if not facts or not all(fact.arches for fact in facts):
        return None
    return frozenset(arch for arch in every if any(fact.on(arch) for fact in facts))


def _kernels(config: KernelConfig, catalogue: Catalogue, arch: str | None) -> Inferred:
    """The kernels between which it was made; no bound where too much of it is of none."""
    count = len(catalogue.kernels)
    lacks, known = [0] * count, 0
    for name in config.symbols():
        facts = catalogue.facts(name)
        known += bool(facts)
        bits = reduce(or_, (fact.kernels for fact in facts if fact.on(arch)), 0)
        missing = ~bits if facts else 0
        if missing & ((1 << count) - 1):
            for number in range(count):
                lacks[number] += missing >> number & 1
    if not known or min(lacks) * _TOO_MANY > known:
        return Inferred()
    most = 2 * min(lacks) + known // _SPARE
    possible = [number for number in range(count) if lacks[number] <= most]
    first, last = possible[0], possible[-1]
    return Inferred(
        after=catalogue.kernels[first - 1].version if first else None,
        before=catalogue.kernels[last + 1].version if last + 1 < count else None,
    )
