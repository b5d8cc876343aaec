"""Which causes of a symptom a kernel can have."""

from __future__ import annotations

from advisor.engine.effective.world import World
from advisor.model.symptom import Suspect, Symptom


def suspects(symptom: Symptom, world: World) -> tuple[Suspect, ...]:
    """Return each cause of a symptom with its state in that world, in the order of the rules."""
    found = []
    for cause in symptom.causes:
        state = world.state(cause.tunable)
        tunable = world.knowledge.tunable(cause.tunable)
        values = state.effective if state and cause.values else ()
        answers = {cause.is_met(value) for value in values} if state else {False}
        # Open where it may be so or not, and where any value can be the cause.
        is_met = answers.pop() if len(answers) == 1 else None
        found.append(Suspect(cause, tunable, True, state, is_met))
    return tuple(found)
