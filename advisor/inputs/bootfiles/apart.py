"""A text in words, where a template's expansion is never parted, whatever blanks it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator

WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
"""A word of the boot line: blanks between two double quotes part nothing."""


def apart(
    text: str, opening: str, closing: str, *, quotes: bool = True
) -> Iterator[tuple[int, str]]:
    """Yields each word and where it begins; with `quotes`, blanks within double quotes part
    nothing.

    An expansion that is not closed takes all that follows.
    """
    start, depth, quoted, at = -1, 0, False, 0
    while at < len(text):
        if text.startswith(opening, at):
            depth += 1
        elif depth and text.startswith(closing, at):
            depth -= 1
        elif quotes and not depth and text[at] == '"':
            quoted = not quoted
        elif text[at].isspace() and not depth and not quoted:
            if start >= 0:
                yield start, text[start:at]
            start = -1
            at += 1
            continue
        start = at if start < 0 else start
        at += 1
    if start >= 0:
        yield start, text[start:]
