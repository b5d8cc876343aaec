"""What shows that a setting is in effect: read in the guest, on both sides of a comparison.

A boot line is no witness: a kernel may not know its words, or have no use for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import tomli

from advisor.knowledge import index

from .run import Run
from .settings import CONTROL, Setting, path_of

# Where a kernel that was built says what it was built with: in the file that is started.
IN_IMAGE = "the configuration in the image"
# And where its header says how that file is packed.
PACKED = "how the image is packed"


class Witness(NamedTuple):
    """Where the kernel shows a tunable, and what it shows for each value, as patterns.

    `where` is a file of the guest, or `FUNCTION in WINDOW`: instructions of it for an operation. Of
    the file it is a line, or with `number` the group of that pattern in the first line that fits.
    `itself` says that a value shows as it is spelled: a number, a name.
    """

    where: str
    values: Mapping[str, str]
    function: str = ""
    window: str = ""
    itself: bool = False
    number: str = ""

    def pattern(self, value: str) -> str | None:
        """What is shown for a value; None where nothing is known of it."""
        return self.values.get(value, re.escape(value) if self.itself else None)


class Seen(NamedTuple):
    """What was read: where, without the setting, and with it."""

    where: str
    without: str
    with_it: str


@cache
def _data() -> dict[str, Any]:
    return tomli.loads((Path(__file__).parent / "witnesses.toml").read_text())


@cache
def _listed() -> dict[str, Witness]:
    found = {}
    for entry in _data()["witness"]:
        function, window = entry.get("function", ""), entry.get("window", "")
        where = entry.get("file") or f"{function} in {window}"
        found[entry["tunable"]] = Witness(
            where, entry.get("values", {}), function, window, "values" not in entry,
            entry.get("number", ""),
        )  # fmt: skip
    return found


@cache
def _changed() -> dict[str, tuple[str, ...]]:
    return {entry["tunable"]: tuple(entry["functions"]) for entry in _data()["changes"]}


def functions_of(tunable: str) -> tuple[str, ...]:
    """The functions whose work is what that tunable changes; none where nobody wrote them down."""
    return _changed().get(tunable, ())


def witness_of(tunable: str) -> Witness | None:
    """Where that tunable shows: what witnesses.toml says, or the file that its rule names."""
    if tunable in _listed():
        return _listed()[tunable]
    knowledge = index.load((), ())
    if tunable not in knowledge.ids("tunables"):
        return None
    known = knowledge.tunable(tunable)
    if known.sysctl or known.sysfs:
        return Witness(path_of(known.sysctl or known.sysfs), {}, itself=True)
    by_path: dict[str, dict[str, str]] = {}
    for value in known.values:
        for key, text in (*value.sysctl, *value.sysfs):
            by_path.setdefault(path_of(key), {})[value.name] = re.escape(text)
    if not by_path:
        return None
    where = max(by_path, key=lambda path: len(by_path[path]))
    return Witness(where, by_path[where])


def read(witness: Witness, run: Run) -> str:
    """The line that fits one of the patterns, of a list of choices the chosen one; else the first
    line there is."""
    if witness.function:
        window = run.windows[witness.window]
        times = window.operations * len(window.counts)
        return str(round(window.functions[witness.function] / times))
    if witness.number:
        shown = (re.fullmatch(witness.number, line) for line in run.shown.get(witness.where, ()))
        return next((found[1] for found in shown if found), "0")
    lines = [_chosen(line) for line in run.shown.get(witness.where, ())]
    fitting = (line for line in lines if any(_fits(p, line) for p in witness.values.values() if p))
    first = "" if witness.where == "message" or not lines else lines[0]
    return next(fitting, first)


def _chosen(line: str) -> str:
    line = line.replace("\t", " ")  # between the numbers of a file of /proc/sys
    found = re.search(r"[\[(](\S+)[\])]", line) if line.count(" ") < 8 else None
    return found[1] if found and found[0] in line.split() else line


def _fits(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text, re.IGNORECASE) is not None


def seen(setting: Setting, without: Run, with_it: Run) -> Seen | None:
    """What shows that the setting is in effect in the one and not in the other; None where nothing
    does."""
    if setting.tunable == CONTROL.tunable:
        return Seen("", "", "")
    witness = witness_of(setting.tunable)
    if witness is None:
        return None
    found = Seen(witness.where, read(witness, without), read(witness, with_it))
    return found if proves(witness, setting.value, found) else None


def told(lines: Iterable[tuple[str, str]]) -> str:
    """Options with their values, as a witness has them."""
    return ", ".join(f"{symbol}={value}" for symbol, value in lines)


def in_image(setting: Setting, seen: Seen) -> bool:
    """Whether an image says that it was built with the setting, and the other that it was not."""
    is_so = seen.where == IN_IMAGE and bool(setting.lines) and seen.with_it == told(setting.lines)
    return is_so and seen.without != seen.with_it


def proves(witness: Witness, value: str, seen: Seen) -> bool:
    """Whether what was seen with the setting is what the value shows, and what was seen without it
    is not: another number in the same line proves nothing."""
    pattern = witness.pattern(value)
    if pattern is None or seen.where != witness.where or seen.with_it == seen.without:
        return False
    if pattern in ("more", "less"):
        more = int(seen.with_it) - int(seen.without)
        return more > 0 if pattern == "more" else more < 0
    return _fits(pattern, seen.with_it) and not _fits(pattern, seen.without)
