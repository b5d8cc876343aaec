"""What a list asks for, and what of it cannot be said."""

from __future__ import annotations

import os
from collections.abc import Iterator

from advisor.errors import InputError
from advisor.inputs.open import read_text
from advisor.model.kernel import Location
from advisor.record import NamedTuple

MOST_FILES = 100_000
"""So many files of a folder are read at most."""


class Asked(NamedTuple):
    """What a line asks of a symbol, boot parameter or sysctl (`kind`), on which architectures
    (none: all), where the condition `when` holds."""

    kind: str
    about: str
    value: str
    place: Location
    reason: str = ""
    arches: tuple[str, ...] = ()
    when: str = ""


class Unsaid(NamedTuple):
    """What of a list cannot be said as a policy, and why."""

    place: Location
    why: str


class PolicyList(NamedTuple):
    """What lists ask for, in their order, and what of them cannot be said."""

    asked: tuple[Asked, ...]
    unsaid: tuple[Unsaid, ...] = ()


Items = Iterator["Asked | Unsaid"]


def on_arches(items: Items, arches: tuple[str, ...]) -> Items:
    """The items, which hold on these architectures (none: all)."""
    for item in items:
        yield item._replace(arches=arches) if isinstance(item, Asked) else item


def files_of(path: str) -> list[str]:
    """The files below a folder, sorted, without those of git; a file itself. Raises InputError for
    too many."""
    if not os.path.isdir(path):
        return [path]
    found: list[str] = []
    for top, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += (os.path.join(top, name) for name in sorted(names) if not name.startswith("."))
        if len(found) > MOST_FILES:
            hint = "give one of its subfolders"
            raise InputError(f"more than {MOST_FILES} files", where=path, hint=hint)
    return found


def lines_of(path: str) -> list[tuple[Location, str]]:
    """The lines of a file, each with its place; trees of lists have empty files. Raises
    InputError."""
    if os.path.isfile(path) and not os.path.getsize(path):
        return []
    text = read_text(path).removeprefix("\ufeff")
    return [(Location(path, n), line.rstrip("\r")) for n, line in enumerate(text.split("\n"), 1)]


def unquoted(value: str) -> str:
    """A value without the quotes of a string."""
    is_quoted = len(value) > 1 and value[0] == value[-1] == '"'
    return value[1:-1].replace('\\"', '"').replace("\\\\", "\\") if is_quoted else value
