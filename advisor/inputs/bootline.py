"""The boot line that a user gives: as text, or in a file."""

from __future__ import annotations

from advisor.errors import InputError
from advisor.inputs.open import InputName, RepositoryFile, name_of, read_text
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import CommandLine


def read_cmdline(argument: InputName) -> CommandLine:
    """Reads the line of `--cmdline`: the text itself, or `@FILE` (`@/proc/cmdline`), or a file
    of the repository.

    Raises InputError if the file cannot be read, or is of no known format and holds more than one
    line.
    """
    path: InputName = argument
    if not isinstance(argument, RepositoryFile):
        if not argument.startswith("@"):
            return parse_cmdline(argument)
        path = argument[1:]
    return line_of(read_text(path), name_of(path))


def line_of(text: str, path: str) -> CommandLine:
    """Reads the boot line in a file of one of the formats of bootfiles.

    Raises InputError where there is none.
    """
    from advisor.inputs import bootfiles

    format = bootfiles.format_of(path, text)
    text = text.rstrip("\n")
    if format is None or (format.plain and "\n" not in text):
        if "\n" not in text:
            return parse_cmdline(text, path)
        hint = (
            "give a file with the line alone, such as /proc/cmdline, or one that docs/ci.md lists"
        )
        raise InputError("holds several lines, and a boot line is one", where=path, hint=hint)
    line = bootfiles.read(text, path, format).cmdline
    if line is None:
        hint = (
            "give a file of sysctls with --sysctl" if format.id == "sysctl.d" else "check the path"
        )
        raise InputError("holds no boot line", where=path, hint=hint)
    return line
