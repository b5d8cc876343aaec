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
            "remove this parameter only if nowatchdog stays: without nowatchdog, the "
            "parameter works",
        ),
        # Nothing that another word makes so.
        ("audit=0", "audit=0", "remove the parameter"),
        (
            "nohz_full=2-7 rcu_nocbs=2-7",
            "rcu_nocbs=2-7",
            "remove this parameter only if nohz_full=2-7 stays: without nohz_full=2-7, "
            "the parameter works",
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


def test_a_value_is_refused_only_while_the_word_stays_that_a_remedy_removes(make_world, built_in):
    config = (
        "PPC_BOOK3S_64=y PPC_RADIX_MMU=y PPC_RADIX_MMU_DEFAULT=y PPC_4K_PAGES=y HUGETLBFS=y "
        "TRANSPARENT_HUGEPAGE=y TRANSPARENT_HUGEPAGE_MADVISE=y"
    )
    line = "disable_radix default_hugepagesz={}"
    profiles = [built_in.profile("virtualization-host")]

    world = make_world(config, cmdline=line.format("1G"), arch="powerpc", kernel="6.12.117")
    report = audit(world.subject, built_in, profiles, Policy())
    (found,) = [d for d in report.diagnostics if d.id == "parameter-value-refused"]
    remedy = "remove disable_radix; if disable_radix stays, write a size that this kernel has"
    assert found.remedy == remedy

    # Words that the remedy removes besides are no part of the condition.
    more = f"transparent_hugepage=never {line.format('16M')} hugepagesz=1G"
    world = make_world(config, cmdline=more, arch="powerpc", kernel="6.12.117")
    report = audit(world.subject, built_in, profiles, Policy())
    (found,) = [d for d in report.diagnostics if d.id == "parameter-value-refused"]
    remedy = "remove disable_radix; if disable_radix stays, write a size that this kernel has"
    assert found.remedy == remedy

    # The size of hashed page tables goes with the word.
    world = make_world(config, cmdline=line.format("16M"), arch="powerpc", kernel="6.12.117")
    report = audit(world.subject, built_in, profiles, Policy())
    drops = [r.drop for f in report.findings for r in f.remedies if r.drop]
    assert ("disable_radix", "default_hugepagesz=16M") in drops


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
