"""The advisor's own evaluation of a tree, held against what the tree's conf has made."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from advisor.inputs.config import KernelConfig
from advisor.tree.kerneltree import KernelTree

from .kernels import DEBIAN, Base, Kernels

# What makes each configuration: a target of make, with its seed; or Debian's own.
MADE = {
    "defconfig": {},
    "tinyconfig": {},
    "allnoconfig": {},
    "randconfig": {"KCONFIG_SEED": "0x2a"},
}


class Difference(NamedTuple):
    """A symbol that conf and the advisor see differently; None is "not in the file"."""

    symbol: str
    conf: str | None
    ours: str | None

    def __str__(self) -> str:
        return f"{self.symbol}: conf {self.conf}, ours {self.ours}"


def configuration(kernels: Kernels, folder: Path, version: str, arch: str, name: str) -> Path:
    """The configuration of that name, refreshed by the tree's own olddefconfig.

    A name is one of MADE, one of Debian's, or a target of make, `randconfig-SEED` with a seed.
    """
    build = kernels.build(version, arch)
    if name in DEBIAN:
        return kernels.base(Base(version, name))
    if name == "defconfig":
        return kernels.base(Base(version, f"{arch}-defconfig"))
    shutil.copytree(build, folder, symlinks=True)
    (folder / ".config").unlink()
    target, _, seed = name.partition("-")
    more = {"KCONFIG_SEED": seed} if seed else MADE.get(target, {})
    kernels.make(version, arch, folder, target, **more)
    kernels.olddefconfig(version, arch, folder)
    return folder / ".config"


def values(config: KernelConfig) -> dict[str, str | None]:
    return {symbol: config.get(symbol) for symbol in config.symbols()}


def differences(config: KernelConfig, tree: KernelTree) -> list[Difference]:
    """All symbols of which the file and the tree's state do not say the same."""
    conf, ours = values(config), tree.snapshot()
    return [
        Difference(symbol, conf.get(symbol), ours.get(symbol))
        for symbol in sorted({*conf, *ours})
        if conf.get(symbol) != ours.get(symbol)
    ]
