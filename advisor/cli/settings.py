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

    [policies]
    HZ_1000 = { value = "y", reason = "our desktops" }

Policies are told in policies.py. Files are named relative to the folder of this one. The `path` of
a subject, waiver or policy is a pattern of paths from the repository's root (see repository.py), in
which `*` spans folders. A subject is for the configurations whose path fits; of several, the last
that names an option counts. Options of the command line come first.

Who runs it may have his own settings name files anywhere. Those of a revision, or of another owner,
are a stranger's word: what they name is read within the repository alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from advisor.cli.options import KNOWLEDGE, MACHINE, POLICY, REVIEW, SUBJECT, Request
from advisor.cli.settingsfile import (
    Check,
    Problem,
    SettingsFile,
    is_count,
    is_day,
    is_pattern,
    is_switch,
    is_table,
    is_text,
    is_texts,
    problems_of,
    read_file,
)
from advisor.cli.values import fail_on_of, machine_by, weakest
from advisor.errors import MOST_PROBLEMS, KnowledgeError, UsageError
from advisor.inputs.machine import kernel_of
from advisor.inputs.open import InputName, RepositoryFile, name_of
from advisor.knowledge.store import Knowledge
from advisor.model.finding import Waiver
from advisor.model.kernel import Location
from advisor.model.policy import Policy
from advisor.record import NamedTuple


class Table(NamedTuple):
    """Options by their names in a Request, for the configurations whose path fits the pattern."""

    location: Location
    pattern: str = "*"
    options: Mapping[str, Any] = {}


class Settings(NamedTuple):
    """What the file says: `top` for all configurations, `subjects` for some; `files` are it and the
    files of waivers and policies that it names; `patterns` are the paths of policies."""

    top: Table
    subjects: tuple[Table, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    files: tuple[InputName, ...] = ()
    policies: tuple[Policy, ...] = ()
    patterns: frozenset[str] = frozenset()

    def of(self, place: str) -> dict[str, Any]:
        """The options for the configuration of that path (see RepositoryPaths)."""
        options = dict(self.top.options)
        for table in self.subjects:
            if fnmatchcase(place, table.pattern):
                options.update(table.options)
        return options

    def scopes(self, place: str) -> frozenset[str]:
        """The patterns of policies that fit the configuration of that path."""
        fitting = (one for one in self.patterns if not one or fnmatchcase(place, one))
        return frozenset(fitting)


# What can be said of one subject.
_SUBJECT: dict[str, Check] = {
    "profile": is_texts, "cmdline": is_text, "sysctl": is_text, "runtime": is_text,
    "kernel": is_text, "arch": is_text, "cpus": is_count, "isolate": is_text,
    "nodes": is_count, "memory": is_text, "shared-memory": is_text, "vendor": is_text,
    "guest": is_switch, "hypervisor": is_text, "efi": is_switch,
    "whole": is_switch, "keep": is_texts, "prefer": is_text, "require": is_texts,
}  # fmt: skip
_TOP: dict[str, Check] = {
    **_SUBJECT, "rules": is_texts, "profiles": is_texts, "fail-on": is_text, "strength": is_text,
    "baseline": is_text, "waivers": is_texts, "must-judge": is_texts, "policy-files": is_texts,
}  # fmt: skip
_WAIVER: dict[str, Check] = {
    "rule": is_text, "reason": is_text, "path": is_pattern, "profile": is_text, "subject": is_text,
    "owner": is_text, "expires": is_day,
}  # fmt: skip
_WAIVERS: dict[str, Check | None] = {"waiver": None}
_POLICIES: dict[str, Check | None] = {"policies": is_table, "policy": None}
# Those that name files or folders: what decides, and what is said of the subject.
_DECIDING = ("rules", "profiles", "baseline", "waivers", "policy-files")
_FACTS = ("sysctl", "runtime")


def read(path: InputName, facts: str = "") -> Settings:
    """The settings in that file and in the files of waivers and policies that it names.

    Of settings of a revision `facts` is the commit (empty: the work tree) from which the files are
    read that tell of the subject. Raises KnowledgeError naming every problem, and InputError if a
    file cannot be read.
    """
    file = read_file(path)._replace(facts=facts)
    known = {**_TOP, "subject": None, **_WAIVERS, **_POLICIES}
    problems = list(problems_of(file, file.document, known))
    options: dict[str, Any] = {}
    if not problems:
        own = {key: file.document[key] for key in file.document if key in _TOP}
        options = _placed(file, own, problems)
    subjects = tuple(_subjects(file, problems))
    waivers = list(_waivers(file, problems))
    files = [path]
    for more in _more(options.pop("waivers", ()), _WAIVERS, problems):
        waivers += _waivers(more, problems)
        files.append(more.path)
    others = list(_more(options.pop("policy_files", ()), _POLICIES, problems))
    policies = _policies([file, *others], problems)
    if problems:
        raise KnowledgeError(problems)
    top = Table(Location(name_of(path)), options=options)
    files += (one.path for one in others)
    patterns = frozenset(policy.path for policy in policies)
    return Settings(top, subjects, tuple(waivers), tuple(files), tuple(policies), patterns)


def _more(
    names: Iterable[Any], known: Mapping[str, Check | None], problems: list[Problem]
) -> Iterator[SettingsFile]:
    """The further files of these names, which hold nothing but what is `known`."""
    for name in filter(None, names):
        try:
            file = read_file(name)
        except KnowledgeError as error:
            problems += error.problems
            continue
        problems += problems_of(file, file.document, known)
        yield file


def _policies(files: list[SettingsFile], problems: list[Problem]) -> Iterable[Policy]:
    """The policies of all files; most runs have none, and read nothing for them."""
    if not any(name in file.document for file in files for name in _POLICIES):
        return ()
    from advisor.cli import policies

    return policies.read(files, problems)


def _subjects(file: SettingsFile, problems: list[Problem]) -> Iterator[Table]:
    for number, table in file.tables("subject"):
        if len(problems) > MOST_PROBLEMS:
            return
        wrong = list(problems_of(file, table, {"path": is_pattern, **_SUBJECT}, "subject", number))
        place = file.place("subject", number)
        if "path" not in table:
            wrong.append((str(place), "a subject needs the key 'path', which names its files"))
        problems += wrong
        if not wrong:
            own = {key: table[key] for key in table if key != "path"}
            yield Table(place, table["path"], _placed(file, own, problems, "subject", number))


def _waivers(file: SettingsFile, problems: list[Problem]) -> Iterator[Waiver]:
    for number, table in file.tables("waiver"):
        if len(problems) > MOST_PROBLEMS:
            return
        wrong = list(problems_of(file, table, _WAIVER, "waiver", number))
        place = file.place("waiver", number)
        missing = (key for key in ("rule", "reason") if key not in table)
        wrong += ((str(place), f"a waiver needs a {key}") for key in missing)
        problems += wrong
        if not wrong:
            fields = {**table, "expires": str(table.get("expires", ""))}
            yield Waiver(location=place, **fields)


def _placed(
    file: SettingsFile, options: Mapping[str, Any], problems: list[Problem], *at: str | int
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
                f"{key} leads out of the repository; paths in settings of a revision or of "
                "another owner must stay inside"
            )
            problems.append((str(file.place(*at, key)), wrong))
    return made


def _beside(file: SettingsFile, name: str, key: str) -> InputName | None:
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
    """Raises KnowledgeError naming every value that no option would take, and every policy that
    names what there is not.

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
    if settings.policies:
        from advisor.cli import policies

        problems += policies.problems(settings.policies, knowledge)
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
