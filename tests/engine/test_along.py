"""What the remedy of one finding brings, no other finding asks for beside it."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.model.report import Verdict

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
    assert preference.verdict is Verdict.NOT_APPLICABLE
    assert preference.reason.startswith("comes with CPU frequency governor: performance")
    assert not preference.remedies


def test_it_is_asked_for_where_nobody_asks_for_the_policy(found):
    preference = found("power-saving")["energy-performance-preference"]
    assert preference.verdict is not Verdict.NOT_APPLICABLE
