"""Which module a source file belongs to, as its makefile tells: the name before its parameters."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator

from advisor.errors import TreeError
from advisor.tree.files import TreeFiles

# `name-y += a.o b.o`, `name-objs := ...`, `name-$(CONFIG_X) += ...`
_RULE = re.compile(r"^[ \t]*([\w.-]+?)-(?:objs|y|m|\$\(\w+\))\s*[:+?]?=\s*(.*)$")
_VARIABLE = re.compile(r"^[ \t]*(\w+)\s*([:+?]?=)\s*(.*)$")
# `name-y += $(other-y)`: what is listed as the other's belongs to this one.
_LISTED = re.compile(r"^\$\(([\w.-]+)-(?:objs|y|m)\)$")
_INCLUDE = re.compile(r"^-?include\s+((?:\$\(\w+\)/)*)(\S+)$")
_DEEPEST = 5  # files that include each other; nouveau's are three deep
# A variable may name another twice, which names another twice, ...
_LONGEST = 1 << 16
_LONGEST_VALUE = 1 << 13
# Lists of a folder, which name no module of several files.
_LISTS = frozenset(("obj", "lib", "subdir", "always", "extra", "targets", "hostprogs", "ccflags"))


class ModuleNames:
    """The module of each source file of a tree; makefiles are read when first needed."""

    def __init__(self, files: TreeFiles) -> None:
        self._files = files
        # By folder, then by source file without its ending: the module of several files.
        self._composites: dict[str, dict[str, str]] = {}
        self._built: set[str] = set()

    def of(self, path: str) -> str:
        """The module's name, dashes as underscores; that of the file where it stands alone."""
        stem = path.rpartition(".")[0]
        folder = posixpath.dirname(path)
        module = ""
        while folder and not module:
            if folder not in self._composites:
                self._composites[folder] = dict(self._listed(folder))
            module = self._composites[folder].get(stem, "")
            folder = posixpath.dirname(folder)
        return (module or posixpath.basename(stem)).replace("-", "_")

    def builds(self, path: str) -> bool:
        """Whether a makefile lists the file: one that only others include is listed in none."""
        self.of(path)
        return path.rpartition(".")[0] in self._built

    def _listed(self, folder: str) -> Iterator[tuple[str, str]]:
        owners: dict[str, str] = {}
        # The whole makefile first, which fills in the owners.
        for path, module in list(self._rules(folder, owners)):
            owner = module
            for _ in owners:  # which may belong to others in turn
                owner = owners.get(owner, owner)
            yield path, owner

    def _rules(self, folder: str, owners: dict[str, str]) -> Iterator[tuple[str, str]]:
        """Lists what the makefile has under each name, and notes which name belongs to another."""
        variables: dict[str, str] = {}
        for line in self._lines(folder):
            if variable := _VARIABLE.match(line):
                name, sign, value = variable.groups()
                before = variables.get(name, "") if sign == "+=" else ""
                value = f"{before} {_expanded(value, variables)}".strip()
                variables[name] = value[:_LONGEST_VALUE]
            rule = _RULE.match(line)
            if rule is None:
                continue
            for path in _expanded(rule[2].split("#")[0], variables).split():
                if listed := _LISTED.match(path):
                    # Those of a folder's list stand alone.
                    owners[listed[1]] = "" if rule[1] in _LISTS else rule[1]
                elif path.endswith(".o"):
                    here = posixpath.normpath(posixpath.join(folder, path[:-2]))
                    self._built.add(here)
                    if rule[1] not in _LISTS:
                        # A file that others include names its objects as seen from theirs.
                        yield here.removeprefix("../"), rule[1]

    def _lines(self, folder: str) -> Iterator[str]:
        """Lists the makefile's lines, continued ones joined, with those of files that it
        includes."""
        for name in ("Kbuild", "Makefile", f"Makefile.{posixpath.basename(folder)}"):
            path = f"{folder}/{name}"
            if os.path.isfile(os.path.join(self._files.root, path)):
                yield from self._with_included(path, folder, _DEEPEST)

    def _with_included(self, path: str, folder: str, depth: int) -> Iterator[str]:
        for line in self._joined(path):
            include = _INCLUDE.match(line) if depth else None
            if include:
                named = posixpath.join(folder if "$(src)" in include[1] else "", include[2])
                yield from self._with_included(named, folder, depth - 1)
            else:
                yield line

    def _joined(self, path: str) -> list[str]:
        try:
            text = self._files.text(path) if self._files.has(path) else ""
        except TreeError:  # a makefile that is no file of the tree names no module
            return []
        return text.replace("\\\n", " ").split("\n")


def _expanded(text: str, variables: dict[str, str]) -> str:
    for name, value in variables.items() if "$(" in text else ():
        text = text.replace(f"$({name})", value)[:_LONGEST]
    return text
