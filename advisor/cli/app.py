"""The command line: from its words to an exit code. Every failure is a line, never a traceback."""

import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from advisor import __version__
from advisor.cli.printing import beside, complain, fit, to_stdout
from advisor.errors import AdvisorError, TreeError, near
from advisor.files import whole

_NAME = "kernel-advisor"
COMMANDS = {
    "audit": "audit",
    "review": "review",
    "plan": "plan",
    "verify": "verify",
    "like": "like",
    "can": "can",
    "policy": "policy",
    "costs": "costs",
    "fragment": "fragment",
    "cmdline": "fragment",
    "diff": "compare",
    "upgrade": "compare",
    "baseline": "audit",
    "check": "check",
    "explain": "explain",
    "profiles": "explain",
    "rules": "explain",
    "rules lint": "lint",
    "completion": "completion",
    "machine": "machine",
    "collect": "collect",
}
"""The modules that have them, as functions named by the last word; a run imports only the one it
needs. What stands under another command is not in the list of commands."""

_EXTRA = r"^Got unexpected extra arguments?(?:\(s\))? \((.+)\)"
"""What Typer says of words that a command does not take."""
_OF_A_MACHINE = frozenset(
    ("--host", "--rules", "--profiles", "--format", "-f", "--write", "--output", "-o")
)
"""The options of `machine`, which needs not be named; a test compares them."""


class Command(TyperCommand):
    """A command whose help shows its options in groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes arguments and options in the place of Typer's own list."""
        from advisor.cli.help import write_options

        write_options(self, ctx, formatter)


def _print_version(wanted: bool) -> None:
    if wanted:
        to_stdout(f"kernel-advisor {__version__}\n")
        raise typer.Exit(0)


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


def application(words: list[str]) -> typer.Typer:
    """The commands, or the one that the words name: to describe all of them takes 8 ms."""
    app = typer.Typer(
        name=_NAME,
        help="Audit a kernel configuration and boot line against a workload, with sources.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        # Typer's own options write into the files that a shell reads when it starts.
        add_completion=False,
    )
    app.callback()(_root)
    named = [name for name in words[:1] if name in COMMANDS]
    for name in named or COMMANDS:
        module = import_module(f"advisor.cli.{COMMANDS[name]}")
        function = getattr(module, name.split()[-1])
        app.command(name, cls=Command, hidden=" " in name)(function)
    return app


def with_command(words: list[str]) -> list[str]:
    """The words; where they begin with no command, that of a machine on one screen, unless they
    ask for help or the version, which are options. `rules lint`, or `lint` alone, is one word."""
    if words[:1] == ["help"]:
        return [*words[1:2], "--help"]
    if words == ["version"]:
        return ["--version"]
    if not words or words[0].partition("=")[0] in _OF_A_MACHINE:
        return ["machine", *words]
    if words[0] == "lint" or words[:2] == ["rules", "lint"]:
        return ["rules lint", *words[words.index("lint") + 1 :]]
    return words


def _audited(words: list[str]) -> list[str]:
    """The words; a path in place of a command is audited, and stderr names that command."""
    if words[0] in COMMANDS or not os.path.lexists(words[0]):
        return words
    import shlex

    from advisor.cli import mistakes

    words = mistakes.audit_of(words[0], words[1:])
    complain(f"running kernel-advisor {shlex.join(words)}")
    return words


def described(words: list[str]) -> Any:
    """The same as Typer's commands, whose parameters completion and the manual page read."""
    return typer.main.get_command(application(words))


def run(app: typer.Typer | None = None) -> int:
    """Runs the command of sys.argv; its exit code. Every failure is a line, never a traceback.

    Without an application it is made here.
    """
    if sys.stdout is not None:
        sys.stdout = whole(sys.stdout)
    if isinstance(sys.stdout, TextIOWrapper):
        # A path may hold what the terminal's encoding does not.
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.argv[1:] = with_command(sys.argv[1:])

    def command() -> Any:
        sys.argv[1:] = _audited(sys.argv[1:])
        # Standalone, Click would print its own errors and end the process with its own codes.
        return (app or application(sys.argv[1:]))(standalone_mode=False, prog_name=_NAME)

    return guarded(command)


def guarded(run: Callable[[], Any]) -> int:
    """Runs a command and turns what it raises into an exit code and one line on stderr."""
    try:
        code = _printing(run)
        to_stdout("")  # what help printed and nobody flushed fails here, where it becomes a line
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
            f"a bug: {name}, {error} "
            "(please report it; KERNEL_ADVISOR_TRACEBACK=1 shows the traceback)"
        )
        return 70


def _printing(run: Callable[[], Any]) -> Any:
    """What the command returns; that help could not be printed is no bug, but an OutputError."""
    try:
        return run()
    except OSError:
        to_stdout("")  # fails again, if it was that
        raise


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
    for line in error.choices:
        beside(line)


def _usage_message(error: Exception) -> str:
    """The message of Typer's own usage errors, whose classes it does not export."""
    if not hasattr(error, "format_message"):
        return ""
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(error.format_message())
    context = getattr(error, "ctx", None)
    # Click before 8.2 counts the arguments, and names no command that is like a wrong one.
    message = re.sub(_EXTRA, r"Got unexpected extra argument(s) (\1)", error.format_message())
    wrong = re.fullmatch(r"No such command '(.*)'\.", message)
    if wrong and (like := near(wrong[1], COMMANDS)):
        message += f" Did you mean {like.removeprefix('did you mean ')[:-1]!r}?"
    message = message.replace("valid integer", "valid int")
    hint = _meant(message, sys.argv[1:]) or (context and f"see: {context.command_path} --help")
    if hint:
        message = f"{message.removesuffix('.')} ({hint})"
    return f"kernel-advisor: {fit(message)}"


def _meant(message: str, words: list[str]) -> str:
    """What to type instead of what Typer refuses with that message; empty if nothing is known."""
    from advisor.cli import mistakes

    if not words or words[0] not in COMMANDS:
        if message.startswith("No such command") and "Did you mean" not in message:
            return mistakes.command_for(words)
        taken = described(["audit"]).commands["audit"].params
        flags = {flag for option in taken for flag in option.opts}
        if words and words[0].partition("=")[0] in flags:
            return mistakes.command_first(words, COMMANDS)
    elif extra := re.fullmatch(_EXTRA, message):
        return mistakes.for_extra(words[0], extra[1].split())
    elif "is not a valid int" in message:
        return "write a number, such as 8"
    elif message.startswith("Missing option '--tree'"):
        return f"give the kernel's source: kernel-advisor {' '.join(words)} --tree DIR"
    elif message.startswith(("Option '-p' requires", "Option '--profile' requires")):
        return "kernel-advisor profiles lists the profiles"
    elif message.startswith("Missing argument 'CONFIG'"):
        return f"name one: kernel-advisor {words[0]} .config; see {words[0]} --help"
    return ""
