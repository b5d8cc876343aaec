"""Finding what a name means: a symbol, a boot parameter, a tunable, or a name of the field."""

from __future__ import annotations

from typing import NamedTuple

from advisor.errors import UsageError, near
from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.rules import Name, Parameter, Rename, Tunable


class Found(NamedTuple):
    """Everything the knowledge holds under one name."""

    query: str
    tunables: tuple[Tunable, ...]
    parameter: Parameter | None
    name: Name | None
    rename: Rename | None


def lookup(query: str, knowledge: Knowledge) -> Found:
    """What is known of a name: `CONFIG_HZ`, `nohz_full=`, `preemption-model`, `fastboot`.

    As it is written, else in any case. Raises UsageError with near matches for an unknown one.
    """
    plain = bare(query)
    found = _exact(plain, knowledge)
    if found is None:
        known = _all_names(knowledge)
        folded = plain.replace("-", "_").lower()
        same = (name for name in known if name.replace("-", "_").lower() == folded)
        found = next(filter(None, (_exact(name, knowledge) for name in same)), None)
    if found is None:
        raise UsageError(
            f"{query!r} is no symbol, parameter or tunable of these rules",
            where="explain",
            hint=near(plain, known) or "see: kernel-advisor rules",
        )
    return found


def bare(query: str) -> str:
    """The name in a query: without `CONFIG_`, and without `=` and what follows."""
    plain = query.strip().partition("=")[0]
    return plain[7:] if plain[:7].upper() == "CONFIG_" else plain


def _exact(plain: str, knowledge: Knowledge) -> Found | None:
    word = plain.replace("-", "_")
    keys = {plain, word, *knowledge.aliases(plain)} - {""}
    tunables = [t for t in knowledge.tunables() if keys & names_of(t)]
    tunables.sort(key=lambda tunable: not keys & own_names(tunable))
    found = Found(
        plain,
        tuple(tunables),
        knowledge.parameter(word),
        knowledge.name(plain),
        knowledge.rename(plain),
    )
    return found if any(found[1:]) else None


def own_names(tunable: Tunable) -> set[str]:
    """The names that mean this tunable first of all, not one that it depends on or gives up."""
    first = {pairs[0][0] for value in tunable.values for pairs in value.sets[:1]}
    return {tunable.id, tunable.symbol, tunable.parameter, *tunable.choice, *first}


def names_of(tunable: Tunable) -> set[str]:
    """Every name a tunable is found under: id, symbols, parameters, sysctls, further names."""
    found = {
        tunable.id,
        tunable.symbol,
        tunable.parameter,
        tunable.sysctl,
        *tunable.names,
        *tunable.choice,
    }
    for value in tunable.values:
        found |= {symbol for pairs in value.sets for symbol, _ in pairs}
        found |= {key for key, _ in (*value.sysctl, *value.sysfs)}
        found |= {_parameter(word) for words in (value.boot, *value.reads) for word in words}
    for member in tunable.members:
        found |= {member.symbol, *condition.symbols(member.when)}
    return found - {""}


def _parameter(word: str) -> str:
    return word.partition("=")[0].replace("-", "_")


def _all_names(knowledge: Knowledge) -> list[str]:
    found = {*knowledge.ids("names"), *knowledge.ids("parameters"), *knowledge.ids("renames")}
    for tunable in knowledge.tunables():
        found |= names_of(tunable)
    return sorted(found)
