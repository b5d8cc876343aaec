"""kernel-advisor.toml: options for every run, for some configurations, and what is accepted.

    profile = ["server-throughput"]
    cmdline = "@boot/cmdline"
    fail-on = "must,error"
    baseline = "kernel-advisor-baseline.json"
    waivers = ["kernel-advisor-waivers.toml"]

    [[subject]]
    path = "configs/edge-*"
    profile = ["embedded-fastboot"]

    [[waiver]]
    rule = "server-throughput/cpufreq-governor"
    path = "configs/*"
    reason = "The data centre bills by the watt."
    owner = "platform@example.org"
    expires = 2027-06-30

Files are named relative to the folder of this one. The `path` of a subject or waiver is a pattern
of paths from the repository's root (see repository.py), in which `*` spans folders. A subject is
for the configurations whose path fits; of several, the last that names an option counts. Options of
the command line come first.

Who runs it may have his own settings name files anywhere. Those of a revision, or of another owner,
are a stranger's word: what they name is read within the repository alone.
"""

from __future__ import annotations

import codecs
import datetime
import os
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from typing import Any

from advisor.cli.options import KNOWLEDGE, MACHINE, POLICY, REVIEW, SUBJECT, Request
from advisor.cli.values import fail_on_of, machine_by, weakest
from advisor.errors import MOST_PROBLEMS, KnowledgeError, UsageError, near, shortened
from advisor.inputs.machine import kernel_of
from advisor.inputs.open import InputName, RepositoryFile, name_of, open_input
from advisor.inputs.unpack import read_piece
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Location
from advisor.model.report import Waiver
from advisor.record import NamedTuple

Problem = tuple[str, str]
Check = Callable[[Any], bool]

_LARGEST = 1 << 20
_LONGEST = 4096


class Table(NamedTuple):
    """Options by their names in a Request, for the configurations whose path fits the pattern."""

    location: Location
    pattern: str = "*"
    options: Mapping[str, Any] = {}


class Settings(NamedTuple):
    """What the file says: `top` for all configurations, `subjects` for some; `files` are it and the
    files of waivers that it names."""

    top: Table
    subjects: tuple[Table, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    files: tuple[InputName, ...] = ()

    def of(self, place: str) -> dict[str, Any]:
        """The options for the configuration of that path (see RepositoryPaths)."""
        options = dict(self.top.options)
        for table in self.subjects:
            if fnmatchcase(place, table.pattern):
                options.update(table.options)
        return options


class _File(NamedTuple):
    """A file as it was read.

    `facts` is the commit that files about the subject are read from, where settings are of a
    revision: they change with what is judged.
    """

    path: InputName
    text: str
    document: Mapping[str, Any]
    facts: str = ""

    def place(self, *at: str | int) -> Location:
        """The line of what stands at that place."""
        from advisor.knowledge.tomltext import locate

        return Location(name_of(self.path), locate(self.text, at))

    def tables(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The tables of that name, as far as they are some."""
        tables = self.document.get(name, [])
        if isinstance(tables, list):
            yield from ((i, table) for i, table in enumerate(tables) if isinstance(table, dict))


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _count(value: Any) -> bool:
    # True is an int in Python, and a datetime below is a date.
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _switch(value: Any) -> bool:
    return isinstance(value, bool)


def _pattern(value: Any) -> bool:
    # Such a one would match nothing, and nobody would be told.
    # Longer than a path can be it would take fnmatch for ever.
    plain = _text(value) and len(value) <= _LONGEST and "\\" not in value
    return plain and not value.startswith(("/", "./", "../", "~"))


def _day(value: Any) -> bool:
    return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)


_KINDS: dict[Check, str] = {
    _text: "a text",
    _texts: "a list of texts",
    _count: "a number above 0",
    _switch: "true or false",
    _pattern: "a path from the repository's root, as configs/*",
    _day: "a day, as 2027-06-30 without quotes",
}
# What can be said of one subject.
_SUBJECT: dict[str, Check] = {
    "profile": _texts, "cmdline": _text, "sysctl": _text, "runtime": _text, "kernel": _text,
    "arch": _text, "cpus": _count, "isolate": _text, "nodes": _count, "memory": _text,
    "vendor": _text, "guest": _switch, "hypervisor": _text, "efi": _switch,
    "whole": _switch, "keep": _texts, "prefer": _text, "require": _texts,
}  # fmt: skip
_TOP: dict[str, Check] = {
    **_SUBJECT, "rules": _texts, "profiles": _texts, "fail-on": _text, "strength": _text,
    "baseline": _text, "waivers": _texts, "must-judge": _texts,
}  # fmt: skip
_WAIVER: dict[str, Check] = {
    "rule": _text, "reason": _text, "path": _pattern, "profile": _text, "subject": _text,
    "owner": _text, "expires": _day,
}  # fmt: skip
# Those that name files or folders: what decides, and what is said of the subject.
_DECIDING = ("rules", "profiles", "baseline", "waivers")
_FACTS = ("sysctl", "runtime")


def read(path: InputName, facts: str = "") -> Settings:
    """The settings in that file and in the files of waivers that it names.

    Of settings of a revision `facts` is the commit (empty: the work tree) from which the files are
    read that tell of the subject. Raises KnowledgeError naming every problem, and InputError if a
    file cannot be read.
    """
    file = _file(path)._replace(facts=facts)
    known = {**_TOP, "subject": None, "waiver": None}
    problems = list(_problems(file, file.document, known))
    options: dict[str, Any] = {}
    if not problems:
        own = {key: file.document[key] for key in file.document if key in _TOP}
        options = _placed(file, own, problems)
    subjects = tuple(_subjects(file, problems))
    waivers = list(_waivers(file, problems))
    files = tuple(filter(None, options.pop("waivers", ())))
    for name in files:
        try:
            more = _file(name)
        except KnowledgeError as error:
            problems += error.problems
            continue
        # A file of waivers holds nothing else.
        problems += _problems(more, more.document, {"waiver": None})
        waivers += _waivers(more, problems)
    if problems:
        raise KnowledgeError(problems)
    top = Table(Location(name_of(path)), options=options)
    return Settings(top, subjects, tuple(waivers), (path, *files))


def _file(path: InputName) -> _File:
    from advisor.knowledge.load import KnowledgeFile, parse

    name = name_of(path)
    with open_input(path) as stream:
        # Editors of Windows begin a file with a byte order mark.
        content = read_piece(stream, _LARGEST + 1, name).removeprefix(codecs.BOM_UTF8)
    if len(content) > _LARGEST:
        raise KnowledgeError([(name, "is larger than settings can be (1 MiB)")])
    document = parse(KnowledgeFile("settings", name, "", content))
    return _File(path, content.decode(), document)


def _problems(
    file: _File, table: Mapping[str, Any], known: Mapping[str, Check | None], *at: str | int
) -> Iterator[Problem]:
    """What is wrong with the keys and values of a table that stands at that place.

    Of very many only the first, since each is looked for in the whole text.
    """
    yield from islice(_all_problems(file, table, known, *at), MOST_PROBLEMS + 1)


def _all_problems(
    file: _File, table: Mapping[str, Any], known: Mapping[str, Check | None], *at: str | int
) -> Iterator[Problem]:
    for key, value in table.items():
        wrong = ""
        if key not in known:
            wrong = f"unknown key {shortened(key)!r}; "
            wrong += near(key, known) or f"known are {', '.join(known)}"
        elif check := known[key]:
            wrong = "" if check(value) else f"{key} must be {_KINDS[check]}"
        elif not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            wrong = f"write it as [[{key}]]"
        if wrong:
            yield str(file.place(*at, key)), wrong


def _subjects(file: _File, problems: list[Problem]) -> Iterator[Table]:
    for number, table in file.tables("subject"):
        if len(problems) > MOST_PROBLEMS:
            return
        wrong = list(_problems(file, table, {"path": _pattern, **_SUBJECT}, "subject", number))
        place = file.place("subject", number)
        if "path" not in table:
            wrong.append((str(place), "a subject needs a path: which files it is for"))
        problems += wrong
        if not wrong:
            own = {key: table[key] for key in table if key != "path"}
            yield Table(place, table["path"], _placed(file, own, problems, "subject", number))


def _waivers(file: _File, problems: list[Problem]) -> Iterator[Waiver]:
    for number, table in file.tables("waiver"):
        if len(problems) > MOST_PROBLEMS:
            return
        wrong = list(_problems(file, table, _WAIVER, "waiver", number))
        place = file.place("waiver", number)
        missing = (key for key in ("rule", "reason") if key not in table)
        wrong += ((str(place), f"a waiver needs a {key}") for key in missing)
        problems += wrong
        if not wrong:
            fields = {**table, "expires": str(table.get("expires", ""))}
            yield Waiver(location=place, **fields)


def _placed(
    file: _File, options: Mapping[str, Any], problems: list[Problem], *at: str | int
) -> dict[str, Any]:
    """The options by their names in a Request, with the files that they name where they are."""
    made: dict[str, Any] = {}
    for key, value in options.items():
        name = key.replace("-", "_")
        if key == "cmdline" and value.startswith("@"):
            made[name] = _beside(file, value[1:], key)
            if isinstance(made[name], str):
                made[name] = f"@{made[name]}"
        elif key not in (*_DECIDING, *_FACTS):
            made[name] = tuple(value) if isinstance(value, list) else value
        elif isinstance(value, list):
            made[name] = tuple(_beside(file, one, key) for one in value)
        else:
            made[name] = _beside(file, value, key)
        if made[name] is None or (isinstance(made[name], tuple) and None in made[name]):
            wrong = (
                f"{key} leads out of the repository: settings of a revision, or of another owner, "
                "may name its own files only"
            )
            problems.append((str(file.place(*at, key)), wrong))
    return made


def _beside(file: _File, name: str, key: str) -> InputName | None:
    """The file that settings call so; None where they may not."""
    if not isinstance(file.path, RepositoryFile):
        return os.path.join(os.path.dirname(file.path), name)
    found = file.path.beside(name)
    if found and key not in _DECIDING:
        found = found._replace(revision=file.facts)
    return found


def filled(request: Request, options: Mapping[str, Any]) -> Request:
    """The request with these options where it has none of its own, nor one that rules them out.

    Folders of rules and profiles add to its own. Raises KeyError for what is no option.
    """
    ruled_out = _MACHINE if request.machine.this_machine else ()
    if request.tree.tree:
        ruled_out = (*ruled_out, "kernel")
    if options.get("prefer") not in (request.knowledge.profile or options.get("profile", ())):
        ruled_out = (*ruled_out, "prefer")
    for key, value in options.items():
        name = _GROUPS[key]
        group = getattr(request, name)
        own, more = getattr(group, key), value
        if key in _FOLDERS:
            more = tuple({_same(one): one for one in (*value, *own)}.values())
        elif key == "must_judge":
            more = (*value, *own)
        elif own not in (None, "", ()) or key in ruled_out:
            continue
        request = request._replace(**{name: group._replace(**{key: more})})
    return request


def _same(folder: InputName) -> InputName:
    """What two names of one folder have in common."""
    return folder if isinstance(folder, RepositoryFile) else os.path.realpath(folder)


_FOLDERS = ("rules", "profiles")
# What --this-machine tells.
_MACHINE: tuple[str, ...] = (
    "arch", "cpus", "nodes", "memory", "vendor", "guest", "hypervisor", "efi",
)  # fmt: skip
# In which group of a request an option is.
_GROUPS = {
    option.name: option.group
    for option in (*SUBJECT, *MACHINE, *KNOWLEDGE, *POLICY, REVIEW.must_judge)
}


def check_values(settings: Settings, knowledge: Knowledge) -> None:
    """Raises KnowledgeError naming every value that no option would take.

    Held before any configuration is read, since a wrong value may be for one that is not in this
    run.
    """
    problems: list[Problem] = []
    for table in (settings.top, *settings.subjects):
        for key, check in _checks(table, settings.top, knowledge):
            try:
                check()
            except UsageError as error:
                name = key or error.where.removeprefix("--")
                problems.append((str(table.location), f"{name}: {error.message} ({error.hint})"))
    if problems:
        raise KnowledgeError(problems)


def _checks(
    table: Table, top: Table, knowledge: Knowledge
) -> Iterator[tuple[str, Callable[[], object]]]:
    """What refuses a wrong value, with its key; empty where the error says it."""
    request = filled(Request(), {"cpus": top.options.get("cpus"), **table.options})
    machine = request.machine
    if machine.cpus is None:
        # The command line may yet tell how many there are.
        machine = machine._replace(isolate=None)
    for name in request.knowledge.profile:
        yield "", partial(knowledge.profile, name)
    if request.knowledge.require:
        from advisor.cli.required import required

        yield "", partial(required, request.knowledge.require, knowledge)
    if prefer := table.options.get("prefer"):
        yield "prefer", partial(knowledge.profile, prefer)
    yield "", partial(fail_on_of, request.policy)
    yield "", partial(weakest, request.policy)
    yield "", partial(kernel_of, request.subject.kernel)
    yield "", partial(machine_by, machine)
