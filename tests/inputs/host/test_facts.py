"""What a host's files tell of its machine."""

from __future__ import annotations

import pytest

from advisor.inputs.host.facts import is_container, read_facts
from advisor.inputs.host.root import Root
from advisor.model.kernel import Machine

from .hosts import recorded, write_host

X86 = "processor\t: 0\nvendor_id\t: {}\nflags\t\t: fpu vme {}\nflags\t\t: fpu\n"
CLOCKS = "/sys/devices/system/clocksource/clocksource0/available_clocksource"
DMI = "/sys/class/dmi/id"
ARM = "processor\t: 0\nCPU implementer\t: {}\nCPU part\t: 0xd0c\n"


@pytest.fixture
def facts(tmp_path):
    return lambda files: read_facts(Root(str(write_host(tmp_path, files))))


@pytest.mark.parametrize(
    ("vendor", "flag", "expected"),
    [
        ("GenuineIntel", "hypervisor", ("intel", "guest")),
        ("AuthenticAMD", "hypervisor_", ("amd", "no")),
        ("HygonGenuine", "", ("amd", "no")),
        ("CentaurHauls", "", ("other", "no")),
        ("", "", ("other", "no")),
    ],
)
def test_x86(facts, vendor, flag, expected):
    files = {"/proc/cpuinfo": X86.format(vendor, flag), "/proc/sys/kernel/arch": "x86_64\n"}
    found = facts(files)
    assert (found.arch, found.vendor, found.virtual) == ("x86", *expected)


@pytest.mark.parametrize(
    ("files", "hypervisor"),
    [
        ({CLOCKS: "tsc hyperv_clocksource_tsc_page acpi_pm\n"}, "hyperv"),
        ({CLOCKS: "kvm-clock tsc\n", f"{DMI}/sys_vendor": "Xen\n"}, "kvm"),
        ({"/sys/hypervisor/type": "xen\n"}, "xen"),
        ({f"{DMI}/sys_vendor": "VMware, Inc.\n"}, "vmware"),
        # QEMU is so called with KVM and without.
        ({CLOCKS: "tsc\n", f"{DMI}/sys_vendor": "QEMU\n"}, None),
        ({"/proc/sys/kernel/osrelease": "6.6.87.2-microsoft-standard-WSL2\n"}, "hyperv"),
    ],
)
def test_what_it_is_a_guest_of(facts, files, hypervisor):
    cpu = {"/proc/cpuinfo": X86.format("GenuineIntel", "hypervisor")}
    found = facts({**cpu, **files})
    assert (found.virtual, found.hypervisor) == ("guest", hypervisor)


def test_real_hardware_has_no_hypervisor(facts):
    cpu = {"/proc/cpuinfo": X86.format("GenuineIntel", "")}
    found = facts({**cpu, CLOCKS: "kvm-clock\n"})
    assert (found.virtual, found.hypervisor) == ("no", None)


def test_the_control_domain_of_xen_is_no_guest(facts):
    """It drives the devices itself; idle states and frequencies Xen hides from it."""
    capabilities = {"/proc/xen/capabilities": "control_d\n"}
    files = {"/proc/cpuinfo": X86.format("GenuineIntel", "hypervisor"), **capabilities}
    found = facts(files)
    assert (found.virtual, found.hypervisor) == ("no", "xen")


@pytest.mark.parametrize(("number", "vendor"), [("0x41", "arm"), ("0xc0", "other")])
def test_arm_tells_no_hypervisor(facts, number, vendor):
    found = facts({"/proc/cpuinfo": ARM.format(number), "/proc/sys/kernel/arch": "aarch64\n"})
    assert (found.arch, found.vendor, found.virtual) == ("arm64", vendor, None)


@pytest.mark.parametrize(
    ("text", "count"),
    [("0-3,8\n", 5), ("0\n", 1), ("0-127", 128), ("", None), ("x", None), ("0-x", None)],
)
def test_lists_are_counted(facts, text, count):
    paths = ("/sys/devices/system/cpu/present", "/sys/devices/system/node/online")
    found = facts(dict.fromkeys(paths, text))
    assert (found.cpus, found.nodes) == (count, count)


@pytest.mark.parametrize(
    ("files", "efi"),
    [({}, None), ({"/sys/firmware/": ""}, "n"), ({"/sys/firmware/efi/": ""}, "y")],
)
def test_efi_is_known_where_there_is_firmware(facts, files, efi):
    assert facts(files).efi == efi


@pytest.mark.parametrize(
    ("text", "memory"),
    [("MemTotal:  16 kB\n", 16384), ("MemFree: 1 kB", None), (f"MemTotal: {'9' * 5000} kB", None)],
)
def test_memory(facts, text, memory):
    assert facts({"/proc/meminfo": text}).memory == memory


def test_an_empty_folder_tells_nothing(facts):
    assert facts({}) == Machine()


def test_facts_are_those_of_the_folder_alone(facts):
    """A guest of four processors, on whatever machine the test runs."""
    found = facts(recorded("rt-6.12"))
    assert found == Machine("x86", 4, 1, found.memory, "amd", "guest", None, "n")
    assert 900 << 20 < found.memory < 1 << 30


def test_the_running_system_tells_of_itself():
    found = read_facts(Root())
    assert found.cpus is None or found.cpus >= 1


@pytest.mark.parametrize(
    ("pid", "cgroup", "expected"),
    [
        ("pid:[4026531836]", "cgroup:[4026531835]", False),
        ("pid:[4026532200]", "cgroup:[4026531835]", True),
        ("pid:[4026531836]", "cgroup:[4026532201]", True),
        ("", "", False),
    ],
)
def test_a_container_has_namespaces_of_its_own(monkeypatch, pid, cgroup, expected):
    links = {"/proc/self/ns/pid": pid, "/proc/self/ns/cgroup": cgroup}
    monkeypatch.setattr(Root, "link", lambda _, path: links[path])
    assert is_container(Root()) is expected


def test_a_folder_is_no_container(tmp_path):
    assert not is_container(Root(str(tmp_path)))
