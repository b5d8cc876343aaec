"""The boot parameters that a kernel's C source parses, found by the macros that register them.

No code is understood: a name counts as parsed if a file registers it, whatever is compiled. The
tree is not trusted: nothing outside its folder is read, no link is followed, nothing is run.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from advisor.errors import TreeError
from advisor.files import read
from advisor.lint.csource import calls as parametercalls
from advisor.lint.csource.calls import Call
from advisor.lint.csource.macros import Macros, defined
from advisor.lint.csource.modules import ModuleNames
from advisor.model.kernel import Location
from advisor.tree.files import DISTRUST, TreeFiles

LARGEST = 4 << 20
"""The most bytes of a source file that is read: larger ones are tables of registers."""
FILES = 400_000
"""The most files that are looked at; 7.1 has 60,000 of C."""

# Folders without any code of the kernel that parses a boot line.
_SKIP = frozenset((
    "Documentation", "LICENSES", "arch", "certs", "rust", "samples", "scripts", "tools",
    "drivers/gpu/drm/amd/include", "drivers/gpu/drm/nouveau/include", "include/dt-bindings",
    "drivers/accel/habanalabs/include",
))  # fmt: skip
# Where these macros are made of each other.
_OWN = frozenset(("include/linux/moduleparam.h", "include/linux/init.h"))
# A header's macro of such a name is looked for everywhere, another in its folder: time is short.
_SHARED = (b"_PARAM", b"_PARM", b"MOD_OPT", b"_param")
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]+\"([\w./+-]+\.[ch])\"", re.MULTILINE)


_Place = tuple[str, bytes, Call]  # the file, its text, and the call in it


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
        self._modules = ModuleNames(files)
        self._macros: dict[str, Macros] = {}  # by folder
        self._included: dict[str, list[_Place]] = {}
        self._listed: set[str] = set()

    @property
    def present(self) -> bool:
        """Whether the tree has C sources: a tree of Kconfig files alone is no witness."""
        return self._files.has("init/main.c") and self._files.has("kernel")

    def parsed(self, name: str, arch: str) -> list[Parsed]:
        """Lists where a parameter is parsed, for this architecture."""
        common, own = self.common(), self.own(arch)
        return common.get(name, []) + own.get(name, [])

    def count(self, arch: str) -> int:
        """How many names are parsed for this architecture."""
        return len({*self.common(), *self.own(arch)})

    def common(self) -> Mapping[str, list[Parsed]]:
        """Gives what is parsed for every architecture, by name."""
        return self._part("")

    def own(self, arch: str) -> Mapping[str, list[Parsed]]:
        """Gives what the folder of one architecture parses in addition, by name."""
        self._part("")  # whose headers have macros that it may use
        return self._part(f"arch/{arch}")

    def has(self, path: str) -> bool:
        """Whether the tree has that file."""
        return self._files.has(path)

    def beside(self, path: str) -> list[str]:
        """Lists the C files in the folder of a file."""
        folder = posixpath.dirname(path)
        names = self._files.names(folder) if folder else []
        return [f"{folder}/{name}" for name in names if name.endswith(".c")]

    def text(self, path: str) -> str:
        """A source file, to look for words in; read once."""
        if path not in self._texts:
            self._texts[path] = self._files.text(path)
        return self._texts[path]

    def _part(self, folder: str) -> dict[str, list[Parsed]]:
        if folder not in self._found:
            # All files first: only then is known which of them others include.
            places = {
                path: list(self._scanned(path, data))
                for path in self._paths(folder)
                if (data := self._hinted(path))
            }
            by_name: dict[str, list[Parsed]] = {}
            for path, parsed in places.items():
                for one, of_module in parsed:
                    # Code that only other files include is of their modules.
                    mine = path == one.where.path and of_module and path in self._included
                    if not mine or self._modules.builds(path):
                        by_name.setdefault(one.name, []).append(one)
            self._found[folder] = by_name
        return self._found[folder]

    def _scanned(self, path: str, data: bytes) -> Iterator[tuple[Parsed, bool]]:
        """What a file parses, each with whether it is a parameter of its module."""
        prefix: str | None = None
        for place, text, call in self._calls(path, data):
            if call.match["prefix"] is not None:
                prefix = parametercalls.prefix(call.match["prefix"], text)
                continue
            # Of C's own: KBUILD_MODNAME "." before every name, unless MODULE_PARAM_PREFIX is other.
            own = call.of_module and prefix is None
            before = f"{self._modules.of(path)}." if own else prefix or ""
            where = Location(place, text.count(b"\n", 0, call.at) + 1)
            for name, macro, kind in parametercalls.registered(call.match, before):
                yield Parsed(name.replace("-", "_"), macro, kind, where), call.of_module
        for name, at in parametercalls.overrides(path, data):
            where = Location(path, data.count(b"\n", 0, at) + 1)
            yield Parsed(name.replace("-", "_"), "override", "", where), False

    def _calls(self, path: str, data: bytes) -> list[_Place]:
        """The calls of a file and of those that it includes, each with the file and its text."""
        own = self._own_calls(path, data)
        if path.endswith(".h"):
            if any(call.of_module for _, _, call in own):
                self._included[path] = own
            return own
        standing = [(place[2].at, place) for place in own]
        for match in _INCLUDE.finditer(data):
            name = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1].decode()))
            # Headers are known by now, whose turn comes first; a .c file that is included may not.
            if name not in self._included and name.endswith(".c") and name in self._listed:
                other = self._hinted(name)
                self._included[name] = self._own_calls(name, other) if other else []
            places = self._included.get(name, [])
            standing += [(match.start(), place) for place in places if place[2].of_module]
        return [place for _, place in sorted(standing, key=lambda pair: pair[0])]

    def _own_calls(self, path: str, data: bytes) -> list[_Place]:
        folder = posixpath.dirname(path)
        known = {**self._macros.get("", {}), **self._macros.get(folder, {})}
        macros, data = defined(data, known)
        for name, definitions in macros.items() if path.endswith(".h") else ():
            shared = path.startswith("include/") or any(hint in name for hint in _SHARED)
            kept = self._macros.setdefault("" if shared else folder, {})
            kept.setdefault(name, []).extend(definitions)
        calls = parametercalls.calls(path, data, {**known, **macros})
        return [(path, data, call) for call in calls]

    def _paths(self, folder: str) -> list[str]:
        """The C files below a folder; the headers first, whose macros the others use."""
        paths = list(islice(c_files(self._files.root, folder), FILES + 1))
        if len(paths) > FILES:
            raise TreeError(f"more than {FILES} C files", where=paths[-1], hint=DISTRUST)
        self._listed.update(paths)
        return sorted(paths, key=lambda path: not path.endswith(".h"))

    def _hinted(self, path: str) -> bytes:
        """A file that may hold a parameter, else nothing."""
        data = b"" if path in _OWN else read_source(os.path.join(self._files.root, path))
        return data if parametercalls.hinted(path, data) else b""


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


def read_source(path: str) -> bytes:
    """Reads a source file; nothing if it is too large or cannot be read."""
    try:
        return read(path, limit=LARGEST, links=False)
    except OSError:
        return b""
