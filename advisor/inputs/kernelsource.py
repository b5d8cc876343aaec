"""The boot parameters that a kernel's C source parses, found by the macros that register them.

No code is understood: a name counts as parsed if a file registers it, whatever is compiled. The
tree is not trusted: nothing outside its folder is read, no link is followed, nothing is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from advisor.errors import TreeError
from advisor.inputs.modulenames import ModuleNames
from advisor.inputs.treefiles import DISTRUST, TreeFiles
from advisor.model import Location

LARGEST = 4 << 20
"""The most bytes of a source file that is read: larger ones are tables of registers."""
FILES = 400_000
"""The most files that are looked at; 7.1 has 60,000 of C."""

# Folders without any code of the kernel that parses a boot line.
_SKIP = frozenset((
    "Documentation", "LICENSES", "arch", "certs", "rust", "samples", "scripts", "tools",
    "drivers/gpu/drm/amd/include", "drivers/gpu/drm/nouveau/include", "include/dt-bindings",
    "drivers/net/ethernet/mellanox", "drivers/accel/habanalabs/include",
))  # fmt: skip
# Where a call may begin: found by C's own search, since one expression for all takes ten seconds.
_MARKS = (
    b"module_param", b"early_param", b"core_param", b"__setup", b"cmdline_find_option",
    b"MODULE_PARAM_PREFIX", b"device_param_cb", b"subsys_param_cb", b"arch_param_cb",
)  # fmt: skip
_HINTS = (b"_param", b"__setup", b"cmdline_find_option")
_CALL = re.compile(
    rb"MODULE_PARAM_PREFIX[ \t]+(?P<prefix>[^\n]+)"
    rb"|(?P<plain>__setup|early_param|early_param_on_off|__setup_param|__setup_null_param)"
    rb"[ \t]*\(\s*(?P<literals>\"[^\"\n]*\"(?:\s*,\s*\"[^\"\n]*\")?)"
    rb"|(?P<core>core_param(?:_cb)?)[ \t]*\(\s*(?P<core_name>[\w.]+)\s*,(?P<core_rest>[^;]{0,300})"
    rb"|(?P<module>(?:module|device|subsys|arch)_param(?:_named|_cb|_array|_string|_call|_unsafe"
    rb"|_hw)*)[ \t]*\(\s*(?P<name>\w+)\s*,(?P<rest>[^;]{0,300})"
    rb"|cmdline_find_option(?P<bool>_bool)?[ \t]*\([^\";]{0,200}\"(?P<found>[^\"\n]+)\""
)
_WORD = re.compile(rb"\w")
# arm64's early table of names that stand for fields of identification registers.
_OVERRIDES = re.compile(rb"\{\s*\"(?P<name>[\w.\-]+)(?:=[^\"]*)?\"\s*,\s*\"[\w.]+=")
_TABLE = "/idreg-override.c"
_LITERAL = re.compile(rb"\"([^\"\n]*)\"")
# Which of the arguments after the name tells the type.
_TYPE_AT = {"core_param": 1, "_named": 1, "_array": 0, "_array_named": 1, "": 0}


class Parsed(NamedTuple):
    """A place that reads a parameter: `macro` registers it, `type` is C's, where it is told.

    `name` has dashes as underscores, and the module before it, as a boot line needs it.
    """

    name: str
    macro: str
    type: str
    where: Location


class KernelSource:
    """The boot parameters of one tree; each part of it is read when it is first asked for."""

    def __init__(self, files: TreeFiles) -> None:
        self._files = files
        self._found: dict[str, dict[str, list[Parsed]]] = {}
        self._texts: dict[str, str] = {}

    @property
    def present(self) -> bool:
        """Whether the tree has C sources: a tree of Kconfig files alone is no witness."""
        return self._files.has("init/main.c") and self._files.has("kernel")

    def parsed(self, name: str, arch: str) -> list[Parsed]:
        """Where that parameter is parsed, for this architecture."""
        common, own = self._part(""), self._part(f"arch/{arch}")
        return common.get(name, []) + own.get(name, [])

    def count(self, arch: str) -> int:
        """How many names are parsed for this architecture."""
        return len({*self._part(""), *self._part(f"arch/{arch}")})

    def has(self, path: str) -> bool:
        """Whether the tree has that file."""
        return self._files.has(path)

    def text(self, path: str) -> str:
        """A source file, to look for words in; read once."""
        if path not in self._texts:
            self._texts[path] = self._files.text(path)
        return self._texts[path]

    def _part(self, folder: str) -> dict[str, list[Parsed]]:
        if folder not in self._found:
            found: dict[str, list[Parsed]] = {}
            modules = ModuleNames(self._files)
            for path, data in self._sources(folder):
                for one in _scanned(path, data, modules):
                    found.setdefault(one.name, []).append(one)
            self._found[folder] = found
        return self._found[folder]

    def _sources(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """The C files below a folder that may hold a parameter."""
        for number, path in enumerate(c_files(self._files.root, folder)):
            if number >= FILES:
                raise TreeError(f"more than {FILES} C files", where=path, hint=DISTRUST)
            data = _read(os.path.join(self._files.root, path))
            if path.endswith(_TABLE) or (
                any(hint in data for hint in _HINTS) and any(mark in data for mark in _MARKS)
            ):
                yield path, data


def c_files(root: str, folder: str) -> Iterator[str]:
    """The .c and .h files below a folder of the tree, by name; links are not followed."""
    stack = [folder]
    while stack:
        here = stack.pop()
        try:
            entries = sorted(os.scandir(os.path.join(root, here)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{here}/{entry.name}" if here else entry.name
            if entry.is_dir(follow_symlinks=False):
                if path not in _SKIP and entry.name[0] != ".":
                    stack.append(path)
            elif entry.name.endswith((".c", ".h")) and entry.is_file(follow_symlinks=False):
                yield path


def _read(path: str) -> bytes:
    """The file, or nothing where it is too large or cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with open(descriptor, "rb") as file:
        data = file.read(LARGEST + 1)
    return data if len(data) <= LARGEST else b""


def _scanned(path: str, data: bytes, modules: ModuleNames) -> Iterator[Parsed]:
    prefix: str | None = None
    for match in _calls(data):
        if match["prefix"] is not None:
            prefix = _prefix(match["prefix"])
            continue
        where = Location(path, data.count(b"\n", 0, match.start()) + 1)
        for name, macro, kind in _registered(match, path, prefix, modules):
            yield Parsed(name.replace("-", "_"), macro, kind, where)
    if path.endswith(_TABLE):
        for match in _OVERRIDES.finditer(data):
            where = Location(path, data.count(b"\n", 0, match.start()) + 1)
            name = match["name"].decode(errors="replace").replace("-", "_")
            yield Parsed(name, "override", "", where)


def _calls(data: bytes) -> Iterator[re.Match[bytes]]:
    """The calls that register something, in their order."""
    starts: list[int] = []
    for mark in _MARKS:
        at = data.find(mark)
        while at >= 0:
            starts.append(at)
            at = data.find(mark, at + len(mark))
    for at in sorted(starts):
        if at and _WORD.match(data, at - 1):
            continue  # the end of another name
        if match := _CALL.match(data, at):
            yield match


def _prefix(text: bytes) -> str | None:
    """The prefix that a file gives its parameters; None where it keeps its module's name."""
    literal = _LITERAL.search(text)
    if b"KBUILD_MODNAME" in text or literal is None:
        return None
    return literal[1].decode(errors="replace")


def _registered(
    match: re.Match[bytes], path: str, prefix: str | None, modules: ModuleNames
) -> Iterable[tuple[str, str, str]]:
    """Name, macro and C type of what one call registers."""
    if match["literals"] is not None:
        macro = match["plain"].decode()
        for literal in _LITERAL.findall(match["literals"])[: 2 if "on_off" in macro else 1]:
            text = literal.decode(errors="replace")
            # A __setup() of "x" matches any word that begins so; it is read as that word.
            yield text.split("=", 1)[0].strip(), macro, "" if "=" in text else "flag"
    elif match["core"] is not None:
        macro = match["core"].decode()
        yield match["core_name"].decode(), macro, _type(macro, match["core_rest"])
    elif match["found"] is not None:
        kind = "flag" if match["bool"] else ""
        yield match["found"].decode(errors="replace"), "cmdline_find_option", kind
    else:
        macro = match["module"].decode()
        before = modules.of(path) + "." if prefix is None else prefix
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
