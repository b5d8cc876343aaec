"""Mutations that keep the form of JSON and TOML.

What is no JSON any more is refused at once, so mutations of bytes seldom reach what stands behind.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from fuzz.target import bundled, files_in

_ODD: tuple[Any, ...] = (
    None, True, 0, -1, 2**63, 10**4000, 1e308, float("nan"), "", "²", "9" * 5000, "\0", "\ud800",
    "../x", "/etc/passwd", "\x1b[31m", [], [None], [[]], ["x"], {}, {"x": 1},
)  # fmt: skip
_LITERALS = (
    b'""', b'"x"', b"'\xc2\xb2'", b"0", b"-1", b"0x" + b"f" * 9000, b"1e308", b"nan", b"true",
    b"[]", b"[[]]", b'["x"]', b"{}", b"{ x = 1 }", b"2026-11-29", b'"../x"', b"'\xc2\x85'",
)  # fmt: skip
_VALUE = re.compile(rb"(?m)^([\w.\"-]+ = )(.+)$")


def reshaped(data: bytes, seed: int) -> bytes | None:
    """The input with one value of its JSON or TOML replaced by an odd one, or by another value that
    it has; None where it holds neither."""
    chance = random.Random(seed)
    files: dict[str, bytes] = files_in(data) or {"": data}
    name = chance.choice([*files])
    try:
        body = _json(json.loads(files[name]), chance)
    except (ValueError, RecursionError):
        body = _toml(files[name], chance)
    if body is None:
        return None
    return bundled({**files, name: body}) if name else body


def _json(document: Any, chance: random.Random) -> bytes | None:
    if not (places := [*_places(document)]):
        return None
    holder, key = chance.choice(places)
    other, at = chance.choice(places)
    holder[key] = chance.choice((*_ODD, other[at]))
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each value as what holds it, and its key there."""
    keys = value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0)
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _toml(text: bytes, chance: random.Random) -> bytes | None:
    if not (values := [*_VALUE.finditer(text)]):
        return None
    value = chance.choice(values)
    new = chance.choice((*_LITERALS, chance.choice(values)[2]))
    return text[: value.start(2)] + new + text[value.end(2) :]
