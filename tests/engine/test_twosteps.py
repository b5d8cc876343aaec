"""A rebuild and then words on the boot line that only the rebuilt kernel reads."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.model.finding import Verdict
from advisor.model.profile import Strength
from advisor.model.remedy import RemedyKind
from advisor.output import phrases

TICK = """SMP=y NO_HZ_COMMON=y NO_HZ_IDLE=y NO_HZ_FULL=n HAVE_CONTEXT_TRACKING_USER=y
HAVE_VIRT_CPU_ACCOUNTING_GEN=y TREE_RCU=y"""
RCU = "SMP=y TREE_RCU=y RCU_EXPERT=n"
FACTS = {"arch": "x86", "kernel": "6.12.117", "cpus": 8}


@pytest.fixture
def report_on(make_world, built_in):
    def on(config, *profiles, plan="", isolate="4-7"):
        world = make_world(config, cmdline="quiet", isolate=isolate, **FACTS)
        policy = Policy(frozenset(), "", plan, Strength.COULD)
        return audit(world.subject, built_in, map(built_in.profile, profiles), policy)

    return on


def told(report, tunable):
    (finding,) = (one for one in report.findings if one.tunable.id == tunable)
    return finding, [phrases.remedy(one, finding.tunable) for one in finding.remedies]


def test_what_a_rebuild_makes_a_word_of_is_not_blocked(report_on):
    finding, texts = told(report_on(TICK, "hpc-compute"), "nohz-full-cpus")
    assert finding.verdict is Verdict.CHANGE
    assert finding.cost
    expected = "NO_HZ_FULL=y instead of NO_HZ_IDLE; then on the boot line: nohz_full=4-7"
    assert texts == [f"rebuild with {expected}"]


def test_a_rebuild_that_another_finding_asks_for_is_told_once(report_on):
    report = report_on(TICK, "network-latency")
    assert told(report, "tick-mode")[1] == ["rebuild with NO_HZ_FULL=y instead of NO_HZ_IDLE"]
    _, texts = told(report, "nohz-full-cpus")
    assert texts == ["after the rebuild for Timer tick handling, on the boot line: nohz_full=4-7"]


def test_what_is_wanted_in_two_steps_goes_before_what_is_accepted_in_one(report_on):
    config = f"{RCU} RCU_NOCB_CPU=n"
    report = report_on(config, "realtime")
    finding, texts = told(report, "rcu-offload")
    assert finding.target == "listed"
    title = "Support for RCU callbacks in threads"
    assert texts == [f"after the rebuild for {title}, on the boot line: rcu_nocbs=4-7"]
    _, first = told(report, "rcu-offload-support")  # the symbols stand somewhere
    assert first == ["rebuild with RCU_NOCB_CPU=y (with RCU_EXPERT=y)"]


def test_a_feature_of_which_one_alternative_can_be_built(report_on):
    config = "SMP=y HIGH_RES_TIMERS=n GENERIC_CLOCKEVENTS=y"
    _, texts = told(report_on(config, "network-latency"), "skew-tick")
    (text,) = texts
    assert text.endswith("on the boot line: skew_tick=1")


def test_nothing_is_built_where_the_kernel_has_no_way_to_it(report_on):
    config = "SMP=y NO_HZ_COMMON=y NO_HZ_IDLE=y TREE_RCU=y"  # no line about NO_HZ_FULL
    finding, texts = told(report_on(config, "hpc-compute"), "nohz-full-cpus")
    assert (finding.verdict, texts) == (Verdict.BLOCKED, [])


def test_a_fragment_has_the_first_step_and_names_the_second(report_on):
    plan = report_on(TICK, "hpc-compute", plan="fragment").plan
    (step,) = (one for one in plan.steps if one.finding.tunable.id == "nohz-full-cpus")
    assert {c.symbol: c.new for c in step.remedy.changes} == {"NO_HZ_FULL": "y", "NO_HZ_IDLE": "n"}
    assert not step.remedy.words
    (left,) = (one for one in plan.omissions if one.tunable.id == "nohz-full-cpus")
    rest = "needs a second step after the rebuild: on the boot line: nohz_full=4-7"
    assert phrases.omission(left) == rest


def test_a_boot_line_leaves_to_the_rebuild_what_only_that_reads(report_on):
    plan = report_on(TICK, "network-latency", plan="cmdline").plan
    assert "nohz_full" not in plan.cmdline
    (left,) = (one for one in plan.omissions if one.tunable.id == "nohz-full-cpus")
    expected = "NO_HZ_FULL=y instead of NO_HZ_IDLE; then on the boot line: nohz_full=4-7"
    assert phrases.omission(left) == f"needs a rebuild: {expected}"


def test_followed_together_both_steps_close_the_finding(report_on, make_world, built_in):
    finding, _ = told(report_on(TICK, "hpc-compute"), "nohz-full-cpus")
    (remedy,) = finding.remedies
    assert remedy.kind is RemedyKind.REBUILD
    after = TICK.replace("NO_HZ_IDLE=y NO_HZ_FULL=n", "NO_HZ_IDLE=n NO_HZ_FULL=y")
    world = make_world(after, cmdline=" ".join(("quiet", *remedy.words)), isolate="4-7", **FACTS)
    assert world.state("nohz-full-cpus").effective == ("4-7",)


def test_a_second_step_suits_all_profiles(report_on):
    """Lazy preemption is what both accept; the full model, which one wants, takes two steps."""
    config = """SMP=y PREEMPT_NONE=y PREEMPT_VOLUNTARY=n PREEMPT=n PREEMPT_LAZY=n PREEMPT_DYNAMIC=n
    ARCH_HAS_PREEMPT_LAZY=y HAVE_PREEMPT_DYNAMIC=y PREEMPT_RT=n"""
    report = report_on(config, "network-throughput", "realtime")
    asked = [one for one in report.findings if one.tunable.id == "preemption-model"]
    assert {one.target for one in asked if one.verdict is Verdict.CHANGE} == {"lazy"}


def test_what_is_built_is_then_named_on_the_list_of_the_line(make_world, built_in):
    """A rebuild alone, which the plan of a fragment makes, would not be started by lsm=."""
    lines = 'SYSFS=y MULTIUSER=y NET=y SECURITY=y SECURITY_APPARMOR=n LSM="landlock,yama,apparmor"'
    world = make_world(lines, kernel="6.12.0", cmdline="quiet lsm=yama,mine")
    report = audit(world.subject, built_in, [built_in.profile("virtualization-host")], Policy())
    (found,) = (one for one in report.findings if one.advice.key == "virtualization-host/lsm")
    (remedy,) = found.remedies
    assert [(change.symbol, change.new) for change in remedy.changes] == [
        ("SECURITY_APPARMOR", "y")
    ]
    assert (remedy.words, remedy.drop) == (("lsm=yama,mine,apparmor",), ("lsm=yama,mine",))
