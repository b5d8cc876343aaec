"""Names for kernel addresses, and instructions by function."""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections import Counter
from functools import cache
from pathlib import Path

# What compilers append to the name of a function that they made several of.
_CLONE = re.compile(r"\.(constprop|isra|part|cold|llvm)\b.*")


# Behind the last function of the kernel, farther than any is long: what it put together itself, as
# trampolines of tracers and probes.
MADE = "(code made at run time)"
_LONGEST = 1 << 20


class Symbols:
    """The functions of one kernel by address."""

    def __init__(self, by_address: dict[int, str]) -> None:
        self._addresses = sorted(by_address)
        self._names = [_CLONE.sub("", by_address[at]) for at in self._addresses]

    def at(self, address: int) -> str:
        """The function that an address lies in, or MADE; the address itself where none begins
        before."""
        index = bisect(self._addresses, address)
        if index and address - self._addresses[-1] > _LONGEST:
            return MADE
        return self._names[index - 1] if index else hex(address)


@cache
def read(report: Path) -> Symbols:
    """From the report of a guest that listed its symbols; of several at one address the first."""
    found: dict[int, str] = {}
    for line in report.read_text(errors="replace").splitlines():
        kind, _, rest = line.partition(":")
        address, _, name = rest.partition(" ")
        if kind == "symbol":
            found.setdefault(int(address, 16), name)
    return Symbols(found)


def keep(path: Path, functions: list[Counter[str]]) -> None:
    """Writes what `load` reads."""
    path.write_text(json.dumps(functions))


def load(path: Path) -> list[Counter[str]]:
    """Instructions by function, of each window in turn."""
    return [Counter(window) for window in json.loads(path.read_text())]
