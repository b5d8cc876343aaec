"""Which source files a symbol builds, and into which module, as a tree's makefiles list them.

Makefiles are read, not run: what a variable or a function of make comes to is not known here.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.errors import TreeError
from advisor.tree.files import TreeFiles

MOST_MAKEFILES = 20_000
"""How many makefiles are read; 7.2 has 2,700 below these folders."""
# `obj-$(CONFIG_X) += a.o b/`, `name-$(CONFIG_X) += c.o`, `name-y := d.o`.
_RULE = re.compile(
    r"^[ \t]*(?P<list>[\w.-]+?)-"
    r"(?:y|m|objs|\$[({](?:subst\s+m,\s*y,\s*\$\()?CONFIG_(?P<symbol>\w+)[)}]+)"
    r"[ \t]*[:+?]?=[ \t]*(?P<items>.*)$",
    re.MULTILINE,
)
_NAMES = ("Kbuild", "Makefile")
# Where drivers are; what these list is followed.
_TOP = ("drivers", "sound", "net", "fs", "crypto", "lib", "kernel", "mm", "block", "security")
_ALL = frozenset(("obj", "core", "libs", "drivers", "net", "virt"))
"""The lists of a folder, which are no module of several files."""


class Module(NamedTuple):
    """A module, or a driver built in, by the name that a module has, and its source files.

    Of one that the symbol only adds a `part` to, the sources of that.
    """

    name: str
    sources: tuple[str, ...]
    part: bool = False


class _Folder(NamedTuple):
    """Of a folder: what each symbol (none: what is always there) adds to which list, and
    all items of each list."""

    by_symbol: Mapping[str, list[tuple[str, str]]]
    lists: Mapping[str, list[str]]


class Makefiles:
    """The makefiles of one tree and architecture, read when they are first asked."""

    def __init__(self, files: TreeFiles, arch: str) -> None:
        self._files, self._arch = files, arch
        self._folders: dict[str, _Folder] = {}
        self._by_symbol: dict[str, list[str]] | None = None

    def modules(self, symbol: str) -> list[Module]:
        """What the symbol builds; empty if no makefile names it in a way that is understood."""
        found: dict[tuple[str, bool], dict[str, None]] = {}
        for folder in self._index().get(symbol, ()):
            for name, path, part in self._built(symbol, folder):
                found.setdefault((name.replace("-", "_"), part), {})[path] = None
        whole = {name for name, part in found if not part}
        return [
            Module(name, tuple(paths), part)
            for (name, part), paths in found.items()
            if not (part and name in whole)
        ]

    def _built(self, symbol: str, folder: str) -> Iterator[tuple[str, str, bool]]:
        """The modules and source files that the symbol's own lines in a folder come to, and whether
        those add a part to a module."""
        here = self._folder(folder)
        for target, item in here.by_symbol.get(symbol, ()):
            if item.endswith("/"):
                below = posixpath.normpath(posixpath.join(folder, item))
                built, part = self._whole(below, symbol), False
            elif target in _ALL:
                built, part = self._object(folder, item, item.removesuffix(".o")), False
            else:
                built, part = self._object(folder, item, target), True
            yield from ((name, path, part) for name, path in built)

    def _whole(self, folder: str, symbol: str) -> Iterator[tuple[str, str]]:
        """What a folder builds that is entered for a symbol, where no line there names it."""
        here = self._folder(folder)
        for target, item in () if symbol in here.by_symbol else here.by_symbol.get("", ()):
            if target in _ALL and item.endswith(".o"):
                yield from self._object(folder, item, item.removesuffix(".o"))

    def _object(self, folder: str, item: str, module: str) -> Iterator[tuple[str, str]]:
        """The source files of an object: of several files if the makefile lists them."""
        lists = self._folder(folder).lists
        left, done = [item], set()
        while left:
            item = left.pop(0)
            if item in done:
                continue
            done.add(item)
            stem = item.removesuffix(".o")
            if item.endswith(".o"):
                parts = lists.get(stem, [])
                if parts and stem not in _ALL:
                    left += [part for part in parts if part not in done]
                # An object may have a file of its name beside its list: in another folder's way.
                if not parts or item in parts:
                    yield posixpath.basename(module), posixpath.normpath(f"{folder}/{stem}.c")
            elif match := re.fullmatch(r"\$\(([\w.-]+)-(?:y|m|objs)\)", item):
                left += lists.get(match[1], [])

    def _index(self) -> Mapping[str, list[str]]:
        """The folders in whose makefiles each symbol stands."""
        if self._by_symbol is None:
            self._by_symbol = {}
            left = [*_TOP, f"arch/{self._arch}"]
            seen = set(left)
            while left and len(self._folders) < MOST_MAKEFILES:
                folder = left.pop()
                here = self._folder(folder)
                for symbol in here.by_symbol:
                    self._by_symbol.setdefault(symbol, []).append(folder)
                for below in self._below(folder, here.lists.values()):
                    if below not in seen:
                        seen.add(below)
                        left.append(below)
        return self._by_symbol

    def _below(self, folder: str, lists: Iterable[list[str]]) -> Iterator[str]:
        for items in lists:
            for item in items:
                if item.endswith("/") and "$" not in item and not item.startswith("/"):
                    below = posixpath.normpath(posixpath.join(folder, item))
                    if not below.startswith(".."):
                        yield below

    def _folder(self, folder: str) -> _Folder:
        if folder not in self._folders:
            by_symbol: dict[str, list[tuple[str, str]]] = {}
            lists: dict[str, list[str]] = {}
            for match in _RULE.finditer(self._text(folder)):
                for word in match["items"].partition("#")[0].split():
                    item = re.sub(r"^\$\((?:obj|src)\)/", "", word)
                    lists.setdefault(match["list"], []).append(item)
                    by_symbol.setdefault(match["symbol"] or "", []).append((match["list"], item))
            self._folders[folder] = _Folder(by_symbol, lists)
        return self._folders[folder]

    def _text(self, folder: str) -> str:
        """A folder's makefiles, with continued lines joined."""
        texts = []
        for name in _NAMES:
            try:
                if self._files.has(f"{folder}/{name}"):
                    texts.append(self._files.text(f"{folder}/{name}"))
            except TreeError:  # a makefile that is none of the tree's builds nothing
                continue
        return "\n".join(texts).replace("\\\n", " ")
