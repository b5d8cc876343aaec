"""Where a kernel tree defines a name that a rule is written for, and what is read there."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from advisor.lint.csource.source import KernelSource, c_files, read_source
from advisor.lint.csource.sysctls import declares
from advisor.model.condition_parser import parse
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.tree.files import TreeFiles
    from advisor.tree.kerneltree import KernelTree

# Sysctls stand in these folders first: a whole tree takes ten times as long.
_FOLDERS = ("kernel", "mm", "fs", "net", "")
_RANGE = re.compile(r"(-?\w+) (-?\w+)(?: if .*)?")
# The type of a parameter by the type in C, of which one is the kernel's own reading of a truth.
_TYPES = {
    "bool": "bool", "invbool": "bool", "bint": "bool", "charp": "string", "string": "string",
    **dict.fromkeys(("byte", "short", "ushort", "int", "uint", "long", "ulong", "ullong"), "int"),
}  # fmt: skip


class Definition(NamedTuple):
    """The source of a name; where that is told, its condition and what it takes."""

    kind: str
    path: str
    anchor: str
    release: str
    requires: str = ""
    takes: str = ""

    @property
    def place(self) -> str:
        """As a line of `sources` has it."""
        return f"{self.kind} {self.path}#{self.anchor}@{self.release}"


def of_symbol(symbol: str, tree: KernelTree) -> Definition | None:
    """Where the tree defines a symbol, with its dependencies and its range; None if nowhere."""
    facts = tree.about(symbol)
    if facts is None:
        return None
    one = next((d for d in facts.definitions if d.prompt), facts.definitions[0])
    ranges = [" to ".join(m.groups()) for text in facts.ranges if (m := _RANGE.fullmatch(text))]
    takes = ranges[0] if ranges else ""
    needed = _condition(one.prompt_condition if one.prompt else one.depends)
    return Definition("kconfig", one.where.path, symbol, _release(tree.files), needed, takes)


def of_sysctl(name: str, files: TreeFiles) -> Definition | None:
    """Where the tree has the entry of a sysctl; None if no table of it was found."""
    own = name.rpartition(".")[2]
    for folder in _FOLDERS:
        for path in c_files(files.root, folder):
            if declares(read_source(os.path.join(files.root, path)), name):
                return Definition("code", path, own, _release(files))
    return None


def of_parameter(name: str, arch: str, files: TreeFiles) -> Definition | None:
    """Where the tree reads a boot parameter, with the type that the code gives; None if nowhere."""
    found = KernelSource(files).parsed(name, arch)
    if not found:
        return None
    one, own = found[0], name.rpartition(".")[2]
    takes = "flag" if one.type == "flag" else _TYPES.get(one.type, "")
    return Definition("code", one.where.path, own, _release(files), takes=takes)


def _condition(depends: str) -> str:
    """What Kconfig demands, as rules write it; nothing where it demands nothing."""
    text = re.sub(r"\s*(!=|<=|>=|=|<|>)\s*", r" \1 ", depends)
    if text in ("", "y"):
        return ""
    try:
        parse(text, {})
    except ValueError:
        return f"TODO: as a condition of rules: {depends}"
    return text


def _release(files: TreeFiles) -> str:
    """The release that the tree is of, without its patch level."""
    from advisor.tree.files import version_of

    major, minor, _ = version_of(files).numbers
    return f"{major}.{minor}"
