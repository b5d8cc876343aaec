"""Where the statements of a TOML text stand."""

from __future__ import annotations

import pytest
import tomli

from advisor.knowledge.tomltext import Kind, statements

from ..conftest import PROJECT

TEXT = '''\
# head
a = 1  # one
b = [
    "x # y",  # within
    "]",
]  # behind

[[table]]
c = """
# no comment
[[no.table]]
"""
"d.e" = \'\'\'
it\'s "so" \\\'\'\'
f = { g = ["h"] }
[ other ] # named
'''


def test_what_stands_where():
    found = [(one.kind.name, one.name, one.comment, one.remarks) for one in statements(TEXT)]
    assert found == [
        ("COMMENT", "", "", False),
        ("KEY", "a", "# one", False),
        ("KEY", "b", "# behind", True),
        ("BLANK", "", "", False),
        ("TABLE", "table", "", False),
        ("KEY", "c", "", False),
        ("KEY", '"d.e"', "", False),
        ("KEY", "f", "", False),
        ("TABLE", "other", "# named", False),
        ("BLANK", "", "", False),
    ]


FILES = [p for folder in ("rules", "profiles") for p in sorted((PROJECT / folder).rglob("*.toml"))]


@pytest.mark.parametrize("path", [*FILES[:: len(FILES) // 20], None], ids=str)
def test_every_key_is_whole_and_no_row_is_lost(path):
    text = TEXT if path is None else path.read_text()
    found = list(statements(text))
    assert "\n".join(row for one in found for row in one.rows) == text
    for one in found:
        if one.kind is Kind.KEY:
            assert len(tomli.loads("\n".join(one.rows))) == 1
