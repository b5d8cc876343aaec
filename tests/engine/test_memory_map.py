"""What memmap= leaves of the memory: the parts of its words, the most there is, the rest."""

from __future__ import annotations

import pytest

from advisor.engine.effective.memory_map import Range, aside, most, ranges
from advisor.model.cmdline import parse_cmdline

G = 1 << 30


def words(*values):
    return parse_cmdline(" ".join(f"memmap={value}" for value in values)).words


@pytest.mark.parametrize(
    ("value", "kind", "size", "start"),
    [
        ("2G@1G", "@", 2 * G, G),
        ("64K$0x10000", "$", 65536, 65536),
        ("1G#4G", "#", G, 4 * G),
        ("1G!4G", "!", G, 4 * G),
        ("1G%4G-1+2", "%", G, 4 * G),
        ("2G", "", 2 * G, 0),
        ("2G?4G", "", 2 * G, 0),
        ("exactmap", "exactmap", 0, 0),
        ("exactmapped", "exactmap", 0, 0),
        ("none", None, 0, 0),
    ],
)
def test_a_part_has_the_kind_of_the_sign_behind_its_size(value, kind, size, start):
    rest = value.removeprefix("2G") if kind == "" else ""
    assert list(ranges(words(value))) == [Range(value, kind, size, start, rest)]


def test_the_parts_come_in_the_order_of_all_words():
    found = ranges(words("exactmap,1G@0", "2G@4G"))
    assert [one.text for one in found] == ["exactmap", "1G@0", "2G@4G"]


def test_a_word_without_a_value_is_one_part_that_the_kernel_does_not_take():
    assert list(ranges(parse_cmdline("memmap").words)) == [Range("", None)]


@pytest.mark.parametrize(
    ("values", "memory", "expected"),
    [
        (("2G",), 4 * G, 2 * G),
        (("8G",), 4 * G, 4 * G),
        (("2G",), None, 2 * G),
        (("3G", "2G", "5G"), None, 2 * G),
        (("1G$4G",), 8 * G, 8 * G),
        (("1G$4G",), None, None),
        # Memory is listed only behind exactmap, and what the machine has counts no more.
        (("1G@4G",), 8 * G, 8 * G),
        (("1G@0,exactmap,2G@4G",), 8 * G, 2 * G),
        (("exactmap", "1G@0", "2G@4G"), 2 * G, 3 * G),
        (("exactmap,3G@0,1G",), 8 * G, G),
        (("exactmap",), 8 * G, None),
    ],
)
def test_the_most_memory_is_what_is_listed_or_below_the_cut(values, memory, expected):
    assert most(words(*values), memory) == expected


@pytest.mark.parametrize(
    ("value", "memory", "expected"),
    [
        ("1G$4G", 8, 1),
        ("1G#4G", 8, 1),
        ("1G!4G", 8, 1),
        ("1G@4G", 8, 0),
        ("1G%4G", 8, 0),
        ("8G", 16, 0),
        # Below 4 GiB are holes, as there are at 1,012 GiB; nothing lies behind the memory's end.
        ("1G$3G", 8, 0),
        ("2G$3G", 8, 1),
        ("4G$7G", 8, 1),
        ("4G$9G", 8, 0),
        ("10G$1010G", 2000, 2),
        # What two ranges name counts once, in whatever order they stand.
        ("2G$4G,2G$5G", 16, 3),
        ("2G$5G,2G$4G", 16, 3),
        ("4G$4G,1G$5G,1G$6G", 16, 4),
        ("1G$4G,1G!8G", 16, 2),
        ("exactmap,1G$4G", 16, 0),
        ("none,1G$4G", 16, 1),
    ],
)
def test_what_is_set_aside_lies_above_the_holes_and_counts_once(value, memory, expected):
    assert aside(words(value), memory * G) == expected * G
