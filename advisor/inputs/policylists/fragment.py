"""Fragments: `CONFIG_X=value` and `# CONFIG_X is not set`, with the comments right above as why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from advisor.inputs.policylists.asked import Asked, Items, Unsaid, files_of, lines_of, unquoted
from advisor.model.kernel import Location

_SET = re.compile(r"CONFIG_(\w+)=(.*)")
_OFF = re.compile(r"#\s*CONFIG_(\w+) is not set\s*")
_MOST_REASON = 300

Other = Callable[[Location, str, str], Items]
"""What a line is that sets no symbol, by its place, text and reason."""


def asked(path: str) -> Items:
    """What a fragment asks for, or all files of a folder. Raises InputError."""
    for file in files_of(path):
        yield from items(lines_of(file))


def no_setting(place: Location, text: str, _: str) -> Items:
    """What a line is that is none."""
    yield Unsaid(place, f"this line is no setting: {text[:60]}")


def items(lines: Iterable[tuple[Location, str]], other: Other = no_setting) -> Items:
    """What the lines ask for; comments in front of several lines are the reason of all."""
    reason: list[str] = []
    is_above = False
    for place, line in lines:
        text = line.strip()
        if found := _SET.fullmatch(text) or _OFF.fullmatch(text):
            value = unquoted(found[2].strip()) if text[0] != "#" else "n"
            yield Asked("symbol", found[1], value, place, " ".join(reason)[:_MOST_REASON])
            is_above = False
        elif text.startswith("#"):
            reason = [*(reason if is_above else ()), *filter(None, [text.strip("# \t")])]
            is_above = True
        elif text:
            yield from other(place, text, " ".join(reason)[:_MOST_REASON])
            is_above = False
        else:
            reason, is_above = [], False
