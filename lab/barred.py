"""What may never have a record, and why (barred.toml)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import tomli


@cache
def reasons() -> dict[str, str]:
    """By tunable, why instructions say nothing about it."""
    groups = tomli.loads((Path(__file__).parent / "barred.toml").read_text())["barred"]
    return {name: group["reason"] for group in groups for name in group["tunables"]}


def reason(tunable: str) -> str:
    """Why that tunable, or the group that its member is of, is barred; empty where it is not."""
    return reasons().get(tunable.partition(".")[0], "")
