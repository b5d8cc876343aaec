"""JSON Schema validation of knowledge files: the only import of jsonschema."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from advisor.errors import UsageError, near
from advisor.files import ARCHIVE, read_own
from advisor.model.evidence import TRAITS

if TYPE_CHECKING:
    import jsonschema
    from jsonschema.protocols import Validator

    from advisor.knowledge.tomltext import Path


_OUTPUTS = "advisor.output"
_TEXT = {"type": "string", "minLength": 1}
_FORMS: dict[str, dict[str, Any]] = {
    "text": _TEXT,
    "string": {"type": "string"},
    "condition": {**_TEXT, "description": "a condition (docs/writing-rules.md)"},
    "id": {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]*$"},
    "version": {"type": "string", "pattern": r"^[0-9]{1,9}(\.[0-9]{1,9})+$"},
    "symbol": {"type": "string", "pattern": "^[A-Z0-9][A-Za-z0-9_]*$"},
    "word": {"type": "string", "pattern": "^[^ ]+$"},
    "true": {"const": True},
    "trait": {"enum": [*TRAITS]},
    "sources": {
        "type": "array",
        "minItems": 1,
        "description": "KIND PATH#ANCHOR[@VERSION][ — NOTE] (docs/writing-rules.md)",
        "items": _TEXT,
    },
}
_LISTS: dict[str, dict[str, Any]] = {
    "some different ": {"minItems": 1, "uniqueItems": True},
    "some ": {"minItems": 1},
    "list of ": {},
    "set of ": {"uniqueItems": True},
}
"""How the forms of lists begin, and what else holds for these."""


def need() -> None:
    """Raises UsageError where this is run from an archive of Python alone: jsonschema needs a
    compiled part."""
    if ARCHIVE:
        raise UsageError(
            "cannot check rules and profiles: this archive does not contain jsonschema",
            where=ARCHIVE,
            hint="install kernel-advisor with pip or as a package",
        )


@functools.cache
def schema(name: str, package: str = "advisor.knowledge") -> dict[str, Any]:
    """The schema of that name of a package.

    `advisor.knowledge` has the tables of the files of rules, in a short form of its own (`_table`);
    `advisor.output` has the schemas of what is written: report, diff, review.
    """
    if package == _OUTPUTS:
        document: dict[str, Any] = json.loads(read_own("output", "schemas", f"{name}.schema.json"))
        return document
    return _form(json.loads(read_own("knowledge", "tables", f"{name}.json")))


def _table(short: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a table: `keys` are its keys, the required ones with `!` behind them."""
    rest = {key: part for key, part in short.items() if key != "keys"}
    return {
        **rest,
        "type": "object",
        "properties": {key.rstrip("!"): _form(part) for key, part in short["keys"].items()},
        "required": [key.rstrip("!") for key in short["keys"] if key.endswith("!")],
        "additionalProperties": False,
    }


def _form(short: Any) -> dict[str, Any]:
    """The JSON Schema of a value: a name of _FORMS, `some NAME` and the like, or a pattern; or a
    schema, in which `is` is such a text, and `tables` are the keys of a list of tables."""
    if isinstance(short, str):
        for begin, more in _LISTS.items():
            if short.startswith(begin):
                return {"type": "array", "items": _form(short.removeprefix(begin)), **more}
        return {"type": "string", "pattern": short} if short[0] == "^" else _FORMS[short]
    if "is" in short:
        return {**_form(short["is"]), **{key: part for key, part in short.items() if key != "is"}}
    if "keys" in short:
        return _table(short)
    if "tables" in short:
        about = {key: part for key, part in short.items() if key == "description"}
        rest = {key: part for key, part in short.items() if key not in ("tables", "description")}
        table = _table({**rest, "keys": short["tables"]})
        return {**about, "type": "array", "minItems": 1, "items": table}
    inner = ("items", "additionalProperties")
    return {
        key: _form(part) if key in inner and not isinstance(part, bool) else part
        for key, part in short.items()
    }


@functools.cache
def _validator(name: str, package: str) -> Validator:
    from jsonschema import Draft202012Validator, validators

    form: type[Validator] = validators.extend(  # type: ignore[no-untyped-call]  # has no types
        Draft202012Validator, {"pattern": _matches}
    )
    return form(schema(name, package))


def _matches(_: Validator, pattern: str, text: Any, _schema: Any) -> Iterator[Any]:
    """What `pattern` is in JSON Schema: `$` is the end, and not a line's end before it as well."""
    from jsonschema import ValidationError

    if isinstance(text, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), text):
        yield ValidationError(f"{text!r} does not match {pattern!r}")


def problems(
    name: str, document: dict[str, Any], package: str = "advisor.knowledge"
) -> Iterator[tuple[Path, str]]:
    """Every violation: the path of keys and indexes to it, and what is wrong there."""
    for error in sorted(
        _validator(name, package).iter_errors(document), key=lambda e: list(map(str, e.path))
    ):
        yield from _explained(error, schema(name, package))


def _explained(
    error: jsonschema.ValidationError, whole: dict[str, Any]
) -> Iterator[tuple[Path, str]]:
    path = (*error.absolute_path,)
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        parent = error.schema if isinstance(error.schema, dict) else {}
        known = set(parent.get("properties", {}))
        for key in sorted(set(error.instance) - known):
            every = f"the known keys are {', '.join(sorted(known))}"
            where = _misplaced(key, path, whole) or near(key, known) or every
            yield (*path, key), f"unknown key {key!r}; {where}"
    elif error.validator == "oneOf" and error.context:  # its own message quotes the whole value
        wanted = "; or ".join(dict.fromkeys(part.message for part in error.context))
        yield path, f"the value matches none of the possible forms: {wanted}"[:300]
    elif error.validator == "anyOf" and error.context:  # of what is required
        yield path, " or ".join(part.message for part in error.context)[:300]
    else:
        value = repr(error.instance)
        says = error.message.removeprefix(value)
        yield path, f"{value[:200]}{says}"[:300] if says != error.message else says[:300]


def _misplaced(key: str, path: Path, whole: dict[str, Any]) -> str:
    """Says what to do with a key of an outer table: in TOML a key belongs to the table named
    last."""
    node, above = whole, ""
    for part in path:
        if isinstance(part, int):
            node = node.get("items", {})
        elif key in node.get("properties", {}):
            above = part
            node = node["properties"].get(part, {})
        else:
            node = node.get("properties", {}).get(part, {})
    return (
        f"write it above the first [[{above}]]; a key below belongs to that table" if above else ""
    )
