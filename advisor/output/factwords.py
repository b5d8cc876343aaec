"""The sentences about a kernel, its machine, and the sums of a report, for all formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.model.kernel import NOTHING_INFERRED, Inferred, KernelVersion, Machine
from advisor.model.report import Hardened
from advisor.model.saying import HYPERVISORS
from advisor.model.summary import Cell, Effort, Row
from advisor.output.phrases import counted

if TYPE_CHECKING:
    from advisor.model.tree import TreeUse

_FEW = 4
"""How many names a line has room for."""
_WAYS = {
    "now": "now",
    "boot": "at the next boot",
    "rebuild": "by a rebuild",
    "none": "with no remedy",
}


def kernel(
    version: KernelVersion | None, arch: str | None, inferred: Inferred = NOTHING_INFERRED
) -> str:
    """Return version and architecture, or what the symbols show of them: `Linux 6.12.117, x86`."""
    by = f" (by its symbols, such as {inferred.symbol})" if inferred.symbol else ""
    bounds = (("newer than", inferred.after), ("older than", inferred.before))
    known = " and ".join(f"{than} {bound.text}" for than, bound in bounds if bound)
    not_told = f"(version not known{f'; by its symbols {known}' * bool(known)})"
    return (
        f"Linux {version.text if version else not_told}, {arch or '(architecture not known)'}{by}"
    )


def machine(facts: Machine, built: str = "") -> str:
    """Return the facts of a machine beside its architecture; `built` is the vendor's symbol."""
    under = HYPERVISORS.get(facts.hypervisor or "")
    guest = f"a virtual machine under {under}" if under else "a virtual machine"
    metal = f"bare metal (the control domain of {under})" if under else "bare metal"
    virtual = {"guest": guest, "no": metal}
    efi = {"y": "booted by EFI", "n": "booted without EFI"}
    texts = (
        counted(facts.cpus, "CPU") if facts.cpus is not None else "",
        f"isolated {facts.isolate}" if facts.isolate else "",
        counted(facts.nodes, "NUMA node") if facts.nodes is not None else "",
        f"{facts.memory // 2**20} MiB of memory" if facts.memory is not None else "",
        f"{facts.shared_memory // 2**20} MiB of it shared" if facts.shared_memory else "",
        f"vendor {facts.vendor}{f' (only {built} is built)' * bool(built)}" * bool(facts.vendor),
        virtual.get(facts.virtual or "", ""),
        efi.get(facts.efi or "", ""),
    )
    return ", ".join(filter(None, texts))


def hardened(item: Hardened) -> str:
    """Return that a subject is hardened as a whole, with the first settings that show it."""
    more = [f"{len(item.settings) - _FEW} more"] if len(item.settings) > _FEW else []
    names = ", ".join((*item.settings[:_FEW], *more))
    return (
        f"the kernel has {len(item.settings)} of {item.total} recommended "
        f"settings that few distributions have ({names}). Advice against a recommended "
        "setting is at most 'could', except in profiles that weaken protection on purpose"
    )


def proof(grade: str, use: TreeUse | None) -> str:
    """Return what a grade of proof rests on."""
    if use is None:
        return "from the rules' own facts; no kernel tree was read"
    if grade == "kbuild":
        return "checked with the tree's own merge_config.sh and conf"
    ran = "its compiler checks were run" if use.ran else "no program of the tree was run"
    return f"from the tree's Kconfig; {ran}"


def to_do(efforts: Sequence[Effort], unknown: int = 0, unread: int = 0) -> str:
    """Return how many changes each effort makes: `3 now, 4 by a rebuild; 2 more are optional`; if
    none is due, how much is not known beside that.

    Of what must be set at run time, `unread` are the settings whose value no input shows.
    """
    parts = [f"{one.due} {_WAYS[one.way]}" for one in efforts if one.due]
    parts += [f"{unread} at run time (current value not known)"] * bool(unread)
    due = ", ".join(parts)
    optional = sum(one.could for one in efforts)
    if due:
        more = f"; {optional} more {'is' if optional == 1 else 'are'} optional"
        return due + more * bool(optional)
    could = ", ".join(f"{one.could} {_WAYS[one.way]}" for one in efforts if one.could)
    open_ = f" ({unknown} not known)" * bool(unknown)
    return f"nothing required{open_}; optional: {could}" if could else f"nothing{open_}"


def matrix(rows: Iterable[Row]) -> tuple[list[str], list[list[str]]]:
    """Return a table of profiles by areas: its columns and its rows; no columns if nothing differs.

    A row has the id of a profile, how many settings of each area must or should change, and how
    many could.
    """
    rows = list(rows)
    names = sorted({cell.area for row in rows for cell in row.cells})
    table = []
    for row in rows:
        cells = {cell.area: cell for cell in row.cells}
        numbers = [number([cells[name]] if name in cells else []) for name in names]
        table.append([row.profile, *numbers, str(sum(cell.could for cell in row.cells))])
    return ([*names, "could"] if names else []), table


def number(cells: Sequence[Cell]) -> str:
    """Return how many settings must or should change, with `!` if one must."""
    due = sum(cell.due for cell in cells)
    return f"{due}{'!' * any(cell.must for cell in cells)}" if due else "."


def areas(row: Row) -> str:
    """Return what a profile would change, most first: `boot 2, memory 3 (1 must), 4 could`."""
    ranked = sorted((c for c in row.cells if c.due), key=lambda cell: (-cell.due, cell.area))
    parts = [f"{c.area} {c.due}{f' ({c.must} must)' * bool(c.must)}" for c in ranked]
    if could := sum(cell.could for cell in row.cells):
        parts.append(f"{could} could")
    return ", ".join(parts) or "nothing differs"
