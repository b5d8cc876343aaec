"""CPU lists, read as the kernel's bitmap_parselist() does (lib/bitmap-str.c, read in 6.12)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.model.numbers import whole_number
from advisor.record import NamedTuple

_NUMBER = r"N|[0-9]{1,9}"
_REGION = rf"(?:all|({_NUMBER})(?:-({_NUMBER}))?)(?::({_NUMBER})/({_NUMBER}))?"
_LARGEST = 1 << 16
_MOST = 1 << 20
"""So many CPUs are counted, each as often as it is named: sixteen times all that may be."""


class CpuList(NamedTuple):
    """The CPUs of a list; None if that takes the machine's count. `problem` is why it is refused.

    `beyond` is the first CPU that the machine does not have.
    """

    cpus: frozenset[int] | None
    problem: str = ""
    beyond: int | None = None


def read_list(text: str, count: int | None) -> CpuList:
    """Reads a list as the kernel does on a machine with `count` CPUs, if that is known."""
    cpus: set[int] = set()
    known, named = True, 0
    count = min(count, _LARGEST) if count else count
    for region in re.split(r"[,\s]+", text.strip(", \t")):
        match = re.fullmatch(_REGION, region, re.IGNORECASE)
        if not match or "n" in region.replace("N", ""):
            return CpuList(None, f"{region!r} is neither a CPU nor a range of CPUs")
        if count is None and ("N" in region or region[:3].lower() == "all"):
            known = False
            continue
        first, last, used, group = _numbers(match, (count or 1) - 1)
        if first > last or group == 0 or used > group:
            return CpuList(None, f"{region!r} does not ascend" if first > last else f"{region!r}")
        if last >= (count or _LARGEST):
            return CpuList(None, "", last)
        named += last - first + 1
        if named > _MOST:
            return CpuList(None, f"names more than {_MOST} CPUs in total")
        for start in range(first, last + 1, group):
            cpus.update(range(start, min(start + used, last + 1)))
    return CpuList(frozenset(cpus) if known else None)


def _numbers(match: re.Match[str], last: int) -> tuple[int, int, int, int]:
    def number(text: str | None, default: int) -> int:
        return default if text is None else last if text == "N" else whole_number(text) or 0

    start = number(match[1], 0)
    end = number(match[2], start if match[1] else last)
    return start, end, number(match[3], 1), number(match[4], 1)


def show_list(cpus: Iterable[int]) -> str:
    """Writes the list of these CPUs, in ascending order: `0-1,16`."""
    rows: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if rows and rows[-1][-1] == cpu - 1:
            rows[-1][1:] = [cpu]
        else:
            rows.append([cpu])
    return ",".join("-".join(map(str, row)) for row in rows)
