"""TOML files to compiled documents.

A compiled document is the TOML with its conditions parsed and its examples taken out: plain data
that the index stores as JSON. A wrong file is reported with every problem, as `path:line`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from advisor.errors import MOST_PROBLEMS, KnowledgeError
from advisor.inputs.open import InputName
from advisor.knowledge import folders, lines, module, sources
from advisor.knowledge.documents import LISTS, PARTS, Document, Documents, Problem
from advisor.knowledge.files import (
    REPOSITORY,
    KnowledgeFile,
    content_of,
    profile_files,
    rule_files,
    software_files,
    toml_of,
)
from advisor.knowledge.sources import Defaults
from advisor.knowledge.tomltext import Path, locate
from advisor.knowledge.violations import table_of, violations
from advisor.model import condition_parser
from advisor.model.condition_parser import Named

Report = Callable[[Path, str], None]
_CONDITIONS = frozenset(
    ("only_if", "unless", "requires", "when", "needs", "early", "closed", "guards")
)
"""The keys of conditions, beside those that end in `_only_if`."""
_MAPS = (
    "component.names", "component.exclusive", "component.waits", "default", "function.needs",
    "function.instead", "parameter.words",
)  # fmt: skip
"""The tables whose values are all conditions; an empty one always holds."""
EXAMPLES = {
    "tunable": ("", "effective"),
    "profile": ("advice", "verdict"),
    "parameters": ("parameter", "diagnostics"),
    "software": ("function", "answer"),
}
"""The kinds of files with examples: the list whose tables have them, none where the file itself
has, and the key of an example's result."""
KINDS_OF_REMARKS = {"partly-void": ("void", "still"), "covered": ("void", "met")}
"""The kinds of remarks that are another kind with a mark, as the model has them."""


def compile_folders(
    rules: Iterable[InputName],
    profiles: Iterable[InputName],
    software: Iterable[InputName] = (),
    *,
    check: bool,
) -> Documents:
    """The documents of these folders of rules, of profiles and of programs. Raises
    KnowledgeError."""
    files = [file for folder in rules for file in rule_files(folder)]
    files += [file for folder in profiles for file in profile_files(folder)]
    files += [file for folder in software for file in software_files(folder)]
    return compile_files(files, check=check)


def compile_files(files: Iterable[KnowledgeFile], *, check: bool) -> Documents:
    """The documents of these files; with `check`, validated against the schemas.

    Raises KnowledgeError naming every problem of every file.
    """
    documents, problems = compiled(files, check=check)
    if problems:
        raise KnowledgeError(problems)
    return documents


def compiled(files: Iterable[KnowledgeFile], *, check: bool) -> tuple[Documents, list[Problem]]:
    """Likewise the documents of those files that are right, and what is wrong with the others."""
    documents = Documents.empty()
    problems: list[Problem] = []
    defaults: dict[str, Defaults] = {}
    # What holds for a folder is known before its other files are read.
    for file in sorted(files, key=lambda file: file.kind != "repository"):
        try:
            toml = toml_of(file)
        except KnowledgeError as error:
            problems += error.problems
            continue
        misfits = list(violations(file, toml)) if check else []
        problems += misfits
        if misfits:
            continue
        if file.kind == "repository":
            own, wrong = _defaults(file, toml, built_in_defaults())
            defaults[file.folder] = own
            problems += wrong
        else:
            own = defaults.get(file.folder) or built_in_defaults()
            problems += _compile(file, toml, documents, own)
    return documents, problems


@functools.cache
def built_in_defaults() -> Defaults:
    """Reads the `repository.toml` of the built-in rules and programs, which also hold for folders
    of users without one. Raises KnowledgeError."""
    own = Defaults("", "", {})
    for folder in (folders.roots()[0], folders.software()):
        path = os.path.join(folder, REPOSITORY)
        if folder == folders.software() and not os.path.isfile(path):
            continue  # a small checkout has no programs
        file = KnowledgeFile("repository", path, "", content_of(path))
        own, problems = _defaults(file, toml_of(file), own)
        if problems:
            raise KnowledgeError(problems)
    return own


def _defaults(
    file: KnowledgeFile, toml: Document, others: Defaults
) -> tuple[Defaults, list[Problem]]:
    """Reads a `repository.toml` over the defaults of another one, and finds what is wrong with
    it.

    A condition may name those above it, and those of the others.
    """
    conditions, problems = dict(others.conditions), []
    for name, text in toml.get("conditions", {}).items():
        try:
            conditions[name] = condition_parser.parse(text, conditions)
        except ValueError as error:
            line = locate(file.content.decode("utf-8"), ("conditions", name))
            problems.append((f"{file.path}:{line}", f"conditions.{name}: {error}"))
    return others._replace(**{**toml, "conditions": conditions}), problems


def _compile(
    file: KnowledgeFile, toml: Document, documents: Documents, defaults: Defaults
) -> list[Problem]:
    problems: list[Problem] = []
    text = documents.texts[file.path] = file.content.decode("utf-8")

    def wrong(path: Path, message: str) -> None:
        problems.append((f"{file.path}:{locate(text, path)}", message))

    problems += compile_examples(file, toml)
    _expand(file.kind, toml, defaults, wrong)
    for kind, name, table, document, path in _entries(file, toml, documents):
        if name in table:
            rule = f"{kind}/{name}"
            wrong(path, f"{name!r} is defined twice, first in {documents.places[rule]}")
        table[name] = document
        # What is for lint alone.
        if "touches" in document:
            documents.touches[name] = document.pop("touches")
        if kind == "software":
            documents.lists[name] = list(document.pop("lists", {}).values())
        parts: list[tuple[str, Document, Path]] = [(f"{kind}/{name}", document, path)]
        key = PARTS.get(kind, "")
        for index, part in enumerate(document[key] if key else ()):
            parts.append((f"{kind}/{name}/{part['id']}", part, (key, index, "id")))
        for rule, part, at in parts:
            documents.examples[rule] = part.pop("example", [])
            documents.places[rule] = f"{file.path}:{locate(text, at)}"
    return problems


def _entries(
    file: KnowledgeFile, toml: Document, documents: Documents
) -> Iterator[tuple[str, str, dict[str, Document], Document, Path]]:
    """Yields what a file defines: the kind of rule, its name, the table to put it in, the
    document, its place."""
    if file.kind == "tunable":
        yield "tunable", toml["id"], documents.tunables, {"area": file.area, **toml}, ()
    elif file.kind == "profile":
        yield "profile", toml["id"], documents.profiles, toml, ()
    elif file.kind == "software":
        yield "software", toml["id"], documents.programs, toml, ()
    elif file.kind == "modules":
        for symbol, names in toml.items():
            document = {"names": names.split()}
            yield "modules", symbol, documents.modules, document, (symbol,)
    for kind, field, called in LISTS.get(file.kind, ()):
        for number, entry in enumerate(toml.get(kind, ())):
            yield kind, called(entry, number), getattr(documents, field), entry, (kind, number)


def _expand(kind: str, toml: Document, defaults: Defaults, wrong: Report) -> None:
    """Replaces short keys, conditions and lines of sources by what they stand for."""
    if kind == "parameters":
        expand_parameters(toml)
    elif kind == "successors":
        _compile_successors(toml, wrong)
    elif kind == "tunable":
        toml["verified"] = defaults.verified
        try:
            module.expand(toml)
        except ValueError as error:
            wrong(("module",), f"module: {error}")
    _compile_conditions(toml, (), defaults.conditions, wrong)
    _compile_sources(toml, defaults, wrong)
    for table in ("advice", "value", "member"):
        for entry in toml.get(table, ()):
            entry.pop("work", None)  # per operation: only `lab check` compares it with records


def _compile_sources(toml: Document, defaults: Defaults, wrong: Report) -> None:
    """Puts a table in `source` for each line of `sources`."""
    for holder, path in list(sources.holders(toml)):
        tables = []
        for index, line in enumerate(holder.pop("sources", ())):
            try:
                tables.append(sources.parse(line))
            except ValueError as error:
                wrong((*path, "sources", index), f"sources: {error}")
        holder["source"] = [sources.compiled(t, defaults, lines.built_in().find) for t in tables]


def compile_examples(file: KnowledgeFile, toml: Document) -> list[Problem]:
    """Puts a table in `example` for each line of `examples`; what is wrong with these."""
    from advisor.knowledge import examplelines

    problems = []
    text = file.content.decode("utf-8")
    for holder, path, key in example_holders(file.kind, toml):
        tables = []
        for item in holder.pop("examples", ()):
            try:
                tables.append(examplelines.parse(item, key))
            except examplelines.ExampleError as error:
                start = locate(text, (*path, "examples"))
                line, column = examplelines.position(text, start, item, error.offset)
                place = f"{file.path}:{line}:{column}" if column else f"{file.path}:{line}"
                problems.append((place, f"examples: {error}"))
                if len(problems) > MOST_PROBLEMS:  # each is looked up in the whole file
                    return problems
                tables.append({})
        if tables:
            holder["example"] = tables
    return problems


def expand_parameters(toml: Document) -> None:
    """Writes out what short keys of boot parameters stand for."""
    for parameter in toml.get("parameter", ()):
        for remark in parameter.get("remark", ()):
            if remark["kind"] in KINDS_OF_REMARKS:
                remark["kind"], mark = KINDS_OF_REMARKS[remark["kind"]]
                remark[mark] = True


def example_holders(kind: str, toml: Document) -> Iterator[tuple[Document, Path, str]]:
    """The tables of a file that may have examples, the keys that lead to each, and the key of the
    result in its examples."""
    if kind not in EXAMPLES:
        return
    table, key = EXAMPLES[kind]
    if not table:
        yield toml, (), key
    for number, entry in enumerate(toml.get(table, ()) if table else ()):
        yield entry, (table, number), key


def _compile_successors(toml: Document, wrong: Report) -> None:
    """Replaces every line by a document of it, which stays text until one is asked for."""
    from advisor.knowledge import successors

    for kind, parse in (("successor", successors.parse), ("split", successors.parse_split)):
        for index, line in enumerate(toml.get(kind, ())):
            try:
                parse(line)
            except ValueError as error:
                wrong((kind, index), f"{kind}: {error}")
        toml[kind] = [{"line": line} for line in toml.get(kind, ())]


def _compile_conditions(node: Any, path: Path, named: Named, wrong: Report) -> None:
    """Replaces every condition below `node` by its parsed form."""
    if isinstance(node, list):
        for index, part in enumerate(node):
            _compile_conditions(part, (*path, index), named, wrong)
    elif isinstance(node, dict):
        is_map = table_of(path) in _MAPS
        for key, part in [*node.items()]:
            is_condition = key in _CONDITIONS or key.endswith("_only_if") or is_map
            if isinstance(part, str) and is_condition:
                try:
                    node[key] = condition_parser.parse(part, named) if part or not is_map else None
                except ValueError as error:
                    wrong((*path, key), f"{key}: {error}")
            elif key != "example":
                _compile_conditions(part, (*path, key), named, wrong)
