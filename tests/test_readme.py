"""The README and docs show what the command really prints.

Between `<!-- $ COMMAND -->` and `<!-- end -->` stands the output in a fenced block; `make golden`
writes it again. `<!-- $ COMMAND | head -N -->` shows the first lines only, `| tail -N` the last,
and `2>&1` what goes to stderr as well, behind the rest. A block under `<!-- file NAME -->` is a
file; `<!-- $ here: COMMAND -->` runs in a folder with those above it, and with the examples.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
QUOTE = re.compile(
    r"<!-- (?:file (?P<file>\S+)|\$ (?P<here>here: )?(?P<command>kernel-advisor .*?)) -->\n"
    r"```\w*\n(?P<shown>.*?)```\n<!-- end -->",
    re.S,
)


def printed(command, run_inside, folder):
    command, _, part = command.partition(" | ")
    command, both, _ = command.partition(" 2>&1")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        result = run_inside(*shlex.split(command)[1:])
    assert "Traceback" not in result.stderr
    lines = (result.stdout + (result.stderr if both else "")).splitlines(keepends=True)
    end, _, count = part.partition(" -")
    if end == "head" and lines[int(count) :]:
        lines = [*lines[: int(count)], "...\n"]
    if end == "tail" and lines[: -int(count)]:
        lines = ["...\n", *lines[-int(count) :]]
    return "".join(lines)


@pytest.fixture
def here(tmp_path):
    """Where a page's own files are."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_quotes_are_what_the_command_prints(page, run_inside, here):
    text = page.read_text()

    def renewed(match):
        if match["file"]:
            path = here / match["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(match["shown"])
            return match[0]
        start, end = (offset - match.start() for offset in match.span("shown"))
        output = printed(match["command"], run_inside, here if match["here"] else ROOT)
        return match[0][:start] + output + match[0][end:]

    fresh = QUOTE.sub(renewed, text)
    if os.environ.get("UPDATE_GOLDEN"):
        page.write_text(fresh)
    assert fresh == page.read_text()


README = (ROOT / "README.md").read_text()


def test_the_readme_shows_one_audit_one_fragment_and_one_boot_line():
    quoted = [match["command"].split()[1] for match in QUOTE.finditer(README)]
    assert quoted == ["audit", "fragment", "cmdline"]


def test_the_readme_is_short():
    """What is longer belongs to docs/."""
    assert len(README.encode()) <= 8192


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_readme_names_the_commands_for_a_start(target):
    assert re.search(rf"^make {target} ", README, re.M)
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)
