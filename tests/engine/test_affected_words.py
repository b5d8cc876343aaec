"""What a remedy takes along: words of the boot line, options that it brings into sight, doubts."""

from __future__ import annotations

import pytest

from advisor.engine.judgement.judge import judge_advice
from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.rebuild import rebuild
from advisor.engine.remedy.remedies import beside_line
from advisor.engine.remedy.what_if import Goal
from advisor.model.remedy import Remedy, RemedyKind

TICK = """SMP=y CPU_ISOLATION=y NO_HZ_COMMON=y HZ_PERIODIC=n NO_HZ_IDLE=y NO_HZ_FULL=n NR_CPUS=64
HAVE_VIRT_CPU_ACCOUNTING_GEN=y HAVE_CONTEXT_TRACKING_USER=y"""
HUGE = "TRANSPARENT_HUGEPAGE=y TRANSPARENT_HUGEPAGE_ALWAYS=y TRANSPARENT_HUGEPAGE_MADVISE=n"
IDLE = "CPU_IDLE=y INTEL_IDLE=y ACPI=y ACPI_PROCESSOR=y ACPI_PROCESSOR_IDLE=y"


@pytest.fixture
def rebuilt(make_world, built_in):
    """The rebuild to a value, as the ladder has it."""

    def make(name, value, config, **told):
        world, tunable = make_world(config, **told), built_in.tunable(name)
        outcome = rebuild(tunable, value, world)
        assert isinstance(outcome, Remedy), outcome
        return beside_line(outcome, Goal(tunable, value.__eq__, world))

    return make


def test_a_word_that_only_the_new_kernel_would_read_goes_along(rebuilt):
    """NO_HZ_IDLE selects NO_HZ_COMMON, of which the configuration has no line before."""
    remedy = rebuilt(
        "tick-mode", "idle", "SMP=y HZ_PERIODIC=y NO_HZ_IDLE=n NO_HZ_FULL=n", kernel="6.12.117",
        arch="x86", cmdline="quiet nohz=off",
    )  # fmt: skip
    assert remedy.drop == ("nohz=off",)


@pytest.mark.parametrize(
    ("line", "drop"),
    [
        ("quiet transparent_hugepage=always", ("transparent_hugepage=always",)),
        ("quiet audit=0", ()),
    ],
)
def test_a_word_that_nothing_would_read_goes_along(rebuilt, line, drop):
    remedy = rebuilt("transparent-hugepages", "off", HUGE, cmdline=line)
    assert remedy.drop == drop


@pytest.mark.parametrize(
    ("line", "drop"),
    [
        ("nohz_full=1-3", ()),
        ("nohz_full=1-3 isolcpus=1-3", ()),
        ("nohz_full=1-3 isolcpus=1-2", ("nohz_full=1-3",)),
        ("nohz_full=3-1", ("nohz_full=3-1",)),
    ],
)
def test_a_list_that_waited_for_a_rebuild_acts_unless_it_is_wrong(rebuilt, line, drop):
    remedy = rebuilt("tick-mode", "full", TICK, cmdline=line, cpus=8)
    assert remedy.drop == drop


def test_a_word_that_is_doubtful_without_another_goes_with_it(make_world, built_in):
    line = "intel_idle.max_cstate=1 processor.max_cstate=1"
    world = make_world(IDLE, cmdline=line, cpus=8, vendor="intel", virtual="no")
    profile = built_in.profile("power-saving")
    advice = next(one for one in profile.advice if one.id == "cstate-limit")
    remedy = judge_advice(advice, world).remedies[0]
    assert (remedy.kind, remedy.drop) == (RemedyKind.BOOT, tuple(line.split()))


def test_what_comes_into_sight_is_set_as_the_value_asks(rebuilt):
    remedy = rebuilt("memory-allocation-profiling", "built", "PROC_FS=y MEM_ALLOC_PROFILING=n")
    assert [(c.symbol, c.new) for c in remedy.changes] == [
        ("MEM_ALLOC_PROFILING", "y"),
        ("MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT", "n"),
    ]


def test_what_is_off_by_default_needs_no_line(rebuilt):
    remedy = rebuilt("psi", "on", "PSI=n")
    assert [change.symbol for change in remedy.changes] == ["PSI"]


def test_no_option_is_worth_another_port(make_world, built_in):
    world = make_world("SMP=y 64BIT=n X86_32=y", kernel="4.4.1")
    outcome = rebuild(built_in.tunable("numa"), "on", world)
    assert outcome == Blocked("needs a 64-bit kernel")


def test_what_another_tunable_brings_into_sight_can_be_had(make_world, built_in):
    from advisor.engine.remedy.what_if import world_with

    world = make_world("ARCH_SUPPORTS_RT=y EXPERT=y PREEMPT_RCU=y PREEMPT_RT=n PREEMPT=y")
    boost, outcome = (
        built_in.tunable("rcu-boost"),
        rebuild(built_in.tunable("preempt-rt"), "on", world),
    )
    assert isinstance(rebuild(boost, "on", world), Blocked)
    assert isinstance(outcome, Remedy)
    then = rebuild(boost, "on", world_with(world, outcome.changes))
    assert isinstance(then, Remedy)
    assert [change.symbol for change in then.changes] == ["RCU_BOOST"]


@pytest.mark.parametrize(
    ("cpus", "isolate", "drop"),
    [
        ("4-7", "4-7", ("nohz=off",)),
        ("4-7", "2-3", ("nohz=off", "nohz_full=4-7")),
        ("7-4", None, ("nohz=off", "nohz_full=7-4")),  # no list, and none is to be isolated
    ],
)
def test_the_list_of_the_cpus_that_are_isolated_stays(make_world, built_in, cpus, isolate, drop):
    config = TICK.replace("NO_HZ_IDLE=y NO_HZ_FULL=n", "NO_HZ_IDLE=n NO_HZ_FULL=y")
    line = f"nohz=off nohz_full={cpus}"
    world = make_world(config, cmdline=line, cpus=8, isolate=isolate)
    profile = built_in.profile("network-latency")
    advice = next(one for one in profile.advice if one.id == "tick-mode")
    remedy = judge_advice(advice, world).remedies[0]
    assert (remedy.kind, remedy.drop) == (RemedyKind.BOOT, drop)
