"""Finding what a name means: a symbol, a boot parameter, a tunable, or a name of the field."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from advisor.errors import UsageError, meant, near
from advisor.knowledge import paths
from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.explanation import Described, Explanation, Opinion, Wish, Wishes
from advisor.model.likeness import slipped
from advisor.model.parameter import Parameter
from advisor.model.profile import Advice
from advisor.model.rules import Name, Rename
from advisor.model.symptom import Suspect, Symptom, folded
from advisor.model.tunable import Tunable

_RULES = "see: kernel-advisor rules"
_MOST = 3


class Match(NamedTuple):
    """Everything the knowledge holds under one name."""

    query: str
    tunables: tuple[Tunable, ...]
    parameter: Parameter | None
    name: Name | None
    rename: Rename | None


def lookup(query: str, knowledge: Knowledge) -> Match:
    """What is known of a name: `CONFIG_HZ`, `nohz_full=`, `preemption-model`, `fastboot`.

    As it is written, else in any case. Raises UsageError with near matches for an unknown one.
    """
    plain = bare(query)
    match = _exact(plain, knowledge)
    if match is None:
        ids = (i for section in ("names", "parameters", "renames") for i in knowledge.ids(section))
        known = sorted({*ids, *chain(*(names_of(t, knowledge) for t in knowledge.tunables()))})
        folded = plain.replace("-", "_").lower()
        same = (name for name in known if name.replace("-", "_").lower() == folded)
        match = next(filter(None, (_exact(name, knowledge) for name in same)), None)
    if match is None:
        # What is written in capitals is a symbol, and means no parameter.
        capital = plain == plain.upper()
        alike = slipped(plain, (name for name in known if (name == name.upper()) is capital))
        raise UsageError(
            f"{query!r} is no symbol, parameter or tunable of these rules",
            where="explain",
            hint=meant(alike) or _RULES,
        )
    return match


SYMPTOMS = "symptoms"
"""What explain is asked for to list all symptoms."""


def complaint(symptom: Symptom, knowledge: Knowledge) -> Explanation:
    """A symptom and what can cause it, in no kernel."""
    suspects = (Suspect(one, knowledge.tunable(one.tunable)) for one in symptom.causes)
    return Explanation(symptom=symptom, suspects=tuple(suspects))


def symptoms(knowledge: Knowledge) -> list[Symptom]:
    """All symptoms, by their ids."""
    return list(filter(None, map(knowledge.symptom, knowledge.ids("symptoms"))))


def _complaints(name: str, knowledge: Knowledge) -> list[str]:
    """The names of symptoms that a wrong one may mean, or that have it as a word."""
    known, plain = knowledge.ids("complaints"), folded(name)
    having = [one for one in known if f" {plain} " in f" {one} "]
    return slipped(plain, known) or having[:_MOST]


def explain(query: str, knowledge: Knowledge) -> Explanation:
    """All that is known of a name: of the rules' names, else of those that kernel trees have.

    A file below /proc/sys or /sys is asked about by its path. Raises UsageError with near matches
    for an unknown one, KnowledgeError for a damaged catalogue.
    """
    if paths.is_path(query):
        return _by_path(query.strip().partition("=")[0], knowledge)
    successor = knowledge.successor(bare(query))
    if symptom := knowledge.symptom(query) or knowledge.symptom_within(query):
        return complaint(symptom, knowledge)
    try:
        match = lookup(query, knowledge)
    except UsageError as error:
        try:
            return _unruled(bare(query), knowledge, error)._replace(successor=successor)
        except UsageError:
            if successor is None:
                raise
            return Explanation(successor=successor)
    from advisor.knowledge.entries import symbol_entry

    exact = [t for t in match.tunables if t.id == match.query] or match.tunables
    seen = match.rename or not match.tunables
    return Explanation(
        match.name,
        match.rename,
        match.parameter,
        tuple(_described(tunable, knowledge) for tunable in exact),
        entry=symbol_entry(bare(query), knowledge.catalogue) if seen else None,
        successor=successor,
        searched=match.parameter and knowledge.parameter_catalogue.searched(match.parameter.name),
    )


def _by_path(path: str, knowledge: Knowledge) -> Explanation:
    """What is known of a file below /proc/sys or /sys. Raises UsageError."""
    if found := paths.tunables_at(path, knowledge):
        return Explanation(tunables=tuple(_described(each, knowledge) for each in found))
    if name := paths.name_of(path):
        return explain(name, knowledge)
    last = path.rpartition("/")[2]
    if knowledge.name(last):
        return explain(last, knowledge)
    if not paths.is_known(path, knowledge):
        near_ = knowledge.sysfs.near(path)
        hint = meant(near_) or _RULES
        message = f"{path!r} is not in the documents that were read"
        raise UsageError(message, where="explain", hint=hint)
    return Explanation(file=path)


def _unruled(name: str, knowledge: Knowledge, error: UsageError) -> Explanation:
    """Looks up a name that is in no rule. Raises UsageError."""
    from advisor.knowledge.entries import parameter_entry, symbol_entry, sysctl_entry

    if entry := symbol_entry(name, knowledge.catalogue):
        return Explanation(entry=entry)
    word = name.replace("-", "_")
    if reader := knowledge.reader(word):
        return Explanation(word=word, reader=reader)
    entry = parameter_entry(name, knowledge.parameter_catalogue)
    known = knowledge.sysctl_catalogue
    entry = entry or sysctl_entry(name, known) or sysctl_entry(known.ending(name), known)
    if entry := entry or symbol_entry(name.upper(), knowledge.catalogue):
        return Explanation(entry=entry)
    raise _unknown(name, knowledge, error) from None


def _unknown(name: str, knowledge: Knowledge, error: UsageError) -> UsageError:
    """Makes the error for a name that neither the rules nor any kernel knows, with near matches."""
    catalogue = knowledge.catalogue
    read = f", nor of the {len(catalogue.kernels)} kernels read" if catalogue.kernels else ""
    # In small letters it is rather a parameter or a tunable.
    small = name != name.upper()
    close = [] if small and "did you mean" in error.hint else catalogue.near(name)
    close = (small and knowledge.parameter_catalogue.near(name)) or close
    close = (name.startswith("no") and knowledge.options(name)) or close
    close = [*close, *(_complaints(name, knowledge) if small else ())]
    hint = meant(close) or error.hint
    if small and not close and hint == _RULES:
        hint = f"{_RULES}, or kernel-advisor explain {SYMPTOMS}"
    return UsageError(f"{error.message}{read}", where=error.where, hint=hint)


def rule(name: str, knowledge: Knowledge) -> Described:
    """One tunable in full. Raises UsageError with near matches for an unknown one."""
    if name not in knowledge.ids("tunables"):
        hint = near(name, knowledge.ids("tunables")) or "see: kernel-advisor rules"
        raise UsageError(f"there is no rule {name!r}", where="rules show", hint=hint)
    return _described(knowledge.tunable(name), knowledge)


def _described(tunable: Tunable, knowledge: Knowledge) -> Described:
    opinions = tuple(
        Opinion(advice, option)
        for advice in _advice(knowledge)
        for option in advice.options
        if option.tunable == tunable.id
    )
    practice = knowledge.practice.summary(tunable.id, None)
    return Described(tunable, knowledge.notes(tunable.id), opinions, practice)


def _advice(knowledge: Knowledge) -> Iterator[Advice]:
    """All advice; of products what they do not inherit."""
    for name in knowledge.profile_ids():
        product = knowledge.document("products", name)
        own = {advice["id"] for advice in product["advice"]} if product else set()
        for advice in knowledge.profile(name).advice:
            if not product or advice.id in own:
                yield advice


def wishes(name: str, knowledge: Knowledge) -> Wishes:
    """One profile in full. Raises UsageError with near matches for an unknown one."""
    profile = knowledge.profile(name)
    listed = (
        Wish(advice, tuple((o, knowledge.tunable(o.tunable)) for o in advice.options))
        for advice in profile.advice
    )
    return Wishes(profile, tuple(listed))


def bare(query: str) -> str:
    """The name in a query: without `CONFIG_`, and without `=` and what follows."""
    plain = query.strip().partition("=")[0]
    return plain[7:] if plain[:7].upper() == "CONFIG_" else plain


def _exact(plain: str, knowledge: Knowledge) -> Match | None:
    word = plain.replace("-", "_")
    keys = {plain, word, *knowledge.aliases(plain)} - {""}
    tunables = [t for t in knowledge.tunables() if keys & names_of(t, knowledge)]
    tunables.sort(key=lambda tunable: not keys & own_names(tunable))
    match = Match(
        plain,
        tuple(tunables),
        knowledge.parameter(word),
        knowledge.sysctl_name(plain) if "." in plain else knowledge.name(plain),
        knowledge.rename(plain),
    )
    return match if any(match[1:]) else None


def own_names(tunable: Tunable) -> set[str]:
    """The names that mean this tunable first of all, not one that it depends on or gives up."""
    first = {pairs[0][0] for value in tunable.values for pairs in value.sets[:1]}
    return {tunable.id, tunable.symbol, tunable.parameter, *tunable.choice, *first}


def names_of(tunable: Tunable, knowledge: Knowledge) -> set[str]:
    """Every name a tunable is found under: id, symbols, parameters, sysctls, further names."""
    names = {
        tunable.id,
        tunable.symbol,
        tunable.parameter,
        *knowledge.notes(tunable.id).names,
        *tunable.choice,
        *tunable.set_symbols,
        *tunable.sysctls,
        *tunable.files,
    }
    for value in tunable.values:
        words = chain(value.boot, *value.reads)
        names |= set(map(parameter_name, words))
    for member in tunable.members:
        names |= {member.symbol, *condition.symbols(member.when)}
    return names - {""}
