"""What the remedy of one finding brings, no other finding asks for beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge
from advisor.engine.judgement.together import without_covered
from advisor.inputs.config import read_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import ASIDE, Verdict, Waiver
from advisor.model.kernel import Location, Machine

from .. import corpus

ROOT = Path(__file__).parents[2]

ACTIVE = (
    "SMP=y\nCPU_FREQ=y\nX86_INTEL_PSTATE=y\nCPU_FREQ_DEFAULT_GOV_SCHEDUTIL=y\n"
    "CPU_FREQ_GOV_SCHEDUTIL=y\nCPU_FREQ_GOV_PERFORMANCE=y"
)


@pytest.fixture
def found(make_world, built_in):
    """The findings of a profile about the governor and the energy preference, by advice."""

    def of(profile, cmdline="quiet"):
        world = make_world(ACTIVE, cmdline=cmdline, kernel="6.12.117", vendor="intel", virtual="no")
        report = audit(world.subject, built_in, [built_in.profile(profile)], Policy())
        return {finding.advice.id: finding for finding in report.findings}

    return of


def test_the_preference_comes_with_the_policy_that_is_asked_for(found):
    findings = found("server-throughput")
    assert findings["cpufreq-governor"].verdict is Verdict.CHANGE
    preference = findings["energy-performance-preference"]
    assert preference.verdict is Verdict.COVERED
    assert preference.covered_by == findings["cpufreq-governor"].id
    assert preference.reason.startswith(
        "included in the change of CPU frequency governor (performance"
    )
    assert not preference.remedies


def test_it_is_asked_for_where_nobody_asks_for_the_policy(found):
    preference = found("power-saving")["energy-performance-preference"]
    assert preference.verdict not in ASIDE


WORDS = (
    ("idle=poll", "power-saving", "idle-loop"),
    ("cpuidle.off=1", "power-saving", "cpuidle"),
    ("nopv", "virtualization-guest", "hypervisor-guest"),
    ("iommu=off", "virtualization-host", "iommu-use"),
    ("acpi=off", "server-throughput", "numa"),
)


@pytest.mark.parametrize(("word", "profile", "leader"), WORDS)
def test_one_word_is_one_finding_of_a_profile(word, profile, leader):
    config = read_config(str(ROOT / "examples/x86_64-6.12.config.xz"))
    machine = Machine(cpus=16, nodes=2, vendor="intel", arch="x86")
    subject = subject_of(config, Given(machine, None, parse_cmdline(f"quiet {word}")))
    knowledge = corpus.knowledge()
    report = audit(subject, knowledge, [knowledge.profile(profile)], Policy())
    by_word = {
        finding.advice.id: finding.verdict
        for finding in report.findings
        if [origin.text for origin in finding.state.origins] == [word]
        and finding.verdict in (Verdict.CHANGE, Verdict.BLOCKED)
    }
    assert by_word == {leader: Verdict.CHANGE}
    coming = [finding for finding in report.findings if f"without {word}" in finding.reason]
    strength = next(f.advice.strength.rank for f in report.findings if f.advice.id == leader)
    assert coming
    assert all(finding.advice.strength.rank >= strength for finding in coming)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "advice"),
    [("mitigations=off", "cpu-mitigations"), ("audit=0", "audit")],
)
def test_a_covered_finding_wakes_with_nothing(word, advice):
    """`idle=poll` covers other findings, and belongs to the remedy of none but its own."""
    config = read_config(str(ROOT / "examples/x86_64-6.12.config.xz"))
    line = parse_cmdline(f"{word} idle=poll")
    subject = subject_of(config, Given(Machine(cpus=16, vendor="intel"), None, line))
    knowledge = corpus.knowledge()
    for profile in map(knowledge.profile, knowledge.ids("profiles")):
        report = audit(subject, knowledge, [profile], Policy())
        for finding in report.findings:
            asked = finding.verdict is Verdict.CHANGE and finding.advice.id == advice
            if asked and any(word in remedy.drop for remedy in finding.remedies[:1]):
                assert finding.remedies[0].drop == (word,), finding.id


def test_a_word_for_all_mitigations_is_not_told_by_one_of_them():
    config = read_config(str(ROOT / "examples/x86_64-6.12.config.xz"))
    line = parse_cmdline("quiet mitigations=off l1tf=off")
    subject = subject_of(config, Given(Machine(vendor="intel", virtual="no"), None, line))
    knowledge = corpus.knowledge()
    profiles = [knowledge.profile("virtualization-host")]
    report = audit(subject, knowledge, profiles, Policy())
    found = {finding.advice.id: finding for finding in report.findings}
    assert found["cpu-mitigations"].verdict is Verdict.CHANGE
    assert found["l1d-flush-for-guests"].covered_by in ("", "virtualization-host/cpu-mitigations")
    # The other word goes for advice that applies only then, which is named.
    reason = "l1tf=off: needed after this change for Mitigations of single CPU"
    assert found["cpu-mitigations"].reason.startswith(reason)


def test_words_for_advice_that_applies_then_are_told_with_their_cost():
    config = read_config(str(ROOT / "examples/x86_64-6.12.config.xz"))
    line = parse_cmdline("quiet amd_iommu=off")
    subject = subject_of(config, Given(Machine(vendor="amd", virtual="no"), None, line))
    knowledge = corpus.knowledge()
    profiles = [knowledge.profile(name) for name in ("hardening", "desktop-latency")]
    report = audit(subject, knowledge, profiles, Policy())
    for finding in report.findings:
        if finding.advice.id == "iommu-use":
            assert finding.remedies[0].words == ("iommu.strict=1",)
            told = "iommu.strict=1: needed after this change for IOMMU default domain (hardening,"
            assert finding.reason.startswith(told)
            assert "; cost: strict: " in finding.reason


def test_a_word_that_is_let_stand_leads_nothing():
    config = read_config(str(ROOT / "examples/x86_64-6.12.config.xz"))
    subject = subject_of(config, Given(Machine(vendor="intel"), None, parse_cmdline("idle=poll")))
    world = World(subject, corpus.knowledge())
    findings = judge(world, [world.knowledge.profile("power-saving")])
    waived = [
        finding._replace(
            waived=Waiver("idle-loop", "for the benchmark", Location("kernel-advisor.toml", 1))
        )
        if finding.advice.id == "idle-loop"
        else finding
        for finding in findings
    ]
    idle = world.knowledge.tunable("idle-loop").title
    told = without_covered(waived, world)
    assert not [
        finding
        for finding in told
        if finding.reason.startswith(f"included in the change of {idle}")
    ]


@pytest.mark.parametrize("profile", ["realtime", "network-latency"])
def test_two_watchdogs_with_one_mask_are_one_finding(make_world, built_in, profile):
    lines = (
        "SMP=y DEBUG_KERNEL=y LOCKUP_DETECTOR=y SOFTLOCKUP_DETECTOR=y HARDLOCKUP_DETECTOR=y "
        "HARDLOCKUP_DETECTOR_PERF=y"
    )
    world = make_world(lines, kernel="6.12.117", cpus=8, isolate="2-7", virtual="no")
    report = audit(world.subject, built_in, [built_in.profile(profile)], Policy())
    found = [f for f in report.findings if f.tunable.id == "watchdog-cpus"]
    assert [f.verdict for f in found] == [Verdict.CHANGE, Verdict.COVERED]
    assert found[1].reason == "included in the change of CPUs that the lockup detectors watch (0-1)"
    assert {f.advice.id for f in found} == {"nmi-watchdog", "softlockup-detector"}
