"""What a file below /proc/sys or /sys means: a sysctl, a module's parameter, a tunable's file."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.knowledge.store import Knowledge
from advisor.knowledge.sysfs import is_same
from advisor.model.sysctl import FOLDER, key_of
from advisor.model.tunable import Tunable

_PARAMETER = re.compile(r"/sys/module/([^/]+)/parameters/([^/]+)")
# Links to a device, whose own files lie below /sys/devices.
_DEVICE = re.compile(r"/sys/(?:bus/[^/]+/devices|class/[^/]+)/[^/]+/(?:device/)?(.+)")


def is_path(query: str) -> bool:
    """Whether it is asked about such a file."""
    return query.startswith((FOLDER, "/sys/"))


def name_of(path: str) -> str:
    """The sysctl or parameter whose file it is; empty for another one.

    >>> name_of("/proc/sys/vm/swappiness"), name_of("/sys/module/kvm/parameters/halt_poll_ns")
    ('vm.swappiness', 'kvm.halt_poll_ns')
    """
    if path.startswith(FOLDER):
        return key_of(path)
    found = _PARAMETER.fullmatch(path)
    return f"{found[1]}.{found[2]}" if found else ""


def tunables_at(path: str, knowledge: Knowledge) -> list[Tunable]:
    """The tunables that are set by the file, or else those that it shows."""
    return [one for one in knowledge.tunables() if _has(path, one.files)] or [
        one
        for one in knowledge.tunables()
        if _has(path, [one.shows, *(file for value in one.values for file, _ in value.shows)])
    ]


def is_known(path: str, knowledge: Knowledge) -> bool:
    """Whether a kernel that was read has the file below /sys. Raises KnowledgeError."""
    found = _DEVICE.fullmatch(path)
    return knowledge.sysfs.has(path) or bool(
        found and knowledge.sysfs.has(f"/sys/devices/*/{found[1]}")
    )


def _has(path: str, files: Iterable[str]) -> bool:
    return any(is_same(path, each) for each in files)
