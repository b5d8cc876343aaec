"""The command line: from its words to an exit code. Every failure is a line, never a traceback."""

import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Any

import typer

from advisor.cli.commands import application
from advisor.cli.run import complain, to_stdout
from advisor.errors import AdvisorError, TreeError


def run() -> int:
    """Runs the command of sys.argv; its exit code. Every failure is a line, never a traceback."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A path may hold what the terminal's encoding does not.
        sys.stdout.reconfigure(errors="backslashreplace")
    app = application(sys.argv[1:])
    return guarded(lambda: app(standalone_mode=False))


def guarded(run: Callable[[], Any]) -> int:
    """Runs a command and turns what it raises into an exit code and one line on stderr."""
    try:
        code = run()
        to_stdout("")
        return code if isinstance(code, int) else 0
    except AdvisorError as error:
        _complain(error)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        if usage := _usage_message(error):
            print(usage, file=sys.stderr)
            return 2
        if os.environ.get("KERNEL_ADVISOR_TRACEBACK"):
            from traceback import print_exc

            print_exc()
        name = type(error).__name__
        complain(
            f"a bug: {name}: {error} (KERNEL_ADVISOR_TRACEBACK=1 shows where; please report it)"
        )
        return 70


def _complain(error: AdvisorError) -> None:
    for where, message in getattr(error, "problems", None) or [(error.where, error.message)]:
        hint = f" ({error.hint})" if error.hint else ""
        place = f"{where}: " if where else ""
        # What a tree's tools said comes as lines of its own, each fit to print.
        lines = message.split("\n") if isinstance(error, TreeError) else [message]
        lines[0] = f"{place}{lines[0]}"
        for line in lines[:-1]:
            complain(line)
        complain(f"{lines[-1]}{hint}")


def _usage_message(error: Exception) -> str:
    """The message of Typer's own usage errors, whose classes it does not export."""
    if not hasattr(error, "format_message"):
        return ""
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(error.format_message())
    context = getattr(error, "ctx", None)
    hint = f" (see: {context.command_path} --help)" if context else ""
    return f"kernel-advisor: {error.format_message()}{hint}"
