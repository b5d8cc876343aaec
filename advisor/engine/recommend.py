"""Which profiles fit a host, by what its files tell of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from advisor.model.evidence import CLEAR, Candidate, Evidence, Recommendation, Sign, Signs

_PERSONAL = ("portable", "display")
# The more is named the less is read.
_MOST_REASONS = 3


def recommend(candidates: Iterable[Candidate], signs: Signs) -> list[Recommendation]:
    """The profiles that fit, those first for which most speaks; the neutral one where none is
    clear.

    Of a profile that another clear one extends only the other is named. Who works at a machine
    often has a database or containers beside: what runs there is a hint then.
    """
    candidates = sorted(candidates)
    fitting = [one for one in (_recommended(c, signs) for c in candidates) if one]
    neutral = {c.profile for c in candidates if c.neutral}
    chosen = {one.profile for one in fitting if one.clear}
    covered = {parent for c in candidates if c.profile in chosen for parent in c.extends}
    if chosen - neutral:
        # That a case is a server's tells nothing beside what the server is for.
        covered.update(c.profile for c in candidates if c.neutral and not _serves(c, signs))
    fitting = [one for one in fitting if one.profile not in covered]
    if not chosen:
        fitting = [one for one in fitting if one.profile not in neutral]
        fitting += [Recommendation(name, CLEAR) for name in sorted(neutral)[:1]]
    return sorted(fitting, key=lambda one: (-one.weight, one.profile))


def _serves(candidate: Candidate, signs: Signs) -> bool:
    """Whether something runs that speaks for it."""
    own = (one for one in candidate.evidence if one.units or one.processes)
    return any(any(_reasons(one, signs)) for one in own)


def _recommended(candidate: Candidate, signs: Signs) -> Recommendation | None:
    reasons: dict[str, int] = {}
    for evidence in candidate.evidence:
        weight = _weight(evidence, signs)
        for reason in _reasons(evidence, signs):
            reasons[reason] = max(weight, reasons.get(reason, 0))
    if not reasons:
        return None
    ordered = sorted(reasons, key=lambda reason: -reasons[reason])[:_MOST_REASONS]
    return Recommendation(candidate.profile, reasons[ordered[0]], tuple(ordered))


def _weight(evidence: Evidence, signs: Signs) -> int:
    serves = evidence.units or evidence.processes
    if serves and evidence.weight >= CLEAR and any(map(signs.trait, _PERSONAL)):
        return CLEAR - 1
    return evidence.weight


def _reasons(evidence: Evidence, signs: Signs) -> Iterator[str]:
    """What speaks for it, where nothing speaks against."""
    if any(map(signs.trait, evidence.unless)):
        return
    traits = [signs.trait(name) for name in evidence.traits]
    if not all(traits):
        return
    if not (evidence.units or evidence.processes):
        yield ", ".join(_told(trait, evidence.title) for trait in traits if trait)
        return
    for sign in signs.signs:
        patterns = {"unit": evidence.units, "process": evidence.processes}.get(sign.kind, ())
        if any(fnmatchcase(sign.name, pattern) for pattern in patterns):
            yield f"{evidence.title} {'runs' if sign.runs else 'is enabled'} ({sign.text})"
            return


def _told(trait: Sign, title: str) -> str:
    if not title:
        return trait.text
    return f"{title} {'runs' if trait.runs else 'is enabled'} ({trait.text})"
