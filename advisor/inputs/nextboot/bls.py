"""Entries of the Boot Loader Specification, as a boot loader finds them on a host's disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice

from advisor.inputs.bootfiles.apart import WORD
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.grubmenu import Menu, MenuEntry
from advisor.inputs.nextboot.grubwords import Part, Word
from advisor.model.kernel import Location
from advisor.model.numbers import whole_number

LARGEST = 1 << 16
_MOST = 200
_MOST_WORDS = 2048
"""No kernel keeps more than 4096 bytes of a line."""
_KEY = re.compile(r"[ \t]*([a-z-]+)[ \t]+(\S.*)")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)
_TRIES = re.compile(r"\+([0-9]+)(?:-[0-9]+)?$")


class BlsEntry:
    """One file: its `id` is the name without the ending and the count of tries left to it."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        name = path.rpartition("/")[2].removesuffix(".conf")
        tries = _TRIES.search(name)
        self.file = name
        self.id = name[: tries.start()] if tries else name
        self.tries = whole_number(tries[1][:9]) if tries else None
        self.keys: dict[str, str] = {}
        self.options: list[tuple[str, Location]] = []
        for number, line in enumerate(text.split("\n"), 1):
            if found := _KEY.match(line.rstrip("\r")):
                if found[1] == "options":
                    self._options(line, found.start(2), number)
                else:
                    self.keys[found[1]] = found[2].strip()

    def _options(self, line: str, start: int, number: int) -> None:
        for word in islice(WORD.finditer(line.rstrip(), start), _MOST_WORDS - len(self.options)):
            self.options.append((word[0], Location(self.path, number, word.start() + 1)))

    def menu_entry(self, menu: Menu) -> MenuEntry:
        """Makes the entry that GRUB shows for it, with the menu's variables."""
        words = ((_word(text, place), place) for text, place in self.options)
        known, unknown = menu.line(words, alone=True)
        path = self.keys.get("linux", self.keys.get("efi", ""))
        return MenuEntry(
            self.keys.get("title", self.file), self.file, Location(self.path),
            words=((path, Location(self.path)), *known), unknown=unknown,
            version=self.keys.get("version", ""),
        )  # fmt: skip


def _word(text: str, place: Location) -> Word:
    parts: list[Part] = []
    at = 0
    for found in _VARIABLE.finditer(text):
        parts.append(Part(text[at : found.start()], bare=False))
        parts.append(Part(found[1] or found[2], variable=True))
        at = found.end()
    rest = text[at:]
    if rest or not parts:
        parts.append(Part(rest, bare=False))
    # Nothing before or behind a variable is no word of its own where that is empty.
    return Word(tuple(p for p in parts if p.text), place.line, place.column)


def read_entries(root: Root, folder: str) -> list[BlsEntry]:
    """Reads the entries in a folder, by the names of their files."""
    names = [name for name in root.names(folder) if name.endswith(".conf")][:_MOST]
    paths = [f"{folder}/{name}" for name in names]
    return [BlsEntry(root.called(path), root.text(path, LARGEST) or "") for path in paths]


def in_grubs_order(entries: list[BlsEntry]) -> list[BlsEntry]:
    """Sorts entries as GRUB's blscfg of Fedora does: the name with the highest version first."""
    return sorted(entries, key=lambda entry: _comparable(entry.file), reverse=True)


def in_systemds_order(entries: list[BlsEntry]) -> list[BlsEntry]:
    """Sorts entries as systemd-boot does (src/boot/boot.c#boot_entry_compare): those that failed
    last, then by sort-key, machine and version, of which the newest is first, then by the name."""

    newest = sorted(entries, key=lambda entry: _comparable(entry.id), reverse=True)
    newest.sort(key=lambda entry: _comparable(_sorted_by(entry, "version")), reverse=True)
    newest.sort(key=lambda entry: _sorted_by(entry, "machine-id"))
    newest.sort(key=lambda entry: entry.keys.get("sort-key", ""))
    # Of those with and those without the key, the former stand first.
    return sorted(newest, key=lambda entry: (entry.tries == 0, "sort-key" not in entry.keys))


def _sorted_by(entry: BlsEntry, key: str) -> str:
    """Gives the value of a key that orders only entries with a sort-key."""
    return entry.keys.get(key, "") if "sort-key" in entry.keys else ""


def matching(entries: list[BlsEntry], pattern: str) -> Iterator[BlsEntry]:
    """Yields the entries whose name, with or without its ending, fits a pattern in any case."""
    for entry in entries:
        names = (entry.id, f"{entry.id}.conf", entry.file)
        if any(fnmatchcase(name.lower(), pattern.lower()) for name in names):
            yield entry


def _comparable(text: str) -> tuple[tuple[int, int, str], ...]:
    """Makes a key to sort by versions: a tilde before the end, digits by their number, digits
    above letters, letters above nothing (rpmvercmp; UAPI's version format)."""
    found: list[tuple[int, int, str]] = []
    for piece in re.findall(r"[0-9]+|[A-Za-z]+|[~^]", text):
        if piece == "~":
            found.append((-1, 0, ""))
        elif piece == "^":
            found.append((1, 0, ""))
        elif piece[0].isdigit():
            digits = piece.lstrip("0")
            found.append((3, len(digits), digits))
        else:
            found.append((2, 0, piece))
    return (*found, (0, 0, ""))
