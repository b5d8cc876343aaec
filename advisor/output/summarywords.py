"""What is said of a summary, in the words that all formats share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.model.summary import Cell, Effort, Row

_WAYS = {
    "now": "now",
    "boot": "at the next boot",
    "rebuild": "by a rebuild",
    "none": "with no remedy",
}


def to_do(efforts: Sequence[Effort]) -> str:
    """`3 now, 1 at the next boot, 4 by a rebuild (optional: 2, 0, 1)`: how much there is to do, by
    the least effort of each; `nothing` where there is none. What no way makes is left out."""
    ways = [one for one in efforts if one.due or one.could]
    optional = any(one.could for one in ways)
    if any(one.due for one in ways):
        due = ", ".join(f"{one.due} {_WAYS[one.way]}" for one in ways)
        could = ", ".join(str(one.could) for one in ways)
        return f"{due}{f' (optional: {could})' * optional}"
    could = ", ".join(f"{one.could} {_WAYS[one.way]}" for one in ways)
    return f"optional: {could}" if optional else "nothing"


def matrix(rows: Iterable[Row]) -> tuple[list[str], list[list[str]]]:
    """Profiles by areas: the columns, and for each profile its id and how many settings of each
    area must or should change, then how many could. No columns where nothing differs."""
    rows = list(rows)
    names = sorted({cell.area for row in rows for cell in row.cells})
    table = []
    for row in rows:
        cells = {cell.area: cell for cell in row.cells}
        numbers = [number([cells[name]] if name in cells else []) for name in names]
        table.append([row.profile, *numbers, str(sum(cell.could for cell in row.cells))])
    return ([*names, "could"] if names else []), table


def number(cells: Sequence[Cell]) -> str:
    """How many must or should change; `!` where one must."""
    due = sum(cell.due for cell in cells)
    return f"{due}{'!' * any(cell.must for cell in cells)}" if due else "."


def areas(row: Row) -> str:
    """`boot 2, memory 3 (1 must), 4 could`: what a profile wants otherwise, by area, that first of
    which most is due."""
    ranked = sorted((c for c in row.cells if c.due), key=lambda cell: (-cell.due, cell.area))
    parts = list(map(_due, ranked))
    if could := sum(cell.could for cell in row.cells):
        parts.append(f"{could} could")
    return ", ".join(parts) or "nothing differs"


def _due(cell: Cell) -> str:
    return f"{cell.area} {cell.due}{f' ({cell.must} must)' * bool(cell.must)}"
