"""Debian's kernel trees, and what their own tools make with them.

Nothing is written into the trees: every configuration is made in a build directory of its own
(O=), once for all workers.
"""

from __future__ import annotations

import lzma
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..proofs import digest
from ..shared import made_once
from .tools import clean, run

PROJECT = Path(__file__).resolve().parents[2]
CONFIGS = Path(os.environ.get("KERNEL_ADVISOR_CONFIGS", "/usr/src"))
VERSIONS = ("6.1", "6.12")
ARCHES = ("x86_64", "arm64")
# Configured with the answers of whatever compiler is here: of these the newer kernel is enough.
OTHERS = ("arm", "riscv", "powerpc", "s390", "mips", "loongarch")
# Under arch/, by what make calls it: all that anything here is made for.
FOLDERS = {
    "x86_64": "x86", "arm64": "arm64", "arm": "arm", "riscv": "riscv", "powerpc": "powerpc",
    "s390": "s390", "mips": "mips", "loongarch": "loongarch",
}  # fmt: skip
# Debian's own configurations, by the name under which the tests show them.
DEBIAN = {
    "amd64": "config.amd64_none_amd64.xz",
    "cloud-amd64": "config.amd64_none_cloud-amd64.xz",
    "rt-amd64": "config.amd64_rt_amd64.xz",
}
# Fragments that make a bad start of the x86_64 defconfig (paths in the tree, or absolute).
SPOILED = {
    "x86_64-bad-ideas": str(PROJECT / "examples" / "bad-ideas.config"),
    "x86_64-debug": "kernel/configs/debug.config",
}
TINY = "x86_64-tiny"

_LINE = re.compile(r"CONFIG_(\w+)=(.*)|# CONFIG_(\w+) is not set")
# Saves the environment that make gives to conf: its assignment runs while the file is parsed.
_SPY = """\
saved := $(shell,env -0 >$(SPY_OUTPUT))
config SPY
	def_bool y
"""


class Base(NamedTuple):
    """A configuration to start from."""

    version: str
    name: str

    @property
    def arch(self) -> str:
        first = self.name.partition("-")[0]
        return first if first in FOLDERS else "x86_64"

    def __str__(self) -> str:
        return f"{self.version}-{self.name}"


class Lines(NamedTuple):
    """The settings of a fragment or .config: value by symbol, `n` where it says not set."""

    values: dict[str, str]

    @staticmethod
    def of(text: str) -> Lines:
        values: dict[str, str] = {}
        for line in text.splitlines():
            if match := _LINE.fullmatch(line):
                values[match[1] or match[3]] = match[2] if match[1] else "n"
        return Lines(values)

    def missing_in(self, final: Lines) -> dict[str, str]:
        """The settings that do not hold there, each with what stands instead.

        Absent is as good as not set.
        """
        return {
            symbol: f"asked {value}, got {final.values.get(symbol, 'nothing')}"
            for symbol, value in self.values.items()
            if final.values.get(symbol, "n" if value == "n" else None) != value
        }

    def digest(self) -> str:
        """The same for the same settings, in whatever order and with whatever comments."""
        return digest(*(f"{symbol}={value}" for symbol, value in sorted(self.values.items())))


class Kernels:
    """The trees, a build directory for each architecture, and the configurations made there."""

    def __init__(self, trees: Path, work: Path) -> None:
        """`trees` is the folder that prepare.sh filled, `work` one that all workers share."""
        self._trees = trees
        self.work = work

    def tree(self, version: str) -> Path:
        return self._trees / f"linux-source-{version}"

    def build(self, version: str, arch: str) -> Path:
        """A build directory that holds this architecture's defconfig and the tree's conf."""

        def make(out: Path) -> None:
            self.make(version, arch, out, "defconfig")
            spy = out / "spy"
            spy.mkdir()
            (spy / "Kconfig").write_text(_SPY)
            words = (f"KBUILD_KCONFIG={spy}/Kconfig", f"KCONFIG_CONFIG={spy}/config")
            self.make(version, arch, out, "olddefconfig", *words, SPY_OUTPUT=f"{spy}/environment")

        return made_once(self.work / f"build-{version}-{arch}", make)

    def make(self, version: str, arch: str, out: Path, *words: str, **more: str) -> str:
        """`make` in the tree, all output in `out`."""
        command = ["make", "-s", "-C", str(self.tree(version)), f"O={out}", f"ARCH={arch}", *words]
        return run(command, out, clean(more))

    def olddefconfig(self, version: str, arch: str, folder: Path) -> str:
        """`make olddefconfig` for folder/.config without make: the same conf and environment.

        Returns what conf says. Saves half of make's time; test_kbuild.py compares the two.
        """
        build = self.build(version, arch)
        saved = (build / "spy" / "environment").read_text().split("\0")
        environment = dict(pair.split("=", 1) for pair in saved if "=" in pair)
        for name in [
            name
            for name in environment
            if name.startswith(("MAKE", "SPY")) or name in ("MFLAGS", "O")
        ]:
            del environment[name]
        environment["KCONFIG_CONFIG"] = str(folder / ".config")
        environment["PATH"] = clean()["PATH"]
        conf = build / "scripts" / "kconfig" / "conf"
        return run([str(conf), "--olddefconfig", "Kconfig"], folder, environment)

    def base(self, base: Base) -> Path:
        """The configuration, refreshed by the tree's own olddefconfig."""

        def make(folder: Path) -> None:
            target = folder / ".config"
            if base.name == TINY:
                self.make(base.version, base.arch, folder, "tinyconfig")
                return
            if base.name in DEBIAN:
                target.write_bytes(debian(base))
            else:
                shutil.copy(self.build(base.version, base.arch) / ".config", target)
            if base.name in SPOILED:
                spoiled = self.tree(base.version) / SPOILED[base.name]
                self.merge(base.version, folder, target, spoiled)
            self.olddefconfig(base.version, base.arch, folder)

        return made_once(self.work / f"base-{base}", make) / ".config"

    def merge(self, version: str, folder: Path, base: Path, fragment: Path) -> None:
        """The tree's own merge_config.sh, merging into folder/.config."""
        # It makes its scratch files where it is run.
        script = self.tree(version) / "scripts" / "kconfig" / "merge_config.sh"
        run([str(script), "-m", "-O", str(folder), str(base), str(fragment)], folder, clean())

    def defconfig(self, version: str, arch: str) -> Path:
        """The file in the tree that `make defconfig` starts from."""
        name = "x86/configs/x86_64_defconfig" if arch == "x86_64" else "arm64/configs/defconfig"
        return self.tree(version) / "arch" / name

    def advise_line(self, config: Path, line: str, target: Path) -> None:
        """Writes the fragment with a built-in boot line for real time, beside that line."""
        self.advisor(
            "cmdline", str(config), "--profile", "realtime", "--strength", "could",
            "--cmdline", line, "--format", "kconfig", "--output", str(target),
        )  # fmt: skip

    def advisor(self, *words: str) -> str:
        """What the command prints, as a user runs it: 0 and 1 are its good ends."""
        return run([sys.executable, "-m", "advisor", *words], PROJECT, clean(), 1)


@cache
def tree_digest(tree: Path, arch: str) -> str:
    """Of all that decides what conf makes in a tree: Kconfig files, conf, and what both call.

    Other architectures' files are not read. The version is in none of these files.
    """
    found = []
    for folder, names, files in os.walk(tree):
        place = os.path.relpath(folder, tree)
        if place == "arch":
            names[:] = [FOLDERS[arch]]
        for name in files:
            script = place == "scripts" and name.endswith(".sh")
            if name.startswith("Kconfig") or script or f"{place}/".startswith("scripts/kconfig/"):
                found.append(f"{place}/{name}")
    return digest(*(f"{name}\0{digest((tree / name).read_bytes())}" for name in sorted(found)))


def release(tree: Path) -> str:
    """The version that the tree's Makefile gives."""
    text = (tree / "Makefile").read_text()
    names = ("VERSION", "PATCHLEVEL", "SUBLEVEL")
    return ".".join(re.findall(rf"(?m)^{name} = (\d+)$", text)[0] for name in names)


def debian(base: Base) -> bytes:
    """A configuration as Debian ships it."""
    with lzma.open(CONFIGS / f"linux-config-{base.version}" / DEBIAN[base.name]) as packed:
        return packed.read()
