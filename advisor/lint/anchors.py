"""Anchors of sources: at which line of a kernel's file a thing stands.

An anchor is the name of a Kconfig symbol, of a function, struct, union, enum, macro or variable,
of a boot parameter where it is registered or of a sysctl in its table, of an entry of the list of
boot parameters; of a document it is a heading (`slug`) or the path of an ABI description. Of
several of a name, `NAME:2` is the second. What is defined counts before what only holds a value.
No code is understood: what is not compiled counts as well.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import pairwise

from advisor.model.numbers import whole_number

_NUMBERED = re.compile(r"(.+):([1-9][0-9]*)")
_ADORNED = re.compile(r"([=\-`:.'\"~^_*+#<>])\1{2,}\s*")
_NOT_IN_SLUG = re.compile(r"[^a-z0-9_.]+")
# As far as a definition's head may reach: 40 lines.
_HEAD = 3000
# Attributes may stand between a function's head and its body; a `;` there is a declaration's.
_AFTER_HEAD = re.compile(r"\s*(?:(?:__\w+|noinline|notrace)(?:\s*\([^()]*\))?\s*)*\{")


def slug(heading: str) -> str:
    """A heading as an anchor: `NO_HZ: Reducing Ticks` is `no_hz-reducing-ticks`.

    >>> slug("NO_HZ: Reducing Ticks")
    'no_hz-reducing-ticks'
    """
    return _NOT_IN_SLUG.sub("-", heading.lower()).strip("-.")


def line_of(path: str, text: str, anchor: str) -> int | None:
    """Finds the line of an anchor in a file of the tree; None if it is not there."""
    match = _NUMBERED.fullmatch(anchor)
    name, number = (match[1], whole_number(match[2], longest=9) or 1) if match else (anchor, 1)
    lines = lines_of(path, text, name)
    return lines[number - 1] if number <= len(lines) else None


def lines_of(path: str, text: str, name: str) -> list[int]:
    """Finds every line that defines something of that name, in their order."""
    if path.startswith("Documentation/"):
        return sorted(set(_documented(path, text, name)))
    if os.path.basename(path).startswith("Kconfig"):
        return _lines(text, re.compile(rf"^\s*(?:menu)?config\s+{re.escape(name)}\s*$", re.M))
    # Expressions of many lines are tried where the name stands, not at each line of the file.
    near = [match.start() for match in re.finditer(_loose(name), text)]
    return sorted(set(_defined(text, name, near))) or sorted(set(_held(text, name, near)))


def _lines(text: str, pattern: re.Pattern[str]) -> list[int]:
    return [_line(text, _begin(match)) for match in pattern.finditer(text)]


def _matches(text: str, pattern: str, near: list[int]) -> Iterator[re.Match[str]]:
    """The matches on the lines of these places, or from the line before: no whole file is read."""
    compiled = re.compile(pattern, re.M)
    for at in near:
        start = text.rfind("\n", 0, max(0, text.rfind("\n", 0, at))) + 1
        end = text.find("\n", at)
        for match in compiled.finditer(text, start, len(text) if end < 0 else end + 1):
            if match.start() <= at < match.end():
                yield match


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _begin(match: re.Match[str]) -> int:
    """Where the match begins, behind the empty lines that an expression takes with it."""
    return match.start() + len(match[0]) - len(match[0].lstrip())


def _documented(path: str, text: str, name: str) -> Iterator[int]:
    """Headings; the entries of the list of boot parameters; what an ABI description is of."""
    rows = text.split("\n")
    if path.startswith("Documentation/ABI/"):
        for number, row in enumerate(rows, 1):
            if row.startswith("What:") and name in row.split():
                yield number
    elif path.endswith("/kernel-parameters.txt"):
        entry = re.compile(rf"^\t{re.escape(name)}=?(?:\s|$|,|\[)", re.M)
        yield from _lines(text, entry)
    else:
        for number, (row, under) in enumerate(pairwise(rows), 1):
            plain = row.strip()
            if plain and slug(plain) == name and _ADORNED.fullmatch(under) and len(under) > 2:
                yield number


def _loose(name: str) -> str:
    """The name as an expression, in which a dash is as good as an underscore."""
    return re.sub(r"[_-]", "[_-]", re.escape(name).replace("\\-", "-"))


def _defined(text: str, name: str, near: list[int]) -> Iterator[int]:
    """Functions, structs, unions, enums and macros, and where a boot parameter is registered."""
    own, loose = re.escape(name), _loose(name)
    for pattern in (
        rf"^[ \t]*#[ \t]*define[ \t]+{own}\b",
        rf"^(?:typedef\s+)?(?:static\s+|const\s+)*(?:struct|union|enum)\s+{own}\s*(?:__\w+\s*)?\{{",
        # The function's own name, sys_NAME, is made by the macro.
        rf"^(?:COMPAT_)?SYSCALL_DEFINE\d\({own}\b",
        rf"\b(?:__setup|early_param)\w*\s*\(\s*\"{loose}[= ]?\"",
        rf"\bcmdline_find_option\w*\s*\([^\";]*\"{loose}\"",
        rf"\b(?:core|module|device|subsys|arch|postcore|fs|late)_param\w*\s*\(\s*{loose}\s*,",
    ):
        yield from (_line(text, _begin(match)) for match in _matches(text, pattern, near))
    head = rf"^(?:[A-Za-z_][\w \t*]*(?:\([^()\n]*\))?[ \t*\n]*)?\b{own}\s*\("
    for match in _matches(text, head, near):
        if _has_body(text, match.end()):
            yield _line(text, text.rfind(name, match.start(), match.end()))


def _has_body(text: str, at: int) -> bool:
    """Whether the parenthesis that was opened before is closed, and a body follows."""
    depth = 1
    for place in range(at, min(len(text), at + _HEAD)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return _AFTER_HEAD.match(text, place + 1) is not None
    return False


def _held(text: str, name: str, near: list[int]) -> Iterator[int]:
    """Variables, tables, static keys, enumerators, and the names of sysctls and their like."""
    own = re.escape(name)
    for pattern in (
        rf"^(?!extern\b|return\b|typedef\b)[A-Za-z_][\w \t*]*(?:\([^()\n]*\))?[ \t*]{own}"
        r"(?:\[[^\]\n]*\])*[ \t]*(?:__\w+(?:\([^()]*\))?[ \t]*)*(?:[=;,]|$)",
        rf"^(?:static\s+)?[A-Z_]*(?:DEFINE|DECLARE|ATTR)\w*\((?:[\w ]+,\s*)?{own}\b",
        rf"\.procname\s*=\s*\"{own}\"",
        rf"^[ \t]+{own}[ \t]*(?:=[^;\n]*)?,",
        rf"\{{\s*\"{own}\"\s*,",
    ):
        yield from (_line(text, _begin(match)) for match in _matches(text, pattern, near))
