"""Starts a kernel in qemu, with software emulation and a file system of one script, and reads back
what it made of its command line (the script `init` beside this file prints it).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from advisor.model.kernel import Machine

from ..proofs import digest
from ..shared import made_once

KERNELS = ("cloud-6.1", "cloud-6.12", "rt-6.12")
CPUS = 4
# Two nodes, since NUMA balancing is off on one; enough memory for huge pages to be on by default.
# One thread for all processors: with more, qemu 7.2 at times runs code that the kernel has patched
# as it was before ("Oops: int3").
MACHINE = (
    "qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=single", "-cpu", "max",
    "-smp", f"{CPUS},sockets=2,threads=2", "-m", "1G", "-nodefaults", "-display", "none",
    "-object", "memory-backend-ram,id=first,size=512M", "-numa", "node,memdev=first,cpus=0-1",
    "-object", "memory-backend-ram,id=second,size=512M", "-numa", "node,memdev=second,cpus=2-3",
    "-no-reboot",
)  # fmt: skip
# The same machine in the tool's words, as options and as what the engine takes.
OPTIONS = (
    "--cpus", str(CPUS), "--nodes", "2", "--memory", "1G", "--vendor", "amd", "--guest", "--no-efi",
)  # fmt: skip
FACTS = Machine("x86", CPUS, 2, 1 << 30, "amd", "guest", "n")
# What stands in front of every line.
BASE = "console=ttyS0 panic=-1 log_buf_len=4M"
LIMIT = 300  # seconds; a start takes ten where nothing else runs

_END = "init/end:"
_UNKNOWN = re.compile(r'Unknown kernel command line parameters "(.*)", will be passed to user')


class Booted(NamedTuple):
    """What a kernel told of itself: the lines of each file, and its messages without times."""

    kernel: str
    line: str
    files: dict[str, list[str]]
    messages: tuple[str, ...]

    def text(self, path: str) -> str | None:
        """A file's text without the blanks around it; None if there is no such file."""
        lines = self.files.get(path)
        return None if lines is None else "\n".join(lines).strip()

    def has(self, path: str) -> bool:
        """Whether the kernel has that file or folder."""
        return path in self.files or path in self.files["exists"]

    def message(self, pattern: str) -> re.Match[str] | None:
        """The first message that has the pattern in it."""
        return next(filter(None, (re.search(pattern, text) for text in self.messages)), None)

    def unknown(self) -> set[str]:
        """The words that the kernel says it does not know."""
        # Those are quoted as they stand; no test has one with a blank in it.
        found = self.message(_UNKNOWN.pattern)
        return set(found[1].split()) if found else set()

    def passed_on(self) -> set[str]:
        """The words that init got, as argument or environment."""
        own = {"HOME=/", "TERM=linux"}
        return {*self.files.get("init/argument", ()), *self.files["/proc/1/environ"]} - own

    def threads(self) -> set[str]:
        """The names of all threads."""
        return {
            lines[0].partition("\t")[2]
            for path, lines in self.files.items()
            if re.fullmatch(r"/proc/\d+/status", path)
        }


class Kernels:
    """The kernels that prepare.sh got; each is started once for a line, by whichever worker."""

    def __init__(self, folder: Path, work: Path) -> None:
        """`work` is a folder that all workers share."""
        self._folder = folder
        self.work = work

    def config(self, kernel: str) -> Path:
        """The configuration it was built with."""
        return self._folder / kernel / "config"

    def digest(self, kernel: str) -> str:
        """Of the kernel, the programs it starts, and the machine."""
        files = (self._folder / kernel / "vmlinuz", self._folder / "initramfs")
        return digest(*MACHINE, *map(file_digest, files))

    def release(self, kernel: str) -> str:
        """The version that the kernel's configuration names."""
        return self.config(kernel).read_text().split(" Kernel Configuration")[0].split()[-1]

    def start(self, kernel: str, line: str) -> Booted:
        """The kernel as it was after a start with that line. Raises AssertionError if it ended
        otherwise than by our init.
        """

        def boot(folder: Path) -> None:
            console, report = (folder / name for name in ("console", "report"))
            command = [
                *MACHINE, "-kernel", str(self._folder / kernel / "vmlinuz"),
                "-initrd", str(self._folder / "initramfs"), "-append", line,
                "-serial", f"file:{console}", "-serial", f"file:{report}",
            ]  # fmt: skip
            try:
                done = subprocess.run(
                    command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                    timeout=LIMIT, check=False,
                )  # fmt: skip
                ended = f"qemu ended with {done.returncode} {done.stderr}"
            except subprocess.TimeoutExpired:
                ended = f"was stopped after {LIMIT} seconds"
            (folder / "ended").write_text(ended)

        folder = made_once(self.work / f"boot-{digest(kernel, line)}", boot)
        console, report = (folder / name for name in ("console", "report"))
        text = report.read_text(errors="replace") if report.exists() else ""
        if _END not in text:
            last = console.read_text(errors="replace")[-3000:] if console.exists() else ""
            ended = (folder / "ended").read_text()
            raise AssertionError(f"{kernel} with {line!r} {ended}; its console ends with\n{last}")
        return read_report(kernel, line, text)


@cache
def file_digest(path: Path) -> str:
    """Of a file's content."""
    return digest(path.read_bytes())


def read_report(kernel: str, line: str, text: str) -> Booted:
    """What the script `init` printed, by file."""
    files: dict[str, list[str]] = {"exists": []}
    for path, content in _lines(text):
        files.setdefault(path, []).append(content)
    messages = tuple(re.sub(r"^\[[ \d.]+\] ", "", message) for message in files.pop("dmesg"))
    return Booted(kernel, line, files, messages)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.replace("\r", "").splitlines():
        path, colon, content = line.partition(":")
        if colon:
            yield path, content
