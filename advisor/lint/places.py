"""Where in the file of a rule a word stands, for what lint has to say of it."""

from __future__ import annotations

import re

import tomli

from advisor.knowledge.documents import Documents
from advisor.knowledge.load import example_holders
from advisor.knowledge.tomltext import locate

_KINDS = {
    "tunable": "tunable",
    "parameter": "parameters",
    "profile": "profile",
    "software": "software",
}

_SOURCE = re.compile(
    r"\s*(?:sources\s*=|[\"'](?:kconfig|code|doc|commit|mail|vendor|measurement) )"
)
# An item of `examples`, and what such an item has in its further lines.
_EXAMPLE = re.compile(r"\s*(?:[\"'].* -> |\| )")


def place_of(documents: Documents, rule: str, word: str = "") -> str:
    """Finds `path:line` of the first line of a rule that has the word; of the rule itself,
    without one.

    Lines of examples are not meant, nor, of a symbol, those of sources.
    `rule` is `tunable/<id>`, `parameter/<name>`, `profile/<id>/<advice>` and so on; what is none of
    these documents is given back as it is.
    """
    place = documents.places.get(rule)
    if place is None or not word:
        return place or rule
    path, _, first = place.rpartition(":")
    starts = [p.rpartition(":") for p in documents.places.values()]
    later = [int(n) for other, _, n in starts if other == path and int(n) > int(first)]
    end = r"(?![A-Za-z0-9_]|=\S)" if word.isupper() else "(?![A-Za-z0-9_])"
    whole = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(word)}{end}")
    rows = documents.texts.get(path, "").split("\n")
    for number in range(int(first), min(later, default=len(rows) + 1)):
        row = rows[number - 1]
        passed = _EXAMPLE.match(row) or (word.isupper() and _SOURCE.match(row))
        if not passed and whole.search(row):
            return f"{path}:{number}"
    return place


def place_of_example(documents: Documents, rule: str, number: int) -> str:
    """`path:line` of an example of a rule, counted from 1; of the rule's own for 0."""
    path, _, own = documents.places[rule].rpartition(":")
    kind, _, rest = rule.partition("/")
    name = rest.rpartition("/")[2]
    text = documents.texts[path]
    line = int(own)
    for holder, at, _ in example_holders(_KINDS[kind], tomli.loads(text) if number else {}):
        if name in (holder.get("id"), holder.get("name")):
            line = locate(text, [*at, "examples", number - 1])
    return f"{path}:{line}"
