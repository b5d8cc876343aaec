"""Skeletons of rules and profiles: files that lint as they are, for their author to fill in."""

from __future__ import annotations

import os
import re
from string import Template

from advisor.errors import OutputError, UsageError
from advisor.files import read_own, write_atomically
from advisor.knowledge.catalogue import Catalogue, Seen
from advisor.knowledge.store import Knowledge
from advisor.knowledge.sysctlcatalogue import SysctlCatalogue

_ID = re.compile(r"[a-z0-9][a-z0-9-]*")
_SYSCTL = re.compile(r"[a-z][\w-]*(?:\.[\w-]+)+")

# By type of symbol: the kind of tunable, the quotes of a value, and two values.
_VALUES = {
    "int": ("number", "", "1", "2"),
    "hex": ("number", "", "0x1", "0x2"),
    "string": ("text", '"', "a", "b"),
}


def new_rule(name: str, folder: str, knowledge: Knowledge) -> str:
    """Writes a rule for a Kconfig symbol or a sysctl into a folder of rules; the file's path.

    Raises UsageError where the name is neither, or has a rule; OutputError.
    """
    if _SYSCTL.fullmatch(name):
        text, id_ = _of_sysctl(name, knowledge)
    else:
        text, id_ = _of_symbol(name.removeprefix("CONFIG_"), knowledge)
    if id_ in knowledge.ids("tunables"):
        hint = f"kernel-advisor rules show {id_}"
        raise UsageError(f"there is a rule {id_!r} already", where="rules new", hint=hint)
    return _written(text, folder, id_)


def new_profile(name: str, folder: str, knowledge: Knowledge) -> str:
    """Writes a profile of that id into a folder of profiles; the file's path.

    Raises UsageError where the id is none, or taken; OutputError.
    """
    if not _ID.fullmatch(name):
        hint = "small letters, digits and dashes: render-farm"
        raise UsageError(f"{name!r} is no id", where="profiles new", hint=hint)
    if name in knowledge.ids("profiles"):
        hint = f"kernel-advisor profiles show {name}"
        raise UsageError(f"there is a profile {name!r} already", where="profiles new", hint=hint)
    title = name.replace("-", " ").capitalize()
    return _written(_filled("profile", id=name, title=title), folder, name)


def _of_symbol(symbol: str, knowledge: Knowledge) -> tuple[str, str]:
    hint = "name a Kconfig symbol (PRINTK_CALLER) or a sysctl (vm.swappiness)"
    seen = _seen("symbol", symbol, knowledge.catalogue, hint)
    for tunable in knowledge.tunables():
        if any(member.symbol == symbol for member in tunable.members):  # it would be told twice
            hint = f"kernel-advisor rules show {tunable.id}"
            message = f"{symbol} is of the rule {tunable.id!r}"
            raise UsageError(message, where="rules new", hint=hint)
    # What it was before may be another type: a rule is written for today's kernels.
    newest = seen.spans()[-1][1]
    kind = seen.traits(newest)[0].type
    id_ = symbol.lower().replace("_", "-")
    if kind not in _VALUES:
        return _filled("switch", id=id_, symbol=symbol), id_
    what, quote, first, second = _VALUES[kind]
    values = {"kind": what, "quote": quote, "first": first, "second": second}
    return _filled("number", id=id_, symbol=symbol, **values), id_


def _of_sysctl(name: str, knowledge: Knowledge) -> tuple[str, str]:
    _seen("sysctl", name, knowledge.sysctl_catalogue, "is it spelled with dots?")
    id_ = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return _filled("sysctl", id=id_, sysctl=name), id_


def _seen(what: str, name: str, catalogue: Catalogue | SysctlCatalogue, hint: str) -> Seen:
    """Where the name was seen. Raises UsageError if nowhere, with near names or the hint."""
    seen = catalogue.seen(name)
    if seen is None:
        if near := catalogue.near(name)[:3]:
            hint = f"did you mean {' or '.join(near)}?"
        raise UsageError(f"no kernel read has the {what} {name}", where="rules new", hint=hint)
    return seen


def _filled(skeleton: str, **words: str) -> str:
    """The skeleton of that name with these words in place."""
    return Template(read_own("lint", "skeletons", f"{skeleton}.toml")).substitute(words)


def _written(text: str, folder: str, id_: str) -> str:
    path = os.path.join(folder, f"{id_}.toml")
    if os.path.lexists(path):
        hint = "take it away, or choose another name"
        raise UsageError("is there already", where=path, hint=hint)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        hint = "check the folder and its permissions"
        raise OutputError(f"cannot be made: {error.strerror}", where=folder, hint=hint) from error
    write_atomically(path, text)
    return path
