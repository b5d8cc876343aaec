"""The table of files below /sys: those that kernels describe, and those that running ones showed.

`sysfs.gz` is text, made by `kernel-advisor lint --learn` from the Documentation/ABI of trees and
from listings of /sys of running kernels (`uname -r; find /sys -type f`):

    kernel-advisor-sysfs 1
    read 6.12.117 Documentation/ABI
    read 6.12.117-cloud-amd64 /sys
    /sys/devices/system/cpu/cpu*/power/pm_qos_resume_latency_us

What is numbered, or named by a machine, is `*` in a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from advisor.errors import KnowledgeError
from advisor.knowledge import catalogue

FILE = "sysfs.gz"
MAGIC = "kernel-advisor-sysfs 1"
# `<id>`, `[0-9]`, `{a,b}`, `...`, `#`, an X, Y or N behind a name, and what is numbered.
_VARIABLE = re.compile(r"<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\.\.\.|#|\d+|(?<=[a-z_:.-])[XYNZ](?![a-z])")
_NAMED = re.compile(r"[A-Z][A-Z_]*")  # DEVICE, X
_STARS = re.compile(r"\*[\w*]*\*|\*+")


def pattern(path: str) -> str:
    """A path with `*` in place of what is numbered, or named by a machine.

    >>> pattern("/sys/class/net/DEVICE/queues/rx-0/rps_cpus")
    '/sys/class/net/*/queues/rx-*/rps_cpus'
    """
    plain = _VARIABLE.sub("*", path.strip())
    parts = ("*" if _NAMED.fullmatch(part) else _STARS.sub("*", part) for part in plain.split("/"))
    return "/".join(parts)


class Sysfs:
    """The patterns, and what was read. Raises KnowledgeError where the text is no such table."""

    def __init__(self, text: str, path: str = "") -> None:
        first, *lines = text.split("\n") if text else [MAGIC]
        if first != MAGIC:
            again = "another version wrote it; kernel-advisor lint --learn makes it anew"
            raise KnowledgeError([(path, f"does not begin with {MAGIC!r}: {again}")])
        self.read = {line for line in lines if line.startswith("read ")}
        self.patterns = {line for line in lines if line.startswith("/")}

    def add(self, source: str, paths: Iterable[str]) -> None:
        """Adds paths that a source shows: `6.12.117 Documentation/ABI`."""
        self.read.add(f"read {source}")
        self.patterns.update(map(pattern, paths))

    def has(self, path: str) -> bool:
        """Whether any kernel read has the file, or one that a pattern of it fits."""
        wanted = pattern(path)
        return wanted in self.patterns or any(self._fitting(wanted))

    def near(self, path: str) -> list[str]:
        """The paths that a wrong one may mean."""
        return catalogue.alike(pattern(path), self.patterns)

    def text(self) -> str:
        """The file, unpacked: the same for the same paths, in whatever order they came."""
        return "\n".join([MAGIC, *sorted(self.read), *sorted(self.patterns), ""])

    def _fitting(self, wanted: str) -> Iterator[str]:
        parts = wanted.split("/")
        for known in self.patterns:
            others = known.split("/")
            if len(others) == len(parts) and all(map(_fits, parts, others)):
                yield known


def _fits(part: str, other: str) -> bool:
    return part == other or fnmatchcase(part, other) or fnmatchcase(other, part)


def built_in() -> Sysfs:
    """That of the built-in rules; empty if there is none. Raises KnowledgeError if damaged."""
    return load(catalogue.location(FILE))


def load(path: str) -> Sysfs:
    """That in a file; empty if there is none. Raises KnowledgeError if it is damaged."""
    text = catalogue.unpacked(path)
    return Sysfs("" if text == catalogue.MAGIC else text, path)
