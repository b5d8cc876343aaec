"""Which profiles fit a host, by the signs in its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from advisor.model.evidence import CLEAR, Candidate, Evidence, Recommendation, Sign, Signs

_PERSONAL = ("portable", "display", "desktop-system")
# With more reasons a reader reads fewer.
_MOST_REASONS = 3


def recommend(candidates: Iterable[Candidate], signs: Signs) -> list[Recommendation]:
    """Return the profiles that fit, with the best reasons first; the neutral one if none is clear.

    A profile that another clear one extends is left out. Somebody who works at a machine often has
    a database or containers on it as well: then a running service is a hint only.
    """
    candidates = sorted(candidates)
    fitting = [one for one in (_recommended(c, signs) for c in candidates) if one]
    neutral = {c.profile for c in candidates if c.neutral}
    chosen = {one.profile for one in fitting if one.clear}
    covered = {parent for c in candidates if c.profile in chosen for parent in c.extends}
    if chosen - neutral:
        # A server's case means nothing beside what the server is for.
        for candidate in candidates:
            services = (one for one in candidate.evidence if one.units or one.processes)
            if candidate.neutral and not any(any(_reasons(one, signs)) for one in services):
                covered.add(candidate.profile)
    fitting = [one for one in fitting if one.profile not in covered]
    if not chosen:
        fitting = [one for one in fitting if one.profile not in neutral]
        fitting += [Recommendation(name, CLEAR) for name in sorted(neutral)[:1]]
    return sorted(fitting, key=lambda one: (-one.weight, one.profile))


def _recommended(candidate: Candidate, signs: Signs) -> Recommendation | None:
    reasons: dict[str, int] = {}
    for evidence in candidate.evidence:
        serves, weight = evidence.units or evidence.processes, evidence.weight
        if serves and weight >= CLEAR and any(map(signs.trait, _PERSONAL)):
            weight = CLEAR - 1
        for reason in _reasons(evidence, signs):
            reasons[reason] = max(weight, reasons.get(reason, 0))
    if not reasons:
        return None
    ordered = sorted(reasons, key=lambda reason: -reasons[reason])[:_MOST_REASONS]
    return Recommendation(candidate.profile, reasons[ordered[0]], tuple(ordered))


def _reasons(evidence: Evidence, signs: Signs) -> Iterator[str]:
    """Return the reasons for the evidence, if no reason is against it."""
    if any(map(signs.trait, evidence.unless)):
        return
    traits = [signs.trait(name) for name in evidence.traits]
    if not all(traits):
        return
    if not (evidence.units or evidence.processes):
        title = evidence.title
        yield ", ".join(_running(title, one) if title else one.text for one in traits if one)
        return
    for sign in signs.signs:
        patterns = {"unit": evidence.units, "process": evidence.processes}.get(sign.kind, ())
        if any(fnmatchcase(sign.name, pattern) for pattern in patterns):
            yield _running(evidence.title, sign)
            return


def _running(title: str, sign: Sign) -> str:
    return f"{title} {'runs' if sign.runs else 'is enabled'} ({sign.text})"
