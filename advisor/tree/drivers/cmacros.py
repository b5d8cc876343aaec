"""C macros written out as the preprocessor would, as far as a table of devices needs it.

Conditions are not looked at (but for `#if 0`): the last definition of a name counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

LONGEST = 4 << 20
"""The most characters that a text may come to: macros could name each other twice, and so on."""
_DEEPEST = 12
_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?:\((?P<names>[^()\n]*)\))?(?P<body>[^\n]*)$",
    re.MULTILINE,
)
_NOISE = re.compile(
    r"(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL
)
_OFF = re.compile(
    r"^[ \t]*#[ \t]*(?P<word>if\w*|else|elif|endif)\b[ \t]*(?P<of>[^\n]*)$", re.MULTILINE
)
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|\w+|##|\s+|.", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")


class Macro(NamedTuple):
    """One definition: the names of its arguments, None for a macro that has none, and its body."""

    names: tuple[str, ...] | None
    body: str


Macros = Mapping[str, Macro]


def cleaned(text: str) -> str:
    """C text with continued lines joined, without comments and without what stands in `#if 0`."""
    text = text.replace("\\\r\n", " ").replace("\\\n", " ").replace("\r\n", "\n")
    text = _NOISE.sub(lambda match: match["text"] or " ", text)
    return "".join(_kept(text)) if re.search(r"#[ \t]*if[ \t]+0\b", text) else text


def _kept(text: str) -> Iterator[str]:
    depth, off, start = 0, 0, 0  # of conditions, and the one that is 0
    for match in _OFF.finditer(text):
        word = match["word"]
        if word.startswith("if"):
            depth += 1
            if word == "if" and match["of"].strip() == "0" and not off:
                yield text[start : match.start()]
                off = depth
        elif off == depth and off:
            off, start = 0, match.start()
        if word == "endif":
            depth -= 1
    if not off:
        yield text[start:]


def defined(text: str, end: int | None = None) -> dict[str, Macro]:
    """The macros that a cleaned text defines; with `end` as they are there."""
    found = {}
    for match in _DEFINE.finditer(text):
        if end is not None and match.start() > end and match["name"] in found:
            continue
        names = match["names"]
        split = None if names is None else tuple(filter(None, map(str.strip, names.split(","))))
        found[match["name"]] = Macro(split, match["body"].strip())
    return found


class TooLongError(ValueError):
    """A text that comes to more than LONGEST."""


def written_out(text: str, macros: Macros) -> str:
    """The text with its macros in place. Raises TooLongError."""
    return _Writer(macros).of(text, frozenset(), _DEEPEST)


class _Writer:
    def __init__(self, macros: Macros) -> None:
        self._macros = macros
        self._left = LONGEST

    def of(self, text: str, within: frozenset[str], depth: int) -> str:
        tokens = _TOKEN.findall(text)
        self._spend(text)
        parts: list[str] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            macro = self._macros.get(token) if token not in within and depth else None
            if macro is None:
                parts.append(token)
                continue
            if macro.names is None:
                parts.append(self.of(macro.body, within | {token}, depth - 1))
                continue
            given, end = _arguments(tokens, at)
            if given is None:
                parts.append(token)
                continue
            at = end
            body = self._filled(macro, given, within, depth)
            parts.append(self.of(body, within | {token}, depth - 1))
        return "".join(parts)

    def _filled(self, macro: Macro, given: list[str], within: frozenset[str], depth: int) -> str:
        """The macro's body with its arguments in place: those pasted as they are written."""
        names = list(macro.names or ())
        if names and names[-1].endswith("..."):
            rest = len(names) - 1
            given = [*given[:rest], ",".join(given[rest:])]
            names[-1] = names[-1].removesuffix("...") or "__VA_ARGS__"
        values = dict(zip(names, given, strict=False))
        tokens: list[str] = _TOKEN.findall(macro.body)
        parts: list[str] = []
        for at, token in enumerate(tokens):
            if token not in values:
                parts.append(token)
                continue
            before = "".join(tokens[max(at - 3, 0) : at]).rstrip()
            after = "".join(tokens[at + 1 : at + 4]).lstrip()
            if before.endswith("#") or after.startswith("##"):
                self._spend(values[token])
                is_pasted = before.endswith("##") or after.startswith("##")
                parts.append(values[token] if is_pasted else f'"{values[token]}"')
            else:
                parts.append(self.of(values[token], within, depth - 1))
        pasted = re.sub(r'#\s*"', '"', "".join(parts)).split("##")
        pasted[1:] = map(str.lstrip, pasted[1:])
        return "".join([*map(str.rstrip, pasted[:-1]), pasted[-1]])

    def _spend(self, text: str) -> None:
        self._left -= len(text)
        if self._left < 0:
            raise TooLongError


def _arguments(tokens: list[str], at: int) -> tuple[list[str] | None, int]:
    """What stands between the brackets that begin there, and where they end; None for none."""
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    if at >= len(tokens) or tokens[at] != "(":
        return None, at
    given: list[str] = []
    depth, part = 0, ""
    for end in range(at, len(tokens)):
        token = tokens[end]
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(token, 0)
        if depth == 0:
            return [*given, part.strip()], end + 1
        if depth == 1 and token == ",":
            given.append(part.strip())
            part = ""
        elif not (depth == 1 and end == at):
            part += token
    return None, at
