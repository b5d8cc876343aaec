"""The README and docs show what the command really prints.

Between `<!-- $ COMMAND -->` and `<!-- end -->` stands the output in a fenced block; `make golden`
writes it again. `<!-- $ COMMAND | head -N -->` shows the first lines only.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
QUOTE = re.compile(
    r"<!-- \$ (?P<command>kernel-advisor .*?) -->\n```\w*\n(?P<shown>.*?)```\n<!-- end -->", re.S
)


def printed(command, run_command):
    command, _, head = command.partition(" | head -")
    result = run_command(*shlex.split(command)[1:], cwd=ROOT)
    assert "Traceback" not in result.stderr
    lines = result.stdout.splitlines(keepends=True)
    return "".join([*lines[: int(head)], "...\n"] if head else lines)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_quotes_are_what_the_command_prints(page, run_command):
    text = page.read_text()

    def renewed(match):
        start, end = (offset - match.start() for offset in match.span("shown"))
        output = printed(match["command"], run_command)
        return match[0][:start] + output + match[0][end:]

    fresh = QUOTE.sub(renewed, text)
    if os.environ.get("UPDATE_GOLDEN"):
        page.write_text(fresh)
    assert fresh == page.read_text()


def test_the_readme_quotes_the_tool():
    assert len(QUOTE.findall((ROOT / "README.md").read_text())) >= 3
