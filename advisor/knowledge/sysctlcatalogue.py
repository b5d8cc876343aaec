"""The catalogue of sysctls: which names are in which kernels' C source, with type and range.

`sysctls.gz` is written as catalogue.py tells, and has kernels of its own: those whose C source was
read. Names have dots, and `*` in place of what is named at run time (a device). The traits are the
letter of the type, and behind a colon the range as far as the source writes it as numbers:

    i  a signed number, or several        b  0, or any other number for 1
    u  an unsigned number, or several     s  a text
    l  a list of ports or the like        x  read by a handler of its own

as in `i:0..2`, `u:1..` and `i:..0`. A name of `arch/X` is that architecture's only.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from advisor.knowledge.catalogue import Names, Seen
from advisor.model.likeness import alike, misspelled, slips
from advisor.model.numbers import kernel_number, whole_number

if TYPE_CHECKING:
    from advisor.model.kernel import KernelVersion

LONGEST = 200
"""A longer name is compared with no other but its own."""
_LONGEST = 60
_DIGITS = 21
"""A number of more characters is none (TMPBUFLEN of kernel/sysctl.c)."""

# As proc_get_long() reads them, by strtoul_lenient() in base 0 (kernel/sysctl.c, read in 6.12).
_NUMBER = r"-?(?:0[xX][0-9a-fA-F]+|[0-9]+)"
_NUMBERS = rf"{_NUMBER}(?:[ \t]+{_NUMBER})*"
# A blank ends a number; what is behind the last of them stays unread.
_BEHIND = re.compile(rf"({_NUMBERS})(?:[ \t].*)?", re.DOTALL)
_TAKEN = {
    "i": "a number", "u": "a number", "b": "0 or 1", "s": "a text", "l": "a list",
    "x": "a value in a special form",
}  # fmt: skip
_NUMERIC = ("b", "i", "u")
_FLAT = (6, 5)
"""Since that release a tree has no tables within tables, whose folder another file says, so that
what was not found in it is not in it."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-."
_SHORTEST = 4
# Where somebody who leaves out the folder of a name, or takes another, may look for it.
_FOLDERS = ("", "fs", "kernel", "vm", "net.core", "net.ipv4")


class SysctlCatalogue(Names):
    """The sysctls of kernels."""

    file = "sysctls.gz"
    section = "sysctls"

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(text, path)
        self._patterns: dict[str, list[tuple[re.Pattern[str], str]]] | None = None
        # Of the catalogue's own names, which are few: a host has one of each for every device.
        self._seen: dict[str, Seen | None] = {}
        self._moves: dict[tuple[str, KernelVersion], str] = {}

    def seen(self, name: str) -> Seen | None:
        """Where a sysctl was seen, by its own name or by one with `*`; None if in no kernel."""
        own = name if self.spelled(name) else self._pattern_of(name)
        if own not in self._seen:
            self._seen[own] = super().seen(own)
        return self._seen[own]

    def _pattern_of(self, name: str) -> str:
        """The first name with `*` that stands for this one; empty where none does."""
        if self._patterns is None:
            self._patterns = {}
            for other in self.names():
                if "*" in other:
                    expression = re.compile(re.escape(other).replace(r"\*", ".+"))
                    own = other.rpartition(".")[2]
                    key = "*" if "*" in own else own
                    self._patterns.setdefault(key, []).append((expression, other))
        if len(name) > LONGEST:
            return ""
        # A host has thousands of names: each is held against the patterns that end alike.
        near = (self._patterns.get(key, ()) for key in (name.rpartition(".")[2], "*"))
        return next((other for one, other in chain(*near) if one.fullmatch(name)), "")

    def near(self, name: str) -> list[str]:
        """Lists the names that a wrong one may mean."""
        return alike(name, self.names())

    def ending(self, own: str) -> str:
        """Finds the only sysctl of that name in its folder; empty where there are several, or
        none."""
        found = [other for other in self.names() if other.rpartition(".")[2] == own]
        return found[0] if len(found) == 1 and "*" not in found[0] else ""

    def typo(self, name: str) -> list[str]:
        """The names of the same folder that are one slip of the keyboard away, or that differ in
        `-`, `_` and case alone, but no other number of the same thing; else the only one of that
        name in another folder, where the folder is missing or one of the kernel's own.
        """
        folder, _, own = name.rpartition(".")
        if not _SHORTEST <= len(own) <= _LONGEST or len(name) > LONGEST:
            return []
        known = self.names()
        near = misspelled(name, (f"{folder}.{other}" for other in slips(own, _LETTERS)), known)
        if not near and folder in _FOLDERS:
            moved = [other for other in known if other.rpartition(".")[2] == own]
            return moved if len(moved) == 1 else []
        return near

    def gone_or_new(self, name: str, kernel: KernelVersion) -> str:
        """`last seen in 6.12.117, not in 6.19.0` or the like, where a kernel of that version has no
        such sysctl any more, or not yet; nothing where it has, or nobody knows.
        """
        seen = self.seen(name)
        if seen is None:
            return ""
        key = seen.name, kernel
        if key not in self._moves:
            self._moves[key] = self._gone_or_new(seen, kernel)
        return self._moves[key]

    def _gone_or_new(self, seen: Seen, kernel: KernelVersion) -> str:
        bits = seen.kernels()
        read = [(n, one.version) for n, one in enumerate(self.kernels)]
        flat = [(n, version) for n, version in read if version.numbers >= _FLAT]
        before = [n for n, version in flat if version.numbers[:2] <= kernel.numbers[:2]]
        after = [n for n, version in flat if version.numbers[:2] >= kernel.numbers[:2]]
        having = [n for n, _ in read if bits >> n & 1]
        if before and having and having[-1] < before[-1]:
            last, gone = having[-1], having[-1] + 1
            return f"last seen in {read[last][1].text}, not in {read[gone][1].text}"
        if after and having and having[0] > after[0]:
            first = having[0]
            return f"first seen in {read[first][1].text}, not in {read[first - 1][1].text}"
        return ""

    def spans(self, kernel: KernelVersion | None) -> bool:
        """Whether a kernel of that version lies between those that were read."""
        versions = [one.version.numbers for one in self.kernels]
        return bool(kernel and versions and versions[0] <= kernel.numbers <= versions[-1])

    def read_of(self, name: str, value: str) -> str:
        """What the kernel reads of the value: where every kernel read takes numbers of the sysctl,
        the numbers at its begin (`10` of `10  # low`); else all of it."""
        seen = self.seen(name)
        numbers = seen is not None and all(fact.traits[:1] in _NUMERIC for fact in seen.facts)
        match = _BEHIND.fullmatch(value) if numbers else None
        return match[1] if match else value

    def refuses(self, name: str, value: str) -> str:
        """Says why no kernel read takes the value; empty where one does, or none has the sysctl."""
        seen = self.seen(name)
        reasons = [refuses(fact.traits, value) for fact in seen.facts] if seen else []
        return reasons[0] if reasons and all(reasons) else ""


def taken(traits: str) -> str:
    """Says what a sysctl of that type and range takes."""
    kind, _, spelled = traits.partition(":")
    low, _, high = spelled.partition("..")
    ranged = f" from {low}" * bool(low) + f" to {high}" * bool(high)
    return _TAKEN[kind] + ranged * ((low, high) != ("0", "0"))


def _read(number: str) -> int:
    """Reads a number in base 10, 16 or, behind a zero, 8; up to the first digit that is none of
    these."""
    read = kernel_number(number)
    if read is not None:
        return read
    digits = whole_number(number.removeprefix("-")) or 0
    return -digits if number[:1] == "-" else digits


def refuses(traits: str, value: str) -> str:
    """Says why a sysctl of that type and range does not take a value; empty if it does."""
    kind, _, spelled = traits.partition(":")
    if kind not in _NUMERIC:
        return ""
    match = _BEHIND.fullmatch(value)
    if not match:
        return "takes a number"
    value = match[1]
    low, _, high = spelled.partition("..")
    if (low, high) == ("0", "0"):  # the first value of a variable that is written later
        return ""
    if low and value in ("0", "-1") and _read(value) == _read(low) - 1:
        return ""  # as the kernel shows what was never set (vm.dirty_bytes, kernel.msg_next_id)
    if any(len(number) > _DIGITS for number in value.split()):
        return "takes a number"
    for number in map(_read, value.split()):
        if (low and number < _read(low)) or (high and number > _read(high)):
            if not (low and high):
                return f"takes {low} or more" if low else f"takes {high} or less"
            return f"takes {low} to {high}"
    return ""
