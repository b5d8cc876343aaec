"""What a boot line needs once a word is gone, told with the advice to take it away."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.model.remedy import RemedyKind

CONFIG = "PREEMPT_RT=y\nACPI=y\nACPI_PROCESSOR=y\nCPU_IDLE=y\nINTEL_IDLE=y\nPM=y"
LIMIT = ("intel_idle.max_cstate=1", "processor.max_cstate=1")


@pytest.fixture
def remedy(make_world, built_in):
    """The first remedy for a busy idle loop, on this boot line."""

    def of(cmdline):
        world = make_world(CONFIG, cmdline=cmdline, kernel="6.12.117", vendor="intel")
        report = audit(world.subject, built_in, [built_in.profile("realtime")], Policy())
        (found,) = [f for f in report.findings if f.id == "realtime/idle-loop"]
        return found.remedies[0]

    return of


@pytest.mark.parametrize(
    ("cmdline", "words", "drop"),
    [
        ("idle=poll", LIMIT, {"idle=poll"}),
        (
            "idle=poll intel_idle.max_cstate=0 processor.max_cstate=0",
            LIMIT,
            {"idle=poll", "intel_idle.max_cstate=0", "processor.max_cstate=0"},
        ),
        # What is there already, and was only void, need not be written again.
        ("idle=poll intel_idle.max_cstate=1 processor.max_cstate=1", (), {"idle=poll"}),
    ],
)
def test_without_the_loop_the_limit_is_needed(remedy, cmdline, words, drop):
    found = remedy(cmdline)
    assert (found.words, set(found.drop)) == (words, drop)


def test_nothing_is_woken_that_other_advice_would_undo(make_world, built_in):
    """Of two profiles one wants a limit without the loop, and the other none."""
    world = make_world(CONFIG, cmdline="idle=halt", kernel="6.12.117", vendor="intel")
    profiles = [built_in.profile(name) for name in ("realtime", "power-saving")]
    report = audit(world.subject, built_in, profiles, Policy())
    (found,) = [f for f in report.findings if f.id == "power-saving/idle-loop"]
    assert (found.remedies[0].words, found.remedies[0].drop) == ((), ("idle=halt",))


def test_what_decides_behind_a_word_goes_with_it(make_world, built_in):
    """Behind idle=halt, nohz=off puts ladder first: both go, and no governor is left out."""
    config = "CPU_IDLE=y CPU_IDLE_GOV_MENU=y CPU_IDLE_GOV_LADDER=y NO_HZ_IDLE=y INTEL_IDLE=y"
    config += " NO_HZ_COMMON=y"
    world = make_world(config, cmdline="idle=halt nohz=off", kernel="6.12.117", vendor="intel")
    report = audit(world.subject, built_in, [built_in.profile("power-saving")], Policy())
    (found,) = [f for f in report.findings if f.tunable.id == "cpuidle-governor"]
    assert found.remedies, found.reason
    (remedy,) = found.remedies
    assert (remedy.kind.name, set(remedy.drop)) == ("BOOT", {"idle=halt", "nohz=off"})


@pytest.mark.parametrize("built_in_line", [False, True])
@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("PAGE_TABLE_ISOLATION=n RETPOLINE=y", "rebuild with PAGE_TABLE_ISOLATION=y"),
        ("PAGE_TABLE_ISOLATION=y RETPOLINE=y", ""),
    ],
)
def test_what_is_not_built_is_told_with_the_word(make_world, built_in, lines, told, built_in_line):
    config = f"X86_64=y CPU_SUP_INTEL=y {lines}"
    given = "mitigations=off"
    if built_in_line:
        config, given = f'{config} CMDLINE_BOOL=y CMDLINE="{given}"', None
    world = make_world(config, cmdline=given, kernel="5.13.0", vendor="intel")
    report = audit(world.subject, built_in, [built_in.profile("power-saving")], Policy())
    (found,) = [f for f in report.findings if f.id == "power-saving/cpu-mitigations"]
    assert found.remedies[0].kind is RemedyKind.BOOT
    assert found.reason.endswith(told)
    assert bool(found.reason) == bool(told)
