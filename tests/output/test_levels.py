"""The one table of grades: complete, and the same in the documentation."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from advisor.engine.audit import FAIL_ON
from advisor.output import FORMATS
from advisor.output.levels import LEVELS, RANK, outcome

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs/formats.md"
TEXT = PAGE.read_text()


def test_it_has_whatever_may_fail():
    assert set(LEVELS) == {*FAIL_ON, "conflict"} - {"never"}


def test_its_words_are_those_of_the_formats():
    assert {level.sarif for level in LEVELS.values()} == {"error", "warning", "note", ""}
    assert {level.github for level in LEVELS.values()} == {"error", "warning", "notice", ""}
    assert {level.gitlab for level in LEVELS.values()} <= {"critical", "major", "minor", "info", ""}
    assert {level.junit for level in LEVELS.values()} == {"failure", "passed", "skipped"}


@pytest.mark.parametrize("format", ["sarif", "github"])
def test_a_graver_grade_is_of_no_lower_level(format):
    order = ["error", "warning", "note", "notice", ""]
    levels = [order.index(getattr(level, format)) for level in LEVELS.values()]
    assert levels == sorted(levels)
    assert list(RANK) == list(LEVELS)


def test_a_grade_fails_where_the_run_fails():
    assert outcome("should", frozenset(("must", "should"))) == "failure"
    assert outcome("should", frozenset(("must",))) == "passed"
    assert outcome("blocked", frozenset()) == "skipped"
    assert outcome("blocked", frozenset(("blocked",))) == "failure"
    assert outcome("conflict", frozenset()) == "failure"


def test_the_documentation_shows_it():
    """`make golden` writes the table again."""
    rows = ["| grade | SARIF | GitHub | GitLab | JUnit |", "|---|---|---|---|---|"]
    for grade, level in LEVELS.items():
        cells = (f"`{cell}`" if cell else "-" for cell in (grade, *level))
        rows.append(f"| {' | '.join(cells)} |")
    fresh = "\n".join(["<!-- grades -->", *rows, "<!-- end -->"])
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(re.sub("<!-- grades -->.*?<!-- end -->", fresh, TEXT, flags=re.DOTALL))
    assert fresh in PAGE.read_text()


def test_the_documentation_names_every_format():
    for name in FORMATS:
        assert f"`{name}`" in TEXT
