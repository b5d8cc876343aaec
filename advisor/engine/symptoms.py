"""Which causes of a symptom a kernel can have."""

from __future__ import annotations

from advisor.engine.effective.world import World
from advisor.model.report import State
from advisor.model.symptom import Cause, Suspect, Symptom


def suspects(symptom: Symptom, world: World) -> tuple[Suspect, ...]:
    """Return each cause of a symptom with its state in that world, in the order of the rules."""
    found = []
    for cause in symptom.causes:
        state = world.state(cause.tunable)
        tunable = world.knowledge.tunable(cause.tunable)
        found.append(Suspect(cause, tunable, True, state, _guilty(cause, state)))
    return tuple(found)


def _guilty(cause: Cause, state: State | None) -> bool | None:
    """Return whether a state can be the cause; None where it is open, or any value can be."""
    if state is None:
        return False
    answers = {cause.is_met(value) for value in state.effective} if cause.values else set()
    return answers.pop() if len(answers) == 1 else None
