"""What strong advice has to answer: what goes wrong without it, for whom, and why most do without.

Who says so are its sources, which the schema asks of every advice.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.knowledge.documents import Documents, Problem
from advisor.knowledge.references import placed
from advisor.knowledge.store import Knowledge
from advisor.model.profile import Advice, Stance, Strength


def check_answers(knowledge: Knowledge, documents: Documents) -> Iterator[Problem]:
    """Checks that every must says whom it harms where it is not followed, and how."""
    for name, document in documents.profiles.items():
        own = {advice["id"] for advice in document["advice"]}
        for advice in knowledge.profile(name).advice:
            if advice.id in own:  # what is inherited is checked where it stands
                rule = f"profile/{name}/{advice.id}"
                yield from placed(documents, rule, _unanswered(advice))


def _unanswered(advice: Advice) -> Iterator[str]:
    whom, colon, harm = advice.otherwise.partition(": ")
    if advice.stance is Stance.NEUTRAL:
        if advice.practice:
            yield f"advice {advice.id!r} is neutral: remove `practice`"
    elif advice.sized:
        yield f"advice {advice.id!r}: advice with `sized` must have the stance `neutral`"
    elif advice.otherwise and not (colon and whom and harm):
        yield f"advice {advice.id!r}: `otherwise` must name who is harmed, then a colon, then how"
    elif not advice.otherwise and advice.strength is Strength.MUST:
        yield f"advice {advice.id!r} is a `must`, but does not say in `otherwise` what goes wrong"
    elif not advice.otherwise and advice.practice:
        yield (
            f"advice {advice.id!r} says in `practice` why most kernels differ, but not in "
            "`otherwise` what goes wrong in them"
        )
