"""tuned.conf of a TuneD profile: its sections [bootloader], [sysctl], [sysfs] and [vm].

TuneD reads it with ConfigParser (`=` alone, # for comments in a line as well, the last of an
option counts), expands ${...}, and gathers the options that begin with cmdline: + or nothing
appends, - takes away what was gathered so far (profiles/loader.py, plugins/plugin_bootloader.py
and plugins/plugin_sysctl.py of TuneD 2.20; plugins/plugin_vm.py of 2.26).
"""

from __future__ import annotations

import re
from configparser import ConfigParser, Error

from advisor.inputs.bootfiles.apart import apart
from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.sysctl import dotted

_COMPUTED = "a variable or function of TuneD"
_PAGES = "/sys/kernel/mm/transparent_hugepage/"
_VM = {"transparent_hugepages": "enabled", "transparent_hugepage": "enabled",
       "transparent_hugepage.defrag": "defrag"}  # fmt: skip
_DIRTY = ("dirty_bytes", "dirty_ratio", "dirty_background_bytes", "dirty_background_ratio")


def read(text: str, into: Gathered) -> None:
    """Gathers the literal words and settings. Raises InputError where TuneD refuses the file."""
    parser = ConfigParser(delimiters=("=",), inline_comment_prefixes=("#",), strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as its manual says
    try:
        parser.read_string(text, into.name)
    except (Error, AttributeError) as error:
        raise into.error(getattr(error, "lineno", 0) or 1, "is no file that TuneD reads") from error
    lines = lines_of(text)
    kinds = {name: parser.get(name, "type", raw=True, fallback=name) for name in parser.sections()}
    line: list[tuple[str, int]] = []
    for section, kind in kinds.items():
        for option, value in parser.items(section, raw=True):
            number = lines.get((section, option)) or lines.get(("DEFAULT", option), 1)
            if kind == "bootloader" and option.startswith("cmdline"):
                _boot_line(value or "", number, line, into)
            elif kind in ("sysctl", "sysfs", "vm") and option not in ("type", "replace", "enabled"):
                setting(kind, option, (value or "").strip('"'), number, into)
    for word, number in line:
        into.words(word, number)


def lines_of(text: str) -> dict[tuple[str, str], int]:
    """The line on which an option of a section stands last."""
    found: dict[tuple[str, str], int] = {}
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("[") and "]" in line:
            section = line[1 : line.rindex("]")]
        elif "=" in line and (option := line.partition("=")[0].strip()):
            found[section, option] = number
    return found


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
