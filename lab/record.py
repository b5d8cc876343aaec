"""Records: what was counted, as data that nobody types (lab/records/KERNEL/TUNABLE=VALUE.json).

A record holds raw counts. What follows of them is computed when somebody asks (effects.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from advisor.errors import InputError

from .run import Count, Run
from .settings import NOTHING, Setting
from .witness import Seen

SCHEMA = 1
RECORDS = Path(__file__).parent / "records"
_FUNCTIONS = 10
_MEMORY = ("MemTotal", "Slab", "SUnreclaim", "KernelStack", "PageTables", "Percpu")


class Made(NamedTuple):
    """With what: `release`, `package` and digest of the kernel, `qemu` and its words, digests of
    the guest's programs and of the plugin."""

    kernel: str
    release: str
    package: str
    image: str
    initramfs: str
    plugin: str
    qemu: str
    machine: str


class Built(NamedTuple):
    """What tells another image from that of the kernel as it is: its digest, the options that
    differ (with the values of both, `n` for "is not set", empty for none at all), and bytes by kind
    without the setting and with it."""

    image: str
    moved: tuple[tuple[str, str, str], ...]
    sizes: Mapping[str, tuple[int, int]]


class Counted(NamedTuple):
    """One window: for each seed, each repetition's counts."""

    operations: int
    counts: tuple[tuple[Count, ...], ...]


class Record(NamedTuple):
    """One setting on one kernel, or (without a tunable) the kernel as it is.

    `functions` are, by window, those whose instructions differ most from the kernel as it is, with
    the instructions of all seeds and repetitions without the setting and with it; iterations of
    string instructions are among them. `ran` are, by window, those that the setting changes, with
    how often they ran in it without the setting and with it, of all repetitions of all seeds; a
    file has it where there are such. `memory` is in kB, when all was counted, for each seed.
    `built` is told where the setting is another image's; `made` is of the kernel as it is.
    `members` are, by name, the settings of a record of several at once, with what shows that each
    was in effect.
    """

    setting: Setting
    made: Made
    seeds: tuple[int, ...]
    witness: Seen | None
    boot: tuple[Count, ...]
    memory: tuple[Mapping[str, int], ...]
    windows: Mapping[str, Counted]
    functions: Mapping[str, Sequence[tuple[str, int, int]]] = {}
    ran: Mapping[str, Sequence[tuple[str, int, int]]] = {}
    built: Built | None = None
    members: Mapping[str, Seen] = {}

    @property
    def image(self) -> str:
        """The digest of the image that was started with the setting."""
        return self.built.image if self.built else self.made.image

    @property
    def name(self) -> str:
        """As its file is called."""
        return self.setting.name if self.setting.tunable else "as-it-is"

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return RECORDS / self.made.kernel / f"{self.name}.json"


def record_of(
    setting: Setting, made: Made, runs: Mapping[int, Run], witness: Seen | None = None
) -> Record:
    """From the runs, by seed."""
    every = list(runs.values())
    windows = {
        name: Counted(window.operations, tuple(run.windows[name].counts for run in every))
        for name, window in every[0].windows.items()
    }
    return Record(
        setting, made, tuple(runs), witness, tuple(run.boot for run in every),
        tuple(memory_of(run) for run in every), windows,
    )  # fmt: skip


def memory_of(run: Run) -> dict[str, int]:
    """The kernel's memory in kB, by the names of /proc/meminfo."""
    fields = (line.split() for line in run.shown.get("/proc/meminfo", ()))
    return {f[0].rstrip(":"): int(f[1]) for f in fields if f[0].rstrip(":") in _MEMORY}


def differing(
    without: Sequence[Run], with_it: Sequence[Run], windows: Sequence[str]
) -> dict[str, list[tuple[str, int, int]]]:
    """For each of these windows the functions that differ most, over the same seeds."""
    found = {}
    for name in windows:
        before, after = ({}, {})  # type: tuple[dict[str, int], dict[str, int]]
        for into, runs in ((before, without), (after, with_it)):
            for run in runs:
                for function, number in run.windows[name].functions.items():
                    into[function] = into.get(function, 0) + number
        rows = [(f, before.get(f, 0), after.get(f, 0)) for f in {**before, **after}]
        rows.sort(key=lambda row: (-abs(row[2] - row[1]), row[0]))
        found[name] = [row for row in rows[:_FUNCTIONS] if row[1] != row[2]]
    return found


def ran(
    without: Sequence[Run], with_it: Sequence[Run], functions: Sequence[str]
) -> dict[str, list[tuple[str, int, int]]]:
    """For each window in which one of these functions ran, how often it did: over all runs."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    for name in without[0].windows:
        for function in functions:
            before, after = (
                sum(run.windows[name].times.get(function, 0) for run in runs)
                for runs in (without, with_it)
            )
            if before or after:
                found.setdefault(name, []).append((function, before, after))
    return found


def only_one_ran(
    without: Sequence[Run], with_it: Sequence[Run], most: int = 3
) -> dict[str, list[tuple[str, int, int]]]:
    """For each window functions that only one of two images ran, and that in each repetition: the
    code that the setting brings, or takes away. The first names, as many as `most`."""
    found = {}
    for name, window in without[0].windows.items():
        every = len(window.counts) * len(without)
        sides = [_times(runs, name) for runs in (without, with_it)]
        alone = (
            (function, sides[0].get(function, 0), sides[1].get(function, 0))
            for function in sorted({**sides[0], **sides[1]})
        )
        rows = [row for row in alone if {row[1], row[2]} == {0, every}]
        if rows:
            found[name] = rows[:most]
    return found


def _times(runs: Sequence[Run], window: str) -> dict[str, int]:
    total: Counter[str] = Counter()
    for run in runs:
        total.update(run.windows[window].times)
    return total


def write(record: Record) -> Path:
    """Into its file, a line for each window."""
    record.path.parent.mkdir(parents=True, exist_ok=True)
    record.path.write_text(text_of(record))
    return record.path


def text_of(record: Record) -> str:
    """As the file has it."""
    setting = record.setting
    top: dict[str, Any] = {
        "schema": SCHEMA,
        "tunable": setting.tunable,
        "value": setting.value,
        "against": setting.against,
        "words": setting.words,
        "writes": setting.writes,
        **({"lines": setting.lines} if setting.lines else {}),
        "line": setting.line_on(record.made.kernel),
        "made": record.made._asdict(),
        "seeds": record.seeds,
        "witness": record.witness._asdict() if record.witness else None,
        "boot": record.boot,
        "memory": record.memory,
    }
    if record.built:
        top["built"] = record.built._asdict()
    if record.members:
        top["members"] = {name: seen._asdict() for name, seen in record.members.items()}
    if not setting.tunable:
        top = {key: top[key] for key in top if key not in _OF_SETTING}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in top.items()]
    rows = {name: [w.operations, w.counts] for name, w in record.windows.items()}
    lines.append(_table("windows", rows))
    lines.append(_table("functions", record.functions))
    if record.ran:
        lines.append(_table("ran", record.ran))
    return "{\n" + ",\n".join(lines) + "\n}\n"


# What a record of the kernel as it is does not have.
_OF_SETTING = {"tunable", "value", "against", "words", "writes", "witness"}


def _table(name: str, rows: Mapping[str, Any]) -> str:
    inner = ",\n".join(f"    {json.dumps(key)}: {json.dumps(row)}" for key, row in rows.items())
    return f"  {json.dumps(name)}: {{\n{inner}\n  }}" if inner else f"  {json.dumps(name)}: {{}}"


def read(path: Path) -> Record:
    """The record of a file. Raises InputError where it is none, or of another schema."""
    try:
        data = json.loads(path.read_text())
        if data["schema"] != SCHEMA:
            raise InputError(f"schema {data['schema']}, not {SCHEMA}", where=str(path))
        return _read(data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"no record: {type(error).__name__} {error}", where=str(path)) from error


def _read(data: dict[str, Any]) -> Record:
    setting = NOTHING
    if "tunable" in data:
        setting = Setting(
            data["tunable"], data["value"], data["against"], tuple(data["words"]),
            tuple((path, text) for path, text in data["writes"]),
            tuple((symbol, value) for symbol, value in data.get("lines", ())),
        )  # fmt: skip
    windows = {
        name: Counted(operations, tuple(tuple(Count(*c) for c in seed) for seed in counts))
        for name, (operations, counts) in data["windows"].items()
    }
    return Record(
        setting, Made(**data["made"]), tuple(data["seeds"]),
        Seen(**data["witness"]) if data.get("witness") else None,
        tuple(Count(*count) for count in data["boot"]), tuple(data["memory"]), windows,
        _rows(data["functions"]), _rows(data.get("ran", {})), _built(data.get("built")),
        {name: Seen(**seen) for name, seen in data.get("members", {}).items()},
    )  # fmt: skip


def _built(data: dict[str, Any] | None) -> Built | None:
    if data is None:
        return None
    sizes = {name: (before, after) for name, (before, after) in data["sizes"].items()}
    return Built(data["image"], tuple((s, a, b) for s, a, b in data["moved"]), sizes)


def _rows(data: dict[str, Any]) -> dict[str, list[tuple[str, int, int]]]:
    return {name: [(f, a, b) for f, a, b in rows] for name, rows in data.items()}


def all_of(kernel: str) -> list[Record]:
    """All records of one kernel, that of the kernel as it is first."""
    paths = sorted((RECORDS / kernel).glob("*.json"))
    records = (_as_it_stands(path, path.stat().st_mtime_ns) for path in paths)
    return sorted(records, key=lambda record: record.setting.tunable)


@cache
def _as_it_stands(path: Path, changed: int) -> Record:
    """The record of a file, read once as long as that does not change."""
    return read(path)


def kernels() -> list[str]:
    """The kernels that there are records of."""
    return sorted(path.name for path in RECORDS.glob("*") if path.is_dir())
