"""docs/evidence/acceptance.md, from what acceptance.py found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .remedies import COUNTED

HEAD = """\
# Many trees, every architecture

`make acceptance FOLDER=...` holds the advisor against every kernel tree of a folder, by the
tree's own `conf` and `merge_config.sh`, and prints this page. An architecture is configured with
its cross compiler where there is one, else with the host's answers, which the configuration
records.

## The evaluation of a tree

For each tree and architecture: the default, smallest, all-off and all-module configurations and
random ones with the seeds from 1000 on, as `conf` made them. **Wrong** are symbols that come out
otherwise when the advisor evaluates the same tree with the same file.

| tree | architecture | configurations | lines | wrong |
|---|---|---:|---:|---:|
"""
SURVIVAL = """
## What becomes of fragments

For each tree and architecture the fragments of all profiles, down to `could`, for the default
configuration: with the rules' own facts (database) and with the tree. **Advices** are those that
a rebuild answers, or nothing; **planned** those that the fragment answers. **Lost** are lines of
a fragment that do not hold after `merge_config.sh` and `make olddefconfig`, **second** lines that
a second fragment would have, **platform** symbols of the machine itself (architecture, boards, 64
bits, MMU, SMP, byte order, page size) that moved; none of these should be. **Features** are
settings with a prompt that went off without a line of their own.

| tree | architecture | facts | advices | planned | lines | lost | second | platform | features |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|
"""
CHECKED = """
## What `check` says

For each tree and architecture the fragments that the tree has itself (`kernel/configs`,
`arch/*/configs`), on the default configuration. Each line has to come to what `check` says; each
**remedy** is applied with `merge_config.sh` and `make olddefconfig`, alone and with all others of
the fragment, and has to hold then with its line, as have lines that come **with others**.

| tree | architecture | fragments | lines | dropped | remedies | with others | wrong |
|---|---|---:|---:|---:|---:|---:|---:|
"""
COLUMNS = ("advices", "planned", "lines", "lost", "second", "platform", "features")


def page(rows: Iterable[dict[str, Any]]) -> str:
    """The page, in the order of versions."""
    rows = sorted(rows, key=_place)
    conformance = [row for row in rows if row["kind"] == "conformance"]
    survival = [row for row in rows if row["kind"] in ("database", "model")]
    checks = [row for row in rows if row["kind"] == "check"]
    faults = [
        f"- {row['tree']}, {row['arch']}, {row['kind']}: {fault}"
        for row in rows
        for fault in row["faults"]
    ]
    return "".join((
        HEAD,
        *(_evaluated(row) for row in conformance),
        *([SURVIVAL] if survival else []),
        *(_survived(row) for row in survival),
        *([CHECKED] if checks else []),
        *(_checked(row) for row in checks),
        *(["\n## What does not hold\n\n", "\n".join(faults), "\n"] if faults else []),
    ))  # fmt: skip


def _place(row: dict[str, Any]) -> tuple[list[int], str, str, str]:
    return list(map(int, row["version"].split("."))), row["tree"], row["arch"], row["kind"]


def _evaluated(row: dict[str, Any]) -> str:
    numbers = f"{row['configurations']} | {row['symbols']:,} | {len(row['faults'])}"
    return f"| {row['tree']} | {row['arch']} | {numbers} |\n"


def _survived(row: dict[str, Any]) -> str:
    numbers = " | ".join(str(row[name]) for name in COLUMNS)
    facts = "tree" if row["kind"] == "model" else row["kind"]
    return f"| {row['tree']} | {row['arch']} | {facts} | {numbers} |\n"


def _checked(row: dict[str, Any]) -> str:
    numbers = " | ".join(str(row[name]) for name in COUNTED)
    return f"| {row['tree']} | {row['arch']} | {numbers} | {len(row['faults'])} |\n"
