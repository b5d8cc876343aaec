"""The facts of a host's machine, as its kernel tells them under /proc and /sys."""

from __future__ import annotations

import re
from contextlib import suppress

from advisor.inputs.host import reported
from advisor.inputs.host.hardware import read_hardware
from advisor.inputs.host.root import Root
from advisor.inputs.machine import architecture, native_arch
from advisor.model.kernel import Machine
from advisor.model.numbers import count_of, whole_number

# Of many CPUs the first tells vendor and flags.
_HEAD = 1 << 20
_VENDORS = {
    "GenuineIntel": "intel", "AuthenticAMD": "amd", "HygonGenuine": "amd", "0x41": "arm",
}  # fmt: skip
# The inode of the process and control group namespaces that a system starts with
# (PROC_PID_INIT_INO and PROC_CGROUP_INIT_INO, include/linux/proc_ns.h, read in 6.12).
_FIRST = {"pid": "pid:[4026531836]", "cgroup": "cgroup:[4026531835]"}


def read_facts(root: Root) -> Machine:
    """Reads the machine's facts; None stands for what its files do not show."""
    cpuinfo = root.head("/proc/cpuinfo", _HEAD)
    total = re.search(r"^MemTotal:\s*([0-9]{1,15})\b", root.head("/proc/meminfo", _HEAD), re.M)
    memory = whole_number(total[1]) if total else None
    hardware = read_hardware(root)
    efi = None
    if root.has("/sys/firmware"):
        efi = "y" if root.has("/sys/firmware/efi") else "n"
    return Machine(
        arch=_arch(root),
        cpus=_count(root, "/sys/devices/system/cpu/present"),
        nodes=_count(root, "/sys/devices/system/node/online"),
        memory=None if memory is None else memory * 1024,
        vendor=_vendor(cpuinfo),
        virtual="guest" if hardware.guest else "no" if hardware.real else None,
        hypervisor=hardware.hypervisor,
        efi=efi,
    )


def is_container(root: Root) -> bool:
    """Whether this process has a process table or control groups of its own, below a host's."""
    if not root.alive:
        return False
    links = {name: root.link(f"/proc/self/ns/{name}") for name in _FIRST}
    return any(link and link != _FIRST[name] for name, link in links.items())


def _arch(root: Root) -> str | None:
    """Of the running system by uname; of another by the file that kernels have since 6.1."""
    if root.runs:
        return native_arch()
    with suppress(ValueError):
        return architecture(root.text("/proc/sys/kernel/arch") or reported.machine(root))
    return None


def _count(root: Root, path: str) -> int | None:
    """Counts the numbers of a file's list such as `0-3,8`; None without one."""
    total = 0
    for part in (root.text(path) or "").strip().split(","):
        start, _, end = part.partition("-")
        first, last = count_of(start), count_of(end or start)
        if first is None or last is None:
            return None
        total += last - first + 1
    return total


def _vendor(cpuinfo: str) -> str | None:
    """Of x86 by CPUID's name, of arm and arm64 by MIDR's number, as /proc/cpuinfo has either."""
    line = re.search(r"^(?:vendor_id|CPU implementer)[^:\n]*:?(.*)", cpuinfo, re.M)
    return _VENDORS.get(line[1].strip(), "other") if line else None
