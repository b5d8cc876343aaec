"""The page of `--help`: a command's arguments, and its options in groups.

`--help` leaves the rare options out, `--help-all` shows them too.
"""

from __future__ import annotations

from typing import Any

from advisor.cli.command import ALL
from advisor.cli.groups import GROUPS


def write_options(command: Any, context: Any, formatter: Any) -> None:
    """Writes the arguments and the groups of options of Typer's command for that context."""
    records = {one.name: one.get_help_record(context) for one in command.params}
    taken = [one for one in command.callback.taken.values() if records[one.name]]
    shown = [one for one in taken if context.meta.get(ALL) or not one.rare]
    sections: dict[str, list[Any]] = {}
    for option in sorted(shown, key=lambda one: one.flags is not None):
        title = GROUPS[option.group].title if option.flags is not None else "Arguments"
        sections.setdefault(title, []).append(records[option.name])
    for title, rows in sections.items():
        with formatter.section(title):
            formatter.write_dl(rows)
    if len(shown) < len(taken):
        formatter.write_paragraph()
        formatter.write(f"{context.command_path} --help-all shows all options.\n")
