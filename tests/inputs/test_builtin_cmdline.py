"""Which lines make up what a kernel gets: the built-in one, the boot loader's, and their order."""

from __future__ import annotations

import pytest

from advisor.inputs.builtin_cmdline import (
    built_in,
    lines_of,
    place_of_built_in,
    without_built_in,
    without_words,
)
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import Layer


@pytest.fixture
def subject(make_world):
    """The subject of these lines of a configuration, on an architecture."""

    def of(lines, arch, cmdline=None):
        return make_world(lines, arch=arch, cmdline=cmdline).subject

    return of


@pytest.mark.parametrize(
    ("arch", "lines", "words"),
    [
        ("x86", 'CMDLINE_BOOL=y CMDLINE="quiet audit=0"', ["quiet", "audit=0"]),
        ("x86", 'CMDLINE="quiet"', None),
        ("x86", 'CMDLINE_BOOL=n CMDLINE="quiet"', None),
        ("arm64", 'CMDLINE="quiet"', ["quiet"]),
        ("powerpc", 'CMDLINE_BOOL=n CMDLINE="quiet"', None),
        ("arm64", 'CMDLINE="q"', ["q"]),
        ("arm64", 'CMDLINE=""', None),
        ("x86", "CMDLINE_BOOL=y", None),
    ],
)
def test_a_kernel_has_a_built_in_line_where_its_switch_lets_it(subject, arch, lines, words):
    line = built_in(subject(lines, arch))
    assert (line and [word.text for word in line.words]) == words
    assert line is None or {word.layer for word in line.words} == {Layer.BUILT_IN}


@pytest.mark.parametrize(
    ("value", "words", "left"),
    [
        ('"quiet audit=0 nohz=off"', {"audit=0"}, '"quiet nohz=off"'),
        ('"quiet"', {"quiet"}, '""'),
        ('"quiet audit=0"', {"audit"}, '"quiet audit=0"'),
        ('"audit=0 quiet audit=0"', {"audit=0"}, '"quiet"'),
        ('"quiet audit=0 -- audit=0"', {"audit=0"}, '"quiet -- audit=0"'),
    ],
)
def test_words_are_taken_out_of_the_line_and_not_of_what_init_gets(value, words, left):
    assert without_words(value, words) == left


@pytest.mark.parametrize(
    ("arch", "lines", "place"),
    [
        ("x86", "", "before"),
        ("x86", "CMDLINE_OVERRIDE=y", "instead"),
        ("x86", "CMDLINE_OVERRIDE=n", "before"),
        ("arm64", "", "fallback"),
        ("arm64", "CMDLINE_FORCE=y", "instead"),
        ("sparc", "CMDLINE_OVERWRITE=y", "instead"),
        ("arm", "CMDLINE_EXTEND=y", "behind"),
        ("arm", "CMDLINE_EXTEND=n", "fallback"),
        ("mips", "", "behind"),
        ("mips", "MIPS_CMDLINE_BUILTIN_EXTEND=y", "before"),
    ],
)
def test_the_place_of_the_built_in_line_is_the_architectures(subject, arch, lines, place):
    assert place_of_built_in(subject(lines, arch)) == place


BUILT, BOOT = Layer.BUILT_IN, Layer.BOOT


@pytest.mark.parametrize(
    ("arch", "lines", "cmdline", "layers"),
    [
        ("x86", "CMDLINE_BOOL=y", "nohz=off", [BUILT, BOOT]),
        ("x86", "CMDLINE_BOOL=y", None, [BUILT]),
        ("x86", "CMDLINE_BOOL=y CMDLINE_OVERRIDE=y", "nohz=off", [BUILT]),
        ("x86", "CMDLINE_BOOL=n", "nohz=off", [BOOT]),
        ("x86", "CMDLINE_BOOL=n", None, []),
        ("arm", "CMDLINE_EXTEND=y", "nohz=off", [BOOT, BUILT]),
        ("arm64", "", "nohz=off", [BOOT]),
        ("arm64", "", None, [BUILT]),
    ],
)
def test_the_lines_come_in_the_order_in_which_the_kernel_reads_them(
    subject, arch, lines, cmdline, layers
):
    found = lines_of(subject(f'CMDLINE="quiet" {lines}', arch, cmdline))
    assert [line.words[0].layer for line in found] == layers


def test_a_boot_line_without_words_leaves_the_fallback_in_force(subject):
    (line,) = lines_of(subject('CMDLINE="quiet"', "arm64", ""))
    assert line.name == "CONFIG_CMDLINE"


@pytest.mark.parametrize(
    ("arch", "lines", "shown", "passed"),
    [
        ("x86", "CMDLINE_BOOL=y", "quiet audit=0 ro nohz=off", "ro nohz=off"),
        ("x86", "CMDLINE_BOOL=y", "quiet audit=0 ", ""),
        ("x86", "CMDLINE_BOOL=y", "quiet audit=0", ""),
        # The boot loader says it once more.
        ("x86", "CMDLINE_BOOL=y", "quiet audit=0 ro audit=0", "ro audit=0"),
        ("arm64", "CMDLINE_EXTEND=y", "ro nohz=off quiet audit=0", "ro nohz=off"),
        ("arm64", "CMDLINE_EXTEND=y", " quiet audit=0", ""),
        ("arm64", "", "quiet audit=0", ""),
        # Of another kernel, or not all of it there, or not as a whole.
        ("x86", "CMDLINE_BOOL=y", "ro quiet audit=0", None),
        ("x86", "CMDLINE_BOOL=y", "quiet audit=01 ro", None),
        ("x86", "CMDLINE_BOOL=n", "quiet audit=0 ro", None),
        ("x86", "CMDLINE_BOOL=y CMDLINE_OVERRIDE=y", "quiet audit=0", None),
        ("arm64", "CMDLINE_EXTEND=y", "ro unquiet audit=0", None),
        ("arm64", "", "quiet audit=0 ro", None),
    ],
)
def test_a_running_kernels_line_is_the_boot_loaders_without_what_is_built_in(
    subject, arch, lines, shown, passed
):
    of = subject(f'CMDLINE="quiet audit=0" {lines}', arch)
    line = parse_cmdline(shown, "host/proc/cmdline")
    found = without_built_in(of._replace(cmdline=line)).cmdline
    assert found.text == (shown if passed is None else passed)
    # What words say of their place holds for the file.
    for word in found.words:
        place = found.place(word.column)
        assert shown[place.column - 1 :].startswith(word.text)


def test_a_line_that_somebody_gives_is_taken_as_it_is(subject):
    of = subject('CMDLINE="quiet" CMDLINE_BOOL=y', "x86", "quiet ro")
    assert without_built_in(of).cmdline.text == "quiet ro"
