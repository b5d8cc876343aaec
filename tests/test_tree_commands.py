"""The commands that ask a kernel tree, as a user runs them, on a small tree of our own."""

from __future__ import annotations

import json

import pytest

KCONFIG = """\
config X86
	def_bool y

config BASE
	bool "base"

config TOP
	bool "top"
	depends on BASE
"""


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for name, text in {
        "Kconfig": KCONFIG,
        "Makefile": "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nEXTRAVERSION =\n",
        "init/Kconfig": "",
        "arch/x86/Kconfig": "",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def check(run_command, make_config, tree, tmp_path):
    """`check` of a fragment with these lines on a configuration without BASE and TOP."""

    def run(*lines, more=()):
        fragment = tmp_path / "x.config"
        fragment.write_text("\n".join([*lines, ""]))
        config = make_config("CONFIG_X86=y", "# CONFIG_BASE is not set")
        return run_command("check", fragment, "--on", config, "--tree", tree, *more)

    return run


def test_a_line_that_holds(check):
    result = check("CONFIG_BASE=y", "CONFIG_TOP=y")
    assert result.code == 0
    assert result.stdout.endswith("effective: 2, already so: 0, dropped: 0\n")


def test_a_line_that_is_dropped_and_what_it_takes(check):
    result = check("CONFIG_TOP=y")
    assert result.code == 1
    assert "DROPPED   CONFIG_TOP=y (line 1): comes to n" in result.stdout
    assert "TOP needs BASE (Kconfig:9)" in result.stdout
    assert "add     CONFIG_BASE=y" in result.stdout


def test_as_json(check):
    result = check("CONFIG_TOP=y", more=["--format", "json"])
    document = json.loads(result.stdout)
    assert document["schema"] == "kernel-advisor/check/v1"
    (line,) = document["lines"]
    assert (line["outcome"], line["remedy"]) == ("dropped", {"BASE": "y"})


def test_nothing_of_the_tree_is_run(check, tree, tmp_path):
    planted = tmp_path / "planted"
    (tree / "Kconfig").write_text(f"PLANTED := $(shell,touch {planted})\n{KCONFIG}")
    check("CONFIG_BASE=y")
    assert not planted.exists()


def test_explain_shows_the_symbol_with_file_and_line(run_command, make_config, tree):
    config = make_config("CONFIG_X86=y", "# CONFIG_BASE is not set")
    result = run_command("explain", "CONFIG_TOP", "--tree", tree, "--config", config)
    assert result.code == 0
    assert "defined Kconfig:7" in result.stdout
    assert "depends on BASE (Kconfig:9)" in result.stdout


def test_a_name_that_neither_tree_nor_rules_know(run_command, tree):
    result = run_command("explain", "NO_SUCH_SYMBOL", "--tree", tree, "--arch", "x86")
    assert (result.code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    ("folder", "words"),
    [("missing", "no such folder"), (".", "Kconfig")],
)
def test_what_is_no_kernel_tree(run_command, make_config, tmp_path, folder, words):
    fragment = tmp_path / "x.config"
    fragment.write_text("CONFIG_BASE=y\n")
    config = make_config("CONFIG_X86=y")
    result = run_command("check", fragment, "--on", config, "--tree", tmp_path / folder)
    assert result.code == 5
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_architecture_has_to_be_told(run_command, tree, tmp_path):
    fragment = tmp_path / "x.config"
    fragment.write_text("CONFIG_BASE=y\n")
    result = run_command("check", fragment, "--tree", tree)
    assert (result.code, "--arch" in result.stderr) == (2, True)
