"""Where the built-in rules, profiles and requirements are."""

from __future__ import annotations

import os

import advisor


def roots() -> tuple[str, str, str]:
    """The folders of rules and profiles, and the index that a wheel carries (or would)."""
    package = os.path.dirname(os.path.abspath(advisor.__file__))
    data = os.path.join(package, "_data")
    carried = os.path.join(data, "index.json")
    if not os.path.isdir(data):
        data = os.path.dirname(package)
    return os.path.join(data, "rules"), os.path.join(data, "profiles"), carried


def software() -> str:
    """The folder of what programs require."""
    return os.path.join(os.path.dirname(roots()[0]), "software")


def data(*name: str) -> str:
    """The folder of what is generated: catalogues, tables, counts; or a file in it."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", *name)
