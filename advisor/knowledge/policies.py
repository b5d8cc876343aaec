"""A team's policies as advice: a tunable each, and a profile that wants them as they have to be.

So policies are judged, remedied, waived, compared and written as all advice is.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.knowledge.store import Knowledge
from advisor.model.condition import Expr
from advisor.model.condition_parser import parse
from advisor.model.policy import SWITCH, Policy
from advisor.model.profile import POLICY, REQUIREMENT, Advice, Option, Profile, Stance, Strength
from advisor.model.rules import Source
from advisor.model.tunable import Tunable, Value

_MET, _UNMET = "met", "not met"
_NOT_GIVEN = "not on the boot line"


def known(policies: Iterable[Policy], knowledge: Knowledge) -> Knowledge:
    """Return the knowledge with the tunables that policies are about."""
    return knowledge.extended(tunable(policy, knowledge) for policy in policies)


def profile(policies: Iterable[Policy]) -> Profile:
    """Return the profile that wants these policies met; of several of one name the last counts."""
    advice = {policy.name: _advice(policy) for policy in policies}
    summary = "The policies in this repository's settings."
    return Profile(POLICY, "Policies", summary, (*advice.values(),))


def tunable(policy: Policy, knowledge: Knowledge) -> Tunable:
    """Return the tunable that a policy is about."""
    known = Tunable(_id(policy), POLICY, policy.title, "text")
    if policy.kind == "symbol":
        known = known._replace(only_if=_elsewhere(policy.about, knowledge), default="n")
        is_switch = all(value in SWITCH for value in policy.values)
        own = known._replace(symbol=policy.about)
        return _switch(policy.about, known, knowledge) if is_switch else own
    if policy.kind == "sysctl":
        return known._replace(sysctl=policy.about)
    if policy.kind == "sysfs":
        return known._replace(sysfs=policy.about)
    if policy.kind == "parameter" and policy.values:
        values = tuple(Value(one, boot=(f"{policy.about}={one}",)) for one in policy.values)
        return known._replace(parameter=policy.about, values=values, default=_NOT_GIVEN)
    needs = ["boot", policy.about] if policy.kind == "parameter" else parse(policy.about)
    values = Value(_MET, when=["&", needs]), Value(_UNMET)
    return known._replace(kind=REQUIREMENT, values=values, default=_UNMET)


def _switch(symbol: str, known: Tunable, knowledge: Knowledge) -> Tunable:
    """Return the tunable of a bool or tristate symbol, with what the rules know it to need."""
    requires: Expr = None
    if own := knowledge.own(symbol):
        requires = own[1].requires
    elif member := knowledge.member(symbol):
        requires = member.requires
    values = tuple(
        Value(
            name,
            sets=(((symbol, name),),),
            when=_reads(symbol, name, knowledge),
            requires=requires if name != "n" else None,
        )
        for name in SWITCH
    )
    choice = tuple(knowledge.siblings(symbol))
    return known._replace(kind="choice", values=values, choice=choice)


def _elsewhere(symbol: str, knowledge: Knowledge) -> Expr:
    """Return that the architecture is none of those whose kernels never had the symbol."""
    catalogue = knowledge.catalogue
    seen = catalogue.seen(symbol)
    read = {arch for kernel in catalogue.kernels for arch in kernel.arches}
    without = sorted(arch for arch in read if seen and not seen.kernels(arch))
    return ["&", *(["fact", "arch", "!=", arch] for arch in without)] if without else None


def _reads(symbol: str, name: str, knowledge: Knowledge) -> Expr:
    """Return when a symbol has that value: y and m also where others took its place, and have it.

    The value m is looked at where y is none.
    """
    equal = ["sym", symbol, "=", name]
    successor = knowledge.successor(symbol) if name != "n" else None
    if successor is None or (successor.note and not successor.part):
        return equal
    others = (["on", new] if name == "m" else ["sym", new, "=", name] for new in successor.new)
    return ["|", equal, ["&", ["!", ["present", symbol]], *others]]


def _advice(policy: Policy) -> Advice:
    wanted = policy.values or (_MET,)
    is_address = policy.source.startswith(("https://", "http://"))
    source = (Source("vendor", policy.source),) if is_address else ()
    return Advice(
        policy.name, POLICY, Stance.WANT, Strength.MUST, (Option(_id(policy), wanted),),
        why=_why(policy, policy.source if not is_address else ""), purpose=True, sources=source,
        only_if=parse(policy.when) if policy.when else None,
    )  # fmt: skip


def _why(policy: Policy, source: str) -> str:
    """Return the reason with who answers for it, and where it is written."""
    told = [f"owner: {policy.owner}"] if policy.owner else []
    told += [f"source: {source}"] if source else []
    told.append(str(policy.location))
    return " ".join(f"{policy.reason or policy.title} ({'; '.join(told)})".split())


def _id(policy: Policy) -> str:
    """Return the id of a policy's tunable, which for one name may be another on other paths."""
    return policy.id + (f" in {policy.path}" if policy.path else "")
