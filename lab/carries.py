"""How far records carry over to other configurations (carries.toml)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import tomli

from .record import Record

_FILE = Path(__file__).parent / "carries.toml"
_TOLD = ("only", "why", "same", "note")


def terms(record: Record) -> dict[str, Any]:
    """What is told of how far the record carries over."""
    rows = [row for row in _rows() if _is_of(row, record)]
    return {key: row[key] for row in rows for key in _TOLD if key in row}


def problems(records: Sequence[Record]) -> Iterator[str]:
    """Rows that are of no record, and records of which two rows say the same thing."""
    for row in _rows():
        if not any(_is_of(row, record) for record in records):
            yield f"carries.toml: no record is of {', '.join(row['tunables'])} as the row has it"
    for record in records:
        keys = [key for row in _rows() if _is_of(row, record) for key in _TOLD if key in row]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            name = f"{record.made.kernel}/{record.name}"
            yield f"carries.toml: two rows have {', '.join(twice)} of {name}"


def _is_of(row: dict[str, Any], record: Record) -> bool:
    setting = record.setting
    return (
        not {setting.tunable, setting.name}.isdisjoint(row["tunables"])
        and setting.way in row.get("by", [setting.way])
        and record.made.kernel in row.get("kernels", [record.made.kernel])
    )


@cache
def _rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomli.loads(_FILE.read_text())["carries"]
    return rows
