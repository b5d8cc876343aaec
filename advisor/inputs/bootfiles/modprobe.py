"""modprobe.d/*.conf: options of modules, as words of the boot line would give them.

A backslash joins lines, # begins one of comment (modprobe.d(5)). What is
built in reads the boot line alone, and no file of modprobe's.
"""

from __future__ import annotations

from advisor.inputs.bootfiles.apart import WORD
from advisor.inputs.bootfiles.gathered import Gathered


def read(text: str, into: Gathered) -> None:
    """Gathers MODULE.OPTION=VALUE of each option; a command that installs is not read."""
    into.remark("for modules: what is built in reads the boot line alone")
    joined = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not joined:
            first = number
        joined += line
        if joined.endswith("\\"):
            joined = joined[:-1]
            continue
        _line(joined, first, into)
        joined = ""
    _line(joined, first, into)


def _line(line: str, number: int, into: Gathered) -> None:
    words = list(WORD.finditer(line))
    if not words or words[0][0].startswith("#"):
        return
    if words[0][0] == "options" and len(words) > 2:
        for word in words[2:]:
            into.words(f"{words[1][0]}.{word[0]}", number, word.start() + 1)
    elif words[0][0] == "install":
        into.computed(line, number, "a command that is run in place of a module")
