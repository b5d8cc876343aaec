"""What a command makes of the words of its line: refusals, and the request that it runs with.

A command names the options that it takes and gets a Request, in which those that it does not take,
or that the user left out, have their defaults:

    @command(CONFIGS, *MACHINE, *TREE.without("on"))
    def audit(request: Request) -> int: ...
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import typer

from advisor.cli.groups import Option
from advisor.cli.options import Request
from advisor.errors import UsageError
from advisor.record import NamedTuple


def _show_all(context: typer.Context, wanted: bool) -> None:
    """Prints the help with all options, and ends the run."""
    if wanted:
        context.meta[ALL] = True
        typer.echo(context.get_help())
        raise typer.Exit(0)


ALL = "kernel-advisor.all"
"""Stands in the context where help is to show the rare options too."""
HELP_ALL = Option(
    ("--help-all",),
    {"help": "Show all options and exit.", "is_eager": True, "callback": _show_all},
    default=False,
    name="help_all",
    kind=bool,
)


class Combination(NamedTuple):
    """An option that is of no use beside any of the others or, if `needed`, without them all."""

    option: str
    others: tuple[str, ...]
    needed: bool
    message: str
    hint: str
    where: str = ""


COMBINATIONS = (
    Combination(
        "hosts", ("cmdline", "sysctl", "runtime", "this_machine", "merge"), False,
        "cannot be combined with --cmdline, --sysctl, --runtime, --this-machine or --merge",
        "the host's files contain these inputs; to override them, give the host's "
        "configuration as CONFIG",
    ),
    Combination(
        "settings", ("no_settings",), False, "cannot be combined with --no-settings",
        "leave one of them out",
    ),
    *(
        Combination(name, ("tree",), True, "needs --tree", "name the kernel tree")
        for name in ("run_toolchain", "prove", "on", "allow_root", "allow")
    ),
    Combination("arches", ("trees",), True, "needs --tree", "add --tree TREE"),
    Combination(
        "output", ("learn", "practice"), True, "has no effect alone", "add --learn or --practice",
        "rules lint --output",
    ),
)  # fmt: skip
"""Of options that a command does not take nothing is asked."""


def refuse(taken: Mapping[str, Option], values: Mapping[str, Any]) -> None:
    """Raises UsageError for a value that is of no use beside the others, or without them, and for
    facts that are given twice."""
    for option in taken.values():
        if option.group in ("subject", "machine") and option.default != ():
            _refuse_twice(option.flags or ())
    for rule in COMBINATIONS:
        if not values.get(rule.option) or taken.keys().isdisjoint(rule.others):
            continue
        if any(values.get(name) for name in rule.others) != rule.needed:
            where = rule.where or (taken[rule.option].flags or "")[0]
            raise UsageError(rule.message, where=where, hint=rule.hint)


def _refuse_twice(flags: tuple[str, ...]) -> None:
    """Raises UsageError for a flag that stands twice, or beside its contrary."""
    names = [name for flag in flags for name in flag.split("/")]
    told = [word.partition("=")[0] for word in sys.argv[1:] if word.partition("=")[0] in names]
    if len(told) > 1:
        both = "is given twice" if told[0] == told[1] else f"contradicts {told[1]}"
        hint = "give it once" if told[0] == told[1] else "give only one of the two"
        raise UsageError(both, where=told[0], hint=hint)


def request_of(taken: Mapping[str, Option], values: Mapping[str, Any]) -> Request:
    """The request of a command that takes these options, from their values by name."""
    groups: dict[str, dict[str, Any]] = {}
    for name, option in taken.items():
        value = values[name]
        if option.default == ():
            value = (value,) if isinstance(value, str) else tuple(value or ())
        groups.setdefault(option.group, {})[name] = value
    empty = Request()
    return Request(**{group: getattr(empty, group)._replace(**groups[group]) for group in groups})


Run = Callable[[Request], int]


def command(*options: Option) -> Callable[[Run], Callable[..., None]]:
    """A command that takes these options; one that is named twice is as it is named first.

    The function gets the request and returns the exit code; its docstring is the command's help.
    """
    taken: dict[str, Option] = {}
    for option in options:
        taken.setdefault(option.name, option)

    def described(run: Run) -> Callable[..., None]:
        def enter(**values: Any) -> None:
            refuse(taken, values)
            request = request_of(taken, values)
            if request.subject.cmdline is not None:
                from advisor.cli.mistakes import refuse_words

                refuse_words(request.subject.configs, request.subject.cmdline)
            raise typer.Exit(run(request))

        parameters = [option.parameter for option in (*taken.values(), HELP_ALL)]
        vars(enter).update(__signature__=inspect.Signature(parameters), taken=taken)
        enter.__doc__ = run.__doc__
        return enter

    return described
