"""Where the statements of a TOML text stand: to name the line of one, or to rewrite it and keep
the rest.

tomli tells values and no places. This tells places and no values: the text must be TOML.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

_NAME = re.compile(r"\s*\[\[?([^\]]*)\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*([A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*=""")
_STRING = (
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
)
# What matters within a value: strings whole, brackets, a comment.
_PART = re.compile(rf"{_STRING}|#[^\n]*|[\[\]{{}}]|\n", re.DOTALL)
# What a value is made of; in an inline table the name before `=` comes first.
_PIECE = re.compile(
    r"""(?P<key>(?:[\w-]+|"[^"\n]*"|'[^'\n]*')\s*=)|(?P<sign>[\[\]{}])|\#[^\n]*"""
    rf"|(?P<plain>{_STRING}|[^\s\[\]{{}},#]+)",
    re.DOTALL,
)

Path = tuple["str | int", ...]
"""The keys and indexes that lead to a value of a TOML document."""


class Kind(Enum):
    """What a statement is."""

    TABLE = "[[name]] or [name]"
    KEY = "name = value"
    COMMENT = "# text"
    BLANK = ""


class Statement(NamedTuple):
    """A statement of a TOML text: `rows` are its lines as they stand.

    `name` is that of a table or key. `comment` is what stands behind it, or behind a value in its
    last line; `remarks` tells whether there are comments in other lines of the value.
    """

    kind: Kind
    rows: tuple[str, ...]
    name: str = ""
    comment: str = ""
    remarks: bool = False


class Block(NamedTuple):
    """A table of a TOML text, or what stands before the first one.

    `above` are the comments right above its name, `body` its name and keys, `below` the blank
    lines behind them, with comments that belong to nothing.
    """

    name: str
    above: list[Statement]
    body: list[Statement]
    below: list[Statement]


def statements(text: str) -> Iterator[Statement]:
    """All statements of a TOML text in their order: their rows joined are the text."""
    rows = text.split("\n")
    offset = number = 0
    while number < len(rows):
        row = rows[number]
        bare, count = row.strip(), 1
        if not bare:
            yield Statement(Kind.BLANK, (row,))
        elif bare.startswith("#"):
            yield Statement(Kind.COMMENT, (row,))
        elif bare.startswith("["):
            match = _NAME.match(row)
            name, comment = match.groups("") if match else ("", "")
            yield Statement(Kind.TABLE, (row,), name.strip(), comment.rstrip())
        else:
            key = _KEY.match(row)
            begins = offset + (key.end() if key else 0)
            end, comments = _end_of_value(text, begins)
            count = text.count("\n", offset, end) + 1
            last = comments.pop() if comments and "\n" not in text[comments[-1] : end] else None
            comment = text[last:end].rstrip() if last is not None else ""
            name = key[1] if key else ""
            part = tuple(rows[number : number + count])
            yield Statement(Kind.KEY, part, name, comment, bool(comments))
        offset += sum(len(one) + 1 for one in rows[number : number + count])
        number += count


def _end_of_value(text: str, begins: int) -> tuple[int, list[int]]:
    """Finds the end of the line in which a value ends, and where the comments in it begin."""
    depth = 0
    comments: list[int] = []
    for match in _PART.finditer(text, begins):
        if match[0] == "\n" and depth <= 0:
            return match.start(), comments
        depth += (match[0] in "[{") - (match[0] in "]}")
        if match[0].startswith("#"):
            comments.append(match.start())
    return len(text), comments


def locate(text: str, path: Sequence[str | int]) -> int:
    """The line where the value at `path` stands; of one that is not there, what it would be in."""
    known, at = places(text), (*path,)
    while at not in known:
        at = at[:-1]
    return known[at]


@functools.lru_cache(512)
def places(text: str) -> Mapping[Path, int]:
    """The lines of all tables, keys and items of a TOML text; the text itself begins on line 1."""
    found: dict[Path, int] = {(): 1}
    counts: dict[str, int] = {}
    table: Path = ()
    line = 1
    for statement in statements(text):
        if statement.kind is Kind.TABLE:
            table = _table(statement, counts)
            found.setdefault(table[:-1], line)  # of the first of a list, the list
            found[table] = line
        elif statement.kind is Kind.KEY:
            at = (*table, statement.name.strip("\"'"))
            found[at] = line
            value = "\n".join(statement.rows).partition("=")[2]
            for within, below in _items(value):
                found[at + within] = line + below
        line += len(statement.rows)
    return found


def _table(statement: Statement, counts: dict[str, int]) -> Path:
    """The path of a table, by how many of each name there were."""
    name = statement.name
    if statement.rows[0].lstrip().startswith("[["):
        counts[name] = counts.get(name, -1) + 1
        for other in [key for key in counts if key.startswith(f"{name}.")]:
            del counts[other]
    path: Path = ()
    parts = name.split(".")
    for depth, part in enumerate(parts, 1):
        above = ".".join(parts[:depth])
        path = (*path, part, counts[above]) if above in counts else (*path, part)
    return path


def _items(value: str) -> Iterator[tuple[Path, int]]:
    """The keys and items within a value, and how many lines below its first one each begins."""
    opened: list[str] = []
    here: list[str | int] = []
    for match in _PIECE.finditer(value):
        sign, key = match["sign"], match["key"]
        if sign in ("]", "}"):
            opened.pop()
            here.pop()
            continue
        listed = opened[-1:] == ["["] and (sign or match["plain"] is not None)
        if listed:
            here[-1] = int(here[-1]) + 1
        elif key is not None and opened:
            here[-1] = key.rstrip("=").strip().strip("\"'")
        if listed or (key is not None and opened):
            yield (*here,), value.count("\n", 0, match.start())
        if sign:
            opened.append(sign)
            here.append(-1 if sign == "[" else "")


def blocks_of(text: str) -> list[Block]:
    """The tables of a TOML text in their order, what stands before the first one ahead of them."""
    blocks = [Block("", [], [], [])]
    for statement in statements(text):
        if statement.kind is Kind.TABLE:
            above: list[Statement] = []
            while blocks[-1].below and blocks[-1].below[-1].kind is Kind.COMMENT:
                above.insert(0, blocks[-1].below.pop())
            blocks.append(Block(statement.name, above, [statement], []))
        elif statement.kind is Kind.KEY:
            blocks[-1].body.extend([*blocks[-1].below, statement])
            blocks[-1].below.clear()
        else:
            blocks[-1].below.append(statement)
    return blocks


def joined(blocks: list[Block], removed: set[int]) -> str:
    """The text of all blocks but the removed ones, whose blank lines and comments stay."""
    rows: list[str] = []
    for number, block in enumerate(blocks):
        kept = block.below
        if number in removed:
            while rows and not rows[-1].strip():
                rows.pop()
            if number + 1 in removed:  # then the next item has the comments
                kept = [one for one in kept if one.kind is Kind.BLANK]
        else:
            kept = [*block.above, *block.body, *kept]
        rows += [row for statement in kept for row in statement.rows]
    return "\n".join(rows)
