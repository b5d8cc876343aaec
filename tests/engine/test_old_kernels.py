"""What kernels were before today's way: no state and no remedy is of a time that came later."""

from __future__ import annotations

import pytest

from advisor.engine.judge import judge


@pytest.fixture
def found(make_world):
    """What an advice comes to on a whole configuration of these lines."""

    def of(advice, lines, **told):
        world = make_world(lines, **told)
        findings = judge(world, [world.knowledge.profile(advice.partition("/")[0])])
        (finding,) = (finding for finding in findings if finding.id == advice)
        return finding

    return of


PERIODIC = "HZ_PERIODIC=y CPU_IDLE=y CPU_IDLE_GOV_LADDER=y CPU_IDLE_GOV_MENU=y INTEL_IDLE=y"


@pytest.mark.parametrize(
    ("kernel", "cmdline", "effective", "kinds"),
    [
        ("4.1.2", None, "menu", []),
        ("4.9.30", None, "ladder", ["rebuild"]),
        ("4.9.30", "cpuidle_sysfs_switch", "ladder", ["runtime", "rebuild"]),
        ("5.4.286", None, "ladder", ["boot", "rebuild"]),
        ("5.10.89", None, "ladder", ["runtime", "boot", "rebuild"]),
    ],
)
def test_the_governor_is_chosen_as_the_kernel_of_that_time_does(
    found, kernel, cmdline, effective, kinds
):
    lines = f"{PERIODIC} ACPI=y PM=y"
    finding = found("power-saving/cpuidle-governor", lines, kernel=kernel, cmdline=cmdline)
    assert finding.state.effective == (effective,)
    assert [remedy.kind.value for remedy in finding.remedies] == kinds
