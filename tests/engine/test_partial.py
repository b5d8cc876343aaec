"""Fragments and defconfigs: what they say is judged, and nothing is advised that may be untrue."""

from __future__ import annotations

import pytest

from advisor.engine.judge import judge
from advisor.model.report import Verdict
from advisor.output import phrases

RT = "CGROUPS=y CGROUP_SCHED=y RT_GROUP_SCHED=y PREEMPT_RT=y"
OPEN = {"arch": None, "kernel": None}


@pytest.fixture
def found(make_world):
    """The finding of an advice on a fragment of these lines."""

    def of(advice, lines="NAMESPACES=y", **told):
        world = make_world(lines, **{"complete": False, **told})
        findings = judge(world, [world.knowledge.profile(advice.partition("/")[0])])
        return next(finding for finding in findings if finding.id == advice)

    return of


# RT_GROUP_SCHED_DEFAULT_DISABLED came with 6.16: no line about it is missing before.
@pytest.mark.parametrize(
    ("kernel", "verdict"),
    [
        ("6.12", Verdict.CHANGE),
        ("6.12.117", Verdict.CHANGE),
        ("6.12.117-vendor", Verdict.UNKNOWN),  # which may have it as a backport
        ("6.12.400", Verdict.UNKNOWN),
        ("6.18", Verdict.UNKNOWN),
        (None, Verdict.UNKNOWN),
    ],
)
@pytest.mark.parametrize("arch", ["arm64", "x86"])
def test_an_explicit_line_is_judged_where_nothing_else_can_be_set(found, kernel, arch, verdict):
    finding = found("realtime/rt-group-sched", RT, kernel=kernel, arch=arch)
    assert finding.verdict is verdict


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


def test_what_the_architecture_leaves_open_is_unknown_too(found):
    """arm64 has HOTPLUG_SMT in Kconfig, and nothing that selects it."""
    finding = found("realtime/smt", arch="arm64")
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
        if finding.verdict is Verdict.BLOCKED and "no way" in finding.reason
    ]
    assert wrong == []


def test_a_whole_kernel_of_unknown_version_has_ways_that_nobody_knows(found):
    """The counter-test: with its version the same is blocked."""
    lines = "TICK_ONESHOT=n HIGH_RES_TIMERS=n NO_HZ_COMMON=n"
    finding = found("hpc-compute/skew-tick", lines, kernel="6.12", complete=True)
    assert finding.verdict in (Verdict.BLOCKED, Verdict.NOT_APPLICABLE)


def test_the_tree_is_named_once_with_what_it_answers(make_world):
    world = make_world("NAMESPACES=y", complete=False, kernel="6.12")
    findings = judge(world, [world.knowledge.profile("server-throughput")])
    told = dict(phrases.missing(f for f in findings if f.verdict is Verdict.UNKNOWN))
    symbols = [f for f in findings if any(name.isupper() for name in f.missing)]
    assert told["--tree DIR, or the whole configuration"] > 0.5 * len(symbols) > 0
