"""Scripts with commands of grubby, with which Fedora and its kin change boot entries.

The words of --args, in the order of the commands, each parted at blanks whatever quotes say
(update_args() of the grubby-bls script); a command behind a condition counts as well. Words that
--remove-args takes away are taken from those of the commands before.
"""

from __future__ import annotations

import re

from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.bootfiles.lines import Lines
from advisor.inputs.bootfiles.shell import HOLE, Script, ShellWord, readable, written

_OPTION = re.compile(r"--(args|remove-args)(?:=|$)")


def read(text: str, into: Gathered) -> None:
    """Gathers the words of a script. Raises InputError where a shell would refuse it."""
    script, lines = Script(text), Lines(text)
    given: list[tuple[str, int]] = []
    with readable(lines, into):
        for command in script.commands():
            # Which of the words is grubby's name: the first, or one behind sudo and the like.
            names = (word.text.rpartition("/")[2] for word in command.words)
            at = next((at for at, name in enumerate(names) if name == "grubby"), None)
            if at is not None:
                _command(command.words[at + 1 :], given, lines, into)
    for at in script.documents:
        into.computed(text[at : at + 20], lines.of(at), "a here-document")
    for word, at in given:
        into.words(word, lines.of(at), lines.column(at))


def _command(
    words: list[ShellWord], given: list[tuple[str, int]], lines: Lines, into: Gathered
) -> None:
    """Applies one command of grubby to the words that are `given` so far."""
    options = iter(words)
    added: list[tuple[str, int]] = []
    for option in options:
        found = _OPTION.match(option.text)
        if not found:
            continue
        value = option
        if not found[0].endswith("="):
            value = next(options, option._replace(text="", places=[], holes=[]))
            found = re.match("", value.text) or found
        if HOLE in value.text:
            why = "arguments that the script computes"
            start = found.end()
            parts = [part for part in value.text[start:].split() if HOLE in part]
            shown = written(" ".join(parts), value.holes[value.text[:start].count(HOLE) :])
            into.computed(shown, lines.of(option.start), why)
        literal = _literal(value, found.end())
        if option.text.startswith("--remove-args"):
            taken = {word for word, _ in literal}
            given[:] = [one for one in given if one[0] not in taken]
        else:
            added += literal
    given += added


def _literal(value: ShellWord, start: int) -> list[tuple[str, int]]:
    """Lists the words of a value from `start` on that hold no expansion, and where they stand."""
    found = re.finditer(r"\S+", value.text[start:])
    return [(m[0], value.places[start + m.start()]) for m in found if HOLE not in m[0]]
