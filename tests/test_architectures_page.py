"""docs/evidence/architectures.md is of today's profiles, and says of each silence why."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.model.profile import Stance
from tools.architectures import ORDER, before

from . import corpus
from .cases import each

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "evidence" / "architectures.md").read_text()
EXAMPLES = ROOT / "examples"


@each("profile", corpus.profiles())
def test_the_page_counts_the_advice_of_today(profile):
    """`make architectures` writes it again."""
    advice = corpus.knowledge().profile(profile).advice
    count = sum(one.stance is not Stance.NEUTRAL for one in advice)
    (told, *spoken) = map(
        int, re.findall(r"\d+", PAGE.partition(f"| {profile} | ")[2].split("\n")[0])
    )
    assert told == count
    assert len(spoken) == 8
    assert max(spoken) <= count


def test_every_silence_has_a_reason():
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| ([a-z0-9, ]+) \| (.*) \|$", PAGE, re.M)
    assert len(rows) > 50
    assert all(why for _, _, why in rows)
    assert (
        "virtio-ccw",
        "x86, arm64, arm, riscv, powerpc, mips, loongarch",
        "needs `arch=s390`",
    ) in rows


def test_what_fell_silent_has_a_reason():
    """The counts of then are those of the list beside the program."""
    then, _, rows = PAGE.partition("## What fell silent")[2].partition("Each advice")
    spoke = before()
    for profile in {profile for profile, _ in spoke}:
        lists = [arches for (one, _), arches in spoke.items() if one == profile]
        counts = [sum(arch in arches for arches in lists) for arch in ORDER]
        assert f"| {profile} | {' | '.join(map(str, [len(lists), *counts]))} |" in then
    told = re.findall(r"^\| `([a-z0-9-]+)` \| ([a-z, -]+) \| ([a-z0-9, ]+) \| (.*) \|$", rows, re.M)
    assert len(told) == rows.count("\n| `") > 20
    assert all(why for *_, why in told)
    assert ("ntsync", "desktop-latency", "s390") in [one[:3] for one in told]


@pytest.mark.slow
def test_the_page_of_two_configurations(environment, tmp_path):
    for name in ("x86_64-6.12.config.xz", "arm64-6.12.config.xz"):
        shutil.copy(EXAMPLES / name, tmp_path / f"config.{name.removesuffix('.config.xz')}.xz")
    command = [sys.executable, ROOT / "tools" / "architectures.py", tmp_path]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    page = done.stdout.decode()
    assert "| profile | advice | x86 | arm64 |" in page
    assert "- arm64: 6.12.117, `arm64-6.12`" in page
    assert "| `cstate-limit` | arm64 | needs `arch=x86` |" in page
