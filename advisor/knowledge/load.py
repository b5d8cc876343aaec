"""TOML files to compiled documents, and those to the model's types.

A compiled document is the TOML with its conditions parsed and its examples taken out: plain data
that the index stores as JSON. A wrong file is reported with every problem, as `path:line`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from advisor.errors import KnowledgeError
from advisor.files import TooLargeError, read
from advisor.knowledge import folders, lines, sources
from advisor.knowledge.sources import Defaults
from advisor.model import condition

Document = dict[str, Any]
Problem = tuple[str, str]
_CONDITIONS = (
    "when",
    "unless",
    "exists",
    "requires",
    "needs",
    "boot_when",
    "runtime_when",
    "first_when",
    "apart",
)

# The files at the top of a folder of rules that hold no tunable.
_TOP = ("names", "lifecycle", "commandline", "exceptions", "repository")
_REPOSITORY = "repository.toml"
_LARGEST = 1 << 20


class KnowledgeFile(NamedTuple):
    """One TOML file: what kind of knowledge it holds, where it is, and its bytes.

    `folder` is the folder of rules or profiles that it was found in, whose `repository.toml` holds
    for it.
    """

    kind: str
    path: str
    area: str
    content: bytes
    folder: str = ""


def rule_files(directory: str) -> Iterator[KnowledgeFile]:
    """The rule files below a directory, sorted. Raises KnowledgeError if it cannot be read."""
    for path in _toml_files(directory):
        area, _, name = os.path.relpath(path, directory).replace(os.sep, "/").rpartition("/")
        kind = "parameters" if area == "parameters" else "tunable"
        if not area and name.removesuffix(".toml") in _TOP:
            kind = name.removesuffix(".toml")
        yield KnowledgeFile(kind, path, area or "local", _content(path), directory)


def profile_files(directory: str) -> Iterator[KnowledgeFile]:
    """The profile files below a directory, sorted. Raises KnowledgeError if it cannot be read."""
    for path in _toml_files(directory):
        own = os.path.relpath(path, directory) == _REPOSITORY
        kind = "repository" if own else "profile"
        yield KnowledgeFile(kind, path, "", _content(path), directory)


def _toml_files(directory: str) -> list[str]:
    if not os.path.isdir(directory):
        raise KnowledgeError([(directory, "is no directory of rules or profiles")])
    found = []
    for folder, _, names in os.walk(directory):
        found += [os.path.join(folder, name) for name in names if name.endswith(".toml")]
    return sorted(found)


def _content(path: str) -> bytes:
    try:
        return read(path, limit=_LARGEST)
    except TooLargeError as error:
        problem = "is larger than a rule or profile can be (1 MiB)"
        raise KnowledgeError([(path, problem)]) from error
    except OSError as error:
        raise KnowledgeError([(path, f"cannot be read: {error.strerror}")]) from error


class Documents(NamedTuple):
    """All compiled documents by name; their examples and places by `kind/name`.

    `texts` are the files by path, in which lint finds the line of what it refuses; `touches` what a
    parameter says of the tunables whose state depends on it, for lint alone.
    """

    tunables: dict[str, Document]
    profiles: dict[str, Document]
    parameters: dict[str, Document]
    names: dict[str, Document]
    renames: dict[str, Document]
    limits: dict[str, Document]
    readers: dict[str, Document]
    exceptions: dict[str, Document]
    examples: dict[str, list[Document]]
    places: dict[str, str]
    texts: dict[str, str]
    touches: dict[str, list[str]]

    @classmethod
    def empty(cls) -> Documents:
        """No documents yet."""
        return cls(*({} for _ in cls._fields))


def compile_files(
    files: Iterator[KnowledgeFile] | list[KnowledgeFile], *, check: bool
) -> Documents:
    """The documents of these files; with `check`, validated against the schemas.

    Raises KnowledgeError naming every problem of every file.
    """
    documents = Documents.empty()
    problems: list[Problem] = []
    defaults: dict[str, Defaults] = {}
    # What holds for a folder is known before its other files are read.
    for file in sorted(files, key=lambda file: file.kind != "repository"):
        try:
            toml = parse(file)
        except KnowledgeError as error:
            problems += error.problems
            continue
        found = list(_checked(file, toml)) if check else []
        problems += found
        if found:
            continue
        if file.kind == "repository":
            defaults[file.folder] = built_in_defaults()._replace(**toml)
        else:
            own = defaults.get(file.folder) or built_in_defaults()
            problems += _compile(file, toml, documents, own)
    if problems:
        raise KnowledgeError(problems)
    return documents


@functools.cache
def built_in_defaults() -> Defaults:
    """What the repository of the built-in rules says for all files of theirs, and for folders of
    users that say nothing of the kind. Raises KnowledgeError.
    """
    path = os.path.join(folders.roots()[0], _REPOSITORY)
    file = KnowledgeFile("repository", path, "", _content(path))
    return Defaults(**parse(file))


def parse(file: KnowledgeFile) -> Document:
    """The TOML of a file. Raises KnowledgeError."""
    import tomli

    try:
        return tomli.loads(file.content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = file.content.count(b"\n", 0, error.start) + 1
        raise KnowledgeError([(f"{file.path}:{line}", "is not UTF-8")]) from error
    except (ValueError, RecursionError) as error:
        # Beside TOMLDecodeError, numbers too long and tables too deep.
        line = getattr(error, "lineno", 1)
        raise KnowledgeError([(f"{file.path}:{line}", f"is no TOML: {error}")]) from error


def _checked(file: KnowledgeFile, toml: Document) -> Iterator[Problem]:
    from advisor.knowledge import schema

    text = file.content.decode("utf-8")
    for path, message in schema.problems(file.kind, toml):
        dotted = ".".join(str(part) for part in path)
        yield f"{file.path}:{locate(text, path)}", f"{dotted}: {message}" if dotted else message
    name = os.path.basename(file.path).removesuffix(".toml")
    if file.kind in ("tunable", "profile") and toml.get("id") not in (None, name):
        yield f"{file.path}:{locate(text, ['id'])}", f"id must be the file's name, {name!r}"


def locate(text: str, path: list[str | int]) -> int:
    """The line of a TOML text where the value at `path` stands, as near as can be told."""
    if not path:
        return 1
    best, wanted = 1, list(path)
    for number, here in headers(text):
        if here == wanted[: len(here)] and here:
            best = number
    key = next((part for part in reversed(wanted) if isinstance(part, str)), "")
    lines = text.split("\n")
    for number in range(best, len(lines) + 1):
        line = lines[number - 1].lstrip()
        if number > best and line.startswith("["):
            break
        if line.partition("=")[0].strip() == key:
            return number + _item(path, lines[number - 1])
    return best


def _item(path: list[str | int], first: str) -> int:
    """How many lines below its key an item of a list stands, where each has a line of its own."""
    return path[-1] + 1 if isinstance(path[-1], int) and first.rstrip().endswith("[") else 0


def headers(text: str) -> Iterator[tuple[int, list[str | int]]]:
    """The line and place of each table of a TOML text, as near as can be told."""
    counts: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if not stripped.startswith("["):
            continue
        name = stripped.split("#")[0].strip(" []")
        if stripped.startswith("[["):
            counts[name] = counts.get(name, -1) + 1
            for other in [key for key in counts if key.startswith(name + ".")]:
                del counts[other]
        here: list[str | int] = []
        parts = name.split(".")
        for depth, part in enumerate(parts, 1):
            here.append(part)
            if ".".join(parts[:depth]) in counts:
                here.append(counts[".".join(parts[:depth])])
        yield number, here


def _compile(
    file: KnowledgeFile, toml: Document, documents: Documents, defaults: Defaults
) -> list[Problem]:
    problems: list[Problem] = []
    text = documents.texts[file.path] = file.content.decode("utf-8")

    def wrong(path: list[str | int], message: str) -> None:
        problems.append((f"{file.path}:{locate(text, path)}", message))

    _compile_conditions(toml, [], wrong)
    _compile_sources(toml, defaults, wrong)
    if file.kind == "tunable":
        toml.setdefault("verified", defaults.verified)
    for name, table, document, path in _entries(file, toml, documents):
        key = f"{file.kind}/{name}"
        if name in table:
            wrong(path, f"{name!r} is defined twice, first in {documents.places[key]}")
        examples = document.pop("example", [])
        if file.kind == "profile":
            for index, advice in enumerate(document["advice"]):
                part = f"profile/{name}/{advice['id']}"
                documents.examples[part] = advice.pop("example", [])
                line = locate(text, ["advice", index, "id"])
                documents.places[part] = f"{file.path}:{line}"
        if "touches" in document:
            documents.touches[name] = document.pop("touches")
        documents.examples[key] = examples
        documents.places[key] = f"{file.path}:{locate(text, path)}"
        table[name] = document
    return problems


def _entries(
    file: KnowledgeFile, toml: Document, documents: Documents
) -> Iterator[tuple[str, dict[str, Document], Document, list[str | int]]]:
    if file.kind == "tunable":
        yield toml["id"], documents.tunables, {"area": file.area, **toml}, []
    elif file.kind == "profile":
        yield toml["id"], documents.profiles, toml, []
    elif file.kind == "commandline":
        for index, entry in enumerate(toml.get("limit", [])):
            name = f"{entry['arch']} {entry.get('since', '')}".rstrip()
            yield name, documents.limits, entry, ["limit", index]
        for index, entry in enumerate(toml.get("reader", [])):
            yield entry["program"], documents.readers, entry, ["reader", index]
    elif file.kind == "exceptions":
        for index, entry in enumerate(toml.get("exception", [])):
            name = f"{entry['rule']} {entry['check']} {entry.get('subject', '')} {index}"
            yield name, documents.exceptions, entry, ["exception", index]
    else:
        key, table, name = {
            "parameters": ("parameter", documents.parameters, "name"),
            "names": ("name", documents.names, "name"),
            "lifecycle": ("rename", documents.renames, "old"),
        }[file.kind]
        for index, entry in enumerate(toml.get(key, [])):
            yield entry[name], table, entry, [key, index]


def _compile_sources(
    toml: Document, defaults: Defaults, wrong: Callable[[list[str | int], str], None]
) -> None:
    """Replaces the lines of every `sources` by tables, before those of `source`."""
    for holder, path in list(sources.holders(toml)):
        tables = []
        for index, line in enumerate(holder.pop("sources", ())):
            try:
                tables.append(sources.parse(line))
            except ValueError as error:
                wrong([*path, "sources", index], f"sources: {error}")
        tables += holder.get("source", ())
        holder["source"] = [sources.compiled(t, defaults, lines.built_in().find) for t in tables]


def _compile_conditions(
    node: Any, path: list[str | int], wrong: Callable[[list[str | int], str], None]
) -> None:
    """Replaces every condition below `node` by its parsed form."""
    if isinstance(node, list):
        for index, part in enumerate(node):
            _compile_conditions(part, [*path, index], wrong)
    elif isinstance(node, dict):
        for key, part in node.items():
            if key in _CONDITIONS and isinstance(part, str):
                try:
                    node[key] = condition.parse(part)
                except ValueError as error:
                    wrong([*path, key], f"{key}: {error}")
            elif key != "example":
                _compile_conditions(part, [*path, key], wrong)
