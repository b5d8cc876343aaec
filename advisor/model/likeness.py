"""Which names a wrong one may mean: those that few slips of the keyboard make of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_PARTS = re.compile(r"[-_.]")
_SHORTEST = 4  # of three letters everything is near to something
_LONGEST = 80
_MOST = 3
_SLIPS = 2
_LONG = 8


def slipped(name: str, known: Iterable[str]) -> list[str]:
    """The names at most two slips away, the nearest first; in any case, three at most.

    A slip is a letter too many, missing, wrong, or swapped with the next. A word of the name has
    room for one in every three letters, so that none becomes another word: ALT is not SMT.
    """
    if not _SHORTEST <= len(name) <= _LONGEST:
        return []
    folded = name.lower()
    letters = set(folded)
    near = []
    for other in known:
        # Two slips bring two letters and take two; to compare with every name takes too long.
        if -_SLIPS <= len(other) - len(name) <= _SLIPS:
            small = other.lower()
            if len(letters ^ set(small)) <= 2 * _SLIPS:
                count = _slips(folded, small)
                # Another first letter makes another word of it already, but of a long one.
                same = small[:1] == folded[:1] or (len(name) >= _LONG and count < _SLIPS)
                if same and count <= _SLIPS:
                    near.append((count, other))
    return [other for _, other in sorted(near)[:_MOST]]


def _slips(name: str, other: str) -> int:
    """How many slips lie between two names; more than are allowed if a word has no room for its."""
    ours, theirs = _PARTS.split(name), _PARTS.split(other)
    if len(ours) != len(theirs):  # a separator too many, or missing, is the slip
        joined = "".join(ours), "".join(theirs)
        return 1 + (distance(*joined) if min(map(len, joined)) > _SHORTEST else _SLIPS)
    total = 0
    for mine, its in zip(ours, theirs, strict=True):
        count = 0 if mine == its else distance(mine, its)
        # Another number is another thing of the same kind.
        if count and (count > max(len(mine), len(its)) // 3 or mine.isdigit() or its.isdigit()):
            return _SLIPS + 1
        total += count
    return total


def is_another_word(name: str, other: str) -> bool:
    """Whether the two differ by a word that no slip makes: pages_min is not pages_limit."""
    ours, theirs = _PARTS.split(name), _PARTS.split(other)
    return len(ours) == len(theirs) and any(
        distance(mine, its) > max(len(mine), len(its)) // 2
        for mine, its in zip(ours, theirs, strict=True)
    )


def distance(one: str, other: str) -> int:
    """The letters to add, take out, change or swap with the next to make one of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for to, wanted in enumerate(other, 1):
            cost = min(before[to] + 1, row[-1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 < to and letter == other[to - 2] and one[at - 2] == wanted:
                cost = min(cost, earlier[to - 2] + 1)
            row.append(cost)
    return row[-1]


def alike(name: str, known: Iterable[str]) -> list[str]:
    """Lists the known names that share many letters with this one, the likest first."""
    import difflib

    # To compare with every name takes half a second.
    tried = [
        other
        for other in known
        if (other[:3] == name[:3] or other[-5:] == name[-5:]) and abs(len(other) - len(name)) <= 4
    ]
    close = difflib.get_close_matches(name, tried, n=3, cutoff=0.8)
    return [other for other in close if not is_another_word(name, other)]


def slips(name: str, letters: str) -> Iterator[str]:
    """Yields every name that one letter more, less, swapped or wrong makes (1,500 for twenty
    letters)."""
    for at in range(len(name) + 1):
        head, tail = name[:at], name[at:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in letters:
            yield head + letter + tail
            if at:  # another first letter makes another word
                yield head + letter + tail[1:]


def misspelled(name: str, tried: Iterable[str], known: Collection[str]) -> list[str]:
    """Lists the known names among those tried, but no other number of the same thing; and those
    that differ in `-`, `_` and case alone."""
    plain, squashed = name.translate(_NO_DIGITS), _squashed(name)
    others = {other for other in tried if other in known and other.translate(_NO_DIGITS) != plain}
    return sorted(others | {other for other in known if _squashed(other) == squashed} - {name})


def _squashed(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
