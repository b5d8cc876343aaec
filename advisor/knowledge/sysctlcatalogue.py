"""The catalogue of sysctls: which names are in which kernels' C source, with type and range.

`sysctls.gz` is written as catalogue.py tells, and has kernels of its own: those whose C source was
read. Names have dots, and `*` in place of what is named at run time (a device). The traits are the
letter of the type, and behind a colon the range as far as the source writes it as numbers:

    i  a signed number, or several        b  0 or 1
    u  an unsigned number, or several     s  a text
    l  a list of ports or the like        x  read by a handler of its own

as in `i:0..2`, `u:1..` and `i:..0`. A name of `arch/X` is that architecture's only.
"""

from __future__ import annotations

import re

from advisor.knowledge.catalogue import Names, Seen, alike

_NUMBERS = re.compile(r"-?\d+(?:[ \t]+-?\d+)*")


class SysctlCatalogue(Names):
    """The sysctls of kernels."""

    file = "sysctls.gz"
    section = "sysctls"

    def seen(self, name: str) -> Seen | None:
        """Where a sysctl was seen, by its own name or by one with `*`; None if in no kernel."""
        patterns = (
            other
            for other in self.names()
            if "*" in other and re.fullmatch(re.escape(other).replace(r"\*", ".+"), name)
        )
        return super().seen(name) or next(map(super().seen, patterns), None)

    def near(self, name: str) -> list[str]:
        """The names that a wrong one may mean."""
        return alike(name, self.names())

    def refuses(self, name: str, value: str) -> str:
        """Why no kernel read takes the value; nothing where one does, or none has the sysctl."""
        seen = self.seen(name)
        reasons = [_refuses(fact.traits, value) for fact in seen.facts] if seen else []
        return reasons[0] if reasons and all(reasons) else ""


def _refuses(traits: str, value: str) -> str:
    """Why a sysctl of that type and range does not take a value, or nothing."""
    kind, _, spelled = traits.partition(":")
    if kind == "b":
        return "" if value in ("0", "1") else "takes 0 and 1"
    if kind not in ("i", "u"):
        return ""
    if not _NUMBERS.fullmatch(value):
        return "takes a number"
    low, _, high = spelled.partition("..")
    for number in map(int, value.split()):
        if (low and number < int(low)) or (high and number > int(high)):
            return f"takes {low or 'anything'} to {high or 'anything'}"
    return ""
