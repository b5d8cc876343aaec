"""Two profiles at once, as they are: they conflict where their wishes differ, and nowhere else."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.effective.world import World
from advisor.engine.judgement.conflicts import conflicts
from advisor.engine.judgement.judge import judge
from advisor.inputs.config import read_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import Verdict
from advisor.model.kernel import Machine
from advisor.model.profile import Strength
from advisor.output import Style, phrases
from advisor.output.text import render

from .. import corpus

ROOT = Path(__file__).parents[2]
KNOWLEDGE = corpus.knowledge()


def world() -> World:
    """A server with two nodes, on which CPUs are isolated."""
    config = read_config(str(ROOT / "examples/x86_64-6.12.config.xz"))
    facts = Machine(cpus=32, nodes=2, vendor="intel", isolate="2-15", housekeeping="0-1,16-31")
    return World(subject_of(config, Given(facts)), KNOWLEDGE)


@pytest.mark.slow
def test_a_conflict_of_any_two_profiles_has_wishes_that_differ() -> None:
    here = world()
    by_profile = {
        name: judge(here, [KNOWLEDGE.profile(name)]) for name in KNOWLEDGE.ids("profiles")
    }
    disputes = 0
    for one, two in combinations(by_profile, 2):
        for conflict in conflicts([*by_profile[one], *by_profile[two]], here):
            disputes += 1
            wishes = {wish for _, wish in conflict.sides}
            assert len(wishes) > 1, (one, two, conflict.subject)
    assert disputes > 50


def test_instruments_go_together_with_all_but_what_saves_their_space() -> None:
    here = world()
    measured = judge(here, [KNOWLEDGE.profile("diagnosis")])
    disputed = {
        name: {one.subject for one in conflicts([*measured, *findings], here)}
        for name in KNOWLEDGE.ids("profiles")
        if (findings := judge(here, [KNOWLEDGE.profile(name)])) and name != "diagnosis"
    }
    assert {name: subjects for name, subjects in disputed.items() if subjects} == {
        "embedded-fastboot": {"debug-info", "kallsyms-all"},
        # These instruments are ways of an attacker as well.
        "hardening": {"debugfs", "kernel-memory-file", "kprobes"},
    }


def test_what_is_for_one_measurement_is_no_conflict(make_world) -> None:
    lines = (
        "DEBUG_KERNEL=y LOCK_DEBUGGING_SUPPORT=y LOCK_STAT=n LOCKUP_DETECTOR=y "
        "SOFTLOCKUP_DETECTOR=y HARDLOCKUP_DETECTOR=y HARDLOCKUP_DETECTOR_PERF=y"
    )
    here = make_world(lines, kernel="5.10.200", arch="x86", virtual="no")
    findings = judge(here, [KNOWLEDGE.profile(one) for one in ("diagnosis", "server-throughput")])
    assert {"lock-stat", "nmi-watchdog"} <= {finding.tunable.id for finding in findings}
    assert not conflicts(findings, here)


def test_what_makes_no_difference_to_a_database_is_left_to_a_desktop() -> None:
    here = world()
    findings = judge(here, [KNOWLEDGE.profile(one) for one in ("database", "desktop-latency")])
    assert "autogroup" not in {one.subject for one in conflicts(findings, here)}


def test_the_same_wish_is_no_conflict_where_nobody_told_what_it_stands_for() -> None:
    config = read_config(str(ROOT / "examples/x86_64-6.12.config.xz"))
    line = parse_cmdline("isolcpus=2-7")
    here = World(subject_of(config, Given(Machine(), cmdline=line)), KNOWLEDGE)
    profiles = [KNOWLEDGE.profile("network-latency"), KNOWLEDGE.profile("realtime")]
    report = audit(here.subject, KNOWLEDGE, profiles, Policy())
    assert "irq-affinity" not in {conflict.subject for conflict in report.conflicts}


def test_what_profiles_say_alike_is_told_once_with_all_names() -> None:
    here = world()
    names = ("database", "network-throughput", "server-throughput")
    profiles = [KNOWLEDGE.profile(name) for name in names]
    report = audit(here.subject, KNOWLEDGE, profiles, Policy())
    text = " ".join(render([report], Style(verbose=True)).split())
    governor = "cpufreq-governor"
    assert text.count(f"[{governor}]") == 1
    assert all(f"{name}/{governor}" in text for name in names)
    alone = audit(here.subject, KNOWLEDGE, profiles[:1], Policy())
    changes = phrases.of(report, Verdict.CHANGE)
    said = [(finding.tunable.id, finding.wanted, finding.remedies) for finding in changes]
    assert len(set(said)) == len(said)
    assert len(phrases.of(alone, Verdict.CHANGE)) <= len(changes)


def test_a_profile_decides_over_the_one_that_it_extends() -> None:
    here = world()
    extending = [
        (name, general)
        for name in KNOWLEDGE.ids("profiles")
        for general in KNOWLEDGE.profile(name).extends
    ]
    ruled = []
    for name, general in extending:
        profiles = [KNOWLEDGE.profile(one) for one in (general, name)]
        report = audit(here.subject, KNOWLEDGE, profiles, Policy())
        assert not report.conflicts, (name, general)
        decided = [f for f in report.findings if f.reason.endswith("decides this")]
        assert {f.advice.profile for f in decided} <= {general}
        assert all(f"{name}, which extends {general}," in f.reason for f in decided)
        ruled += [finding.id for finding in decided]
        # What is asked otherwise by the general one is asked by nobody any more.
        alone = audit(here.subject, KNOWLEDGE, profiles[1:], Policy())
        own = [f for f in report.findings if f.advice.profile == name]
        assert [f.verdict for f in own] == [f.verdict for f in alone.findings]
    assert "server-throughput/numa-balancing" in ruled


def test_the_general_profile_decides_where_it_is_preferred() -> None:
    profiles = [KNOWLEDGE.profile(one) for one in ("server-throughput", "database")]
    report = audit(world().subject, KNOWLEDGE, profiles, Policy(prefer="server-throughput"))
    assert not report.conflicts
    found = {finding.id: finding.reason for finding in report.findings}
    assert "decides this" not in found["server-throughput/numa-balancing"]
    assert "database/numa-balancing" not in found


@pytest.mark.parametrize(("prefer", "disputed"), [("", 1), ("realtime", 0)])
def test_what_suits_all_and_cannot_be_had_is_a_conflict(make_world, prefer, disputed) -> None:
    # Lazy preemption would suit both, and no 32-bit Arm kernel of 6.12 has it.
    lines = "PREEMPT_VOLUNTARY=y PREEMPT_NONE=n PREEMPT=n HZ_PERIODIC=n NO_HZ_IDLE=y SMP=y"
    subject = make_world(lines, kernel="6.12.87", arch="arm").subject
    profiles = tuple(map(KNOWLEDGE.profile, ("realtime", "network-throughput")))
    report = audit(subject, KNOWLEDGE, profiles, Policy(prefer=prefer))
    assert sum(c.subject == "preemption-model" for c in report.conflicts) == disputed
    finding = next(f for f in report.findings if f.id == "realtime/preemption-model")
    assert finding.verdict is Verdict.CHANGE
    assert bool(finding.remedies) is not bool(disputed)


def test_what_is_set_at_run_time_only_gets_one_value_that_suits_all(make_world, built_in):
    world = make_world("SWAP=y", virtual="guest")
    profiles = [built_in.profile(name) for name in ("database", "virtualization-guest")]
    report = audit(world.subject, built_in, profiles, Policy())
    asked = {
        finding.advice.profile: [one.value for one in finding.remedies]
        for finding in report.findings
        if finding.tunable.id == "swappiness"
    }
    assert asked == {"database": ["10"], "virtualization-guest": ["10"]}


def test_a_value_for_several_profiles_has_its_own_cost_and_names_who_rules_out_another(
    make_world, built_in
):
    world = make_world("X86_TSC=y", cmdline="tsc=reliable", arch="x86", virtual="no")
    profiles = [built_in.profile(name) for name in ("desktop-latency", "realtime")]
    report = audit(world.subject, built_in, profiles, Policy())
    (found,) = (f for f in report.findings if f.id == "desktop-latency/tsc-checks")
    assert found.remedies[0].words == ("tsc=nowatchdog",)
    assert "nowatchdog" in found.wanted
    assert found.cost.startswith("nowatchdog: ")
    assert found.reason == "ruled out by realtime: automatic (checked where doubtful)"


def test_memory_tiering_is_no_middle_between_balancing_and_none(make_world, built_in):
    lines = "SMP=y NUMA=y MIGRATION=y NUMA_BALANCING=y NUMA_BALANCING_DEFAULT_ENABLED=y"
    world = make_world(lines, nodes=2, arch="x86", virtual="no")
    profiles = [built_in.profile(name) for name in ("database", "virtualization-host")]
    report = audit(world.subject, built_in, profiles, Policy())
    assert "numa-balancing" in {one.subject for one in report.conflicts}


def test_a_group_leaves_the_member_that_is_disputed(make_world, built_in):
    lines = "X86_64=y SMP=y MMU=y KVM=m KSM=y KEXEC=y KEXEC_FILE=y SYSFS=y"
    world = make_world(lines, arch="x86", virtual="no")
    profiles = [built_in.profile(name) for name in ("virtualization-host", "hardening")]
    for plan in ("", "fragment"):
        policy = Policy(plan=plan, weakest=Strength.COULD)
        report = audit(world.subject, built_in, profiles, policy)
        assert "ksm" in {one.subject for one in report.conflicts}
        (found,) = (f for f in report.findings if f.id == "hardening/spare-features")
        assert found.reason == "KSM: the profiles disagree (see the conflict)"
        written = {one.symbol for step in report.plan.steps for one in step.remedy.changes}
        changed = written if plan else {one.symbol for one in found.remedies[0].changes}
        assert "KEXEC" in changed
        assert "KSM" not in changed


def test_harm_that_neutral_advice_knows_of_stands_beside_another_profiles_wish(
    make_world, built_in
):
    lines = "SMP=y PPC64=y PPC_BOOK3S_64=y HOTPLUG_SMT=y SCHED_SMT=y KVM=m KVM_BOOK3S_64=m"
    world = make_world(lines, arch="powerpc", cmdline="smt-enabled=off")
    names = ("database", "virtualization-host")
    for count in (1, 2):
        profiles = [built_in.profile(name) for name in names[:count]]
        report = audit(world.subject, built_in, profiles, Policy())
        (found,) = (f for f in report.findings if f.id == "database/smt")
        assert found.verdict is Verdict.CHANGE
        assert ("virtualization-host: Owners of guests on POWER7" in found.reason) is (count == 2)
