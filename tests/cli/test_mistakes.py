"""What people type by mistake (mistakes.txt): each ends in one line that says what to type instead,
or the command does what was meant and says so. Nothing is judged as if it were right."""

from __future__ import annotations

import os
import shlex
import tarfile
from pathlib import Path

import pytest

SNAPSHOT = "kernel-advisor snapshot 1\nfile /proc/version\n|Linux version 6.12.0\nend\n"
TEXTS = {
    "a.snapshot": SNAPSHOT,
    "fleet/one": SNAPSHOT,
    "fleet/two": SNAPSHOT,
    "line.txt": "quiet splash root=/dev/sda1\n",
    "10-swap.conf": "vm.swappiness = 10\n",
    "host/etc/fstab": "",
    "host/proc/version": "Linux version 6.12.0\n",
}


def rows():
    """What is typed, the exit code, and the last line of its own that the command prints."""
    lines = Path(__file__).with_name("mistakes.txt").read_text().splitlines()
    for words, told in zip(lines[::2], lines[1::2], strict=True):
        code, _, line = told.partition(" ")
        yield pytest.param(words.removeprefix("$ "), int(code), line, id=words)


@pytest.fixture
def folder(make_config, make_tree, tmp_path):
    """A folder with one of each kind of input."""
    for name, text in TEXTS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in ("src", "boot"):
        (tmp_path / name).mkdir()
    make_config("CONFIG_X86=y", "CONFIG_HZ_250=y", name="x.config")
    make_config("CONFIG_ARM64=y", name="arm.config", arch="arm64")
    make_config(name="src/.config")
    make_config(name="boot/config-6.12.0")
    with tarfile.open(tmp_path / "host.tar", "w") as archive:
        archive.add(tmp_path / "host", "host")
    make_tree(tmp_path / "linux", {"Kconfig": "config HZ_250\n\tbool\n"})
    return tmp_path


@pytest.mark.parametrize(("words", "code", "line"), [*rows()])
def test_a_mistake_ends_in_a_line_that_says_what_to_type(run_inside, folder, words, code, line):
    result = run_inside(*shlex.split(words), cwd=folder)
    told = [text for text in result.stderr.splitlines() if text.startswith("kernel-advisor: ")]
    assert (result.code, told[-1:]) == (code, [f"kernel-advisor: {line}"])
    assert (result.stdout == "") is (code > 1)


@pytest.mark.parametrize("words", [["help"], ["help", "audit"], ["version"]], ids=" ".join)
def test_words_that_are_options_elsewhere(run_inside, words):
    option = "--version" if words == ["version"] else "--help"
    assert run_inside(*words) == run_inside(*words[1:], option)


@pytest.mark.parametrize("format", ["JSON", "Json"])
def test_the_case_of_a_format_does_not_matter(run_inside, folder, format):
    words = ("audit", "x.config", "-p", "systemd", "-f")
    assert run_inside(*words, format, cwd=folder) == run_inside(*words, "json", cwd=folder)


@pytest.mark.parametrize("command", ["profiles", "rules"])
def test_show_may_be_left_out(run_inside, command):
    name = {"profiles": "database", "rules": "timer-frequency"}[command]
    assert run_inside(command, name) == run_inside(command, "show", name)


def test_names_of_profiles_that_a_comma_joins(run_inside, folder):
    apart = ("-p", "database", "-p", "systemd")
    words = ("audit", "x.config", "-f", "json")
    joined = run_inside(*words, "-p", "database, systemd", cwd=folder)
    assert joined == run_inside(*words, *apart, cwd=folder)


def test_a_configuration_on_standard_input_is_not_passed_over(run_command, folder):
    """Where nothing names it: `zcat config.gz | kernel-advisor audit -p systemd`."""
    data = (folder / "x.config").read_bytes()
    told = "CONFIG: is missing, and standard input holds data (give - as CONFIG to read standard "
    for command in ("audit", "baseline"):
        result = run_command(command, "-p", "systemd", stdin=data)
        assert (result.code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"kernel-advisor: {told}")
    assert run_command("audit", "-", "-p", "systemd", stdin=data).code in (0, 1)


def test_a_symbol_of_a_tree_is_found_in_any_case(run_inside, folder):
    words = ("--tree", "linux", "--arch", "x86")
    found = run_inside("explain", "hz_250", *words, cwd=folder)
    assert found.stdout.startswith("HZ_250 in linux ")
    assert found == run_inside("explain", "HZ_250", *words, cwd=folder)


def test_another_release_than_the_header_is_told_and_judged(run_inside, folder):
    words = ("audit", "x.config", "-p", "systemd", "--kernel")
    assert run_inside(*words, "6.12.9", cwd=folder).stderr == ""
    result = run_inside(*words, "5.4", cwd=folder)
    assert (
        result.stderr
        == "kernel-advisor: x.config:3: the configuration names Linux 6.12.0, but is judged for "
        "Linux 5.4 (--kernel)\n"
    )
    assert result.stdout.startswith("subject   x.config: Linux 5.4, x86\n")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("#\n# Automatically generated\n# Linux/arm64 6.12.0 Kernel Configuration\n", 3),
        ("# aarch64\n# CONFIG_A is not set\n", 3),
        ("# arm64\n# CONFIG_A is not set\n", 1),
        ("CONFIG_A=y\n", 2),
    ],
)
def test_the_line_that_tells_the_architecture_is_named(run_inside, tmp_path, text, place):
    (tmp_path / "c").write_text(f"{text}CONFIG_ARM64=y\n")
    result = run_inside("audit", "c", "-p", "systemd", "--arch", "x86")
    assert result.stderr.startswith(
        f"kernel-advisor: c:{place}: is a configuration for arm64, but the options say x86"
    )


def test_of_several_configurations_the_others_are_judged(run_inside, folder):
    words = ("audit", "x.config", "arm.config", "--arch", "x86", "-p", "systemd")
    result = run_inside(*words, cwd=folder)
    assert (result.code, "subject   x.config" in result.stdout) == (3, True)
    assert "subject   arm.config" not in result.stdout
    assert "arm.config:3: is a configuration for arm64" in result.stderr


def test_a_file_called_as_a_word_is_still_a_file(run_inside, folder):
    """A blank makes a word of it."""
    os.rename(folder / "line.txt", folder / "quiet")
    assert run_inside("audit", "x.config", "--cmdline", "quiet", cwd=folder).code == 2
    assert run_inside("audit", "x.config", "--cmdline", " quiet", cwd=folder).code == 0
