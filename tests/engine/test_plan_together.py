"""The steps of one fragment stand together: none takes away what another needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.effective.world import World
from advisor.engine.remedy.what_if import world_with
from advisor.inputs.config import read_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.finding import Verdict
from advisor.model.kernel import Machine
from advisor.model.profile import Strength

from .. import corpus

ROOT = Path(__file__).parents[2]
KNOWLEDGE = corpus.knowledge()


def planned(subject, profile):
    policy = Policy(plan="fragment", weakest=Strength.COULD)
    return audit(subject, KNOWLEDGE, [KNOWLEDGE.profile(profile)], policy).plan


def needs_of(step):
    value = step.finding.tunable.value(step.remedy.value)
    return value.requires if value else step.finding.tunable.requires


@pytest.mark.parametrize("profile", KNOWLEDGE.ids("profiles"))
@pytest.mark.parametrize("config", ["x86_64-6.12", "arm64-6.1"])
def test_what_a_step_needs_is_there_with_all_of_them(config, profile):
    read = read_config(str(ROOT / f"examples/{config}.config.xz"))
    subject = subject_of(read, Given(Machine(cpus=4)))
    steps = planned(subject, profile).steps
    changes = {c.symbol: c for step in steps for c in step.remedy.changes}
    after = world_with(World(subject, KNOWLEDGE), changes.values())
    assert not [s.finding.id for s in steps if after.evaluate(needs_of(s)) is False]
    assert not [s.finding.id for s in steps if after.evaluate(s.finding.tunable.only_if) is False]


# A kernel that mounts its root by itself, and knows it from the line that it has built in.
ROOTED = (
    "BLK_DEV_INITRD=y RD_GZIP=y RD_XZ=y RD_LZ4=n BLOCK=y EXT4_FS=y CMDLINE_BOOL=y "
    'CMDLINE="root=/dev/mmcblk0p2"'
)


def test_the_weaker_one_goes_and_says_why(make_world):
    subject = make_world(ROOTED, kernel="6.1.0").subject
    plan = planned(subject, "embedded-fastboot")
    kept = {step.finding.advice.id for step in plan.steps}
    assert "initramfs-formats" in kept
    assert "initramfs" not in kept
    (told,) = (one for one in plan.omissions if one.advice.id == "initramfs")
    assert "Initramfs formats that unpack fast" in told.reason


def test_a_report_says_so_of_the_weaker_one(make_world):
    subject = make_world(ROOTED, kernel="6.1.0").subject
    found = audit(subject, KNOWLEDGE, [KNOWLEDGE.profile("embedded-fastboot")], Policy()).findings
    reasons = {one.advice.id: one.reason for one in found if one.remedies}
    undoes = "this change would remove other wanted settings: Initramfs formats that unpack fast"
    assert (reasons["initramfs"], reasons["initramfs-formats"]) == (undoes, "")


def test_what_the_other_brings_itself_is_not_lost(make_world):
    """Callbacks in threads need RCU_EXPERT, as the advice for them says, or the full tick mode."""
    config = "HZ_PERIODIC=y NO_HZ_IDLE=n NO_HZ_FULL=n TREE_RCU=y RCU_EXPERT=n SMP=y"
    subject = make_world(config, arch="arm64", kernel="6.17.8").subject
    profiles = [KNOWLEDGE.profile(name) for name in ("embedded-fastboot", "power-saving")]
    found = audit(subject, KNOWLEDGE, profiles, Policy()).findings
    asked = [(one.advice.key, one.reason) for one in found if one.remedies]
    assert ("power-saving/rcu-lazy", "") in asked
    assert ("embedded-fastboot/tick-mode", "") in asked


def test_words_go_from_one_built_in_line_one_after_the_other(make_world):
    world = make_world(
        'CMDLINE_BOOL=y CMDLINE="debug earlyprintk=serial root=/dev/sda2" PRINTK=y '
        "EARLY_PRINTK=y CONSOLE_LOGLEVEL_DEFAULT=4",
        arch="x86",
        kernel="6.12.117",
    )
    plan = planned(world.subject, "embedded-fastboot")
    lines = [
        {c.symbol: c.new for c in step.remedy.changes}["CMDLINE"]
        for step in plan.steps
        if step.finding.tunable.id in {"console-messages", "early-console"}
    ]
    assert lines == ['"root=/dev/sda2"'] * 2
    assert not [one for one in plan.omissions if "CMDLINE" in one.reason]


def test_of_two_that_leave_each_other_open_both_are_planned(make_world):
    """Beside one half of KVM nobody knows whether the other is missed; without any, both are."""
    config = "KVM=m KVM_INTEL=n KVM_AMD=n CPU_SUP_INTEL=y CPU_SUP_AMD=y NET=y"
    world = make_world(config, arch="x86", kernel="6.12.117")
    steps = planned(world.subject, "virtualization-host").steps
    assert {"kvm-intel", "kvm-amd"} <= {step.finding.advice.id for step in steps}


def test_a_step_clears_the_way_for_all_that_ask_for_it(make_world):
    """Disks and the network of Xen's guest, by drivers that need what a third advice brings."""
    config = """X86_64=y X86_LOCAL_APIC=y X86_TSC=y NETDEVICES=y BLOCK=y BLK_DEV=y NET=y ACPI=y
    PCI=y SMP=y NET_CORE=y"""
    world = make_world(config, arch="x86", kernel="6.6.0", hypervisor="xen", virtual="guest")
    profiles = [KNOWLEDGE.profile("virtualization-guest")]
    found = audit(world.subject, KNOWLEDGE, profiles, Policy()).findings
    asked = {one.advice.id: one for one in found if one.tunable.id == "xen-drivers"}
    assert {name: one.verdict for name, one in asked.items()} == {
        "guest-disks": Verdict.CHANGE,
        "guest-network": Verdict.COVERED,
    }
    assert asked["guest-network"].reason.startswith(
        "included in the change of Xen disks and network cards"
    )


STRICT = """IOMMU_SUPPORT=y IOMMU_API=y IOMMU_DMA=y INTEL_IOMMU=y AMD_IOMMU=y
IOMMU_DEFAULT_DMA_STRICT=y IOMMU_DEFAULT_DMA_LAZY=n IOMMU_DEFAULT_PASSTHROUGH=n"""
OLD_STRICT = """IOMMU_SUPPORT=y IOMMU_API=y IOMMU_DMA=y ARM_SMMU_V3=y IOMMU_DEFAULT_PASSTHROUGH=n"""
GOVERNORS = """ACPI=y ACPI_PROCESSOR=y INTEL_IDLE=y NO_HZ_IDLE=y CPU_IDLE=y CPU_IDLE_GOV_MENU=y
CPU_IDLE_GOV_TEO=y"""


def test_of_values_wanted_alike_a_plan_takes_the_nearest_one(make_world):
    """A host wants passthrough or lazy: lazy is what a running kernel can be told."""
    world = make_world(STRICT, arch="x86", kernel="6.12.117", virtual="no")
    plan = planned(world.subject, "virtualization-host")
    (step,) = (one for one in plan.steps if one.finding.tunable.id == "iommu-default-domain")
    assert step.remedy.value == "lazy"
    line = audit(
        world.subject,
        KNOWLEDGE,
        [KNOWLEDGE.profile("virtualization-host")],
        Policy(plan="cmdline", weakest=Strength.COULD),
    ).plan
    assert "iommu.strict=0" in line.words


def test_no_rebuild_gives_hardening_up_for_what_a_word_gives(make_world):
    """5.10 has passthrough as its only compiled choice, and a word for lazy."""
    world = make_world(OLD_STRICT, arch="arm64", kernel="5.10.8", virtual="no")
    plan = planned(world.subject, "network-throughput")
    assert "iommu-default-domain" not in {step.finding.tunable.id for step in plan.steps}
    (left,) = (one for one in plan.omissions if one.tunable.id == "iommu-default-domain")
    assert "can be set on the boot line instead; the kernel then keeps its hardening" in left.reason


def test_no_rebuild_takes_away_what_a_word_chooses_from(make_world):
    world = make_world(GOVERNORS, arch="x86", kernel="6.6.0", virtual="no")
    profile = KNOWLEDGE.profile("power-saving")
    (advice,) = (one for one in profile.advice if one.id == "cpuidle-governor")
    (option,) = advice.options
    teo = advice._replace(options=(option._replace(want=("teo",), accept=()),))
    policy = Policy(plan="fragment", weakest=Strength.COULD)
    plan = audit(world.subject, KNOWLEDGE, [profile._replace(advice=(teo,))], policy).plan
    assert "cpuidle-governor" not in {step.finding.tunable.id for step in plan.steps}
    (left,) = (one for one in plan.omissions if one.tunable.id == "cpuidle-governor")
    assert left.reason.startswith("the setting can be changed at run time instead, and menu")


def test_a_rebuild_that_is_to_switch_off_does(make_world):
    world = make_world('SYSFS=y UEVENT_HELPER=y UEVENT_HELPER_PATH="/sbin/hotplug"', kernel="6.6.0")
    plan = planned(world.subject, "systemd")
    assert "uevent-helper" in {step.finding.tunable.id for step in plan.steps}


def test_what_only_a_newer_kernel_has_is_told_of_the_wanted_value(make_world):
    config = "ARM64=y ATA=y SATA_AHCI=y SATA_MOBILE_LPM_POLICY=0"
    world = make_world(config, kernel="6.7.0", arch="arm64")
    plan = planned(world.subject, "power-saving")
    (left,) = (one for one in plan.omissions if one.tunable.id == "sata-link-power")
    assert left.reason == "needs kernel>=6.9"


def test_what_may_not_apply_has_no_say_in_a_plan(make_world):
    """The memory is not told: the advice for small machines is right either way, and no demand."""
    config = "MMU=y EXPERT=y SLUB=y SLUB_TINY=y SLAB_FREELIST_HARDENED=n SLAB_FREELIST_RANDOM=n"
    world = make_world(config, kernel="6.16.7", arch="x86")
    steps = planned(world.subject, "embedded-fastboot").steps
    (lines,) = (one.remedy.changes for one in steps if one.finding.tunable.id == "slub-tiny")
    assert [(one.symbol, one.new) for one in lines] == [("SLUB_TINY", "n")]
