"""A fragment's lines and a prediction against what came out."""

from __future__ import annotations

from advisor.tree.proof import NOT_VERIFIED, Difference, Lost, Verification, compare

from ..cases import each

RESULT = {"A": "y", "B": "n", "TEXT": '"n"', "HEX": "0x10", "INT": "100"}


@each(
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


@each(
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


def test_lines_and_defects_in_words():
    symbols = [f"S{number:02}" for number in range(12)]
    result = compare({"A": "n", "NONE": "y"}, dict.fromkeys(symbols, "y"), {"A": "y"})
    found = Verification(result)
    assert [*found.lost()] == [
        "A=n has no effect: the tree sets A to y",
        "NONE=y has no effect: the tree sets NONE to nothing",
    ]
    defects = [*found.defects()]
    assert defects[0] == (
        "a bug of kernel-advisor: it predicted A=nothing, the tree's tools made y"
    )
    assert defects[1].endswith("it predicted S00=y, the tree's tools made nothing")
    # Ten in words, and how many there are.
    assert (len(defects), defects[-1]) == (11, "symbols predicted wrongly: 13 (please report it)")
    assert [*NOT_VERIFIED.lost(), *NOT_VERIFIED.defects()] == []
