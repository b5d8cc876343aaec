"""Kernel versions as they are written by hand, by `uname -r` and by git tags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.kernel import parse_version
from advisor.model.numbers import count_of

from ..cases import each


@each(
    ("text", "numbers"),
    [
        ("6.12.117", (6, 12, 117)),
        ("6.12", (6, 12, 0)),
        ("7.0", (7, 0, 0)),
        ("6.12-rc1", (6, 12, 0)),
        ("6.18.0-rc3", (6, 18, 0)),
        ("5.14.0-427.el9.x86_64", (5, 14, 0)),
        ("4.18.0-147.5.1.el8_1", (4, 18, 0)),
        ("2.6.38.8-foo", (2, 6, 38)),
        ("6.12.117foo", (6, 12, 117)),
        ("6.1+", (6, 1, 0)),
        ("6.18.0-0.rc3.251028gfd57572253bc3.31.fc44.x86_64", (6, 18, 0)),
    ],
)
def test_a_version_is_its_first_three_numbers(text: str, numbers: tuple[int, int, int]) -> None:
    version = parse_version(text)

    assert version.numbers == numbers
    assert version.text == text


@pytest.mark.parametrize("text", ["v6.12", " 6.12\n"])
def test_a_tag_and_blanks_around_are_understood(text: str) -> None:
    assert parse_version(text).text == "6.12"


@each(
    "text",
    ["", "6", "6.", "6.x", "linux", "6.12 rc1", "-6.12", "6.123456", "\u0661.\u0662", "9" * 5000],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a kernel version"):
        parse_version(text)


@given(st.text())
def test_no_text_raises_anything_but_value_error(text: str) -> None:
    try:
        parse_version(text)
    except ValueError:
        return


@each(
    ("text", "count"),
    [("8192", 8192), ("0", 0), ("²", None), ("٣", None), ("9" * 5000, None), ("-1", None),
     ("", None), (None, None), (" 1", None)],
)  # fmt: skip
def test_a_count_is_of_plain_digits(text, count):
    assert count_of(text) == count
