"""The parser of the condition language: what it accepts, and how it refuses the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.condition import show
from advisor.model.condition_parser import parse

from ..cases import each


@each(
    ("text", "message"),
    [
        ("", "ends where a term is expected"),
        ("A &&", "ends where a term is expected"),
        ("A B", "unexpected 'B' at column 3"),
        ("(A", "parenthesis at column 1 is not closed"),
        ("A = ", "no value after the comparison"),
        ("arch", "needs a comparison"),
        ("lower > x", "no symbol, fact or tunable"),
        ("A & B", "cannot read '& B' at column 3"),
        ("a-tunable > 3", "no symbol, fact or tunable"),
    ],
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        parse(text)


@given(st.text())
def test_any_text_parses_or_is_refused(text):
    try:
        expr = parse(text)
    except ValueError:
        return
    assert parse(show(expr)) == expr
