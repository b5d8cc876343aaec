"""Where rules and trees differ and that is right: read from rules/exceptions.toml, with reasons."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from advisor.lint.view import TreeView
from advisor.model.condition import Expr

# What needs no tree: known.py asks for these itself, and causes.py for `touches`.
_WITHOUT_TREE = (
    "sysctl", "sysfs", "kernel", "first", "choice-default", "twice", "touches", "successor",
    "split", "value",
)  # fmt: skip
# What only a tree with C sources can tell.
_OF_SOURCES = ("parsed", "parsed-type", "word", "refusal", "limit", "source", "initial")


class Exceptional(NamedTuple):
    """One explained difference; an empty `subject` stands for any of the rule."""

    rule: str
    check: str
    reason: str
    place: str
    subject: str = ""
    only_if: Expr = None


class Exceptions:
    """All explained differences, and which of them were met."""

    def __init__(self, documents: Mapping[str, Mapping[str, Any]], places: Mapping[str, str]):
        self._known = [
            Exceptional(**document, place=places[f"exception/{name}"])
            for name, document in documents.items()
        ]
        self._met: set[str] = set()

    def explains(self, check: str, rule: str, subject: str, view: TreeView | None = None) -> bool:
        """Tells whether a difference is explained, in that tree if one showed it, and notes that
        its explanation was needed."""
        places = [
            one.place
            for one in self._known
            if (one.check, one.rule) == (check, rule)
            and one.subject in ("", subject)
            and (view is None or view.possible(one.only_if))
        ]
        self._met.update(places)
        return bool(places)

    def idle(self, checks: Container[str]) -> list[Exceptional]:
        """Lists those of these checks that explained nothing, in whatever tree they hold."""
        return [
            one
            for one in self._known
            if one.place not in self._met and one.check in checks and one.only_if is None
        ]

    def unneeded(self, views: Iterable[tuple[TreeView, bool]]) -> list[Exceptional]:
        """Lists the exceptions that apply to one of these trees and explained nothing in any.

        With each tree goes whether its C source was there: without, nothing is told of parameters.
        """
        views = list(views)
        return [
            one
            for one in self._known
            if one.place not in self._met
            and one.check not in _WITHOUT_TREE
            and any(
                (sources or one.check not in _OF_SOURCES) and view.possible(one.only_if)
                for view, sources in views
            )
        ]
