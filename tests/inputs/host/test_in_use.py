"""What a host has in use, by its files."""

from __future__ import annotations

import pytest

from advisor.inputs.host.inuse import kinds_of_swap, read_in_use
from advisor.inputs.host.root import Root

from .hosts import write_host

SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
ZRAM = "/dev/zram0                              partition\t4194300\t\t1024\t\t100\n"
DISK = "/dev/vda2                               partition\t1048572\t\t0\t\t-2\n"
FILE = "/swap/file                              file\t\t1048572\t\t0\t\t-3\n"
POLICY = "/sys/devices/system/cpu/cpufreq/policy{}/{}"
PAGES = "/sys/kernel/mm/hugepages/hugepages-{}kB/nr_hugepages"
OF_NODE = "/sys/devices/system/node/node{}/hugepages/hugepages-{}kB/nr_hugepages"


@pytest.fixture
def in_use(tmp_path):
    def read(files):
        return dict(read_in_use(Root(str(write_host(tmp_path, files)))))

    return read


def test_of_nothing_told_nothing_is_said(in_use):
    assert in_use({"/proc/version": "Linux\n"}) == {}


@pytest.mark.parametrize(
    ("lines", "shown", "kinds"),
    [
        ("", "none", "none"),
        (ZRAM, "zram0", "zram"),
        (ZRAM + DISK, "zram0, vda2", "disk zram"),
        (DISK + FILE, "vda2, /swap/file", "disk file"),
    ],
)
def test_what_it_swaps_on(in_use, tmp_path, lines, shown, kinds):
    assert in_use({"/proc/swaps": SWAPS + lines}) == {"swap": shown}
    assert kinds_of_swap(Root(str(tmp_path))) == kinds


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        ({"cgroup.controllers": "cpu io memory\n"}, "version 2 (cpu io memory)"),
        ({"memory/": "", "pids/": ""}, "version 1"),
        (
            {"memory/": "", "unified/cgroup.controllers": "\n"},
            "version 1, and version 2 for no controller",
        ),
        (
            {"cpu/": "", "unified/cgroup.controllers": "hugetlb\n"},
            "version 1, and version 2 for hugetlb",
        ),
    ],
)
def test_control_groups(in_use, files, shown):
    found = in_use({f"/sys/fs/cgroup/{name}": text for name, text in files.items()})
    assert found == {"control groups": shown}


def test_drivers_of_the_processors(in_use):
    files = {
        POLICY.format(number, name): f"{text}\n"
        for number, governor in enumerate(("performance", "performance", "powersave"))
        for name, text in (("scaling_driver", "intel_pstate"), ("scaling_governor", governor))
    }
    cpus = "/sys/devices/system/cpu"
    assert in_use({
        **files, POLICY.format(1, "energy_performance_preference"): "power\n",
        f"{cpus}/cpuidle/current_driver": "intel_idle\n",
        f"{cpus}/cpuidle/current_governor_ro": "menu\n", f"{cpus}/smt/control": "on\n",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    }) == {
        "CPU frequency": "intel_pstate, performance on 2 of 3, powersave on 1 of 3, "
        "preference power",
        "CPU idle": "intel_idle, menu", "clock": "tsc", "SMT": "on",
    }  # fmt: skip


def test_huge_pages_of_all_sizes_and_nodes(in_use):
    assert in_use({
        PAGES.format(2048): "0\n", PAGES.format(1048576): "6\n", PAGES.format(64): "3\n",
        OF_NODE.format(0, 1048576): "4\n", OF_NODE.format(1, 1048576): "2\n",
        OF_NODE.format(0, 64): "3\n",
    }) == {"huge pages": "3 of 64 KiB, 6 of 1 GiB (node0 4, node1 2)"}  # fmt: skip


def test_security_and_a_scheduler_in_bpf(in_use):
    assert in_use({
        "/sys/kernel/security/lsm": "lockdown,capability,apparmor",
        "/sys/kernel/security/lockdown": "none [integrity] confidentiality\n",
        "/sys/kernel/sched_ext/state": "enabled\n",
        "/sys/kernel/sched_ext/root/ops": "lavd_1.0.9\n",
    }) == {
        "scheduler": "lavd_1.0.9 (sched_ext)",
        "security": "lockdown capability apparmor; lockdown integrity",
    }  # fmt: skip
    assert in_use({"/sys/kernel/sched_ext/state": "disabled\n"}).get("scheduler") is None
