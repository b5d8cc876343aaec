"""Rules and profiles checked: schemas, references, examples."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from advisor.errors import KnowledgeError
from advisor.knowledge.load import Documents, compile_folders
from advisor.knowledge.references import check_references
from advisor.knowledge.store import Knowledge, derived
from advisor.lint.answers import check_answers
from advisor.lint.causes import check_causes
from advisor.lint.examples import check_examples
from advisor.lint.known import check_known


def lint(directories: Iterable[str], *, symbols: bool = True) -> str:
    """Checks the built-in knowledge, or these directories over it; the sum, in one line.

    A directory holds rules, or profiles, or has `rules/` and `profiles/` below it. Without
    `symbols`, what no kernel read has is left to the trees that are asked next.
    Raises KnowledgeError with every problem of the first check that finds some.
    """
    knowledge, documents = read(directories)
    check_references(knowledge, documents)
    known = partial(check_known, symbols=symbols)
    # Examples come last, as they cannot run where a name means nothing.
    for check in (known, check_causes, check_answers, check_examples):
        if problems := list(check(knowledge, documents)):
            raise KnowledgeError(problems)
    examples = sum(map(len, documents.examples.values()))
    counts = f"{len(documents.tunables)} tunables, {len(documents.parameters)} parameters"
    return f"{counts}, {len(documents.profiles)} profiles, {examples} examples: all right"


def read(directories: Iterable[str]) -> tuple[Knowledge, Documents]:
    """Reads the knowledge, and the documents in question: the built-in ones or those in
    directories.

    Raises KnowledgeError if a file does not fit its schema.
    """
    from advisor.knowledge import folders, index

    directories = list(directories)
    if directories:
        rules, profiles = sorted_out(directories)
        knowledge = index.load(rules, profiles)
    else:
        rules, profiles = ([path] for path in folders.roots()[:2])
        knowledge = None  # made of the documents below, so that they are read once
    documents = compile_folders(rules, profiles, check=True)
    if knowledge is None:
        sections = {s: getattr(documents, s) for s in index.SECTIONS}
        knowledge = Knowledge({**sections, **derived(sections)})
    return knowledge, documents


def sorted_out(directories: list[str]) -> tuple[list[str], list[str]]:
    """Sorts these directories, or what they have in them, into folders of rules and of profiles."""
    import os

    rules, profiles = [], []
    for directory in directories:
        below = [os.path.join(directory, name) for name in ("rules", "profiles")]
        if any(map(os.path.isdir, below)):
            rules += [below[0]] if os.path.isdir(below[0]) else []
            profiles += [below[1]] if os.path.isdir(below[1]) else []
        elif os.path.basename(os.path.normpath(directory)) == "profiles":
            profiles.append(directory)
        else:
            rules.append(directory)
    return rules, profiles
