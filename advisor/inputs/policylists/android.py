"""Android's base configurations (kernel/configs): fragments, and conditions as XML.

    android-base.config                every kernel
    android-base-arm64.config          those of an architecture
    android-base-conditional.xml       groups of settings, each where some symbols are so

What is recommended, and no requirement, is told and left out. Source: README.md of
https://android.googlesource.com/kernel/configs.
"""

from __future__ import annotations

import os
import re

from advisor.inputs.bootfiles.lines import Lines
from advisor.inputs.open import read_text
from advisor.inputs.policylists.asked import (
    Asked,
    Items,
    Unsaid,
    files_of,
    lines_of,
    on_arches,
    unquoted,
)
from advisor.inputs.policylists.fragment import items
from advisor.model.kernel import Location

_ARCH = re.compile(r"android-base-(arm64|arm|x86)\.")
# What has no end goes on to that of the text: looked for again and again it would cost too much.
_GROUP = re.compile(r"<group>(.*?)(?:</group>|\Z)", re.DOTALL)
_CONDITIONS = re.compile(r"<conditions>(.*?)(?:</conditions>|\Z)", re.DOTALL)
_PAIR = re.compile(r"<key>\s*CONFIG_(\w+)\s*</key>\s*<value[^>]*>([^<]*)</value>")
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_ARCHES = {"ARM": "arm", "ARM64": "arm64", "X86": "x86"}


def asked(path: str) -> Items:
    """What these base configurations ask for. Raises InputError."""
    for file in files_of(path):
        yield from _file(file)


def _file(path: str) -> Items:
    name = os.path.basename(path)
    if name.endswith(".xml"):
        yield from _conditional(path)
    elif "recommended" in name:
        yield Unsaid(
            Location(path, 1), "the file is recommended, not required: import it as a fragment"
        )
    elif name.endswith((".config", ".cfg")):
        match = _ARCH.match(name)
        yield from on_arches(items(lines_of(path)), (match[1],) if match else ())


def _conditional(path: str) -> Items:
    text = read_text(path)
    plain = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    lines = Lines(plain)
    for group in _GROUP.finditer(plain):
        place = Location(path, lines.of(group.start()))
        conditions = _CONDITIONS.search(group[1])
        asked = [(key, value) for key, value in _PAIR.findall(conditions[1] if conditions else "")]
        arches = tuple(_ARCHES[key] for key, value in asked if key in _ARCHES and value == "y")
        rest = [(key, value) for key, value in asked if key not in _ARCHES]
        if any(key in _ARCHES and value != "y" for key, value in asked):
            yield Unsaid(place, "a group for all architectures except one")
            continue
        when = " && ".join(f'{key} = "{unquoted(value)}"' for key, value in rest)
        for match in _PAIR.finditer(group[1], conditions.end() if conditions else 0):
            line = lines.of(group.start(1) + match.start())
            value = unquoted(match[2].strip())
            yield Asked("symbol", match[1], value, Location(path, line), "", arches, when)
