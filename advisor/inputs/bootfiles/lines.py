"""Where a sign of a text stands: its line and column."""

from __future__ import annotations

import re
from bisect import bisect_right


class Lines:
    """The lines of a text, counted from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def of(self, at: int) -> int:
        """Finds the line of a character."""
        return bisect_right(self._starts, at)

    def column(self, at: int) -> int:
        """Finds the column of a character in its line, from 1."""
        return at - self._starts[self.of(at) - 1] + 1
