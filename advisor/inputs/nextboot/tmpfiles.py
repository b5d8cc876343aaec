"""tmpfiles.d: lines that write into files of /sys and /proc/sys (w, w+), as systemd-tmpfiles does.

Type, path, mode, user, group and age are words, the argument is the rest of the line
(tmpfiles.d(5), src/tmpfiles/tmpfiles.c#parse_line of systemd 252). A path may be a pattern.
"""

from __future__ import annotations

import re

from advisor.inputs.folders import folders
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.files import drop_ins, lines
from advisor.inputs.nextboot.writes import Writes
from advisor.model.kernel import Location
from advisor.model.numbers import whole_number
from advisor.record import NamedTuple

_FOLDERS = folders("tmpfiles.d")
_LINE = re.compile(
    r"(w\S*)\s+(\S+)(?:\s+(\S+))?(?:\s+(\S+))?(?:\s+(\S+))?(?:\s+(\S+))?(?:\s+(.*))?$"
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|([ntr\\\"' ]))")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}


class Line(NamedTuple):
    """A line that writes into a file of /sys or /proc/sys, or in all that a pattern names; whether
    it is `added` to what others write there, and whether the value is `known`."""

    path: str
    value: str
    added: bool
    known: bool


def parsed(line: str) -> Line | None:
    """Reads a line; None for one of another kind."""
    found = _LINE.match(line.strip())
    path = found[2].strip("\"'") if found else ""
    if not found or found[7] is None or not path.startswith(("/sys/", "/proc/sys/")):
        return None
    kind, text = found[1], found[7]
    value = _ESCAPE.sub(_sign, text.replace("%%", "%"))
    known = set(kind[1:]) <= set("+!-=") and not re.search(r"(?<!%)%(?!%)", text)
    return Line(path, value, "+" in kind, known)


def read_tmpfiles(root: Root, into: Writes) -> None:
    """Gathers what such lines write at boot."""
    first: dict[str, str] = {}
    for path in drop_ins(root, _FOLDERS, ".conf"):
        for text, place in lines(root, path):
            if line := parsed(text):
                _write(line, place, into, first)


def _write(line: Line, place: Location, into: Writes, first: dict[str, str]) -> None:
    path, value = line.path, line.value
    if path in first and not line.added:
        return  # of several lines of a path the first counts (item_compatible)
    # Which of a path and a pattern comes last is not laid down, nor of this and of systemd-sysctl.
    before = [into.written.get(key) for key in into.keys(path)]
    others = [first.get(path), *(one.value for one in before if one)]
    if not line.known or any(other not in (None, value.strip()) for other in others):
        into.doubt(path, f"systemd-tmpfiles may set it ({place})")
    else:
        into.write(path, value, place)
    first.setdefault(path, value.strip())


def _sign(found: re.Match[str]) -> str:
    return chr(whole_number(found[1], 16) or 0) if found[1] else _SIGNS.get(found[2], found[2])
