"""Where rules and trees differ and that is right: read from rules/exceptions.toml, with reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from advisor.lint.view import Contradiction, TreeView
from advisor.model.condition import Expr

# What needs no tree: known.py asks for these itself.
_WITHOUT_TREE = (
    "sysctl", "sysfs", "kernel", "first", "choice-default", "twice", "touches", "successor",
    "value",
)  # fmt: skip
# What only a tree with C sources can tell.
_OF_SOURCES = ("parsed", "parsed-type", "word", "refusal", "limit", "source")


class Exceptional(NamedTuple):
    """One explained difference; an empty `subject` stands for any of the rule."""

    rule: str
    check: str
    reason: str
    place: str
    subject: str = ""
    when: Expr = None

    def covers(self, contradiction: Contradiction, view: TreeView) -> bool:
        """Whether it explains what was found in that tree."""
        same = (self.rule, self.check) == (contradiction.rule, contradiction.check)
        if not same or self.subject not in ("", contradiction.subject):
            return False
        return view.possible(self.when)


class Exceptions:
    """All explained differences, and which of them were met."""

    def __init__(self, documents: Mapping[str, Mapping[str, Any]], places: Mapping[str, str]):
        self._known = [
            Exceptional(**document, place=places[f"exception/{name}"])
            for name, document in documents.items()
        ]
        self._met: set[str] = set()

    def explains(self, contradiction: Contradiction, view: TreeView) -> bool:
        """Whether a difference is explained; that its explanation was needed is noted."""
        places = [one.place for one in self._known if one.covers(contradiction, view)]
        self._met.update(places)
        return bool(places)

    def unneeded(self, views: Iterable[tuple[TreeView, bool]]) -> list[Exceptional]:
        """Those that hold in one of these trees and explained nothing in any.

        With each tree goes whether its C source was there: without, nothing is told of parameters.
        """
        views = list(views)
        return [
            one
            for one in self._known
            if one.place not in self._met
            and one.check not in _WITHOUT_TREE
            and any(
                (sources or one.check not in _OF_SOURCES) and view.possible(one.when)
                for view, sources in views
            )
        ]
