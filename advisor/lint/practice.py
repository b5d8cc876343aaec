"""What configurations of distributions compile in, counted."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.engine.effective.world import World
from advisor.knowledge.store import Knowledge

if TYPE_CHECKING:
    from advisor.model.subject import Subject


def count(subjects: Iterable[Subject], knowledge: Knowledge, read: str) -> str:
    """The text of the file for these configurations; the same for the same ones, in any order."""
    totals: Counter[str] = Counter()
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for subject in subjects:
        arch = subject.machine.arch or "unknown"
        totals[arch] += 1
        world = World(subject, knowledge)
        for tunable in knowledge.tunables():
            state = world.value(tunable.id)
            if state and len(state.compiled) == 1:
                counts[tunable.id][arch][state.compiled[0]] += 1
    document = {
        "read": read,
        "configurations": dict(sorted(totals.items())),
        "tunables": {
            name: {
                arch: dict(sorted(values.items(), key=lambda item: (-item[1], item[0])))
                for arch, values in sorted(arches.items())
            }
            for name, arches in sorted(counts.items())
        },
    }
    return json.dumps(document, indent=1) + "\n"
