"""TOML files to compiled documents, and those to the model's types.

A compiled document is the TOML with its conditions parsed and its examples taken out: plain data
that the index stores as JSON. A wrong file is reported with every problem, as `path:line`.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any, NamedTuple

from advisor.errors import MOST_PROBLEMS, KnowledgeError
from advisor.files import TooLargeError, read
from advisor.inputs.open import InputName, RepositoryFile, name_of
from advisor.knowledge import folders, lines, sources
from advisor.knowledge.sources import Defaults
from advisor.knowledge.tomltext import locate
from advisor.model import condition_parser
from advisor.model.condition_parser import Named

Document = dict[str, Any]
# `path:line`, and what is wrong there.
Problem = tuple[str, str]
# The keys and indexes that lead to a value of a TOML document.
Path = list["str | int"]
Report = Callable[[Path, str], None]
_CONDITIONS = frozenset(("only_if", "unless", "requires", "when", "needs", "early", "closed"))
"""The keys of conditions, beside those that end in `_only_if`."""
_MAPS = (
    "component.names", "component.exclusive", "component.waits", "default", "function.needs",
    "function.instead", "parameter.words", "parameter.open",
)  # fmt: skip
"""The tables whose values are all conditions; an empty one always holds."""
# By the kind of a file: the key of each list in it, the field of Documents that its entries go to,
# and what an entry is called there, which is the kind of rule as well.
_LISTS: dict[str, tuple[tuple[str, str, Callable[[Document, int], str]], ...]] = {
    "parameters": (("parameter", "parameters", lambda entry, _: entry["name"]),),
    "names": (("name", "names", lambda entry, _: entry["name"]),),
    "lifecycle": (("rename", "renames", lambda entry, _: entry["old"]),),
    "successors": (
        ("successor", "successors", lambda e, _: e["line"].partition(" ")[0]),
        ("split", "splits", lambda e, _: e["line"].partition(" — ")[0]),
    ),
    "components": (("component", "components", lambda entry, _: entry["id"]),),
    "authorities": (
        ("authority", "authorities", lambda entry, _: entry["id"]),
        ("leaves", "leaves", lambda _, number: str(number)),
    ),
    "protections": (("protection", "protections", lambda entry, _: entry["id"]),),
    "symptoms": (("symptom", "symptoms", lambda entry, _: entry["id"]),),
    "kernel": (
        ("fact", "facts", lambda e, _: f"{e['about']} {e.get('of', '')}".rstrip()),
        ("reader", "readers", lambda entry, _: entry["program"]),
    ),
    # One rule may have several exceptions to the same check, which only their number tells apart.
    "exceptions": (
        (
            "exception",
            "exceptions",
            lambda e, number: f"{e['rule']} {e['check']} {e.get('subject', '')} {number}",
        ),
    ),
}
_RULES = {
    "tunable": "tunables",
    **{
        kind: field
        for lists in _LISTS.values()
        for kind, field, _ in lists
        if kind not in ("exception", "leaves", "successor", "split")
    },
}
# The files at the top of a folder of rules that hold no tunable.
_TOP = (
    "names",
    "lifecycle",
    "successors",
    "components",
    "authorities",
    "protections",
    "symptoms",
    "kernel",
    "exceptions",
    "repository",
)
_BOOT_LINE = "commandline"
"""The file of what is known of the boot line as a whole, beside `kernel`."""
_REPOSITORY = "repository.toml"
_SOFTWARE = "software"
EXAMPLES = {
    "tunable": ("", "effective"),
    "profile": ("advice", "verdict"),
    "parameters": ("parameter", "diagnostics"),
    "software": ("function", "answer"),
}
"""The kinds of files with examples: the list whose tables have them, none where the file itself
has, and the key of an example's result."""
_PARTS = {"profile": "advice", "software": "function"}
"""The kinds of files whose document has rules in a list: those have examples and places."""
OLDER = {
    **dict.fromkeys(("exists", "needs", "when"), "`only_if`"),
    "boot_when": "`boot_only_if`",
    "runtime_when": "`runtime_only_if`",
    "told_where": "`told_only_if`",
    "example": "a line of `examples`",
    "source": "a line of `sources`",
    "status": "`obsolete`, the first kernel that makes nothing of it,",
    "still": "the kind `partly-void`",
    "met": "the kind `covered`",
}
"""The keys that rules and profiles had once, and what stands in their place."""
OLDER_IN = {
    "limit": "a `[[fact]]` about `boot-line`",
    "added": "a `[[fact]]` about `firmware-word`",
    "fact.symbols": "`names`",
    "fact.prefixes": "`names`",
    "fact.menus": "`names`",
    "fact.sizes": "`names`",
    "fact.unless": "a fact above, with that as `only_if`,",
    "whole": "nothing (the tool has the number)",
    "place.boot": "`of`",
    "place.sysctl": "`of`",
    "place.sysfs": "`of`",
    "place.config": "`of`",
    "place.separator": "`form`",
    "place.ends": "`form`",
    "place.starts": "nothing (lists of what `waits` start)",
    "parameter.list": "nothing (the tool has the rules of each CPU list)",
    "defaults": "a table, `[default]`",
    "flag": "a list of `parameter`",
    "parameter.words": "a table, `[parameter.words]`",
    "parameter.open_only_if": "a table of `open`",
    "parameter.open_where": "a table of `open`",
    "function.instead_needs": "a table of `instead`",
    "product": "`role`",
    "neutral": "`role`",
    "verified": "`verified` of repository.toml",
    "effect": "a line of `effects`",
    "list": "a line of `[lists]`",
    "unasked.kind": "`obsolete` with the kernel",
    "unasked.after": "`obsolete` with the kernel",
    "function.part": "a table, `[function.needs]`",
    "component.names": "a table, `[component.names]`",
    "component.anycase": "`anycase` of the boot parameter",
}
"""Likewise the keys of one table, with its name."""
KINDS_OF_REMARKS = {"partly-void": ("void", "still"), "covered": ("void", "met")}
"""The kinds of remarks that are another kind with a mark, as the model has them."""
AN_OLDER_KEY = "an older key"
_UNKNOWN, _REQUIRED = "unknown key", "is a required property"
_OTHER_FORMS = ("is not of type 'object'", "is not of type 'string'", "'obsolete' does not match")
_LINE = re.compile(r"(?::\d+){1,2}$")
_FEWEST = 2
PLACEHOLDER = "TODO: "
"""How a text begins that is still to be written; behind it stands what."""
MOST_NAMES = 20_000
"""The most names below a folder of rules; the built-in ones are some hundred files."""
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


def rule_files(directory: InputName) -> Iterator[KnowledgeFile]:
    """The rule files below a directory, sorted, with the programs in its folder `software`. Raises
    KnowledgeError if it cannot be read."""
    for path in _toml_files(directory):
        area, _, name = _within(directory, path).replace(os.sep, "/").rpartition("/")
        if area == _SOFTWARE:
            yield _software_file(path, directory)
            continue
        kind = "parameters" if area == "parameters" else "tunable"
        if not area and (stem := name.removesuffix(".toml")) in (*_TOP, _BOOT_LINE):
            kind = "kernel" if stem == _BOOT_LINE else stem
        content = _content(path)
        yield KnowledgeFile(kind, name_of(path), area or "local", content, name_of(directory))


def profile_files(directory: InputName) -> Iterator[KnowledgeFile]:
    """The profile files below a directory, sorted. Raises KnowledgeError if it cannot be read."""
    for path in _toml_files(directory):
        kind = "repository" if _within(directory, path) == _REPOSITORY else "profile"
        yield KnowledgeFile(kind, name_of(path), "", _content(path), name_of(directory))


def software_files(directory: InputName) -> Iterator[KnowledgeFile]:
    """The files of programs below a directory, sorted. Raises KnowledgeError if it cannot be
    read."""
    yield from (_software_file(path, directory) for path in _toml_files(directory))


def _software_file(path: InputName, directory: InputName) -> KnowledgeFile:
    name = os.path.basename(name_of(path)).removesuffix(".toml")
    kind = name if name in ("modules", "repository") else "software"
    return KnowledgeFile(kind, name_of(path), "", _content(path), name_of(directory))


def loose_file(path: str) -> KnowledgeFile:
    """A file that is in no folder of rules or profiles: what kind it is, its tables tell."""
    content = _content(path)
    tables = {
        b"[[advice]]": "profile",
        b"[[parameter]]": "parameters",
        b"[[function]]": "software",
    }
    kind = next((kind for table, kind in tables.items() if table in content), "tunable")
    return KnowledgeFile(kind, path, "local", content)


def _within(directory: InputName, path: InputName) -> str:
    return os.path.relpath(name_of(path), name_of(directory))


def _toml_files(directory: InputName) -> list[InputName]:
    if isinstance(directory, RepositoryFile):
        within = directory.below()
        return [
            directory._replace(path=path, called="") for path in within if path.endswith(".toml")
        ]
    if not os.path.isdir(directory):
        raise KnowledgeError([(directory, "is no directory of rules or profiles")])
    return sorted(path for path in _paths_below(directory) if path.endswith(".toml"))


def _paths_below(directory: str) -> Iterator[str]:
    """The files below a directory. Raises KnowledgeError for more than MOST_NAMES names."""
    count = 0
    for folder, below, names in os.walk(directory):
        count += len(below) + len(names)
        if count > MOST_NAMES:
            problem = f"has more than {MOST_NAMES} files and folders: name the folder of the rules"
            raise KnowledgeError([(directory, problem)])
        yield from (os.path.join(folder, name) for name in names)


def _content(path: InputName) -> bytes:
    try:
        if isinstance(path, RepositoryFile):
            content = path.content()
            if len(content) > _LARGEST:
                raise TooLargeError(_LARGEST)
            return content
        return read(path, limit=_LARGEST)
    except TooLargeError as error:
        problem = "is larger than a rule or profile can be (1 MiB)"
        raise KnowledgeError([(name_of(path), problem)]) from error
    except OSError as error:
        raise KnowledgeError([(name_of(path), f"cannot be read: {error.strerror}")]) from error


class Documents(NamedTuple):
    """All compiled documents by name; their examples and places (`path:line`) by rule.

    A rule is `tunable/ID`, `parameter/NAME`, `name/NAME`, `rename/OLD`, `reader/PROGRAM`,
    `component/ID`, `protection/ID`, `symptom/ID`, `fact/ABOUT OF`, `successor/OLD`, `profile/ID`,
    `profile/ID/ADVICE`, `software/ID`, `software/ID/FUNCTION` or `exception/...`.

    `texts` are the files by path, in which lint finds the line of what it refuses. For lint alone
    are `touches`, what a parameter says of the tunables whose state depends on it, and `lists`, by
    program the lists of names that its sources have.
    """

    tunables: dict[str, Document]
    profiles: dict[str, Document]
    programs: dict[str, Document]
    modules: dict[str, Document]
    parameters: dict[str, Document]
    names: dict[str, Document]
    renames: dict[str, Document]
    successors: dict[str, Document]
    splits: dict[str, Document]
    readers: dict[str, Document]
    components: dict[str, Document]
    authorities: dict[str, Document]
    leaves: dict[str, Document]
    protections: dict[str, Document]
    symptoms: dict[str, Document]
    facts: dict[str, Document]
    exceptions: dict[str, Document]
    examples: dict[str, list[Document]]
    places: dict[str, str]
    texts: dict[str, str]
    touches: dict[str, list[str]]
    lists: dict[str, list[str]]

    @classmethod
    def empty(cls) -> Documents:
        """No documents yet."""
        return cls(*({} for _ in cls._fields))

    def rules(self) -> Iterator[tuple[str, Document]]:
        """Every document that has sources of its own, with the rule that it is."""
        for kind, field in _RULES.items():
            yield from ((f"{kind}/{name}", one) for name, one in getattr(self, field).items())
        for kind, field in (("profile", "profiles"), ("software", "programs")):
            for name, document in getattr(self, field).items():
                rules = document[_PARTS[kind]]
                yield from ((f"{kind}/{name}/{one['id']}", one) for one in rules)

    def of_files(self, paths: Set[str]) -> Documents:
        """Those that stand in one of these files; of what explains exceptions, all."""
        fields = {
            **_RULES,
            "profile": "profiles",
            "software": "programs",
            "successor": "successors",
        }
        return self._replace(
            examples={
                rule: examples
                for rule, examples in self.examples.items()
                if file_of(self.places[rule]) in paths
            },
            touches=self._within("parameter", self.touches, paths),
            lists=self._within("software", self.lists, paths),
            **{
                field: self._within(kind, getattr(self, field), paths)
                for kind, field in fields.items()
            },
        )

    def _within(self, kind: str, named: dict[str, Any], paths: Set[str]) -> dict[str, Any]:
        places = {name: self.places[f"{kind}/{name}"] for name in named}
        return {name: one for name, one in named.items() if file_of(places[name]) in paths}


def file_of(place: str) -> str:
    """The file of `path:line` or `path:line:column`; of a path alone that itself.

    >>> file_of("rules/a.toml:3:7")
    'rules/a.toml'
    """
    return _LINE.sub("", place)


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


def compile_files(
    files: Iterator[KnowledgeFile] | list[KnowledgeFile], *, check: bool
) -> Documents:
    """The documents of these files; with `check`, validated against the schemas.

    Raises KnowledgeError naming every problem of every file.
    """
    documents, problems = compiled(files, check=check)
    if problems:
        raise KnowledgeError(problems)
    return documents


def compiled(
    files: Iterator[KnowledgeFile] | list[KnowledgeFile], *, check: bool
) -> tuple[Documents, list[Problem]]:
    """Likewise the documents of those files that are right, and what is wrong with the others."""
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
        path = os.path.join(folder, _REPOSITORY)
        if folder == folders.software() and not os.path.isfile(path):
            continue  # a small checkout has no programs
        file = KnowledgeFile("repository", path, "", _content(path))
        own, problems = _defaults(file, parse(file), own)
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
            line = locate(file.content.decode("utf-8"), ["conditions", name])
            problems.append((f"{file.path}:{line}", f"conditions.{name}: {error}"))
    return others._replace(**{**toml, "conditions": conditions}), problems


def parse(file: KnowledgeFile) -> Document:
    """The TOML of a file. Raises KnowledgeError."""
    import tomli

    try:
        text = file.content.decode("utf-8")
        toml = tomli.loads(text)
    except UnicodeDecodeError as error:
        line = file.content.count(b"\n", 0, error.start) + 1
        raise KnowledgeError([(f"{file.path}:{line}", "is not UTF-8")]) from error
    except (ValueError, RecursionError) as error:
        # Beside TOMLDecodeError, numbers too long and tables too deep.
        line = getattr(error, "lineno", 1)
        raise KnowledgeError([(f"{file.path}:{line}", f"is no TOML: {error}")]) from error
    # TOML has 64 bits. tomli reads more, of which Python cannot make a message.
    left: list[tuple[list[str | int], Any]] = [([], toml)]
    for path, value in left:
        if isinstance(value, (dict, list)):
            entries = value.items() if isinstance(value, dict) else enumerate(value)
            left += (([*path, key], one) for key, one in entries)
        elif isinstance(value, int) and value.bit_length() > 63:
            where = f"{file.path}:{locate(text, path)}"
            raise KnowledgeError([(where, "is no TOML: an integer of more than 64 bits")])
    return toml


def violations(file: KnowledgeFile, toml: Document) -> Iterator[Problem]:
    """What is still to be written in a file, and where it does not fit the schema of its kind."""
    from advisor.knowledge import schema

    text = file.content.decode("utf-8")
    left = dict(placeholders(toml))
    for place, what in left.items():
        key = next(part for part in reversed(place) if isinstance(part, str))
        yield f"{file.path}:{locate(text, [*place])}", f"{key}: write {what}"
    problems = [one for one in schema.problems(file.kind, toml) if (*one[0],) not in left]
    older = [_instead(path, message, file.path) for path, message in problems]
    for (path, message), instead in zip(problems, older, strict=True):
        # What is required is mostly what is written in place of an older key.
        if not instead and any(older) and message.endswith(_REQUIRED):
            continue
        dotted = ".".join(str(part) for part in path)
        says = instead or message
        yield f"{file.path}:{locate(text, path)}", f"{dotted}: {says}" if dotted else says
    name = os.path.basename(file.path).removesuffix(".toml")
    if file.kind in ("tunable", "profile", "software") and toml.get("id") not in (None, name):
        yield f"{file.path}:{locate(text, ['id'])}", f"id must be the file's name, {name!r}"
    if file.kind == "tunable" and 0 < len(toml.get("examples", ())) < _FEWEST and not any(older):
        message = "a tunable has two examples or more, one for each value"
        yield f"{file.path}:{locate(text, ['examples'])}", f"examples: {message}"


def _instead(at: Path, message: str, path: str) -> str:
    """What to write in place of an older key; empty for what is none."""
    is_unknown = _UNKNOWN in message
    if not at or not (is_unknown or any(form in message for form in _OTHER_FORMS)):
        return ""
    of_table = ".".join(table_of(at).split(".")[-2:])
    new = OLDER_IN.get(of_table) or (OLDER.get(str(at[-1])) if is_unknown else None)
    convert = f"kernel-advisor rules convert {path}"
    return f"{AN_OLDER_KEY}: write {new} instead ({convert})" if new else ""


def placeholders(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, str]]:
    """The texts of a document that are still to be written: the path to each, and what to write."""
    if isinstance(node, str) and node.startswith(PLACEHOLDER):
        yield path, node.removeprefix(PLACEHOLDER)
    elif isinstance(node, dict | list):
        for key, part in node.items() if isinstance(node, dict) else enumerate(node):
            yield from placeholders(part, (*path, key))


def _compile(
    file: KnowledgeFile, toml: Document, documents: Documents, defaults: Defaults
) -> list[Problem]:
    problems: list[Problem] = []
    text = documents.texts[file.path] = file.content.decode("utf-8")

    def wrong(path: Path, message: str) -> None:
        problems.append((f"{file.path}:{locate(text, path)}", message))

    problems += compile_examples(file, toml)
    _expand(file.kind, toml, wrong)
    _compile_conditions(toml, [], defaults.conditions, wrong)
    _compile_sources(toml, defaults, wrong)
    _drop_work(toml)
    if file.kind == "successors":
        _compile_successors(toml, wrong)
    if file.kind == "tunable":
        toml["verified"] = defaults.verified
    for kind, name, table, document, path in _entries(file, toml, documents):
        if name in table:
            rule = f"{kind}/{name}"
            wrong(path, f"{name!r} is defined twice, first in {documents.places[rule]}")
        table[name] = document
        _put_aside(kind, name, document, documents)
        parts: list[tuple[str, Document, Path]] = [(f"{kind}/{name}", document, path)]
        key = _PARTS.get(kind, "")
        for index, part in enumerate(document[key] if key else ()):
            parts.append((f"{kind}/{name}/{part['id']}", part, [key, index, "id"]))
        for rule, part, at in parts:
            documents.examples[rule] = part.pop("example", [])
            documents.places[rule] = f"{file.path}:{locate(text, at)}"
    return problems


def _put_aside(kind: str, name: str, document: Document, documents: Documents) -> None:
    """Takes out of a document what is for lint alone."""
    if "touches" in document:
        documents.touches[name] = document.pop("touches")
    if kind == "software":
        documents.lists[name] = list(document.pop("lists", {}).values())


def _entries(
    file: KnowledgeFile, toml: Document, documents: Documents
) -> Iterator[tuple[str, str, dict[str, Document], Document, Path]]:
    """Yields what a file defines: the kind of rule, its name, the table to put it in, the
    document, its place."""
    if file.kind == "tunable":
        yield "tunable", toml["id"], documents.tunables, {"area": file.area, **toml}, []
    elif file.kind == "profile":
        yield "profile", toml["id"], documents.profiles, toml, []
    elif file.kind == "software":
        yield "software", toml["id"], documents.programs, toml, []
    elif file.kind == "modules":
        for symbol, names in toml.items():
            document = {"names": names.split()}
            yield "modules", symbol, documents.modules, document, [symbol]
    for kind, field, called in _LISTS.get(file.kind, ()):
        for number, entry in enumerate(toml.get(kind, ())):
            yield kind, called(entry, number), getattr(documents, field), entry, [kind, number]


def _drop_work(toml: Document) -> None:
    """Drops `work`, the claimed work per operation, which only `lab check` compares with
    records."""
    for table in ("advice", "value", "member"):
        for entry in toml.get(table, ()):
            entry.pop("work", None)


def _compile_sources(toml: Document, defaults: Defaults, wrong: Report) -> None:
    """Puts a table in `source` for each line of `sources`."""
    for holder, path in list(sources.holders(toml)):
        tables = []
        for index, line in enumerate(holder.pop("sources", ())):
            try:
                tables.append(sources.parse(line))
            except ValueError as error:
                wrong([*path, "sources", index], f"sources: {error}")
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
                start = locate(text, [*path, "examples"])
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
        if "obsolete" in parameter:
            parameter["status"] = "obsolete"
        for remark in parameter.get("remark", ()):
            if remark["kind"] in KINDS_OF_REMARKS:
                remark["kind"], mark = KINDS_OF_REMARKS[remark["kind"]]
                remark[mark] = True


def _expand(kind: str, toml: Document, wrong: Report) -> None:
    """Replaces short keys by what they stand for."""
    from advisor.knowledge import module

    if kind == "parameters":
        expand_parameters(toml)
    if kind != "tunable":
        return
    try:
        module.expand(toml)
    except ValueError as error:
        wrong(["module"], f"module: {error}")


def example_holders(kind: str, toml: Document) -> Iterator[tuple[Document, Path, str]]:
    """The tables of a file that may have examples, the keys that lead to each, and the key of the
    result in its examples."""
    if kind not in EXAMPLES:
        return
    table, key = EXAMPLES[kind]
    if not table:
        yield toml, [], key
    for number, entry in enumerate(toml.get(table, ()) if table else ()):
        yield entry, [table, number], key


def _compile_successors(toml: Document, wrong: Report) -> None:
    """Replaces every line by a document of it, which stays text until one is asked for."""
    from advisor.knowledge import successors

    for kind, parse in (("successor", successors.parse), ("split", successors.parse_split)):
        for index, line in enumerate(toml.get(kind, ())):
            try:
                parse(line)
            except ValueError as error:
                wrong([kind, index], f"{kind}: {error}")
        toml[kind] = [{"line": line} for line in toml.get(kind, ())]


def _compile_conditions(node: Any, path: Path, named: Named, wrong: Report) -> None:
    """Replaces every condition below `node` by its parsed form."""
    if isinstance(node, list):
        for index, part in enumerate(node):
            _compile_conditions(part, [*path, index], named, wrong)
    elif isinstance(node, dict):
        is_map = table_of(path) in _MAPS
        for key, part in [*node.items()]:
            is_condition = key in _CONDITIONS or key.endswith("_only_if") or is_map
            if isinstance(part, str) and is_condition:
                try:
                    node[key] = condition_parser.parse(part, named) if part or not is_map else None
                except ValueError as error:
                    wrong([*path, key], f"{key}: {error}")
            elif key != "example":
                _compile_conditions(part, [*path, key], named, wrong)


def table_of(path: Path) -> str:
    """The name of the table at a path: `parameter.remark`."""
    return ".".join(part for part in path if isinstance(part, str))
