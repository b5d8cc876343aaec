"""tuned.conf of a TuneD profile: its sections [bootloader], [sysctl], [sysfs] and [vm].

TuneD reads it with ConfigParser (`=` alone, # for comments in a line as well, the last of an
option counts), expands ${...}, and gathers the options that begin with cmdline: + or nothing
appends, - takes away what was gathered so far (profiles/loader.py, plugins/plugin_bootloader.py
and plugins/plugin_sysctl.py of TuneD 2.20; plugins/plugin_vm.py of 2.26).
"""

from __future__ import annotations

import re
from configparser import ConfigParser, Error

from advisor.errors import InputError
from advisor.inputs.bootfiles.apart import apart
from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.sysctl import dotted
from advisor.model.kernel import Location

_COMPUTED = "a variable or function of TuneD"
_PAGES = "/sys/kernel/mm/transparent_hugepage/"
_VM = {"transparent_hugepages": "enabled", "transparent_hugepage": "enabled",
       "transparent_hugepage.defrag": "defrag"}  # fmt: skip
_DIRTY = ("dirty_bytes", "dirty_ratio", "dirty_background_bytes", "dirty_background_ratio")


def read(text: str, into: Gathered) -> None:
    """Gathers the literal words and settings. Raises InputError where TuneD refuses the file."""
    line: list[tuple[str, int]] = []
    for section, unit in units(text, into.name).items():
        kind = unit["type"][0] if "type" in unit else section
        for option, (value, number) in unit.items():
            if kind == "bootloader" and option.startswith("cmdline"):
                _boot_line(value, number, line, into)
            elif kind in ("sysctl", "sysfs", "vm") and option not in ("type", "replace", "enabled"):
                setting(kind, option, value.strip('"'), number, into)
    for word, number in line:
        into.words(word, number)


def units(text: str, name: str) -> dict[str, dict[str, tuple[str, int]]]:
    """Reads the options of each unit, with the line of each.

    Raises InputError for a file that TuneD refuses.
    """
    parser = ConfigParser(delimiters=("=",), inline_comment_prefixes=("#",), strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as its manual says
    try:
        parser.read_string(text, name)
    except (Error, AttributeError, ValueError) as error:
        place = Location(name, getattr(error, "lineno", 0) or 1)
        hint = "correct the line"
        raise InputError("is no file that TuneD reads", where=str(place), hint=hint) from error
    lines: dict[tuple[str, str], int] = {}
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("[") and "]" in line:
            section = line[1 : line.rindex("]")]
        elif "=" in line and (option := line.partition("=")[0].strip()):
            lines[section, option] = number
    return {
        section: {
            option: (value or "", lines.get((section, option)) or lines.get(("DEFAULT", option), 1))
            for option, value in parser.items(section, raw=True)
        }
        for section in parser.sections()
    }


def _boot_line(value: str, number: int, line: list[tuple[str, int]], into: Gathered) -> None:
    """Does what one option does to the words that are gathered so far."""
    removes = value.startswith("-")
    escaped = value.startswith(("\\\\", "\\+", "\\-"))
    value = value[1:] if removes or escaped or value.startswith("+") else value
    value = re.sub('^"(.*)"$', r"\1", value.strip())
    words = []
    for _, word in apart(value, "${", "}", quotes=False):
        if "${" in word:
            into.computed(word, number, _COMPUTED)
        else:
            words.append(word)
    if removes:
        line[:] = [one for one in line if one[0] not in words]
    else:
        line += ((word, number) for word in words)


def setting(kind: str, option: str, value: str, number: int, into: Gathered) -> None:
    """Gathers what one option of a unit of that kind (sysctl, sysfs, vm) sets."""
    if "${" in value or "${" in option or value.startswith((">", "<")):
        into.computed(f"{option}={value}", number, _COMPUTED)
    elif kind == "sysctl":
        if key := dotted(option):
            into.sysctl(key, value, number)
    elif kind == "sysfs":
        into.sysfs(option, value, number)
    elif option in _VM:
        into.sysfs(_PAGES + _VM[option], value, number)
    elif option in _DIRTY:
        # Its percentages are the other sysctl's.
        share = option.endswith("_bytes") and value.endswith("%")
        name = option.replace("_bytes", "_ratio") if share else option
        into.sysctl(f"vm.{name}", value.rstrip("%") if share else value, number)
