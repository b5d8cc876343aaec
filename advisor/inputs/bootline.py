"""The boot line that a user gives: as text, or in a file."""

from __future__ import annotations

import os

from advisor.errors import ContradictionError, InputError
from advisor.inputs.open import InputName, RepositoryFile, name_of, read_text
from advisor.model.cmdline import LONGEST, parse_cmdline
from advisor.model.kernel import CommandLine


def read_cmdline(argument: InputName) -> CommandLine:
    """Reads the line of `--cmdline`: the text itself, or `@FILE` (`@/proc/cmdline`), or a file
    of the repository.

    Raises ContradictionError for the name of a file without `@`, InputError if the file cannot be
    read, or is of no known format and holds more than one line.
    """
    path: InputName = argument
    if not isinstance(argument, RepositoryFile):
        if not argument.startswith("@"):
            _refuse_path(argument)
            return _parsed(argument)
        path = argument[1:]
    if isinstance(path, str) and not _is_path(path):
        import shlex

        hint = f"if it is a boot line, leave out the @: --cmdline {shlex.quote(path)}"
        raise InputError("no such file", where=path, hint=hint)
    return line_of(read_text(path), name_of(path))


def _is_path(name: str) -> bool:
    """Whether it may be a file's name, and is no word of a boot line."""
    looks = not {" ", "="}.intersection(name) and bool({"/", ".", "-", ":"}.intersection(name))
    return looks or os.path.lexists(name)


def _refuse_path(argument: str) -> None:
    """Raises ContradictionError for the name of a file where a boot line is expected."""
    path_like = argument.startswith(("/", "./", "../")) and " " not in argument
    if path_like or os.path.isfile(argument):
        hint = f"did you mean --cmdline @{argument}?"
        raise ContradictionError("is a file's name, not a boot line", where=argument, hint=hint)


def _parsed(text: str, name: str = "--cmdline") -> CommandLine:
    if len(text) > LONGEST:
        message = f"a boot line of more than {LONGEST} characters"
        raise InputError(message, where=name, hint="is it the right file?")
    return parse_cmdline(text, name)


def line_of(text: str, path: str) -> CommandLine:
    """Reads the boot line in a file of one of the formats of bootfiles.

    Raises InputError where there is none, or where it is longer than any.
    """
    from advisor.inputs import bootfiles

    format = bootfiles.format_of(path, text)
    text = text.rstrip("\n")
    if format is None or (format.plain and "\n" not in text):
        if "\n" not in text:
            return _parsed(text, path)
        if "\nCONFIG_" in text:
            hint = f"give it as CONFIG: {path}"
            raise InputError("is a configuration, not a boot line", where=path, hint=hint)
        hint = (
            "give a file that contains only the boot line, such as /proc/cmdline, or a file that "
            "docs/ci.md lists"
        )
        raise InputError("has several lines, but a boot line is one line", where=path, hint=hint)
    line = bootfiles.read(text, path, format).cmdline
    if line is None:
        hint = (
            "give a file of sysctls with --sysctl" if format.id == "sysctl.d" else "check the path"
        )
        raise InputError("holds no boot line", where=path, hint=hint)
    return line
