"""tuned.conf of a TuneD profile: its sections [bootloader], [sysctl], [sysfs] and [vm].

TuneD reads it with ConfigParser (`=` alone, # for comments in a line as well, the last of an
option counts), after the profiles that it includes: units of one name are merged. It expands
${...}, and gathers the options that begin with cmdline: + or nothing appends, - takes away what
was gathered so far (profiles/loader.py, profiles/merger.py, plugins/plugin_bootloader.py and
plugins/plugin_sysctl.py of TuneD 2.20; plugins/plugin_vm.py of 2.26).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from configparser import ConfigParser, Error
from posixpath import basename, dirname

from advisor.errors import InputError
from advisor.inputs.bootfiles.apart import apart
from advisor.inputs.bootfiles.gathered import Gathered, Option, Units
from advisor.inputs.sysctl import dotted
from advisor.model.kernel import Location

_COMPUTED = "a variable or function of TuneD"
_PAGES = "/sys/kernel/mm/transparent_hugepage/"
_VM = {"transparent_hugepages": "enabled", "transparent_hugepage": "enabled",
       "transparent_hugepage.defrag": "defrag"}  # fmt: skip
OWN = frozenset(
    ("type", "enabled", "replace", "drop", "devices", "devices_udev_regex", "cpuinfo_regex",
     "uname_regex", "script_pre", "script_post", "priority")
)  # fmt: skip
"""Options of every unit, which set nothing."""
_DIRTY = ("dirty_bytes", "dirty_ratio", "dirty_background_bytes", "dirty_background_ratio")


class LinearParser(ConfigParser):
    """A ConfigParser that reads a line in one go: for a line of many blanks and no delimiter
    Python's own expression (`.*?\\s*`) looks at each blank once for every other.

    It takes the blanks at both ends of an option and its value off by itself.
    """

    _OPT_TMPL = OPTCRE_TEMPLATE = r"(?P<option>(?:(?!{delim}).)*)(?P<vi>{delim})(?P<value>.*)$"
    OPTCRE = re.compile(OPTCRE_TEMPLATE.format(delim="=|:"))


def read(text: str, into: Gathered) -> None:
    """Gathers the literal words and settings of a profile, and of each further file, which a file
    before it includes, and stands back. Raises InputError where TuneD refuses the file."""
    into.layers[into.name] = units(text, into.name)
    into.forget()
    line: list[tuple[str, Location]] = []
    for section, unit in merged(reversed(into.layers.values())).items():
        kind = unit["type"].value if "type" in unit else section
        for option, (value, place) in unit.items():
            into.name = place.path
            if kind == "bootloader" and option.startswith("cmdline"):
                _boot_line(value, place, line, into)
            elif kind in ("sysctl", "sysfs", "vm") and option not in OWN:
                setting(kind, option, value.strip('"'), place.line, into)
    into.replace(line)
    _tell_absent(into)


def _tell_absent(into: Gathered) -> None:
    """Notes the profiles that are included and were not read."""
    found = set(map(profile_of, into.layers))
    for path, layer in into.layers.items():
        into.name = path
        for name in included(layer):
            if name not in found:
                why = "another profile, which TuneD reads first"
                into.computed(f"include={name}", layer["main"]["include"].place.line, why)


def profile_of(path: str) -> str:
    """Names the profile that a file of that path is: its folder."""
    return basename(dirname(path))


def included(of: Units) -> list[str]:
    """Lists the profiles that one includes, by name; one with a dash before it may lack."""
    include = of.get("main", {}).get("include")
    names = map(str.strip, re.split("[,;]", include.value)) if include else ()
    return [name.removeprefix("-") for name in names if name]


def merged(layers: Iterable[Units]) -> Units:
    """Merges the units of profiles, of which each stands back behind those after it."""
    result: Units = {}
    for layer in layers:
        for name, unit in layer.items():
            replaced = unit["replace"].value.lower() if "replace" in unit else ""
            if replaced in ("1", "true", "yes", "y", "on"):
                result[name] = dict(unit)
                continue
            into = result.setdefault(name, {})
            for option in re.split(r"[\s,]+", unit["drop"].value) if "drop" in unit else ():
                into.pop(option, None)
            into.update(unit)
    return result


def units(text: str, name: str) -> Units:
    """Reads the units of a file; `main` is always one.

    Raises InputError for a file that TuneD refuses.
    """
    parser = LinearParser(delimiters=("=",), inline_comment_prefixes=("#",), strict=False)
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
    found = {
        section: {
            option: Option(
                (value or "").strip(),
                Location(name, lines.get((section, option)) or lines.get(("DEFAULT", option), 1)),
            )
            for option, value in parser.items(section, raw=True)
        }
        for section in parser.sections()
    }
    return {"main": {}, **found}


def _boot_line(
    value: str, place: Location, line: list[tuple[str, Location]], into: Gathered
) -> None:
    """Does what one option does to the words that are gathered so far."""
    removes = value.startswith("-")
    escaped = value.startswith(("\\\\", "\\+", "\\-"))
    value = value[1:] if removes or escaped or value.startswith("+") else value
    value = re.sub('^"(.*)"$', r"\1", value.strip())
    words = []
    for _, word in apart(value, "${", "}", quotes=False):
        if "${" in word:
            into.computed(word, place.line, _COMPUTED)
        else:
            words.append(word)
    if removes:
        line[:] = [one for one in line if one[0] not in words]
    else:
        line += ((word, place._replace(column=1)) for word in words)


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
