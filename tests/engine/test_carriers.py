"""Which file makes a setting of run time last, by its path, its value and what is built."""

from __future__ import annotations

import pytest

from advisor.engine.plan.carriers import kept
from advisor.model.finding import Finding, Verdict
from advisor.model.plan import File
from advisor.model.profile import Option
from advisor.model.remedy import Setting
from advisor.model.state import State

CPUFREQ = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
KVM = "/sys/module/kvm/parameters/halt_poll_ns"
EARLY = "this file sets the value too early"


@pytest.fixture
def carried(make_world):
    """The file of a setting, and why, in a kernel of these lines."""

    def of(key, value="1", lines="CPU_FREQ=y", *, tunable="swappiness", disks=(), shows="",
           target="", **told):  # fmt: skip
        world = make_world(lines, runtime=shows, **told)
        found = world.knowledge.tunable(tunable)
        (advice, *_) = world.knowledge.profile("server-throughput").advice
        advice = advice._replace(disks=disks, options=(Option(tunable, ("x",), ()),))
        finding = Finding("p/a", Verdict.CHANGE, advice, found, State(tunable, ()), target=target)
        return [
            (one.file, one.why, one.disks) for one in kept(finding, [Setting(key, value)], world)
        ]

    return of


@pytest.mark.parametrize(
    ("key", "file"),
    [
        ("vm.swappiness", File.SYSCTL),
        ("/sys/kernel/mm/ksm/run", File.TMPFILES),
        ("/sys/power/mem_sleep", File.TMPFILES),
        (CPUFREQ, File.TMPFILES),
        ("/sys/devices/system/cpu/cpu*/power/energy_perf_bias", File.TMPFILES),
        ("/sys/devices/virtual/workqueue/*/cpumask", File.TMPFILES),
        ("/sys/bus/pci/devices/*/power/control", File.UDEV),
        ("/sys/bus/usb/devices/*/power/control", File.UDEV),
        ("/sys/class/scsi_host/host*/link_power_management_policy", File.UDEV),
        ("/sys/block/*/queue/nomerges", File.UDEV),
        ("/sys/kernel/debug/sched/base_slice_ns", None),
        ("/sys/block/DEVICE/queue/scheduler", None),
        ("/sys/class/net/DEVICE/threaded", None),
        ("/sys/fs/cgroup/GROUP/cpuset.cpus.partition", None),
        ("/sys/a b", None),
        ("/sys/a\n", None),
        ("vm.a\n", None),
        ("/sys/kernel/a%b", None),
    ],
)  # fmt: skip
def test_a_path_has_its_file(carried, key, file):
    ((found, why, _),) = carried(key)
    assert found is file
    assert bool(why) is (file is None)


@pytest.mark.parametrize("value", ["a\nb", "a\0", "\x7f", "\udcff"])
def test_no_file_takes_a_control_character(carried, value):
    assert carried("vm.swappiness", value) == [
        (None, "no file can contain this name or value unchanged", ())
    ]


def test_what_the_operator_chooses_is_named(carried):
    ((_, why, _),) = carried("/sys/fs/cgroup/GROUP/cpuset.cpus.partition")
    assert why == "you choose the group"


@pytest.mark.parametrize(
    ("disks", "file"),
    [(("rotating",), File.UDEV), (("nvme", "virtual"), File.UDEV), (("other",), None)],
)
def test_of_kinds_of_disks_a_rule_knows_the_names(carried, disks, file):
    ((found, _, kinds),) = carried("/sys/block/DEVICE/queue/scheduler", disks=disks)
    assert found is file
    assert kinds == (disks if file else ())


def test_a_backslash_no_rule_of_udev_takes(carried):
    ((file, _, _),) = carried("/sys/bus/pci/devices/*/power/control", "a\\")
    assert file is None


@pytest.mark.parametrize(
    ("lines", "complete", "files"),
    [
        ("KVM=m", True, [File.MODPROBE]),
        ("KVM=y", True, [File.TMPFILES]),
        ("CPU_FREQ=y", False, [File.MODPROBE, File.TMPFILES]),
    ],
)
def test_an_option_of_a_module_is_for_modprobe_where_it_is_one(carried, lines, complete, files):
    found = carried(KVM, "0", lines, tunable="halt-poll", complete=complete)
    assert [file for file, _, _ in found] == files


@pytest.mark.parametrize(
    ("lines", "shows", "said"),
    [
        ("X86_ACPI_CPUFREQ=m", "", True),
        ("X86_ACPI_CPUFREQ=y", "", False),
        ("X86_ACPI_CPUFREQ=m", f"{CPUFREQ.replace('*', '0')}=x", True),
        (
            "X86_ACPI_CPUFREQ=m",
            "/sys/devices/system/cpu/cpufreq/policy0/scaling_driver = amd-pstate-epp",
            False,
        ),
    ],
)
def test_a_driver_that_is_a_module_may_come_after_the_file(carried, lines, shows, said):
    ((_, why, _),) = carried(CPUFREQ, "performance", lines, shows=shows)
    assert (EARLY in why) is said


@pytest.mark.parametrize(
    ("lines", "drivers"),
    [
        ("LOONGSON3_CPUFREQ=m", "LOONGSON3_CPUFREQ"),
        ("POWERNV_CPUFREQ=m", "POWERNV_CPUFREQ"),
        ("CPUFREQ_DT=y ARM_SCMI_CPUFREQ=m", "ARM_SCMI_CPUFREQ"),
        ("CPUFREQ_DT=m ARM_APPLE_SOC_CPUFREQ=m", "CPUFREQ_DT or ARM_APPLE_SOC_CPUFREQ"),
        (
            "CPUFREQ_DT=m ARM_QCOM_CPUFREQ_HW=m ARM_MEDIATEK_CPUFREQ=m ARM_SCMI_CPUFREQ=m",
            "CPUFREQ_DT, ARM_SCMI_CPUFREQ or one of 2 more",
        ),
    ],
)
def test_every_driver_that_can_be_a_module_counts(carried, lines, drivers):
    ((_, why, _),) = carried(CPUFREQ, "performance", lines)
    assert why == f"{EARLY} if the driver {drivers} is loaded later"


def test_drivers_of_policies_are_symbols_of_kernels(built_in):
    names = built_in.fact("cpufreq-module").names
    traits = [built_in.catalogue.seen(name) for name in names]
    assert len(set(names)) == len(names)
    assert all(traits)


def test_a_setting_of_a_module_is_there_once_that_is_loaded(carried):
    ((file, why, _),) = carried("net.x", lines="NF_CONNTRACK=m", tunable="connection-table-size")
    late = "this file sets the value too early if modules-load.d does not load the module"
    assert (file, why) == (File.SYSCTL, late)


@pytest.mark.parametrize(
    ("key", "value", "lines", "tunable"),
    [
        ("net.core.default_qdisc", "fq_codel", "NET=y NET_SCHED=y NET_SCH_FQ_CODEL=m",
         "queueing-discipline"),
        ("net.ipv4.tcp_congestion_control", "bbr", "NET=y INET=y TCP_CONG_BBR=m",
         "congestion-control"),
    ],
)  # fmt: skip
def test_the_kernel_loads_the_module_that_a_value_names(carried, key, value, lines, tunable):
    """qdisc_set_default() and tcp_set_default_congestion_control() request it."""
    assert carried(key, value, lines, tunable=tunable, target=value) == [(File.SYSCTL, "", ())]


def test_cpufreq_dt_drives_no_machine_of_power(carried):
    ((_, why, _),) = carried(CPUFREQ, "performance", "POWERNV_CPUFREQ=y CPUFREQ_DT=m")
    assert not why
