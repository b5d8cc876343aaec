"""CPU lists on the boot line: judged by what the parameters make of them."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose

from .. import corpus
from ..cases import each

CONFIG = {
    "NO_HZ_FULL": "y", "CPU_ISOLATION": "y", "SMP": "y", "RCU_NOCB_CPU": "y", "NR_CPUS": "64",
    "PM_SLEEP_SMP": "y",
}  # fmt: skip


@pytest.fixture
def told(make_world):
    knowledge = corpus.knowledge()

    def tell(line, cpus=16, **more):
        config = " ".join(f"{key}={value}" for key, value in {**CONFIG, **more}.items())
        world = make_world(config, cmdline=line, cpus=cpus, knowledge=knowledge)
        return [
            (d.id, d.location.column)
            for d in diagnose(world)
            if d.id.startswith(("cpulist", "parameter-duplicate"))
        ]

    return tell


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nohz_full=2-15 isolcpus=2-15", []),
        ("quiet nohz_full=2-31", [("cpulist-beyond", 7)]),
        ("nohz_full=7-2", [("cpulist-malformed", 1)]),
        ("rcu_nocbs=0-40", [("cpulist-beyond", 1)]),
        ("nohz_full=0-15", [("cpulist-all", 1)]),
        ("isolcpus=0-15", [("cpulist-all", 1)]),
        ("nohz_full=0-7", [("cpulist-boot-cpu", 1)]),
        ("isolcpus=2-15 nohz_full=2-7", [("cpulist-differs", 15)]),
        ("nohz_full=2-7 isolcpus=domain,managed_irq,2-8", [("cpulist-differs", 15)]),
        ("isolcpus=domain,foo,2-15", [("cpulist-flag", 1)]),
        ("isolcpus=nohz,domain,2-15", []),
        ("rcu_nocbs", []),
        ("irqaffinity=0-1 nohz_full=2-15", []),
        ("nohz_full=2-7 nohz_full=2-15", [("parameter-duplicate", 15)]),
        ("nohz_full=2-7 nohz_full=2,3-7", []),
        ("isolcpus=domain,2-7 isolcpus=managed_irq,2-5", []),
        ("isolcpus=2-7 isolcpus=managed_irq,domain,2-5", [("parameter-duplicate", 14)]),
        ("isolcpus=nohz,2-7 nohz_full=2-5", [("parameter-duplicate", 19)]),
        ("rcu_nocbs=2-7 rcu_nocbs=2-5", [("parameter-duplicate", 1)]),
    ],
)
def test_lists_on_a_machine_of_sixteen(told, line, expected):
    assert told(line) == expected


def test_without_the_machine_the_kernels_own_limit_counts(told):
    assert told("nohz_full=2-15", cpus=None) == []
    assert told("nohz_full=2-99", cpus=None) == [("cpulist-beyond", 1)]


def test_a_kernel_that_may_start_elsewhere_keeps_cpu_0(told):
    assert told("nohz_full=0-7", PM_SLEEP_SMP_NONZERO_CPU="y") == []


def test_a_list_that_the_kernel_ignores_anyway_is_not_judged(told):
    assert told("nohz_full=99", NO_HZ_FULL="n") == []


@each(
    ("line", "kernel", "expected"),
    [
        ("nohz_full=2-7 isolcpus=2-5", "5.17", [("parameter-duplicate", 15)]),
        ("nohz_full=2-7 isolcpus=2-5", "5.18", [("cpulist-differs", 15)]),
        ("nohz_full=2-7 isolcpus=2-7", "5.17", []),
    ],
)
def test_all_lists_had_to_be_equal_up_to_5_17(make_world, line, kernel, expected):
    config = " ".join(f"{key}={value}" for key, value in CONFIG.items())
    world = make_world(config, cmdline=line, kernel=kernel, cpus=16)
    assert [(d.id, d.location.column) for d in diagnose(world)] == expected


@each(
    ("line", "kernel", "effective", "expected"),
    [
        # Before 4.15 no list has flags, and a word before it makes it malformed.
        ("isolcpus=nohz,2-7", "4.14", "none", ["cpulist-flag"]),
        ("isolcpus=domain,2-7", "4.9", "none", ["cpulist-flag"]),
        ("isolcpus=2-7", "4.14", "2-7", []),
        ("isolcpus=domain,2-7", "4.15", "domain,2-7", []),
        # Up to 5.7 one flag that is not known takes the whole list away.
        ("isolcpus=managed_irq,domain,2-7", "5.5", "none", ["cpulist-flag"]),
        ("isolcpus=managed_irq,domain,2-7", "5.6", "managed_irq,domain,2-7", []),
        ("isolcpus=domain,foo,2-7", "5.7", "none", ["cpulist-flag"]),
        ("isolcpus=domain,foo,2-7", "5.8", "domain,foo,2-7", ["cpulist-flag"]),
    ],
)
def test_a_flag_counts_from_its_release_on(make_world, line, kernel, effective, expected):
    config = "SMP=y CPU_ISOLATION=y NO_HZ_COMMON=y NO_HZ_FULL=y NR_CPUS=16"
    world = make_world(config, cmdline=line, kernel=kernel, cpus=16)
    assert world.state("isolated-cpus").effective == (effective,)
    assert [d.id for d in diagnose(world) if d.id.startswith("cpulist")] == expected
    no_tick = "2-7" if "nohz" in line and effective != "none" else "none"
    assert world.state("nohz-full-cpus").effective == (no_tick,)


@each(
    ("line", "tunable", "effective"),
    [
        ("nohz_full=2-99", "nohz-full-cpus", ("none",)),
        ("nohz_full=7-2", "nohz-full-cpus", ("none",)),
        ("nohz_full=2-7", "nohz-full-cpus", ("2-7",)),
        ("nohz_full=2-7 nohz_full=2-5", "nohz-full-cpus", ("2-7",)),
        ("nohz_full=2-99 nohz_full=2-5", "nohz-full-cpus", ("2-5",)),
        ("nohz=off nohz_full=2-7", "nohz-full-cpus", ("2-7",)),  # for all but the tick
        ("nohz=off nohz_full=2-7", "rcu-offload", ("listed",)),
        ("rcu_nocbs=2-99", "rcu-offload", ("all",)),
        ("rcu_nocbs=2-7", "rcu-offload", ("listed",)),
        ("nohz_full=2-99", "rcu-offload", ("none",)),
        ("isolcpus=2-99", "isolated-cpus", ("none",)),
        ("isolcpus=managed_irq,domain,0-15", "isolated-cpus", ("managed_irq,domain,1-15",)),
        ("isolcpus=0-7", "isolated-cpus", ("0-7",)),
        ("isolcpus=", "isolated-cpus", ("none",)),
        ("nohz_full= nohz_full=2-7", "nohz-full-cpus", ("2-7",)),
        ("isolcpus=all", "isolated-cpus", ("none",)),  # read as a flag
        ("nohz_full=0-7", "nohz-full-cpus", ("1-7",)),
        ("irqaffinity=99", "irq-affinity", ("0",)),
    ],
)
def test_a_list_counts_as_the_kernel_takes_it(make_world, line, tunable, effective):
    config = " ".join(f"{key}={value}" for key, value in {**CONFIG, "NO_HZ_COMMON": "y"}.items())
    world = make_world(config, cmdline=line, cpus=16)
    assert world.state(tunable).effective == effective


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("isolcpus=cpu2-15", "write isolcpus=2-15"),
        ("isolcpus=domain,cpu2-15", "write isolcpus=domain,2-15"),
        ("isolcpus=managed_irq,cpus2,4-7", "write isolcpus=managed_irq,2,4-7"),
        ("isolcpus=domain2,2-15", "write isolcpus=2,2-15"),
        ("isolcpus=no-hz,2-15", "write the list as 2-7,10: ascending, without blanks"),
    ],
)
def test_a_word_with_digits_is_no_flag(make_world, line, remedy):
    """housekeeping_isolcpus_setup() refuses the whole parameter for it, whatever stands behind."""
    config = " ".join(f"{key}={value}" for key, value in CONFIG.items())
    world = make_world(config, cmdline=line, cpus=16, knowledge=corpus.knowledge())
    (found,) = [one for one in diagnose(world) if one.id.startswith("cpulist")]
    assert (found.id, found.remedy) == ("cpulist-malformed", remedy)
    assert not any(given.counts for given in world.line.lists())


@pytest.mark.parametrize("arch", ["arm64", "arm", "riscv", "xtensa", "x86", "powerpc", "s390"])
@pytest.mark.parametrize("line", ["isolcpus=0", "isolcpus=0-1", "isolcpus=domain,0,3"])
def test_the_boot_cpu_where_no_other_is_present_yet(make_world, arch, line):
    """On arm64 the others become present in smp_prepare_cpus(), behind the reading of the line."""
    late = arch in ("arm64", "arm", "riscv", "xtensa")
    world = make_world("SMP=y CPU_ISOLATION=y", cmdline=line, cpus=4, arch=arch, kernel="6.12.0")
    ids = [one.id for one in diagnose(world) if one.id.startswith("cpulist")]
    assert ids == ["cpulist-boot-cpu"] * late
    (given,) = world.line.lists()
    value = given.counts.value if given.counts else None
    kept = {"isolcpus=0": None, "isolcpus=0-1": "1", "isolcpus=domain,0,3": "domain,3"}
    assert value == (kept[line] if late else line.partition("=")[2])


@pytest.mark.parametrize(
    ("line", "problem", "remedy"),
    [
        (
            "isolcpus=managed_irq,domain,4-N irqaffinity=0-15",
            "the list names CPUs 4-15, which isolcpus=managed_irq,domain,4-N isolates",
            "write irqaffinity=0-3",
        ),
        (
            "irqaffinity=0-5 isolcpus=4-7",
            "the list names CPUs 4-5, which isolcpus=4-7 isolates",
            "write irqaffinity=0-3",
        ),
        ("irqaffinity=0-3 isolcpus=4-7", "", ""),
        # These CPUs take part in everything else.
        ("irqaffinity=0-5 isolcpus=managed_irq,4-7", "", ""),
        ("isolcpus=domian,4-7", "there is no flag 'domian'", "write isolcpus=domain,4-7"),
        (
            "isolcpus=domain",
            "the list names no CPU",
            "write isolcpus=LIST, such as 2-7, or remove the parameter",
        ),
        (
            "maxcpus=4 isolcpus=2-7",
            "with maxcpus=4, the kernel starts none of the CPUs 4-7 at boot",
            "remove maxcpus=4, or bring the CPUs up: echo 1 > /sys/devices/system/cpu/cpu4/online",
        ),
        ("maxcpus=8 isolcpus=2-7", "", ""),
        ("maxcpus=4 isolcpus=managed_irq,2-7", "", ""),
        ("isolcpus=house,4-7", "there is no flag 'house'", "write isolcpus=4-7"),
    ],
)
def test_lists_that_contradict_each_other_and_flags(make_world, line, problem, remedy):
    world = make_world("SMP=y NR_CPUS=64 CPU_ISOLATION=y", cmdline=line, cpus=16)
    found = [(d.message.partition(": ")[2].partition(";")[0], d.remedy) for d in diagnose(world)]
    assert found == ([(problem, remedy)] if problem else [])
