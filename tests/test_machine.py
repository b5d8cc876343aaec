"""What a report says holds for the machine: its architecture, and the vendor of its processors."""

from __future__ import annotations

from advisor.engine.audit import Policy, audit
from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge
from advisor.model.finding import Verdict
from advisor.model.profile import Strength
from advisor.output.phrases import remedy

from . import corpus
from .cases import each

X86 = """CPU_FREQ=y X86_INTEL_PSTATE=y ACPI_PROCESSOR=y INTEL_IDLE=y CPU_IDLE=y KVM=m KVM_INTEL=m
    KVM_AMD=m"""


def must_change(world: World, tunable: str) -> bool:
    """Whether something of the tunable must change, whatever the profile."""
    knowledge = world.knowledge
    asked = []
    for profile in map(knowledge.profile, corpus.profiles()):
        about = (one for one in profile.advice if tunable in {way.tunable for way in one.options})
        asked.append(profile._replace(advice=tuple(about)))
    return any(
        f.verdict is Verdict.CHANGE and f.advice.strength is Strength.MUST
        for f in judge(world, asked)
        if f.tunable.id == tunable
    )


@each(
    ("word", "tunable", "vendor"),
    [
        ("processor.max_cstate=5", "cstate-limit", "amd"),
        ("kvm.nx_huge_pages=off", "nx-huge-pages", "amd"),
        ("kvm_intel.vmentry_l1d_flush=never", "l1d-flush-for-guests", "amd"),
        ("l1tf=off", "l1d-flush-for-guests", "amd"),
        ("l1tf=off", "single-mitigations", "amd"),
        ("mds=off", "single-mitigations", "amd"),
        ("nopti", "single-mitigations", "amd"),
        ("spec_rstack_overflow=off", "single-mitigations", "intel"),
    ],
)
def test_what_a_vendor_has_not_is_no_must(make_world, word: str, tunable: str, vendor: str) -> None:
    other = {"amd": "intel", "intel": "amd"}[vendor]
    config = f"{X86} CPU_MITIGATIONS=y MITIGATION_PAGE_TABLE_ISOLATION=y MITIGATION_SPECTRE_V2=y"

    def of(vendor: str | None) -> bool:
        given = {"vendor": vendor} if vendor else {}
        world = make_world(config, cmdline=word, kernel="6.12.117", **given)
        return must_change(world, tunable)

    assert not of(vendor)
    if word != "processor.max_cstate=5":  # which intel_idle does not read
        assert of(other)
        assert of(None)


@each(
    ("word", "vendor"),
    [
        ("intel_iommu=on", "amd"),
        ("kvm_intel.nested=1", "amd"),
        ("kvm-intel.nested=1", "amd"),
        ("intel_idle.max_cstate=1", "amd"),
        ("l1tf=full", "amd"),
        ("amd_iommu=off", "intel"),
        ("kvm_amd.nested=1", "intel"),
        ("amd_pstate=active", "intel"),
    ],
)
def test_a_word_for_another_vendor_is_told_as_such(make_world, word: str, vendor: str) -> None:
    config = f"{X86} INTEL_IOMMU=y AMD_IOMMU=y X86_AMD_PSTATE=y"

    def told(**vendor: str) -> list[str]:
        world = make_world(config, cmdline=word, kernel="6.12.117", **vendor)
        return [found.id for found in diagnose(world) if found.subject == word]

    assert told(vendor=vendor) == ["parameter-other-machine"]
    assert "parameter-other-machine" not in told()


def test_a_graphics_card_of_intel_may_be_plugged_into_any_machine(make_world) -> None:
    world = make_world("DRM_I915=m", cmdline="i915.enable_psr=0", kernel="6.12.117", vendor="amd")
    assert not [found for found in diagnose(world) if found.subject == "i915.enable_psr=0"]


def test_a_misspelt_parameter_of_a_known_module_is_told(make_world) -> None:
    world = make_world("DRM_I915=m", cmdline="i915.enable_psrr=0", kernel="6.12.117")
    assert [found.id for found in diagnose(world)] == ["parameter-unknown"]


def test_two_machines_have_a_remedy_each(make_world) -> None:
    config = """CPU_FREQ=y SMP=y CPU_FREQ_DEFAULT_GOV_PERFORMANCE=y X86_INTEL_PSTATE=y
        X86_AMD_PSTATE=y CPU_FREQ_GOV_PERFORMANCE=y X86_AMD_PSTATE_DEFAULT_MODE=3
        X86_ACPI_CPUFREQ=m CPU_FREQ_DEFAULT_GOV_SCHEDUTIL=n CMDLINE_BOOL=y
        CMDLINE="intel_pstate=disable amd_pstate=active"
        """
    world = make_world(config)
    profile = world.knowledge.profile("desktop-latency")
    found = next(f for f in judge(world, [profile]) if f.tunable.id == "cpufreq-governor")
    # What serves both is told once and without a label; what serves one of them is told of that.
    both, *of_amd = found.remedies
    assert (both.vendor, {one.vendor for one in of_amd}) == ("", {"amd"})
    sentences = [remedy(one, found.tunable) for one in of_amd]
    assert sentences[0].startswith("on AMD, until reboot: echo powersave")
    assert sentences[1].endswith("on the boot line: cpufreq.default_governor=powersave")


@each(
    ("arch", "kernel", "config", "line"),
    [
        ("x86", "5.15.100", "PAGE_TABLE_ISOLATION=y RETPOLINE=y", "spectre_v2=off"),
        ("x86", "5.15.100", "PAGE_TABLE_ISOLATION=y RETPOLINE=y", "srbds=off l1tf=off"),
        ("arm64", "5.10.89", "UNMAP_KERNEL_AT_EL0=y", "nospectre_v2 ssbd=force-off"),
    ],
)
def test_kernels_without_the_switch_read_words_against_single_mitigations(
    make_world, arch: str, kernel: str, config: str, line: str
) -> None:
    knowledge = corpus.knowledge()
    world = make_world(config, cmdline=line, kernel=kernel, arch=arch)
    report = audit(world.subject, knowledge, [knowledge.profile("virtualization-host")], Policy())
    found = next(one for one in report.findings if one.tunable.id == "single-mitigations")
    assert (found.verdict, found.advice.strength) == (Verdict.CHANGE, Strength.MUST)
    assert sorted(found.remedies[0].drop) == sorted(line.split())
