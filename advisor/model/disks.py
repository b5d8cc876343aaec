"""Kinds of disks, by what a kernel calls them and by whether it takes them for turning."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.record import NamedTuple

_ONE_AND_MANY = {
    "nvme": ("NVMe disk", "NVMe disks"),
    "virtual": ("virtual disk", "virtual disks"),
    "card": ("SD or eMMC disk", "SD or eMMC disks"),
    "combined": ("disk made of other disks", "disks made of other disks"),
    "rotating": ("rotating disk", "rotating disks"),
    "solid-state": ("solid-state disk", "solid-state disks"),
    "scsi": ("SCSI or SATA disk", "SCSI or SATA disks"),
    "other": ("other device", "other devices"),
}
# The names that drivers give (drivers/nvme/host/core.c#nvme_alloc_ns, drivers/block/virtio_blk.c,
# drivers/block/xen-blkfront.c, drivers/mmc/core/block.c, drivers/md/{dm,md}.c; read in 6.12). What
# hosts say of a virtual disk's turning is their default and tells nothing.
_BY_NAME = (
    (re.compile(r"nvme\d"), "nvme"),
    (re.compile(r"x?vd[a-z]"), "virtual"),
    (re.compile(r"mmcblk\d"), "card"),
    (re.compile(r"(?:dm-|md)[0-9_]"), "combined"),
)


KINDS = tuple(_ONE_AND_MANY)


def called(kinds: Iterable[str]) -> str:
    """Disks of these kinds in words: `rotating disks or NVMe disks`."""
    return " or ".join(_ONE_AND_MANY[kind][1] for kind in kinds)


class OfKind(NamedTuple):
    """How many disks of a kind show a value; `kind` is one of `kind_of`."""

    kind: str
    value: str
    number: int


def kind_of(name: str, rotational: str) -> str:
    """The kind of the disk of that name below /sys/block: by its driver, and of those that SCSI and
    SATA have by what queue/rotational shows (`scsi` where that was not told).

    >>> kind_of("nvme0n1", "0"), kind_of("sda", "1"), kind_of("vda", "1")
    ('nvme', 'rotating', 'virtual')
    """
    for expression, kind in _BY_NAME:
        if expression.match(name):
            return kind
    if re.match(r"[sh]d[a-z]", name):
        return {"1": "rotating", "0": "solid-state"}.get(rotational, "scsi")
    return "other"


def spread(kinds: Iterable[tuple[str, str, int]]) -> str:
    """What is on which disks, those of a kind together: triples of kind, value in words, count.

    >>> spread([("nvme", "none", 3), ("nvme", "bfq", 1), ("rotating", "bfq", 2)])
    'none on 3 of 4 NVMe disks, bfq on 1; bfq on 2 rotating disks'
    """
    by_kind: dict[str, dict[str, int]] = {}
    for kind, value, count in kinds:
        values = by_kind.setdefault(kind, {})
        values[value] = values.get(value, 0) + count
    ordered = sorted(by_kind, key=lambda kind: -sum(by_kind[kind].values()))
    return "; ".join(shares(by_kind[kind].items(), *_ONE_AND_MANY[kind]) for kind in ordered)


def shares(counts: Iterable[tuple[str, int]], one: str = "", many: str = "") -> str:
    """What is on how many of several things, that first which is on most; what such a thing is
    called, and several of them.

    >>> shares([("powersave", 1), ("performance", 31)])
    'performance on 31 of 32, powersave on 1'
    """
    (first, most), *others = sorted(counts, key=lambda pair: -pair[1])
    total = most + sum(count for _, count in others)
    of = f"{most} of {total}" if others else str(total)
    head = f"{first} on {of} {many if total > 1 else one}".rstrip()
    return ", ".join((head, *(f"{value} on {count}" for value, count in others)))
