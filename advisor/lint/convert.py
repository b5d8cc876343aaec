"""Rewrites rules and profiles of an older form in the form of today.

Tables of examples and of sources become lines, keys and tables get their form of today, the
interpretation that keeps a module off becomes the key `module`, and marks of remarks become kinds.
A file that would not say the same as before stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from advisor.errors import KnowledgeError
from advisor.files import write_atomically
from advisor.knowledge.documents import Document, Problem
from advisor.knowledge.files import KnowledgeFile, toml_of
from advisor.knowledge.load import compile_examples
from advisor.knowledge.violations import AN_OLDER_KEY, violations
from advisor.lint.convertexamples import said, with_lines, with_sources
from advisor.lint.convertkeys import with_keys
from advisor.lint.convertmodule import with_module
from advisor.lint.converttables import with_tables
from advisor.lint.lint import files_of


class Converted(NamedTuple):
    """A file that was rewritten, and how many lines it had and has."""

    path: str
    before: int
    after: int


def convert(path: str) -> list[Converted]:
    """Rewrites a file, or those of a folder, as `lint` takes them, and tells which.

    Raises KnowledgeError where a file is wrong or cannot be read, before it writes any, and
    afterwards for what has to be rewritten by hand; OutputError.
    """
    files = files_of(path)
    texts = [(file, file.content.decode("utf-8"), converted(file)) for file in files]
    changed = [(file.path, old, new) for file, old, new in texts if old != new]
    for name, _, new in changed:
        write_atomically(name, new)
    left = [problem for file, _, new in texts for problem in _left(file, new)]
    if left:
        raise KnowledgeError(left)
    return [Converted(name, old.count("\n"), new.count("\n")) for name, old, new in changed]


def _left(file: KnowledgeFile, text: str) -> Iterator[Problem]:
    """The older keys that a rewritten file still has."""
    file = file._replace(content=text.encode("utf-8"))
    for place, message in violations(file, toml_of(file)):
        if AN_OLDER_KEY in message:
            yield (
                place,
                f"{message.partition(' instead ')[0]} by hand, because no program can convert it",
            )


def converted(file: KnowledgeFile) -> str:
    """The text of a file in the form of today.

    Raises KnowledgeError where the file is no TOML, or does not fit its schema.
    """
    toml, text = toml_of(file), file.content.decode("utf-8")
    wrong = [one for one in violations(file, toml) if AN_OLDER_KEY not in one[1]]
    if wrong or (wrong := compile_examples(file, toml)):
        raise KnowledgeError(wrong)
    for step in (with_sources, with_lines, with_keys):
        new = step(file.kind, text, toml_of(file))
        if said(file.kind, _read(file, new)) == said(file.kind, toml_of(file)):
            file, text = file._replace(content=new.encode("utf-8")), new
    text = with_tables(file.kind, text, _read(file, text))
    return with_module(text, _read(file, text)) if file.kind == "tunable" else text


def _read(file: KnowledgeFile, text: str) -> Document:
    return toml_of(file._replace(content=text.encode("utf-8")))
