"""Which words of prose are names, for the formats that show these as code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.output.page import Code, Inline, Piece, Prose

_VALUE = r'(?:"[^"]*"|[\w./+*:,{}~@%-]*[\w*/}%])?'
_OPERAND = r"\({0,9}!?(?<!\w)[A-Z][A-Z0-9_]*(?:=[\w]+)?\)*"
_NAMES = re.compile(
    r"(?P<link>\b\w+://\S+)"
    r"|`(?! )[^`]+(?<! )`"
    r"|# CONFIG_\w+ is not set"
    rf"|{_OPERAND}(?: (?:\|\||&&) {_OPERAND})+"
    rf"|(?<![\w./-])[A-Za-z_][\w.-]*={_VALUE}"
    r"|(?<![\w./-])(?=[\w.]*_)[A-Za-z]\w*(?:\.\w+)*(?:\(\))?"
    r"|(?<![\w./-])(?:abi|debug|dev|fs|kernel|net|user|vm)\.[a-z]\w*(?:\.\w+)*"
    r"|(?<![\w./-])(?:~?/)(?:[\w*.+-]+/)+[\w*.+-]*[\w*]"
    r"|(?<![\w./-])[A-Za-z]\w*(?:/[\w-]+)*/(?:Kconfig|[\w-]+\.[a-z]\w*)(?![\w/])"
    r"|(?<![\w-])--[a-z][a-z-]*[a-z]"
)


def parted(text: Inline) -> Iterator[Piece]:
    """Yield the pieces of a text, with its prose parted into words and names."""
    for piece in text:
        if isinstance(piece, Prose):
            yield from named(piece.text, *piece.known)
        else:
            yield piece


def named(text: str, *known: str) -> Inline:
    """Return the text with its names as code: symbols, boot words, sysctls, paths, `known` ones.

    What a program would read is told apart by its form alone: CONFIG_X, a name with an underscore,
    a word with `=`, a path, what stands in backticks. A name that looks like an English word is
    code only if it is `known` or in these.
    """
    names = sorted({name for name in known if name.strip()}, key=len, reverse=True)
    pieces: list[Piece] = []
    end = 0
    for start, stop in _spans(text, names):
        pieces += [text[end:start], Code(text[start:stop].strip("`"))]
        end = stop
    return tuple(piece for piece in (*pieces, text[end:]) if piece)


def _spans(text: str, names: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where names begin and end: these names and those with the form of one.

    These are not made a part of the expression: compiling one a text costs more than all else that
    a page does.
    """
    end = 0
    while end < len(text):
        form = _NAMES.search(text, end)
        known = min(filter(None, (_place(text, name, end) for name in names)), default=None)
        if known and (form is None or known[0] <= form.start()):
            end = known[0] + len(known[2])
            yield known[0], end
        elif form:
            end = form.end()
            if not form["link"]:
                yield form.span()
        else:
            return


def _place(text: str, name: str, start: int) -> tuple[int, int, str] | None:
    """Return where a name is next a word of its own; of two at one place the longer sorts first."""
    while (place := text.find(name, start)) >= 0:
        before, after = text[place - 1 : place], text[place + len(name) : place + len(name) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after in ("_", "=")):
            return place, -len(name), name
        start = place + 1
    return None
