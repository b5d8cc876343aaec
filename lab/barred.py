"""What may never have a record, what no window shows, and why (barred.toml)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import tomli

_FOLDER = Path(__file__).parent


@cache
def _groups(kind: str) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = tomli.loads((_FOLDER / "barred.toml").read_text())[kind]
    return groups


def _reasons(kind: str) -> dict[str, str]:
    return {name: group["reason"] for group in _groups(kind) for name in group["tunables"]}


def reasons() -> dict[str, str]:
    """By tunable, why instructions say nothing about it."""
    return _reasons("barred")


def reason(tunable: str) -> str:
    """Why that tunable, or the group that its member is of, is barred; empty where it is not."""
    return reasons().get(tunable.partition(".")[0], "")


def unreached_reasons() -> dict[str, str]:
    """By tunable, why no window of the lab shows what it changes."""
    return _reasons("unreached")


def unreached(tunable: str, way: str) -> str:
    """Why no window of the lab shows what that tunable changes where it is set that way (`boot`,
    `run-time`, `build`); empty where one may."""
    name = tunable.partition(".")[0]
    groups = (one for one in _groups("unreached") if name in one["tunables"])
    return next((one["reason"] for one in groups if way in one.get("by", [way])), "")
