"""A fragment's lines and a prediction against what came out."""

from __future__ import annotations

import pytest

from advisor.tree.proof import Difference, Lost, compare

RESULT = {"A": "y", "B": "n", "TEXT": '"n"', "HEX": "0x10", "INT": "100"}


@pytest.mark.parametrize(
    ("symbol", "asked", "got"),
    [
        ("A", "n", "y"),
        ("A", "m", "y"),
        ("B", "y", "n"),
        ("NONE", "y", None),
        ("NONE", '""', None),
        ("TEXT", "n", '"n"'),
        ("HEX", "0x11", "0x10"),
        ("INT", "1000", "100"),
    ],
)
def test_lines_that_do_not_hold(symbol, asked, got):
    assert compare({symbol: asked}, RESULT, RESULT).lost == (Lost(symbol, asked, got),)


@pytest.mark.parametrize(
    ("symbol", "asked"),
    [("A", "y"), ("B", "n"), ("NONE", "n"), ("TEXT", '"n"'), ("HEX", "0x10"), ("HEX", "10")],
)
def test_lines_that_hold(symbol, asked):
    assert compare({symbol: asked}, RESULT, RESULT).lost == ()


def test_lines_are_told_in_the_fragments_order():
    lost = compare({"Z": "y", "A": "n"}, RESULT, RESULT).lost
    assert [line.symbol for line in lost] == ["Z", "A"]


def test_each_symbol_seen_otherwise_is_a_difference():
    predicted = {**RESULT, "A": "m", "MORE": "n"}
    del predicted["INT"]
    found = compare({}, predicted, RESULT).differences
    assert found == (
        Difference("A", "m", "y"),
        Difference("INT", None, "100"),
        Difference("MORE", "n", None),
    )
