"""What kernels were before today's way: no state and no remedy is of a time that came later."""

from __future__ import annotations

import pytest

from advisor.engine.judgement.judge import judge
from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.rebuild import rebuild
from advisor.model.finding import Verdict


@pytest.fixture
def found(make_world):
    """What an advice comes to on a whole configuration of these lines."""

    def of(advice, lines, **told):
        world = make_world(lines, **told)
        findings = judge(world, [world.knowledge.profile(advice.partition("/")[0])])
        (finding,) = (finding for finding in findings if finding.id == advice)
        return finding

    return of


PERIODIC = "HZ_PERIODIC=y CPU_IDLE=y CPU_IDLE_GOV_LADDER=y CPU_IDLE_GOV_MENU=y INTEL_IDLE=y"


@pytest.mark.parametrize(
    ("kernel", "cmdline", "effective", "kinds"),
    [
        ("4.1.2", None, "menu", []),
        ("4.9.30", None, "ladder", []),
        ("4.9.30", "cpuidle_sysfs_switch", "ladder", ["runtime"]),
        ("5.4.286", None, "ladder", ["boot"]),
        ("5.10.89", None, "ladder", ["runtime", "boot"]),
    ],
)
def test_the_governor_is_chosen_as_the_kernel_of_that_time_does(
    found, kernel, cmdline, effective, kinds
):
    lines = f"{PERIODIC} ACPI=y PM=y"
    finding = found("power-saving/cpuidle-governor", lines, kernel=kernel, cmdline=cmdline)
    assert finding.state.effective == (effective,)
    assert [remedy.kind.value for remedy in finding.remedies] == kinds


NO_STACKS = """HAVE_CC_STACKPROTECTOR=y CC_STACKPROTECTOR_NONE=y CC_STACKPROTECTOR_REGULAR=n
CC_STACKPROTECTOR_STRONG=n"""


@pytest.mark.parametrize(
    ("lines", "kernel", "arch", "given_up"),
    [
        ("CC_STACKPROTECTOR=n", "3.16.76", "powerpc", None),
        ("CC_STACKPROTECTOR=n", "3.10.99", "x86", set()),
        (f"{NO_STACKS} CC_STACKPROTECTOR=n", "4.9.0", "arm", {"CC_STACKPROTECTOR_NONE"}),
        (f"{NO_STACKS} CC_STACKPROTECTOR_AUTO=n", "4.17.0", "x86", {"CC_STACKPROTECTOR_NONE"}),
    ],
)
def test_stacks_are_protected_by_what_the_kernel_of_that_time_offers(
    found, lines, kernel, arch, given_up
):
    finding = found("network-throughput/memory-protection", lines, kernel=kernel, arch=arch)
    if given_up is None:
        assert finding.verdict is Verdict.NOT_APPLICABLE
        return
    (remedy,) = finding.remedies
    assert {c.symbol for c in remedy.changes if c.new == "n" and c.old == "y"} == given_up


@pytest.mark.parametrize(("kernel", "rebuilt"), [("4.9.165", False), ("4.14.177", True)])
def test_no_line_is_written_for_what_has_no_prompt(make_world, kernel, rebuilt):
    """HARDLOCKUP_DETECTOR followed from LOCKUP_DETECTOR before 4.13."""
    lines = "DEBUG_KERNEL=y LOCKUP_DETECTOR=y SOFTLOCKUP_DETECTOR=y HARDLOCKUP_DETECTOR=y"
    world = make_world(lines, kernel=kernel)
    outcome = rebuild(world.knowledge.tunable("nmi-watchdog"), "off", world)
    assert isinstance(outcome, Blocked) is not rebuilt
    assert rebuilt or "HARDLOCKUP_DETECTOR has no prompt" in outcome.reason


@pytest.mark.parametrize(
    ("tunable", "lines", "told", "effective", "place"),
    [
        (
            "hugetlb-vmemmap",
            "HUGETLB_PAGE_FREE_VMEMMAP=y HUGETLB_PAGE_FREE_VMEMMAP_DEFAULT_ON=n",
            {"kernel": "5.15.32"},
            "off",
            "HUGETLB_PAGE_FREE_VMEMMAP_DEFAULT_ON",
        ),
        (
            "hugetlb-vmemmap",
            "HUGETLB_PAGE_FREE_VMEMMAP=y HUGETLB_PAGE_FREE_VMEMMAP_DEFAULT_ON=y",
            {"kernel": "5.15.32"},
            "on",
            "HUGETLB_PAGE_FREE_VMEMMAP_DEFAULT_ON",
        ),
        (
            "memory-protection",
            "DEBUG_KERNEL=y DEBUG_RODATA=n CC_STACKPROTECTOR_NONE=n CC_STACKPROTECTOR_STRONG=y",
            {"kernel": "4.1.2"},
            "partly",
            "DEBUG_RODATA",
        ),
        ("debug-overhead", "RCU_PERF_TEST=y", {"kernel": "5.4.286"}, "on", "RCU_PERF_TEST"),
    ],
)
def test_the_name_of_the_time_is_read(make_world, tunable, lines, told, effective, place):
    state = make_world(lines, **told).state(tunable)
    assert state.effective == (effective,)
    assert place in str((state.origins, state.on, state.off))


@pytest.mark.parametrize("chosen", ["REGULAR", "STRONG"])
def test_a_rebuild_writes_the_name_of_the_time(make_world, chosen):
    """And leaves the choice alone, one member of which is as good as another."""
    other = {"REGULAR": "STRONG", "STRONG": "REGULAR"}[chosen]
    lines = "DEBUG_KERNEL=y DEBUG_RODATA=n DEBUG_SET_MODULE_RONX=n MODULES=y"
    lines += " CC_STACKPROTECTOR=y CC_STACKPROTECTOR_NONE=n"
    lines += f" CC_STACKPROTECTOR_{chosen}=y CC_STACKPROTECTOR_{other}=n"
    world = make_world(lines, kernel="4.1.2")
    remedy = rebuild(world.knowledge.tunable("memory-protection"), "on", world)
    assert {c.symbol for c in remedy.changes} == {"DEBUG_RODATA", "DEBUG_SET_MODULE_RONX"}


@pytest.mark.parametrize(
    ("arch", "kernel", "effective", "kinds"),
    [
        ("mips", "5.4.286", "0", ["runtime"]),
        ("arm64", "6.8.0", "0", ["runtime"]),
        ("arm64", "6.12.117", "1", ["runtime", "boot", "rebuild"]),
        ("x86", "5.4.286", "1", ["runtime", "boot", "rebuild"]),
    ],
)
def test_the_policy_of_sata_links_is_for_marked_chipsets_before_6_9(
    found, arch, kernel, effective, kinds
):
    lines = "PCI=y ATA=y SATA_AHCI=y SATA_MOBILE_LPM_POLICY=1"
    advice = "sata-link-power" if arch == "x86" else "sata-link-power-of-boards"
    finding = found(f"power-saving/{advice}", lines, kernel=kernel, arch=arch)
    assert finding.state.effective == (effective,)
    assert [remedy.kind.value for remedy in finding.remedies] == kinds


@pytest.mark.parametrize(
    ("lines", "kernel", "effective"),
    [("PREEMPT_RT_FULL=y", "4.1.2", "on"), ("PREEMPT_RT_FULL=y", "4.19.106", "off")],
)
def test_old_real_time_kernels_left_the_firmware_services_on(make_world, lines, kernel, effective):
    assert make_world(f"EFI=y {lines}", kernel=kernel).state("efi-runtime").effective == (
        effective,
    )
