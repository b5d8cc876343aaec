"""What may never have a record, what no window shows, and why (barred.toml)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import tomli


@cache
def _reasons(kind: str) -> dict[str, str]:
    groups = tomli.loads((Path(__file__).parent / "barred.toml").read_text())[kind]
    return {name: group["reason"] for group in groups for name in group["tunables"]}


def reasons() -> dict[str, str]:
    """By tunable, why instructions say nothing about it."""
    return _reasons("barred")


def reason(tunable: str) -> str:
    """Why that tunable, or the group that its member is of, is barred; empty where it is not."""
    return reasons().get(tunable.partition(".")[0], "")


def unreached_reasons() -> dict[str, str]:
    """By tunable, why no window of the lab shows what it changes."""
    return _reasons("unreached")


def unreached(tunable: str) -> str:
    """Why no window of the lab shows what that tunable changes; empty where one may."""
    return unreached_reasons().get(tunable.partition(".")[0], "")
