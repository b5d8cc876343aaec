"""Sysctls by their names with dots, and by their files below /proc/sys (sysctl.d(5))."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.model.kernel import Location

FOLDER = "/proc/sys/"
"""Where each sysctl has its file."""
_SWAPPED = str.maketrans("./", "/.")


def swapped(name: str) -> str:
    """A name with dots as a path below /proc/sys, and the other way round: dots and slashes change
    places."""
    return name.translate(_SWAPPED)


def path_of(name: str) -> str:
    """The file of a sysctl.

    >>> path_of("net.ipv4.conf.eth0/1.forwarding")
    '/proc/sys/net/ipv4/conf/eth0.1/forwarding'
    """
    return f"{FOLDER}{swapped(name)}"


def key_of(path: str) -> str:
    """The name of the sysctl whose file it is, by which settings of run time are known; of another
    file its path.

    >>> key_of("/proc/sys/vm/swappiness"), key_of("/sys/power/state")
    ('vm.swappiness', '/sys/power/state')
    """
    return swapped(path.removeprefix(FOLDER)) if path.startswith(FOLDER) else path


def release_of(settings: Mapping[str, tuple[str, Location]]) -> str:
    """What `uname -r` prints, by the sysctl that has the same; empty where nobody told it."""
    told = settings.get("kernel.osrelease")
    return told[0] if told else ""
