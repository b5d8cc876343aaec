"""What the words about huge pages on a boot line come to, read in the kernel's order.

A number goes with the size before it, and each size takes one number. Read in 6.12:
hugepages_setup(), hugepagesz_setup() and default_hugepagesz_setup() of mm/hugetlb.c; so since 5.8.
Before 5.8 default_hugepagesz= only chose among the sizes that hugepagesz= had added: read there in
hugetlb_nrpages_setup(), hugetlb_default_setup() and hugetlb_init().
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.kernel import KernelVersion, Word
from advisor.model.numbers import whole_number
from advisor.model.sizes import memparse, shown
from advisor.record import NamedTuple

NAMES = ("default_hugepagesz", "hugepagesz", "hugepages")
GIVEN_BEFORE = "this size was given earlier"
NO_SIZE = "this kernel has no huge pages of this size"
COUNTED = "this size already has a number of pages"
REPLACED = "a later number of pages for this size replaces it"
BEHIND_REPEATED = "hugepages= follows a size that was already given"
BEHIND_NO_SIZE = "hugepages= follows a size that this kernel does not have"
NOT_ADDED = "before Linux 5.8, default_hugepagesz= adds no size"
"""Why the kernel ignores a word."""


class Pool(NamedTuple):
    """The huge pages of one size: the last word for the size, and the one for their number.

    `size` is in bytes, 0 for the default size where that is not known.
    """

    size: int
    sized: Word | None = None
    counted: Word | None = None

    @property
    def name(self) -> str:
        """The size in words."""
        return shown(self.size) if self.size else "the default size"

    @property
    def number(self) -> int:
        """How many pages the pool is given at boot."""
        return number_of_pages(self.counted.value or "") if self.counted else 0


class Ignored(NamedTuple):
    """A word that the kernel ignores, and why; `of` is the size that has a number already."""

    word: Word
    why: str
    of: int = 0


class Asked(NamedTuple):
    """The pools in the order of their words, and the words that count for none."""

    pools: tuple[Pool, ...]
    ignored: tuple[Ignored, ...]


def asked(words: Iterable[Word], sizes: Sequence[int] = (), *, is_old: bool = False) -> Asked:
    """Return what these words come to, in a kernel before 5.8 where it `is_old`; `sizes` are those
    of the architecture, the default first, none where they are not known."""
    reader = _Reader(sizes, is_old)
    for word in words:
        if word.name == "hugepages":
            reader.read_number(word)
        elif word.name in NAMES:
            reader.read_size(word, is_default=word.name == "default_hugepagesz")
    reader.end()
    return Asked(tuple(reader.pools.values()), tuple(reader.ignored))


def asked_by(
    words: Iterable[Word],
    knowledge: Knowledge,
    world: condition.Facts,
    kernel: KernelVersion | None,
) -> Asked:
    """Return what these words come to in a world: those about huge pages."""
    return asked(words, sizes_of(knowledge, world), is_old=is_old(kernel))


class _Reader:
    """Reads one word after the other, as the kernel's handlers do, with their variables."""

    def __init__(self, sizes: Sequence[int], is_old: bool) -> None:
        self.pools: dict[int, Pool] = {}
        self.ignored: list[Ignored] = []
        self._sizes, self._is_old = sizes, is_old
        self._default = sizes[0] if sizes else 0
        self._chosen = False  # the default size, by a word
        self._early: Word | None = None  # a number before all sizes is for the default size
        self._current, self._valid = self._default, True
        self._last: int | None = None  # the size that was given a number last

    def read_size(self, word: Word, *, is_default: bool) -> None:
        """Read hugepagesz= or default_hugepagesz=, which before 5.8 is read apart from all."""
        size, _ = memparse(word.value or "")
        if is_default and self._is_old:
            self._default = size
            return
        known = self.pools.get(size)
        may_repeat = self._chosen and size == self._default and known and not known.number
        # A second default_hugepagesz= is refused; that hugepagesz= named its size before is none.
        again = self._chosen if is_default else known is not None and not may_repeat
        is_none = bool(self._sizes) and size not in self._sizes
        if again or is_none:
            why = NO_SIZE if is_none and (self._is_old or not again) else GIVEN_BEFORE
            self.ignored.append(Ignored(word, why))
            # Before 5.8 a size that is given again leaves what was before it.
            self._valid = self._is_old and why == GIVEN_BEFORE and self._valid
            return
        # Before 5.8 a size that is none counts until a number was passed over.
        self._valid = self._valid if self._is_old else True
        if is_default:
            self._chosen, self._default = True, size
        if size not in self.pools or not is_default:
            # hugetlb_add_hstate() returns at a size that is there: the next number stays with the
            # size that was added last.
            pool = self.pools.get(size, Pool(size))
            self.pools[size] = pool._replace(sized=word)
            self._current = size
        if is_default and self._early:
            self._give(size, self._early, REPLACED)  # the number that stood before all sizes
            self._early = None

    def _give(self, size: int, number: Word, why: str) -> None:
        """Give a size a number; the one that it had is ignored."""
        pool = self.pools.get(size, Pool(size))
        if pool.counted:
            self.ignored.append(Ignored(pool.counted, why, size))
        self.pools[size] = pool._replace(counted=number)

    def read_number(self, word: Word) -> None:
        """Read hugepages=."""
        counted = self._current == self._last if self.pools else self._early is not None
        if not self._valid:
            self._valid = True
            before = self.ignored[-1].why if self.ignored else ""
            why = BEHIND_NO_SIZE if before == NO_SIZE else BEHIND_REPEATED
            self.ignored.append(Ignored(word, why))
        elif counted:
            self.ignored.append(Ignored(word, COUNTED, self._current))
        elif self.pools:
            # It replaces the number that default_hugepagesz= took over.
            self._give(self._current, word, REPLACED)
            self._last = self._current
        else:
            self._early = word

    def end(self) -> None:
        """Give the default size the number that stood before all sizes, before 5.8 if it has
        none."""
        if self._early is None:
            return
        pool = self.pools.get(self._default)
        is_added = pool is not None or not self._sizes or self._default == self._sizes[0]
        if self._is_old and not is_added:
            self.ignored.append(Ignored(self._early, NOT_ADDED))
        elif self._is_old and pool and pool.counted:
            self.ignored.append(Ignored(self._early, COUNTED, self._default))
        else:
            self._give(self._default, self._early, COUNTED)


def is_old(kernel: KernelVersion | None) -> bool:
    """Return whether a kernel surely reads the words as before 5.8."""
    return bool(kernel and kernel.numbers < (5, 8, 0))


def sizes_of(knowledge: Knowledge, world: condition.Facts) -> tuple[int, ...]:
    """Return the sizes of huge pages, the default one first; none if they were not read."""
    for fact in knowledge.facts("huge-pages"):
        if condition.surely(fact.only_if, world):
            return tuple(memparse(size)[0] for size in fact.names)
    return ()


def number_of_pages(value: str) -> int:
    """Return how many pages a value asks for: a number, or those of all nodes of `0:2,1:4`."""
    total = 0
    for part in value[:4096].split(","):
        node, colon, number = part.partition(":")
        match = re.match(r"[0-9]{1,20}", number if colon else node)
        total += (whole_number(match[0]) or 0) if match else 0
        if not colon:
            break
    return total


def in_words(pools: Iterable[Pool]) -> str:
    """Return `32 pages of 2 MiB and none of 1 GiB`; `no huge page` of none."""
    parts = []
    for pool in sorted(pools, key=lambda pool: pool.counted is None):
        number = f"{pool.number:,}" if pool.counted else "none"
        noun = "" if not pool.counted else " page" if pool.number == 1 else " pages"
        parts.append(f"{number}{noun} of {pool.name}")
    return " and ".join(parts) or "no huge page"
