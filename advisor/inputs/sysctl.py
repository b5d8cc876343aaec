"""Kernel settings at run time: what `sysctl -a` prints, or a file of sysctl.d(5)."""

from __future__ import annotations

from advisor.errors import InputError
from advisor.inputs.open import InputName, name_of, read_text
from advisor.model.kernel import Location
from advisor.model.sysctl import swapped

_MOST_NAMED = 10


def read_sysctl(path: InputName) -> dict[str, tuple[str, Location]]:
    """The settings of a file, or of standard input for `-`, as `parse_sysctl` reads them.

    Raises InputError if the file cannot be read, too.
    """
    return parse_sysctl(read_text(path), name_of(path))


def parse_sysctl(text: str, name: str) -> dict[str, tuple[str, Location]]:
    """Value and place of each key, written with dots (`net.ipv4.conf.eth0/1.forwarding`).

    The last line of a key decides. Raises InputError with all the lines that are no setting.
    """
    settings: dict[str, tuple[str, Location]] = {}
    wrong: list[int] = []
    lines = text.split("\n")
    for number, line in enumerate(map(str.strip, lines), 1):
        # With 2>&1, `sysctl -a` also prints what it may not read.
        if not line or line[0] in "#;" or line.startswith("sysctl: "):
            continue
        key, equals, value = line.partition("=")
        key = dotted(key.strip().removeprefix("-"))
        if not key or not (equals or line[0] == "-"):
            wrong.append(number)
        elif equals:  # else `-key` alone: it only takes the key out of what a pattern matches
            settings[key] = (value.strip(), Location(name, number))
    if wrong:
        raise not_settings(
            name, wrong, lines, "`key = value` with a key such as vm.swappiness",
            "give the output of `sysctl -a` or a file of /etc/sysctl.d",
        )  # fmt: skip
    return settings


def dotted(key: str) -> str:
    """The key in dotted form, empty if it is none.

    Where the first separator is a slash, dots and slashes change places (sysctl.d(5)).
    """
    if len(key.split()) != 1:
        return ""
    dot, slash = key.find("."), key.find("/")
    if slash >= 0 and (dot < 0 or slash < dot):
        key = swapped(key)
    return key if "." in key.strip(".") else ""


def not_settings(name: str, wrong: list[int], lines: list[str], form: str, hint: str) -> InputError:
    """The error of a file with such lines, which all have another form."""
    first = lines[wrong[0] - 1].strip()
    numbers = ", ".join(map(str, wrong[:_MOST_NAMED])) + ", ..." * (len(wrong) > _MOST_NAMED)
    count, noun = (f"{len(wrong)} lines are", "lines") if len(wrong) > 1 else ("a line is", "line")
    return InputError(
        f"{count} not {form}: {noun} {numbers}; the first is {first[:60]!a}",
        where=str(Location(name, wrong[0])),
        hint=hint,
    )
