"""What goes to stdout, stderr and files, and how it is shown there."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from advisor import repository
from advisor.errors import OutputError, UsageError, shortened
from advisor.output import Render, Style, renderer
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.cli.options import OutputOptions


_ENDLESS = re.compile(r"\S{1000,}")


class Target(NamedTuple):
    """A format and the file it goes to, None for stdout; what renders it."""

    name: str
    path: str | None
    render: Render


def targets(options: OutputOptions, formats: Mapping[str, str]) -> list[Target]:
    """What --write names, and after them --format with --output; `formats` are their modules.

    Raises UsageError for an unknown format.
    """
    wanted = names_and_files(options, formats)
    return [Target(name, path, renderer(name, formats)) for name, path in wanted]


def names_and_files(
    options: OutputOptions, formats: Mapping[str, str]
) -> list[tuple[str, str | None]]:
    """Format and file of each --write, and last of --format, which is not looked at.

    Raises UsageError.
    """
    wanted: list[tuple[str, str | None]] = []
    for text in options.write:
        name, _, path = text.partition("=")
        name = name.lower()
        if not path or name not in formats:
            hint = f"FORMAT=FILE with one of {', '.join(formats)}"
            raise UsageError(
                f"{text!r} does not name a format and a file", where="--write", hint=hint
            )
        wanted.append((name, path))
    return [*wanted, (options.format.lower(), options.output)]


def emit(target: Target, subject: Any, verbose: bool = False, brief: bool = False) -> None:
    """Renders reports or a comparison, and writes them where they go."""
    how = style(target.path, verbose)._replace(brief=brief)
    put(target.render(subject, how), target.path)


def style(path: str | None = None, verbose: bool = False) -> Style:
    """How to show what goes to that file, or to stdout: colour and width are a terminal's."""
    terminal = path is None and sys.stdout is not None and sys.stdout.isatty()
    # NO_COLOR is a user's wish and FORCE_COLOR often a CI's: the first one counts.
    wanted = os.environ.get("FORCE_COLOR") or (terminal and os.environ.get("TERM") != "dumb")
    colour = path is None and bool(wanted) and not os.environ.get("NO_COLOR")
    width, height = 80, 0
    if terminal:
        try:
            # A terminal that does not know its width says 0.
            columns, height = os.get_terminal_size(sys.stdout.fileno())
            width = max(40, min(columns or 80, 100))
        except OSError:
            pass  # a terminal for isatty alone
    return Style(width, height, colour, verbose, places=repository.current())


def put(text: str, path: str | None = None) -> None:
    """Writes to a file, which appears whole or not at all, or to stdout. Raises OutputError."""
    if path is None:
        to_stdout(text)
        return
    from advisor.files import write_atomically

    write_atomically(path, text)


def to_stdout(text: str) -> None:
    """Writes to stdout at once. Raises OutputError; that nobody reads on is no error."""
    if sys.stdout is None:
        if text:
            raise OutputError(
                "is closed", where="<stdout>", hint="check where standard output goes"
            )
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from advisor.files import silence

        # What is left in the buffer must not raise again at exit.
        silence(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise OutputError(
                f"cannot be written: {error.strerror}",
                where="<stdout>",
                hint="check where standard output goes",
            ) from error


def complain(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    if sys.stderr is not None:  # print would take stdout instead
        print(f"kernel-advisor: {fit(message)}", file=sys.stderr)


def beside(line: str) -> None:
    """A line on stderr below one that says what it is."""
    if sys.stderr is not None:
        print(f"  {fit(line)}", file=sys.stderr)


def fit(message: str) -> str:
    """A message as one line shows it: no control characters, and no word without end."""
    from advisor.output.escape import visible

    return _ENDLESS.sub(lambda word: shortened(word[0]), visible(message))
