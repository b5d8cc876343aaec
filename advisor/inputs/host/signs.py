"""What a host's files tell of what it is for: its machine, its kernel, and what runs there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from advisor.inputs.host.hardware import Hardware, read_hardware, subsystem
from advisor.inputs.host.root import Root
from advisor.inputs.host.services import read_services
from advisor.model.evidence import Sign, Signs
from advisor.model.numbers import whole_number

_MOUNTS = 1 << 16
_CPUS = "/sys/devices/system/cpu"
# What shows its users a desktop, by its unit, or the process where no init tells.
_DISPLAYS = frozenset((
    "gdm", "gdm3", "sddm", "lightdm", "lxdm", "xdm", "slim", "ly", "greetd", "cosmic-greeter",
    "kdm", "wdm", "nodm", "entranced", "emptty", "lemurs", "plasmalogin",
))  # fmt: skip
_DISPLAY_LINK = "/etc/systemd/system/display-manager.service"
# By the ID or VARIANT_ID of /etc/os-release: systems that are built for one device or purpose, and
# those that are for desktops alone. SteamOS starts its session without a display manager.
_SYSTEMS = {
    "one-purpose": ("openwrt", "buildroot", "poky", "nodistro", "libreelec", "ptxdist"),
    "desktop-system": (
        "steamos", "chimeraos", "bazzite", "nobara", "linuxmint", "pop", "elementary", "zorin",
        "endless", "workstation", "silverblue", "kinoite", "kde",
    ),
}  # fmt: skip
_CARRIERS = frozenset((
    "docker", "containerd", "podman", "kubelet", "k3s", "k3s-agent", "rke2-server", "rke2-agent",
    "crio", "libvirtd", "virtqemud", "virtnetworkd", "lxd", "incus", "lxc-net", "tailscaled",
    "NetworkManager",
))  # fmt: skip
"""What forwards packets for guests, containers, tunnels and phones of its own, so that the switch
says nothing of a router."""

NAMED = _DISPLAYS | _CARRIERS
"""What is told apart by its name, beside what profiles name."""


def read_signs(root: Root) -> Signs:
    """What the host's files tell; what cannot be read is in `root.unread`."""
    hardware = read_hardware(root)
    services = tuple(read_services(root))
    signs = (*_of_hardware(hardware), *_of_kernel(root), *_of_use(root, services, hardware))
    return Signs(
        machine=hardware.name,
        told_by=hardware.told_by,
        system=_system(root),
        signs=(*signs, *services),
        place=_place(root),
    )


def _place(root: Root) -> str:
    """What is special about where this runs; a container is told of with the host's kernel."""
    if wsl := subsystem(root):
        windows = {
            1: "Windows replaces the Linux kernel, and nothing here can be tuned",
            2: "Windows starts the kernel, and .wslconfig names the kernel and its boot line",
        }
        return f"this is WSL {wsl}: {windows[wsl]}"
    if root.runs and _is_chroot(root):
        return (
            "kernel-advisor runs in a chroot. The kernel, /proc and /sys belong to the system; all "
            "other files belong to the chroot"
        )
    return ""


def _is_chroot(root: Root) -> bool:
    """Whether the first process has another root, which root alone may see; or nothing is mounted
    at this one (proc_pid_mountinfo(5): the fifth field, as seen from the process's root)."""
    try:
        return not os.path.samefile("/proc/1/root", "/")
    except OSError:
        lines = root.head("/proc/self/mountinfo", _MOUNTS).splitlines()
        points = {fields[4] for line in lines if len(fields := line.split()) > 4}
        return bool(points) and "/" not in points


def _trait(name: str, text: str, runs: bool = True) -> Sign:
    return Sign("trait", name, text, runs)


def _of_hardware(hardware: Hardware) -> Iterator[Sign]:
    if hardware.guest:
        yield _trait("guest", hardware.name)
    if hardware.portable:
        yield _trait("portable", f"a portable case (chassis type {hardware.chassis})")
    if hardware.battery and not hardware.guest:
        yield _trait("battery", f"battery {hardware.battery}")
    if hardware.server:
        yield _trait("server-case", f"a server's case (chassis type {hardware.chassis})")


def _of_kernel(root: Root) -> Iterator[Sign]:
    version = root.text("/proc/version") or ""
    # The file is of kernels that had PREEMPT_RT as a patch, the word of all (init/Makefile).
    if (root.text("/sys/kernel/realtime") or "").strip() == "1" or re.search(
        r"\bPREEMPT[_ ]RT\b", version
    ):
        yield _trait("realtime-kernel", "the kernel is built with PREEMPT_RT")
    for name, file, says in (
        ("isolated", "isolated", "isolated"),
        ("tickless", "nohz_full", "without a tick"),
    ):
        cpus = (root.text(f"{_CPUS}/{file}") or "").strip()
        # Where none is, 6.x shows `(null)` for want of a mask (drivers/base/cpu.c, read in 6.12).
        if cpus[:1].isdecimal():
            yield _trait(name, f"CPUs {cpus} are {says}")
    for port in root.matching("/sys/class/infiniband/*/ports/*/link_layer"):
        if (root.text(port) or "").strip() == "InfiniBand":
            yield _trait("infiniband", f"InfiniBand port of {port.split('/')[4]}")
            break


def _of_use(root: Root, services: tuple[Sign, ...], hardware: Hardware) -> Iterator[Sign]:
    names = {sign.name: sign for sign in services}
    if shown := next((names[name] for name in sorted(_DISPLAYS & names.keys())), None):
        yield _trait("display", shown.text, shown.runs)
    elif not any(sign.runs for sign in services):
        name = root.link(_DISPLAY_LINK).rpartition("/")[2]
        if name and name != "null":
            yield _trait("display", name, runs=False)
    if guests := _guests(root):
        yield _trait("guests", guests)
    cards = [
        one for one in root.names("/sys/class/net") if root.has(f"/sys/class/net/{one}/device")
    ]
    forwards = (root.text("/proc/sys/net/ipv4/ip_forward") or "").strip() == "1"
    if forwards and len(cards) > 1 and not _CARRIERS & names.keys() and not hardware.portable:
        yield _trait("routes", f"the machine forwards packets between {len(cards)} network cards")
    called = {_os_release(root, key) for key in ("ID", "VARIANT_ID")}
    for trait, systems in _SYSTEMS.items():
        if not called.isdisjoint(systems):
            yield _trait(trait, _system(root))


def _guests(root: Root) -> str:
    """Finds a sign that virtual machines run, if some do.

    libvirt and machinectl give each a control group (`qemu-1-name`), Proxmox VE has them in one of
    their own. Without these, an open /dev/kvm holds the module that gave it (kvm_chardev_ops.owner
    in virt/kvm/kvm_main.c, read in 6.12).
    """
    for base in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"):
        scopes = [n for n in root.names(f"{base}/machine.slice") if n.startswith("machine-qemu")]
        numbered = [name for name in root.names(f"{base}/qemu.slice") if name.endswith(".scope")]
        if count := len(scopes) + len(numbered):
            return f"{count} virtual machine{'s' * (count > 1)} run{'s' * (count == 1)}"
    for module in ("kvm_intel", "kvm_amd"):
        used = (root.text(f"/sys/module/{module}/refcnt") or "").strip()
        if whole_number(used):
            return f"/dev/kvm is in use ({module})"
    return ""


def _system(root: Root) -> str:
    return _os_release(root, "PRETTY_NAME")


def _os_release(root: Root, key: str) -> str:
    """Reads a value of the file in which a system names itself; empty where it does not."""
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        if text := root.head(path, 1 << 14):
            found = re.search(rf"^{key}=[\"']?([^\"'\n]*)", text, re.M)
            return found[1].strip() if found else ""
    return ""
