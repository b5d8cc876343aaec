"""What follows from the counts of a record: the only place where a difference is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean, median
from typing import NamedTuple

from .record import Counted, Record

SEEDS = 3  # the fewest
SPREADS = 3  # an effect is beyond so many times what seeds differ by
LEAST = 0.003  # of what an operation takes
LEAST_INSTRUCTIONS = 1.0
SIZE = 0.01  # of the bytes of a kernel's sections
BOOT = 0.02  # of the instructions up to the first window: less is chance
LEAST_MEMORY = 64  # kB
_SECTIONS = ("text", "data", "bss")
# A loop in user mode: what runs in the kernel then is what nobody asked for.
CONTROL = "spin"
QUIET = 0.03
# In these nothing happens but the calls and a tick of the timer: repetitions are the same to that.
STEADY = ("getppid", "read-byte")
STEADINESS = 0.02


class Effect(NamedTuple):
    """What an operation of a window takes: kernel instructions without the setting and with it.

    `spread` is what seeds differ by, on the side where they differ more. `found` says that the
    difference is one to publish.
    """

    window: str
    without: float
    with_it: float
    spread: float
    found: bool

    @property
    def difference(self) -> float:
        """Instructions more for each operation."""
        return self.with_it - self.without

    @property
    def share(self) -> float | None:
        """The difference as part of what the operation takes without it; None of nothing."""
        return self.difference / self.without if self.without >= LEAST_INSTRUCTIONS else None


def effects(without: Record, record: Record) -> Iterator[Effect]:
    """The effect of a record's setting in each window that both have.

    Compared are the same seeds; how far seeds differ is told by all of them.
    """
    for name, window in record.windows.items():
        if name in without.windows and name != CONTROL:
            before, after = per_operation(without.windows[name]), per_operation(window)
            spread = max(max(before) - min(before), max(after) - min(after))
            alike = [
                (before[without.seeds.index(seed)], now)
                for seed, now in zip(record.seeds, after, strict=True)
                if seed in without.seeds
            ]
            yield _effect(name, alike, spread)


def _effect(name: str, alike: Sequence[tuple[float, float]], spread: float) -> Effect:
    base, now = (mean(side) for side in zip(*alike, strict=True)) if alike else (0.0, 0.0)
    least = max(SPREADS * spread, LEAST * base, LEAST_INSTRUCTIONS)
    return Effect(name, base, now, spread, len(alike) >= SEEDS and abs(now - base) > least)


def per_operation(window: Counted) -> list[float]:
    """For each seed, the kernel instructions of an operation: the least of the repetitions.

    What comes by chance (a tick, a thread of the kernel's) adds, and hardly ever takes away.
    """
    return [min(count.kernel for count in seed) / window.operations for seed in window.counts]


def noise(record: Record) -> dict[str, float]:
    """By window, what seeds differ by as part of what an operation takes."""
    found = {}
    for name, window in record.windows.items():
        values = per_operation(window)
        if mean(values) >= LEAST_INSTRUCTIONS:
            found[name] = (max(values) - min(values)) / mean(values)
    return found


def boot(record: Record) -> float:
    """Kernel instructions up to the first window, in millions, as a mean of the seeds."""
    return mean(count.kernel for count in record.boot) / 1e6


def exercised(record: Record) -> list[str]:
    """The windows in which what the setting changes ran in each repetition of each seed, without
    the setting or with it: an effect is what the least repetition has."""
    found = []
    for name, rows in record.ran.items():
        all_times = sum(map(len, record.windows[name].counts))
        if any(all_times in (without, with_it) for _, without, with_it in rows):
            found.append(name)
    return found


def unpacking(record: Record) -> float:
    """Instructions below the kernel's addresses up to the first window, in millions: what unpacks
    the image, and the little that the guest's program does before."""
    return mean(count.user for count in record.boot) / 1e6


def starting(without: Record, record: Record) -> tuple[float, float]:
    """What to start takes without the setting and with it, in millions of kernel instructions;
    where it takes another unpacking, with that."""
    if abs(unpacking(record) - unpacking(without)) < BOOT * unpacking(without):
        return boot(without), boot(record)
    before, after = (boot(one) + unpacking(one) for one in (without, record))
    return before, after


def boot_found(without: Record, record: Record) -> bool:
    """Whether to start takes more instructions with the setting, or fewer."""
    before, after = starting(without, record)
    return abs(after / before - 1) >= BOOT


def memory(without: Record, record: Record) -> int | None:
    """The kB that the kernel takes more with the setting: what it keeps for itself from the start,
    and its slabs after the windows. None where that is nothing beyond what seeds differ by."""
    sides = [
        [m.get("Slab", 0) - m.get("MemTotal", 0) for m in one.memory] for one in (without, record)
    ]
    spread = max(max(side) - min(side) for side in sides)
    more = round(mean(sides[1]) - mean(sides[0]))
    return more if abs(more) > max(SPREADS * spread, LEAST_MEMORY) else None


def size(record: Record) -> tuple[int, int] | None:
    """The bytes of the sections (text, data, bss) without the setting and with it, of a kernel that
    the lab built; None where that is no other size."""
    sides = [record.built.sizes.get(kind) for kind in _SECTIONS] if record.built else [None]
    known = [side for side in sides if side]
    before, after = (sum(side) for side in zip(*known, strict=True)) if known else (0, 0)
    return (before, after) if abs(after - before) > SIZE * before else None


def unrest(record: Record) -> Iterator[str]:
    """Where the kernel had not come to rest: something ran beside what was counted.

    In the loop in user mode it is so each time: once, it may be what the windows before left to be
    done later, as files that they closed (6.1 frees those in batches, 5 % of a later loop).
    """
    spin = record.windows[CONTROL]
    for seed, counts in zip(record.seeds, spin.counts, strict=True):
        share = min(count.kernel / count.user for count in counts)
        if share > QUIET:
            yield f"seed {seed}: {share:.1%} of a loop in user mode is the kernel's"
    for name in STEADY:
        for seed, counts in zip(record.seeds, record.windows[name].counts, strict=True):
            least, middle = min(counts).kernel, median(count.kernel for count in counts)
            if middle > least * (1 + STEADINESS):
                yield f"seed {seed}: repetitions of {name} differ"


def control(without: Record, record: Record) -> bool:
    """Whether the control took the same instructions in user mode, each time, to the last one."""
    sides = (without.windows[CONTROL], record.windows[CONTROL])
    return len({count.user for side in sides for seed in side.counts for count in seed}) == 1
