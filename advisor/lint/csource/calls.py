"""The calls of one C file that register boot parameters, and what they say.

No code is understood: a call counts whatever is compiled, unless its line is a comment's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from advisor.lint.csource.macros import Macros, places, uses

# Where a call may begin.
_MARKS = (
    b"module_param", b"early_param", b"core_param", b"__setup", b"cmdline_find_option",
    b"MODULE_PARAM_PREFIX", b"device_param_cb", b"subsys_param_cb", b"arch_param_cb",
    b"postcore_param_cb", b"fs_param_cb", b"late_param_cb", b"__module_param_call",
    b"__core_param_cb",
)  # fmt: skip
# The beginnings of boot code, which reads the line itself.
_EARLY = ("arch/", "drivers/firmware/efi/libstub/")
_EARLY_MARKS = (*_MARKS, b"strstr", b"prom_strstr", b"strcmp(param,")
# What a file has that registers something, uses another file's macro that does, or includes code.
_HINTS = (b"_param", b"__setup", b"cmdline_find_option", b"_PARAM", b"_PARM", b"MOD_OPT", b'.c"')
_EARLY_HINTS = (*_HINTS, b"cmdline,", b"command_line,", b"cmd_line,")
_CALL = re.compile(
    rb"MODULE_PARAM_PREFIX[ \t]+(?P<prefix>[^\n]+)"
    rb"|(?P<plain>__setup|early_param|early_param_on_off|__setup_param|__setup_null_param)"
    rb"[ \t]*\(\s*(?P<literals>\"[^\"\n]*\"(?:\s*,\s*\"[^\"\n]*\")?)"
    rb"|(?P<core>core_param(?:_unsafe)?|__core_param_cb)[ \t]*\(\s*(?P<core_name>[\w.]+)\s*,"
    rb"(?P<core_rest>[^;]{0,300})"
    rb"|(?P<module>(?:(?:module|device|subsys|arch)_param(?:_named|_cb|_array|_string|_call|_unsafe"
    rb"|_hw)*|(?:core|postcore|fs|late)_param_cb)[ \t]*\(\s*"
    rb"|__module_param_call[ \t]*\(\s*MODULE_PARAM_PREFIX\s*,\s*)"
    rb"(?P<name>\w+)\s*,(?P<rest>[^;]{0,300})"
    rb"|(?:prom_)?strstr\(\s*\w*(?:cmdline|command_line|cmd_line)\s*,\s*\"(?P<text>[\w.\-]{3,}=?)"
    rb"|strcmp\(param, \"(?P<word>[\w.\-]{3,})\""
    rb"|cmdline_find_option(?P<bool>_bool)?[ \t]*\([^\";]{0,200}\"(?P<found>[^\"\n]+)\""
)
# arm64's early table of names that stand for fields of identification registers.
_OVERRIDES = re.compile(rb"\{\s*\"(?P<name>[\w.\-]+)(?:=[^\"]*)?\"\s*,\s*\"[\w.]+=")
_FIELDS = re.compile(
    rb"\.name\s*=\s*\"(?P<register>\w+)\""
    rb"|(?:FIELD\(|\{)\s*\"(?P<field>\w+)\"\s*,\s*[A-Z]"
)
# In arch/arm64/kernel of 6.1, in its folder pi of 6.12.
_TABLE = "/idreg-override.c"
_LITERAL = re.compile(rb"\"([^\"\n]*)\"")
# Which of the arguments after the name tells the type.
_TYPE_AT = {"core_param": 1, "_named": 1, "_array": 0, "_array_named": 1, "": 0}


class Call(NamedTuple):
    """A call, or a prefix that counts from there on, by what `_CALL` finds in it."""

    at: int
    match: re.Match[bytes]

    @property
    def of_module(self) -> bool:
        """Whether the name of the module, or a prefix in its place, belongs before its name."""
        return self.match["module"] is not None or self.match["prefix"] is not None


def hinted(path: str, data: bytes) -> bool:
    """Whether the file may register something: most do not, and are not looked at further."""
    hints = _EARLY_HINTS if path.startswith(_EARLY) else _HINTS
    return path.endswith(_TABLE) or any(hint in data for hint in hints)


def calls(path: str, data: bytes, macros: Macros) -> list[Call]:
    """Yields the calls of a file and of the macros that it uses, in their order."""
    all_calls = list(_calls(data, _EARLY_MARKS if path.startswith(_EARLY) else _MARKS))
    for at, text in uses(data, macros):
        if not _in_comment(data, at):
            all_calls += [Call(at, call.match) for call in _calls(text, _MARKS)]
    return sorted(all_calls, key=lambda call: call.at)


def _calls(data: bytes, marks: Iterable[bytes]) -> Iterator[Call]:
    """The calls that register something."""
    for at in chain(*(places(data, mark) for mark in marks)):
        if (match := _CALL.match(data, at)) and not _in_comment(data, at):
            yield Call(at, match)


def _in_comment(data: bytes, at: int) -> bool:
    """Whether the line is one of a comment up to there."""
    before = data[data.rfind(b"\n", 0, at) + 1 : at].strip()
    return before.startswith((b"*", b"//")) or before.rfind(b"/*") > before.rfind(b"*/")


def overrides(path: str, data: bytes) -> Iterator[tuple[str, int]]:
    """Reads the names in arm64's table: its fields, and the words that stand for some of them."""
    if not path.endswith(_TABLE):
        return
    register = ""
    for match in _FIELDS.finditer(data):
        if match["register"] is not None:
            register = match["register"].decode()
        elif register:
            yield f"{register}.{match['field'].decode()}", match.start()
    for match in _OVERRIDES.finditer(data):
        yield match["name"].decode(), match.start()


def prefix(text: bytes, data: bytes) -> str | None:
    """Finds the prefix that a file gives its parameters; None if it keeps its module's name."""
    # C pastes texts beside each other, and a macro among them may be the file's own.
    parts = []
    for part in re.findall(rb"\"[^\"\n]*\"|[A-Za-z_]\w*", text.split(b"/*")[0]):
        literal = part
        if part[:1] != b'"':
            named = re.search(rb"define\s+" + part + rb"\s+(\"[^\"\n]*\")", data)
            literal = named[1] if named else b""
        parts.append(literal[1:-1].decode(errors="replace"))
    return None if b"KBUILD_MODNAME" in text or not any(parts) else "".join(parts)


def registered(match: re.Match[bytes], before: str) -> Iterable[tuple[str, str, str]]:
    """Reads name, macro and C type of what one call registers; `before` is a module parameter's
    module.

    Each name is spelled as in the source.
    """
    if match["literals"] is not None:
        macro = match["plain"].decode()
        # early_param_on_off() alone has two words: what turns it on, and what turns it off.
        for literal in _LITERAL.findall(match["literals"])[: 2 if "on_off" in macro else 1]:
            text = literal.decode(errors="replace")
            # A __setup() of "x" matches any word that begins so; it is read as that word.
            yield text.split("=", 1)[0].strip(), macro, "" if "=" in text else "flag"
    elif match["core"] is not None:  # __module_param_call() with an empty prefix
        macro = match["core"].decode()
        yield match["core_name"].decode(), macro, _type(macro, match["core_rest"])
    elif match["found"] is not None:
        kind = "flag" if match["bool"] else ""
        yield match["found"].decode(errors="replace"), "cmdline_find_option", kind
    elif (text := match["text"] or match["word"]) is not None:
        yield text.decode().rstrip("="), "strstr" if match["text"] else "strcmp", ""
    else:
        macro = match["module"].partition(b"(")[0].strip().decode()
        yield before + match["name"].decode(), macro, _type(macro, match["rest"])


def _type(macro: str, rest: bytes) -> str:
    """The C type among the arguments after the name; nothing where a function reads it."""
    plain = macro.replace("_unsafe", "").replace("_hw", "")
    key = plain if plain in _TYPE_AT else plain.partition("_param")[2]
    index = _TYPE_AT.get(key)
    words = rest.split(b",")
    if index is None or index >= len(words):
        return ""
    return words[index].strip(b" \t\r\n()").decode(errors="replace")
