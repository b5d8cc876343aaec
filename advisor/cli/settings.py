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
of paths from the repository's root (see Places), in which `*` spans folders. A subject is for the
configurations whose path fits; of several, the last that names an option counts. Options of the
command line come first.
"""

from __future__ import annotations

import codecs
import datetime
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from advisor.errors import InputError, KnowledgeError, UsageError, near, shortened
from advisor.files import name_of
from advisor.inputs.open import open_input, read_text
from advisor.inputs.unpack import read_piece
from advisor.model.kernel import Location
from advisor.model.report import Report, Waiver
from advisor.record import NamedTuple
from advisor.repository import Places

BASELINE = "kernel-advisor/baseline/v1"
"""The schema that a baseline names."""

Problem = tuple[str, str]
Check = Callable[[Any], bool]
Rules = Mapping[str, Iterable[str]]
"""All that a waiver may name, with the profiles that have advice about it."""

_LARGEST = 1 << 20


class Table(NamedTuple):
    """Options by their names in a Request, for the configurations whose path fits the pattern."""

    location: Location
    pattern: str = "*"
    options: Mapping[str, Any] = {}


class Settings(NamedTuple):
    """What the file says: `top` for all configurations, `subjects` for some."""

    top: Table
    subjects: tuple[Table, ...] = ()
    waivers: tuple[Waiver, ...] = ()

    def of(self, place: str) -> dict[str, Any]:
        """The options for the configuration of that path (see Places)."""
        found = dict(self.top.options)
        for table in self.subjects:
            if fnmatchcase(place, table.pattern):
                found.update(table.options)
        return found


class _File(NamedTuple):
    """A file as it was read, and where its tables begin."""

    path: str
    text: str
    document: Mapping[str, Any]
    lines: Mapping[tuple[str | int, ...], int]

    def line(self, *at: str | int) -> int:
        """The line of what stands at that place; tables were looked up all at once."""
        from advisor.knowledge.load import locate

        return self.lines.get(at) or locate(self.text, list(at))

    def place(self, *at: str | int) -> str:
        """Likewise as `path:line`."""
        return f"{self.path}:{self.line(*at)}"

    def tables(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The tables of that name, as far as they are some."""
        found = self.document.get(name, [])
        if isinstance(found, list):
            yield from ((i, table) for i, table in enumerate(found) if isinstance(table, dict))


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _switch(value: Any) -> bool:
    return isinstance(value, bool)


def _pattern(value: Any) -> bool:
    # Such a one would match nothing, and nobody would be told.
    return _text(value) and "\\" not in value and not value.startswith(("/", "./", "../", "~"))


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
    "profile": _texts, "cmdline": _text, "sysctl": _text, "kernel": _text, "arch": _text,
    "cpus": _count, "isolate": _text, "nodes": _count, "memory": _text, "vendor": _text,
    "guest": _switch, "efi": _switch, "keep": _texts, "prefer": _text,
}  # fmt: skip
_TOP: dict[str, Check] = {
    **_SUBJECT, "rules": _texts, "profiles": _texts, "fail-on": _text, "strength": _text,
    "baseline": _text, "waivers": _texts,
}  # fmt: skip
_WAIVER: dict[str, Check] = {
    "rule": _text, "reason": _text, "path": _pattern, "profile": _text, "subject": _text,
    "owner": _text, "expires": _day,
}  # fmt: skip
# Those that name files or folders.
_PATHS = ("rules", "profiles", "baseline", "waivers", "sysctl")


def read(path: str) -> Settings:
    """The settings in that file and in the files of waivers that it names.

    Raises KnowledgeError naming every problem, and InputError if a file cannot be read.
    """
    file = _file(path)
    known = {**_TOP, "subject": None, "waiver": None}
    problems = list(_problems(file, file.document, known))
    options = {}
    if not problems:
        options = _placed({key: file.document[key] for key in file.document if key in _TOP}, path)
    subjects = tuple(_subjects(file, problems))
    waivers = list(_waivers(file, problems))
    for name in options.pop("waivers", ()):
        waivers += _own_file(name, problems)
    if problems:
        raise KnowledgeError(problems)
    return Settings(Table(Location(path), options=options), subjects, tuple(waivers))


def _file(path: str) -> _File:
    from advisor.knowledge.load import KnowledgeFile, headers, parse

    name = name_of(path)
    with open_input(path) as stream:
        # Editors of Windows begin a file with a byte order mark.
        content = read_piece(stream, _LARGEST + 1, name).removeprefix(codecs.BOM_UTF8)
    if len(content) > _LARGEST:
        raise KnowledgeError([(name, "is larger than settings can be (1 MiB)")])
    document = parse(KnowledgeFile("settings", name, "", content))
    text = content.decode()
    return _File(name, text, document, {tuple(at): line for line, at in headers(text)})


def _own_file(path: str, problems: list[Problem]) -> Iterator[Waiver]:
    """The waivers of a file that holds nothing else."""
    try:
        file = _file(path)
    except KnowledgeError as error:
        problems += error.problems
        return
    problems += _problems(file, file.document, {"waiver": None})
    yield from _waivers(file, problems)


def _problems(
    file: _File, table: Mapping[str, Any], known: Mapping[str, Check | None], *at: str | int
) -> Iterator[Problem]:
    """What is wrong with the keys and values of a table that stands at that place."""
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
            yield file.place(*at, key), wrong


def _subjects(file: _File, problems: list[Problem]) -> Iterator[Table]:
    for number, table in file.tables("subject"):
        wrong = list(_problems(file, table, {"path": _pattern, **_SUBJECT}, "subject", number))
        line = file.line("subject", number)
        if "path" not in table:
            wrong.append((f"{file.path}:{line}", "a subject needs a path: which files it is for"))
        problems += wrong
        if not wrong:
            options = _placed({key: table[key] for key in table if key != "path"}, file.path)
            yield Table(Location(file.path, line), table["path"], options)


def _waivers(file: _File, problems: list[Problem]) -> Iterator[Waiver]:
    for number, table in file.tables("waiver"):
        wrong = list(_problems(file, table, _WAIVER, "waiver", number))
        place = Location(file.path, file.line("waiver", number))
        missing = (key for key in ("rule", "reason") if key not in table)
        wrong += ((str(place), f"a waiver needs a {key}") for key in missing)
        problems += wrong
        if not wrong:
            told = {**table, "expires": str(table.get("expires", ""))}
            yield Waiver(location=place, **told)


def _placed(options: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The options by their names in a Request, files in them relative to the current folder."""
    folder = os.path.dirname(path)

    def placed(key: str, value: Any) -> Any:
        if key == "cmdline" and value.startswith("@"):
            return "@" + os.path.join(folder, value[1:])
        if key not in _PATHS:
            return value
        if isinstance(value, list):
            return [os.path.join(folder, one) for one in value]
        return os.path.join(folder, value)

    return {key.replace("-", "_"): placed(key, value) for key, value in options.items()}


def check_waivers(waivers: Iterable[Waiver], rules: Rules) -> None:
    """Raises KnowledgeError for waivers that can never match anything."""
    profiles = {profile for named in rules.values() for profile in named}
    problems = [
        (str(waiver.location), wrong)
        for waiver in waivers
        if (wrong := _never_matches(waiver, rules, profiles))
    ]
    if problems:
        raise KnowledgeError(problems)


def _never_matches(waiver: Waiver, rules: Rules, profiles: set[str]) -> str:
    """Why a waiver can match nothing; empty if it may."""
    from advisor.model.diagnostics import MEANINGS

    rule, profile = waiver.rule, waiver.profile
    if rule not in rules:
        hint = near(rule, rules) or "the id of a finding, a tunable or a diagnostic"
        return f"there is no rule {shortened(rule)!r} ({hint})"
    if rule in MEANINGS:
        return f"{rule} is a diagnostic, which has no profile: take it out" if profile else ""
    if profile and profile not in profiles:
        hint = near(profile, profiles) or "see: kernel-advisor profiles"
        return f"there is no profile {shortened(profile)!r} ({hint})"
    if not rules[rule]:
        return f"no profile has advice about {rule}"
    return "" if profile in ("", *rules[rule]) else f"{profile} has no advice about {rule}"


def read_baseline(path: str) -> dict[str, Any]:
    """The entries of a baseline by fingerprint. Raises InputError."""
    hint = "kernel-advisor baseline writes one"
    if not os.path.lexists(path):
        raise InputError("no such file", where=path, hint=hint)
    try:
        document = json.loads(read_text(path).removeprefix("\ufeff"))
        entries = _entries(document)
    except (ValueError, RecursionError) as error:
        reason = shortened(str(error))
        raise InputError(f"is no baseline: {reason}", where=path, hint=hint) from error
    if entries is None:
        raise InputError(f"is no baseline of the form {BASELINE}", where=path, hint=hint)
    return entries


def _entries(document: Any) -> dict[str, Any] | None:
    """The entries by fingerprint; None if the document has not the form of a baseline."""
    if not isinstance(document, dict) or document.get("schema") != BASELINE:
        return None
    entries = document.get("findings")
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        return None
    return {entry["fingerprint"]: entry for entry in entries}


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    state = entry.get("state")
    texts = [entry.get(key) for key in ("fingerprint", "id", "path")]
    return isinstance(state, list) and all(isinstance(text, str) for text in (*texts, *state))


def baseline_text(reports: Iterable[Report], places: Places) -> str:
    """The baseline of these reports; the same reports give the same text."""
    from advisor.engine.waivers import entries

    document = {"schema": BASELINE, "findings": entries(reports, places)}
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def today() -> str:
    """The day that expiry is held against: SOURCE_DATE_EPOCH if set, else today, in UTC."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    try:
        moment = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    except (ValueError, OverflowError, OSError) as error:
        hint = "seconds since 1970, or nothing"
        raise UsageError(f"{epoch!r} is no time", where="SOURCE_DATE_EPOCH", hint=hint) from error
    return moment.date().isoformat()
