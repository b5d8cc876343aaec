"""Two profiles at once, as they are: they conflict where their wishes differ, and nowhere else."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from advisor.engine.conflicts import conflicts
from advisor.engine.judge import judge
from advisor.engine.state import World
from advisor.inputs.config import read_config
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import index
from advisor.model.kernel import Machine

ROOT = Path(__file__).parents[2]
KNOWLEDGE = index.load()


def world() -> World:
    """A server with two nodes, on which CPUs are isolated."""
    config = read_config(str(ROOT / "examples/x86_64-6.12.config.xz"))
    facts = Machine(cpus=32, nodes=2, vendor="intel", isolate="2-15", housekeeping="0-1,16-31")
    return World(subject_of(config, Given(facts)), KNOWLEDGE)


@pytest.mark.slow
def test_a_conflict_of_any_two_profiles_has_wishes_that_differ() -> None:
    here = world()
    by_profile = {
        name: judge(here, [KNOWLEDGE.profile(name)]) for name in KNOWLEDGE.ids("profiles")
    }
    disputes = 0
    for one, two in combinations(by_profile, 2):
        for conflict in conflicts([*by_profile[one], *by_profile[two]], here):
            disputes += 1
            wishes = {wish for _, wish in conflict.sides}
            assert len(wishes) > 1, (one, two, conflict.subject)
    assert disputes > 50
