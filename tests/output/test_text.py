"""A finding in the terminal: what to type first, as a shell can take it, and how it lasts."""

import re

import pytest

from advisor.output import Style, text


@pytest.fixture
def shown(make_report):
    def render(*profiles, line=None, width=80):
        # At so narrow a width every command has to go on in a further line.
        return text.render([make_report(*profiles, line=line)], Style(width=width))

    return render


def blocks(shown):
    return {
        block.split("[")[1].split("]")[0]: block for block in shown.split("\n\n") if "[" in block
    }


def test_the_first_line_has_the_present_value_and_the_wanted_one(shown):
    found = blocks(shown("desktop-latency", line="quiet preempt=none"))
    assert found["split-lock-mitigation"].startswith(
        "COULD   Split lock mitigation: on (default) -> off [split-lock-mitigation]\n  do "
    )
    head, by = found["preemption-model"], "set by  preempt=none (boot line, column 7)"
    assert head.startswith("SHOULD  Preemption model: none ")
    assert by in head


def test_what_to_do_at_run_time_has_the_line_that_keeps_it(shown):
    block = blocks(shown("desktop-latency"))["split-lock-mitigation"]
    assert "  do      until the next boot: sysctl -w kernel.split_lock_mitigate=0\n" in block
    assert "  keep    in /etc/sysctl.d/: kernel.split_lock_mitigate = 0\n" in block


def test_a_long_command_goes_on_as_a_shell_takes_it(shown):
    block = blocks(shown("desktop-latency", width=40))["split-lock-mitigation"]
    (command,) = re.findall(r"until the next boot:\n((?: {10}.*\\\n)* {10}.*)\n", block)
    assert command.count("\\\n") == 1
    joined = re.sub(r" \\\n *", " ", command).strip()
    assert joined == "sysctl -w kernel.split_lock_mitigate=0"


def test_members_that_are_not_as_wanted_stand_under_what_to_do(shown):
    lines = blocks(shown("server-throughput"))["debug-overhead"].splitlines()
    do = next(number for number, line in enumerate(lines) if line.startswith("  do "))
    now = next(number for number, line in enumerate(lines) if line.startswith("  now "))
    assert do < now
    assert lines[now + 1].startswith("          - ")
