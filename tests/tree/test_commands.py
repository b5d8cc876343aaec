"""The commands of a tree that is trusted to run them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from advisor.errors import TreeError
from advisor.tree import commands as treecommands
from advisor.tree.commands import Commands, commands


def test_output_is_read_as_kconfig_does():
    with commands({"SPELLING": "as make exports it"}) as run:
        assert run("echo a; echo b; echo; echo") == "a b"
        assert run("echo $SPELLING; echo lost >&2; exit 3") == "as make exports it"
        assert run(r"printf 'a\377b'") == "a\ufffdb"
        assert run("cat") == ""  # nothing to read, and no terminal to wait for


def test_the_folder_and_what_was_written_there_is_gone():
    with commands({}) as run:
        folder = Path(run("echo x >left; pwd"))
        assert (folder / "left").exists()
        assert folder != Path.cwd()
    assert not folder.exists()


def test_a_command_that_cannot_be_run(tmp_path):
    with pytest.raises(TreeError, match="cannot run 'echo x'") as caught:
        Commands(str(tmp_path / "gone"), {})("echo x")
    assert (caught.value.where, caught.value.exit_code) == ("Kconfig", 5)


def test_a_command_that_does_not_end(tmp_path, monkeypatch):
    monkeypatch.setattr(treecommands, "TIMEOUT", 0.1)
    with pytest.raises(TreeError, match="--run-toolchain"):
        Commands(str(tmp_path), {})("exec sleep 20")


def test_what_a_command_started_ends_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(treecommands, "TIMEOUT", 0.5)
    with pytest.raises(TreeError):
        Commands(str(tmp_path), {})("sleep 60 & echo $! >child; wait")
    child = int((tmp_path / "child").read_text())
    for _ in range(50):  # until init has reaped it
        try:
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":
            return
        time.sleep(0.1)
    pytest.fail(f"{child} runs on")


def test_tools_are_those_of_make(monkeypatch):
    monkeypatch.setenv("CROSS_COMPILE", "no-such-")
    monkeypatch.delenv("LLVM", raising=False)
    with commands({"srctree": os.devnull}) as run:
        tools = run.tools()
        assert (tools["CC"], tools["CC_VERSION_TEXT"]) == ("no-such-gcc", "")
        # What make finds out about them is exported to the commands that follow.
        assert run("echo $CC") == "no-such-gcc"
