"""Numbers in texts of others, and that there is one place where they are read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from advisor.model.numbers import count_of, kernel_number, whole_number

from ..cases import each

PACKAGE = Path(__file__).parents[2] / "advisor"
# Who calls int() on what is no text of others: truths, numbers, and the package's own tables.
OF_OWN = {
    "model/numbers.py": 1,
    "files.py": 1,  # below the model; of a name that a run of ours made
    "cli/check.py": 1,
    "knowledge/lines.py": 1,
    "knowledge/tomltext.py": 1,
    "lint/places.py": 5,
    "output/page.py": 1,
    "output/screenwords.py": 1,
    "tree/drivers/tables.py": 1,
    "tree/kconfig/values.py": 1,
}


@each(
    ("text", "base", "number"),
    [
        ("0", 10, 0), ("12", 10, 12), ("007", 10, 7), ("7f", 16, 127), ("17", 8, 15),
        ("", 10, None), (None, 10, None), ("²", 10, None), ("٣", 10, None), ("-1", 10, None),
        ("+1", 10, None), (" 1", 10, None), ("1\n", 10, None), ("1_0", 10, None),
        ("0x7f", 16, None), ("0o7", 8, None), ("8", 8, None), ("12x", 10, None),
        ("9" * 24, 10, 10**24 - 1), ("9" * 25, 10, None), ("9" * 5000, 10, None),
    ],
    ids=str,
)  # fmt: skip
def test_a_number_is_of_ascii_digits_and_not_too_many(text, base, number):
    assert whole_number(text, base) == number


@each(
    ("text", "number"),
    [
        ("10", 10), ("-10", -10), ("0x10", 16), ("-0X10", -16), ("010", 8), ("0", 0), ("-0", 0),
        ("08", None), ("0x", None), ("--1", None), ("", None), ("-", None), ("0xx1", None),
        ("0b1", None), ("1e3", None), ("-" + "9" * 5000, None),
    ],
    ids=str,
)  # fmt: skip
def test_a_kernels_number_has_a_sign_and_a_base(text, number):
    assert kernel_number(text) == number


def test_a_count_has_nine_digits():
    assert (count_of("9" * 9), count_of("9" * 10), count_of(None)) == (10**9 - 1, None, None)


def conversions(code: str) -> int:
    """How often the code makes a number by int()."""
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    return sum(ast.unparse(call.func) == "int" for call in calls)


@pytest.mark.parametrize("name", sorted(str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py")))
def test_no_other_place_makes_numbers_of_texts(name):
    assert conversions((PACKAGE / name).read_text()) == OF_OWN.get(name, 0)
