"""modprobe.d/*.conf: options of modules, as words of the boot line would give them.

A backslash joins lines, # begins one of comment (modprobe.d(5)). What is
built in reads the boot line alone, and no file of modprobe's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.inputs.bootfiles.apart import WORD
from advisor.inputs.bootfiles.gathered import Gathered


def read(text: str, into: Gathered) -> None:
    """Gathers MODULE.OPTION=VALUE of each option; a command that installs is not read."""
    into.remark("applies only to modules: built-in code reads only the boot line")
    for words, number in statements(text):
        if words[0][0] == "options":
            for word in words[2:]:
                into.words(f"{words[1][0]}.{word[0]}", number, word.start() + 1)
        elif words[0][0] == "install":
            command = words[0].string
            into.computed(
                command, number, "a command that modprobe runs instead of loading the module"
            )


def statements(text: str) -> Iterator[tuple[list[re.Match[str]], int]]:
    """Yields the words of each line that is no comment, and the number of its first line."""
    joined, first = "", 1
    for number, line in enumerate((*text.split("\n"), ""), 1):
        joined += line.removesuffix("\\")
        if line.endswith("\\"):
            continue
        words = list(WORD.finditer(joined))
        if words and not words[0][0].startswith("#"):
            yield words, first
        joined, first = "", number + 1
