"""What one start of the guest came to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from advisor.errors import InputError


class Count(NamedTuple):
    """Instructions: in the kernel, iterations of its string instructions, in user mode."""

    kernel: int
    repeated: int
    user: int


class Window(NamedTuple):
    """What one window came to, each time.

    `functions` are instructions of the kernel's, all times together; `times` says how often, of
    all that the window was counted, a function ran in it.
    """

    operations: int
    counts: tuple[Count, ...]
    functions: Counter[str]
    times: Mapping[str, int] = {}


class Run(NamedTuple):
    """`boot` is what came before the first window, `shown` what the kernel told of itself."""

    boot: Count
    windows: dict[str, Window]
    shown: dict[str, list[str]]


def read_run(report: str, counted: str, functions: list[Counter[str]]) -> Run:
    """From what the guest and the plugin wrote. Raises InputError where the two do not agree."""
    shown: dict[str, list[str]] = {}
    for line in report.splitlines():
        path, colon, text = line.partition(":")
        if colon:
            # Times of messages say nothing.
            shown.setdefault(path, []).append(re.sub(r"^(<\d+>)?\[[ \d.]+\] ", "", text))
    opened = [text.rsplit(" ", 1) for text in shown.pop("window", ())]
    kinds = [line.split() for line in counted.splitlines()]
    counts = [Count(*map(int, fields[1:])) for fields in kinds if fields[0] in ("boot", "window")]
    if [f[0] for f in kinds] != ["boot", *["window"] * len(opened), "end"]:
        raise InputError(
            f"the guest opened {len(opened)} windows, the plugin saw {len(counts) - 1}"
        )
    windows: dict[str, Window] = {}
    for index, ((name, operations), count) in enumerate(zip(opened, counts[1:], strict=True)):
        before = windows.get(name, Window(int(operations), (), Counter()))
        ran = functions[index] if index < len(functions) else Counter[str]()
        windows[name] = Window(
            before.operations,
            (*before.counts, count),
            before.functions + ran,
            Counter(before.times) + Counter(ran.keys()),
        )
    return Run(counts[0], windows, shown)
