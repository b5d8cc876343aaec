"""How much a comment may hold, and what is left out of one that would hold more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MOST = 60_000
"""The most bytes of a comment: GitHub takes 65,536 characters."""
_LINE = 400  # for the line that counts what is left out
_FOLD = "\n<details>"


def bounded(sections: Sequence[str], room: int) -> str:
    """As much of the sections as there is room for, and a line that counts what is missing.

    What stands before the folded parts of every section comes first, then the folded parts.
    """
    parts = [_parts(section) for section in sections]
    heads = fitting((head for head, *_ in parts), room - _LINE)
    left = room - _LINE - sum(map(size, heads))
    shown, missing = [], 0
    for head, (_, *folded) in zip(heads, parts, strict=True):
        fits = fitting(folded, left) if head else []
        left -= sum(map(size, fits))
        missing += fits.count("")
        shown.append("".join((head, *fits)))
    return "".join(shown) + _left_out(missing, heads.count(""))


def _parts(section: str) -> list[str]:
    """What stands before the first folded part, and each of these with what follows it."""
    head, *folded = section.split(_FOLD)
    return [head, *(f"{_FOLD}{part}" for part in folded)]


def fitting(texts: Iterable[str], room: int) -> list[str]:
    """The texts in their order, each empty for which no room is left."""
    found = []
    for text in texts:
        taken = size(text)
        found.append(text if taken <= room else "")
        room -= taken if taken <= room else 0
    return found


def size(text: str) -> int:
    """Its bytes, as they are written."""
    return len(text.encode("utf-8", "backslashreplace"))


def _left_out(folded: int, whole: int) -> str:
    if not folded and not whole:
        return ""
    parts = [f"folded parts left out: {folded}"] if folded else []
    parts += [f"reports left out: {whole}"] if whole else []
    return f"\nNot all of it fits here ({', '.join(parts)}); a local run shows all.\n"
