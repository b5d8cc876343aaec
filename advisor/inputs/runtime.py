"""What runs: sysctls and files below /sys with their values, a line each (`path = value`)."""

from __future__ import annotations

import os.path

from advisor.inputs.open import InputName, name_of, read_text
from advisor.inputs.sysctl import dotted, not_settings
from advisor.model.kernel import Location
from advisor.model.sysctl import FOLDER
from advisor.record import NamedTuple

# The boot line, which is an input of its own, and a folder.
_NO_SETTINGS = ("/proc/cmdline", "/proc/sys")
Settings = dict[str, tuple[str, Location]]


class Runtime(NamedTuple):
    """What is set at run time: value and place of each sysctl, by its name with dots, and of each
    file below /sys (or elsewhere in /proc), by its path; PRESENT and ABSENT stand for one of which
    no more is known. What the running kernel is `lacking` is named as it is asked for, and so are
    files that are there, but `closed` to who asked."""

    sysctl: Settings
    sysfs: Settings
    lacking: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()


def read_runtime(path: InputName) -> Runtime:
    """The settings of a file, or of standard input for `-`, as `parse_runtime` reads them.

    Raises InputError if the file cannot be read, too.
    """
    return parse_runtime(read_text(path), name_of(path))


def parse_runtime(text: str, name: str) -> Runtime:
    """The settings of a text, line by line.

    `vm.swappiness` and `/proc/sys/vm/swappiness` are one. The last line of a key decides. Raises
    InputError with all the lines that are no setting.
    """
    found = Runtime({}, {})
    wrong: list[int] = []
    lines = text.split("\n")
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line[0] == "#" or line.startswith("sysctl: "):
            continue
        path, equals, value = line.partition("=")
        key = _key(path.strip())
        if key and equals:
            settings = found.sysfs if key.startswith("/") else found.sysctl
            settings[key] = value.strip(), Location(name, number)
        else:
            wrong.append(number)
    if wrong:
        raise not_settings(
            name, wrong, lines,
            "`path = value` with a sysctl such as vm.swappiness, or a path below /sys or /proc/sys",
            "as in /sys/kernel/mm/lru_gen/enabled = 0x0007",
        )  # fmt: skip
    return found


def _key(path: str) -> str:
    """A sysctl's name, or the path of a file below /sys; empty for anything else."""
    if not path.startswith("/"):
        return dotted(path)
    if not path.isprintable() or os.path.normpath(path) != path:
        return ""
    if path.startswith(FOLDER):
        return dotted(path.removeprefix(FOLDER))
    return path if path.startswith(("/sys/", "/proc/")) and path not in _NO_SETTINGS else ""
