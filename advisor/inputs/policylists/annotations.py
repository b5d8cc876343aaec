"""Ubuntu's annotations: a symbol, and its value on each architecture and flavour.

    # ARCH: amd64 arm64
    CONFIG_AGP    policy<{'amd64': 'y', 'ppc64el': 'y'}>
    CONFIG_AGP    note<'not autoloadable'>

Formats 2 to 4 (debian.master/config/annotations of Ubuntu's trees); older ones have the note in
the same line or below it, and marks (`mark<ENFORCED>`). Source: the README of https://github.com/arighi/annotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.inputs.policylists.asked import Asked, Items, Unsaid, lines_of, unquoted
from advisor.model.kernel import Location

_ARCHES = {
    "amd64": "x86", "i386": "x86", "arm64": "arm64", "armhf": "arm", "ppc64el": "powerpc",
    "powerpc": "powerpc", "riscv64": "riscv", "s390x": "s390",
}  # fmt: skip
_LINE = re.compile(r"CONFIG_(\w+)\s(.*)")
_MARK = re.compile(r"\b(?:mark|flag)<[^>]*>")
_PAIR = re.compile(r"'([\w-]+)'\s*:\s*'((?:[^'\\]|\\.)*)'")
_ABSENT = "-"


def asked(path: str) -> Items:
    """What these annotations ask for. Raises InputError."""
    lines = list(_whole(lines_of(path)))
    matches = filter(None, (_LINE.fullmatch(line) for _, line in lines))
    notes = {match[1]: note for match in matches if (note := _parted(match[2])[1])}
    named: set[str] = set()
    for place, line in lines:
        if line.startswith("# ARCH:"):
            named = {_ARCHES[one] for one in line[7:].split() if one in _ARCHES}
        elif line.startswith("include"):
            yield Unsaid(place, f"{line}: also give the included file, before this file")
        elif match := _LINE.fullmatch(line):
            _, begun, rest = match[2].partition("policy<{")
            policy, ended, _ = rest.partition("}>")
            if begun and ended:
                yield from _asked(match[1], policy, place, notes.get(match[1], ""), named)
            elif _MARK.sub("", _parted(match[2])[0]).strip():
                yield Unsaid(place, f"the form of this line is unknown: {line[:60]}")
        elif line.strip() and not line.startswith("#"):
            yield Unsaid(place, f"the form of this line is unknown: {line[:60]}")


def _whole(lines: Iterable[tuple[Location, str]]) -> Iterator[tuple[Location, str]]:
    """The lines, each with the name of its symbol: a note may stand below the line it is of."""
    symbol = ""
    for place, line in lines:
        if line[:1].isspace() and symbol and line.strip():
            yield place, f"{symbol} {line.strip()}"
        else:
            symbol = line.split(maxsplit=1)[0] if line.startswith("CONFIG_") else ""
            yield place, line


def _parted(text: str) -> tuple[str, str]:
    """A text without the note at its end, and the note."""
    before, _, note = text.rstrip().partition("note<")
    if note[-1:] != ">":
        return text, ""
    return before, note[:-1].removeprefix("'").removesuffix("'").strip("{} ")


def _asked(symbol: str, text: str, place: Location, reason: str, named: set[str]) -> Items:
    values: dict[str, str] = {}
    for key, value in _PAIR.findall(text):
        if key not in _ARCHES:
            told = (
                f"CONFIG_{symbol} of the flavour {key} ({value}): "
                "a policy cannot apply to a flavour"
            )
            yield Unsaid(place, told)
        elif values.setdefault(_ARCHES[key], value) != value:
            yield Unsaid(
                place,
                f"CONFIG_{symbol} of {key} ({value}): another key of this architecture has "
                "another value",
            )
    by_value: dict[str, list[str]] = {}
    for arch, value in values.items():
        if value != _ABSENT:  # no kernel of that architecture has it
            by_value.setdefault(value, []).append(arch)
    for value, arches in by_value.items():
        everywhere = named and named == set(arches)
        yield Asked(
            "symbol", symbol, unquoted(value), place, reason, () if everywhere else tuple(arches)
        )
