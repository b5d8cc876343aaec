"""docs/commands.md against the commands: every option that one takes stands there, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.cli.app import COMMANDS, described

from .cases import each

PAGE = (Path(__file__).parent.parent / "docs" / "commands.md").read_text(encoding="utf-8")
JUDGING = {"audit", "fragment", "cmdline", "diff", "upgrade", "review", "baseline"}
OPTION = re.compile(r"`(--?[a-z][a-z-]*)[^`]*`")


def section(title):
    """What stands under a heading, up to the next of its level."""
    return re.search(rf"^## {title}$(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]


def rows(title):
    """The options of each row of a section's tables of options, and its last cell."""
    tables = re.findall(r"^\| option \|.*\n\|[-|]+\n((?:\|.*\n)+)", section(title), re.M)
    lines = [line for table in tables for line in table.splitlines()]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [(set(OPTION.findall(row[0])), row[-1]) for row in cells]


def commands(cell):
    """The commands that a last cell names: `all that judge but ...`, or one by one."""
    named = set(re.findall(r"`([\w ]+)`", cell))
    if " but " in cell:
        return JUDGING - named
    return named | (JUDGING if cell.startswith("all that judge") else set())


COMMON = [(options, commands(cell)) for options, cell in rows("What commands have in common")]


def taken(command):
    """The options that it really takes, by all their names."""
    parameters = described([command]).commands[command].params
    options = [p for p in parameters if p.param_type_name == "option" and not p.hidden]
    names = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    return names - {"--help-all"}


@each("command", COMMANDS)
def test_the_page_has_every_option_of_a_command_and_no_other(command):
    in_common = {name for options, of in COMMON if command in of for name in options}
    own = {name for options, _ in rows(command) for name in options}
    assert in_common | own == taken(command)


def test_the_page_names_all_that_judge():
    (told,) = re.findall(r"^All that judge are (.*?)\. ", section("What commands have in common"),
                         re.M | re.S)  # fmt: skip
    assert set(re.findall(r"`(\w+)`", told)) == JUDGING
    assert {name for name in COMMANDS if "--profile" in taken(name)} == JUDGING
