"""The tuning that a user names: by its file, its name on the host, or as words of a boot line."""

from __future__ import annotations

import os
import re

from advisor.errors import InputError, UsageError, near
from advisor.inputs import bootfiles
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot import sysctls, tmpfiles
from advisor.inputs.nextboot.tuned import FOLDERS as TUNED
from advisor.inputs.open import read_text
from advisor.inputs.runtime import parse_runtime
from advisor.inputs.tunings import saptune, tuned
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import InputNote, Location, Machine
from advisor.model.like import Answer, Entry, Ruling, System, Tuning
from advisor.model.sysctl import key_of, swapped

_WORDS = "TUNING"
_MOST_WORDS = 256
"""More words do not fit into a boot line of 2048 bytes, as most architectures have it."""
_MOST = 20_000
_HINT = "name a tuned.conf, a note of saptune, a file of sysctl.d or tmpfiles.d, or a boot line"


def read_tuning(name: str, root: Root, machine: Machine) -> Tuning:
    """Reads a tuning: a file, a folder with a tuned.conf, a profile or note of the host, or words.

    Raises UsageError for a name of nothing, InputError for what cannot be read or has too much.
    """
    found = _read(name, root, machine)
    words = sum(one.is_word for one in found.entries)
    if words > _MOST_WORDS or len(found.entries) > _MOST:
        message = f"more than {_MOST_WORDS} parameters or {_MOST} settings"
        raise InputError(message, where=found.name, hint="give only a part of the tuning")
    return found


def _read(name: str, root: Root, machine: Machine) -> Tuning:
    if os.path.isdir(name) and os.path.isfile(os.path.join(name, tuned.FILE)):
        name = os.path.join(name, tuned.FILE)
    if name == "-" or os.path.isfile(name):
        return _of_file(name, root, machine)
    found = tuned.read_profile(name, root, machine.arch) or saptune.read_note(name, root, machine)
    if found:
        return found
    if "=" in name or " " in name:
        return _of_line(name, _WORDS)
    raise UsageError(f"this host has no tuning {name!r}", where=_WORDS, hint=_near(name, root))


def _near(name: str, root: Root) -> str:
    known = [one for folder in TUNED for one in root.names(folder)]
    known += [one for folder in saptune.FOLDERS for one in root.names(folder)]
    return near(name, known) or _HINT


def _of_file(path: str, root: Root, machine: Machine) -> Tuning:
    text = read_text(path)
    if saptune.is_note(text):
        return saptune.read_file(path, text, machine)
    format = bootfiles.format_of(path, text)
    if format and format.id == "tuned":
        return tuned.read_file(path, text, root, machine.arch)
    if format is bootfiles.SYSCTL_D:
        return Tuning(path, System.SYSCTL_D, tuple(_sysctls(text, path)), (path,))
    if bootfiles.matches(path, ("tmpfiles.d/*.conf",)) or any(
        map(tmpfiles.parsed, text.split("\n"))
    ):
        return Tuning(path, System.TMPFILES_D, tuple(_tmpfiles(text, path)), (path,))
    if format and not format.plain:
        return _of_format(path, text, format, machine)
    return _plain(path, text)


def _plain(path: str, text: str) -> Tuning:
    """Reads a file that no name or line tells: settings, a line each, or a boot line."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) == 1 and not re.match(r"\s*(/(sys|proc)/\S+|[\w-]+\.[\w./-]+)\s+?=", lines[0]):
        one = re.fullmatch(r"\s*-?[\w/-]+\.[\w./-]+=\S+\s*", lines[0])
        if not one:
            return _of_line(lines[0], path)
    found = parse_runtime(text, path)
    entries = (
        Entry(key, " ".join(value.split()), place)
        for key, (value, place) in (*found.sysctl.items(), *found.sysfs.items())
    )
    system = System.SETTINGS if found.sysfs else System.SYSCTL_D
    return Tuning(path, system, tuple(entries), (path,))


def _of_line(text: str, name: str) -> Tuning:
    line = parse_cmdline(text.rstrip("\n"), name)
    entries = (
        Entry(word.text, word.text, line.place(word.column), is_word=True) for word in line.words
    )
    files = () if name == _WORDS else (name,)
    return Tuning("a boot line", System.BOOT_LINE, tuple(entries), files)


def _of_format(path: str, text: str, format: bootfiles.Format, machine: Machine) -> Tuning:
    """Reads a file of one of the formats that hold boot lines and settings."""
    found = bootfiles.read(text, path, format, machine.arch)
    entries = [
        Entry(key, " ".join(value.split()), place)
        for key, (value, place) in (*found.sysctl.items(), *found.sysfs.items())
    ]
    line = found.cmdline
    for word in line.words if line else ():
        place = line.place(word.column) if line else Location(path)
        entries.append(Entry(word.text, word.text, place, is_word=True))
    entries += map(_unread, found.notes)
    system = System.BOOT_LINE if line else System.SETTINGS
    return Tuning(path, system, tuple(entries), (path,), found.remarks)


def _unread(note: InputNote) -> Entry:
    key = note.subject or note.message
    return Entry(key, "", note.location, told=Ruling(Answer.UNKNOWN, note.message))


def _sysctls(text: str, path: str) -> list[Entry]:
    return [
        Entry(swapped(line.path), " ".join(line.value.split()), line.place)
        for line in sysctls.parsed(text, path)
        if line.value is not None
    ]


def _tmpfiles(text: str, path: str) -> list[Entry]:
    entries = []
    for number, line in enumerate(text.split("\n"), 1):
        if found := tmpfiles.parsed(line):
            why = "systemd-tmpfiles computes this value when it runs"
            told = None if found.known else Ruling(Answer.UNKNOWN, why)
            key, place = key_of(found.path), Location(path, number)
            entries.append(Entry(key, found.value.strip(), place, told=told))
    return entries
