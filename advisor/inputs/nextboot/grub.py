"""What GRUB starts by itself: the default entry of grub.cfg, else what would be written into one.

As grub-core/normal/menu.c#get_entry_number and #grub_menu_execute_entry of GRUB 2.06: a number, or
an entry by title or id, `>` between a submenu's and that of one in it; what matches nothing is the
first entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from advisor.errors import InputError
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.bls import BlsEntry, in_grubs_order, read_entries
from advisor.inputs.nextboot.grubmenu import Menu, MenuEntry
from advisor.inputs.nextboot.line import line_of, release_of
from advisor.model.kernel import CommandLine, Location
from advisor.model.nextboot import Entry
from advisor.model.numbers import whole_number
from advisor.record import NamedTuple

FOLDERS = ("/boot/grub", "/boot/grub2")
ENTRIES = "/boot/loader/entries"
DEFAULTS = "/etc/default/grub"
LARGEST = 1 << 20
_ENVIRONMENT = 1 << 12


class Found(NamedTuple):
    """A loader's entry; or, without one, why it cannot be told."""

    entry: Entry | None
    why: str = ""


def read_grub(root: Root) -> Found | None:
    """Finds the entry that GRUB starts; None where no grub.cfg can be read."""
    for folder in FOLDERS:
        path = f"{folder}/grub.cfg"
        text = root.text(path, LARGEST)
        if text is not None and "\0" not in text:
            menu = _menu(root, folder, text)
            return _default(menu, Location(root.called(path)))
    return None


def _menu(root: Root, folder: str, text: str) -> Menu:
    def source(file: str) -> tuple[str, str] | None:
        path = f"{folder}/{file}"
        found = root.text(path, LARGEST) if file.endswith(".cfg") else None
        return (found, root.called(path)) if found else None

    @cache
    def entries() -> list[BlsEntry]:
        return in_grubs_order(read_entries(root, ENTRIES))

    def bls(menu: Menu) -> list[MenuEntry]:
        return [entry.menu_entry(menu) for entry in entries()]

    environment = _environment(root.text(f"{folder}/grubenv", _ENVIRONMENT) or "")
    exists = {f: root.has(f"{folder}/{f}") for f in root.names(folder)}
    name = root.called(f"{folder}/grub.cfg")
    menu = Menu(name, environment, lambda file: exists.get(file, False), bls, source)
    menu.read(text)
    return menu


def _environment(text: str) -> dict[str, str]:
    """Reads the variables of a grubenv; empty for any other file."""
    if not text.startswith("# GRUB Environment Block"):
        return {}
    lines = (line.partition("=") for line in text.split("\n") if line[:1] != "#")
    return {name: value.replace("\\\\", "\\") for name, equals, value in lines if equals}


def _default(menu: Menu, file: Location) -> Found:
    wanted = menu.values.get("default", "")
    entries: Sequence[MenuEntry] = menu.entries
    if wanted is None:
        return Found(None, f"GRUB decides at boot which entry of {file} it starts")
    for _ in range(10):
        if not entries:
            return Found(None, f"{file} has no entry that can be read here")
        own, _, rest = _parted(wanted)
        entry = _chosen(entries, own)
        if entry is None:
            return Found(None, f"the default entry of {file} depends on what GRUB finds at boot")
        if entry.submenu is None:
            if not entry.words:
                return Found(
                    None, f"GRUB's default entry, {entry.title!r}, loads no Linux kernel itself"
                )
            path = entry.words[0][0]
            line = line_of(entry.words[1:], entry.place.path, bool(entry.unknown))
            release = release_of(path) or entry.version
            return Found(Entry("GRUB", entry.place, entry.title, release, line))
        entries, wanted = entry.submenu, rest
    return Found(None, f"the submenus of {file} are nested too deep")


def _parted(wanted: str) -> tuple[str, str, str]:
    """Splits at the first single >: two stand for one that is part of a title."""
    found = re.search(r"(?<!>)>(?!>)", wanted)
    own = wanted[: found.start()] if found else wanted
    return own.replace(">>", ">"), ">", wanted[found.end() :] if found else ""


def _chosen(entries: Sequence[MenuEntry], wanted: str) -> MenuEntry | None:
    """Finds the entry of that number, title or id, else the first; None where it is not certain."""
    given = whole_number(wanted, longest=5)
    number = -1 if given is None else given
    if number < 0 and wanted:
        named = [one for one in entries if wanted in (one.title, one.id)]
        if named:
            return named[0] if named[0].certain else None
        if not all(one.certain for one in entries):
            return None
    number = number if 0 <= number < len(entries) else 0
    certain = all(one.certain for one in entries[: number + 1])
    return entries[number] if certain else None


def defaults_line(root: Root) -> CommandLine | None:
    """Reads the words that /etc/default/grub and its drop-ins give each entry, a part of its
    line."""
    paths = [
        DEFAULTS,
        *(f"{DEFAULTS}.d/{n}" for n in root.names(f"{DEFAULTS}.d") if n[-4:] == ".cfg"),
    ]
    texts = [(root.called(path), root.text(path, 1 << 17) or "") for path in paths]
    if not texts[0][1]:
        return None
    from advisor.inputs.bootfiles import format_of, read_together

    format = format_of("etc/default/grub")
    try:
        found = read_together(texts, format) if format else None
    except InputError:
        return None
    return found.cmdline._replace(part=True) if found and found.cmdline else None
