"""Compiled documents by name: what files of rules, profiles and programs define."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from typing import Any, NamedTuple

Document = dict[str, Any]
# `path:line`, and what is wrong there.
Problem = tuple[str, str]
# By the kind of a file: the key of each list in it, the field of Documents that its entries go to,
# and what an entry is called there, which is the kind of rule as well.
LISTS: dict[str, tuple[tuple[str, str, Callable[[Document, int], str]], ...]] = {
    "parameters": (("parameter", "parameters", lambda entry, _: entry["name"]),),
    "names": (("name", "names", lambda entry, _: entry["name"]),),
    "lifecycle": (("rename", "renames", lambda entry, _: entry["old"]),),
    "successors": (
        ("successor", "successors", lambda e, _: e["line"].partition(" ")[0]),
        ("split", "splits", lambda e, _: e["line"].partition(" — ")[0]),
    ),
    "components": (("component", "components", lambda entry, _: entry["id"]),),
    "authorities": (
        ("authority", "authorities", lambda entry, _: entry["id"]),
        ("leaves", "leaves", lambda _, number: str(number)),
    ),
    "protections": (("protection", "protections", lambda entry, _: entry["id"]),),
    "symptoms": (("symptom", "symptoms", lambda entry, _: entry["id"]),),
    "kernel": (
        ("fact", "facts", lambda e, _: f"{e['about']} {e.get('of', '')}".rstrip()),
        ("reader", "readers", lambda entry, _: entry["program"]),
    ),
    # One rule may have several exceptions to the same check, which only their number tells apart.
    "exceptions": (
        (
            "exception",
            "exceptions",
            lambda e, number: f"{e['rule']} {e['check']} {e.get('subject', '')} {number}",
        ),
    ),
}
_RULES = {
    "tunable": "tunables",
    **{
        kind: field
        for lists in LISTS.values()
        for kind, field, _ in lists
        if kind not in ("exception", "leaves", "successor", "split")
    },
}
PARTS = {"profile": "advice", "software": "function"}
"""The kinds of files whose document has rules in a list: those have examples and places."""
_LINE = re.compile(r"(?::\d+){1,2}$")


class Documents(NamedTuple):
    """All compiled documents by name; their examples and places (`path:line`) by rule.

    A rule is `tunable/ID`, `parameter/NAME`, `name/NAME`, `rename/OLD`, `reader/PROGRAM`,
    `component/ID`, `protection/ID`, `symptom/ID`, `fact/ABOUT OF`, `successor/OLD`, `profile/ID`,
    `profile/ID/ADVICE`, `software/ID`, `software/ID/FUNCTION` or `exception/...`.

    `texts` are the files by path, in which lint finds the line of what it refuses. For lint alone
    are `touches`, what a parameter says of the tunables whose state depends on it, and `lists`, by
    program the lists of names that its sources have.
    """

    tunables: dict[str, Document]
    profiles: dict[str, Document]
    programs: dict[str, Document]
    modules: dict[str, Document]
    parameters: dict[str, Document]
    names: dict[str, Document]
    renames: dict[str, Document]
    successors: dict[str, Document]
    splits: dict[str, Document]
    readers: dict[str, Document]
    components: dict[str, Document]
    authorities: dict[str, Document]
    leaves: dict[str, Document]
    protections: dict[str, Document]
    symptoms: dict[str, Document]
    facts: dict[str, Document]
    exceptions: dict[str, Document]
    examples: dict[str, list[Document]]
    places: dict[str, str]
    texts: dict[str, str]
    touches: dict[str, list[str]]
    lists: dict[str, list[str]]

    @classmethod
    def empty(cls) -> Documents:
        """No documents yet."""
        return cls(*({} for _ in cls._fields))

    def rules(self) -> Iterator[tuple[str, Document]]:
        """Every document that has sources of its own, with the rule that it is."""
        for kind, field in _RULES.items():
            yield from ((f"{kind}/{name}", one) for name, one in getattr(self, field).items())
        for kind, field in (("profile", "profiles"), ("software", "programs")):
            for name, document in getattr(self, field).items():
                rules = document[PARTS[kind]]
                yield from ((f"{kind}/{name}/{one['id']}", one) for one in rules)

    def of_files(self, paths: Set[str]) -> Documents:
        """Those that stand in one of these files; of what explains exceptions, all."""
        fields = {
            **_RULES,
            "profile": "profiles",
            "software": "programs",
            "successor": "successors",
        }
        return self._replace(
            examples={
                rule: examples
                for rule, examples in self.examples.items()
                if file_of(self.places[rule]) in paths
            },
            touches=self._within("parameter", self.touches, paths),
            lists=self._within("software", self.lists, paths),
            **{
                field: self._within(kind, getattr(self, field), paths)
                for kind, field in fields.items()
            },
        )

    def _within(self, kind: str, named: dict[str, Any], paths: Set[str]) -> dict[str, Any]:
        places = {name: self.places[f"{kind}/{name}"] for name in named}
        return {name: one for name, one in named.items() if file_of(places[name]) in paths}


def file_of(place: str) -> str:
    """The file of `path:line` or `path:line:column`; of a path alone that itself.

    >>> file_of("rules/a.toml:3:7")
    'rules/a.toml'
    """
    return _LINE.sub("", place)
