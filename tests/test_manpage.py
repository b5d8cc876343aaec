"""The manual page is what the commands say of themselves, and roff is content with it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import advisor.errors
from advisor.cli.app import described

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "kernel-advisor.1"
# The tools that read roff, and what none of them may say. The page has no date on purpose.
LINTS = {
    "mandoc": ["mandoc", "-T", "lint"],
    "groff": ["groff", "-ww", "-man", "-T", "utf8", "-z"],
    "man": ["man", "--local-file", "--warnings", "-E", "UTF-8"],
}


@pytest.fixture(scope="module")
def sections():
    """The text of each section, without what only roff needs."""
    text = re.sub(r"\\f.|\\&", "", PAGE.read_text()).replace("\\-", "-")
    parts = re.split(r"^\.SH (.*)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_page_is_what_the_commands_say(environment):
    """`make man` writes it again."""
    command = [sys.executable, ROOT / "tools" / "manpage.py"]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert done.stdout.decode() == PAGE.read_text()


@pytest.mark.parametrize("tool", LINTS)
def test_the_page_is_clean(tool):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run([*LINTS[tool], PAGE], capture_output=True, text=True, check=False)
    said = done.stderr if tool != "mandoc" else done.stdout + done.stderr
    assert [line for line in said.splitlines() if 'missing date, using ""' not in line] == []


def test_every_command_and_option_stands_in_it(sections):
    for name, command in described([]).commands.items():
        told = re.split(r"^\.SS ", sections["COMMANDS"], flags=re.M)
        told = next(part for part in told if part.startswith(f"kernel-advisor {name} "))
        assert f"kernel-advisor {name} " in sections["SYNOPSIS"]
        shown = [one for one in command.params if not getattr(one, "hidden", False)]
        options = [name for one in shown for name in one.opts if name.startswith("-")]
        assert [option for option in options if option not in told] == []


def test_every_exit_code_stands_in_it(sections):
    codes = {
        error.exit_code
        for error in vars(advisor.errors).values()
        if isinstance(error, type) and issubclass(error, advisor.errors.AdvisorError)
    }
    told = {int(code) for code in re.findall(r"^\.B (\d+)$", sections["EXIT STATUS"], re.M)}
    assert codes | {0, 130} == told


def test_every_variable_that_is_read_stands_in_it(sections):
    code = "".join(path.read_text() for path in (ROOT / "advisor").rglob("*.py"))
    read = re.findall(r"""environ(?:ment)?(?:\.get\(|\[)"([A-Z_]+)""", code)
    assert "XDG_CACHE_HOME" in read
    told = re.findall(r"^\.B (\w+)$", sections["ENVIRONMENT"], re.M)
    assert sorted(set(read)) == sorted(told)
