"""Where in the file of a rule a word stands, for what lint has to say of it."""

from __future__ import annotations

import re

from advisor.knowledge.load import Documents

_SOURCE = re.compile(
    r"\s*(?:sources\s*=|[\"'](?:kconfig|code|doc|commit|mail|vendor|measurement) )"
)


def place_of(documents: Documents, rule: str, word: str = "") -> str:
    """`path:line` of the first line of a rule that has the word; of the rule's own, without one.

    Of a symbol the lines of sources are not meant.
    `rule` is `tunable/<id>`, `parameter/<name>`, `profile/<id>/<advice>` and so on; what is none of
    these documents is given back as it is.
    """
    place = documents.places.get(rule)
    if place is None or not word:
        return place or rule
    path, _, first = place.rpartition(":")
    starts = [p.rpartition(":") for p in documents.places.values()]
    later = [int(n) for other, _, n in starts if other == path and int(n) > int(first)]
    whole = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])")
    rows = documents.texts.get(path, "").split("\n")
    for number in range(int(first), min(later, default=len(rows) + 1)):
        row = rows[number - 1]
        if whole.search(row) and not (word.isupper() and _SOURCE.match(row)):
            return f"{path}:{number}"
    return place
