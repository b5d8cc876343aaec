"""Rules and profiles checked: schemas, references, examples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from advisor.errors import KnowledgeError
from advisor.knowledge import folders, index, schema
from advisor.knowledge.derive import derived
from advisor.knowledge.documents import Documents, Problem, file_of
from advisor.knowledge.files import (
    KnowledgeFile,
    loose_file,
    profile_files,
    rule_files,
    software_files,
)
from advisor.knowledge.load import compiled
from advisor.knowledge.references import check_references
from advisor.knowledge.store import Knowledge
from advisor.lint.answers import check_answers
from advisor.lint.causes import check_causes
from advisor.lint.examples import check_examples
from advisor.lint.known import check_known
from advisor.lint.requirements import check_lists

Check = Callable[[Knowledge, Documents], Iterable[Problem] | None]

_FILES = {"rules": rule_files, "profiles": profile_files, "software": software_files}
"""The folders of knowledge by name, with what reads the files of each."""


class Read(NamedTuple):
    """What is checked: the documents in question, with all the knowledge behind them.

    `files` are the files that problems are told of; None is any.
    """

    knowledge: Knowledge
    documents: Documents
    files: frozenset[str] | None

    def concerns(self, place: str) -> bool:
        """Whether a problem at that place is told."""
        return self.files is None or file_of(place) in self.files


def lint(paths: Iterable[str], *, symbols: bool = True) -> str:
    """Checks the built-in knowledge, or these folders and files over it; the sum, in one line.

    A folder holds rules, profiles or programs, or has `rules/`, `profiles/` and `software/` below
    it. Without `symbols`, what no kernel read has is left to the trees that are asked next.
    Raises KnowledgeError with every problem.
    """
    known = read(paths)
    documents = known.documents
    # Examples come last, as they cannot run where a name means nothing.
    for check in (
        check_references,
        partial(check_known, symbols=symbols),
        check_causes,
        check_answers,
        check_lists,
        check_examples,
    ):
        try:
            problems = [*(check(known.knowledge, known.documents) or ())]
        except KnowledgeError as error:
            problems = [*error.problems]
        if problems := [one for one in problems if known.concerns(one[0])]:
            raise KnowledgeError(problems)
    examples = sum(map(len, documents.examples.values()))
    counts = f"{len(documents.tunables)} tunables, {len(documents.parameters)} parameters"
    counts += f", {len(documents.profiles)} profiles"
    if documents.programs:
        counts += f", {len(documents.programs)} programs"
    return f"{counts}, {examples} examples: all right"


def read(paths: Iterable[str]) -> Read:
    """What these folders and files hold, or without any the built-in knowledge.

    With a file the others of its folder of rules are read, of which nothing is told: not even what
    is wrong with them. Raises KnowledgeError if a file in question does not fit its schema.
    """
    schema.need()
    paths = list(paths)
    single = {os.path.realpath(path): path for path in paths if os.path.isfile(path)}
    directories = [path for path in paths if not os.path.isfile(path)]
    asked = {*chain(*_sorted_out(directories).values())}
    built_in = folders.roots()[:2]
    found = _folders([*directories, *single.values()] or [os.path.dirname(built_in[0])])
    around = {*found.kinds["rules"]} - asked
    whole = not paths or any(os.path.realpath(path) in built_in for path in around)
    files = [
        one._replace(path=single.get(os.path.realpath(one.path), one.path)) for one in found.files()
    ]
    only = {*single.values(), *(one.path for one in files if one.folder in asked)}
    documents, problems = compiled(files, check=True)
    known = Read(Knowledge({}), documents, frozenset(only) if single else None)
    if problems := [one for one in problems if known.concerns(one[0])]:
        raise KnowledgeError(problems)
    if whole:  # made of the documents, so that they are read once
        sections = index.sections(documents)
        knowledge = Knowledge({**sections, **derived(sections)})
    else:
        knowledge = index.with_built_in(documents)
    return known._replace(
        knowledge=knowledge, documents=documents.of_files(only) if single else documents
    )


def files_of(path: str) -> list[KnowledgeFile]:
    """The file of that path, or the files of a folder of rules, of profiles, of programs, or of all
    of them."""
    files = _folders([path]).files()
    if os.path.isfile(path):
        return [one._replace(path=path) for one in files if os.path.samefile(one.path, path)]
    return files


class _Folders(NamedTuple):
    """Folders of each kind, and files that are in none."""

    kinds: dict[str, list[str]]
    loose: Sequence[str]

    def files(self) -> list[KnowledgeFile]:
        """What is in the folders, then the loose files."""
        found = (_FILES[kind](path) for kind, paths in self.kinds.items() for path in paths)
        return [*chain(*found), *map(loose_file, self.loose)]


def _folders(paths: Sequence[str]) -> _Folders:
    """The folders that these paths are, or have in them, or for files those around them."""
    kinds = _sorted_out([path for path in paths if not os.path.isfile(path)])
    loose = []
    for path in filter(os.path.isfile, paths):
        if above := _folder_of(path):
            for kind, known in kinds.items():
                known.extend(_new(os.path.join(above, kind), known))
        else:
            loose.append(path)
    return _Folders(kinds, loose)


def _folder_of(path: str) -> str:
    """The folder whose `rules`, `profiles` or `software` a file is in; nothing if in none."""
    above, _ = os.path.split(os.path.abspath(path))
    while os.path.basename(above) not in (*_FILES, ""):
        above = os.path.dirname(above)
    return os.path.dirname(above) if os.path.basename(above) else ""


def _new(folder: str, known: list[str]) -> list[str]:
    """The folder, if it is there and not known yet."""
    seen = any(os.path.realpath(one) == os.path.realpath(folder) for one in known)
    return [folder] if os.path.isdir(folder) and not seen else []


def _sorted_out(directories: list[str]) -> dict[str, list[str]]:
    """These directories, or those below them, by the kind of knowledge they hold."""
    kinds: dict[str, list[str]] = {kind: [] for kind in _FILES}
    for directory in directories:
        below = [kind for kind in kinds if os.path.isdir(os.path.join(directory, kind))]
        for kind in below:
            kinds[kind].append(os.path.join(directory, kind))
        if not below:
            name = os.path.basename(os.path.normpath(directory))
            kinds[name if name in kinds else "rules"].append(directory)
    return kinds
