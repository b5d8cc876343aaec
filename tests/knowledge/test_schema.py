"""The short form of the schemas of rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor import knowledge
from advisor.files import read_own
from advisor.knowledge.schema import _form, schema

TEXT = {"type": "string", "minLength": 1}


@pytest.mark.parametrize(
    ("short", "form"),
    [
        ("text", TEXT),
        ("^a$", {"type": "string", "pattern": "^a$"}),
        ("list of text", {"type": "array", "items": TEXT}),
        ("some word", {"type": "array", "items": _form("word"), "minItems": 1}),
        (
            "some different text",
            {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True},
        ),
        ({"is": "text", "description": "why"}, {**TEXT, "description": "why"}),
        ({"enum": ["a"]}, {"enum": ["a"]}),
        ({"type": "object", "additionalProperties": "text"},
         {"type": "object", "additionalProperties": TEXT}),
    ],
)  # fmt: skip
def test_what_a_short_form_stands_for(short, form):
    assert _form(short) == form


def test_keys_of_a_table_are_all_that_there_are():
    table = _form({"tables": {"a!": "text", "b": "true"}, "anyOf": [{"required": ["b"]}]})
    assert table == {
        "type": "array",
        "minItems": 1,
        "items": {
            "anyOf": [{"required": ["b"]}],
            "type": "object",
            "properties": {"a": TEXT, "b": {"const": True}},
            "required": ["a"],
            "additionalProperties": False,
        },
    }


TABLES = sorted(path.stem for path in Path(knowledge.__file__).parent.glob("tables/*.json"))


@pytest.mark.parametrize("name", TABLES)
def test_every_schema_is_one(name):
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema(name))
    assert "$ref" not in read_own("knowledge", "tables", f"{name}.json")
