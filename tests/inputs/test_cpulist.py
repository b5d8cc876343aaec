"""CPU lists: read as lib/bitmap-str.c does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.inputs.cpulist import read_list, show_list

from ..cases import each


@each(
    ("text", "cpus"),
    [
        ("0", {0}),
        ("2-5", {2, 3, 4, 5}),
        ("1,3-4,7", {1, 3, 4, 7}),
        ("0-7:2/4", {0, 1, 4, 5}),
        ("all", set(range(8))),
        ("ALL", set(range(8))),
        ("all:1/2", {0, 2, 4, 6}),
        ("N", {7}),
        ("4-N", {4, 5, 6, 7}),
        (",1,,2,", {1, 2}),
        ("3-3", {3}),
    ],
)
def test_what_a_list_comes_to(text, cpus):
    assert read_list(text, 8) == (frozenset(cpus), "", None)


@each("text", ["x", "1-", "-1", "5-2", "1-2-3", "0-7:3/2", "0-7:1/0", "n", "1;2"])
def test_a_list_that_is_none(text):
    assert read_list(text, 8).problem


@each(("text", "beyond"), [("8", 8), ("2-15", 15), ("0,9", 9), ("N,8", 8)])
def test_a_list_beyond_the_machine(text, beyond):
    assert read_list(text, 8) == (None, "", beyond)


@each("text", ["all", "2-N", "1,N"])
def test_what_only_the_machine_tells(text):
    assert read_list(text, None) == (None, "", None)


@given(st.sets(st.integers(0, 63), min_size=1))
def test_every_list_of_numbers_is_read(cpus):
    assert read_list(",".join(map(str, cpus)), 64).cpus == cpus


@given(st.text("0123456789-,:/Nal ", max_size=20))
def test_no_text_is_an_error(text):
    read_list(text, 8)


@given(st.sets(st.integers(0, 63), min_size=1))
def test_what_is_shown_is_read_back(cpus):
    assert read_list(show_list(cpus), 64).cpus == cpus


@each(("cpus", "text"), [({2, 3, 4, 5}, "2-5"), ({0, 1, 16}, "0-1,16"), ({7}, "7"), (set(), "")])
def test_how_a_list_is_shown(cpus, text):
    assert show_list(cpus) == text


@each("text", [f"0-{'9' * 5000}", "0-²", "٣", ",".join(["0-65535"] * 3000)])
def test_a_list_of_more_than_there_is_costs_nothing(text):
    assert read_list(text, None).cpus is None
    assert read_list(text, 10**18).cpus is None
