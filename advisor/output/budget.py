"""How much a comment may hold, and what is left out of one that would hold more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.record import NamedTuple

MOST = 60_000
"""The most bytes of a comment: GitHub takes 65,536 characters."""
_LINE = 400  # for the line that counts what is left out


class Group(NamedTuple):
    """Lines that make no sense without what stands above them: the rows of a table."""

    head: str
    lines: tuple[str, ...]


class Bounded(NamedTuple):
    """A page, parted by what may be left out of it: first what is folded, then lines."""

    head: str
    groups: tuple[Group, ...] = ()
    folds: tuple[str, ...] = ()


def bounded(pages: Sequence[Bounded], room: int) -> str:
    """Return as much of the pages as there is room for, and a line that counts what is missing.

    The heads of all pages come first, then their lines, then what is folded. Of lines and folds
    each page has an equal share of the room, and what it does not need is left to those behind it.
    """
    heads = fitting((page.head for page in pages), room - _LINE)
    kept = [page for page, head in zip(pages, heads, strict=True) if head]
    left = room - _LINE - sum(map(size, heads))
    bodies, rows = [], 0
    for number, page in enumerate(kept):
        body, missing = lines_within(page.groups, left // (len(kept) - number))
        bodies.append(body)
        left -= size(body)
        rows += missing
    folds = 0
    for number, page in enumerate(kept):
        fits = fitting(page.folds, left // (len(kept) - number))
        bodies[number] += "".join(fits)
        left -= sum(map(size, fits))
        folds += fits.count("")
    whole = "".join(page.head + body for page, body in zip(kept, bodies, strict=True))
    counts = {"lines": rows, "folded parts": folds, "reports": len(pages) - len(kept)}
    parts = [f"{name} left out: {count}" for name, count in counts.items() if count]
    if not parts:
        return whole
    return f"{whole}\nNot all of it fits here ({', '.join(parts)}); a local run shows all.\n"


def lines_within(groups: Iterable[Group], room: int) -> tuple[str, int]:
    """Return the lines for which there is room, with their heads, and how many are left out."""
    kept, missing = "", 0
    for group in groups:
        head = group.head
        for line in group.lines:
            taken = size(head + line)
            if taken > room:
                missing += 1
                continue
            kept += head + line
            room -= taken
            head = ""
    return kept, missing


def fitting(texts: Iterable[str], room: int) -> list[str]:
    """Return the texts in their order, empty ones for those without room."""
    kept = []
    for text in texts:
        kept.append(text if size(text) <= room else "")
        room -= size(kept[-1])
    return kept


def size(text: str) -> int:
    """Return how many bytes are written for a text."""
    return len(text.encode("utf-8", "backslashreplace"))
