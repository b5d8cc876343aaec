"""Skeletons of rules and profiles: files that lint as they are, for their author to fill in."""

from __future__ import annotations

import os
import re

from advisor.errors import OutputError, UsageError
from advisor.files import write_atomically
from advisor.knowledge.store import Knowledge

_ID = re.compile(r"[a-z0-9][a-z0-9-]*")
_SYSCTL = re.compile(r"[a-z][\w-]*(?:\.[\w-]+)+")

_HEAD = """\
id = "{id}"
title = "{title}"  # what a reader calls it
kind = "{kind}"
summary = "{summary}"  # one sentence, no opinion
cost = "Not measured."  # what one pays for it
{key}# The file and the thing in it that tell so, in the kernel of repository.toml:
# "kconfig lib/Kconfig.debug#PRINTK_CALLER", "code mm/slub.c#stat — what it shows".
sources = ["kconfig Kconfig"]
"""
_SWITCH = """
[[value]]
name = "on"
set = {{ {symbol} = "y" }}  # requires = "…" beside it: what Kconfig demands first

[[value]]
name = "off"
set = {{ {symbol} = "n" }}

[[example]]
config = "CONFIG_{symbol}=y"
effective = "on"

[[example]]
config = "# CONFIG_{symbol} is not set"
effective = "off"
"""
_NUMBER = """
[[example]]
config = 'CONFIG_{symbol}={quote}{first}{quote}'
effective = "{first}"

[[example]]
config = 'CONFIG_{symbol}={quote}{second}{quote}'
effective = "{second}"
"""
_RUNTIME = """
[[example]]
config = "CONFIG_SYSCTL=y"
sysctl = "{sysctl} = 1"
effective = "1"

[[example]]
config = "CONFIG_SYSCTL=y"
effective = ""
"""
_PROFILE = """\
id = "{id}"
title = "{title}"
summary = "Machines that do this kind of work."  # which machines, which work
# extends = ["server-throughput"]  # takes over its advice; the same id replaces a piece of it

[[advice]]
id = "psi"
tunable = "psi"  # `kernel-advisor rules` lists them, `kernel-advisor rules show psi` the values
stance = "want"  # want, avoid, keep, neutral
strength = "could"  # must, should, could
want = ["on"]  # in order of preference
why = "It shows where tasks wait for CPU, memory or disk."  # for this kind of work
sources = ["doc Documentation/accounting/psi.rst"]

[[advice.example]]
config = "CONFIG_PSI=y\\n# CONFIG_PSI_DEFAULT_DISABLED is not set"
verdict = "ok"

[[advice.example]]
config = "# CONFIG_PSI is not set"
verdict = "change"
"""
# Two values of each type.
_VALUES = {"int": ("1", "2"), "hex": ("0x1", "0x2"), "string": ("a", "b")}


def new_rule(name: str, folder: str, knowledge: Knowledge) -> str:
    """Writes a rule for a Kconfig symbol or a sysctl into a folder of rules; the file's path.

    Raises UsageError where the name is neither, or has a rule; OutputError.
    """
    symbol = name.removeprefix("CONFIG_")
    if _SYSCTL.fullmatch(name):
        text, id_ = _of_sysctl(name, knowledge)
    else:
        text, id_ = _of_symbol(symbol, knowledge)
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
    return _written(_PROFILE.format(id=name, title=title), folder, name)


def _of_symbol(symbol: str, knowledge: Knowledge) -> tuple[str, str]:
    seen = knowledge.catalogue.seen(symbol)
    if seen is None:
        known = knowledge.catalogue.near(symbol)
        hint = f"did you mean {' or '.join(known[:3])}?" if known else ""
        hint = hint or "name a Kconfig symbol (PRINTK_CALLER) or a sysctl (vm.swappiness)"
        message = f"no kernel read has the symbol {symbol}"
        raise UsageError(message, where="rules new", hint=hint)
    if owner := _group_of(symbol, knowledge):
        hint = f"kernel-advisor rules show {owner}"
        raise UsageError(f"{symbol} is of the rule {owner!r}", where="rules new", hint=hint)
    newest = max(n for first, last in seen.spans() for n in (first, last))
    kind = seen.traits(newest)[0].type
    id_ = symbol.lower().replace("_", "-")
    if kind not in _VALUES:
        head = _head(id_, symbol, "switch", f"Whether {symbol} is compiled in.")
        return head + _SWITCH.format(symbol=symbol), id_
    first, second = _VALUES[kind]
    what, quote = ("text", '"') if kind == "string" else ("number", "")
    head = _head(id_, symbol, what, f"What {symbol} is set to.", f'symbol = "{symbol}"\n')
    return head + _NUMBER.format(symbol=symbol, quote=quote, first=first, second=second), id_


def _of_sysctl(name: str, knowledge: Knowledge) -> tuple[str, str]:
    if knowledge.sysctl_catalogue.seen(name) is None:
        known = knowledge.sysctl_catalogue.near(name)
        hint = f"did you mean {' or '.join(known)}?" if known else "is it spelled with dots?"
        message = f"no kernel read has the sysctl {name}"
        raise UsageError(message, where="rules new", hint=hint)
    id_ = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    head = _head(id_, name, "number", f"What {name} is set to.", f'sysctl = "{name}"\n')
    return head + _RUNTIME.format(sysctl=name), id_


def _head(id_: str, title: str, kind: str, summary: str, key: str = "") -> str:
    return _HEAD.format(id=id_, title=title, kind=kind, summary=summary, key=key)


def _group_of(symbol: str, knowledge: Knowledge) -> str:
    """The group that has the symbol, whose finding a rule of its own would repeat."""
    return next(
        (
            name
            for name in knowledge.ids("tunables")
            if any(member.symbol == symbol for member in knowledge.tunable(name).members)
        ),
        "",
    )


def _written(text: str, folder: str, id_: str) -> str:
    path = os.path.join(folder, f"{id_}.toml")
    if os.path.lexists(path):
        raise UsageError(
            "is there already", where=path, hint="take it away, or choose another name"
        )
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        hint = "check the folder and its permissions"
        raise OutputError(f"cannot be made: {error.strerror}", where=folder, hint=hint) from error
    write_atomically(path, text)
    return path
