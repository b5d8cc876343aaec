"""Macros of a driver's own that register boot parameters, such as `torture_param()`: what they say.

A macro is written out as C's preprocessor would, without looking at conditions: all definitions
of a name count. Only those are kept that come to one of the kernel's own macros.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_DEFINE = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)\((?P<names>[^()]*)\)(?P<body>(?:\\\r?\n|[^\n])*)",
    re.MULTILINE,
)
_REGISTERS = re.compile(
    rb"\b(?:module|core|device|subsys|arch|postcore|fs|late)_param\w*\s*\("
    rb"|\b(?:__setup\w*|early_param\w*|__module_param_call|__core_param_cb)\s*\("
)
# What the above has in every case: quickly looked for.
_REGISTER_WORDS = (b"_param", b"__setup", b"__module_param_call")
_WORD = re.compile(rb"\w+")
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_PASTE = re.compile(rb"\s*##\s*")
_TOKEN = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|(?<!#)#\s*(?P<text>\w+)|(?P<word>\w+)")
_EDGE = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|/\*.*?\*/|[(),]", re.DOTALL)
_DEEPEST = 4
_LONGEST = 4096


class Macro(NamedTuple):
    """One definition: the names of its arguments, and what it stands for."""

    names: tuple[bytes, ...]
    body: bytes


Macros = dict[bytes, list[Macro]]


def defined(data: bytes, known: Macros) -> tuple[Macros, bytes]:
    """Finds the macros of a file that register parameters, and blanks these out in the file."""
    macros: Macros = {}
    spans = []
    used = [name for name in known if name in data]
    if not used and not any(word in data for word in _REGISTER_WORDS):
        return macros, data
    for match in _DEFINE.finditer(data):
        body = match["body"]
        if _REGISTERS.search(body) or any(name in body for name in (*used, *macros)):
            names = tuple(_WORD.findall(match["names"]))
            body = body.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
            macros.setdefault(match["name"], []).append(Macro(names, body))
            spans.append(match.span())
    # Blanks in their place, so that the rest stays where it is.
    parts, end = [], 0
    for start, stop in spans:
        parts += [data[end:start], re.sub(rb"[^\n]", b" ", data[start:stop])]
        end = stop
    return macros, b"".join([*parts, data[end:]])


def places(data: bytes, text: bytes) -> Iterator[int]:
    """Finds where a text stands, but not as the end of another name.

    By C's own search: one expression for all that is looked for takes ten seconds a tree.
    """
    at = data.find(text)
    while at >= 0:
        if not (at and _WORD.match(data, at - 1)):
            yield at
        at = data.find(text, at + len(text))


def uses(data: bytes, macros: Macros, depth: int = 0) -> Iterator[tuple[int, bytes]]:
    """Finds where the text uses one of the macros, and writes each use out."""
    for name, definitions in macros.items():
        for at in places(data, name):
            given = arguments(data, at + len(name))
            for macro in definitions if given is not None else ():
                text = _written(macro, given or [])
                yield at, text
                if depth < _DEEPEST:
                    # As the preprocessor, which writes no macro out within itself.
                    inner = {other: macros[other] for other in macros if other != name}
                    yield from ((at, more) for _, more in uses(text, inner, depth + 1))


def arguments(data: bytes, at: int) -> list[bytes] | None:
    """Reads the arguments between the brackets that begin there; None if none do."""
    while data[at : at + 1] in (b" ", b"\t"):
        at += 1
    if data[at : at + 1] != b"(":
        return None
    arguments, depth, start = [], 0, at + 1
    for match in _EDGE.finditer(data, at, at + _LONGEST):
        edge = match[0]
        depth += {b"(": 1, b")": -1}.get(edge, 0)
        if depth == 0 or (depth == 1 and edge == b","):
            arguments.append(_COMMENT.sub(b"", data[start : match.start()]).strip())
            start = match.end()
        if depth == 0:
            return arguments
    return None


def _written(macro: Macro, given: Sequence[bytes]) -> bytes:
    """Fills the arguments into the macro's text, pasted and quoted as it says."""
    values = dict(zip(macro.names, given, strict=False))

    def value(match: re.Match[bytes]) -> bytes:
        if match["text"] in values:
            return b'"' + values[match["text"]] + b'"'
        return values.get(match["word"], match[0])

    return _PASTE.sub(b"", _TOKEN.sub(value, macro.body))
