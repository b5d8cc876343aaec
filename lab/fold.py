"""What the product is given of the records: what follows from the counts, and nothing typed.

`advisor/knowledge/data/measured.json` is written from the records alone; a rule names a record, and
the loader finds the figures there. Its format stands in advisor/knowledge/measured.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from advisor.knowledge import folders, measured

from . import barred, carries, together
from .effects import BOOT, SPREADS, effects, memory, size, starting
from .fragment import OPTION
from .record import Record, all_of, kernels
from .settings import CONTROL, TOGETHER

RULES = Path(__file__).parents[1] / "rules"
# Architectures as the rules call them, by what qemu does.
_ARCHES = {"x86_64": "x86", "aarch64": "arm64"}


def document() -> dict[str, Any]:
    """All that the product is given."""
    found: dict[str, Any] = {"kernels": {}, "barred": barred.reasons()}
    found.update(records={}, together={})
    for kernel in kernels():
        base, *others = all_of(kernel)
        found["kernels"][kernel] = {
            "release": base.made.release, "package": base.made.package,
            "arch": arch_of(base), "qemu": base.made.qemu,
            "takes": {one.window: round(one.without, 1) for one in effects(base, base)},
        }  # fmt: skip
        by_name = {record.name: record for record in others}
        for record in others:
            if record.setting.tunable == TOGETHER:
                row = at_once(base, record, by_name)
                found["together"][f"{kernel}/{record.name}"] = row
            # Of an option that no tunable is about, the product has nothing to say.
            elif record.setting != CONTROL and not record.setting.tunable.startswith(OPTION):
                found["records"][f"{kernel}/{record.name}"] = folded(base, record)
    return found


def arch_of(record: Record) -> str:
    """The architecture of the machine that qemu was, as the rules call it."""
    name = record.made.machine.split()[0].removeprefix("qemu-system-")
    return _ARCHES.get(name, name)


def at_once(base: Record, record: Record, singles: Mapping[str, Record]) -> dict[str, Any]:
    """Several settings at once: by window what an operation takes without any, what their own
    records add up to, and what all of them come to, in kernel instructions."""
    rows = together.checked(base, record, singles)
    return {
        "kernel": record.made.kernel,
        "members": list(record.members),
        "windows": {
            one.window: [round(n, 1) for n in (one.without, one.summed, one.measured)]
            for one in rows
        },
    }


def folded(base: Record, record: Record) -> dict[str, Any]:
    """One record: by window what an operation takes without the setting, the difference, and what
    seeds differ by, all in kernel instructions; a window without an effect has no row."""
    every = list(effects(base, record))
    setting = record.setting
    return {
        "kernel": record.made.kernel,
        "tunable": setting.tunable,
        "value": setting.value,
        "against": setting.against,
        "words": list(setting.words),
        "writes": [list(pair) for pair in setting.writes],
        **({"lines": [list(pair) for pair in setting.lines]} if setting.lines else {}),
        "seeds": len(record.seeds),
        "windows": {
            one.window: [round(n, 1) for n in (one.without, one.difference, one.spread)]
            for one in every
            if one.found
        },
        "none": [one.window for one in every if not one.found],
        "boot": _boot(base, record),
        "memory": memory(base, record),
        **({"size": [sides[0], sides[1] - sides[0]]} if (sides := size(record)) else {}),
        **({"carries": told} if (told := carries.terms(record)) else {}),
    }


def _boot(base: Record, record: Record) -> list[int] | None:
    """Instructions until the first window, without and more, where that is an effect."""
    before, after = starting(base, record)
    sides = [[count.kernel for count in one.boot] for one in (base, record)]
    spread = max(max(side) - min(side) for side in sides) / 1e6
    if abs(after - before) <= max(SPREADS * spread, BOOT * before):
        return None
    return [round(before * 1e6), round((after - before) * 1e6)]


def text() -> str:
    """The document as its file has it: a line for each kernel, reason and record."""
    parts = []
    for name, rows in document().items():
        lines = (f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in sorted(rows.items()))
        parts.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write() -> None:
    """Writes the document, and has each tunable's file name its records."""
    Path(folders.data(measured.FILE)).write_text(text())
    for path, names in uncited():
        path.write_text(cited(path.read_text(), names))


def uncited() -> Iterator[tuple[Path, list[str]]]:
    """The rule files that lack the name of a record of theirs, with those names."""
    wanted: dict[str, list[str]] = {}
    for name, row in document()["records"].items():
        wanted.setdefault(row["tunable"].partition(".")[0], []).append(name)
    for path in sorted(RULES.rglob("*.toml")):
        known = wanted.get(path.stem, ())
        content = path.read_text() if known else ""
        lacking = [name for name in known if f'"record {name}"' not in content]
        if lacking:
            yield path, sorted(lacking)


def cited(content: str, names: list[str]) -> str:
    """A rule file with these records named among its effects."""
    rows = "".join(f'    "record {name}",\n' for name in names)
    content = re.sub(r"^effects = \[(\S.*)\]$", r"effects = [\n    \1,\n]", content, flags=re.M)
    if found := re.search(r"^effects = \[\n(?:.*\n)*?(?=\]$)", content, re.M):
        return content[: found.end()] + rows + content[found.end() :]
    table = re.search(r"^(?:#.*\n)*\[\[?[a-z]", content, re.M)
    at = table.start() if table else len(content)
    behind = f"\n{content[at:]}" if table else ""
    return f"{content[:at].rstrip()}\neffects = [\n{rows}]\n{behind}"
