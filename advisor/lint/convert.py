"""Rewrites rules and profiles of an older form in the form of today.

Tables of examples become lines, and the interpretation that keeps a module off becomes the key
`module`. A file that would not say the same as before stays as it is.
"""

from __future__ import annotations

from typing import NamedTuple

from advisor.errors import KnowledgeError
from advisor.files import write_atomically
from advisor.knowledge.load import (
    EXAMPLES,
    Document,
    KnowledgeFile,
    compile_examples,
    parse,
    profile_files,
    rule_files,
    violations,
)
from advisor.lint.convertexamples import said, with_lines
from advisor.lint.convertmodule import with_module
from advisor.lint.lint import sorted_out


class Converted(NamedTuple):
    """A file that was rewritten, and how many lines it had and has."""

    path: str
    before: int
    after: int


def convert_folder(folder: str) -> list[Converted]:
    """Rewrites the files of a folder, as `lint` takes it, and tells which.

    Raises KnowledgeError where a file is wrong or cannot be read, before it writes any, and
    OutputError.
    """
    rules, profiles = sorted_out([folder])
    files = [file for path in rules for file in rule_files(path)]
    files += [file for path in profiles for file in profile_files(path)]
    texts = [(file.path, file.content.decode("utf-8"), converted(file)) for file in files]
    changed = [(path, old, new) for path, old, new in texts if old != new]
    for path, _, new in changed:
        write_atomically(path, new)
    return [Converted(path, old.count("\n"), new.count("\n")) for path, old, new in changed]


def converted(file: KnowledgeFile) -> str:
    """The text of a file in the form of today.

    Raises KnowledgeError where the file is no TOML, or does not fit its schema.
    """
    toml, text = parse(file), file.content.decode("utf-8")
    if file.kind not in EXAMPLES:
        return text
    if problems := list(violations(file, toml)) or compile_examples(file, parse(file)):
        raise KnowledgeError(problems)
    new = with_lines(text, file.kind, toml)
    if said(file.kind, _read(file, new)) == said(file.kind, toml):
        text = new
    return with_module(text, _read(file, text)) if file.kind == "tunable" else text


def _read(file: KnowledgeFile, text: str) -> Document:
    return parse(file._replace(content=text.encode("utf-8")))
