"""Advice that waits for the operator's answer: which CPUs to isolate."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.judgement.judge import judge_advice
from advisor.errors import UsageError
from advisor.inputs.machine import machine_of
from advisor.model.finding import Verdict
from advisor.model.profile import Strength
from advisor.output import phrases

CONFIG = """SMP=y CPU_ISOLATION=y NO_HZ_COMMON=y NO_HZ_FULL=y RCU_NOCB_CPU=y NR_CPUS=64
HIGH_RES_TIMERS=y RCU_EXPERT=y"""


@pytest.fixture
def line_of(make_world, built_in):
    def line(profile, cmdline, *, config=CONFIG, strength=Strength.COULD, **machine):
        world = make_world(config, cmdline=cmdline, **machine)
        policy = Policy(frozenset(), "", "cmdline", strength)
        return audit(world.subject, built_in, [built_in.profile(profile)], policy).plan

    return line


def isolating(words):
    names = ("isolcpus", "nohz_full", "rcu_nocbs", "irqaffinity")
    return [word for word in words if word.startswith(names)]


def test_nothing_is_guessed(line_of):
    assert isolating(line_of("realtime", "", cpus=16).words) == []


def test_all_lists_come_from_one_answer(line_of):
    plan = line_of("network-latency", "quiet", cpus=16, isolate="2-15")
    expected = ["irqaffinity=0-1", "isolcpus=managed_irq,domain,2-15", "nohz_full=2-15"]
    assert isolating(plan.words) == expected


def test_a_list_of_its_own_for_rcu_only_where_the_tick_goes_on(line_of):
    plan = line_of("realtime", "", cpus=8, isolate="4-7", strength=Strength.SHOULD)
    assert "rcu_nocbs=4-7" in plan.words
    plan = line_of("realtime", "nohz_full=4-7", cpus=8, isolate="4-7", strength=Strength.SHOULD)
    assert isolating(plan.words) == ["irqaffinity=0-3", "isolcpus=managed_irq,domain,4-7"]


def test_other_lists_are_replaced_and_equal_ones_stay(line_of):
    line = "root=/dev/vda1 isolcpus=1-3 nohz_full=4,5,6-7 -- single"
    plan = line_of("network-latency", line, cpus=8, isolate="4-7")
    assert plan.cmdline.startswith("root=/dev/vda1 nohz_full=4,5,6-7 ")
    assert plan.cmdline.endswith(" -- single")
    assert isolating(plan.words) == ["irqaffinity=0-3", "isolcpus=managed_irq,domain,4-7"]


def test_a_word_that_made_the_lists_void_goes(line_of):
    plan = line_of("network-latency", "nohz=off", cpus=8, isolate="4-7")
    assert "nohz=off" not in plan.cmdline
    assert "nohz_full=4-7" in plan.words


def remedy_of(make_world, built_in, profile, advice, cmdline, **facts):
    """The first remedy of one advice."""
    world = make_world(facts.pop("config", CONFIG), cmdline=cmdline, **facts)
    (one,) = [one for one in built_in.profile(profile).advice if one.id == advice]
    return judge_advice(one, world).remedies[0]


@pytest.mark.parametrize(
    ("line", "words", "drop"),
    [
        ("nohz_full=1-2 nohz_full=1-3", ["nohz_full=4-7"], ["nohz_full=1-2", "nohz_full=1-3"]),
        (
            "isolcpus=managed_irq,domain,2-3 nohz_full=2-3",
            ["nohz_full=4-7", "isolcpus=managed_irq,domain,4-7"],
            ["nohz_full=2-3", "isolcpus=managed_irq,domain,2-3"],
        ),
        ("isolcpus=domain,4-7", ["nohz_full=4-7"], []),
        ("rcu_nocbs=4-7", ["nohz_full=4-7"], ["rcu_nocbs=4-7"]),
        ("nohz=off", ["nohz_full=4-7"], ["nohz=off"]),
    ],
)
def test_a_list_takes_along_what_it_is_at_odds_with(make_world, built_in, line, words, drop):
    facts = {"cpus": 8, "isolate": "4-7"}
    remedy = remedy_of(make_world, built_in, "network-latency", "nohz-full-cpus", line, **facts)
    assert (list(remedy.words), list(remedy.drop)) == (words, drop)


def test_a_word_that_would_begin_to_act_goes_along(make_world, built_in):
    config = "CPU_IDLE=y ACPI_PROCESSOR=y ACPI=y"
    line = "idle=poll processor.max_cstate=1 quiet"
    facts = {"config": config, "arch": "x86"}
    remedy = remedy_of(make_world, built_in, "power-saving", "idle-loop", line, **facts)
    assert remedy.drop == ("idle=poll", "processor.max_cstate=1")


def test_what_the_kernel_lacks_is_told(line_of):
    config = CONFIG.replace("NO_HZ_FULL=y", "NO_HZ_FULL=n NO_HZ_IDLE=y")
    plan = line_of("network-latency", "", config=config, cpus=8, isolate="4-7")
    (left,) = [one for one in plan.omissions if one.advice.id == "nohz-full-cpus"]
    expected = "NO_HZ_FULL=y instead of NO_HZ_IDLE; then on the boot line: nohz_full=4-7"
    assert phrases.omission(left) == f"needs a rebuild: {expected}"


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("isolcpus=domain,4-7", Verdict.OK),
        ("isolcpus=managed_irq,domain,7,4-6", Verdict.OK),
        ("isolcpus=4-7", Verdict.OK),
        ("isolcpus=managed_irq,4-7", Verdict.OK),
        ("isolcpus=nohz,4-7", Verdict.CHANGE),
        ("isolcpus=domain,4-6", Verdict.CHANGE),
        ("", Verdict.CHANGE),
    ],
)
def test_lists_are_compared_by_their_cpus_and_purposes(make_world, built_in, line, verdict):
    world = make_world(CONFIG, cmdline=line, cpus=8, isolate="4-7")
    advice = next(a for a in built_in.profile("realtime").advice if a.id == "isolated-cpus")
    assert judge_advice(advice, world).verdict is verdict


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"isolate": "2-7"}, "needs the number of CPUs"),
        ({"isolate": "0-3", "cpus": 8}, "CPU 0 boots"),
        ({"isolate": "2-8", "cpus": 8}, "there are 8 CPUs, 0 to 7"),
        ({"isolate": "7-2", "cpus": 8}, "'7-2' does not ascend"),
        ({"isolate": "", "cpus": 8}, "is not a list of CPUs"),
        ({"isolate": "all", "cpus": 8}, "CPU 0 boots"),
    ],
)
def test_an_answer_that_cannot_be(told, message):
    with pytest.raises(UsageError, match=message):
        machine_of(told)


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("irqaffinity=0-1", Verdict.OK),
        ("irqaffinity=1", Verdict.OK),
        ("irqaffinity=0-2", Verdict.UNKNOWN),  # in any case too many, but not which is right
        ("irqaffinity=all", Verdict.UNKNOWN),
        ("", Verdict.UNKNOWN),
    ],
)
def test_interrupts_that_spare_the_isolated_cpus_need_no_count(
    make_world, built_in, words, verdict
):
    world = make_world(CONFIG, cmdline=f"isolcpus=managed_irq,domain,2-15 {words}")
    policy = Policy(frozenset(), "", "audit", Strength.COULD)
    found = audit(world.subject, built_in, [built_in.profile("realtime")], policy).findings
    (finding,) = (one for one in found if one.id == "realtime/irq-affinity")
    assert finding.verdict is verdict


DETECTORS = f"{CONFIG} DEBUG_KERNEL=y LOCKUP_DETECTOR=y SOFTLOCKUP_DETECTOR=y HARDLOCKUP_DETECTOR=y"
WATCHED = ("realtime/nmi-watchdog", "realtime/softlockup-detector")


@pytest.mark.parametrize("plan", ["cmdline", "fragment"])
@pytest.mark.parametrize("isolate", [None, "4-7"])
def test_a_plan_takes_no_heavier_way_than_what_is_near_at_run_time(
    make_world, built_in, plan, isolate
):
    """A mask of the watched CPUs is no reason to have none watched."""
    world = make_world(DETECTORS, cpus=8, isolate=isolate, arch="x86", kernel="6.12.117")
    policy = Policy(frozenset(), "", plan, Strength.SHOULD)
    report = audit(world.subject, built_in, [built_in.profile("realtime")], policy)
    lines = {c.symbol for step in report.plan.steps for c in step.remedy.changes}
    off = {*report.plan.words, *lines} & {
        "nmi_watchdog=0", "nosoftlockup", "HARDLOCKUP_DETECTOR", "SOFTLOCKUP_DETECTOR",
    }  # fmt: skip
    left = [one for one in report.plan.omissions if one.advice.key in WATCHED]
    assert len(off) == (0 if isolate else 2)
    if isolate:
        assert {one.tunable.id for one in left} == {"watchdog-cpus"}
        assert all("is set at run time" in one.reason for one in left)
        assert len(left) == 1 or plan == "cmdline"
