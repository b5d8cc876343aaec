"""What is told of a word that adds nothing, beside the remedies for others of its line."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit


@pytest.mark.parametrize(
    ("line", "subject", "remedy"),
    [
        (
            "nowatchdog nmi_watchdog=0",
            "nmi_watchdog=0",
            "take it out only if nowatchdog stays: without that it counts",
        ),
        # Nothing that another word makes so.
        ("audit=0", "audit=0", "remove it"),
        (
            "nohz_full=2-7 rcu_nocbs=2-7",
            "rcu_nocbs=2-7",
            "take it out only if nohz_full=2-7 stays: without that it counts",
        ),
    ],
)
def test_a_word_may_go_only_while_what_makes_it_needless_stays(
    make_world, built_in, line, subject, remedy
):
    config = (
        "SMP=y PERF_EVENTS=y HARDLOCKUP_DETECTOR=y SOFTLOCKUP_DETECTOR=y LOCKUP_DETECTOR=y AUDIT=n "
        "HARDLOCKUP_DETECTOR_PERF=y NO_HZ_FULL=y RCU_NOCB_CPU=y NO_HZ_COMMON=y CPU_ISOLATION=y"
    )
    world = make_world(config, cmdline=line, kernel="6.12.117", cpus=8)
    profiles = [built_in.profile(name) for name in ("desktop-latency", "power-saving")]
    report = audit(world.subject, built_in, profiles, Policy())

    (found,) = [d for d in report.diagnostics if d.subject == subject]
    assert found.id == "parameter-redundant"
    assert found.remedy == remedy


@pytest.mark.parametrize(
    ("line", "profile", "told"),
    [
        ("slub_debug=UZ", "diagnosis", False),  # which that profile takes out
        ("slub_debug=-", "diagnosis", True),
        ("slub_debug=UZ", "systemd", True),
    ],
)
def test_what_goes_needs_no_newer_name(make_world, built_in, line, profile, told):
    # What is built besides takes a rebuild, and so the word out of the built-in line.
    config = "SLUB=y SLUB_DEBUG=y DEBUG_KERNEL=y PREEMPTION=y PREEMPT=y DEBUG_PREEMPT=y"
    for given, lines in ((line, config), (None, f'{config} CMDLINE_BOOL=y CMDLINE="{line}"')):
        world = make_world(lines, cmdline=given, kernel="6.12.117")
        report = audit(world.subject, built_in, [built_in.profile(profile)], Policy())
        found = [d for d in report.diagnostics if d.id == "parameter-superseded"]
        assert [d.subject for d in found] == [line] * told
