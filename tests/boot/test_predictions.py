"""The boot lines that the tool writes, and those it could write, on kernels that are started."""

from __future__ import annotations

import pytest

from .conftest import PROJECT, Guest, Start
from .machine import BASE, KERNELS, Booted
from .readback import compare
from .wordings import ROUNDS

pytestmark = pytest.mark.boot

PROFILES = sorted(path.stem for path in (PROJECT / "profiles").glob("*.toml"))
ADVISED = [Start(kernel, "profile", profile) for kernel in KERNELS for profile in PROFILES]
SPELLED = [Start(kernel, "round", str(n)) for kernel in KERNELS for n in range(ROUNDS)]
ABSENT = [Start(kernel, "absent", "") for kernel in KERNELS]
# The fewest tunables that a kernel must show, lest a reader that finds nothing go unnoticed.
FEWEST = 70
# Read before parameters are parsed (cmdline_find_option() under arch/x86), so that the kernel calls
# them unknown, and honours them all the same.
READ_BEFORE = {
    "nokaslr", "nopti", "pti", "nospectre_v2", "spectre_v2", "spectre_v2_user",
    "nospec_store_bypass_disable", "spec_store_bypass_disable", "split_lock_detect",
}  # fmt: skip


def each(*starts: list[Start]) -> pytest.MarkDecorator:
    every = [start for group in starts for start in group]
    return pytest.mark.parametrize("guest", every, ids=str, indirect=True)


@each(ADVISED, SPELLED)
def test_the_kernel_knows_every_word(guest: Guest) -> None:
    booted = guest.booted
    assert booted.text("/proc/cmdline") == booted.line
    assert {word.partition("=")[0] for word in booted.unknown()} <= READ_BEFORE
    assert not booted.message("Malformed early option")


@each(ADVISED, SPELLED)
def test_the_state_is_as_predicted(guest: Guest) -> None:
    wrong, shown = compare(guest.world, guest.booted)
    assert not wrong, f"{guest.booted.kernel} with {guest.booted.line}"
    assert shown >= FEWEST


@each(ABSENT)
def test_the_kernel_does_not_know_what_it_does_not_have(guest: Guest) -> None:
    words = set(guest.booted.line.removeprefix(BASE).split())
    # It panics on more than 32 arguments or 32 assignments (init/main.c, MAX_INIT_ARGS).
    assert 0 < len(words) <= 32
    assert words <= guest.booted.passed_on()


@each([Start(kernel, "line", "") for kernel in KERNELS])
def test_a_kernel_without_words_says_nothing(guest: Guest, plain: Booted) -> None:
    assert guest.booted is plain
    assert plain.passed_on() == set()
