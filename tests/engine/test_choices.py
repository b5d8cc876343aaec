"""Two lines that each take a member of one choice, and a built-in line that may not count."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.diagnose.choices import overruled
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import Machine

GOVERNORS = "CPU_FREQ_DEFAULT_GOV_PERFORMANCE=y CPU_FREQ_DEFAULT_GOV_ONDEMAND=y"


def told(world):
    return [
        (one.location.line, one.subject, one.message.split("; ")[-1]) for one in overruled(world)
    ]


@pytest.mark.parametrize("complete", [True, False])
def test_the_line_is_told_that_a_later_one_overrules(make_world, complete):
    world = make_world(f"SMP=y {GOVERNORS}", complete=complete, arch="arm", kernel="5.4")
    assert told(world) == [(2, "CPU_FREQ_DEFAULT_GOV_PERFORMANCE", "line 3 wins")]


def test_of_three_lines_two_are(make_world):
    world = make_world("HZ_250=y HZ_100=y HZ_1000=y", complete=False, kernel="6.12")
    assert [line for line, *_ in told(world)] == [1, 2]


@pytest.mark.parametrize(
    ("lines", "kernel"),
    [
        ("PREEMPT=y PREEMPT_RT=y", "6.13"),  # beside the choice since
        ("PREEMPT=y PREEMPT_LAZY=y", "5.11"),  # the lazy preemption of the old -rt patches
        ("PREEMPT=y PREEMPT_RT=y", None),
        (GOVERNORS, None),
        ("HZ_250=y HZ_1000=n", "6.12"),
        ("HZ_250=y PREEMPT=y", "6.12"),
        ("HZ_250=y SMP=y", "6.12"),
    ],
)
def test_nothing_is_told_of_what_is_not_surely_one_choice(make_world, lines, kernel):
    assert told(make_world(lines, complete=False, kernel=kernel)) == []


def test_a_member_that_left_its_choice_is_told_for_older_kernels(make_world):
    world = make_world("PREEMPT=y PREEMPT_RT=y", complete=False, kernel="6.12")
    assert told(world) == [(1, "PREEMPT", "line 2 wins")]


def notes(built_in, lines, line=None, arch="arm", profile="realtime"):
    config = parse_config("\n".join(lines) + "\n", ".config", complete=True)
    given = Given(Machine(arch=arch), None, None if line is None else parse_cmdline(line))
    profiles = [built_in.profile(profile)]
    report = audit(subject_of(config, given), built_in, profiles, Policy())
    return [one.id for one in report.diagnostics].count("built-in-line-fallback")


OLD_LINE = ['CONFIG_CMDLINE="nohz=off threadirqs cpufreq.off=1"', "CONFIG_IRQ_FORCED_THREADING=y"]


def test_what_rests_on_a_line_for_want_of_another_is_said_once(built_in):
    assert notes(built_in, [*OLD_LINE, "CONFIG_CMDLINE_FROM_BOOTLOADER=y"]) == 1


@pytest.mark.parametrize("line", ["quiet", ""])
def test_where_the_boot_line_is_told_it_is_not(built_in, line):
    assert notes(built_in, [*OLD_LINE, "CONFIG_CMDLINE_FROM_BOOTLOADER=y"], line) == 0


@pytest.mark.parametrize("switch", ["CMDLINE_FORCE", "CMDLINE_EXTEND"])
def test_nor_where_the_built_in_line_counts_anyway(built_in, switch):
    assert notes(built_in, [*OLD_LINE, f"CONFIG_{switch}=y"]) == 0


def test_nor_where_nothing_rests_on_it(built_in):
    assert notes(built_in, ['CONFIG_CMDLINE="console=ttyAMA0"'], arch="arm64") == 0
