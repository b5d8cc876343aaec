"""What a host's files tell of what it is for, each sign from files laid out like a host's."""

from __future__ import annotations

import os

import pytest

from advisor.inputs.host.root import Root
from advisor.inputs.host.signs import _is_chroot, read_signs

from .hosts import write_host

DMI = "/sys/class/dmi/id/{}"
FLAGS = "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu vme{}\n"
REAL, GUEST = {"/proc/cpuinfo": FLAGS.format("")}, {"/proc/cpuinfo": FLAGS.format(" hypervisor")}
ARM = {"/proc/cpuinfo": "processor\t: 0\nCPU implementer\t: 0x41\n"}
BATTERY = {"/sys/class/power_supply/BAT0/type": "Battery\n"}
SLICE = "/sys/fs/cgroup/system.slice"


def dmi(maker, product, chassis="1"):
    names = {"sys_vendor": maker, "product_name": product, "chassis_type": chassis}
    return {DMI.format(name): f"{text}\n" for name, text in names.items()}


def units(*names, base=SLICE, populated=1):
    return {f"{base}/{name}/cgroup.events": f"populated {populated}\nfrozen 0\n" for name in names}


@pytest.fixture
def signs(tmp_path):
    def read(files):
        return read_signs(Root(str(write_host(tmp_path / "host", files))))

    return read


def traits(read):
    return {sign.name: sign.text for sign in read.signs if sign.kind == "trait"}


@pytest.mark.parametrize(
    ("maker", "product", "version", "called"),
    [
        ("HP", "HP EliteBook 840", "", "HP EliteBook 840"),
        ("NVIDIA", "NVIDIA_DGX_Spark", "A.7", "NVIDIA_DGX_Spark"),
        ("Dell Inc.", "XPS 15 9530", "", "Dell Inc. XPS 15 9530"),
        ("HP", "HPE ProLiant", "", "HP HPE ProLiant"),
        ("LENOVO", "20XK007DMH", "ThinkPad T14 Gen 2a", "LENOVO ThinkPad T14 Gen 2a"),
        ("LENOVO", "20XK007DMH", "", "LENOVO 20XK007DMH"),
        ("", "Standard", "", "Standard"),
    ],
)
def test_what_a_machine_is_called(signs, maker, product, version, called):
    files = {**dmi(maker, product), DMI.format("product_version"): f"{version}\n"}
    assert signs(files).machine == called


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({**GUEST, **dmi("QEMU", "Standard PC (Q35 + ICH9, 2009)")}, "QEMU or KVM"),
        ({**GUEST, **dmi("Amazon EC2", "t3.small")}, "Amazon EC2"),
        ({**GUEST, **dmi("Google", "Google Compute Engine")}, "Google Compute Engine"),
        ({**GUEST, **dmi("Microsoft Corporation", "Virtual Machine")}, "Hyper-V"),
        ({**GUEST, **dmi("VMware, Inc.", "VMware20,1")}, "VMware"),
        ({**GUEST, **dmi("innotek GmbH", "VirtualBox")}, "VirtualBox"),
        ({**GUEST, **dmi("Xen", "HVM domU"), "/sys/hypervisor/type": "xen\n"}, "Xen"),
        ({**ARM, **dmi("Amazon EC2", "c7g.large")}, "Amazon EC2"),
        ({**ARM, **dmi("QEMU", "QEMU Virtual Machine")}, "QEMU or KVM"),
        ({"/proc/sysinfo": "VM00 Name: x\nVM00 Control Program: KVM/Linux\n"}, "KVM"),
    ],
)
def test_a_guest(signs, files, name):
    read = signs({**files, **BATTERY})
    assert traits(read) == {"guest": f"a virtual machine under {name}"}


def test_a_guest_whose_firmware_says_nothing(signs):
    read = signs({**GUEST, **dmi("To Be Filled By O.E.M.", "Default string")})
    assert (read.machine, read.told_by) == ("a virtual machine", "the CPU says so")


@pytest.mark.parametrize(
    "files",
    [
        {**REAL, **dmi("Amazon EC2", "c5.metal")},
        {**ARM, **dmi("Amazon EC2", "c7g.metal")},
        {**REAL, **dmi("Microsoft Corporation", "Surface Pro")},
        {**REAL, **dmi("Oracle Corporation", "SUN FIRE X4170")},
        {**REAL, **dmi("Red Hat", "KVM")},  # the CPU knows, firmware may be copied
        {**GUEST, **dmi("Dell Inc.", "R650"), "/proc/xen/capabilities": "control_d\n"},
        {**ARM, "/sys/firmware/devicetree/base/model": "Raspberry Pi 5 Model B\0"},
        {},
    ],
)
def test_no_guest(signs, files):
    assert "guest" not in traits(signs(files))


@pytest.mark.parametrize(
    ("chassis", "case"),
    [("9", "portable"), ("10", "portable"), ("31", "portable"), ("17", "server-case"),
     ("23", "server-case"), ("3", ""), ("x\0\n", "")],
)  # fmt: skip
def test_a_case(signs, chassis, case):
    read = signs({**REAL, **BATTERY, **dmi("LENOVO", "T14", chassis)})
    assert traits(read).keys() == {case, "battery"} - {""}


@pytest.mark.parametrize(
    "supply",
    [{"type": "Mains\n"}, {"type": "UPS\n"}, {"type": "Battery\n", "scope": "Device\n"},
     {"type": "Battery\n", "present": "0\n"}, {"type": ""}],
)  # fmt: skip
def test_no_battery_of_its_own(signs, supply):
    files = {f"/sys/class/power_supply/x/{name}": text for name, text in supply.items()}
    assert traits(signs({**REAL, **files})) == {}


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"/sys/kernel/realtime": "1\n"}, "realtime-kernel"),
        ({"/proc/version": "Linux version 6.12.1 #1 SMP PREEMPT_RT x\n"}, "realtime-kernel"),
        ({"/proc/version": "Linux version 4.9.1-rt1 #1 SMP PREEMPT RT x\n"}, "realtime-kernel"),
        ({"/sys/devices/system/cpu/isolated": "2-3\n"}, "isolated"),
        ({"/sys/devices/system/cpu/nohz_full": "2-3\n"}, "tickless"),
        ({"/sys/class/infiniband/mlx5_0/ports/1/link_layer": "InfiniBand\n"}, "infiniband"),
        ({"/sys/module/kvm_intel/refcnt": "2\n"}, "guests"),
        ({"/sys/fs/cgroup/machine.slice/machine-qemu\\x2d1\\x2da.scope/": ""}, "guests"),
        ({"/sys/fs/cgroup/qemu.slice/100.scope/": ""}, "guests"),
        (units("gdm.service"), "display"),
        ({"/etc/os-release": "NAME=OpenWrt\nID='openwrt'\n"}, "one-purpose"),
        ({"/etc/os-release": "NAME=SteamOS\nID=steamos\n"}, "desktop-system"),
        ({"/etc/os-release": "ID=fedora\nVARIANT_ID=workstation\n"}, "desktop-system"),
    ],
)  # fmt: skip
def test_a_kernel_and_its_use(signs, files, name):
    assert traits(signs({**REAL, **files})).keys() == {name}


@pytest.mark.parametrize(
    "files",
    [
        {"/proc/version": "Linux version 6.12.1 (x) #1 SMP PREEMPT_DYNAMIC Debian\n"},
        {"/sys/devices/system/cpu/isolated": "\n", "/sys/devices/system/cpu/nohz_full": "(null)\n"},
        {"/sys/class/infiniband/mlx5_0/ports/1/link_layer": "Ethernet\n"},
        {"/sys/module/kvm_intel/refcnt": "0\n"},
        {"/sys/module/kvm_intel/refcnt": "²\n"},
        {"/sys/fs/cgroup/machine.slice/machine-web.scope/": ""},
        units("gdm.service", populated=0),
        {"/etc/os-release": "ID=debian\n"},
        {"/etc/os-release": "ID=fedora\nVARIANT_ID=server\n"},
    ],
)
def test_what_looks_like_it(signs, files):
    assert traits(signs({**REAL, **files})) == {}


CARDS = {"/sys/class/net/eth0/device/": "", "/sys/class/net/eth1/device/": "",
         "/sys/class/net/lo/": "", "/proc/sys/net/ipv4/ip_forward": "1\n"}  # fmt: skip


def test_a_router(signs):
    assert traits(signs({**REAL, **CARDS})).keys() == {"routes"}


@pytest.mark.parametrize("unit", ["docker.service", "libvirtd.service", "kubelet.service"])
def test_who_forwards_for_its_own_is_no_router(signs, unit):
    assert traits(signs({**REAL, **CARDS, **units(unit)})) == {}


def names(read, kind="unit"):
    return {sign.name for sign in read.signs if sign.kind == kind}


@pytest.mark.parametrize("base", ["", "unified/", "systemd/"])
def test_units_are_control_groups(signs, base):
    base = f"/sys/fs/cgroup/{base}system.slice"
    files = units("nginx.service", "system-postgresql.slice/postgresql@17-main.service", base=base)
    read = signs({**files, **units("gone.service", base=base, populated=0),
                  "/proc/1/comm": "init\n"})  # fmt: skip
    assert names(read) == {"nginx", "postgresql@17-main"}
    assert names(read, "process") == set()
    assert all(sign.runs for sign in read.signs)


def test_processes_of_containers(signs):
    scope = f"docker-{'a' * 64}.scope"
    files = {**units("docker.service"), f"{SLICE}/{scope}/cgroup.procs": "70\n71\n",
             "/proc/70/comm": "postgres\n"}  # fmt: skip
    (sign,) = (s for s in signs(files).signs if s.kind == "process")
    assert (sign.name, sign.text) == ("postgres", "postgres, in a container")


def test_services_of_openrc(signs):
    assert names(signs({"/run/openrc/started/nginx": "", "/proc/1/comm": "init\n"})) == {"nginx"}


def test_without_an_init_that_tells_processes_do(signs):
    files = {f"/proc/{n}/comm": f"{name}\n" for n, name in ((1, "init"), (9, "redis-server"))}
    assert names(signs({**files, "/proc/12/": ""}), "process") == {"init", "redis-server"}


def test_of_very_many_processes_the_first_are_read(signs, monkeypatch):
    monkeypatch.setattr("advisor.inputs.host.services._MOST_PROCESSES", 3)
    files = {f"/proc/{n}/comm": f"p{n}\n" for n in (1, 2, 10, 11)}
    assert names(signs(files), "process") == {"p1", "p2", "p10"}


def test_what_a_start_would_start(tmp_path):
    host = write_host(tmp_path / "host", {"/etc/systemd/system/multi-user.target.wants/": ""})
    folder = host / "etc/systemd/system"
    for name in ("postgresql.service", "mariadb.service"):
        (folder / f"multi-user.target.wants/{name}").symlink_to(f"/usr/lib/systemd/system/{name}")
    (folder / "mariadb.service").symlink_to("/dev/null")
    (folder / "display-manager.service").symlink_to("/usr/lib/systemd/system/sddm.service")
    read = read_signs(Root(str(host)))
    assert [(sign.name, sign.runs) for sign in read.signs] == [
        ("display", False),
        ("postgresql", False),
    ]


def test_a_display_manager_that_is_masked(tmp_path):
    host = write_host(tmp_path / "host", {"/etc/systemd/system/": ""})
    (host / "etc/systemd/system/display-manager.service").symlink_to("/dev/null")
    assert read_signs(Root(str(host))).signs == ()


@pytest.mark.parametrize("folder", ["/etc/rc.d", "/etc/rc2.d"])
def test_the_old_init(signs, folder):
    read = signs({f"{folder}/S50nginx": "", f"{folder}/K10squid": "", f"{folder}/README": ""})
    assert [(sign.name, sign.runs) for sign in read.signs] == [("nginx", False)]


@pytest.mark.parametrize(
    ("release", "part"),
    [("5.15.153.1-microsoft-standard-WSL2", "WSL 2: Windows starts"),
     ("4.4.0-19041-Microsoft", "WSL 1: Windows replaces"), ("6.12.1-amd64", "")],
)  # fmt: skip
def test_windows(signs, release, part):
    read = signs({**GUEST, "/proc/sys/kernel/osrelease": f"{release}\n"})
    assert part in read.place
    assert bool(part) == bool(read.place)


def test_hostile_files(tmp_path):
    """Loops of links, a pipe, bytes that are no text, a long name: nothing is waited for."""
    host = write_host(tmp_path / "host", {**REAL, **dmi("A" * 4000, "\x1b[31m\0\n")})
    os.mkfifo(host / "sys/class/dmi/id/board_name")
    (host / "sys/class/power_supply").symlink_to("power_supply")
    (host / "etc").symlink_to("/etc")
    (host / "proc/version").write_bytes(b"\xff" * 5000)
    (host / "proc/7").mkdir()
    os.mkfifo(host / "proc/7/comm")
    root = Root(str(host))
    read = read_signs(root)
    assert len(read.machine) + len(read.told_by) < 400
    assert "/proc/version" in root.unread


@pytest.mark.parametrize(
    ("mounts", "told"),
    [
        (["27 1 254:0 / / rw - ext4 /dev/vda rw", "22 27 0:21 / /proc rw - proc proc rw"], False),
        (["43 27 0:39 / /proc rw - proc proc rw", "42 27 254:0 /usr /usr rw - ext4 x rw"], True),
        ([], False),
    ],
)
def test_a_chroot_that_the_first_process_does_not_tell(tmp_path, monkeypatch, mounts, told):
    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(os.path, "samefile", refused)
    files = {"/proc/self/mountinfo": "".join(f"{line}\n" for line in mounts)}
    assert _is_chroot(Root(str(write_host(tmp_path / "host", files)))) is told
