"""One run's audits: the same knowledge, settings and policy for every configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from advisor import repository as places
from advisor.cli.request import (
    Request,
    filled,
    given_by,
    machine_by,
    settings_of,
    tree_request,
    weakest,
)
from advisor.engine.audit import Policy, audit, fails, parse_fail_on
from advisor.engine.state import World
from advisor.errors import InputError, KnowledgeError, UsageError
from advisor.inputs.config import KernelConfig, read_config
from advisor.inputs.machine import kernel_of
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge
from advisor.model.report import Report
from advisor.model.rules import Profile
from advisor.model.subject import Subject

if TYPE_CHECKING:
    from advisor.cli.settings import Problem, Settings, Table
    from advisor.engine.waivers import Accepted

Check = tuple[str, Callable[[], object]]


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


def _checks(table: Table, top: Table, knowledge: Knowledge) -> Iterator[Check]:
    """What refuses a wrong value, with its key; empty where the error says it."""
    told = filled(Request([], []), {"cpus": top.options.get("cpus"), **table.options})
    if told.cpus is None:
        # The command line may yet tell how many there are.
        told = told._replace(isolate=None)
    for name in told.profile:
        yield "", partial(knowledge.profile, name)
    if prefer := table.options.get("prefer"):
        yield "prefer", partial(knowledge.profile, prefer)
    yield "", partial(fail_on_of, told.fail_on)
    yield "", partial(weakest, told)
    yield "", partial(kernel_of, told.kernel)
    yield "", partial(machine_by, told)


Judge = Callable[[Subject], Report]


class Session:
    """What a run knows: `request` is the user's with what the settings say for all subjects."""

    def __init__(
        self,
        request: Request,
        plan: str = "",
        *,
        places: bool = True,
        practice: bool = False,
        known: bool = True,
    ) -> None:
        """`plan`, `places` and `practice` as in Policy; `known`: whether a baseline counts.

        Raises the errors of wrong options, settings, waivers, rules and baselines.
        """
        settings = settings_of(request)
        self._settings = settings
        self._request = request
        self.request = filled(request, settings.top.options) if settings else request
        if not known:
            self.request = self.request._replace(baseline=None)
        self.knowledge = index.load(self.request.rules, self.request.profiles)
        if settings:
            from advisor.cli.auditor import check_values

            check_values(settings, self.knowledge)
        self.accepted = accepted(self.request, settings, self.knowledge)
        fail_on = fail_on_of(self.request.fail_on)
        strength = weakest(self.request)
        self.policy = Policy(
            fail_on, self.request.prefer, plan, strength, places, practice, self.accepted
        )
        self._whole: tuple[Request, Judge, Given] | None = None

    def report(self, path: str) -> Report:
        """The report on one configuration. Raises InputError, TreeError or UsageError."""
        return self.report_on(read_config(path))

    def report_on(self, config: KernelConfig) -> Report:
        """The report on a configuration already read."""
        _, judge, given = self._prepared(config.path)
        return self.judged(subject_of(config, given), config, judge)

    def judged(self, subject: Subject, config: KernelConfig, judge: Judge) -> Report:
        """The report on a subject, as the tree completes its configuration if there is a tree."""
        # A boot line alone has no configuration that a tree could complete.
        if self.request.tree is None or not len(config):
            return judge(subject)
        from advisor.cli.trees import audited_in_tree

        return audited_in_tree(subject, config, tree_request(self.request), judge)[0]

    def reports(self, complain: Callable[[str], None]) -> tuple[list[Report], int]:
        """The reports on all configurations of the request, and how many could not be read.

        Of several a bad one costs a line, not the others' reports.
        """
        found: list[Report] = []
        failures = 0
        for path in self.request.configs:
            try:
                found.append(self.report(path))
            except InputError as error:
                if len(self.request.configs) == 1:
                    raise
                complain(str(error))
                failures += 1
        return self.with_remarks(found), failures

    def with_remarks(self, reports: Iterable[Report]) -> list[Report]:
        """The reports with what is to be said of the waivers and the baseline themselves."""
        reports = list(reports)
        if self.accepted is None:
            return reports
        told = self.accepted.remarks(reports)
        return [
            report._replace(
                diagnostics=(*report.diagnostics, *remarks),
                failed=report.failed or fails((), remarks, self.policy.fail_on),
            )
            for report, remarks in zip(reports, told, strict=True)
        ]

    def judge(self, path: str) -> Judge:
        """What makes a report of a subject, with the options for the configuration there."""
        return self._prepared(path)[1]

    def given(self, path: str) -> Given:
        """What was told beside the configuration of that path."""
        return given_by(self._own(path))

    def profiles(self, path: str) -> list[Profile]:
        """The profiles that are named for the configuration of that path; none may be."""
        return chosen_profiles(self._own(path), self.knowledge)

    def _own(self, path: str) -> Request:
        """The options for one configuration."""
        settings = self._settings
        if settings is None or not settings.subjects:
            return self.request
        own = filled(self._request, settings.of(_place(path)))
        own = own._replace(baseline=self.request.baseline)
        # What is the same for all is prepared once, and an input for all is read once.
        return self.request if own == self.request else own

    def _prepared(self, path: str) -> tuple[Request, Judge, Given]:
        """Options and judge for one configuration, made once where they are the same for all."""
        own = self._own(path)
        if own is not self.request or self._whole is None:
            made = self._prepare(own)
            if own is not self.request:
                return made
            self._whole = made
        return self._whole

    def _prepare(self, request: Request) -> tuple[Request, Judge, Given]:
        profiles = chosen_profiles(request, self.knowledge)
        idle = self.policy.plan or request.cmdline is None
        if request.configs and idle and not profiles:
            hint = "name a workload, or give a boot line to check with --cmdline; see audit --help"
            if self.policy.plan:
                hint = "name a workload; see: kernel-advisor profiles"
            raise UsageError("is missing", where="--profile", hint=hint)
        judge = partial(
            _judge, request=request, knowledge=self.knowledge, profiles=profiles,
            policy=self.policy._replace(prefer=request.prefer),
        )  # fmt: skip
        return request, judge, given_by(request)


def _place(path: str) -> str:
    """The path from the repository's root, also of a file of a revision."""
    if ":" in path and not os.path.lexists(path):
        from advisor.inputs import git

        if found := git.parted(path):
            name = found[1]
            return places.current().of(name) if name.startswith("./") else os.path.normpath(name)
    return places.current().of(path)


def accepted(request: Request, settings: Settings | None, knowledge: Knowledge) -> Accepted | None:
    """What the settings and the baseline accept; None if there is nothing of the kind.

    Raises KnowledgeError for a waiver that can match nothing, and InputError.
    """
    waivers = settings.waivers if settings else ()
    if not waivers and request.baseline is None:
        return None
    from advisor.cli.settings import check_waivers, read_baseline, today
    from advisor.engine.waivers import Accepted

    if waivers:
        check_waivers(waivers, _rules(knowledge))
    entries = read_baseline(request.baseline) if request.baseline else {}
    return Accepted(waivers, entries, request.baseline or "", today(), places.current())


def _rules(knowledge: Knowledge) -> dict[str, set[str]]:
    """All that a waiver may name, with the profiles that have advice about it."""
    from advisor.model.diagnostics import MEANINGS

    found: dict[str, set[str]] = {name: set() for name in (*knowledge.ids("tunables"), *MEANINGS)}
    for name in knowledge.ids("profiles"):
        for advice in knowledge.profile(name).advice:
            for rule in (advice.key, *(option.tunable for option in advice.options)):
                found.setdefault(rule, set()).add(advice.profile)
    return found


def fail_on_of(text: str) -> frozenset[str]:
    """What --fail-on names. Raises UsageError."""
    try:
        return parse_fail_on(text or "must,error")
    except ValueError as error:
        from advisor.engine.audit import FAIL_ON

        hint = f"any of {', '.join(FAIL_ON)}, joined by commas"
        raise UsageError(f"{error} is nothing to fail on", where="--fail-on", hint=hint) from error


def _judge(
    subject: Subject,
    request: Request,
    knowledge: Knowledge,
    profiles: list[Profile],
    policy: Policy,
) -> Report:
    if request.keep:
        subject = subject._replace(keep=_kept(subject, request, knowledge))
    return audit(subject, knowledge, profiles, policy)


def _kept(subject: Subject, request: Request, knowledge: Knowledge) -> frozenset[str]:
    """The symbols that --keep names, as this kernel spells them. Raises UsageError."""
    world = World(subject, knowledge)
    kept = frozenset(world.spelled(name.removeprefix("CONFIG_")) for name in request.keep)
    for name in sorted(kept):
        if not world.config.shows(name) and not (subject.tree and subject.tree.defines(name)):
            where = "this tree" if subject.tree else subject.name
            hint = "check its spelling; explain NAME --tree shows a symbol"
            raise UsageError(f"{name} is not in {where}", where="--keep", hint=hint)
    return kept


def chosen_profiles(request: Request, knowledge: Knowledge) -> list[Profile]:
    """The profiles that a request names. Raises UsageError."""
    found = [knowledge.profile(name) for name in dict.fromkeys(request.profile)]
    if request.prefer and request.prefer not in request.profile:
        hint = "name one of the profiles given with --profile"
        raise UsageError(
            f"{request.prefer!r} is not among the profiles", where="--prefer", hint=hint
        )
    return found
