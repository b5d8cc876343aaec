"""Boot lines made of the words that a loader's file holds, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import CommandLine, Location

_KERNEL = re.compile(
    r"(?:.*/)?(?:vmlinu[xz]|kernel|[zbu]?Image|linux)-(?=[0-9])(.+?)(?:\.efi)?$", re.I
)
_FOLDER = re.compile(r"(?:.*/)([0-9]+\.[0-9][^/]*)/(?:linux|vmlinuz|kernel)$")
LONGEST = 1 << 16


def line_of(words: Iterable[tuple[str, Location]], name: str, part: bool = False) -> CommandLine:
    """Joins words to a line; it is a `part` of one where others are not known."""
    spans: list[tuple[int, Location]] = []
    texts: list[str] = []
    column = 1
    for text, place in words:
        if column + len(text) > LONGEST:
            break
        spans.append((column, place))
        texts.append(text)
        column += len(text) + 1
    line = parse_cmdline(" ".join(texts), name)
    return line._replace(spans=tuple(spans), part=part)


def release_of(path: str) -> str:
    """Finds the release of the kernel by the name of its file; empty where the name does not
    have it."""
    found = _KERNEL.match(path) or _FOLDER.match(path)
    return found[1] if found else ""
