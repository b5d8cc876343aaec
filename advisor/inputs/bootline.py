"""The boot line that a user gives: as text, or in a file."""

from __future__ import annotations

from advisor.errors import InputError
from advisor.inputs.open import InputName, RepositoryFile, name_of, read_text
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import CommandLine


def read_cmdline(argument: InputName) -> CommandLine:
    """The line of `--cmdline`: the text itself, or `@FILE` (`@/proc/cmdline`), or what is in a file
    of the repository.

    Raises InputError if the file cannot be read, or holds more than one line.
    """
    path: InputName = argument
    if not isinstance(argument, RepositoryFile):
        if not argument.startswith("@"):
            return parse_cmdline(argument)
        path = argument[1:]
    text = read_text(path).rstrip("\n")
    if "\n" in text:
        hint = "give a file with the line alone, such as /proc/cmdline"
        raise InputError(
            "holds several lines, and a boot line is one", where=name_of(path), hint=hint
        )
    return parse_cmdline(text, name_of(path))
