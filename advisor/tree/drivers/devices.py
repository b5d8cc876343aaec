"""Which modules a tree builds from symbols, and which devices the tables of their sources name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from advisor.errors import TreeError
from advisor.model.comparison import DeviceIds, LostDriver
from advisor.tree.drivers.cmacros import Macro, cleaned, defined
from advisor.tree.drivers.makefiles import Makefiles, Module
from advisor.tree.drivers.tables import BUSES, Table, given, promised, tables
from advisor.tree.files import TreeFiles

MOST_SOURCES = 20_000
MOST_BYTES = 256 << 20
"""How many source files, and bytes of them where they are included, are read for one answer."""
# Where the macros of tables are defined, and the numbers of PCI's vendors and devices.
_HEADERS = (
    "include/linux/mod_devicetable.h", "include/linux/pci_ids.h", "include/linux/pci.h",
    "include/linux/usb.h", "include/linux/acpi.h", "include/acpi/acpi_drivers.h",
    "include/acpi/acpi_bus.h", "include/uapi/linux/usb/ch9.h", "include/uapi/linux/usb/audio.h",
    "include/uapi/linux/usb/cdc.h", "include/linux/usb/audio.h",
)  # fmt: skip
_INCLUDE = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]+(?:\"(?P<own>[\w./+-]+)\"|<(?P<ids>[\w./+-]+ids\.h)>)[^\n]*$",
    re.MULTILINE,
)
_SHARED = re.compile(r"^[ \t]*#[ \t]*include[ \t]+<([\w./+-]+\.h)>", re.MULTILINE)
_DEEPEST = 8
_TABLE = "_device_id "
_WITNESS = "drivers/pci/pci.c"
_CORE = ("init/", "ipc/", "kernel/", "mm/", "security/")
"""Where no driver is: what a tree builds there has no devices."""


class _Included(NamedTuple):
    """What a source includes: the macros of its own headers, the names of shared ones, and of the
    tables that its own files give to a driver; each file counts once, but a list as often as it
    stands there. `whole` has each file with what it includes itself."""

    macros: dict[str, Macro]
    shared: set[str]
    tables: set[str]
    files: set[str]
    whole: dict[str, str]


class Devices:
    """The drivers of one tree and architecture. Raises nothing: what cannot be read names none."""

    def __init__(self, files: TreeFiles, arch: str) -> None:
        self._files, self._makefiles = files, Makefiles(files, arch)
        self._texts: dict[str, str] = {}
        self._common: dict[str, Macro] = {}
        self._bytes = 0

    @property
    def present(self) -> bool:
        """Whether the tree has sources of drivers: a tree of Kconfig files alone tells nothing."""
        return self._files.has(_WITNESS)

    def drivers(self, symbol: str, name: str) -> Iterator[LostDriver]:
        """Each module of the symbol that the tree calls `name`, with the devices of its tables."""
        for module in self._makefiles.modules(name):
            ids, unread = self._ids(module)
            is_driver = not (module.part or module.sources[0].startswith(_CORE))
            if ids or unread or is_driver:
                found = tuple(DeviceIds(bus, tuple(ids[bus])) for bus in BUSES if bus in ids)
                yield LostDriver(symbol, module.name, module.sources[0], found, unread)

    def _ids(self, module: Module) -> tuple[dict[str, dict[str, None]], int]:
        """The devices by bus, and how many entries could not be read."""
        texts = {path: self._text(path) for path in module.sources}
        used = {path: text for path, text in texts.items() if text}
        names = {name for text in used.values() for name in given(text)}
        found: dict[str, dict[str, None]] = {}
        # A table that a macro begins is found nowhere.
        missed = {name for text in used.values() for name in promised(text)}
        unread = 0
        for path, text in used.items():
            included = _Included({}, set(_SHARED.findall(text)), set(names), {path}, {path: ""})
            whole = self._inlined(path, text, included, _DEEPEST)
            for table in self._tables(whole, included):
                found.setdefault(table.bus, {}).update(dict.fromkeys(table.ids))
                unread += table.unread
                missed.discard(table.name)
        return {bus: ids for bus, ids in found.items() if ids}, unread + len(missed)

    def _tables(self, text: str, included: _Included) -> list[Table]:
        """The tables that a driver is given."""

        def read() -> list[Table]:
            every = tables(text, {**self._macros(), **included.macros})
            return [one for one in every if not one.name or one.name in included.tables]

        found = read()
        if any(table.unread for table in found):
            # Names of a shared header: it is read only for them.
            for name in sorted(included.shared):
                for folder in ("include/uapi", "include"):
                    included.macros.update(defined(self._text(f"{folder}/{name}")))
            found = read()
        return found

    def _inlined(self, path: str, text: str, included: _Included, depth: int) -> str:
        """The text with the files of its own folder that it includes within a table in place; what
        all of them bring is filled in."""

        def own(match: re.Match[str]) -> str:
            name = self._header(posixpath.dirname(path), match["own"] or "", match["ids"] or "")
            inner = self._text(name) if name else ""
            if not inner or not (_is_list(inner) or name not in included.files):
                return ""
            included.files.add(name)
            included.tables.update(given(inner))
            included.shared.update(_SHARED.findall(inner))
            if name not in included.whole:
                included.whole[name] = ""  # until it is read: a file that includes itself ends
                included.whole[name] = self._inlined(name, inner, included, depth - 1)
            inner = included.whole[name]
            self._bytes += len(inner)
            if self._bytes > MOST_BYTES:
                return ""
            included.macros.update(defined(inner))
            return inner if _is_list(inner) or _TABLE in inner else ""

        return _INCLUDE.sub(own, text) if depth else text

    def _header(self, folder: str, own: str, shared: str) -> str:
        """The file that a line includes: beside the source, or where makefiles tell a compiler."""
        names = (
            [f"include/{shared}"]
            if shared
            else [
                posixpath.normpath(posixpath.join(folder, place, own))
                for place in (".", "../include", "include")
            ]
        )
        return next((n for n in names if not n.startswith("..") and self._files.has(n)), "")

    def _macros(self) -> dict[str, Macro]:
        if not self._common:
            for name in _HEADERS:
                self._common.update(defined(self._text(name)))
        return self._common

    def _text(self, path: str) -> str:
        """A source without its comments; empty where it cannot be read, or too much was."""
        if path not in self._texts:
            text = ""
            if len(self._texts) < MOST_SOURCES and self._bytes < MOST_BYTES:
                with suppress(TreeError):
                    text = self._files.text(path) if self._files.has(path) else ""
                self._bytes += len(text)
            wanted = path.endswith(".h") or "_device_id" in text or "_DECLARE" in text
            self._texts[path] = cleaned(text) if wanted else ""
        return self._texts[path]


def _is_list(text: str) -> bool:
    """Whether a file is written to be included in a table: entries, and nothing that C declares."""
    body = re.sub(r"^[ \t]*#[^\n]*$", "", text, flags=re.MULTILINE).strip()
    return bool(re.match(r"\{|[A-Z_0-9]+\s*\(", body)) and not re.search(
        r"\b(?:struct|static|extern|typedef|enum)\s+\w[^,;]{0,1000};", body
    )
