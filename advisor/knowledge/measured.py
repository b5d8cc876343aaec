"""What the lab's records say (data/measured.json, written by `python -m lab fold` alone).

Format: `kernels` by short name (release, package, arch, qemu), `barred` tunables with the reason
why none is measured, and `records` by name, KERNEL/TUNABLE=VALUE: tunable, value, against, words,
writes, number of seeds; `lines` of a fragment where another kernel was built; `windows` with
[without, difference, spread] in kernel instructions an operation where there is an effect, `none`
the windows without; `boot` [without, difference] in kernel instructions, and `memory` in kB, or
null.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from advisor.errors import KnowledgeError
from advisor.files import MOST, read
from advisor.knowledge import folders
from advisor.model.measured import Lab, Measured, Window
from advisor.record import NamedTuple

FILE = "measured.json"


class Records(NamedTuple):
    """All records by name; the tunables of which there may be none, each with the reason."""

    by_name: Mapping[str, Measured]
    barred: Mapping[str, str]

    def of(self, tunable: str) -> tuple[Measured, ...]:
        """The records of a tunable and of the members of a group, by name."""
        return tuple(one for one in self.by_name.values() if one.tunable == tunable)

    def problem(self, name: str, tunable: str) -> str:
        """What is wrong with a tunable's naming that record; empty where nothing is."""
        if why := self.barred.get(tunable):
            return f"no record can be of {tunable}: {why}"
        record = self.by_name.get(name)
        if record is None:
            return f"there is no record {name!r}; python -m lab run makes one, lab fold tells it"
        return "" if record.tunable == tunable else f"the record {name!r} is of {record.tunable}"


def location() -> str:
    """Where the file is."""
    return os.path.join(folders.data(), FILE)


def built_in() -> Records:
    """What was measured. Raises KnowledgeError if the file is missing or damaged."""
    path = location()
    try:
        document = json.loads(read(path, limit=MOST))
        labs = {name: Lab(name, **row) for name, row in document["kernels"].items()}
        records = {name: _record(name, row, labs) for name, row in document["records"].items()}
        return Records(records, document["barred"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"cannot be read: {error}; python -m lab fold makes it again"
        raise KnowledgeError([(path, problem)]) from error


def _record(name: str, row: dict[str, Any], labs: Mapping[str, Lab]) -> Measured:
    tunable, _, member = row["tunable"].partition(".")
    windows = [Window(window, n, more, by) for window, (n, more, by) in row["windows"].items()]
    windows.sort(key=lambda window: (-abs(window.share or window.difference), window.name))
    boot = Window("boot", row["boot"][0], row["boot"][1], 0) if row["boot"] else None
    return Measured(
        name, labs[row["kernel"]], tunable, member, row["value"],
        tuple(row["against"].split(" or ")), tuple(row["words"]),
        tuple((path, text) for path, text in row["writes"]), row["seeds"], tuple(windows),
        tuple(row["none"]), boot, row["memory"],
        tuple((symbol, value) for symbol, value in row.get("lines", ())),
    )  # fmt: skip
