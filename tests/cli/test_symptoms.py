"""`explain SYMPTOM` as a user runs it."""

from __future__ import annotations

import pytest

LINES = ("CONFIG_64BIT=y", "CONFIG_NO_HZ_COMMON=y", "CONFIG_HZ_PERIODIC=y", "CONFIG_KSM=y")


@pytest.fixture
def explain(run_inside):
    def run(*words):
        return run_inside("explain", *words)

    return run


def test_a_symptom_lists_its_causes_with_commands_and_sources(explain):
    told = explain("stutter")
    assert told.code == 0
    assert told.stdout.startswith("Picture, mouse or game stops for a moment [stutter]\n")
    assert "\n1. Split lock mitigation [split-lock-mitigation]\n  if        on\n" in told.stdout
    assert "\n  run       grep -E 'Dirty|Writeback:' /proc/meminfo\n" in told.stdout
    assert "handle_user_split_lock" in told.stdout
    assert "here" not in told.stdout


def test_a_command_is_never_wrapped(explain):
    lines = explain("refused-connections").stdout.splitlines()
    assert any(
        line.endswith("dmesg | grep 'SYN flooding'") and "nstat -az" in line for line in lines
    )


def test_words_of_a_symptom_need_no_quotes(explain):
    assert explain("slow", "boot").stdout == explain("slow-boot").stdout
    assert explain("Boot Time").stdout == explain("slow-boot").stdout


def test_a_configuration_shows_the_state_of_each_cause(explain, make_config):
    path = str(make_config(*LINES))
    told = " ".join(explain("high", "idle", "load", path).stdout.split())
    assert "can be the cause: 1" in told
    assert "by CONFIG_HZ_PERIODIC=y (line" in told
    assert "not the cause, unless set at run time" in told


def test_a_running_value_clears_a_setting(explain, make_config, tmp_path):
    running = tmp_path / "running"
    running.write_text("/sys/kernel/mm/ksm/run = 1\n")
    path = str(make_config(*LINES))
    told = " ".join(explain("idle-wakeups", path, "--runtime", str(running)).stdout.split())
    assert "running, by /sys/kernel/mm/ksm/run=1 (run time" in told
    assert "): can be the cause" in told


def test_a_host_shows_the_state_of_each_cause(explain):
    told = explain("heat", "--host", "/")
    assert told.code == 0
    assert "\n  here      in /" in told.stdout


def test_all_symptoms_are_listed(explain):
    lines = explain("symptoms").stdout.splitlines()
    assert len(lines) > 20
    assert any(line.split() == ["stutter", *line.split()[1:]] for line in lines)


def test_an_unknown_word_suggests_a_symptom(explain):
    told = explain("strutter")
    assert told.code == 2
    assert "did you mean stutter" in told.stderr


def test_a_configuration_behind_another_name_is_refused(explain, make_config):
    path = str(make_config(*LINES))
    told = explain("HZ", path)
    assert told.code == 2
    assert told.stderr == (
        f"kernel-advisor: {path}: a configuration or host can be given only with a symptom "
        "(run 'kernel-advisor explain stutter CONFIG', or 'kernel-advisor audit CONFIG')\n"
    )


def test_a_configuration_that_is_missing_is_an_input_error(explain):
    told = explain("stutter", "/nowhere/.config")
    assert told.code == 3
    assert "/nowhere/.config" in told.stderr
