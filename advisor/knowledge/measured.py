"""What the lab's records say (data/measured.json, written by `python -m lab fold` alone).

Format: `kernels` by short name (release, package, arch, qemu, and what an operation of each window
takes), `barred` tunables with the reason why none is measured, and `records` by name,
KERNEL/TUNABLE=VALUE: tunable, value, against, words, writes, number of seeds; `lines` of a fragment
where another kernel was built; `windows` with [without, difference, spread] in kernel instructions
an operation where there is an effect, `none` the windows without; `boot` [without, difference] in
kernel instructions, and `memory` in kB, or null; `size` [without, difference] in bytes, and
`carries` where its value alone does not say how far it carries over. `together` are records of
several settings at once (`members`), by window [without, the sum of their own records, measured].
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from advisor.errors import KnowledgeError
from advisor.files import MOST, read
from advisor.knowledge import folders
from advisor.model.measured import Lab, Measured, Terms, Together, Total, Window

FILE = "measured.json"


class Records:
    """All records, decoded when they are asked for: an audit asks for those of few tunables. The
    document is that of the file; of `path` it was read, for what is wrong in it."""

    def __init__(self, document: dict[str, Any], path: str) -> None:
        self._path = path
        with _damage(path):
            self.barred: Mapping[str, str] = document["barred"]
            self._rows: dict[str, dict[str, Any]] = document["records"]
            self._together: dict[str, dict[str, Any]] = document["together"]
            self._labs = {
                name: Lab(name, **{**row, "takes": tuple(row["takes"].items())})
                for name, row in document["kernels"].items()
            }
            self._names: dict[str, list[str]] = defaultdict(list)
            for name, row in self._rows.items():
                self._names[row["tunable"].partition(".")[0]].append(name)

    @cached_property
    def by_name(self) -> Mapping[str, Measured]:
        """All records. Raises KnowledgeError."""
        with _damage(self._path):
            return {name: _record(name, row, self._labs) for name, row in self._rows.items()}

    @cached_property
    def together(self) -> tuple[Together, ...]:
        """The records of several settings at once. Raises KnowledgeError."""
        with _damage(self._path):
            return tuple(_together(n, row, self._labs) for n, row in self._together.items())

    def of(self, tunable: str) -> tuple[Measured, ...]:
        """The records of a tunable and the members of a group, by name. Raises KnowledgeError."""
        names = self._names.get(tunable, ())
        with _damage(self._path):
            return tuple(_record(name, self._rows[name], self._labs) for name in names)

    def problem(self, name: str, tunable: str) -> str:
        """Finds what is wrong with a record that a tunable names; empty where nothing is."""
        if why := self.barred.get(tunable):
            return f"{tunable} cannot be measured: {why}"
        if name not in self._rows:
            return f"there is no record {name!r}; python -m lab run makes one, lab fold adds it"
        of = self._rows[name]["tunable"].partition(".")[0]
        return "" if of == tunable else f"the record {name!r} is about {of}, not about {tunable}"


def built_in() -> Records:
    """What was measured. Raises KnowledgeError if the file is missing or damaged."""
    path = folders.data(FILE)
    with _damage(path):
        document = json.loads(read(path, limit=MOST))
    return Records(document, path)


@contextmanager
def _damage(path: str) -> Iterator[None]:
    """Tells what is wrong in the file as such. Raises KnowledgeError."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"cannot be read: {error}; python -m lab fold makes it again"
        raise KnowledgeError([(path, problem)]) from error


def _terms(row: dict[str, Any]) -> Terms:
    return Terms(**{**row, "same": tuple(row.get("same", ()))})


def _together(name: str, row: dict[str, Any], labs: Mapping[str, Lab]) -> Together:
    windows = tuple(Total(window, *figures) for window, figures in row["windows"].items())
    return Together(name, labs[row["kernel"]], tuple(row["members"]), windows)


def _record(name: str, row: dict[str, Any], labs: Mapping[str, Lab]) -> Measured:
    tunable, _, member = row["tunable"].partition(".")
    windows = [Window(window, n, more, by) for window, (n, more, by) in row["windows"].items()]
    windows.sort(key=lambda window: (-abs(window.share or window.difference), window.name))
    boot, size = (
        Window(key, pair[0], pair[1], 0) if (pair := row.get(key)) else None
        for key in ("boot", "size")
    )
    return Measured(
        name, labs[row["kernel"]], tunable, member, row["value"],
        tuple(row["against"].split(" or ")), tuple(row["words"]),
        tuple((path, text) for path, text in row["writes"]), row["seeds"], tuple(windows),
        tuple(row["none"]), boot, row["memory"], size,
        tuple((symbol, value) for symbol, value in row.get("lines", ())),
        _terms(row.get("carries", {})),
    )  # fmt: skip
