"""Where the statements of a TOML text stand."""

from __future__ import annotations

import pytest
import tomli

from advisor.knowledge.tomltext import Kind, locate, statements

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


NESTED = '''\
id = "a"
words = ["x", { word = "y", when = "z" }]
list = [
    # a comment
    "one",
    """two
    and more""",
    { a = "b", "c.d" = [1, 2] },
]

[[value]]
name = "on"

[[value.effect]]
name = "x"

[[value]]
set = { A = "y" }

[value.list]
flags = []
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("id",), 1),
        (("words", 1, "when"), 2),
        (("list", 0), 5),
        (("list", 1), 6),
        (("list", 2), 8),
        (("list", 2, "c.d", 1), 8),
        (("list", 7), 3),
        (("value", 0), 11),
        (("value", 0, "effect", 0, "name"), 15),
        (("value", 1), 17),
        (("value", 1, "set", "A"), 18),
        (("value", 1, "list", "flags"), 21),
        (("value", 1, "missing"), 17),
        (("value", 9), 11),
    ],
)
def test_the_line_of_a_value_or_of_what_it_would_be_in(path, line):
    assert locate(NESTED, path) == line


def test_every_value_of_the_rules_is_found():
    def paths(node, path=()):
        listed = enumerate(node) if isinstance(node, list) else ()
        for key, part in node.items() if isinstance(node, dict) else listed:
            yield (*path, key), part
            yield from paths(part, (*path, key))

    for file in (PROJECT / "rules").rglob("*.toml"):
        text = file.read_text()
        rows = text.split("\n")
        for path, part in paths(tomli.loads(text)):
            listed = isinstance(part, list) and part and isinstance(part[0], dict)
            if isinstance(path[-1], str) and not listed:
                assert path[-1] in rows[locate(text, path) - 1]
