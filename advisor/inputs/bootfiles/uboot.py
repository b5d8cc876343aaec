"""Environments of U-Boot: NAME=VALUE lines of uEnv.txt, armbianEnv.txt or printenv, and scripts.

The line is bootargs, as a line sets it or a `setenv bootargs` within another variable or a script
(boot.cmd), and what boards add: optargs and cmdline of BeagleBoards, extraargs of Armbian. The
last line of a name counts, a backslash takes the next sign as it is, # begins a comment
(himport_r() of U-Boot's lib/hashtable.c). Hush reads scripts as a shell does.
"""

from __future__ import annotations

import re

from advisor.inputs.bootfiles.apart import WORD
from advisor.inputs.bootfiles.bls import literal
from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.bootfiles.lines import Lines
from advisor.inputs.bootfiles.shell import HOLE, Script, ShellWord, readable, written

NAMES = ("bootargs", "cmdline", "optargs", "extraargs", "extraboardargs", "extra_bootargs")
_LINE = re.compile(rf"({'|'.join(NAMES)})=")
_SETS = re.compile(r"(?:setenv|env[ \t]+set)[ \t]+(?:-f[ \t]+)?bootargs\b")


def read(text: str, into: Gathered) -> None:
    """Gathers the words of an environment. Raises InputError for a script within it that breaks."""
    found: dict[str, tuple[str, int, int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if setting := _LINE.match(line):
            found[setting[1]] = line, setting.end(), number
        elif not line.startswith("#") and (sets := _SETS.search(line)):
            _script(line, sets.start(), number, into)
    for name in NAMES:
        if name in found:
            line, start, number = found[name]
            literal(line, start, number, into, "of U-Boot")


def read_script(text: str, into: Gathered) -> None:
    """Gathers the words that the last `setenv bootargs` of a script sets.

    Raises InputError where a quote is not closed.
    """
    lines = Lines(text)
    script = Script(text)
    given: list[tuple[str, int]] = []
    with readable(lines, into):
        for command in script.commands():
            values = _values(command.words)
            if values is None:
                continue
            before = [hole for value in values for hole in value.holes]
            # `setenv bootargs ${bootargs} more` adds, at whatever place.
            kept = given if {"${bootargs}", "$bootargs"} & {*before} else []
            given = kept + _words(values, lines, into)
    for word, at in given:
        into.words(word, lines.of(at), lines.column(at))


def _script(line: str, start: int, number: int, into: Gathered) -> None:
    """The words of a `setenv bootargs` within the value of another variable, up to its end."""
    end = re.compile(r"[;&|]|$").search(line, start)
    command = line[: end.start()] if end else line
    value = _SETS.match(command, start)
    literal(command, value.end() if value else start, number, into, "of U-Boot")


def _values(words: list[ShellWord]) -> list[ShellWord] | None:
    """Finds what a command sets bootargs to; None if it does not."""
    texts = [word.text for word in words]
    for form in (["setenv"], ["env", "set"]):
        at = len(form)
        if texts[:at] == form:
            at += texts[at : at + 1] == ["-f"]
            return words[at + 1 :] if texts[at : at + 1] == ["bootargs"] else None
    return None


def _words(values: list[ShellWord], lines: Lines, into: Gathered) -> list[tuple[str, int]]:
    literal_ones: list[tuple[str, int]] = []
    for value in values:
        holes = iter(value.holes)
        for found in WORD.finditer(value.text):
            at = value.places[found.start()]
            if HOLE not in found[0]:
                literal_ones.append((found[0], at))
                continue
            shown = written(found[0], holes)
            if shown not in ("${bootargs}", "$bootargs"):
                into.computed(shown, lines.of(at), "a variable of U-Boot")
    return literal_ones
