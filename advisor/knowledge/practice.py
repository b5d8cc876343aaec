"""What distributions compile in, counted from their configurations (data/practice.json).

Format: `read` is when, `configurations` how many by architecture, `tunables` by name and
architecture how many have each value; configurations that do not tell, or lack the thing, are in
none.
"""

from __future__ import annotations

import json
from typing import Any

from advisor.errors import KnowledgeError
from advisor.files import MOST, read
from advisor.knowledge import folders
from advisor.model.report import Practice

FILE = "practice.json"
_FEW = 3
"""So many configurations of an architecture tell of no practice."""


class Practices:
    """How many configurations of distributions have which setting."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def summary(self, tunable: str, arch: str | None) -> str:
        """`of 9 x86 configurations of distributions read in 2026-11: 1000 in 6, 250 in 3`.

        Without an architecture, of each. Empty where too few were read.
        """
        read, totals = self._document["read"], self._document["configurations"]
        counts = self._document["tunables"].get(tunable, {})
        parts = []
        for name in sorted(counts) if arch is None else [arch]:
            if name in counts and totals[name] >= _FEW:
                values = ", ".join(f"{value} in {number}" for value, number in counts[name].items())
                parts.append(f"of {totals[name]} {name} configurations: {values}")
        return f"{'; '.join(parts)} (distributions, read in {read})" if parts else ""

    def of(self, tunable: str, arch: str | None) -> Practice:
        """Gives the same in numbers, for one architecture alone."""
        counts = self._document["tunables"].get(tunable, {}).get(arch, {})
        total = self._document["configurations"].get(arch, 0) if counts else 0
        shown = tuple(counts.items()) if total >= _FEW else ()
        return Practice(self.summary(tunable, arch), total if shown else 0, shown)


def built_in() -> Practices:
    """Reads what was counted last. Raises KnowledgeError if the file is missing or damaged."""
    path = folders.data(FILE)
    try:
        document = json.loads(read(path, limit=MOST))
        return Practices({key: document[key] for key in ("read", "configurations", "tunables")})
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"cannot be read: {error}; rules lint --practice makes it again"
        raise KnowledgeError([(path, problem)]) from error
