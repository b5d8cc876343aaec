"""Sources held against a kernel tree: which of them are of it, and where their anchors stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from advisor.errors import TreeError
from advisor.knowledge import sources
from advisor.knowledge.documents import Documents
from advisor.knowledge.lines import Lines
from advisor.knowledge.store import Knowledge
from advisor.lint.anchors import line_of
from advisor.lint.view import Checked, Contradiction
from advisor.model.kernel import KernelVersion
from advisor.model.numbers import version_numbers
from advisor.tree.files import TreeFiles

Source = dict[str, Any]
_SECTIONS = (
    "notes", "profiles", "products", "parameters", "names", "renames", "facts", "readers",
    "components",
)  # fmt: skip
_FACTS = ("boot-line ", "firmware-word ")
"""The facts whose sources reports link to, so that their lines are learnt."""
_SERIES = "debian/patches/series"
_PATCHED = re.compile(r"^\+\+\+ [^/\s]+/(\S+)", re.MULTILINE)


class Cited(NamedTuple):
    """A source of a rule in the tree; `rule` is as a Contradiction names it."""

    rule: str
    kind: str
    path: str
    anchor: str
    kernel: str

    @property
    def name(self) -> str:
        """As the rule has it: the path, and the anchor behind `#`."""
        return f"{self.path}#{self.anchor}" if self.anchor else self.path


def cited(documents: Documents) -> Iterator[Cited]:
    """Yields the sources of these documents that name a path of a tree."""
    for rule, document in documents.rules():
        yield from _cited(rule, document)


def all_cited(knowledge: Knowledge) -> Iterator[Cited]:
    """Yields the sources of all knowledge that name a path of a tree, without their rules."""
    for section in _SECTIONS:
        for name in knowledge.ids(section):
            if section == "facts" and not name.startswith(_FACTS):
                continue
            document = knowledge.document(section, name) or {}
            for holder, _ in sources.holders(document):
                yield from _cited("", holder)


def _cited(rule: str, document: Source) -> Iterator[Cited]:
    for source in document.get("source", ()):
        if source["kind"] in sources.TREE:
            path = source["ref"].partition(":")[0]
            anchor = source.get("anchor", "")
            yield Cited(rule, source["kind"], path, anchor, source["kernel"])


def of_release(kernel: str, version: KernelVersion) -> bool:
    """Whether a source of that kernel is of this tree: 6.12 of any 6.12.x, 6.12.5 of itself."""
    numbers = version_numbers(kernel)
    exact = (*numbers, 0)[:3] == version.numbers
    return exact or (len(numbers) == 2 and numbers == version.numbers[:2])


def source_facts(documents: Documents, files: TreeFiles, version: KernelVersion) -> Checked:
    """Checks that every source of this release names a file of the tree, and an anchor that is
    in it.

    Where a tree has no C source, or no documents, it is no witness of those; of a file that is not
    there only a whole tree is, which has the list of maintainers.
    """
    whole = files.has("MAINTAINERS")
    witness = {
        "kconfig": True,
        "code": files.has("init/main.c"),
        "doc": files.has("Documentation/admin-guide"),
    }
    for one in cited(documents):
        if witness[one.kind] and of_release(one.kernel, version):
            there = files.has(one.path)
            if there or whole or one.kind == "kconfig":
                yield _source_fact(one, files)


def _source_fact(one: Cited, files: TreeFiles) -> Contradiction | None:
    says = f"the rule cites {one.name}"
    try:
        text = files.text(one.path)
    except TreeError:
        return Contradiction("source", one.rule, one.name, says, f"the tree has no file {one.path}")
    if one.anchor and line_of(one.path, text, one.anchor) is None:
        return Contradiction("source", one.rule, one.name, says, f"{one.path} has no {one.anchor}")
    return None


def learn_lines(
    anchored: Iterable[Cited], files: TreeFiles, version: KernelVersion, table: Lines
) -> str:
    """Puts the lines of the anchors of this release into the table, in place of what it had; a
    reason where the tree cannot tell them, else nothing.
    """
    wanted = {
        (one.path, one.anchor) for one in anchored if one.anchor and of_release(one.kernel, version)
    }
    # A patch moves the lines behind it: those of the release are not known then.
    patched = _patched(files)
    if not wanted or patched is None:
        return "the patches of its distribution are not in debian/patches" if wanted else ""
    rows = {}
    for path, anchor in sorted(wanted):
        if files.has(path) and (line := line_of(path, files.text(path), anchor)):
            rows[path, anchor] = 0 if path in patched else line
    if rows:
        # One row of lines a series: links open at the newest that was read.
        series = version.numbers[:2]
        for release in [r for r in table.releases if version_numbers(r)[:2] == series]:
            del table.releases[release]
        table.releases[version.text] = rows
    return ""


def _patched(files: TreeFiles) -> frozenset[str] | None:
    """Lists the files that the tree's distribution has patched; None where it does not say
    which."""
    if not files.has(_SERIES):
        # Debian's packaged source has its patches applied, and says so in its Makefile alone.
        return None if "DISTRIBUTION" in files.text("Makefile") else frozenset()
    rows = (row.partition("#")[0].split() for row in files.text(_SERIES).split("\n"))
    patches = [row[0] for row in rows if row]
    texts = (files.text(f"debian/patches/{name}") for name in patches)
    return frozenset(path for text in texts for path in _PATCHED.findall(text))
