"""One TOML file of settings as it was read: its tables, and what is wrong with them by line."""

from __future__ import annotations

import codecs
import datetime
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from advisor.errors import MOST_PROBLEMS, KnowledgeError, near, shortened
from advisor.inputs.open import InputName, name_of, open_input
from advisor.inputs.unpack import read_piece
from advisor.model.kernel import Location
from advisor.record import NamedTuple

Problem = tuple[str, str]
Check = Callable[[Any], bool]

_LARGEST = 4 << 20
"""Bytes of a file; the policies of all of Ubuntu's options take 2.4 million."""
_LONGEST = 4096


class SettingsFile(NamedTuple):
    """A file as it was read.

    `facts` is the commit that files about the subject are read from, where settings are of a
    revision: they change with what is judged.
    """

    path: InputName
    text: str
    document: Mapping[str, Any]
    facts: str = ""

    def place(self, *at: str | int) -> Location:
        """The line of what stands at that place."""
        from advisor.knowledge.tomltext import locate

        return Location(name_of(self.path), locate(self.text, at))

    def tables(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The tables of that name, as far as they are some."""
        tables = self.document.get(name, [])
        if isinstance(tables, list):
            yield from ((i, table) for i, table in enumerate(tables) if isinstance(table, dict))


def is_text(value: Any) -> bool:
    """Whether it is a text that says something."""
    return isinstance(value, str) and bool(value.strip())


def is_texts(value: Any) -> bool:
    """Whether it is a list of such texts."""
    return isinstance(value, list) and all(map(is_text, value))


def is_count(value: Any) -> bool:
    """Whether it is a number above 0."""
    # True is an int in Python, and a datetime below is a date.
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def is_scalar(value: Any) -> bool:
    """Whether it is a text, which may be empty, or a whole number, as a symbol has it."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def is_scalars(value: Any) -> bool:
    """Whether it is a list of these."""
    return isinstance(value, list) and bool(value) and all(map(is_scalar, value))


def is_table(value: Any) -> bool:
    """Whether it is a table of tables."""
    return isinstance(value, dict)


def is_switch(value: Any) -> bool:
    """Whether it is true or false."""
    return isinstance(value, bool)


def is_pattern(value: Any) -> bool:
    """Whether it is a pattern of paths from the repository's root."""
    # Such a one would match nothing, and nobody would be told.
    # Longer than a path can be it would take fnmatch for ever.
    plain = is_text(value) and len(value) <= _LONGEST and "\\" not in value
    return plain and not value.startswith(("/", "./", "../", "~"))


def is_day(value: Any) -> bool:
    """Whether it is a date without a time."""
    return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)


_KINDS: dict[Check, str] = {
    is_text: "a text",
    is_texts: "a list of texts",
    is_count: "a number above 0",
    is_table: 'a table: [policies], below it HZ_1000 = { value = "y", reason = "..." }',
    is_switch: "true or false",
    is_scalar: 'a text or a number, such as "y" or 17',
    is_scalars: 'a list of texts or numbers, such as ["y", "m"]',
    is_pattern: "a path from the repository's root, such as configs/*",
    is_day: "a day without quotes, such as 2027-06-30",
}


def read_file(path: InputName) -> SettingsFile:
    """The file of that name. Raises KnowledgeError where it is no TOML or too large, and
    InputError where it cannot be read."""
    from advisor.knowledge.files import KnowledgeFile, toml_of

    name = name_of(path)
    with open_input(path) as stream:
        # Editors of Windows begin a file with a byte order mark.
        content = read_piece(stream, _LARGEST + 1, name).removeprefix(codecs.BOM_UTF8)
    if len(content) > _LARGEST:
        raise KnowledgeError([(name, "is larger than settings can be (4 MiB)")])
    document = toml_of(KnowledgeFile("settings", name, "", content))
    return SettingsFile(path, content.decode(), document)


def problems_of(
    file: SettingsFile, table: Mapping[str, Any], known: Mapping[str, Check | None], *at: str | int
) -> Iterator[Problem]:
    """What is wrong with the keys and values of a table that stands at that place.

    Of very many only the first, since each is looked for in the whole text.
    """
    yield from islice(_all_problems(file, table, known, *at), MOST_PROBLEMS + 1)


def _all_problems(
    file: SettingsFile, table: Mapping[str, Any], known: Mapping[str, Check | None], *at: str | int
) -> Iterator[Problem]:
    for key, value in table.items():
        wrong = ""
        if key not in known:
            wrong = f"unknown key {shortened(key)!r}; "
            wrong += near(key, known) or f"the known keys are {', '.join(known)}"
        elif check := known[key]:
            wrong = "" if check(value) else f"the key {key!r} must be {_KINDS[check]}"
        elif not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            wrong = f"write the key {key!r} as [[{key}]]"
        if wrong:
            yield str(file.place(*at, key)), wrong
