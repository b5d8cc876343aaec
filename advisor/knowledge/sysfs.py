"""The table of files below /sys: those that kernels describe or make, and that running ones showed.

`sysfs.gz` is text, made by `kernel-advisor rules lint --learn` from the Documentation/ABI and the C
source of trees and from listings of /sys of running kernels (`uname -r; find /sys -type f`):

    kernel-advisor-sysfs 1
    read 6.12.117 C
    read 6.12.117 Documentation/ABI
    read 6.12.117-cloud-amd64 /sys
    /sys/devices/system/cpu/cpu*/power/pm_qos_resume_latency_us

What is numbered, or named by a machine, is `*` in a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from advisor.knowledge.table import Table
from advisor.model.likeness import alike

# `<id>`, `[0-9]`, `{a,b}`, `...`, `#`, an X, Y or N behind a name, and what is numbered.
_VARIABLE = re.compile(r"<[^<>]*>|\[[^][]*\]|\{[^{}]*\}|\.\.\.|#|\d+|(?<=[a-z_:.-])[XYNZ](?![a-z])")
_NAMED = re.compile(r"[A-Z][A-Z_]*")  # DEVICE, X
_STARS = re.compile(r"\*(?:\w*\*)*")


def pattern(path: str) -> str:
    """Puts `*` in place of what is numbered, or named by a machine.

    >>> pattern("/sys/class/net/DEVICE/queues/rx-0/rps_cpus")
    '/sys/class/net/*/queues/rx-*/rps_cpus'
    """
    plain = _VARIABLE.sub("*", path.strip())
    parts = ("*" if _NAMED.fullmatch(part) else _STARS.sub("*", part) for part in plain.split("/"))
    return "/".join(parts)


class Sysfs(Table):
    """The patterns, and what was read. Raises KnowledgeError where the text is no such table."""

    file = "sysfs.gz"
    magic = "kernel-advisor-sysfs 1"

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(text, path)
        lines = text.split("\n")
        self.read = {line for line in lines if line.startswith("read ")}
        self.patterns = {line for line in lines if line.startswith("/")}

    def add(self, source: str, paths: Iterable[str]) -> None:
        """Adds paths that a source shows: `6.12.117 Documentation/ABI`."""
        self.read.add(f"read {source}")
        self.patterns.update(map(pattern, paths))

    def has(self, path: str) -> bool:
        """Whether any kernel read has the file or folder, or one that a pattern of it fits."""
        wanted = pattern(path)
        return wanted in self.patterns or any(
            _meets(wanted, known) or known.startswith(f"{wanted}/") for known in self.patterns
        )

    def near(self, path: str) -> list[str]:
        """Lists the paths that a wrong one may mean."""
        return alike(pattern(path), self.patterns)

    def text(self) -> str:
        """The file, unpacked: the same for the same paths, in whatever order they came."""
        return "\n".join([self.magic, *sorted(self.read), *sorted(self.patterns), ""])


def is_same(path: str, other: str) -> bool:
    """Whether two paths can be of one file, each of which may stand for many (`policy*`, DEVICE).

    >>> is_same("/sys/block/sda/queue/scheduler", "/sys/block/DEVICE/queue/scheduler")
    True
    """
    return _meets(*("/".join(map(_starred, each.split("/"))) for each in (path, other)))


def _starred(part: str) -> str:
    return "*" if _NAMED.fullmatch(part) else part


def _meets(path: str, other: str) -> bool:
    parts, others = path.split("/"), other.split("/")
    return len(parts) == len(others) and all(map(_fits, parts, others))


def _fits(part: str, other: str) -> bool:
    return part == other or fnmatchcase(part, other) or fnmatchcase(other, part)
