"""What the tool says of wrong boot lines, against what kernels make of them (wrong_lines.toml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import tomli

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.state import World

from .conftest import Guest, Start, world
from .machine import BASE, KERNELS, Booted, Kernels
from .readback import compare

pytestmark = pytest.mark.boot


class Claim(NamedTuple):
    """What becomes of one word of a line.

    `listed`: whether the kernel calls it unknown. `passed`: what of it comes to init. `message`: a
    pattern of what the kernel logs. `shows`: patterns of whole files, by path. `as_plain`: files
    that are as if the word were not there (with `exists:` in front: whether they are). `thread`: a
    kernel thread that it makes. `diagnostic`: what the tool says of the word, empty for nothing;
    `pending` where it does not say so yet.
    """

    word: str
    listed: bool = False
    passed: str = ""
    message: str = ""
    shows: Mapping[str, str] = {}
    as_plain: tuple[str, ...] = ()
    thread: str = ""
    diagnostic: str = ""
    pending: bool = False
    kernels: tuple[str, ...] = KERNELS

    def failures(self, booted: Booted, plain: Booted) -> list[str]:
        """Where the kernel does something else."""
        found = []
        if self.listed != (self.word in booted.unknown()):
            found.append(f"the kernel lists as unknown {sorted(booted.unknown())}")
        if self.passed and self.passed not in booted.passed_on():
            found.append(f"init gets {sorted(booted.passed_on())}")
        if self.message and not booted.message(self.message):
            found.append(f"no message {self.message!r}")
        if self.thread and self.thread not in booted.threads() - plain.threads():
            found.append(f"no thread {self.thread!r}, or not because of it")
        for path, pattern in self.shows.items():
            if not re.fullmatch(pattern, booted.text(path) or ""):
                found.append(f"{path} is {booted.text(path)!r}")
        for path in self.as_plain:
            if shown(path, booted) != shown(path, plain):
                found.append(f"{path} is {shown(path, booted)!r}, alone {shown(path, plain)!r}")
        return found


def shown(path: str, booted: Booted) -> str | bool | None:
    """What a file says, or whether it exists."""
    kind, _, name = path.rpartition(":")
    return booted.has(name) if kind else booted.text(name)


LINES = tomli.loads((Path(__file__).parent / "wrong_lines.toml").read_text())["line"]
STARTS = [
    pytest.param(start, set(line["differs"]), id=str(start))
    for line in LINES
    for start in (Start(kernel, "line", line["words"]) for kernel in KERNELS)
]
CASES = [
    pytest.param(Start(kernel, "line", line["words"]), claim, id=f"{kernel}-{claim.word}")
    for line in LINES
    for claim in (Claim(**claim) for claim in line["claim"])
    for kernel in claim.kernels
]
each_claim = pytest.mark.parametrize(("guest", "claim"), CASES, indirect=["guest"])


def said(world: World, word: str) -> set[str]:
    """The diagnostics about a word, wherever it stands on the line."""
    columns = {given.column for given in world.line.words if given.text == word}
    return {found.id for found in diagnose(world) if found.location.column in columns}


@pytest.mark.parametrize(("guest", "differs"), STARTS, indirect=["guest"])
def test_the_state_is_as_predicted(guest: Guest, differs: set[str]) -> None:
    wrong, _ = compare(guest.world, guest.booted)
    assert [text for text in wrong if text.partition(":")[0] not in differs] == []


@each_claim
def test_the_kernel_does_so(guest: Guest, plain: Booted, claim: Claim) -> None:
    assert claim.failures(guest.booted, plain) == []


@each_claim
def test_the_tool_says_so(guest: Guest, claim: Claim) -> None:
    found = said(guest.world, claim.word)
    if claim.pending:
        # Strict, so that a claim that came true is noticed: take `pending` away then.
        assert claim.diagnostic not in found
    else:
        assert (claim.diagnostic in found) if claim.diagnostic else not found


@pytest.mark.parametrize(("form", "room"), [("zzq{}=1", 31), ("zzq{}", 32)])
def test_the_kernel_panics_at_a_word_more_than_init_has_room_for(
    kernels: Kernels, form: str, room: int
) -> None:
    words = [form.format(first + second) for first in "abc" for second in "abcdefghijklmnop"]
    kernel = KERNELS[0]
    fits, over = (" ".join([BASE, *words[:count]]) for count in (room, room + 1))
    kernels.start(kernel, fits).result()
    with pytest.raises(AssertionError, match=f"Too many boot .* at `{words[room]}'"):
        kernels.start(kernel, over).result()
    told = {found.id for found in diagnose(world(kernels, kernel, over))}
    assert "line-overflows-init" in told
    told = {found.id for found in diagnose(world(kernels, kernel, fits))}
    assert "line-overflows-init" not in told
