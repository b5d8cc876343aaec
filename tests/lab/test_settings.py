"""Settings as the rules spell them, for a kernel that is a configuration alone."""

from __future__ import annotations

import lzma

import pytest

from advisor.errors import UsageError
from lab.machine import Kernel
from lab.platform import ARM64, X86, platform_of
from lab.record import all_of, kernels
from lab.settings import CONTROL, Rules

from ..conftest import PROJECT


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernel")
    packed = PROJECT / "examples" / "x86_64-6.12.config.xz"
    (folder / "config").write_bytes(lzma.decompress(packed.read_bytes()))
    return Rules(Kernel("example", folder))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("init-on-alloc=off", ("init_on_alloc=0",)),
        ("debug-overhead.SLUB_DEBUG_ON=on", ("slab_debug",)),
        ("control=on", CONTROL.words),
    ],
)
def test_words_are_those_of_the_rules(rules, asked, words):
    setting = rules.setting(asked)
    assert (setting.name, setting.words, setting.writes) == (asked, words, ())
    assert setting.line_on("cloud-6.12") == " ".join([X86.line, *words])


def test_a_kernel_is_started_in_a_machine_of_its_architecture():
    assert CONTROL.line_on("cloud-arm64-6.12") == " ".join([ARM64.line, *CONTROL.words])
    for kernel in kernels():
        made = all_of(kernel)[0].made
        assert made.machine == " ".join(platform_of(kernel).machine)
        assert ("arm64" in made.release) is (platform_of(kernel) is ARM64)


def test_what_the_line_cannot_give_is_written(rules):
    setting = rules.setting("heap-randomization=on")
    assert setting.words == ()
    assert setting.arguments == ("write=/proc/sys/kernel/randomize_va_space=2",)


def test_a_value_of_several_numbers_is_asked_for_in_one_word(rules):
    setting = rules.setting("tcp-send-buffer=4096_65536_16777216")
    assert setting.value == "4096 65536 16777216"
    assert setting.arguments == ("write=/proc/sys/net/ipv4/tcp_wmem=4096 65536 16777216",)


@pytest.mark.parametrize(
    "asked",
    ["", "audit", "audit=", "no-such=on", "audit=loud", "hardening.NO=off", "io-scheduler=none",
     "hardening.VMAP_STACK=off", "hardening.RANDOMIZE_BASE=off", "audit=not-built"],
)  # fmt: skip
def test_what_the_rules_cannot_give_is_an_error(rules, asked):
    with pytest.raises(UsageError):
        rules.setting(asked)


@pytest.mark.slow
def test_all_that_the_line_can_give(rules):
    names = {setting.name for setting in rules.all_boot()}
    assert {"init-on-alloc=off", "preemption-model=full", "cpu-mitigations=auto"} <= names
    assert len(names) > 60
