"""What a partial configuration leaves open, supposed each way it may be."""

from __future__ import annotations

import pytest

from advisor.engine.effective.supposed import MOST, Supposed, each_way
from advisor.engine.judgement.judge import judge
from advisor.model.finding import Verdict


@pytest.fixture
def found(make_world):
    """The finding of an advice on a fragment of these lines."""

    def of(advice, lines, line):
        world = make_world(lines, cmdline=line, complete=False)
        findings = judge(world, [world.knowledge.profile(advice.partition("/")[0])])
        return next(finding for finding in findings if finding.id == advice)

    return of


def ways(world, *missing):
    return [
        (way.symbol(missing[0]), way.present(missing[0]))
        for way in each_way(frozenset(missing), world)
    ]


def test_a_switch_that_the_kernel_has_is_on_or_off(make_world):
    world = make_world("PREEMPT=y", complete=False, kernel="6.12")
    assert ways(world, "CPU_MITIGATIONS") == [("y", True), ("n", True)]


def test_of_a_kernel_that_is_not_told_it_may_be_gone(make_world):
    world = make_world("PREEMPT=y", complete=False, kernel=None)
    assert ways(world, "CPU_MITIGATIONS") == [("y", True), ("n", True), ("n", None)]


def test_only_switches_are_supposed_and_not_too_many(make_world):
    world = make_world("PREEMPT=y", complete=False)
    assert ways(world, "NR_CPUS") == []  # a number
    assert ways(world, "kernel") == []
    config = world.config
    for name in ("NUMA", "PCI", "ACPI", "SMP")[:MOST]:
        config = Supposed(config, name, "y")
    assert ways(world.supposing(config), "CPU_MITIGATIONS") == []


KEPT = {"kernel": "6.12", "arch": "x86"}


@pytest.mark.parametrize(
    ("tunable", "line", "lines", "told", "values"),
    [
        # Not built or switched off: on it is in neither kernel.
        ("cpu-mitigations", "mitigations=off", "PREEMPT=y", KEPT, {"off", "not-built"}),
        # With the driver it is 0, and without it there is no such setting.
        ("nvme-power-states", "nvme_core.default_ps_max_latency_us=0", "PREEMPT=y", KEPT, {"0"}),
        ("kernel-unmapping", "kpti=0", "ARM64=y", {"kernel": "6.12", "arch": "arm64"}, {"off"}),
        # A kernel that does not read the word may have it on.
        ("tick-mode", "nohz=off", "PREEMPT=y", KEPT, {"periodic", "idle", "full"}),
    ],
)  # fmt: skip
def test_what_is_so_in_each_kernel_it_may_be_is_so(make_world, tunable, line, lines, told, values):
    state = make_world(lines, cmdline=line, complete=False, **told).state(tunable)
    assert {*state.effective} <= values
    assert "auto" not in state.effective


def test_of_a_kernel_whose_version_is_not_told_the_word_may_be_unknown(make_world):
    world = make_world("PREEMPT=y", cmdline="mitigations=off", complete=False, kernel=None)
    assert {"off", "auto"} <= {*world.value("cpu-mitigations").effective}


def test_a_word_that_spoils_a_setting_in_any_case_asks_for_a_change(found):
    finding = found("hardening/cpu-mitigations", "PREEMPT=y", "mitigations=off")
    assert finding.verdict is Verdict.CHANGE
    assert [origin.text for origin in finding.state.origins] == ["mitigations=off"]


def test_a_member_that_a_word_switches_off_is_off_built_or_not(found):
    finding = found("hardening/hardening", "PREEMPT=y", "nokaslr")
    assert finding.verdict is Verdict.CHANGE
    assert "nokaslr" in finding.remedies[0].drop
    assert found("hardening/hardening", "PREEMPT=y", "quiet").verdict is Verdict.UNKNOWN
