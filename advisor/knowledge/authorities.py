"""What tuned's profiles, the kernel's own fragments and guides ask for, held against a profile.

`rules/authorities.toml` lists them, and why a profile leaves out what it does not weigh. What each
asks for is taken from its own files by tools/authorities.py (data/authorities.json); of a guide
that no program can read it stands in the list, as a person found it. A line an ask:

    sysctl KEY=VALUE, sysfs PATH=VALUE, boot WORD, config SYMBOL=VALUE
    name CONFIG_X, name WORD=                 of documents, which name things and ask in sentences

A VALUE may be several (`a|b`), any of which will do, a range (`2048..`), and name the CPUs that
are isolated, or those that are not, as profiles do (`{isolate}`, `{housekeeping}`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain
from typing import Any

from advisor.errors import KnowledgeError
from advisor.files import MOST, read
from advisor.knowledge import folders
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.load import compile_files
from advisor.knowledge.lookup import bare, names_of
from advisor.knowledge.store import Knowledge
from advisor.knowledge.sysfs import is_same
from advisor.model.cmdline import parameter_name
from advisor.model.condition import atoms
from advisor.model.explanation import Authority, Held, Leaving, Prompt
from advisor.model.numbers import within
from advisor.model.profile import Advice, Option, Profile, Stance
from advisor.model.rules import Source
from advisor.model.tunable import Tunable

FILE = "authorities.json"
_ORDER = ("agrees", "differs", "neutral", "names")
_FOLLOWS = "No prompt: other symbols select this symbol, or the architecture sets it."


@cache
def listed() -> tuple[tuple[Authority, ...], tuple[Leaving, ...]]:
    """The authorities, and what profiles leave out of what they ask for. Raises KnowledgeError."""
    path = os.path.join(folders.roots()[0], "authorities.toml")
    try:
        content = read(path, limit=MOST)
    except OSError as error:
        raise KnowledgeError([(path, f"cannot be read: {error.strerror}")]) from error
    file = KnowledgeFile("authorities", path, "", content, folders.roots()[0])
    documents = compile_files([file], check=False)
    authorities = (
        Authority(
            name,
            one["title"],
            tuple(one["profiles"]),
            Source(**one["source"][0]),
            tuple(one.get("asks", ())),
        )
        for name, one in documents.authorities.items()
    )
    leaves = (
        Leaving(
            tuple(one["asks"]),
            one["because"].strip(),
            tuple(one.get("profiles", ())),
            one.get("void", False),
        )
        for one in documents.leaves.values()
    )
    return tuple(authorities), tuple(leaves)


@cache
def part(name: str) -> dict[str, list[str]]:
    """The lists of one authority, by what each is of. Raises KnowledgeError."""
    path = folders.data(FILE)
    try:
        asks: dict[str, list[str]] = json.loads(read(path, limit=MOST))[name]
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"cannot be read: {error}; `make authorities` makes it again"
        raise KnowledgeError([(path, problem)]) from error
    return asks


def held(profile: str, knowledge: Knowledge) -> Iterator[tuple[Authority, tuple[Held, ...]]]:
    """Each authority of a profile, with all that it asks for and what the profile says to that."""
    for authority in listed()[0]:
        if profile in authority.profiles:
            asks = authority.asks or part("asks").get(authority.id, ())
            yield authority, tuple(hold(ask, knowledge.profile(profile), knowledge) for ask in asks)


def hold(ask: str, profile: Profile, knowledge: Knowledge) -> Held:
    """Finds what a profile says to one ask: of several pieces of advice, the one that agrees
    first."""
    rows = []
    for advice in profile.advice:
        for option in advice.options:
            tunable = knowledge.tunable(option.tunable)
            values = asked_of(ask, tunable, knowledge)
            if values is not None:
                rows.append(Held(ask, _says(values, advice, option), advice))
            elif _brings(ask, advice, option, tunable):
                rows.append(Held(ask, "agrees", advice))
    if rows:
        return min(rows, key=lambda row: _ORDER.index(row.says))
    left = next((one for one in listed()[1] if one.concerns(ask, profile.id)), None)
    if left:
        return Held(ask, "void" if left.void else "left", None, left.because)
    return Held(ask, "follows", None, _FOLLOWS) if _follows(ask, knowledge) else Held(ask, "open")


def _brings(ask: str, advice: Advice, option: Option, tunable: Tunable) -> bool:
    """Whether a symbol that is asked for is one that the wanted value needs, or each of several:
    the advice's own fragment sets it. What only one of several ways (any_of) needs does not count.
    """
    kind, _, rest = ask.partition(" ")
    symbol, _, asked = rest.partition("=")
    if kind != "config" or asked not in ("y", "m") or advice.stance is not Stance.WANT:
        return False
    if len(advice.options) > 1:
        return False
    wanted = [tunable.value(name) for name in option.want]
    return bool(wanted) and all(v is not None and symbol in _needed(v.requires) for v in wanted)


def _needed(expr: Any) -> Iterator[str]:
    """The symbols without which a condition cannot hold."""
    if expr and expr[0] == "on":
        yield expr[1]
    elif expr and expr[0] == "&":
        for part in expr[1:]:
            yield from _needed(part)


def _follows(ask: str, knowledge: Knowledge) -> bool:
    """Whether an ask is about a symbol that nobody can set: no kernel's Kconfig asks for it now."""
    from advisor.knowledge.entries import symbol_entry

    kind, _, rest = ask.partition(" ")
    if kind != "config" and not rest.startswith("CONFIG_"):
        return False
    entry = symbol_entry(bare(rest), knowledge.catalogue)
    return entry is not None and entry.prompt is Prompt.NONE


def asked_of(ask: str, tunable: Tunable, knowledge: Knowledge) -> list[str] | None:
    """The values of a tunable that an ask means, or the asked one if it has no such; none of those
    where only a name is asked about, and None where it does not concern it.
    """
    kind, _, rest = ask.partition(" ")
    if kind == "name":
        return [] if bare(rest) in names_of(tunable, knowledge) else None
    key, _, value = rest.partition("=")
    if kind == "without":
        met = _by_word(rest, key.replace("-", "_"), value, tunable)
        return None if met is None else _others(met, tunable)
    if kind in ("boot", "config"):
        word = key.replace("-", "_")
        boot = kind == "boot"
        met = _by_word(rest, word, value, tunable) if boot else _by_symbol(key, value, tunable)
        named = {key, word} & {*knowledge.notes(tunable.id).names}
        return [] if met is None and named else met
    own = tunable.sysctl if kind == "sysctl" else tunable.sysfs
    if own and is_same(key, own):
        return value.split("|")
    pairs = [
        (each.name, name, given)
        for each in tunable.values
        for name, given in (each.sysctl if kind == "sysctl" else each.sysfs)
    ]
    fits = [name for name, path, given in pairs if is_same(key, path) and given in value.split("|")]
    if fits or any(is_same(key, path) for _, path, _ in pairs):
        return fits or value.split("|")
    return [] if key in names_of(tunable, knowledge) else None


def _by_word(word: str, name: str, value: str, tunable: Tunable) -> list[str] | None:
    if tunable.parameter == name:
        return [value]
    ways = [(one.name, way) for one in tunable.values for way in chain(one.boot, *one.reads)]
    met = [n for n, way in ways if fnmatchcase(word, way)]
    for member in tunable.members:
        met += ["on"] if word in member.boot_on else []
        met += ["off"] if word in member.boot_off else []
    given = _truth(value)
    if not met and given is not None:  # `true` for `1`
        met = [n for n, way in ways if parameter_name(way) == name and _truth(_value(way)) is given]
    if not met and given is not None:  # the contrary of a value means the others
        sets = [(one.name, word) for one in tunable.values for word in one.boot]
        contrary = {
            n for n, way in sets if parameter_name(way) == name and _truth(_value(way)) is not None
        }
        met = [one.name for one in tunable.values if contrary and one.name not in contrary]
    return met or None


def _others(names: list[str], tunable: Tunable) -> list[str]:
    """The values that a word does not give."""
    values = ["on", "off"] if tunable.members else [one.name for one in tunable.values]
    return [one for one in values if one not in names]


def _value(word: str) -> str:
    return word.partition("=")[2]


def _truth(text: str) -> bool | None:
    """What the kernel's kstrtobool() takes it for, where that is all it can mean."""
    truths = {"1": True, "0": False, "y": True, "n": False, "on": True, "off": False}
    return truths.get({"true": "1", "false": "0", "yes": "y", "no": "n"}.get(text, text).lower())


def _by_symbol(symbol: str, value: str, tunable: Tunable) -> list[str] | None:
    if tunable.symbol == symbol:
        return [value]
    for member in tunable.members:
        started = any(kind == "boot" for kind, *_ in atoms(member.when))
        if member.symbol == symbol and not (member.boot_on and started):
            return ["off" if value == "n" else "on"]
    sets = [(v.name, dict(pairs)) for v in tunable.values for pairs in v.sets]
    met = [n for n, pairs in sets if symbol in pairs and _as_good(value, pairs[symbol])]
    return met or ([value] if any(symbol in pairs for _, pairs in sets) else None)


def _as_good(value: str, other: str) -> bool:
    return value == other or {value, other} == {"y", "m"}


def _says(values: list[str], advice: Advice, option: Option) -> str:
    if advice.stance is Stance.NEUTRAL:
        return "neutral"
    if not values:
        return "names"
    fits = any(
        value == test or within(value.removesuffix(".."), test) or _reaches(test, value)
        for value in values
        for test in option.avoid or (*option.want, *option.accept)
    )
    return "agrees" if fits is not bool(option.avoid) else "differs"


def _reaches(wanted: str, asked: str) -> bool:
    """Whether what is wanted, at least, is enough for an ask of at least so much (`512..`)."""
    return asked.endswith("..") and within(wanted.removesuffix(".."), asked)
