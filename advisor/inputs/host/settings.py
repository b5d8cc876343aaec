"""What is set at run time on a host: sysctls, and files below /sys, of all their instances."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.inputs.host.root import Root
from advisor.inputs.runtime import Runtime, Settings
from advisor.inputs.sysctl import swapped
from advisor.model.kernel import ABSENT, PRESENT, Location

# What nobody tunes: disks of memory and of files, of which each system has some unused, and the
# network's loop (drivers/block/{brd,loop,zram/zram_drv}.c and drivers/net/loopback.c of 6.12).
_NOT_MEANT = re.compile(r"/sys/(?:block/(?:loop|ram|zram)[0-9]+|class/net/lo)/")
ABOUT = ("/sys/kernel/security/lockdown", "/sys/block/DEVICE/queue/rotational")
"""What tells of what is set how it can be changed, and what it is set of: no rule names these."""


def wanted(files: Iterable[str]) -> list[str]:
    """The paths below /sys that are read of a host, sorted, of which one may stand for many: those
    of the rules (Knowledge.run_time_names), and those that tell more about them. Who takes a
    snapshot takes these, and /proc/sys of the sysctls that the rules name."""
    return sorted({*files, *ABOUT})


def read_settings(
    root: Root, sysctls: Iterable[str], files: Iterable[str], there: Iterable[str] = ()
) -> Runtime:
    """The sysctls of these names, and the files below /sys that these paths and `ABOUT` name, with
    what each shows; those that are not there are left out, and `root.unread` has what could not be
    read. Of disks and network cards those count that stand for hardware. Of those `there` it is
    told whether they are, where that is known.

    Blanks, tabs and line ends between words are one blank.
    """
    found = Runtime({}, {})
    for name in sysctls:
        _add(found.sysctl, name, root, f"/proc/sys/{swapped(name)}")
    for pattern in wanted(files):
        for path in root.matching(pattern):
            if path not in found.sysfs and is_meant(path):
                _add(found.sysfs, path, root, path)
    for path in there:
        is_there = root.knows(path)
        if is_there is not None and path not in found.sysfs and path not in root.unread:
            told = PRESENT if is_there else ABSENT
            found.sysfs[path] = told, Location(root.called(path))
    return found


def is_meant(path: str) -> bool:
    """Whether a file below /sys is none of a disk or card that nobody tunes."""
    return not _NOT_MEANT.match(path)


def _add(settings: Settings, key: str, root: Root, path: str) -> None:
    text = root.text(path)
    if text is not None:
        settings[key] = " ".join(text.split()), Location(root.called(path))
