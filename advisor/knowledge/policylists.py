"""What lists ask for (inputs/policylists) as policies, and what of it no policy can say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from advisor.inputs.policylists.asked import Asked, PolicyList, Unsaid
from advisor.knowledge.store import Knowledge
from advisor.model.policy import Policy

Wrong = Callable[[Policy, Knowledge], Iterable[str]]
"""What is wrong with a policy's name and value, as settings would tell."""


def policies(
    found: PolicyList, knowledge: Knowledge, wrong: Wrong
) -> tuple[list[Policy], list[Unsaid]]:
    """Return the policies that say what lists ask for, and what they cannot say.

    Of several lines about one thing on one architecture the last counts.
    """
    by_thing: dict[tuple[str, str], list[Asked]] = {}
    for one in found.asked:
        by_thing.setdefault((one.kind, one.about), []).append(one)
    made: list[Policy] = []
    unsaid = list(found.unsaid)
    for lines in by_thing.values():
        for policy in (_known(each, knowledge) for each in _policies(lines)):
            reasons = list(wrong(policy, knowledge))
            unsaid += (Unsaid(policy.location, reason) for reason in reasons)
            made += [] if reasons else [policy]
    return made, unsaid


def _known(policy: Policy, knowledge: Knowledge) -> Policy:
    """Return the policy with a mark where no kernel that was read has its symbol, and a
    number of base 16 also with the prefix that Kconfig may write before it."""
    if policy.kind != "symbol":
        return policy
    seen = knowledge.catalogue.seen(policy.about)
    if seen and {fact.traits[:1] for fact in seen.facts} == {"h"}:
        plain = [one for one in policy.values if one[:2] not in ("0x", "0X")]
        return policy._replace(values=(*policy.values, *(f"0x{one}" for one in plain)))
    return policy._replace(out_of_tree=not (seen or knowledge.is_named(policy.about)))


def _policies(lines: list[Asked]) -> Iterator[Policy]:
    """Yield the policies of the lines about one thing: those of single architectures over the one
    for all others, and those that hang on something else."""
    everywhere: Asked | None = None
    by_arch: dict[str, Asked] = {}
    conditional: dict[str, Asked] = {}
    for one in lines:
        if one.when:
            conditional[f"({_on(one.arches)}) && {one.when}" if one.arches else one.when] = one
        elif one.arches:
            by_arch.update(dict.fromkeys(one.arches, one))
        else:
            everywhere, by_arch = one, {}
    others = {
        arch: one
        for arch, one in by_arch.items()
        if everywhere is None or one.value != everywhere.value
    }
    if everywhere:
        yield _policy(everywhere, " && ".join(f"arch != {arch}" for arch in others))
    groups: dict[str, list[str]] = {}
    for arch, one in others.items():
        groups.setdefault(one.value, []).append(arch)
    for arches in groups.values():
        is_alone = everywhere is None and len(groups) == 1
        suffix = "" if is_alone else f"-{'-'.join(arches)}"
        yield _policy(others[arches[0]], _on(arches), suffix)
    for number, (when, one) in enumerate(conditional.items(), 1):
        yield _policy(one, when, f"-if-{number}")


def _on(arches: Iterable[str]) -> str:
    """Return the condition of being one of these architectures."""
    terms = [f"arch = {arch}" for arch in arches]
    return " || ".join(terms)


def _policy(one: Asked, when: str, suffix: str = "") -> Policy:
    values = (one.value,) if one.value or one.kind == "symbol" else ()
    return Policy(
        f"{one.about}{suffix}", one.kind, one.about, values, one.reason, one.place,
        source=str(one.place), when=when,
    )  # fmt: skip
