"""Entries of the Boot Loader Specification: loader/entries/*.conf.

A key and its value are parted by blanks, # begins a line of comment, and options may stand
several times (UAPI.1, type #1 entries). $kernelopts and $tuned_params are variables of GRUB's.
"""

from __future__ import annotations

import re

from advisor.inputs.bootfiles.apart import WORD
from advisor.inputs.bootfiles.gathered import Gathered

_OPTIONS = re.compile(r"[ \t]*options[ \t]+")
_VARIABLE = re.compile(r"\$(?:\w|\{)")


def read(text: str, into: Gathered) -> None:
    """Gathers the words of all options, but GRUB's variables."""
    for number, line in enumerate(text.split("\n"), 1):
        if key := _OPTIONS.match(line):
            literal(line, key.end(), number, into)


def literal(line: str, start: int, number: int, into: Gathered, what: str = "of GRUB") -> None:
    """Gathers the words of a line from there on; those with a variable are told."""
    for word in WORD.finditer(line, start):
        if _VARIABLE.search(word[0]):
            into.computed(word[0], number, f"a variable {what}")
        else:
            into.words(word[0], number, word.start() + 1)
