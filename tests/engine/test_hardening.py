"""What hardens a kernel is not traded away: what advice against it becomes, and how it is told."""

from __future__ import annotations

import json
import re

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.compare import Terms, compare
from advisor.knowledge import schema
from advisor.model.comparison import Drift
from advisor.model.finding import Verdict
from advisor.model.profile import Strength

HEAD = "# Linux/x86 6.12.117 Kernel Configuration"
IOMMU = ("CONFIG_X86_64=y", "CONFIG_PCI=y", "CONFIG_IOMMU_SUPPORT=y", "CONFIG_IOMMU_API=y",
         "CONFIG_INTEL_IOMMU=y", "CONFIG_INTEL_IOMMU_DEFAULT_ON=y",
         "CONFIG_IOMMU_DMA=y")  # fmt: skip
STRICT = (HEAD, *IOMMU, "CONFIG_IOMMU_DEFAULT_DMA_STRICT=y",
          "# CONFIG_IOMMU_DEFAULT_DMA_LAZY is not set",
          "# CONFIG_IOMMU_DEFAULT_PASSTHROUGH is not set")  # fmt: skip
RARE = ("CONFIG_INIT_ON_FREE_DEFAULT_ON=y", "CONFIG_DEBUG_VIRTUAL=y", "CONFIG_DEBUG_SG=y",
        "CONFIG_DEBUG_NOTIFIERS=y")  # fmt: skip
KICKSECURE = (
    "init_on_free=1 page_alloc.shuffle=1 slab_nomerge vsyscall=none slub_debug=FZ "
    "randomize_kstack_offset=on mitigations=auto,nosmt"
)


@pytest.fixture
def found(make_world, built_in):
    """The report of lines and a boot line under profiles of the real rules."""

    def report(lines, *profiles, cmdline=""):
        plain = [re.sub("^# CONFIG_(\\w+) is not set$", r"CONFIG_\1=n", line) for line in lines]
        named = [line.removeprefix("CONFIG_") for line in plain if line != HEAD]
        world = make_world("\n".join(named), cmdline=cmdline, kernel="6.12.117")
        return audit(world.subject, built_in, map(built_in.profile, profiles), Policy())

    return report


def of(report, name):
    """The finding of a tunable, of the first profile that has one."""
    return next(f for f in report.findings if f.tunable.id == name)


@pytest.mark.parametrize("profile", ["server-throughput", "network-latency", "hpc-compute"])
def test_what_the_fragments_set_is_weakened_as_could_at_most(found, profile):
    finding = of(found(STRICT, profile), "iommu-default-domain")
    assert finding.verdict is Verdict.CHANGE
    assert finding.uncapped is Strength.SHOULD
    assert finding.advice.strength is Strength.COULD
    assert finding.grade == "could"
    told = {one.setting: one.who for one in finding.against}
    assert told["IOMMU_DEFAULT_DMA_STRICT=y"] == "the kernel's hardening.config"


def test_what_several_profiles_ask_for_stays_as_weak(found):
    report = found(STRICT, "server-throughput", "hpc-compute")
    both = [f for f in report.findings if f.tunable.id == "iommu-default-domain"]
    assert {f.advice.strength for f in both} == {Strength.COULD}
    assert {f.uncapped for f in both} == {Strength.SHOULD}


def test_a_purpose_stands_and_names_what_it_goes_against(found):
    lines = (HEAD, "CONFIG_X86_64=y", "# CONFIG_MODULES is not set", "# CONFIG_KPROBES is not set")
    finding = of(found(lines, "diagnosis"), "kprobes")
    assert finding.advice.strength is Strength.MUST
    assert finding.uncapped is None
    assert "KPROBES=n" in [one.setting for one in finding.against]


def test_what_a_program_requires_to_start_stands_against_hardening(found):
    report = found((HEAD, "CONFIG_X86_64=y", *RARE, "CONFIG_PANIC_TIMEOUT=-1"), "kubelet")
    finding = of(report, "panic-timeout")
    assert finding.grade == "must"
    assert finding.uncapped is None
    assert [one.setting for one in finding.against] == ["PANIC_TIMEOUT=-1"]
    assert report.failed
    lines = (HEAD, "CONFIG_CGROUPS=y", "# CONFIG_BPF_SYSCALL is not set")
    assert of(found(lines, "container-host"), "cgroup-bpf").grade == "must"


def test_what_is_for_protection_goes_against_nothing(found):
    lines = (
        HEAD,
        "CONFIG_X86_64=y",
        "CONFIG_INIT_ON_ALLOC_DEFAULT_ON=y",
        "CONFIG_PAGE_POISONING=y",
    )
    report = found(lines, "server-throughput", cmdline="page_poison=1 init_on_free=1")
    finding = of(report, "init-on-alloc")
    assert finding.advice.strength is Strength.SHOULD
    assert finding.against == ()
    (remedy,) = finding.remedies
    assert remedy.drop == ("page_poison=1",)  # and what it wakes stays: it protects


@pytest.mark.parametrize(
    ("lines", "cmdline", "has"),
    [
        (RARE, "", 4),
        (RARE[1:], "", 0),
        (RARE, "init_on_free=0", 0),
        (("CONFIG_SLUB_DEBUG=y", "CONFIG_X86_VSYSCALL_EMULATION=y"), KICKSECURE, 5),
    ],
    ids=["four", "three", "one taken back", "by the boot line"],
)
def test_who_is_hardened_as_a_whole(found, lines, cmdline, has):
    more = ("CONFIG_X86_64=y", "CONFIG_SHUFFLE_PAGE_ALLOCATOR=y", "CONFIG_CPU_MITIGATIONS=y")
    report = found((HEAD, *more, *lines), "server-throughput", cmdline=cmdline)
    assert len(report.hardened.settings if report.hardened else ()) == has


def test_what_hardens_by_the_boot_line_is_no_debugging_and_no_waste(found):
    lines = (HEAD, "CONFIG_X86_64=y", "CONFIG_SLUB_DEBUG=y", "# CONFIG_SLUB_DEBUG_ON is not set",
             "# CONFIG_SLAB_MERGE_DEFAULT is not set", "CONFIG_INIT_ON_FREE_DEFAULT_ON=y",
             "CONFIG_RANDOMIZE_KSTACK_OFFSET_DEFAULT=y")  # fmt: skip
    report = found(lines, "server-throughput", cmdline=KICKSECURE)
    assert [one for f in report.findings for one in f.against] == []
    assert "parameter-redundant" not in [one.id for one in report.diagnostics]


LINES = (*STRICT, *RARE)


def test_a_reader_is_told_once_that_nothing_is_traded_away(run_inside, make_config):
    path = make_config(*LINES)
    words = ("audit", str(path), "-p", "server-throughput", "--fail-on", "never")
    plain = " ".join(run_inside(*words).stdout.split())
    once = "Advice against a recommended setting is at most"
    assert plain.count(once) == 1
    assert "hardened the kernel has 4 of " in plain
    assert "hardening.config, which asks for IOMMU_DEFAULT_DMA_STRICT=y: " in plain
    assert "lowers the strength from" not in plain
    for format in ("markdown", "html"):
        page = run_inside(*words, "--format", format).stdout
        assert page.count(once) == 1, format
        assert "hardening.config, which asks for" in page, format


@pytest.mark.parametrize("symbol", ["KASAN_GENERIC", "KCOV", "PROVE_LOCKING"])
def test_a_kernel_that_is_run_to_find_mistakes_is_not_called_hardened(found, symbol):
    """Its checks are on for that: a fuzzer's ChromeOS had five of them."""
    assert found(RARE, "diagnosis").hardened
    assert found([*RARE, f"CONFIG_{symbol}=y"], "diagnosis").hardened is None


def test_where_nothing_is_hardened_as_a_whole_each_finding_says_it(run_inside, make_config):
    words = ("audit", str(make_config(*STRICT)), "-p", "server-throughput", "--fail-on", "never")
    plain = " ".join(run_inside(*words).stdout.split())
    assert "hardened as a whole" not in plain
    assert (
        "devices and programs access only their own memory; this lowers the strength "
        "from 'should' to 'could'" in plain
    )


def test_programs_read_the_same(run_inside, make_config):
    path = make_config(*LINES)
    words = ("audit", str(path), "-p", "server-throughput", "-f", "json", "--fail-on", "never")
    document = json.loads(run_inside(*words).stdout)
    assert list(schema.problems("report", document, "advisor.output")) == []
    (report,) = document["reports"]
    rare = {line.removeprefix("CONFIG_") for line in RARE}
    assert set(report["hardened"]["settings"]) == rare
    tunable = "iommu-default-domain"
    (finding,) = [one for one in report["findings"] if one["tunable"]["id"] == tunable]
    assert (finding["strength"], finding["uncapped"]) == ("could", "should")
    assert finding["against"][0]["by"] == "the kernel's hardening.config"
    assert finding["against"][0]["sources"][0]["url"].startswith("https://")


@pytest.mark.parametrize(
    ("lines", "cmdline", "verdict"),
    [
        ("COMPAT_BRK=y", "", Verdict.NOT_APPLICABLE),
        ("COMPAT_BRK=n", "", Verdict.OK),
        ("COMPAT_BRK=n", "norandmaps", Verdict.CHANGE),
    ],
    ids=["never built", "built", "taken back"],
)
def test_what_was_never_built_no_workload_asks_for(make_world, built_in, lines, cmdline, verdict):
    world = make_world(lines, cmdline=cmdline)
    profile = built_in.profile("server-throughput")
    report = audit(world.subject, built_in, [profile], Policy(plan="fragment"))
    assert of(report, "heap-randomization").verdict is verdict
    assert "heap-randomization" not in {step.finding.tunable.id for step in report.plan.steps}


@pytest.mark.parametrize("profile", ["server-throughput", "embedded-fastboot"])
def test_what_no_kernel_may_be_without_is_asked_for(make_world, built_in, profile):
    """What a profile calls a must counts where it was never built, too."""
    world = make_world("STACKPROTECTOR=n STRICT_KERNEL_RWX=n ARCH_OPTIONAL_KERNEL_RWX=y MMU=y")
    report = audit(world.subject, built_in, [built_in.profile(profile)], Policy())
    found = of(report, "memory-protection")
    assert (found.verdict, found.advice.strength) == (Verdict.CHANGE, Strength.MUST)
    assert report.failed


def test_a_server_without_a_watcher_is_told(make_world, built_in):
    config = "DEBUG_KERNEL=y SOFTLOCKUP_DETECTOR=n HARDLOCKUP_DETECTOR=n SYN_COOKIES=n INET=y NET=y"
    world = make_world(config)
    report = audit(world.subject, built_in, [built_in.profile("server-throughput")], Policy())
    found = of(report, "softlockup-detector")
    assert found.verdict is Verdict.CHANGE
    # Of the list of what hardens, which no workload decides; and it is off, not unknown here.
    cookies = of(report, "tcp-syn-cookies")
    assert (cookies.verdict, cookies.state.effective) == (Verdict.NOT_APPLICABLE, ("off",))
    choice = "the owner chooses whether it is built; the choice does not depend on the workload"
    assert cookies.reason == choice


def test_a_change_that_takes_protection_out_is_worse_all_the_same(make_world, built_in):
    old, new = make_world("COMPAT_BRK=n"), make_world("COMPAT_BRK=y")
    terms = Terms((built_in.profile("server-throughput"),), True, Policy())
    moved = compare(old.subject, new.subject, built_in, terms).movements
    (shift,) = [one for movement in moved for one in movement.shifts]
    assert shift.drift is Drift.WORSE


@pytest.mark.parametrize(("weakest", "symbols"), [("should", set()), ("could", {"could"})])
def test_a_fragment_weighs_what_the_boot_line_satisfies_so_far(
    make_world, built_in, weakest, symbols
):
    lines = "\n".join(line.removeprefix("CONFIG_") for line in STRICT[:-2] if line != HEAD)
    lines += "\nIOMMU_DEFAULT_DMA_LAZY=n\nIOMMU_DEFAULT_PASSTHROUGH=n"
    world = make_world(lines, cmdline="iommu=pt", kernel="6.12.117")
    policy = Policy(plan="fragment", weakest=Strength(weakest))
    report = audit(world.subject, built_in, [built_in.profile("server-throughput")], policy)
    assert of(report, "iommu-default-domain").verdict is Verdict.OK
    steps = [s for s in report.plan.steps if s.finding.tunable.id == "iommu-default-domain"]
    assert {step.finding.advice.strength.value for step in steps} == symbols
    assert all(step.finding.against for step in steps)
    assert report.plan.optional or weakest == "could"


def test_of_a_group_without_members_none_can_be_kept(make_world, built_in):
    lines = "PAGE_TABLE_ISOLATION=y\nRETPOLINE=y"  # Meltdown is no flaw of AMD's processors
    world = make_world(lines, cmdline="mitigations=off", kernel="5.13.1", vendor="amd")
    report = audit(
        world.subject, built_in, [built_in.profile("desktop-latency")], Policy(plan="cmdline")
    )
    assert of(report, "single-mitigations").verdict is Verdict.NOT_APPLICABLE
    assert "single-mitigations" not in {one.tunable.id for one in report.plan.omissions}
