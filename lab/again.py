"""Measures again what a record holds, and compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from .effects import LEAST_INSTRUCTIONS, SPREADS, per_operation
from .machine import Kernel, Lab
from .measure import made_with
from .record import Made, Record
from .run import Run

# An update within 6.1 made a fork in a control group take 0.8 % more.
_MOVES = 0.02


class Outcome(NamedTuple):
    """Whether figures had to be the same to the last one (or only near), and where they differ."""

    exact: bool
    differences: tuple[str, ...]


def chosen(records: Sequence[Record], by: str) -> tuple[Record, int]:
    """A record, and one of its seeds: others for each text, such as the name of a commit."""
    number = int(sha256(by.encode()).hexdigest(), 16)
    record = records[number % len(records)]
    return record, record.seeds[number // len(records) % len(record.seeds)]


def again(lab: Lab, kernel: Kernel, record: Record, seed: int) -> Outcome:
    """One start with the words and one seed of the record.

    With the same programs each count is the same. With another compiler, qemu or kernel of the same
    name, what an operation takes is within three spreads of what seeds came to, or two hundredths.
    """
    run = lab.count(kernel, record.setting.line_on(kernel.name), record.setting.arguments, seed)
    if _alike(made_with(lab, kernel, run)) == _alike(record.made._replace(image=record.image)):
        return Outcome(True, tuple(_unequal(record, run, seed)))
    return Outcome(False, tuple(_far(record, run)))


def _alike(made: Made) -> tuple[str, ...]:
    """All that decides over the counts: the programs, by their digests."""
    return made.image, made.initramfs, made.plugin, made.qemu, made.machine


def _unequal(record: Record, run: Run, seed: int) -> Iterator[str]:
    at = record.seeds.index(seed)
    if run.boot != record.boot[at]:
        yield f"boot: {run.boot}, not {record.boot[at]}"
    for name, window in record.windows.items():
        found = run.windows[name].counts if name in run.windows else ()
        if found != window.counts[at]:
            yield f"{name}: {found}, not {window.counts[at]}"


def _far(record: Record, run: Run) -> Iterator[str]:
    for name, window in record.windows.items():
        if name not in run.windows:
            yield f"{name}: not counted"
            continue
        values = per_operation(window)
        now = min(count.kernel for count in run.windows[name].counts) / run.windows[name].operations
        spread = max(values) - min(values)
        room = max(SPREADS * spread, _MOVES * max(values), LEAST_INSTRUCTIONS)
        if not min(values) - room <= now <= max(values) + room:
            yield f"{name}: {now:,.1f} instructions an operation, not {values}"
