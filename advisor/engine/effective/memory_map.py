"""The memory that memmap= leaves to a machine, on x86.

Read in 6.1, 6.12 and 7.2, where it is the same: parse_memmap_one() of arch/x86/kernel/e820.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.model.kernel import Word
from advisor.model.sizes import UNITS, memparse
from advisor.record import NamedTuple

_G = UNITS[2]
# An address between the holes below 4 GiB and AMD's at 1,012 GiB is memory, if there is so much.
_FIRST, _LAST = 4 * _G, 1012 * _G
_ADDED, _ASIDE = "@", "#$!"


class Range(NamedTuple):
    """One part of the word: `size` bytes at the address `start`; `kind` is the sign between these,
    or empty, or `exactmap`, and None for a `text` that the kernel does not take. `rest` is what
    it does not read behind a size alone."""

    text: str
    kind: str | None
    size: int = 0
    start: int = 0
    rest: str = ""


def ranges(words: Iterable[Word]) -> Iterator[Range]:
    """Return the parts of these words, as the kernel takes them one by one."""
    for word in words:
        for text in (word.value or "")[:4096].split(","):
            if text.startswith("exactmap"):
                yield Range(text, "exactmap")
                continue
            size, rest = memparse(text)
            if rest == text:
                yield Range(text, None)
            elif rest[:1] in ("@", "#", "$", "!", "%"):
                yield Range(text, rest[0], size, memparse(rest[1:])[0])
            else:
                yield Range(text, "", size, rest=rest)


def most(words: Iterable[Word], memory: int | None) -> int | None:
    """Return the most memory that the words leave: below the address at which they cut it off, or
    listed behind `exactmap`."""
    listed: int | None = None
    for one in ranges(words):
        if one.kind == "exactmap":
            listed, memory = 0, None
        elif one.kind == _ADDED and listed is not None:
            listed += one.size
        elif one.kind == "":
            memory = min(memory or one.size, one.size)
    limits = [size for size in (listed, memory) if size]
    return min(limits, default=None)


def aside(words: Iterable[Word], memory: int) -> int:
    """Return how much memory is surely set aside: the part of each range above the holes."""
    parts = [one for one in ranges(words) if one.kind is not None]
    if any(one.kind == "exactmap" for one in parts):
        return 0
    total, end = 0, _FIRST
    ranges_aside = [one for one in parts if one.kind and one.kind in _ASIDE]
    for one in sorted(ranges_aside, key=lambda one: one.start):
        first, last = max(one.start, end), min(one.start + one.size, memory, _LAST)
        total += max(0, last - first)
        end = max(end, last)
    return total


def left(memory: int, mem: list[Word], memmap: list[Word], is_x86: bool) -> int:
    """Return what mem= and memmap= leave of so many bytes of memory.

    x86 cuts with each mem= (parse_memopt()), others join what each names, or go by the last one.
    """
    if sizes := list(filter(None, (memparse(word.value or "")[0] for word in mem))):
        memory = min(sizes) if is_x86 else sum(sizes)
    return (most(memmap, memory) or memory) if is_x86 and memmap else memory
