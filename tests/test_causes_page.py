"""docs/evidence/causes.md is what the rules say, and says how each word does what it does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "causes.md"


@pytest.fixture(scope="module")
def made(environment):
    command = [sys.executable, ROOT / "tools" / "causes.py"]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    return done.stdout.decode()


def test_the_page_is_what_the_rules_say(made):
    """`make causes` writes it again."""
    assert made == PAGE.read_text()


def test_every_row_says_how_and_where(made):
    rows = re.findall(r"^\| `(.*)$", made, re.M)
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)] for row in rows]
    assert len(rows) > 50
    assert [
        row
        for row, (_, changes, how, source, _) in zip(rows, cells, strict=True)
        if not (changes and how and source.startswith("["))
    ] == []


@pytest.mark.parametrize(
    ("parameter", "tunable", "how"),
    [
        ("cgroup_disable", "cpusets", "cgroup_disable=cpuset disables this controller"),
        ("pci", "pcie-aspm", "decides whether there is such a thing"),
        ("efi", "efi-runtime", "`efi=noruntime`"),
        ("rootdelay", "root-delay", "is its value"),
        ("sysctl.*", "swappiness", "`sysctl.vm.swappiness`"),
    ],
)
def test_a_word_is_told_as_it_is_read(made, parameter, tunable, how):
    row = re.search(rf"^\| `{re.escape(parameter)}`.*\(`{tunable}`\) \|.*$", made, re.M)
    assert row
    assert how in row[0]


def test_what_touches_nothing_stands_in_the_list(made):
    rest = made.partition("## Parameters that touch nothing else")[2]
    assert "`consoleblank`" in rest
    assert "`pci`" not in rest
