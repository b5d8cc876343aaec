"""Records of the model as data, and data as JSON text.

A table says, for a type, which fields the object of a record has, in words parted by blanks:

    title              the attribute of this name
    path=name          another attribute, or an attribute of one: strength=advice.strength
    covered_by?        left out if empty
    vendor|null        null if empty
    location*          the fields of the value's object, and no object of its own

A pair stands for a field that is no attribute: its name, which may end in one of these signs, and
the function that makes the value of the record, or the fields of an object of its own.

In place of fields a function may give the data of a record. A record whose type is not in the table
has all its fields, an Enum its value, and a set is a sorted list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from json.encoder import encode_basestring_ascii as quoted
from operator import attrgetter
from typing import Any

from advisor import __version__

Encode = Callable[[Any], Any]
Fields = str | tuple[str | tuple[str, Any], ...]
Shapes = Mapping[type, Fields | Encode]

_SCALARS = frozenset((str, int, float, bool, type(None)))
_LITERALS = {"None": "null", "True": "true", "False": "false"}


def encoder(shapes: Shapes) -> Encode:
    """Make the function that turns records into data as the table says."""
    encoders: dict[type, Encode] = {}

    def encoded(value: Any) -> Any:
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is tuple or kind is list:
            return [encoded(item) for item in value]
        if kind not in encoders:
            encoders[kind] = _encoder_of(kind, shapes.get(kind), encoded)
        return encoders[kind](value)

    return encoded


def _encoder_of(kind: type, shape: Fields | Encode | None, encoded: Encode) -> Encode:
    """Make the function that turns the values of one type into data."""
    if callable(shape):
        return shape
    if shape or hasattr(kind, "_fields"):
        return _object_of(shape or " ".join(kind._fields), encoded)  # type: ignore[attr-defined]
    if issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, Mapping):
        return lambda mapping: {name: encoded(value) for name, value in mapping.items()}
    return sorted


def _object_of(fields: Fields, encoded: Encode) -> Encode:
    """Make the function that turns a record into an object with these fields."""
    readers: list[tuple[str, str, Encode, Encode]] = []
    for word, how in pairs_of(fields):
        name, sign, path = parts_of(word)
        if isinstance(how, (str, tuple)):
            readers.append((name, sign, lambda record: record, _object_of(how, encoded)))
        else:
            readers.append((name, sign, how or attrgetter(path), encoded))

    def object_of(record: Any) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name, sign, read, encode in readers:
            value = read(record)
            if sign == "*":
                data.update(encode(value))
            elif value or not sign:
                data[name] = value if type(value) in _SCALARS else encode(value)
            elif sign == "|null":
                data[name] = None
        return data

    return object_of


def pairs_of(fields: Fields) -> Iterator[tuple[str, Any]]:
    """Yield each field with how it is made; None of an attribute."""
    for field in (fields,) if isinstance(fields, str) else fields:
        yield from ((word, None) for word in field.split()) if isinstance(field, str) else [field]


def parts_of(word: str) -> tuple[str, str, str]:
    """Split `covered_by?` or `path=name`: the field's name, its sign, and the attribute."""
    field = word.removesuffix("|null").rstrip("?*")
    name, _, path = field.partition("=")
    return name, word[len(field) :], path or name


def rows(path: str, *names: str) -> Encode:
    """Make the function that turns an attribute's tuples into objects with these names."""
    read = attrgetter(path)
    return lambda record: [dict(zip(names, row, strict=True)) for row in read(record)]


def document(schema: str, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a document behind the name of its schema and of what made it."""
    return {"schema": schema, "tool": {"name": "kernel-advisor", "version": __version__}, **parts}


def json_text(data: Any) -> str:
    """Return data as JSON: the bytes of json.dumps with an indent of 2, in two thirds of its time.

    The text is ASCII: a path may hold bytes that are no UTF-8, which Python reads as surrogates.
    They are written as escapes, which every reader takes.
    """
    return f"{_value_text(data, chr(10))}\n"


def _value_text(value: Any, start: str) -> str:
    """Return a value as JSON; `start` is the line break and indent of the line that it is on."""
    kind = type(value)
    if kind is str:
        return quoted(value)
    inner = f"{start}  "
    # To quote most values here, without a call of this function, saves a third of the time.
    if kind is dict:
        items = [
            f"{quoted(name)}: {quoted(item) if type(item) is str else _value_text(item, inner)}"
            for name, item in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(items)}{start}}}" if items else "{}"
    if kind is list:
        items = [quoted(item) if type(item) is str else _value_text(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{start}]" if items else "[]"
    text = repr(value)
    return _LITERALS.get(text, text)
