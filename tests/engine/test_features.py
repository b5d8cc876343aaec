"""Words that stand on the line already, and a kernel that was built without what reads them."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.judgement.judge import judge
from advisor.model.finding import Verdict
from advisor.model.profile import Strength
from advisor.model.remedy import RemedyKind

REALTIME = """SMP=y TREE_RCU=y PREEMPT_RT=y PREEMPT_RCU=y NO_HZ_COMMON=y NO_HZ_IDLE=y NO_HZ_FULL=n
HIGH_RES_TIMERS=y CPU_ISOLATION=y RCU_EXPERT=n HAVE_CONTEXT_TRACKING_USER=y
HAVE_VIRT_CPU_ACCOUNTING_GEN=y"""


@pytest.fixture
def found(make_world):
    def of(advice, cmdline, config=REALTIME, isolate="3"):
        world = make_world(config, cmdline=cmdline, kernel="6.12.117", cpus=4, isolate=isolate)
        findings = judge(world, [world.knowledge.profile("realtime")])
        (finding,) = (one for one in findings if one.id == f"realtime/{advice}")
        return finding

    return of


@pytest.mark.parametrize(
    ("advice", "word", "built"),
    [
        ("rcu-offload-support", "rcu_nocbs=3", {"RCU_NOCB_CPU": "y", "RCU_EXPERT": "y"}),
        ("nohz-full-cpus", "nohz_full=3", {"NO_HZ_FULL": "y", "NO_HZ_IDLE": "n"}),
    ],
)
def test_what_reads_a_word_of_the_line_can_be_built(found, advice, word, built):
    finding = found(advice, f"isolcpus=3 {word}")
    assert finding.verdict is Verdict.CHANGE
    (remedy,) = finding.remedies
    assert remedy.kind is RemedyKind.REBUILD
    assert {change.symbol: change.new for change in remedy.changes} == built
    assert not remedy.words
    assert not remedy.drop


def test_one_rebuild_is_told_once(found, make_world, built_in):
    line = "isolcpus=3 rcu_nocbs=3"
    world = make_world(REALTIME, cmdline=line, kernel="6.12.117", cpus=4, isolate="3")
    report = audit(world.subject, built_in, [built_in.profile("realtime")], Policy())
    told = {one.advice.id: (one.verdict, one.reason) for one in report.findings}
    assert told["rcu-offload"] == (Verdict.CHANGE, "")
    reason = "included in the change of RCU callbacks in threads (listed CPUs)"
    assert told["rcu-offload-support"] == (Verdict.COVERED, reason)
    built = REALTIME.replace("RCU_EXPERT=n", "RCU_EXPERT=y RCU_NOCB_CPU=y")
    assert found("rcu-offload", "isolcpus=3 rcu_nocbs=3", built).verdict is Verdict.OK


def test_a_fragment_says_what_reads_the_line_that_it_does_not_know(make_world, built_in):
    world = make_world(REALTIME, cmdline="isolcpus=3 nohz_full=3", kernel="6.12.117", cpus=4)
    policy = Policy(frozenset(), "", "fragment", Strength.COULD)
    plan = audit(world.subject, built_in, [built_in.profile("realtime")], policy).plan
    (left,) = (one for one in plan.omissions if one.advice.id == "nohz-full-cpus")
    assert (
        left.reason == "is on the boot line; the kernel reads the parameter only with NO_HZ_FULL=y"
    )


def test_the_same_cpus_may_be_written_otherwise(found):
    finding = found("nohz-full-cpus", "isolcpus=2-3 nohz_full=2,3", isolate="2-3")
    assert finding.verdict is Verdict.CHANGE
    assert not finding.remedies[0].second_step
    (other,) = found("nohz-full-cpus", "isolcpus=2-3 nohz_full=2", isolate="2-3").remedies
    assert (other.second_step, other.words, other.drop) == (
        True, ("nohz_full=2-3",), ("nohz_full=2",)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "config"),
    [
        ("isolcpus=3", REALTIME),
        ("isolcpus=3 rcu_nocbs=2", REALTIME.replace("SMP=y", "SMP=n").replace("TREE_", "TINY_")),
    ],
)
def test_what_a_rebuild_alone_does_not_give_takes_a_second_step(found, line, config):
    (remedy,) = found("nohz-full-cpus", line, config).remedies
    assert (remedy.second_step, remedy.words) == (True, ("nohz_full=3",))
