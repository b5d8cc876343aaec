"""What a system tells of itself, and what options say instead."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from advisor.errors import UsageError
from advisor.inputs import machine
from advisor.inputs.machine import architecture, kernel_of, machine_of, native_arch, this_machine
from advisor.model.kernel import Machine

X86 = "processor\t: 0\nvendor_id\t: {}\nflags\t\t: fpu vme {}\nflags\t\t: fpu\n"
ARM = "processor\t: 0\nCPU implementer\t: {}\nCPU part\t: 0xd0c\n"


@pytest.fixture
def system(monkeypatch):
    """Makes this process see these files of /proc and /sys, and no others."""

    def make(name: str, **files: str) -> Machine:
        by_path = {
            "/proc/cpuinfo": files.get("cpuinfo", ""),
            "/proc/meminfo": files.get("meminfo", ""),
            "/sys/devices/system/cpu/present": files.get("cpus", ""),
            "/sys/devices/system/node/online": files.get("nodes", ""),
        }
        monkeypatch.setattr(machine, "_read", by_path.__getitem__)
        monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine=name))
        return this_machine()

    return make


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
def test_x86(system, vendor, flag, expected):
    found = system("x86_64", cpuinfo=X86.format(vendor, flag))
    assert (found.arch, found.vendor, found.virtual) == ("x86", *expected)


@pytest.mark.parametrize(("number", "vendor"), [("0x41", "arm"), ("0xc0", "other")])
def test_arm_tells_no_hypervisor(system, number, vendor):
    found = system("aarch64", cpuinfo=ARM.format(number))
    assert (found.arch, found.vendor, found.virtual) == ("arm64", vendor, None)


@pytest.mark.parametrize(
    ("text", "count"),
    [("0-3,8\n", 5), ("0\n", 1), ("0-127", 128), ("", None), ("x", None), ("0-x", None)],
)
def test_lists_of_nodes(system, text, count):
    assert system("x86_64", nodes=text).nodes == count


def test_processors_and_memory(system):
    found = system("x86_64", cpus="0-15\n", meminfo="MemTotal:       16384 kB\nMemFree: 1 kB\n")
    assert (found.cpus, found.memory) == (16, 16384 * 1024)
    silent = system("unheard-of", meminfo="MemFree: 1 kB\nMemTotal: many\n")
    assert (silent.arch, silent.cpus, silent.memory) == (None, os.cpu_count(), None)
    assert (silent.vendor, silent.virtual) == (None, None)


def test_files_that_are_not_there(tmp_path):
    assert machine._read(str(tmp_path / "none")) == ""
    (tmp_path / "odd").write_bytes(b"\xff\n")
    assert machine._read(str(tmp_path / "odd")) == "\ufffd\n"


def test_the_running_system_has_an_architecture():
    assert native_arch() == architecture(os.uname().machine)


@pytest.mark.parametrize(
    ("options", "where", "words"),
    [
        ({"memory": "much"}, "--memory", "'much' is no size of memory"),
        ({"memory": "0"}, "--memory", "'0' is no size of memory"),
        ({"memory": "-1G"}, "--memory", "'-1G' is no size of memory"),
        ({"arch": "x68"}, "--arch", "'x68' is no architecture"),
        ({"isolate": "1"}, "--isolate", "needs the number of CPUs"),
        ({"isolate": "x", "cpus": 4}, "--isolate", "'x' is no list of CPUs"),
        ({"isolate": "4", "cpus": 4}, "--isolate", "there are 4 CPUs, 0 to 3"),
        ({"isolate": "0-1", "cpus": 4}, "--isolate", "CPU 0 boots"),
    ],
)
def test_options_that_cannot_be(options, where, words):
    with pytest.raises(UsageError) as caught:
        machine_of(options)
    assert caught.value.where == where
    assert words in caught.value.message
    assert caught.value.hint


def test_options_over_a_base():
    base = Machine(arch="x86", cpus=4)
    found = machine_of({"arch": "aarch64", "memory": "2G", "isolate": "1-2", "cpus": None}, base)
    assert (found.arch, found.memory, found.cpus) == ("arm64", 2 << 30, 4)
    assert (found.isolate, found.housekeeping) == ("1-2", "0,3")


@pytest.mark.parametrize("text", ["six", "6.", "-6.12"])
def test_versions_that_are_none(text):
    with pytest.raises(UsageError, match="no kernel version"):
        kernel_of(text)


def test_versions():
    assert kernel_of(None) is kernel_of("") is None
    version = kernel_of("6.12.3")
    assert version is not None
    assert version.numbers == (6, 12, 3)
