"""The kernels that the tests start, with the boot line of each test, and what the tool predicts.

Needs the folder that prepare.sh fills, named by KERNEL_ADVISOR_BOOT.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.engine.state import World
from advisor.inputs.subject import Given, read_subject
from advisor.knowledge import index
from advisor.model.cmdline import parse_cmdline

from .machine import AT_ONCE, BASE, FACTS, OPTIONS, Booted, Kernels
from .wordings import absent_words, round_of_words

PROJECT = Path(__file__).resolve().parents[2]


class Start(NamedTuple):
    """A kernel to start, and where its line is from.

    `source` is `profile` (the advice of the profile `what`), `round` (words that the rules know,
    the round of the number `what`), `absent` (those of which they say that the kernel does not
    know them), or `line` (the words in `what`).
    """

    kernel: str
    source: str
    what: str

    def __str__(self) -> str:
        return "-".join([self.kernel, self.source, *self.what.split()[:1]])


class Guest(NamedTuple):
    """A kernel that was started, and the world as the tool sees it with the same line."""

    booted: Booted
    world: World


def world(kernels: Kernels, kernel: str, line: str) -> World:
    """The tool's view of that kernel with that line on the machine that the tests start."""
    given = Given(machine=FACTS, cmdline=parse_cmdline(line))
    subject = read_subject(str(kernels.config(kernel)), given)
    return World(subject, index.load((), ()))


def advised(kernels: Kernels, kernel: str, profile: str) -> str:
    """The boot line that the command gives for a profile, as it prints it."""
    command = [
        sys.executable, "-m", "advisor", "cmdline", str(kernels.config(kernel)),
        "--profile", profile, "--strength", "could", "--cmdline", BASE, *OPTIONS,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def line_of(kernels: Kernels, start: Start) -> str:
    """The boot line of a start."""
    if start.source == "profile":
        return advised(kernels, start.kernel, start.what)
    if start.source == "line":
        return f"{BASE} {start.what}".strip()
    known = world(kernels, start.kernel, BASE)
    absent = start.source == "absent"
    words = absent_words(known) if absent else round_of_words(known, int(start.what))
    return " ".join([BASE, *words])


def start_all(kernels: Kernels, starts: list[Start]) -> dict[Start, str]:
    """Starts the kernels, and gives their lines without waiting for them."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(starts, pool.map(partial(line_of, kernels), starts), strict=True))
    for start, line in found.items():
        kernels.start(start.kernel, line)
    return found


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernels]:
    """The kernels of the folder that prepare.sh filled."""
    given = os.environ.get("KERNEL_ADVISOR_BOOT")
    if not given:
        pytest.skip("KERNEL_ADVISOR_BOOT is not set (the folder that tests/boot/prepare.sh fills)")
    found = Kernels(Path(given).resolve(), tmp_path_factory.mktemp("boot"))
    yield found
    found.close()


@pytest.fixture(scope="session")
def lines(request: pytest.FixtureRequest, kernels: Kernels) -> dict[Start, str]:
    """The line of every start of the selected tests, all of which are under way."""
    asked = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    starts = dict.fromkeys(params["guest"] for params in asked if "guest" in params)
    return start_all(kernels, list(starts))


@pytest.fixture
def guest(request: pytest.FixtureRequest, kernels: Kernels, lines: dict[Start, str]) -> Guest:
    """A kernel as it was after its start, and as the tool predicts it."""
    start: Start = request.param
    line = lines[start]
    booted = kernels.start(start.kernel, line).result()
    return Guest(booted, world(kernels, start.kernel, line))


@pytest.fixture
def plain(guest: Guest, kernels: Kernels) -> Booted:
    """The same kernel as it is without a word of the test's."""
    return kernels.start(guest.booted.kernel, BASE).result()
