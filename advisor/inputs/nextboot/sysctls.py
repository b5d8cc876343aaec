"""sysctl.d, as systemd-sysctl (252) and procps's `sysctl --system` (4.0) read it at boot.

Both take the files of all folders in the order of their names; of files with one name that of the
first folder. A later line of a key counts in place of an earlier one. A key with *, ? or [ sets
what it matches, but nothing that a line names; a key with - before it and no value is such a line.
systemd-sysctl reads no /etc/sysctl.conf: where it counts, a link in sysctl.d leads to it. procps
reads that last. Held against both programs in a chroot (tests/inputs/nextboot/test_sysctls.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from posixpath import dirname, join, normpath

from advisor.inputs.folders import folders
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.files import LARGEST
from advisor.inputs.nextboot.writes import is_pattern
from advisor.model.kernel import Location
from advisor.model.nextboot import RIVALS, Overridden, Written
from advisor.model.plan import OF_PLANS
from advisor.model.sysctl import swapped
from advisor.record import NamedTuple

FOLDERS = folders("sysctl.d")
CONF = "/etc/sysctl.conf"
MOST_LINES = 20_000
_MOST_PATTERNS = 1000
_BLANKS = " \t\n\r"


class Line(NamedTuple):
    """A line of a file: a key as a path below /proc/sys, and its value; None takes the key out of
    what patterns match."""

    path: str
    value: str | None
    place: Location


class Sysctls(NamedTuple):
    """What is written, by the sysctl's name; what does not count; what nothing reads; what an
    earlier plan's file has."""

    writes: dict[str, Written]
    overridden: tuple[Overridden, ...] = ()
    unread: tuple[Written, ...] = ()
    own: tuple[Written, ...] = ()


def read_sysctls(root: Root, names: Iterable[str], by_systemd: bool = True) -> Sysctls:
    """Reads the sysctls that are set at boot; patterns set those of these names that they match."""
    chosen, hidden = _files(root, dotted=not by_systemd)
    lines: list[Line] = []
    for path in chosen:
        if len(lines) < MOST_LINES:
            lines += settings_in(root, path)
        else:
            root.unread[path] = "more settings than kernel-advisor reads from one host"
    conf = settings_in(root, CONF)
    if not by_systemd:
        lines += conf
    writes, overridden = applied(lines, names, by_systemd)
    for path, instead in hidden:
        overridden += _not_read(settings_in(root, path), Location(root.called(instead)), writes)
    is_read = not by_systemd or CONF in _targets(root, chosen)
    unread = [] if is_read else [_written(line) for line in conf if line.value is not None]
    unread = [one for one in unread if not is_pattern(one.key) and not _same(one, writes)]
    of_plans = (line for line in lines if line.value and line.place.path.endswith(OF_PLANS))
    return Sysctls(writes, tuple(overridden), tuple(unread), tuple(map(_written, of_plans)))


def applied(
    lines: Iterable[Line], names: Iterable[str], by_systemd: bool = True
) -> tuple[dict[str, Written], list[Overridden]]:
    """Finds what is written in the end, and the lines that other lines override."""
    last: dict[str, Line] = {}
    overridden: list[Overridden] = []
    for line in lines:
        if line.value is None and line.path in last and not by_systemd:
            continue  # it has been written by then
        before = last.pop(line.path, None)
        if before and _contradicts(before, line):
            overridden.append(Overridden(_written(before), line.place, line.value))
        last[line.path] = line
    writes: dict[str, Written] = {}
    patterns = 0
    for line in last.values():
        if line.value is None:
            continue
        if not is_pattern(line.path):
            _write(_written(line), writes)
            continue
        patterns += 1
        for name in names if patterns <= _MOST_PATTERNS else ():
            path = swapped(name)
            if path not in last and _matches(path, line.path):
                _write(_written(line._replace(path=path)), writes)
    return writes, overridden


def _contradicts(before: Line, line: Line) -> bool:
    told = before.value is not None and line.value is not None and not is_pattern(line.path)
    return told and before.value != line.value


def _write(one: Written, writes: dict[str, Written]) -> None:
    writes.pop(one.key, None)
    writes[one.key] = one
    rival = RIVALS.get(one.key)
    if rival in writes and one.value != "0":
        writes[rival] = one._replace(key=rival, value="0")


def _files(root: Root, dotted: bool) -> tuple[list[str], list[tuple[str, str]]]:
    """Lists the files that are read, in their order, and each that another of its name stands in
    for.

    procps reads those whose names begin with a dot as well.
    """
    chosen: dict[str, str] = {}
    hidden: list[tuple[str, str]] = []
    for folder in FOLDERS:
        if folder == "/lib/sysctl.d" and root.link("/lib"):
            continue  # the same folder as the one before
        for name in root.names(folder):
            if name.endswith(".conf") and (dotted or name[0] != "."):
                path = f"{folder}/{name}"
                if name in chosen:
                    hidden.append((path, chosen[name]))
                chosen.setdefault(name, path)
    return [chosen[name] for name in sorted(chosen)], hidden


def _targets(root: Root, chosen: Iterable[str]) -> Iterator[str]:
    """Yields the targets of the files that are links."""
    for path in chosen:
        if target := root.link(path):
            yield normpath(join(dirname(path), target))


def settings_in(root: Root, path: str) -> list[Line]:
    """Reads the settings of a file; none where it is a link to nothing or to /dev/null."""
    if root.link(path) == "/dev/null":
        return []
    return list(parsed(root.text(path, LARGEST) or "", root.called(path)))


def parsed(text: str, name: str) -> Iterator[Line]:
    """The settings in a file's text."""
    for number, whole in enumerate(text.split("\n"), 1):
        # systemd ends a line at these, too (src/basic/fileio.c#read_line_full).
        for piece in re.split("[\r\0]", whole):
            line = piece.strip(_BLANKS)
            if not line or line[0] in "#;":
                continue
            key, equals, value = line.partition("=")
            if not equals and line[0] != "-":
                continue
            key = _path(key.removeprefix("-").strip(_BLANKS))
            if key:
                yield Line(key, value.strip(_BLANKS) if equals else None, Location(name, number))


def _path(key: str) -> str:
    """Gives the key as a path below /proc/sys: a first separator that is a dot makes all dots
    slashes, and slashes dots (sysctl-util.c#sysctl_normalize)."""
    first = re.search("[./]", key)
    if first and first[0] == ".":
        key = swapped(key)
    return "/".join(part for part in key.split("/") if part not in ("", "."))


def _matches(path: str, pattern: str) -> bool:
    parts, patterns = path.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))


def _written(line: Line) -> Written:
    return Written(swapped(line.path), " ".join((line.value or "").split()), line.place)


def _not_read(
    lines: Iterable[Line], instead: Location, writes: dict[str, Written]
) -> Iterator[Overridden]:
    """Yields the settings of a file that another stands in for, where they would change what is
    set."""
    for line in lines:
        one = _written(line)
        if line.value is None or is_pattern(line.path) or _same(one, writes):
            continue
        winner = writes.get(one.key)
        yield Overridden(one, winner.place if winner else instead, winner and winner.value)


def _same(one: Written, writes: dict[str, Written]) -> bool:
    return one.key in writes and writes[one.key].value == one.value
