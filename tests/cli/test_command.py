"""What a command makes of its words: its request, and what is refused as of no use together."""

from __future__ import annotations

import pytest

from advisor.cli.command import COMBINATIONS, request_of
from advisor.cli.options import PROFILE
from advisor.errors import UsageError


def test_a_request_can_be_a_key():
    """What equal options need is prepared once."""
    one, other = (request_of({"profile": PROFILE}, {"profile": ["a"]}) for _ in range(2))
    assert one == other
    assert one is not other
    assert len({one, other}) == 1
    assert one.knowledge.profile == ("a",)


OF_NO_USE = [
    (
        ["audit", "--host", "/", "--cmdline", "quiet"],
        "--host",
        "cannot be combined with --cmdline, --sysctl, --runtime, --this-machine or --merge",
    ),
    (
        ["audit", "c", "--settings", "s", "--no-settings"],
        "--settings",
        "cannot be combined with --no-settings",
    ),
    (["audit", "c", "--run-toolchain"], "--run-toolchain", "needs --tree"),
    (["cmdline", "c", "--run-toolchain"], "--run-toolchain", "needs --tree"),
    (["fragment", "c", "--prove", "kbuild"], "--prove", "needs --tree"),
    (["explain", "HZ", "--config", "c"], "--on", "needs --tree"),
    (["explain", "HZ", "--run-toolchain"], "--run-toolchain", "needs --tree"),
    (["lint", "--arch", "x86"], "--arch", "needs --tree"),
    (["lint", "--output", "o"], "rules lint --output", "has no effect alone"),
]


@pytest.mark.parametrize(("words", "where", "message"), OF_NO_USE, ids=str)
def test_what_is_of_no_use_is_refused(run_inside, words, where, message):
    result = run_inside(*words)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"kernel-advisor: {where}: ")
    assert message in result.stderr


def test_every_combination_is_refused_above():
    assert {rule.message for rule in COMBINATIONS} <= {message for _, _, message in OF_NO_USE}
    assert len({(rule.option, rule.others) for rule in COMBINATIONS}) == len(COMBINATIONS)


def test_a_command_refuses_before_it_reads_anything(run_inside):
    """The file is not there; what counts is the first thing that is wrong."""
    result = run_inside("audit", "absent", "--run-toolchain")
    assert result.code == UsageError.exit_code
