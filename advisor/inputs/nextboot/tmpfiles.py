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

_FOLDERS = folders("tmpfiles.d")
_LINE = re.compile(
    r"(w\S*)\s+(\S+)(?:\s+(\S+))?(?:\s+(\S+))?(?:\s+(\S+))?(?:\s+(\S+))?(?:\s+(.*))?$"
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|([ntr\\\"' ]))")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r"}


def read_tmpfiles(root: Root, into: Writes) -> None:
    """Gathers what such lines write at boot."""
    first: dict[str, str] = {}
    for path in drop_ins(root, _FOLDERS, ".conf"):
        for line, place in lines(root, path):
            if found := _LINE.match(line.strip()):
                _write(found, place, into, first)


def _write(found: re.Match[str], place: Location, into: Writes, first: dict[str, str]) -> None:
    kind, path, text = found[1], found[2].strip("\"'"), found[7]
    if not path.startswith(("/sys/", "/proc/sys/")) or text is None:
        return
    if path in first and "+" not in kind:
        return  # of several lines of a path the first counts (item_compatible)
    value = _ESCAPE.sub(_sign, text.replace("%%", "%"))
    known = set(kind[1:]) <= set("+!-=") and not re.search(r"(?<!%)%(?!%)", text)
    # Which of a path and a pattern comes last is not laid down, nor of this and of systemd-sysctl.
    before = [into.written.get(key) for key in into.keys(path)]
    others = [first.get(path), *(one.value for one in before if one)]
    if not known or any(other not in (None, value.strip()) for other in others):
        into.doubt(path, f"systemd-tmpfiles may set it ({place})")
    else:
        into.write(path, value, place)
    first.setdefault(path, value.strip())


def _sign(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _SIGNS.get(found[2], found[2])
