"""The files that a host's programs read at a boot: which of them, and their lines with places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from advisor.inputs.host.root import Root
from advisor.model.kernel import Location

LARGEST = 1 << 18
"""More bytes than that are no file that people write."""


def drop_ins(root: Root, folders: Iterable[str], ending: str) -> list[str]:
    """Lists the files that programs of systemd read: those of all folders by their names, of one
    name that of the first folder; none that is a link to /dev/null."""
    chosen: dict[str, str] = {}
    for folder in folders:
        for name in root.names(folder):
            if name.endswith(ending) and name[0] != ".":
                chosen.setdefault(name, f"{folder}/{name}")
    paths = (chosen[name] for name in sorted(chosen))
    return [path for path in paths if root.link(path) != "/dev/null"]


def lines(root: Root, path: str) -> Iterator[tuple[str, Location]]:
    """Yields the lines of a file, each with its place; an empty one if it cannot be read."""
    name = root.called(path)
    for number, line in enumerate((root.text(path, LARGEST) or "").split("\n"), 1):
        yield line, Location(name, number)


def variables(
    root: Root, paths: Iterable[str], form: re.Pattern[str], renamed: Mapping[str, str] = {}
) -> dict[str, tuple[str, Location]]:
    """Reads the variables that files of a shell's form set, of which later ones count.

    The groups of `form` are the name, the + of `+=`, which adds to what was there, and the value.
    """
    found: dict[str, tuple[str, Location]] = {}
    for path in paths:
        for line, place in lines(root, path):
            if match := form.fullmatch(line):
                name = renamed.get(match[1], match[1])
                value = match[3].strip("\"'")
                before = f"{found[name][0]} " if match[2] and name in found else ""
                found[name] = before + value, place
    return found
