"""Which module a source file belongs to, as its makefile tells: the name before its parameters."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator

from advisor.errors import TreeError
from advisor.inputs.treefiles import TreeFiles

# `name-y += a.o b.o`, `name-objs := ...`, `name-$(CONFIG_X) += ...`
_RULE = re.compile(r"^([\w.-]+?)-(?:objs|y|m|\$\(\w+\))\s*[:+?]?=\s*(.*)$")
_VARIABLE = re.compile(r"^(\w+)\s*[:?]?=\s*(\S*)\s*$")
_INCLUDE = re.compile(r"^-?include\s+(?:\$\(srctree\)/)?(\S+)$")
# Lists of a folder, which name no module of several files.
_LISTS = frozenset(("obj", "lib", "subdir", "always", "extra", "targets", "hostprogs", "ccflags"))


class ModuleNames:
    """The module of each source file of a tree; makefiles are read when first needed."""

    def __init__(self, files: TreeFiles) -> None:
        self._files = files
        self._composites: dict[str, dict[str, str]] = {}

    def of(self, path: str) -> str:
        """The module's name, dashes as underscores; that of the file where it stands alone."""
        stem = path.rpartition(".")[0]
        folder = posixpath.dirname(path)
        found = ""
        while folder and not found:
            found = self._of_folder(folder).get(stem, "")
            folder = posixpath.dirname(folder)
        return (found or posixpath.basename(stem)).replace("-", "_")

    def _of_folder(self, folder: str) -> dict[str, str]:
        """By source file without its ending: the module that a folder's makefile puts it in."""
        if folder not in self._composites:
            self._composites[folder] = dict(self._listed(folder))
        return self._composites[folder]

    def _listed(self, folder: str) -> Iterator[tuple[str, str]]:
        variables: dict[str, str] = {}
        for line in self._lines(folder):
            if variable := _VARIABLE.match(line):
                variables.setdefault(variable[1], variable[2])
            rule = _RULE.match(line)
            if rule is None or rule[1] in _LISTS:
                continue
            for word in rule[2].split("#")[0].split():
                path = _expanded(word, variables)
                if path.endswith(".o"):
                    here = posixpath.normpath(posixpath.join(folder, path[:-2]))
                    # A file that others include names its objects as seen from theirs.
                    yield here.removeprefix("../"), rule[1]

    def _lines(self, folder: str) -> Iterator[str]:
        """The makefile's lines, continued ones joined, with those of files that it includes."""
        for name in ("Kbuild", "Makefile", f"Makefile.{posixpath.basename(folder)}"):
            path = f"{folder}/{name}"
            if not os.path.isfile(os.path.join(self._files.root, path)):
                continue
            for line in self._joined(path):
                include = _INCLUDE.match(line)
                yield from self._joined(include[1]) if include else [line]

    def _joined(self, path: str) -> list[str]:
        try:
            text = self._files.text(path) if self._files.has(path) else ""
        except TreeError:  # a makefile that is no file of the tree names no module
            return []
        return text.replace("\\\n", " ").split("\n")


def _expanded(word: str, variables: dict[str, str]) -> str:
    for name, value in variables.items():
        word = word.replace(f"$({name})", value)
    return word
