"""Where the statements of a TOML text stand, so that a program can rewrite some and keep the rest.

tomli tells values and no places. This tells places and no values: the text must be TOML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

_NAME = re.compile(r"\s*\[\[?\s*([^\]]*?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*([A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*=""")
# What matters within a value: strings whole, brackets, a comment. Long strings come first.
_PART = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}]|\n",
    re.DOTALL,
)


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
            yield Statement(Kind.TABLE, (row,), name, comment.rstrip())
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
