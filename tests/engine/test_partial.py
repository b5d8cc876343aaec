"""Fragments and defconfigs: what they say is judged, and nothing is advised that may be untrue."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.judgement.judge import judge
from advisor.engine.remedy.blocked import Blocked, nowhere_on
from advisor.engine.remedy.rebuild import rebuild
from advisor.engine.remedy.remedies import untold_needs
from advisor.engine.remedy.what_if import Goal
from advisor.model.finding import Verdict
from advisor.model.remedy import Remedy, RemedyKind
from advisor.output import phrases

RT = "CGROUPS=y CGROUP_SCHED=y RT_GROUP_SCHED=y PREEMPT_RT=y"
THP = "TRANSPARENT_HUGEPAGE=y"
OPEN = {"arch": None, "kernel": None}


@pytest.fixture
def found(make_world):
    """The finding of an advice on a fragment of these lines."""

    def of(advice, lines="NAMESPACES=y", **told):
        world = make_world(lines, **{"complete": False, **told})
        findings = judge(world, [world.knowledge.profile(advice.partition("/")[0])])
        return next(finding for finding in findings if finding.id == advice)

    return of


# RT_GROUP_SCHED_DEFAULT_DISABLED came with 6.16, and is off unless a line says otherwise.
@pytest.mark.parametrize("kernel", ["6.12", "6.12.117-vendor", "6.12.400", "6.18", None])
@pytest.mark.parametrize("arch", ["arm64", "x86"])
def test_an_explicit_line_is_judged_whatever_kconfig_adds_to_it(found, kernel, arch):
    finding = found("realtime/rt-group-sched", RT, kernel=kernel, arch=arch)
    assert finding.verdict is Verdict.CHANGE
    assert [origin.text for origin in finding.state.origins] == ["CONFIG_RT_GROUP_SCHED=y"]


@pytest.mark.parametrize(
    ("tunable", "lines", "value", "line"),
    [
        ("tick-mode", "NO_HZ=y", "idle", "CONFIG_NO_HZ=y"),
        ("preempt-rt", "PREEMPT_VOLUNTARY=y", "off", "lack of CONFIG_PREEMPT_RT"),
        ("psi", "PSI=y", "on", "CONFIG_PSI=y"),
        ("zswap", "ZSWAP=y", "built", "CONFIG_ZSWAP=y"),
        ("multigen-lru", "LRU_GEN=y", "built", "CONFIG_LRU_GEN=y"),
        ("transparent-hugepages", THP, "always", f"CONFIG_{THP}"),
        ("numa-balancing", "NUMA=y NUMA_BALANCING=y", "on", "CONFIG_NUMA_BALANCING=y"),
    ],
)  # fmt: skip
def test_what_kconfig_gives_beside_a_line_need_not_be_told(make_world, tunable, lines, value, line):
    state = make_world(lines, complete=False, kernel=None).state(tunable)
    assert state.effective == (value,)
    assert state.missing == frozenset()
    assert [origin.text for origin in state.origins] == [line]


@pytest.mark.parametrize("lines", ["NO_HZ=y NO_HZ_IDLE=n", "NO_HZ=y HZ_PERIODIC=n", "HZ=250"])
def test_a_default_is_not_taken_beside_a_line_about_the_choice(make_world, lines):
    """The counter-test: somebody has chosen, and the fragment does not say what."""
    assert len(make_world(lines, complete=False).state("tick-mode").effective) > 1


def test_a_line_of_the_choice_goes_before_its_default(make_world):
    world = make_world("NO_HZ=y NO_HZ_FULL=y", complete=False)
    assert world.state("tick-mode").effective == ("full",)


def test_a_choice_that_a_fragment_decides_has_its_other_members(found):
    finding = found("desktop-latency/timer-frequency", "HZ_100=y", arch="riscv")
    assert finding.verdict is Verdict.CHANGE
    assert [(c.symbol, c.new) for c in finding.remedies[0].changes] == [
        ("HZ_1000", "y"), ("HZ", "1000"), ("HZ_100", "n"),
    ]  # fmt: skip


def test_no_line_is_asked_for_what_only_later_kernels_have(found):
    """RCU_LAZY is of 6.2, what leaves it off by default of 6.9."""
    lines = "RCU_NOCB_CPU=y RCU_EXPERT=y RCU_LAZY=n"
    (early,) = found("power-saving/rcu-lazy", lines, kernel="6.2.2").remedies
    assert [(c.symbol, c.new) for c in early.changes] == [("RCU_LAZY", "y")]
    (late,) = found("power-saving/rcu-lazy", lines, kernel="6.12").remedies
    assert ("RCU_LAZY_DEFAULT_OFF", "n") in [(c.symbol, c.new) for c in late.changes]


def test_what_a_kernel_has_not_is_named_in_words(make_world):
    world = make_world("NET=y", kernel="4.4.1")
    outcome = rebuild(world.knowledge.tunable("slab-merging"), "off", world)
    assert isinstance(outcome, Blocked)
    assert outcome.reason == "needs SLAB_MERGE_DEFAULT, which this kernel does not have"


def test_but_not_one_that_no_such_kernel_has(make_world):
    """arm alone has 500 ticks a second."""
    world = make_world("HZ_100=y", complete=False, arch="riscv", kernel="6.12")
    outcome = rebuild(world.knowledge.tunable("timer-frequency"), "500", world)
    assert isinstance(outcome, Blocked)
    assert outcome.reason == "this kernel has no HZ_500"


def kinds(finding):
    return [remedy.kind for remedy in finding.remedies]


def test_nothing_is_set_at_run_time_of_which_no_line_tells_that_it_is_built(found):
    """arm64 does not build PREEMPT_DYNAMIC unless asked; and the governor has to be there."""
    lines = "PREEMPT=y DEBUG_FS=y CPU_FREQ=y CPU_FREQ_DEFAULT_GOV_POWERSAVE=y"
    for advice in ("hpc-compute/preemption-model", "hpc-compute/cpufreq-governor"):
        finding = found(advice, lines, arch="arm64")
        assert (finding.verdict, kinds(finding)) == (Verdict.CHANGE, [RemedyKind.REBUILD])


@pytest.mark.parametrize("line", ["POWERSAVE=y CPU_FREQ_GOV_PERFORMANCE=y", "ONDEMAND=y"])
def test_where_a_line_tells_so_it_is(found, line):
    """Itself, or by what it brings along: most governors bring performance."""
    lines = f"CPU_FREQ=y CPU_FREQ_DEFAULT_GOV_{line}"
    finding = found("hpc-compute/cpufreq-governor", lines, arch="arm64")
    assert kinds(finding)[0] is RemedyKind.RUNTIME


def test_nobody_settles_for_less_because_a_line_is_missing(found):
    lines = "CPU_FREQ=y CPU_FREQ_DEFAULT_GOV_ONDEMAND=y CPU_FREQ_GOV_POWERSAVE=y"
    finding = found("realtime/cpufreq-governor", lines, arch="arm64")
    assert {remedy.value for remedy in finding.remedies} == {"performance"}


def test_a_word_is_offered_where_it_rests_on_what_the_setting_rests_on(found):
    """No line tells of PM, which the setting needs, and the word that changes it."""
    told = {"kernel": "6.18.0", "arch": "arm64", "cmdline": "usbcore.autosuspend=-1"}
    first = found("power-saving/usb-autosuspend", "USB=y", **told).remedies[0]
    assert (first.kind, first.words) == (RemedyKind.BOOT, ("usbcore.autosuspend=2",))
    assert first.drop == ("usbcore.autosuspend=-1",)


def test_a_rebuild_says_what_it_needs_that_no_line_tells(found):
    finding = found("realtime/preempt-rt", "PREEMPT=y", arch="arm64", kernel="6.12.0")
    assert finding.verdict is Verdict.CHANGE
    assert finding.reason == "the rebuild also needs EXPERT, which no given input shows"


def test_a_rebuild_asks_for_nothing_that_an_architecture_always_has(found):
    told = {"arch": "arm64", "kernel": "6.12.0"}
    finding = found("realtime/preempt-rt", "EXPERT=y PREEMPT=y", **told)
    assert (finding.verdict, finding.reason) == (Verdict.CHANGE, "")


@pytest.mark.parametrize(("arch", "reason"), [("arm64", False), ("x86", True)])
def test_several_processors_are_asked_for_where_there_is_a_question_of_it(make_world, arch, reason):
    world = make_world("CPU_FREQ=y", arch=arch, kernel="6.12.0", complete=False)
    remedy = Remedy(RemedyKind.REBUILD, "schedutil")
    goal = Goal(world.knowledge.tunable("cpufreq-governor"), bool, world)
    text = untold_needs([remedy], goal)
    assert ("SMP" in text) is reason


def test_a_number_that_no_line_gives_is_unknown_and_not_missing(found):
    finding = found("server-throughput/nr-cpus", arch="x86", cpus=64)
    assert (finding.verdict, finding.reason) == (Verdict.UNKNOWN, "no line names NR_CPUS")


@pytest.mark.parametrize("driver", ["", "X86_ACPI_CPUFREQ=y"])
def test_no_driver_is_said_to_decide_by_itself_that_no_line_names(make_world, driver):
    lines = f"CPU_FREQ_DEFAULT_GOV_USERSPACE=y {driver}"
    assert make_world(lines, complete=False, kernel=None).state("cpufreq-governor").why == ""


@pytest.mark.parametrize(
    ("kernel", "values"),
    [("4.19", ("on",)), ("5.2.21", ("on",)), ("5.3", ("off",)), ("5.11", ("off",)),
     (None, ("on", "off"))],
)  # fmt: skip
def test_an_old_name_does_not_count_in_a_kernel_that_no_longer_reads_it(make_world, kernel, values):
    world = make_world("PREEMPT=y PREEMPT_RT_FULL=y", complete=False, kernel=kernel)
    assert world.state("preempt-rt").effective == values


def test_nor_does_any_other(make_world):
    for kernel, value in (("6.8", "y"), ("6.12", None)):
        world = make_world("PAGE_TABLE_ISOLATION=y", complete=False, kernel=kernel)
        assert world.symbol("MITIGATION_PAGE_TABLE_ISOLATION") == value
    whole = make_world("PAGE_TABLE_ISOLATION=y", kernel="6.12")
    assert whole.symbol("MITIGATION_PAGE_TABLE_ISOLATION") == "y"


@pytest.mark.parametrize(
    ("kernel", "told"),
    [
        (
            "4.19",
            (
                "symbol-unknown",
                "keep the line only if the kernel has the patch that adds the symbol",
            ),
        ),
        ("5.11", ("symbol-stale", "write PREEMPT_RT")),
        (None, ("symbol-unknown", "write PREEMPT_RT, its name since 5.3")),
    ],
)
def test_what_is_said_of_an_old_name_fits_the_verdict(make_world, kernel, told):
    world = make_world("PREEMPT=y PREEMPT_RT_FULL=y", complete=False, kernel=kernel)
    said = [(one.id, one.remedy) for one in diagnose(world) if one.subject == "PREEMPT_RT_FULL"]
    assert said == [told]


def test_a_line_about_the_other_symbol_decides_as_before(found):
    lines = f"{RT} RT_GROUP_SCHED_DEFAULT_DISABLED=n"
    assert found("realtime/rt-group-sched", lines, kernel="6.18").verdict is Verdict.CHANGE


@pytest.mark.parametrize(
    ("symbol", "told", "value"),
    [
        ("X86_X2APIC", {"arch": "arm64", "kernel": None}, "n"),
        ("X86_X2APIC", {"arch": "arm64", "kernel": "6.12"}, "n"),
        ("X86_X2APIC", {"arch": "x86", "kernel": "6.12"}, None),
        ("X86_X2APIC", OPEN, None),
        ("X86_X2APIC", {"arch": "um", "kernel": None}, "n"),
        ("ARM64_VA_BITS_48", {"arch": "x86", "kernel": None}, "n"),
        ("HZ_1000", {"arch": "arm64", "kernel": None}, None),
        ("OF_NO_KERNEL", {"arch": "x86", "kernel": "6.12"}, None),
        # Another name of it is in this kernel.
        ("MITIGATION_RETPOLINE", {"arch": "x86", "kernel": "6.1"}, None),
    ],
)
def test_a_symbol_that_the_kernel_surely_does_not_have_is_off(make_world, symbol, told, value):
    world = make_world("NAMESPACES=y", complete=False, **told)
    assert world.symbol(symbol) == value
    assert world.present(symbol) is (None if value is None else False)


@pytest.mark.parametrize(
    ("advice", "missing"),
    [
        ("network-latency/tsc-trust", {"arch"}),
        ("realtime/smt", {"arch", "HOTPLUG_SMT"}),
        ("network-latency/cstate-limit", {"arch"}),
    ],
)
def test_nothing_of_one_architecture_is_advised_while_it_is_open(found, advice, missing):
    finding = found(advice, **OPEN)
    assert (finding.verdict, finding.remedies) == (Verdict.UNKNOWN, ())
    assert missing <= finding.missing


def test_what_nothing_selects_on_the_architecture_is_not_there(found):
    """arm64 has HOTPLUG_SMT in Kconfig, and nothing that selects it in 6.12; powerpc may."""
    assert found("realtime/smt", arch="arm64").verdict is Verdict.NOT_APPLICABLE
    finding = found("realtime/smt", arch="powerpc")
    assert (finding.verdict, finding.remedies) == (Verdict.UNKNOWN, ())
    assert found("realtime/smt", "HOTPLUG_SMT=y").verdict is Verdict.CHANGE


def test_with_the_architecture_it_is(found):
    finding = found("network-latency/tsc-trust", arch="x86")
    assert finding.verdict is Verdict.CHANGE
    assert found("network-latency/tsc-trust", arch="arm64").verdict is Verdict.NOT_APPLICABLE


def test_a_word_of_one_architecture_may_count_while_it_is_open(make_world):
    world = make_world("NAMESPACES=y", complete=False, cmdline="tsc=reliable", **OPEN)
    assert world.line.honours("tsc=reliable").truth == frozenset(("arch",))
    assert set(world.state("tsc-trust").effective) == {"reliable", "automatic"}


@pytest.mark.parametrize(
    "told", [OPEN, {"kernel": None}, {"arch": None}, {"arch": "x86", "kernel": "6.12"}]
)
def test_no_fragment_is_told_that_there_is_no_way(make_world, told):
    world = make_world("NAMESPACES=y", complete=False, **told)
    profiles = [world.knowledge.profile(name) for name in world.knowledge.ids("profiles")]
    wrong = [
        finding.id
        for finding in judge(world, profiles)
        if finding.verdict is Verdict.BLOCKED and "no known change" in finding.reason
    ]
    assert wrong == []


def test_a_whole_kernel_of_unknown_version_has_ways_that_nobody_knows(found):
    """The counter-test: with its version the same is blocked."""
    lines = "TICK_ONESHOT=n HIGH_RES_TIMERS=n NO_HZ_COMMON=n"
    finding = found("network-latency/skew-tick", lines, kernel="6.12", complete=True)
    assert finding.verdict in (Verdict.BLOCKED, Verdict.NOT_APPLICABLE)


def test_the_tree_is_named_once_with_what_it_answers(make_world):
    world = make_world("NAMESPACES=y", complete=False, kernel="6.12")
    findings = judge(world, [world.knowledge.profile("server-throughput")])
    told = dict(phrases.missing(f for f in findings if f.verdict is Verdict.UNKNOWN))
    symbols = [f for f in findings if any(name.isupper() for name in f.missing)]
    assert told["--tree DIR, or the whole configuration"] > 0.5 * len(symbols) > 0


def test_an_image_is_packed_as_its_architecture_can(found):
    """powerpc has gzip, and for some of its machines XZ, LZMA or LZO (arch/powerpc/Kconfig)."""
    finding = found("embedded-fastboot/kernel-compression", "KERNEL_XZ=y", arch="powerpc")
    assert [(c.symbol, c.new) for c in finding.remedies[0].changes] == [
        ("KERNEL_GZIP", "y"), ("KERNEL_XZ", "n"),
    ]  # fmt: skip


def test_a_line_about_what_no_such_kernel_has_is_no_proof_of_it(make_world):
    # A list of everything, as OpenWrt's for all its boards, names every architecture's symbols.
    listed = "PREEMPT_NONE=y PREEMPT_RT=n X86_INTEL_PSTATE=n SCHED_MC=n CPU_FREQ=n PSI=n"
    told = {"complete": False, "arch": "mips", "kernel": "6.12.74"}
    world = make_world(listed, **told)
    names = ("PREEMPT_RT", "X86_INTEL_PSTATE", "SCHED_MC")
    assert [world.present(name) for name in (*names, "PSI")] == [False, False, False, True]
    assert all(world.symbol(name) == "n" for name in (*names, "ARCH_SUPPORTS_RT"))
    # Where the line says that it is on, a patch has brought it.
    assert make_world("PREEMPT_RT=y", **told).symbol("PREEMPT_RT") == "y"
    # A kernel that only proves that everything compiles is not judged by its machine.
    assert make_world(f"COMPILE_TEST=y {listed}", **told).present("PREEMPT_RT") is True


@pytest.mark.parametrize(
    ("advice", "lines", "verdict"),
    [
        ("realtime/preempt-rt", "PREEMPT_NONE=y PREEMPT_RT=n", Verdict.BLOCKED),
        ("realtime/preemption-model", "PREEMPT_NONE=y PREEMPT=n PREEMPT_RT=n", Verdict.CHANGE),
        ("power-saving/cpufreq", "RALINK=y CPU_FREQ=n", Verdict.NOT_APPLICABLE),
        ("network-throughput/transparent-hugepages", "CPU_MIPS32_R2=y TRANSPARENT_HUGEPAGE=n",
         Verdict.BLOCKED),
        ("diagnosis/bug-locations", "DEBUG_BUGVERBOSE=n", Verdict.NOT_APPLICABLE),
        ("virtualization-guest/ptp-kvm", "PTP_1588_CLOCK_KVM=n", Verdict.NOT_APPLICABLE),
    ],
)  # fmt: skip
def test_nothing_is_advised_that_the_architecture_cannot_have(found, advice, lines, verdict):
    assert found(advice, lines, arch="mips", kernel="6.12.74").verdict is verdict


def test_a_driver_of_another_machine_is_no_part_of_a_remedy(found):
    lines = "CPU_FREQ=n ARM_RASPBERRYPI_CPUFREQ=n X86_INTEL_PSTATE=n CPUFREQ_DT=n"
    finding = found("power-saving/cpufreq", lines, arch="mips", kernel="6.12.74")
    changed = [change.symbol for change in finding.remedies[0].changes]
    assert changed == ["CPU_FREQ", "CPUFREQ_DT"]
    assert finding.reason == (
        "the rebuild also needs CPU_SUPPORTS_CPUFREQ and MIPS_EXTERNAL_TIMER, "
        "which no given input shows"
    )


@pytest.mark.parametrize(
    ("lines", "sure"), [("SMP=y", False), ("SMP=y NO_HZ_FULL=y RCU_NOCB_CPU=y", True)]
)
def test_no_word_is_needless_beside_one_that_the_kernel_may_not_read(make_world, lines, sure):
    world = make_world(lines, cmdline="nohz_full=2-7 rcu_nocbs=2-7", complete=False, kernel="5.11")
    told = {(one.id, one.subject) for one in diagnose(world)}
    assert (("parameter-redundant", "rcu_nocbs=2-7") in told) is sure


@pytest.mark.parametrize(
    ("lines", "truth"), [("PREEMPT=y", None), ("NO_HZ_IDLE=y", True), ("HZ_PERIODIC=n", None)]
)
def test_a_word_counts_where_the_kernel_surely_reads_it(make_world, lines, truth):
    world = make_world(lines, cmdline="nohz=off", complete=False, kernel="6.12")
    found = world.boot("nohz=off")
    assert found is True if truth else isinstance(found, frozenset)


# --- what Kconfig gives without being asked ------------------------------------------------------


@pytest.mark.parametrize(
    ("symbol", "lines", "kernel", "arch", "value"),
    [
        ("NO_HZ_COMMON", "NO_HZ_IDLE=y", "6.12", "x86", "y"),
        ("TICK_ONESHOT", "NO_HZ_IDLE=y", "6.12", "x86", "y"),  # through NO_HZ_COMMON
        ("NO_HZ_COMMON", "NO_HZ_IDLE=y", "7.0", "arm64", "y"),
        ("NO_HZ_COMMON", "NO_HZ_IDLE=n", "6.12", "x86", None),
        ("NO_HZ_COMMON", "NO_HZ_IDLE=y", "5.4", "x86", None),  # older than what was read
        ("CPU_MITIGATIONS", "PREEMPT=y", "6.12", "arm64", "y"),
        ("CPU_MITIGATIONS", "PREEMPT=y", "6.12", "x86", None),  # which asks whoever builds it
        ("CPU_MITIGATIONS", "PREEMPT=y", "6.12", None, None),
        ("SMP", "PREEMPT=y", "6.12", "arm64", "y"),
        ("SMP", "PREEMPT=y", "6.12", "riscv", None),
        ("VIRTIO", "VIRTIO_CONSOLE=m", "6.12", "x86", None),  # y or m
    ],
)  # fmt: skip
def test_what_something_else_has_on_need_not_be_told(
    make_world, symbol, lines, kernel, arch, value
):
    world = make_world(lines, complete=False, kernel=kernel, arch=arch)
    assert world.symbol(symbol) == value
    assert make_world(lines, kernel=kernel, arch=arch).symbol(symbol) == "n"  # a whole one shows it


def test_what_brings_a_symbol_is_the_line_that_tells_of_it(make_world):
    world = make_world("NO_HZ_IDLE=y", complete=False, kernel="6.12")
    assert world.told_by("TICK_ONESHOT") == ["NO_HZ_IDLE"]


def test_what_several_lines_have_on_rests_on_all_of_them(make_world):
    lines = "BUG_ON_DATA_CORRUPTION=y DEBUG_LIST=y"
    state = make_world(lines, complete=False, kernel="6.12").state("hardening")
    origin = dict(state.on)["LIST_HARDENED"]
    assert origin.text == "CONFIG_BUG_ON_DATA_CORRUPTION=y and CONFIG_DEBUG_LIST=y"


def test_a_tick_that_a_word_keeps_going_is_told_of_a_defconfig(found):
    finding = found("power-saving/tick-mode", "NO_HZ_IDLE=y", cmdline="nohz=off", arch="arm64")
    assert finding.verdict is Verdict.CHANGE
    assert finding.remedies[0].drop == ("nohz=off",)


@pytest.mark.parametrize(
    ("symbol", "reason"),
    [
        ("SLAB", "needs SLAB, which this kernel for arm64 does not have"),
        ("A2065", "needs A2065, which no kernel for arm64 has"),
    ],
)
def test_what_is_nowhere_on_says_so(make_world, symbol, reason):
    world = make_world("PREEMPT=y", complete=False, kernel="6.12", arch="arm64")
    assert nowhere_on(symbol, world) == reason
