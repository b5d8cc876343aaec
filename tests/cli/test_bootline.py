"""The command `cmdline`: its formats and files, and boot lines that are no boot lines."""

from __future__ import annotations

import pytest
import tomli

from advisor.model.cmdline import parse_cmdline
from advisor.output import BOOT_FORMATS

LINE = ("--cmdline", "quiet widget=off gadget=1")
ADDED = "widget=on"
# Boot words for the rule of the fixture `own`.
BOOT = {"on": 'boot = ["widget=on"]', "off": 'boot = ["widget=off"]'}
PARAMETER = """\
[[parameter]]
name = "widget"
summary = "Whether widgets are used."
type = "enum"
words = ["on", "off"]
sources = ["code init/main.c@6.12"]
"""


@pytest.fixture
def asked(make_config, own, widgets, edit):
    """What asks for a widget, of a kernel without one."""
    for name, words in BOOT.items():
        edit(own / "rules/area/widget.toml", f'name = "{name}"', f'name = "{name}"\n{words}')
    (own / "rules/parameters").mkdir()
    (own / "rules/parameters/widget.toml").write_text(PARAMETER)
    return [make_config("# CONFIG_WIDGET is not set"), *widgets]


def test_words_are_added_and_taken_away(run_inside, asked):
    result = run_inside("cmdline", *asked, *LINE)
    assert (result.code, result.stdout) == (0, f"quiet gadget=1 {ADDED}\n")
    assert result.stderr.splitlines() == [
        f"kernel-advisor: added: {ADDED}",
        "kernel-advisor: removed: widget=off",
    ]


def test_dead_words_are_taken_away_unless_they_shall_stay(run_inside, asked):
    words = ("--cmdline", f"elevator=bfq {LINE[1]}")
    told = "kernel-advisor: removed, because it has no effect: elevator=bfq: has no effect any more"
    result = run_inside("cmdline", *asked, *words)
    assert "elevator" not in result.stdout
    assert told in result.stderr.splitlines()
    result = run_inside("cmdline", *asked, *words, "--keep-words")
    assert result.stdout.startswith("elevator=bfq ")
    assert "elevator" not in result.stderr


def test_an_unknown_format(run_inside, asked):
    result = run_inside("cmdline", *asked, "--format", "lilo")
    told = "--format: there is no format 'lilo' (one of plain, grub, grubby, kernel-install, "
    assert (result.code, result.stdout) == (2, "")
    assert told in result.stderr


@pytest.mark.parametrize("target", ["lilo=x", "grub", "grub=", "json=x"])
def test_an_unknown_format_to_write(run_inside, asked, target):
    result = run_inside("cmdline", *asked, "--write", target)
    assert result.code == 2
    assert f"--write: {target!r} does not name a format and a file" in result.stderr


def test_several_formats_at_once(run_inside, asked, tmp_path):
    alone = {
        name: run_inside("cmdline", *asked, *LINE, "--format", name).stdout for name in BOOT_FORMATS
    }
    options = [word for name in alone for word in ("--write", f"{name}={name}.out")]
    result = run_inside("cmdline", *asked, *LINE, *options, "-f", "bootc", "-o", "last")
    assert (result.code, result.stdout) == (0, "")
    assert {name: (tmp_path / f"{name}.out").read_text() for name in alone} == alone
    assert tomli.loads((tmp_path / "last").read_text())["kargs"] == [ADDED]


def test_the_whole_line_needs_the_present_one(run_inside, asked):
    result = run_inside("cmdline", *asked, "--format", "kernel-install")
    assert (result.code, result.stdout) == (2, "")
    assert "(give --cmdline @/proc/cmdline)" in result.stderr


def test_what_a_format_cannot_do_is_told(run_inside, asked):
    result = run_inside("cmdline", *asked, *LINE, "--format", "bootc")
    assert "kernel-advisor: bootc: This file cannot remove parameters." in result.stderr


def test_a_word_that_one_format_cannot_carry_leaves_no_file(run_inside, asked, tmp_path):
    line = ("--cmdline", "quiet a=b\\c")
    options = ("--write", "plain=line", "--write", "kernel-install=cmdline")
    result = run_inside("cmdline", *asked, *line, *options)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == (
        "kernel-advisor: --format kernel-install: cannot write 'a=b\\\\c' (a backslash) "
        "(change these parameters, or give another format)\n"
    )
    assert {path.name for path in tmp_path.iterdir()}.isdisjoint({"line", "cmdline"})


@pytest.mark.parametrize("name", BOOT_FORMATS)
@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("", 0, "added: "),
        ("  \t ", 0, "added: "),
        ("caf\u00e9=1 quiet", 0, "added: "),
        ("quiet -- single", None, "all parameters after '--' go to init"),
        ('quiet a="b c', 3, "--cmdline, column 9: a quote is not closed"),
        ("quiet a\x01b", 3, "--cmdline, column 8: a control character"),
    ],
)
def test_odd_lines(run_inside, asked, name, line, code, told):
    result = run_inside("cmdline", *asked, "--cmdline", line, "--format", name)
    assert "Traceback" not in result.stderr
    appends = name in ("grub", "grubby", "bootc", "tuned")
    assert result.code == (code if code is not None else 2 if appends else 0)
    if code is not None or appends:
        assert told in result.stderr
    assert bool(result.stdout) is (result.code == 0)


@pytest.mark.parametrize("command", ["audit", "cmdline"])
@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        (b"quiet\0nohz=off", 3, "is a binary file, not text"),
        (b"", 3, "is empty"),
        (b"quiet\nnohz=off\n", 3, "has several lines"),
    ],
)
def test_files_that_hold_no_line(run_inside, asked, tmp_path, command, content, code, told):
    (tmp_path / "line").write_bytes(content)
    result = run_inside(command, *asked, "--cmdline", "@line")
    assert (result.code, result.stdout) == (code, "")
    assert told in result.stderr


@pytest.mark.parametrize("name", ["plain", "kernel-install"])
@pytest.mark.parametrize("line", [b"quiet a=\xff", b'quiet a="\xe9 b"'])
def test_bytes_that_are_no_text(run_inside, asked, tmp_path, name, line):
    (tmp_path / "line").write_bytes(line)
    result = run_inside("cmdline", *asked, "--cmdline", "@line", "--format", name)
    assert (result.code, result.stdout) == (2, "")
    assert "(not UTF-8)" in result.stderr


def test_a_line_of_sixty_kilobytes(run_inside, asked, tmp_path):
    given = " ".join(f"word{number}=x" for number in range(5_000))
    (tmp_path / "line").write_text(given)
    result = run_inside("cmdline", *asked, "--cmdline", "@line", "-o", "out")
    assert result.code == 0
    found = [word.text for word in parse_cmdline((tmp_path / "out").read_text()).words]
    assert found == given.split()  # nothing that is added would be read
    assert "the boot line is too long: the kernel keeps only its first 2047 bytes" in result.stderr


def test_a_longer_line_is_refused(run_inside, asked, tmp_path):
    (tmp_path / "line").write_text("word=x " * 20_000)
    result = run_inside("cmdline", *asked, "--cmdline", "@line", "-o", "out")
    assert result.code == 3
    assert "line: a boot line of more than 65536 characters" in result.stderr
