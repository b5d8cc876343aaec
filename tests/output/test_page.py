"""The blocks of a page, and the table of what each format tells."""

from __future__ import annotations

import pytest

from advisor.output.names import named
from advisor.output.page import (
    Code,
    Row,
    clipped,
    joined,
    kept,
    mode,
    plain,
)

from ..cases import each


def test_what_a_format_does_not_tell_is_left_out():
    rows = (Row("a", ("x",)), Row("b", ()), Row("others", ("y",), part="others"))
    assert [row.label for row in kept(rows, "text")] == ["a"]
    assert [row.label for row in kept(rows, "html")] == ["a", "others"]
    with pytest.raises(KeyError):
        mode("no such part", "text")


@each(
    ("text", "names"),
    [
        ("by CONFIG_HZ_250=y (line 3)", ["CONFIG_HZ_250=y"]),
        ("# CONFIG_PSI is not set", ["# CONFIG_PSI is not set"]),
        ("say psi=1, or elevator= on it.", ["psi=1", "elevator="]),
        ("isolcpus=managed_irq,domain,2-5 counts", ["isolcpus=managed_irq,domain,2-5"]),
        ("scsi_mod.scan=async; done", ["scsi_mod.scan=async"]),
        ("HZ_1000=y instead of HZ_250", ["HZ_1000=y", "HZ_250"]),
        ("needs NO_HZ_COMMON || NO_HZ; so", ["NO_HZ_COMMON || NO_HZ"]),
        ('CMDLINE="a b" is set', ['CMDLINE="a b"']),
        ("sched_yield() and vm.swappiness", ["sched_yield()", "vm.swappiness"]),
        ("in /sys/block/DEVICE/queue/scheduler.", ["/sys/block/DEVICE/queue/scheduler"]),
        ("see Documentation/timers/no_hz.rst", ["Documentation/timers/no_hz.rst"]),
        ("with --cpus or --guest", ["--cpus", "--guest"]),
        ("at https://example.org/a_b/c.html there", []),
        ("PSI and/or I/O: a well-known TCP/IP 6.12 x86", []),
        ("a == b", []),
    ],
)
def test_names_are_known_by_their_form(text, names):
    found = named(text)
    assert plain(found) == text
    assert [piece.text for piece in found if isinstance(piece, Code)] == names


def test_a_name_that_is_known_is_code_whatever_it_looks_like():
    assert named("remove nosmt, quiet=x or quiet", "nosmt", "quiet") == (
        "remove ", Code("nosmt"), ", ", Code("quiet=x"), " or ", Code("quiet"),
    )  # fmt: skip
    assert named("a (b", "(b", " ") == ("a ", Code("(b"))


def test_what_stands_in_backticks_is_code_without_them():
    assert named("if `none` or `perf lock contention` is set", "none") == (
        "if ", Code("none"), " or ", Code("perf lock contention"), " is set",
    )  # fmt: skip
    assert named("a ` b `` c") == ("a ` b `` c",)


def test_a_text_is_clipped_within_its_pieces():
    text = ("one ", Code("two"), " three")
    assert clipped(text, 13) == text
    assert clipped(text, 5) == ("one ", Code("t..."))
    assert joined([("a",), (), (Code("b"),)], ", ") == ("a", ", ", Code("b"))
