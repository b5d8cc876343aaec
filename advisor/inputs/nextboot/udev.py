"""udev's rules, as far as they assign attributes that rules of ours name.

Read in the order of their names as udev does (udev(7)): matches of a rule are decided where they
are about the device's name, its subsystem or an attribute that is shown; where a rule hangs on
anything else, what it assigns is in doubt. Programs (RUN, PROGRAM, IMPORT) are not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate

from advisor.inputs.budget import Budget
from advisor.inputs.folders import folders
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.files import LARGEST, drop_ins
from advisor.inputs.nextboot.writes import Writes
from advisor.model.kernel import Location
from advisor.record import NamedTuple

_FOLDERS = folders("udev/rules.d")
_MOST_DEVICES = 4096
_MOST_TESTS = 4_000_000
"""How often a word of a rule is held against a device, each of its alternatives for itself: 4,000
disks and fifty rules of ten words."""
_A_FILE = 10
"""What it costs to look whether a device has an attribute."""
_A_PATTERN = 100
"""What it costs to make a pattern of an alternative."""
_ITEM = re.compile(
    r'(?<![A-Z_])([A-Z_]{1,40})(?:\{([^}"]{0,200})\})?\s{0,40}(==|!=|\+=|-=|:=|=)\s{0,40}"((?:[^"\\]|\\.)*)"'
)
# Where the devices of a subsystem stand.
_SUBSYSTEMS = {
    "block": "/sys/block", "net": "/sys/class/net", "pci": "/sys/bus/pci/devices",
    "usb": "/sys/bus/usb/devices", "scsi_host": "/sys/class/scsi_host",
    "cpu": "/sys/devices/system/cpu", "module": "/sys/module",
}  # fmt: skip
_ASSIGNS = frozenset(("=", "+=", ":="))


class _Item(NamedTuple):
    key: str
    of: str
    operator: str
    value: str


class _Rule:
    """A rule, and the attributes that it assigns; what it is for is worked out once."""

    def __init__(self, items: tuple[_Item, ...], place: Location) -> None:
        self.items = items
        self.place = place
        self._truths: dict[str, bool | None] = {}
        assigns = (i for i in items if i.key == "ATTR" and i.operator in _ASSIGNS)
        self.assigned = {item.of: item.value for item in assigns}

    def subsystems(self, devices: _Devices) -> list[str]:
        """The subsystems that it may be about."""
        named = [i.value for i in self.items if i.key == "SUBSYSTEM" and i.operator == "=="]
        return [one for one in _SUBSYSTEMS if all(devices.fits(one, value) for value in named)]

    def is_for(self, name: str, folder: str, devices: _Devices) -> bool | None:
        """Whether it is for a device as it is added; None where something else decides."""
        if folder not in self._truths:
            self._truths[folder] = _is_for(self.items, name, folder, devices)
        return None if devices.tests.spent else self._truths[folder]


def read_udev(root: Root, into: Writes) -> None:
    """Gathers what rules write into attributes of the devices that are there."""
    rules: list[_Rule] = []
    for path in drop_ins(root, _FOLDERS, ".rules"):
        rules += _rules(root.text(path, LARGEST) or "", root.called(path))
    devices = _Devices(root)
    jumps = _Jumps()
    for rule in rules:
        doubtful = jumps.passed(rule)
        for item in rule.items:
            if item.key == "SYSCTL" and item.operator in _ASSIGNS:
                into.doubt(
                    item.of.replace("/", "."), f"a udev rule may set this value ({rule.place})"
                )
        for attribute in rule.assigned:
            _assign(rule, attribute, devices, into, doubtful)
        if devices.tests.spent:
            root.unread[rule.place.path] = "more rules and devices than kernel-advisor compares"
            break


def _rules(text: str, name: str) -> Iterator[_Rule]:
    joined, first = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        first = first or number
        joined += line.strip()
        if joined.endswith("\\"):
            joined = joined[:-1]
            continue
        if joined and not joined.startswith("#"):
            items = tuple(_Item(*found.groups(default="")) for found in _ITEM.finditer(joined))
            yield _Rule(items, Location(name, first))
        joined, first = "", 0


class _Jumps:
    """What a GOTO skips: rules up to its label are in doubt where it may be taken."""

    def __init__(self) -> None:
        self._file = ""
        self._labels: set[str] = set()

    def passed(self, rule: _Rule) -> bool:
        """Whether the rule may have been jumped over; takes note of its own jump."""
        if rule.place.path != self._file:
            self._file, self._labels = rule.place.path, set()
        for item in rule.items:
            if item.key == "LABEL":
                self._labels.discard(item.value)
        doubtful = bool(self._labels)
        self._labels.update(item.value for item in rule.items if item.key == "GOTO")
        return doubtful


class _Devices:
    """The devices that are there, by their subsystems."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._names: dict[str, list[str]] = {}
        self.tests = Budget(_MOST_TESTS)
        self._ways: dict[str, list[re.Pattern[str]]] = {}

    def fits(self, text: str, pattern: str) -> bool:
        """Whether an alternative of the pattern names it; not when all tests are spent."""
        if pattern not in self._ways:
            ways = pattern.split("|")
            if not self.tests.spend(len(ways) * _A_PATTERN):
                return False
            self._ways[pattern] = [re.compile(translate(way)) for way in ways]
        ways_of = self._ways[pattern]
        return self.tests.spend(len(ways_of)) and any(way.match(text) for way in ways_of)

    def of(self, subsystem: str) -> list[str]:
        """The names of those of a subsystem."""
        if subsystem not in self._names:
            names = self.root.names(_SUBSYSTEMS[subsystem])
            self._names[subsystem] = names[:_MOST_DEVICES]
        return self._names[subsystem]


def _assign(rule: _Rule, attribute: str, devices: _Devices, into: Writes, doubtful: bool) -> None:
    """Writes what a rule assigns to an attribute of each device that it is for."""
    for subsystem in rule.subsystems(devices):
        folder = _SUBSYSTEMS[subsystem]
        if not any(into.named(f"{folder}/{name}/{attribute}") for name in ("x0", "host0")):
            continue
        for name in devices.of(subsystem):
            key = f"{folder}/{name}/{attribute}"
            if not devices.tests.spend(_A_FILE):
                return
            if not devices.root.has(key):
                continue
            truth = rule.is_for(name, f"{folder}/{name}", devices)
            if truth is False:
                continue
            value = _literal(rule.assigned[attribute])
            if truth and not doubtful and value is not None:
                write = into.repeat if _on_change(rule.items, devices) else into.write
                write(key, value, rule.place, "a rule of udev")
            else:
                into.doubt(key, f"a udev rule may set this value ({rule.place})")


def _literal(value: str) -> str | None:
    """Returns what a value comes to; None where a part of it stands for something else."""
    text = value.replace('\\"', '"')
    parts = text.replace("$$", "").replace("%%", "")
    if "$" in parts or "%" in parts:
        return None
    return text.replace("$$", "$").replace("%%", "%")


def _on_change(items: Iterable[_Item], devices: _Devices) -> bool:
    """Whether it is for changed devices: a disk is one whenever who wrote to it closes it."""
    actions = (item for item in items if item.key == "ACTION")
    return all(devices.fits("change", item.value) is (item.operator == "==") for item in actions)


def _is_for(items: Iterable[_Item], name: str, folder: str, devices: _Devices) -> bool | None:
    known, root = True, devices.root
    for item in items:
        if item.operator not in ("==", "!=") or item.key == "SUBSYSTEM":
            known = known and item.key not in ("PROGRAM", "IMPORT")
            continue
        if item.key == "KERNEL":
            truth = devices.fits(name, item.value)
        elif item.key == "ACTION":
            added = devices.fits("add", item.value)
            truth = added or devices.fits("change", item.value)
            # Devices are added at a boot (systemd-udev-trigger); which change is not told.
            known = known and truth is added
        elif item.key == "ATTR" and (text := root.text(f"{folder}/{item.of}")) is not None:
            truth = devices.fits(text.strip(), item.value)
        else:
            known = False
            continue
        if truth is not (item.operator == "=="):
            return False
    return True if known else None
