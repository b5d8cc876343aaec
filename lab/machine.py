"""One machine in qemu that counts: the same kernel, words and seed give the same figures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from advisor.errors import InputError, UsageError

from . import symbols
from .guest import Guest, build, digest_of
from .platform import Platform, platform_of
from .run import Run, read_run

LIMIT = 3600  # seconds; a start takes fifteen where nothing else runs, ten times that with KASAN
_END = "end:"


class Kernel(NamedTuple):
    """A kernel as tests/boot/prepare.sh unpacks it: FOLDER/NAME/vmlinuz and config."""

    name: str
    folder: Path

    @property
    def image(self) -> Path:
        """What qemu starts."""
        return self.folder / "vmlinuz"

    @property
    def config(self) -> Path:
        """The configuration that it was built with."""
        return self.folder / "config"

    @property
    def source(self) -> str:
        """What the lab built it of; empty for Debian's."""
        path = self.folder / "package"
        return path.read_text() if path.is_file() else ""

    @property
    def platform(self) -> Platform:
        """What it is started in."""
        return platform_of(self.name)


def kernel_of(name: str, kernels: Path) -> Kernel:
    """The kernel of that name. Raises UsageError where the folder does not have it."""
    found = Kernel(name, kernels / name)
    if not (found.image.is_file() and found.config.is_file()):
        hint = "make kernels gets it, and make lab-kernels amd64-6.12"
        raise UsageError(f"no kernel {name}", where=str(kernels), hint=hint)
    return found


class Lab:
    """Starts kernels; what a start came to is kept in the folder, and not done again.

    In `programs` it makes what runs in a guest of each platform, when one is started.
    """

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._guests: dict[Platform, Guest] = {}

    def guest(self, kernel: Kernel) -> Guest:
        """The programs for that kernel. Raises UsageError where they cannot be made."""
        platform = kernel.platform
        if platform not in self._guests:
            self._guests[platform] = build(self._programs, platform)
        return self._guests[platform]

    def qemu(self, kernel: Kernel) -> str:
        """The version of its qemu, as that prints it. Raises UsageError where there is none."""
        platform = kernel.platform
        if not shutil.which(platform.machine[0]):
            raise UsageError(
                f"no {platform.machine[0]}", hint=f"Debian's package {platform.package}"
            )
        return _version(platform.machine[0])

    def run(self, kernel: Kernel, line: str, arguments: tuple[str, ...], seed: int) -> Run:
        """What one start counted, by function too.

        Raises InputError if it ended otherwise than by our init.
        """
        folder = self._started(kernel, line, (*arguments, f"seed={seed}"), seed, blocks=True)
        functions = folder / "functions"
        if not functions.exists():
            names = symbols.read(self._symbols(kernel) / "report")
            symbols.keep(functions, _functions(folder / "blocks", names))
            (folder / "blocks").unlink()
        return _read(folder, symbols.load(functions))

    def count(self, kernel: Kernel, line: str, arguments: tuple[str, ...], seed: int) -> Run:
        """The same without functions, which are to no avail where figures are compared."""
        return _read(
            self._started(kernel, line, (*arguments, f"seed={seed}"), seed, blocks=False), []
        )

    def _symbols(self, kernel: Kernel) -> Path:
        """Where a start of this kernel listed its symbols, at the addresses that they always have
        without randomization."""
        return self._started(kernel, kernel.platform.line, ("list=symbols",), 1, blocks=False)

    def _started(
        self, kernel: Kernel, line: str, words: tuple[str, ...], seed: int, *, blocks: bool
    ) -> Path:
        whole = " ".join([line, "rdinit=/init", "--", *map(quoted, words)])
        guest = self.guest(kernel)
        asked = (
            self.qemu(kernel), *kernel.platform.machine, digest_of(kernel.image),
            guest.plugin_digest, guest.initramfs_digest, whole, str(seed), str(blocks),
        )  # fmt: skip
        folder = self._folder / sha256("\0".join(asked).encode()).hexdigest()[:24]
        if not folder.exists():
            self._start(kernel, whole, seed, folder, blocks)
        return folder

    def _start(self, kernel: Kernel, line: str, seed: int, folder: Path, blocks: bool) -> None:
        work = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        guest, platform = self.guest(kernel), kernel.platform
        counting = f"{guest.plugin},out={work / 'count'}"
        counting += f",blocks={work / 'blocks'}" if blocks else ""
        command = [
            "nice", "-n", "15", *platform.machine, "-seed", str(seed),
            "-kernel", str(kernel.image), "-initrd", str(guest.initramfs), "-append", line,
            "-plugin", counting, "-serial", f"file:{work / 'console'}",
            *platform.report(work / "report"),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=LIMIT, check=False,
            )  # fmt: skip
            ended = f"qemu ended with {done.returncode} {done.stderr.strip()}"
        except subprocess.TimeoutExpired:
            ended = f"was stopped after {LIMIT} seconds"
        _check_end(work, f"{kernel.name} with {line!r} {ended}")
        try:
            work.rename(folder)
        except OSError:
            if not folder.exists():
                raise
            shutil.rmtree(work)  # another process was first, and counted the same


def quoted(word: str) -> str:
    """A word of the boot line; one with spaces in quotes, which the kernel takes off."""
    return f'"{word}"' if " " in word else word


def _read(folder: Path, functions: list[Counter[str]]) -> Run:
    report = (folder / "report").read_text(errors="replace")
    return read_run(report, (folder / "count").read_text(), functions)


def _check_end(folder: Path, ended: str) -> None:
    report, console = (folder / name for name in ("report", "console"))
    lines = report.read_text(errors="replace").splitlines() if report.exists() else []
    failed = next((text for text in lines if text.startswith("failed:")), "")
    if failed or not lines or lines[-1] != _END:
        last = console.read_text(errors="replace")[-1500:] if console.exists() else ""
        raise InputError(f"{ended}; {failed or 'its console ends with'}\n{last}")


@cache
def _version(qemu: str) -> str:
    done = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"version (.+)", done.stdout)
    return found[1] if found else done.stdout.strip()


def _functions(blocks: Path, names: symbols.Symbols) -> list[Counter[str]]:
    """For each window the instructions by function, those that repeat among them."""
    found: list[Counter[str]] = []
    with blocks.open() as lines:
        for line in lines:
            _, window, address, length, times = line.split()
            while len(found) <= int(window):
                found.append(Counter())
            found[int(window)][names.at(int(address, 16))] += int(length) * int(times)
    return found
