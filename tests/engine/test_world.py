"""What is effective, and which line makes it so."""

from __future__ import annotations

import pytest

from advisor.engine.effective.boot_line import HONOURED
from advisor.engine.effective.world import World
from advisor.model.kernel import Inferred, Layer, parse_version

DYNAMIC = "PREEMPT_DYNAMIC=y PREEMPT_VOLUNTARY=y PREEMPT=n PREEMPT_NONE=n"


def effective(world, tunable):
    state = world.state(tunable)
    return None if state is None else state.effective


def made_by(world, tunable):
    return [(origin.layer, origin.text) for origin in world.state(tunable).origins]


def test_compiled_choice_with_its_line(make_world):
    world = make_world("HZ_100=n HZ_250=y HZ=250")
    state = world.state("timer-frequency")
    assert state.effective == ("250",)
    (origin,) = state.origins
    assert (origin.text, str(origin.location)) == ("CONFIG_HZ_250=y", ".config:2")


def test_boot_line_over_the_compiled_choice(make_world):
    world = make_world(DYNAMIC, cmdline="quiet preempt=full")
    assert effective(world, "preemption-model") == ("full",)
    assert world.state("preemption-model").compiled == ("voluntary",)
    assert made_by(world, "preemption-model") == [(Layer.BOOT, "preempt=full")]
    assert world.state("preemption-model").origins[0].location.column == 7


def test_a_parameter_without_its_feature_decides_nothing(make_world):
    world = make_world("PREEMPT_VOLUNTARY=y PREEMPT_DYNAMIC=n", cmdline="preempt=full")
    assert effective(world, "preemption-model") == ("voluntary",)


def test_a_refused_word_leaves_the_earlier_one(make_world):
    world = make_world(DYNAMIC, cmdline="preempt=none preempt=fll")
    assert effective(world, "preemption-model") == ("none",)


def test_the_last_word_counts(make_world):
    assert effective(
        make_world(DYNAMIC, cmdline="preempt=full preempt=none"), "preemption-model"
    ) == ("none",)


def test_the_first_list_of_nohz_full_counts(make_world):
    world = make_world("NO_HZ_FULL=y SMP=y", cmdline="nohz_full=1-3 nohz_full=2", cpus=8)
    assert effective(world, "nohz-full-cpus") == ("1-3",)


def test_run_time_over_the_boot_line(make_world):
    world = make_world(
        "NUMA_BALANCING=y NUMA=y",
        cmdline="numa_balancing=enable",
        sysctl="kernel.numa_balancing = 0",
    )
    assert effective(world, "numa-balancing") == ("off",)
    assert made_by(world, "numa-balancing")[0][0] is Layer.RUNTIME


@pytest.mark.parametrize(
    ("config", "cmdline", "expected"),
    [
        # x86: the built-in line stands first, so the boot loader's word wins
        ('CMDLINE_BOOL=y CMDLINE="nohz=off"', None, "periodic"),
        ('CMDLINE_BOOL=y CMDLINE="nohz=off"', "nohz=on", "idle"),
        ('CMDLINE_BOOL=y CMDLINE_OVERRIDE=y CMDLINE="nohz=off"', "nohz=on", "periodic"),
        ('CMDLINE_BOOL=n CMDLINE="nohz=off"', None, "idle"),
    ],
)
def test_the_built_in_line_on_x86(make_world, config, cmdline, expected):
    world = make_world(f"NO_HZ_IDLE=y NO_HZ_COMMON=y {config}", cmdline=cmdline)
    assert effective(world, "tick-mode") == (expected,)


@pytest.mark.parametrize(
    ("config", "cmdline", "expected"),
    [
        ('CMDLINE="nohz=off" CMDLINE_FROM_BOOTLOADER=y', None, "periodic"),
        ('CMDLINE="nohz=off" CMDLINE_FROM_BOOTLOADER=y', "quiet", "idle"),
        ('CMDLINE="nohz=off" CMDLINE_FORCE=y', "quiet", "periodic"),
        ('CMDLINE="nohz=off" CMDLINE_EXTEND=y', "nohz=on", "periodic"),
        ('CMDLINE=""', "quiet", "idle"),
    ],
)
def test_the_built_in_line_on_arm64(make_world, config, cmdline, expected):
    world = make_world(f"NO_HZ_IDLE=y NO_HZ_COMMON=y {config}", cmdline=cmdline, arch="arm64")
    assert effective(world, "tick-mode") == (expected,)


def test_inputs_that_leave_several_possible(make_world):
    world = make_world(
        "CPU_FREQ=y X86_INTEL_PSTATE=y X86_AMD_PSTATE=y X86_AMD_PSTATE_DEFAULT_MODE=3 SMP=y ACPI=y"
    )
    values, missing = world.effective("cpufreq-driver")
    assert {"intel-pstate-active", "amd-pstate-active"} <= set(values)
    assert "vendor" in missing


def test_a_fragment_leaves_open_what_it_does_not_name(make_world):
    state = make_world("HIGH_RES_TIMERS=y", complete=False).state("timer-frequency")
    assert len(state.effective) > 1
    assert state.missing


def test_absent_is_not_off_but_not_there(make_world):
    assert effective(make_world("64BIT=y", arch="arm64"), "unwinder") is None


def test_an_old_symbol_stands_for_the_new_one(make_world):
    world = make_world("CPU_MITIGATIONS=y RETPOLINE=y")
    assert world.symbol("MITIGATION_RETPOLINE") == "y"
    assert world.spelled("MITIGATION_RETPOLINE") == "RETPOLINE"


def test_a_group_tells_its_members_apart(make_world):
    world = make_world("PROVE_LOCKING=y DEBUG_KERNEL=y KASAN=n DEBUG_VM=n")
    state = world.state("debug-overhead")
    assert state.effective == ("partly",)
    assert "PROVE_LOCKING" in dict(state.on)
    assert {"KASAN", "DEBUG_VM"} <= set(dict(state.off))


def test_a_backport_is_not_called_too_new(make_world):
    vendor = make_world(DYNAMIC, cmdline="preempt=full", kernel="5.10.0-21.el9.x86_64")
    assert effective(vendor, "preemption-model") == ("full",)
    vendor = make_world("SMP=y", cmdline="preempt=full", kernel="5.10.0-21.el9", complete=False)
    assert "full" in effective(vendor, "preemption-model")
    plain = make_world(DYNAMIC, cmdline="preempt=full", kernel="5.10")
    assert effective(plain, "preemption-model") == ("voluntary",)


def test_of_two_members_of_a_choice_the_later_line_counts(make_world):
    """As scripts/kconfig/confdata.c reads a file (6.12)."""
    lines = "CPU_FREQ=y CPU_FREQ_DEFAULT_GOV_PERFORMANCE=y HZ_100=n CPU_FREQ_DEFAULT_GOV_ONDEMAND=y"
    world = make_world(lines)
    assert world.symbol("CPU_FREQ_DEFAULT_GOV_PERFORMANCE") == "n"
    assert world.symbol("CPU_FREQ_DEFAULT_GOV_ONDEMAND") == "y"


def test_the_lazy_preemption_of_the_rt_patches_is_no_member_of_the_choice(make_world):
    lines = "SMP=y PREEMPT=y PREEMPT_RT_BASE=y PREEMPT_LAZY=y PREEMPT_RT_FULL=y"
    assert make_world(lines, kernel="4.4.100").symbol("PREEMPT") == "y"
    assert make_world("PREEMPT=y PREEMPT_LAZY=y", kernel="6.14").symbol("PREEMPT") == "n"


@pytest.mark.parametrize(
    ("after", "before", "live"), [("3.10", "4.9", True), ("5.10", "6.1", False)]
)
def test_a_word_is_read_or_not_as_the_age_of_an_untold_kernel_has_it(
    make_world, built_in, after, before, live
):
    world = make_world("BLOCK=y IOSCHED_BFQ=y", kernel=None, arch="x86")
    dated = Inferred(after=parse_version(after), before=parse_version(before))
    world = World(world.subject._replace(inferred=dated), built_in)
    name = built_in.name("scsi_mod.use_blk_mq")

    assert world.line.honours("elevator=bfq").truth is live
    assert world.lacks(name) is not live
    # Too new by its symbols, which do not tell what stable took.
    mitigations = world.line.honours("mitigations=off")
    assert (mitigations.cause, mitigations.truth) == (
        ("new", frozenset(("kernel",))) if live else (HONOURED.cause, mitigations.truth)
    )


@pytest.mark.parametrize(("before", "value"), [("4.9.0", "y"), ("7.0", "n")])
def test_nor_is_it_where_the_other_symbols_tell_that_the_kernel_is_old(
    make_world, built_in, before, value
):
    world = make_world("PREEMPT=y PREEMPT_LAZY=y PREEMPT_RT_FULL=y", kernel=None)
    dated = world.subject._replace(inferred=Inferred(before=parse_version(before)))
    assert World(dated, built_in).symbol("PREEMPT") == value
