"""What trees and running kernels tell of /sys, for the table of its files."""

from __future__ import annotations

import os
from itertools import chain

from advisor.errors import InputError
from advisor.knowledge.sysfs import Sysfs
from advisor.lint.csource.attributes import attributes
from advisor.model.kernel import KernelVersion, parse_version
from advisor.tree.files import TreeFiles

_ABI = "Documentation/ABI"
# What tells of a machine's devices, and of nothing that a kernel is set by.
_SKIPPED = ("/sys/devices/p", "/sys/devices/LNX", "/sys/bus/", "/sys/firmware/", "/sys/kernel/irq/",
            "/sys/kernel/slab/", "/sys/kernel/debug/tracing/", "/sys/kernel/tracing/",
            "/sys/kernel/notes", "/sys/kernel/btf/")  # fmt: skip
_SECTIONS = ("/sections/", "/notes/", "/holders/")


def add_described(files: TreeFiles, version: KernelVersion, table: Sysfs) -> None:
    """Adds the files that the tree's documents describe, if it has these. Raises TreeError."""
    if not files.has(_ABI):
        return
    folders = [f"{_ABI}/{name}" for name in files.names(_ABI)]
    below = (here for here in folders if os.path.isdir(os.path.join(files.root, here)))
    texts = (files.text(f"{here}/{name}") for here in below for name in files.names(here))
    # `What:` has several paths in some files, the further ones in lines of their own.
    paths = {
        word
        for row in chain(*(text.split("\n") for text in texts))
        if row.startswith(("What:", "\t\t/sys/", "                /sys/"))
        for word in row.split()
        if word.startswith("/sys/")
    }
    if paths:
        table.add(f"{version.text} {_ABI}", paths)


def add_made(files: TreeFiles, version: KernelVersion, table: Sysfs) -> None:
    """Adds the files that the tree's C source makes, as far as their folder is told there."""
    if paths := {*attributes(files)}:
        table.add(f"{version.text} C", paths)


def add_listing(text: str, where: str, table: Sysfs) -> None:
    """Adds what a running kernel showed: its `uname -r`, then paths. Raises InputError."""
    first, *paths = text.replace("\r", "").split("\n")
    release = first.removeprefix("Linux ").strip()
    try:
        parse_version(release)
    except ValueError as error:
        hint = "make this file with: (uname -r; find /sys -type f)"
        raise InputError(
            "does not begin with a kernel's version", where=where, hint=hint
        ) from error
    kept = (path for path in paths if path.startswith("/sys/") and not path.startswith(_SKIPPED))
    table.add(f"{release} /sys", (p for p in kept if not any(part in p for part in _SECTIONS)))
