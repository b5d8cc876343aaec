"""How much a comment may hold, and what is left out of one that would hold more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from advisor.record import NamedTuple

MOST = 60_000
"""The most bytes of a comment: GitHub takes 65,536 characters."""
_LINE = 400  # for the line that counts what is left out


class Group(NamedTuple):
    """Lines that make no sense without what stands above them: the rows of a table.

    `ranks` has the weight of each line, 0 for the heaviest; without it all weigh the same.
    """

    head: str
    lines: tuple[str, ...]
    ranks: tuple[int, ...] = ()


class Bounded(NamedTuple):
    """A page, parted by what may be left out of it: what is folded, facts, and lines."""

    head: str
    facts: str = ""
    groups: tuple[Group, ...] = ()
    folds: tuple[str, ...] = ()


def bounded(pages: Sequence[Bounded], room: int) -> str:
    """Return as much of the pages as there is room for, and a line that counts what is missing.

    The heads of all pages come first, then their lines, then what is folded. Facts come before the
    lines if those of all pages take less than half of the room, and behind them otherwise. Of the
    folds each page has an equal share of the room, and leaves what it does not need to the others.
    """
    heads = fitting((page.head for page in pages), room - _LINE)
    kept = [page for page, head in zip(pages, heads, strict=True) if head]
    left = room - _LINE - sum(map(size, heads))
    before = fitting((page.facts for page in kept), left)
    if sum(map(size, before)) > left // 2:
        before = [""] * len(kept)
    left -= sum(map(size, before))
    bodies, rows = lines_within([page.groups for page in kept], left)
    left -= sum(map(size, bodies))
    behind = fitting(
        (page.facts if not text else "" for page, text in zip(kept, before, strict=True)), left
    )
    left -= sum(map(size, behind))
    facts = [first or second for first, second in zip(before, behind, strict=True)]
    folds = 0
    for number, page in enumerate(kept):
        fits = fitting(page.folds, left // (len(kept) - number))
        bodies[number] += "".join(fits)
        left -= sum(map(size, fits))
        folds += fits.count("")
    parted = zip(kept, facts, bodies, strict=True)
    whole = "".join(page.head + fact + body for page, fact, body in parted)
    lost = sum(bool(page.facts) and not fact for page, fact in zip(kept, facts, strict=True))
    counts = {
        "lines": rows,
        "facts": lost,
        "folded parts": folds,
        "reports": len(pages) - len(kept),
    }
    parts = [f"{name} left out: {count}" for name, count in counts.items() if count]
    if not parts:
        return whole
    return (
        f"{whole}\nThe report is too long for a comment ({', '.join(parts)}); a local run "
        "shows all.\n"
    )


def lines_within(pages: Sequence[Sequence[Group]], room: int) -> tuple[list[str], int]:
    """Return the lines of each page for which there is room, and how many are left out.

    The heaviest lines of all pages come first, of one weight the first line of each page. Where one
    has no room, no lighter line takes its place.
    """
    chosen: set[tuple[int, int, int]] = set()
    headed: set[tuple[int, int]] = set()
    missing, last = 0, None
    for rank, _, page, group, line in sorted(_ranked(pages)):
        head, lines, _ = pages[page][group]
        taken = size(lines[line]) + (0 if (page, group) in headed else size(head))
        if taken > room or (last is not None and rank > last):
            missing, last = missing + 1, rank if last is None else last
            continue
        chosen.add((page, group, line))
        headed.add((page, group))
        room -= taken
    return [
        "".join(
            (group.head if (page, number) in headed else "")
            + "".join(line for at, line in enumerate(group.lines) if (page, number, at) in chosen)
            for number, group in enumerate(groups)
        )
        for page, groups in enumerate(pages)
    ], missing


def _ranked(pages: Sequence[Sequence[Group]]) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield the weight of each line, its number on its page, the page, the group, the place."""
    for page, groups in enumerate(pages):
        number = count()
        for group, (_, lines, ranks) in enumerate(groups):
            for line, _ in enumerate(lines):
                yield (ranks[line] if ranks else 0), next(number), page, group, line


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
