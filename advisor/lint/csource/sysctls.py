"""The sysctls of a kernel's C source: the entries of `struct ctl_table`, and where they are put.

No code is understood: a table is one that a file declares, its folder the text that the same file
registers it with, its type and range what the entry says. Names that are made at run time are `*`,
as those of devices are. A table whose folder cannot be read is left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from advisor.lint.csource.source import c_files, read_source
from advisor.tree.files import TreeFiles

_HINT = b"ctl_table"
_TEST = b"<kunit/test.h>"  # a test's tables are in no kernel that people run
_ARRAY = re.compile(
    r"struct ctl_table\s+(?P<name>\w+)\s*\[[^\]]*\]\s*(?:__\w+\s*)*=\s*\{"
    r"|\.(?P<field>\w+)\s*=\s*\{(?=\s*(?:\w+\(|\[\w+\]\s*=\s*\{|\{\s*\.procname|\{\s*\n))"
)
# Folders of a whole table each, as in 6.1 (kernel, vm); 6.12 has none left.
_BASE = re.compile(r"\bDECLARE_SYSCTL_BASE\((\w+),\s*(\w+)\)")
_REGISTER = re.compile(r"\b(?:__)?register(?:_net)?_sysctl(?:_sz|_init|_table)?\s*\(")
# Each network namespace has a copy of the table that a file declares, whose data are its own.
_COPIED = re.compile(
    r"\b([\w.>-]+)\s*=\s*(?:kmemdup(?:_array)?\(\s*)?&?([\w.>-]+)\s*(?:[,;]|\(net\))"
)
# A function that makes the table which another file registers.
_MAKER = re.compile(r"^struct ctl_table\s*\*\s*(?:__\w+\s+)*(\w+)\(struct net \*", re.MULTILINE)
# A handler of its own, which mostly hands on to one of the kernel's.
_HANDLER = re.compile(
    r"^(?:static\s+)?int\s+(\w+)\s*\([^)]*struct ctl_table[^)]*\)\s*\{", re.MULTILINE
)
_HANDED = re.compile(r"\bproc_do\w+(?=\s*\()")
# The folder may be printed into a buffer, with the name of a device, or be a macro.
_PRINTED = re.compile(r"\bsn?printf\(\s*(\w+),[^\";]*\"([\w/%.-]+)\"")
_DEFINED = re.compile(r"^#define\s+(\w+)\s+\"([\w/]+)\"", re.MULTILINE)
# Ranges may end at a variable of the file, whose first value counts: few are ever written.
_NUMBER = re.compile(
    r"^(?:static\s+|const\s+|unsigned\s+|__maybe_unsigned\s+)*(?:int|long|u8|u32|unsigned)\s+"
    r"(?:\w+\s+)*?(\w+)\s*(?:__\w+\s*)*(?:=\s*(-?\w+))?\s*;",
    re.MULTILINE,
)
_OPENED = re.compile(r"[{(]")
_NESTED = re.compile(r"\([^()]*\)")
_LITERAL = re.compile(r"\"([\w.%-]+)\"")
_KEY = re.compile(r"\.(procname|data|maxlen|mode|proc_handler|extra1|extra2)\s*=\s*([^,{}]+)")
# In 6.1 and 6.12 the ends of ranges point into one array (sysctl_vals[] of kernel/sysctl.c).
_CONSTANTS = {
    "SYSCTL_NEG_ONE": "-1", "SYSCTL_ZERO": "0", "SYSCTL_ONE": "1", "SYSCTL_TWO": "2",
    "SYSCTL_THREE": "3", "SYSCTL_FOUR": "4", "SYSCTL_ONE_HUNDRED": "100",
    "SYSCTL_TWO_HUNDRED": "200", "SYSCTL_ONE_THOUSAND": "1000", "SYSCTL_THREE_THOUSAND": "3000",
    "SYSCTL_INT_MAX": "2147483647", "SYSCTL_MAXOLDUID": "65535", "SYSCTL_LONG_ZERO": "0",
    "SYSCTL_LONG_ONE": "1", "SYSCTL_U8_MAX": "255", "SYSCTL_U32_MAX": "4294967295",
    "INT_MAX": "2147483647",
}  # fmt: skip
# What of a handler's name tells the type; the first that fits.
_HANDLERS = (
    ("bool", "b"), ("douint", "u"), ("dou8", "u"), ("doul", "u"), ("dostring", "s"),
    ("dointvec", "i"), ("bitmap", "l"),
)  # fmt: skip


class Sysctl(NamedTuple):
    """One sysctl: `traits` is its type's letter and its range, as sysctlcatalogue.py tells.

    `data` is where the table says that the number lies, if it is shown as it lies there; `path` the
    file of the table.
    """

    name: str
    traits: str
    data: str = ""
    path: str = ""


def sysctls(files: TreeFiles, folder: str = "") -> Iterator[Sysctl]:
    """Those of the C files below a folder of the tree (`arch` is no part of the whole)."""
    tables: dict[str, dict[str, str]] = {}
    waiting: list[tuple[str, str]] = []
    read = (
        (path, read_source(os.path.join(files.root, path))) for path in c_files(files.root, folder)
    )
    found = [
        _File(data.decode(errors="replace"), path)
        for path, data in read
        if _HINT in data and _TEST not in data
    ]
    handlers: dict[str, str] = {}
    for file in found:
        for name, kind in file.handlers.items():
            # Of two files' own that differ nothing is known.
            handlers[name] = kind if handlers.get(name, kind) == kind else ""
    for file in found:
        file.handlers = {**handlers, **file.handlers}
        yield from file.sysctls()
        waiting += file.called
        for name in file.makers:
            tables.setdefault(name, {}).update(file.arrays)
    for put, maker in waiting:
        for body in tables.get(maker, {}).values():
            yield from _of_table(put, body, {}, handlers)


def declares(data: bytes, name: str) -> bool:
    """Whether a C file has the sysctl in a table that it registers itself."""
    if _HINT not in data or _TEST in data or name.rpartition(".")[2].encode() not in data:
        return False
    found = _File(data.decode(errors="replace")).sysctls()
    return any(re.fullmatch(re.escape(one.name).replace(r"\*", ".+"), name) for one in found)


class _File:
    """One file: its tables by name, the functions that make one for another file, and its calls
    of such.
    """

    def __init__(self, text: str, path: str = "") -> None:
        self._path = path
        # The tables by the name of the array, or of the field that holds it.
        self.arrays = {
            m["name"] or m["field"]: text[m.end() : _closed(text, m.end())]
            for m in _ARRAY.finditer(text)
        }
        self.makers = _MAKER.findall(text)
        # What each handler hands on to, where it is one.
        self.handlers = {
            m[1]: _handed(text[m.end() : _closed(text, m.end())]) for m in _HANDLER.finditer(text)
        }
        self.called: list[tuple[str, str]] = []
        self._numbers = {m[1]: m[2] or "0" for m in _NUMBER.finditer(text)}
        self._put = sorted(set(self._registered(text)))

    def sysctls(self) -> Iterator[Sysctl]:
        """Those of the tables that the file registers itself."""
        for folder, name in self._put:
            for one in _of_table(folder, self.arrays[name], self._numbers, self.handlers):
                yield one._replace(path=self._path)

    def _registered(self, text: str) -> Iterator[tuple[str, str]]:
        """The folders, and the tables that are put into them."""
        bases = _BASE.findall(text)
        yield from ((folder, name) for folder, name in bases if name in self.arrays)
        texts = {m[1]: m[2] for m in (*_PRINTED.finditer(text), *_DEFINED.finditer(text))}
        copies: dict[str, list[str]] = {}
        for name, other in _COPIED.findall(text):
            copies.setdefault(_last(name), []).append(_last(other))
        for folder, own in _calls(text, texts):
            for name in (own, *copies.get(own, ())):
                if name in self.arrays:
                    yield folder, name
                else:
                    self.called.append((folder, name))


def _calls(text: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What is registered: the folder, and the name of the table as the call has it."""
    for match in _REGISTER.finditer(text):
        # The arguments, without what a call among them has.
        plain = _NESTED.sub("", text[match.end() : _closed(text, match.end())])
        words = [word.strip() for word in plain.split(",")]
        at = next((i for i, word in enumerate(words) if word[:1] == '"' or word in texts), None)
        if at is not None and at + 1 < len(words):
            folder = words[at].strip('"') if words[at][:1] == '"' else texts[words[at]]
            yield re.sub(r"%\w+", "*", folder), _last(words[at + 1])


def _handed(body: str) -> str:
    """The one handler of the kernel's that a function calls, or nothing where there are several."""
    called = set(_HANDED.findall(body))
    return called.pop() if len(called) == 1 else ""


def _of_table(
    folder: str, body: str, numbers: Mapping[str, str], handlers: Mapping[str, str]
) -> Iterator[Sysctl]:
    """The elements of a table: in braces, or a macro's arguments."""
    at = 0
    while match := _OPENED.search(body, at):
        end = _closed(body, match.end())
        yield from _of_entry(folder, body[match.end() : end], numbers, handlers)
        at = end + 1


def _closed(text: str, at: int) -> int:
    """Finds where a bracket closes that was opened before."""
    opened = text[at - 1]
    closing = {"{": "}", "(": ")"}[opened]
    depth = 1
    for place in range(at, len(text)):
        depth += (text[place] == opened) - (text[place] == closing)
        if not depth:
            return place
    return len(text)


def _last(expression: str) -> str:
    """The name behind the last `->` or `.` of an expression, or an empty text."""
    match = re.search(r"(\w+)\s*$", expression)
    return match[1] if match else ""


def _of_entry(
    folder: str, entry: str, numbers: Mapping[str, str], handlers: Mapping[str, str]
) -> Iterator[Sysctl]:
    """Reads the sysctl of one element; several where #ifdef gives it one name or another."""
    fields = {key: value.strip() for key, value in _KEY.findall(entry)}
    named = [value for key, value in _KEY.findall(entry) if key == "procname"]
    names = [name for text in named or [entry] if (name := _LITERAL.search(text))]
    # What has no handler can be neither read nor written (proc_sys_call_handler() of 6.12).
    if fields and "proc_handler" not in fields:
        return
    own = fields.get("proc_handler", "")
    handler = handlers.get(_last(own)) or own
    traits = _kind({**fields, "proc_handler": handler})
    low, high = (_number(fields.get(key, ""), numbers) for key in ("extra1", "extra2"))
    if traits in "iu" and (low or high) and (handler == own or "minmax" in handler):
        traits += f":{low}..{high}"
    plain = "jiffies" not in handler and "ms_" not in handler
    for name in names:
        path = f"{folder}/{re.sub(r'%[a-z]+', '*', name[1])}"
        yield Sysctl(path.replace("/", "."), traits, fields.get("data", "") if plain else "")


def _kind(fields: Mapping[str, str]) -> str:
    """Finds the letter of the type; `x` if the sysctl has a handler of its own."""
    handler = fields.get("proc_handler", "")
    for part, letter in _HANDLERS:
        if part in handler:
            return letter
    return "i" if re.search(r"sizeof\s*\(\s*int\s*\)", fields.get("maxlen", "")) else "x"


def _number(expression: str, numbers: Mapping[str, str]) -> str:
    """Reads the number that the end of a range points to; nothing where it is not written as
    one."""
    name = _last(expression)
    value = _CONSTANTS.get(name) or numbers.get(name, "")
    value = _CONSTANTS.get(value, value)
    return value if re.fullmatch(r"-?\d+", value) else ""
