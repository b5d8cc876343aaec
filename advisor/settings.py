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

Paths are relative to the file's folder. A table `subject` is for the configurations whose path
fits; of several, the last that names an option counts. Options of the command line come first.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from advisor.errors import InputError, KnowledgeError, UsageError, near
from advisor.inputs.files import read_text
from advisor.model import Location, Report, Waiver
from advisor.places import Places

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from advisor.record import NamedTuple

BASELINE = "kernel-advisor/baseline/v1"
"""The schema that a baseline names."""

Problem = tuple[str, str]
Check = Callable[[Any], bool]


class Settings(NamedTuple):
    """What the file says: options by their names in a Request, for all and by pattern of paths."""

    path: str = ""
    options: Mapping[str, Any] = {}
    subjects: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    waivers: tuple[Waiver, ...] = ()

    def of(self, place: str) -> dict[str, Any]:
        """The options for the configuration of that path (see Places)."""
        found = dict(self.options)
        for pattern, options in self.subjects:
            if fnmatchcase(place, pattern):
                found.update(options)
        return found


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _switch(value: Any) -> bool:
    return isinstance(value, bool)


def _day(value: Any) -> bool:
    return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)


_KINDS: dict[Check, str] = {
    _text: "a text",
    _texts: "a list of texts",
    _count: "a number above 0",
    _switch: "true or false",
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
    "rule": _text, "reason": _text, "path": _text, "profile": _text, "subject": _text,
    "owner": _text, "expires": _day,
}  # fmt: skip
# Those that name files or folders.
_PATHS = ("rules", "profiles", "baseline", "waivers", "sysctl")


def read(path: str) -> Settings:
    """The settings in that file and in the files of waivers that it names.

    Raises KnowledgeError naming every problem, and InputError if a file cannot be read.
    """
    document, text = _document(path)
    problems = list(_problems(path, text, document, {**_TOP, "subject": None, "waiver": None}))
    folder = os.path.dirname(path)
    options = {key: value for key, value in document.items() if key in _TOP}
    if not problems:
        options = {key: _placed(key, value, folder) for key, value in options.items()}
    waivers = list(_waivers(path, text, document, problems))
    for name in options.pop("waivers", ()) if not problems else ():
        waivers += _own_file(name, problems)
    subjects = list(_subjects(path, text, document, folder, problems))
    if problems:
        raise KnowledgeError(problems)
    renamed = {key.replace("-", "_"): value for key, value in options.items()}
    return Settings(path, renamed, tuple(subjects), tuple(waivers))


def _document(path: str) -> tuple[dict[str, Any], str]:
    import tomli

    text = read_text(path)
    try:
        return tomli.loads(text), text
    except tomli.TOMLDecodeError as error:
        line = getattr(error, "lineno", 1)
        raise KnowledgeError([(f"{path}:{line}", f"is no TOML: {error}")]) from error


def _own_file(path: str, problems: list[Problem]) -> Iterator[Waiver]:
    """The waivers of a file that holds nothing else."""
    try:
        document, text = _document(path)
    except KnowledgeError as error:
        problems += error.problems
        return
    problems += _problems(path, text, document, {"waiver": None})
    yield from _waivers(path, text, document, problems)


def _problems(
    path: str,
    text: str,
    table: Mapping[str, Any],
    known: Mapping[str, Check | None],
    *at: str | int,
) -> Iterator[Problem]:
    """What is wrong with the keys and values of a table that stands at that place."""
    from advisor.knowledge.load import locate

    for key, value in table.items():
        where = f"{path}:{locate(text, [*at, key])}"
        if key not in known:
            yield (
                where,
                f"unknown key {key!r}; " + (near(key, known) or f"known are {', '.join(known)}"),
            )
            continue
        check = known[key]
        if check is None:
            if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
                yield where, f"write it as [[{key}]]"
        elif not check(value):
            yield where, f"{key} must be {_KINDS[check]}"


def _tables(document: Mapping[str, Any], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    found = document.get(name, [])
    if isinstance(found, list):
        yield from ((i, table) for i, table in enumerate(found) if isinstance(table, dict))


def _subjects(
    path: str, text: str, document: Mapping[str, Any], folder: str, problems: list[Problem]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    from advisor.knowledge.load import locate

    for number, table in _tables(document, "subject"):
        wrong = list(_problems(path, text, table, {"path": _text, **_SUBJECT}, "subject", number))
        if "path" not in table:
            line = locate(text, ["subject", number])
            wrong.append((f"{path}:{line}", "a subject needs a path: which files it is for"))
        problems += wrong
        if not wrong:
            options = {key: _placed(key, value, folder) for key, value in table.items()}
            yield options.pop("path"), options


def _waivers(
    path: str, text: str, document: Mapping[str, Any], problems: list[Problem]
) -> Iterator[Waiver]:
    from advisor.knowledge.load import locate

    for number, table in _tables(document, "waiver"):
        line = locate(text, ["waiver", number])
        wrong = list(_problems(path, text, table, _WAIVER, "waiver", number))
        for key in ("rule", "reason"):
            if key not in table:
                wrong.append((f"{path}:{line}", f"a waiver needs a {key}"))
        problems += wrong
        if not wrong:
            told = {**table, "expires": str(table.get("expires", ""))}
            yield Waiver(location=Location(path, line), **told)


def _placed(key: str, value: Any, folder: str) -> Any:
    """A value with the paths in it made relative to the current folder."""
    if key == "cmdline" and value.startswith("@"):
        return "@" + os.path.join(folder, value[1:])
    if key not in _PATHS:
        return value
    if isinstance(value, list):
        return [os.path.join(folder, one) for one in value]
    return os.path.join(folder, value)


def check_rules(waivers: Iterable[Waiver], known: Callable[[], Iterable[str]]) -> None:
    """Raises KnowledgeError for waivers of what no finding, tunable or diagnostic is called."""
    names: set[str] = set()
    problems = []
    for waiver in waivers:
        names = names or set(known())
        if waiver.rule not in names:
            hint = near(waiver.rule, names) or "the id of a finding, a tunable or a diagnostic"
            problems.append((str(waiver.location), f"there is no rule {waiver.rule!r} ({hint})"))
    if problems:
        raise KnowledgeError(problems)


def read_baseline(path: str) -> dict[str, Any]:
    """The entries of a baseline by fingerprint. Raises InputError."""
    try:
        document = json.loads(read_text(path))
        if document["schema"] != BASELINE:
            raise ValueError(f"schema {document['schema']!r}")
        return {
            str(entry["fingerprint"]): {
                "id": str(entry["id"]), "path": str(entry["path"]), "state": list(entry["state"])
            }
            for entry in document["findings"]
        }  # fmt: skip
    except (ValueError, KeyError, TypeError) as error:
        reason = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        hint = "kernel-advisor baseline writes one"
        raise InputError(f"is no baseline: {reason}", where=path, hint=hint) from error


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
