"""What a snapshot takes of a host: the one list of all that a host's readers ask for.

`kernel-advisor collect` and the shell script that it prints both go by it, in its order. A test
holds it against the paths that the readers ask a host for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from advisor.inputs.folders import UNITS, folders
from advisor.inputs.host.inuse import OF_VERSION_1, SWAPS
from advisor.inputs.host.inuse import VALUES as IN_USE
from advisor.inputs.host.kernel import KEPT, RUNNING
from advisor.inputs.host.root import MOST_OF_A_VALUE
from advisor.inputs.host.settings import starred, wanted
from advisor.model.sysctl import path_of
from advisor.record import NamedTuple

VALUE, TEXT, LINES, NAME, THERE, BINARY = "value", "text", "lines", "name", "there", "binary"
"""A value as it is; a text with its secrets masked and its comments empty; some lines of a text;
that there is a folder; that something is there, of a link where it leads; bytes as they are."""
PRESENCE = "presence"
"""Whether it is there, or is not, where that can be known."""
MOST_OF_A_TEXT = 1 << 20
"""The most bytes of a text."""
MOST_OF_A_CONFIGURATION = 16 << 20
MOST_ENTRIES = 200_000
"""The most records of a snapshot: 10,000 CPUs have some 60,000 values that rules name."""


class Take(NamedTuple):
    """What is taken of the files that a pattern of glob(7) names: `keep` are the beginnings of the
    lines that are kept (LINES), as an expression of `grep -E`."""

    kind: str
    pattern: str
    keep: str = ""


_GROUPS = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd")
_PARTITIONS = ("/efi", "/boot/efi", "/boot")
_EFI = "/sys/firmware/efi/efivars/{}-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
_CPUS = "/sys/devices/system/cpu"
_SUPPLY = "/sys/class/power_supply"
# Lines that do not change by themselves: not the clock's rate, not what is free.
_FIRST_LINES = (
    Take(LINES, "/proc/cpuinfo", "(vendor_id|CPU implementer|flags)[^A-Za-z0-9_]"),
    Take(LINES, "/proc/meminfo", "MemTotal:"),
    Take(LINES, "/proc/sysinfo", "VM00 Control Program:"),
    Take(LINES, SWAPS, "(Filename|/)"),
    *(Take(LINES, f"{group}/{slice}/{scope}-*.scope{inner}/cgroup.procs", "[0-9]+$")
      for group in _GROUPS for slice in ("system.slice", "machine.slice")
      for scope in ("docker", "libpod", "cri-containerd", "crio")
      for inner in ("", "/container", "/libpod-payload")),
)  # fmt: skip
_VALUES = (
    "/proc/version", "/proc/1/comm", "/proc/xen/capabilities",
    *(f"/proc/sys/kernel/{name}" for name in ("osrelease", "arch", "random/boot_id")),
    "/proc/sys/net/ipv4/ip_forward",
    f"{_CPUS}/present", "/sys/devices/system/node/online", f"{_CPUS}/isolated",
    f"{_CPUS}/nohz_full", f"{_CPUS}/intel_pstate/*", f"{_CPUS}/amd_pstate/*",
    f"{_CPUS}/cpufreq/boost", f"{_CPUS}/cpu*/cpufreq/scaling_driver",
    *(f"/sys/class/dmi/id/{name}"
      for name in ("sys_vendor", "product_name", "product_version", "chassis_type")),
    "/sys/hypervisor/type",
    *(f"{_SUPPLY}/*/{name}" for name in ("type", "scope", "present")),
    "/sys/firmware/acpi/platform_profile", "/sys/kernel/realtime",
    "/sys/class/infiniband/*/ports/*/link_layer",
    "/sys/module/kvm_intel/refcnt", "/sys/module/kvm_amd/refcnt",
    "/sys/block/*/removable", *IN_USE,
    *(f"{group}/system.slice/{unit}/cgroup.events"
      for group in _GROUPS for unit in ("*.service", "system-*.slice/*.service")),
)  # fmt: skip
_TEXTS = (
    "/proc/cmdline", "/etc/os-release", "/usr/lib/os-release",
    "/sys/firmware/devicetree/base/model",
    "/etc/sysctl.conf",
    *(f"{folder}/*{ending}"
      for kind, ending in (("sysctl.d", ".conf"), ("modprobe.d", ".conf"), ("tmpfiles.d", ".conf"),
                           ("udev/rules.d", ".rules"))
      for folder in folders(kind)),
    "/usr/lib/modules/*/modules.builtin", "/lib/modules/*/modules.builtin",
    "/etc/tuned/profile_mode", "/etc/tuned/active_profile", "/etc/tuned/tuned-main.conf",
    "/etc/tuned/ppd.conf", "/etc/tuned/ppd_base_profile",
    "/etc/tuned/profiles/*/tuned.conf", "/etc/tuned/*/tuned.conf",
    "/usr/lib/tuned/profiles/*/tuned.conf", "/usr/lib/tuned/*/tuned.conf",
    "/usr/share/tlp/defaults.conf", "/etc/tlp.d/*.conf", "/etc/tlp.conf",
    "/var/lib/power-profiles-daemon/state.ini", "/var/lib/kernel-advisor/*/log",
    "/etc/cpupower-service.conf", "/etc/default/cpupower", "/etc/sysconfig/cpupower",
    "/etc/default/grub", "/etc/default/grub.d/*.cfg",
    *(f"/boot/{grub}/{name}" for grub in ("grub", "grub2") for name in ("*.cfg", "grubenv")),
    *(f"{part}/loader/loader.conf" for part in _PARTITIONS),
    *(f"{part}/loader/entries/*.conf" for part in _PARTITIONS),
    "/boot/extlinux/extlinux.conf", "/extlinux/extlinux.conf", "/boot/syslinux/syslinux.cfg",
    "/boot/firmware/*.txt", "/boot/*.txt",
)  # fmt: skip
_NAMES = (
    "/sys/firmware", "/sys/firmware/efi", "/sys/firmware/devicetree/base/hypervisor", _SUPPLY,
    "/sys/class/net/*", "/sys/class/net/*/device", "/sys/block/*", "/sys/bus/pci/devices/*",
    "/sys/bus/usb/devices/*", "/sys/class/scsi_host/*", f"{_CPUS}/cpu[0-9]*", "/sys/module/*",
    *(f"{group}/system.slice/{unit}"
      for group in _GROUPS for unit in ("*.service", "system-*.slice/*.service")),
    *(f"{group}/{unit}"
      for group in _GROUPS for unit in ("machine.slice/machine-qemu*", "qemu.slice/*.scope")),
    *(f"/sys/fs/cgroup/{name}" for name in OF_VERSION_1),
    "/run/systemd/system", "/etc/systemd/system",
    *(f"{part}/EFI/systemd" for part in _PARTITIONS),
)  # fmt: skip
_THERE = (
    "/lib", "/proc/self/ns/pid", "/proc/self/ns/cgroup",
    "/usr/lib/systemd/systemd", "/lib/systemd/systemd",
    "/etc/systemd/system/*.service",
    *(f"{folder}/*.{kind}/*.service" for folder in UNITS for kind in ("wants", "requires")),
    "/run/openrc/started/*", "/etc/runlevels/default/*",
    *(f"/etc/{level}/*" for level in ("rc.d", "rc2.d", "rc3.d", "rc5.d")),
    *(f"{folder}/*/kernel/kernel/configs.ko*" for folder in ("/usr/lib/modules", "/lib/modules")),
    *(f"{part}/EFI/Linux/*.efi" for part in _PARTITIONS),
)  # fmt: skip
_BINARIES = tuple(
    _EFI.format(name)
    for name in ("LoaderInfo", "LoaderEntryOneShot", "LoaderEntryDefault", "LoaderEntryLastBooted")
)


def taken(
    sysctls: Iterable[str], files: Iterable[str], there: Iterable[str] = ()
) -> tuple[Take, ...]:
    """Lists what a snapshot takes where rules name these sysctls and these paths below /sys, and
    ask of others whether they are there; a path that another covers is left out."""
    named = [*map(path_of, sysctls)]
    named += map(starred, wanted(files))
    values = _covering(dict.fromkeys((*_VALUES, *sorted(named))))
    return (
        *_FIRST_LINES,
        *(Take(TEXT, path) for path in _TEXTS),
        *(Take(VALUE, path) for path in values),
        *(Take(NAME, path) for path in _NAMES),
        *(Take(THERE, path) for path in _THERE),
        *(Take(BINARY, path) for path in _BINARIES),
        *(Take(PRESENCE, path) for path in there),
    )


def _covering(paths: Iterable[str]) -> Iterator[str]:
    """Leaves out the patterns all of whose files another pattern names."""
    every = list(paths)
    wide = [path for path in every if "*" in path]
    for path in every:
        if not any(path != other and _covers(other, path) for other in wide):
            yield path


def _covers(wide: str, path: str) -> bool:
    ours, theirs = wide.split("/"), path.split("/")
    return len(ours) == len(theirs) and all(
        fnmatchcase(part, pattern) for pattern, part in zip(ours, theirs, strict=True)
    )


def configurations(release: str) -> tuple[str, ...]:
    """Where the running kernel's configuration is, the first of which counts; of all kernels there
    are where none runs."""
    return (RUNNING, *(path.format(release or "[0-9]*") for path in KEPT))


def is_kept_link(target: str) -> bool:
    """Whether a link among texts stays one: it hides a file, or leads to one of the list."""
    return target == "/dev/null" or target.rpartition("/")[2] == "sysctl.conf"


LIMITS = {
    VALUE: MOST_OF_A_VALUE, TEXT: MOST_OF_A_TEXT, LINES: MOST_OF_A_TEXT, BINARY: MOST_OF_A_VALUE,
}  # fmt: skip
"""The most bytes of a file of each kind; of LINES the rest is left, of others nothing is taken."""
CONFIGURED = ("/etc/sysctl.conf", *(f"{folder}/*.conf" for folder in folders("sysctl.d")))
"""Files that name sysctls of which the values now are taken, whether a rule names them or not."""
KEY = "^[ \t]*-?([A-Za-z0-9_.-]+)[ \t]*=.*$"
"""A line of such a file: the sysctl's name, with dots."""
