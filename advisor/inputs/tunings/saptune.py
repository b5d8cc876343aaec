"""A note of saptune: sections of KEY = VALUE, some for certain systems alone (saptune-note(5)).

As txtparser/ini.go, txtparser/tags.go and sap/note/sect*.go of saptune 3.2: a later line of a key
counts, an empty value leaves the setting as it is, and [grub] is compared with the boot line and
never written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename

from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.files import LARGEST
from advisor.inputs.nextboot.powerfiles import BIAS, GOVERNOR, SCHEDULER
from advisor.model.kernel import Location, Machine
from advisor.model.like import Answer, Entry, Ruling, System, Tuning
from advisor.record import NamedTuple

FOLDERS = (
    "/etc/saptune/extra", "/var/lib/saptune/working/notes", "/usr/share/saptune/notes",
)  # fmt: skip
"""Where notes are; the first counts. A vendor's own note is called NAME.conf."""
_SECTION = re.compile(r"\[(.*).$")
_LINE = re.compile(r"([\w.+-]+)\s*[<=>]+(.*)")
_QUOTES = " \t\"'"
_COMMENT = re.compile(r"\"?\s#[^#].*$")
_NOTE = re.compile(r"^\[version\]", re.M)
_QUEUE = "/sys/block/*/queue/"
_FILES = {
    ("vm", "THP"): "/sys/kernel/mm/transparent_hugepage/enabled",
    ("vm", "KSM"): "/sys/kernel/mm/ksm/run",
    ("cpu", "governor"): GOVERNOR,
    ("cpu", "energy_perf_bias"): BIAS,
    ("block", "IO_SCHEDULER"): SCHEDULER,
    ("block", "NRREQ"): f"{_QUEUE}nr_requests",
    ("block", "READ_AHEAD_KB"): f"{_QUEUE}read_ahead_kb",
    ("block", "MAX_SECTORS_KB"): f"{_QUEUE}max_sectors_kb",
}
# Of which no line sets anything.
_SILENT = ("version", "reminder")
_MACHINES = {"x86": "x86_64", "arm64": "aarch64", "powerpc": "ppc64le", "s390": "s390x"}
_VIRTUAL = {"no": "bare-metal", "guest": "vm"}
_COMPARED = "saptune only compares this parameter with /proc/cmdline, and does not set it"
_LEFT = "without a value, saptune shows the setting and does not change it"


class _Section(NamedTuple):
    """A section: its name, and the ruling on what is not, or not surely, for this machine."""

    name: str
    told: Ruling | None


def is_note(text: str) -> bool:
    """Whether a text is a note: it has a section [version]."""
    return bool(_NOTE.search(text))


def read_note(name: str, root: Root, machine: Machine) -> Tuning | None:
    """Reads a note of a host by its name; None where none has it."""
    for folder in FOLDERS:
        for path in (f"{folder}/{name}", f"{folder}/{name}.conf"):
            if "/" not in name and root.has(path):
                return read_file(root.called(path), root.text(path, LARGEST) or "", machine)
    return None


def read_file(path: str, text: str, machine: Machine) -> Tuning:
    """Reads the note in a file."""
    name = basename(path).removesuffix(".conf")
    return Tuning(
        f"saptune's note {name}", System.SAPTUNE, tuple(_entries(text, path, machine)), (path,)
    )


def _entries(text: str, path: str, machine: Machine) -> Iterator[Entry]:
    section = _Section("", None)
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole.strip()
        if not line or line.startswith("#"):
            continue
        line = _COMMENT.sub("", line)
        if found := _SECTION.match(line):
            section = _section(found[1], machine)
        elif section.name and section.name not in _SILENT:
            yield _entry(section, line, Location(path, number))


def _section(text: str, machine: Machine) -> _Section:
    """Returns a section, with the tags of it that hold here, or of which that is not known."""
    name, *tags = text.split(":")
    unknown = []
    for tag in filter(None, tags):
        key, _, value = tag.partition("=")
        own = _own(key, machine)
        if own and own != value:
            why = f"[{text}] applies only if {tag}, and this is {own}"
            return _Section(name, Ruling(Answer.NO_EFFECT, why))
        if not own:
            unknown.append(tag)
    why = f"[{text}] applies only if {' and '.join(unknown)}"
    return _Section(name, Ruling(Answer.UNKNOWN, why) if unknown else None)


def _own(tag: str, machine: Machine) -> str:
    """Returns the value of a tag on this machine; empty where it is not known here."""
    if tag == "arch":
        return _MACHINES.get(machine.arch or "", "")
    return _VIRTUAL.get(machine.virtual or "", "") if tag == "virt" else ""


def _entry(section: _Section, line: str, place: Location) -> Entry:
    name, told = section
    found = _LINE.match(line)
    if name == "grub":
        told = told or Ruling(Answer.NO_EFFECT, _COMPARED)
        return Entry(line, line, place, f"[{name}]", is_word=True, told=told)
    key, value = (found[1], found[2].strip(_QUOTES).strip()) if found else (line, "")
    label = f"[{name}] {key}"
    if name == "sysctl" and found:
        told = told if value else Ruling(Answer.OUTSIDE, _LEFT)
        return Entry(key, " ".join(value.split()), place, told=told)
    path = _FILES.get((name, key), f"/sys/{key.replace('.', '/')}" if name == "sys" else "")
    if not path:
        return Entry(label, value, place, label, told=Ruling(Answer.OUTSIDE))
    # Of several schedulers it takes the first that the disk offers.
    choices = tuple(filter(None, (part.strip() for part in value.split(","))))
    several = choices if path == SCHEDULER and len(choices) > 1 else ()
    told = told if value else Ruling(Answer.OUTSIDE, _LEFT)
    return Entry(path, choices[-1] if several else value, place, label, several, told=told)
