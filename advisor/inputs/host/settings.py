"""What is set at run time on a host: sysctls, and files below /sys, of all their instances."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from advisor.inputs.host.inuse import SWAPS, kinds_of_swap
from advisor.inputs.host.root import Root
from advisor.inputs.runtime import Runtime, Settings
from advisor.model.kernel import ABSENT, PRESENT, Location
from advisor.model.remedy import is_variable
from advisor.model.sysctl import path_of

# What nobody tunes: disks of memory and of files, of which each system has some unused, and the
# network's loop (drivers/block/{brd,loop,zram/zram_drv}.c and drivers/net/loopback.c of 6.12).
_NOT_MEANT = re.compile(r"/sys/(?:block/(?:loop|ram|zram)[0-9]+|class/net/lo)/")
ABOUT = ("/sys/kernel/security/lockdown", "/sys/block/DEVICE/queue/rotational")
"""What tells of what is set how it can be changed, and what it is set of: no rule names these."""


def wanted(files: Iterable[str]) -> list[str]:
    """The paths below /sys that are read of a host, sorted, of which one may stand for many: those
    of the rules (Knowledge.run_time_names), and those that tell more about them, without what is
    read in a way of its own. Who takes a snapshot takes these, and /proc/sys of the sysctls that
    the rules name."""
    return sorted({*files, *ABOUT} - {SWAPS})


def starred(pattern: str) -> str:
    """A rule's path as a pattern of glob(7): a name in capitals is any name."""
    return "/".join("*" if is_variable(part) else part for part in pattern.split("/"))


def read_settings(
    root: Root, sysctls: Iterable[str], files: Iterable[str], there: Iterable[str] = ()
) -> Runtime:
    """The sysctls of these names, and the files below /sys that these paths and `ABOUT` name, with
    what each shows; those that are not there are left out, and `root.unread` has what could not be
    read. Of disks and network cards those count that stand for hardware. Of those `there` it is
    told whether they are, where that is known. What has no file at all is `lacking`, if that is
    known; what has some, and none that could be read, is `closed`.

    Blanks, tabs and line ends between words are one blank.
    """
    found = Runtime({}, {})
    silent: dict[str, str] = {}
    for name in sysctls:
        path = path_of(name)
        if not _add(found.sysctl, name, root, path):
            silent[name] = path
    for pattern in wanted(files):
        paths = [path for path in root.matching(pattern) if is_meant(path)]
        read = [path in found.sysfs or _add(found.sysfs, path, root, path) for path in paths]
        if not any(read):
            silent[pattern] = pattern
    for path in there:
        is_there = root.knows(path)
        if is_there is not None and path not in found.sysfs and path not in root.unread:
            told = PRESENT if is_there else ABSENT
            found.sysfs[path] = told, Location(root.called(path))
    if kinds := kinds_of_swap(root):
        found.sysfs[SWAPS] = kinds, Location(root.called(SWAPS))
    closed = frozenset(name for name, path in silent.items() if _is_closed(root, path))
    lacking = (name for name, path in silent.items() if name not in closed and _lacks(root, path))
    return found._replace(lacking=frozenset(lacking), closed=closed)


def _is_closed(root: Root, pattern: str) -> bool:
    """Whether a file that it may name, or a folder on the way to one, could not be read."""
    parts = starred(pattern).split("/")
    return any(fnmatchcase(path, "/".join(parts[: path.count("/") + 1])) for path in root.unread)


def _lacks(root: Root, pattern: str) -> bool:
    """Whether it is known that there is no file that it names; who took a snapshot noted that of
    the pattern."""
    paths = [path for path in root.matching(pattern) if is_meant(path)] if root.runs else []
    return all(root.knows(path) is False for path in paths or [starred(pattern)])


def is_meant(path: str) -> bool:
    """Whether a file below /sys is none of a disk or card that nobody tunes."""
    return not _NOT_MEANT.match(path)


def _add(settings: Settings, key: str, root: Root, path: str) -> bool:
    """Adds what a file holds, under a key; whether there was something to be read."""
    text = root.text(path)
    if text is not None:
        settings[key] = " ".join(text.split()), Location(root.called(path))
    return text is not None
