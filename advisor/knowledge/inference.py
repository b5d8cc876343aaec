"""What the symbols of a configuration tell of its kernel, by the catalogue.

For files whose header does not say it: defconfigs and fragments have none, and some distributions
strip or rewrite it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
# These choose what the kernel runs on, where others only add what that offers.
_MACHINE = re.compile("(ARCH|MACH|SOC|PLAT)_|X86_(64|32)$")
_IN_A_PROGRAM = "um"
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
    """The only architecture that the configuration can be for, and a symbol that shows it.

    It has all that is set, and each other one lacks a machine, or two things of different names.
    One alone shows nothing: fragments for several architectures name what only one of them has
    (EFI_MIXED; X86_X32 with its later name, X86_X32_ABI), and Kconfig drops it in the others.
    """
    every = frozenset[str]().union(*(kernel.arches for kernel in catalogue.kernels))
    fewest, telling = frozenset(catalogue.kernels[-1].arches if catalogue.kernels else ()), ""
    lacks: dict[str, list[str]] = {arch: [] for arch in every}
    for name in config.symbols():
        if config.get(name) not in ("y", "m"):
            continue
        arches = _arches(catalogue.facts(name), every)
        if arches is None:
            continue
        for arch in every - arches:
            lacks[arch].append(name)
        if len(arches) < len(fewest):
            fewest, telling = arches, name
    possible = [arch for arch in every if not lacks[arch]]
    if not all(_rule_out(lacks[arch]) for arch in every - {*possible}):
        return _NO_ARCH
    # User-mode Linux has most of its machine's symbols, and a file for it names itself (UML).
    possible = [arch for arch in possible if arch != _IN_A_PROGRAM] or possible
    if len(possible) != 1:
        return _NO_ARCH
    return possible[0], telling


def _rule_out(names: Sequence[str]) -> bool:
    """Whether symbols that an architecture never had show that a file is not meant for it."""
    first = min(names, key=len)
    return any(map(_MACHINE.match, names)) or not all(name.startswith(first) for name in names)


def _arches(facts: tuple[Fact, ...], every: frozenset[str]) -> frozenset[str] | None:
    """Lists the architectures that ever had a symbol; None where any may."""
    if not facts or not all(fact.arches for fact in facts):
        return None
    return frozenset(arch for arch in every if any(fact.on(arch) for fact in facts))


def _kernels(config: KernelConfig, catalogue: Catalogue, arch: str | None) -> Inferred:
    """Finds the kernels between which it was made; no bound where too many symbols are of no
    kernel."""
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
