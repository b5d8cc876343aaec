"""`explain` knows the names of the field, old and new, and says what they are today."""

from __future__ import annotations

import pytest

from advisor.errors import UsageError
from advisor.knowledge.lookup import explain

from ..cases import each

# A name that guides, forums and old configurations use, and what its answer must say.
TELLING = {
    "OPROFILE": "Removed. perf does the same and more",
    "HAVE_OPROFILE": "was removed in 5.12",
    "LOCK_STAT": "perf lock contention",
    "HAVE_LATENCYTOP_SUPPORT": "LATENCYTOP is the only setting",
    "LATENCYTOP": "kernel.latencytop=1",
    "NO_HZ": "NO_HZ_IDLE, NO_HZ_FULL or HZ_PERIODIC",
    "PERF_COUNTERS": "PERF_COUNTERS became PERF_EVENTS in 2.6.32",
    "HZ": "Kconfig derives HZ from the chosen option",
    "HZ_100": "[timer-frequency]",
    "HZ_1000": "[timer-frequency]",
    "slub_max_order": "renamed to slab_max_order",
    "slub_min_objects": "renamed to slab_min_objects",
    "scsi_mod.scan": "SCSI_SCAN_ASYNC",
    "fastboot": "scsi_mod.scan=async",
    "CPU_FREQ_GOV_ONDEMAND": "schedutil",
    "PREEMPT_NONE": "preempt=none",
    "PREEMPT_RT": "Mainline offers PREEMPT_RT (ARCH_SUPPORTS_RT) since 6.12",
    "WAKEUP_TIMING": "SCHED_TRACER",
    "LATENCY_TRACE": "IRQSOFF_TRACER",
    "HIGH_RES_TIMERS": "highres=off",
    "HPET_TIMER": "on hardware without clock faults, the kernel chooses the TSC",
    "SCHED_SMT": "hardware threads of one core",
    "AUDIT": "audit=1",
    "SECURITY_SELINUX": "[lsm]",
    "PROFILING": "perf needs PERF_EVENTS, not this option",
    "COMPAT_BRK": "kernel.randomize_va_space=2",
    "NET_SCHED": "fq, fq_codel and cake need it",
    "BLK_DEV_IDEDMA": "ATA drivers",
    "CPU_IDLE": "[cpuidle-support]",
    "noatime": "relatime, the default since 2.6.30",
    "hdparm": "do nothing for SATA and NVMe disks",
    "prelink": "not a kernel feature",
    "oprofile": "perf record and perf report",
}


@pytest.fixture
def explained(run_inside):
    """The answer to a name, on one line."""

    def run(name):
        result = run_inside("explain", name)
        assert (result.code, result.stderr) == (0, "")
        assert result.stdout.endswith("\n")
        long = [line for line in result.stdout.splitlines() if len(line) > 80]
        assert [line for line in long if len(line.rsplit(" ", 1)[0]) > 12] == []
        return " ".join(result.stdout.split())

    return run


@pytest.mark.slow
@each("name", TELLING)
def test_a_name_of_the_field(explained, name):
    assert TELLING[name] in explained(name)


@pytest.mark.slow
@each("name", list(TELLING))
def test_every_answer_can_be_checked(explained, name):
    assert " source https://" in explained(name)


@pytest.mark.slow
@each(
    ("written", "name"),
    [
        ("CONFIG_HZ", "HZ"),
        ("CONFIG_HZ_1000=y", "HZ_1000"),
        ("config_hz_1000", "HZ_1000"),
        ("hz_1000", "HZ_1000"),
        (" HZ ", "HZ"),
        ("nohz_full=", "nohz_full"),
        ("nohz_full=1-3", "nohz_full"),
        ("nohz-full", "nohz_full"),
        ("NOHZ_FULL", "nohz_full"),
        ("Slub_Max_Order=3", "slub_max_order"),
        ("slub-max-order", "slub_max_order"),
        ("SCSI_MOD.SCAN=async", "scsi_mod.scan"),
        ("HDPARM", "hdparm"),
        ("Timer-Frequency", "timer-frequency"),
        ("Kernel.NUMA_Balancing=1", "kernel.numa_balancing"),
    ],
)
def test_ways_to_write_a_name(explained, written, name):
    assert explained(written) == explained(name)


@each(
    ("first", "second", "telling"),
    [
        ("OPROFILE", "oprofile", ("removed in 5.12", "(program,")),
        ("FASTBOOT", "fastboot", ("(out-of-tree,", "(parameter,")),
        ("LATENCYTOP", "latencytop", ("CONFIG_LATENCYTOP=y", "no kernel parses it")),
        ("AUDIT", "audit", ("Audit [audit]", "audit= (boot parameter")),
    ],
)
def test_names_that_differ_in_case_only(explained, first, second, telling):
    one, other = explained(first), explained(second)
    assert one != other
    assert telling[0] in one
    assert telling[1] in other
    assert telling[1] not in one


@each("name", ["io-scheduler", "kernel.numa_balancing", "preempt", "amd_pstate"])
def test_other_kinds_of_names(explained, name):
    assert explained(name)


@each(
    ("name", "telling"),
    [
        ("vm.panic_on_oom", "vm.panic_on_oom (sysctl)"),
        ("vm.panic_on_oom", "takes a number from 0"),
        ("/proc/sys/vm/panic_on_oom", "vm.panic_on_oom (sysctl)"),
        ("net/ipv4/ip_local_reserved_ports", "kernels 6.1.192 to"),
        ("net.ipv4.conf.eth0.arp_announce", "net.ipv4.conf.*.arp_announce"),
    ],
)
def test_a_sysctl_that_no_rule_knows(explained, name, telling):
    assert telling in explained(name)


@each(
    ("path", "telling"),
    [
        ("/proc/sys/vm/swappiness", "[swappiness]"),
        ("/sys/block/sda/queue/scheduler", "[io-scheduler]"),
        ("/sys/devices/system/cpu/cpu3/power/pm_qos_resume_latency_us", "[cpu-latency-limit]"),
        ("/sys/module/kvm/parameters/nx_huge_pages", "[nx-huge-pages]"),
        ("/sys/module/nvme_core/parameters/max_retries", "nvme_core.max_retries= (boot parameter"),
        ("/sys/bus/usb/devices/1-1/power/control", "[usb-device-power]"),
        ("/sys/bus/usb/devices/1-1/power/level", "(file of a running kernel)"),
        ("/sys/kernel/ktimer_lockless_check", "ktimer_lockless_check (out-of-tree"),
    ],
)
def test_a_file_of_a_running_kernel(explained, path, telling):
    assert telling in explained(path)
    assert telling in explained(f"{path}=1")


@each(
    ("path", "meant"),
    [
        ("/sys/block/sda/queue/schedulr", "/sys/block/*/queue/scheduler"),
        ("/proc/sys/vm/swapiness", "vm.swappiness"),
        ("/sys/module/kvm/parameters/nonsuch", ""),
        ("/sys/audit", ""),
    ],
)
def test_a_file_that_no_kernel_has(built_in, path, meant):
    with pytest.raises(UsageError) as raised:
        explain(path, built_in)
    assert meant in raised.value.hint
    assert bool(meant) is ("did you mean" in raised.value.hint)


def test_an_id_shows_that_tunable_alone(explained):
    assert explained("preemption-model").count(" checked against Linux ") == 1


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("NO_HZ_FUL", "NO_HZ_FULL"),
        ("CONFIG_PREEMPT_NOEN=y", "PREEMPT_NONE"),
        ("nohz_ful=1-3", "nohz_full"),
        ("timer-frequenzy", "timer-frequency"),
        ("fasboot", "fastboot"),
        ("oprofiel", "oprofile"),
    ],
)
def test_an_unknown_name_gets_near_ones(run_inside, name, near):
    result = run_inside("explain", name)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"kernel-advisor: explain: {name!r} is no symbol, parameter or")
    assert "(did you mean " in result.stderr
    assert near in result.stderr.partition("did you mean ")[2].rstrip("?)\n").split(", ")


@pytest.mark.parametrize(
    "name", ["qqq", "", " ", "=", "CONFIG_", "*", "HZ\n250", "\x1b[31m", "ü" * 500]
)
def test_a_name_that_is_like_none(run_inside, name):
    result = run_inside("explain", name)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.rstrip("\n").isprintable()
    assert result.stderr.startswith("kernel-advisor: explain: ")


@pytest.mark.slow
def test_own_rules_are_explained_too(run_inside, own):
    for name in ("widget", "WIDGET", "CONFIG_WIDGET=y"):
        result = run_inside("explain", name, "--rules", own / "rules")
        assert result.stdout.startswith("Widget [widget]\n")
    assert run_inside("explain", "widget").code == 2
