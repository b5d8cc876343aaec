"""What a machine is: its case, its batteries, and whether it is real.

Firmware says so in DMI (SMBIOS), a device tree or /proc/sysinfo; on x86 the CPU itself says whether
it runs under a hypervisor.
"""

from __future__ import annotations

import re

from advisor.inputs.host.root import Root
from advisor.record import NamedTuple

_DMI = "/sys/class/dmi/id"
_SUPPLIES = "/sys/class/power_supply"
_CPUINFO = 1 << 16
# System Enclosure or Chassis Types of SMBIOS 3.7, 7.4.1, as far as they tell a machine apart.
_CASES = {
    **dict.fromkeys(("3", "4", "5", "6", "7", "13", "15", "24", "35", "36"), "a desktop computer"),
    **dict.fromkeys(("8", "9", "10", "14"), "a laptop"),
    **dict.fromkeys(("11", "30"), "a tablet or hand-held computer"),
    **dict.fromkeys(("31", "32"), "a laptop"),
    **dict.fromkeys(("17", "23", "25", "28", "29"), "a server"),
    **dict.fromkeys(("33", "34"), "an embedded computer"),
}
_PORTABLE = frozenset(("8", "9", "10", "11", "14", "30", "31", "32"))
_SERVERS = frozenset(("17", "23", "25", "28", "29"))
_CONTROL_DOMAIN = "the control domain of Xen"
# What the firmware of virtual machines calls maker and product (a part of `MAKER PRODUCT`), and
# under what that runs. Real machines of the same makers do not have these products.
_HYPERVISORS = (
    (r"^Amazon EC2 (?!.*\.metal\b)", "Amazon EC2"),
    (r"^Google (?:Google )?Compute Engine", "Google Compute Engine"),
    (r"^Microsoft Corporation Virtual Machine", "Hyper-V"),
    (r"^VMware", "VMware"),
    (r"^innotek GmbH|\bVirtualBox\b", "VirtualBox"),
    (r"^Xen\b", "Xen"),
    (r"^Parallels\b", "Parallels"),
    (r"\bBHYVE\b", "bhyve"),
    (r"^Apple Inc\. Apple Virtualization", "Apple's Virtualization"),
    (r"^OpenStack Foundation|^RDO OpenStack|\bOpenStack\b", "OpenStack"),
    (r"^(?:Alibaba Cloud|Tencent Cloud|DigitalOcean|Hetzner vServer|Vultr|UpCloud|Scaleway)", ""),
    (r"^Nutanix AHV|^oVirt|^Red Hat (?:KVM|RHEL|RHEV)|^KubeVirt", "KVM"),
    (r"^QEMU\b|^Bochs\b|\bKVM\b", "QEMU or KVM"),
)


_CLOCKS = "/sys/devices/system/clocksource/clocksource0/available_clocksource"
# arch/x86/kernel/kvmclock.c, drivers/clocksource/hyperv_timer.c, arch/x86/xen/time.c (6.12).
_GUEST_CLOCKS = (("kvm-clock", "kvm"), ("hyperv_clocksource", "hyperv"), ("xen", "xen"))
_OF_FIRMWARE = {
    "Google Compute Engine": "kvm", "KVM": "kvm", "Hyper-V": "hyperv", "VMware": "vmware",
    "Xen": "xen", "VirtualBox": "other", "Parallels": "other", "bhyve": "other",
    "Apple's Virtualization": "other",
}  # fmt: skip


class Hardware(NamedTuple):
    """A machine: what it is in words, and by what that is known; whether it is a guest (of which
    `hypervisor`, if its files tell), or surely `real`, as Xen's control domain is as well; the
    number of its case (empty: not told), and the name of a battery of its own."""

    name: str
    told_by: str
    guest: bool = False
    hypervisor: str | None = None
    real: bool = False
    chassis: str = ""
    battery: str = ""

    @property
    def portable(self) -> bool:
        """Whether its case is one to be carried."""
        return self.chassis in _PORTABLE and not self.guest

    @property
    def server(self) -> bool:
        """Whether its case is a server's."""
        return self.chassis in _SERVERS and not self.guest


def read_hardware(root: Root) -> Hardware:
    """The machine, as far as its files tell; an empty name where they tell nothing."""
    chassis, battery = _line(root, f"{_DMI}/chassis_type"), _battery(root)
    called = _called(root)
    tree = _line(root, "/sys/firmware/devicetree/base/model")
    guest, real, under, reason = _virtual(root, called)
    if wsl := subsystem(root):
        name, guest = f"a Windows machine (WSL {wsl})", wsl > 1
        return Hardware(name, called, guest=guest, hypervisor="hyperv" if guest else None)
    if guest:
        name = f"a virtual machine under {under}" if under else "a virtual machine"
        says = ", ".join(filter(None, (called or tree, reason)))
        return Hardware(name, says, guest=True, hypervisor=_hypervisor(root, under))
    name = _CASES.get(chassis, "")
    told_by = [called or tree]
    if name:
        told_by.append(f"chassis type {chassis}")
    if battery:
        told_by.append(f"battery {battery}")
    if under:
        name = under
    if not name and told_by[0]:  # a board, which has no case of a number
        name, *told_by = told_by
    says = ", ".join(filter(None, told_by))
    over = "xen" if under == _CONTROL_DOMAIN else None
    return Hardware(name, says, hypervisor=over, real=real, chassis=chassis, battery=battery)


def _called(root: Root) -> str:
    """Maker and product, as far as firmware tells them."""
    maker, product = (_line(root, f"{_DMI}/{name}") for name in ("sys_vendor", "product_name"))
    if maker == "LENOVO":  # whose product is the number of a type, such as 20XK007DMH
        product = _line(root, f"{_DMI}/product_version") or product
    if re.match(rf"{re.escape(maker)}(?![a-z])", product, re.IGNORECASE):
        return product
    return " ".join(filter(None, (maker, product)))


def subsystem(root: Root) -> int:
    """Which version of the Windows Subsystem for Linux it is; 0 where it is none."""
    release = _line(root, "/proc/sys/kernel/osrelease")
    if "microsoft" not in release.lower():
        return 0
    # The first has no kernel, and names one so: 4.4.0-19041-Microsoft.
    return 1 if release.endswith("-Microsoft") else 2


def _virtual(root: Root, called: str) -> tuple[bool, bool, str, str]:
    """Whether it is a virtual machine, or surely none, as Xen's control domain, which has the
    devices; under what, and what tells so. Only x86 tells that there is no hypervisor."""
    if "control_d" in (root.text("/proc/xen/capabilities") or ""):
        return False, True, _CONTROL_DOMAIN, ""
    firmware = next((under for part, under in _HYPERVISORS if re.search(part, called)), None)
    under = firmware or (root.text("/sys/hypervisor/type") or "").strip().capitalize()
    flags = re.search(r"^flags(.*)", root.head("/proc/cpuinfo", _CPUINFO), re.M)
    if flags:  # x86: the CPU tells, and firmware may be copied
        guest = "hypervisor" in flags[1].split()
        return guest, not guest, under, "the CPU says so" if guest else ""
    if firmware is not None or under:
        return True, False, under, "its firmware says so"
    text = root.head("/proc/sysinfo", 1 << 14)
    control = re.search(r"^VM00 Control Program:\s*(\S+)", text, re.M)
    if control:
        return True, False, control[1].partition("/")[0], "/proc/sysinfo says so"
    if root.has("/sys/firmware/devicetree/base/hypervisor"):
        return True, False, "", "its device tree says so"
    return False, False, "", ""


def _hypervisor(root: Root, under: str) -> str | None:
    """Whose guest it is, as conditions have it: by the clocks that only a guest of that one has, by
    what Xen's guests show, then by the firmware, which is QEMU's without KVM as well."""
    clocks = (root.text(_CLOCKS) or "").split()
    for prefix, hypervisor in _GUEST_CLOCKS:
        if any(clock.startswith(prefix) for clock in clocks):
            return hypervisor
    if (root.text("/sys/hypervisor/type") or "").strip() == "xen":
        return "xen"
    return _OF_FIRMWARE.get(under)


def _battery(root: Root) -> str:
    """The name of a battery that feeds the machine, and not a mouse or a pen; empty without."""
    for name in root.names(_SUPPLIES):
        kind, scope, present = (
            _line(root, f"{_SUPPLIES}/{name}/{file}") for file in ("type", "scope", "present")
        )
        if kind == "Battery" and scope != "Device" and present != "0":
            return name
    return ""


def _line(root: Root, path: str) -> str:
    """The text of a file in one line; firmware that was never filled in says nothing."""
    text = " ".join((root.text(path) or "").replace("\0", " ").split())[:80]
    blank = re.fullmatch(r"(?:To Be Filled By O\.?E\.?M\.?|Default string|System manufacturer|"
                         r"System Product Name|None|Not Specified|\.*)", text, re.I)  # fmt: skip
    return "" if blank else text
