"""What distributions compile in, counted from their configurations (rules/practice.json).

Format: `read` is when, `configurations` how many by architecture, `tunables` by name and
architecture how many have each value; configurations that do not tell, or lack the thing, are in
none.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from advisor.errors import KnowledgeError
from advisor.knowledge.store import Knowledge

if TYPE_CHECKING:
    from advisor.model import Subject

FILE = "practice.json"
_FEW = 3
"""So many configurations of an architecture tell of no practice."""


class Practice:
    """How many configurations of distributions have which setting."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def told(self, tunable: str, arch: str | None) -> str:
        """`of 9 x86 configurations of distributions read in 2026-11: 1000 in 6, 250 in 3`.

        Without an architecture, of each. Empty where too few were read.
        """
        read, totals = self._document["read"], self._document["configurations"]
        found = self._document["tunables"].get(tunable, {})
        told = []
        for name in sorted(found) if arch is None else [arch]:
            if name in found and totals[name] >= _FEW:
                values = ", ".join(f"{value} in {number}" for value, number in found[name].items())
                told.append(f"of {totals[name]} {name} configurations: {values}")
        return f"{'; '.join(told)} (distributions, read in {read})" if told else ""


def location() -> str:
    """Where the file is, in a wheel or a checkout."""
    from advisor.knowledge import index

    return os.path.join(index.roots()[0], FILE)


def built_in() -> Practice:
    """What was counted last. Raises KnowledgeError if the file is missing or damaged."""
    path = location()
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        return Practice({key: document[key] for key in ("read", "configurations", "tunables")})
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"cannot be read: {error}; lint --practice makes it again"
        raise KnowledgeError([(path, problem)]) from error


def count(subjects: Iterable[Subject], knowledge: Knowledge, read: str) -> str:
    """The text of the file for these configurations; the same for the same ones, in any order."""
    from advisor.engine.state import World

    totals: Counter[str] = Counter()
    found: dict[str, dict[str, Counter[str]]] = {}
    for subject in subjects:
        arch = subject.machine.arch or "unknown"
        totals[arch] += 1
        world = World(subject, knowledge, places=False)
        for tunable in knowledge.tunables():
            state = world.state(tunable.id)
            if state and len(state.compiled) == 1:
                of_arch = found.setdefault(tunable.id, {}).setdefault(arch, Counter())
                of_arch[state.compiled[0]] += 1
    document = {
        "read": read,
        "configurations": dict(sorted(totals.items())),
        "tunables": {
            name: {arch: dict(_ranked(values)) for arch, values in sorted(arches.items())}
            for name, arches in sorted(found.items())
        },
    }
    return json.dumps(document, indent=1) + "\n"


def _ranked(values: Counter[str]) -> list[tuple[str, int]]:
    return sorted(values.items(), key=lambda item: (-item[1], item[0]))
