"""KSPP's recommendations: fragments, sysctls as `name = value`, and a boot line as its words.

Source: kernelsecurity.org's Recommended Settings, as kernel-hardening-checker keeps them.
"""

from __future__ import annotations

import re

from advisor.inputs.policylists.asked import Asked, Items, Unsaid, files_of, lines_of, on_arches
from advisor.inputs.policylists.fragment import items
from advisor.inputs.sysctl import dotted
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import Location

_NAME = re.compile(r"[a-z][\w./-]+")
_ARCH = re.compile(r"-(arm64|arm|i386|riscv|x86)\b")
_ARCHES = {"i386": "x86"}


def asked(path: str) -> Items:
    """What these lists ask for; of one named for an architecture on that alone. Raises
    InputError."""
    for file in files_of(path):
        yield from _file(file)


def _file(path: str) -> Items:
    named = _ARCH.search(path.rpartition("/")[2])
    arches = (_ARCHES.get(named[1], named[1]),) if named else ()
    return on_arches(items(lines_of(path), _setting), arches)


def _setting(place: Location, text: str, reason: str) -> Items:
    before, _, value = text.partition("=")
    name, values = before.rstrip(), value.split()
    is_sysctl = "." in name[1:-1]
    if name != before:  # `name = value`, as sysctl prints it
        is_sysctl |= "/" in name[1:-1]
    elif "/" in name or values != [value]:  # a word of the boot line, or no setting
        is_sysctl = False
    if is_sysctl and values and _NAME.fullmatch(name):
        yield Asked("sysctl", dotted(name), "\t".join(values), place, reason)
        return
    seen: set[str] = set()
    for word in parse_cmdline(text).words:
        if word.name in seen:
            yield Unsaid(place, f"{word.name} occurs twice on the boot line: {word.text}")
            continue
        seen.add(word.name)
        yield Asked("parameter", word.text.partition("=")[0], word.value or "", place, reason)
