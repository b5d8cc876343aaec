"""One run's audits: the same knowledge, settings and policy for every configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING

from advisor import repository
from advisor.cli.mistakes import config_of, refuse_profile
from advisor.cli.options import Request
from advisor.cli.printing import complain
from advisor.cli.values import fail_on_of, given_by, host_by, profiles_by, weakest
from advisor.engine.audit import Policy, audit, fails
from advisor.engine.effective.world import World
from advisor.errors import InputError, UsageError
from advisor.inputs.config import KernelConfig
from advisor.inputs.open import name_of
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Location
from advisor.model.profile import Profile
from advisor.model.report import Report
from advisor.model.subject import Subject

if TYPE_CHECKING:
    from advisor.cli.recommended import OneHost
    from advisor.cli.settings import Settings
    from advisor.engine.waivers import Accepted
    from advisor.inputs.host.read import Host
    from advisor.inputs.open import InputName
    from advisor.model.plan import Scope
    from advisor.model.policy import Policy as TeamPolicy

SETTINGS = "kernel-advisor.toml"
"""The name of a settings file."""

Judge = Callable[[Subject], Report]


class Auditor:
    """What a run knows: `request` is the user's with what the settings say for all subjects.

    The options may be others for each configuration; for equal ones everything is prepared once,
    and an input that is for all is read once.
    """

    def __init__(
        self,
        request: Request,
        plan: str | Scope = "",
        *,
        in_full: bool = False,
        known: bool = True,
        paths: repository.RepositoryPaths | None = None,
    ) -> None:
        """`known` tells whether a baseline counts; the others are those of Policy.

        Raises the errors of wrong options, settings, waivers, rules and baselines.
        """
        self.settings = settings_of(request)
        self._request = request
        self.request = request
        if self.settings:
            from advisor.cli.settings import filled

            self.request = filled(request, self.settings.top.options)
        if not known:
            policy = self.request.policy._replace(baseline=None)
            self.request = self.request._replace(policy=policy)
        options = self.request.knowledge
        for folder in options.profiles:
            refuse_profile(name_of(folder))
        self.knowledge = index.load(options.rules, options.profiles)
        if self.request.knowledge.profile:
            from advisor.cli.profilenames import named

            self.request = named(self.request, self.knowledge)
            self._request = named(request, self.knowledge, quiet=True)
        self.accepted = self._accepted()
        self._policies = cache(self._policies_of)
        if self.settings and self.settings.policies:
            from advisor.knowledge.policies import known as with_policies

            self.knowledge = with_policies(self.settings.policies, self.knowledge)
        fail_on = fail_on_of(self.request.policy)
        strength = weakest(self.request.policy)
        self.policy = Policy(
            fail_on, options.prefer, plan, strength, in_full, self.accepted,
            paths or repository.current(), self.request.line.keep_words,
            self.request.costs.costs,
        )  # fmt: skip
        # A Request is hashable all through: options are texts, numbers and tuples.
        self._given = cache(given_by)
        self._judge = cache(self._prepared)
        self._overruled: set[Location] = set()

    def report(self, path: str) -> Report:
        """The report on one configuration. Raises InputError, TreeError or UsageError."""
        return self.report_on(self.read(path))

    def report_on(self, config: KernelConfig) -> Report:
        """The report on a configuration already read."""
        judge = self.judge(config.path)
        return self.judged(self.subject(config), config, judge)

    def read(self, path: InputName) -> KernelConfig:
        """The configuration of that path. Raises InputError if it cannot be read."""
        return config_of(path, complete=self.whole(name_of(path)))

    def whole(self, path: str) -> bool | None:
        """Whether the user says that it is a whole configuration; None where they say nothing."""
        return self._own(path).subject.whole

    def subject(self, config: KernelConfig, path: str = "") -> Subject:
        """The subject of a configuration, with the options for that path, or for its own."""
        self.infer(config, path)
        given = self._given(self._own(path or config.path))
        self._tell_override(config, given)
        subject = subject_of(config, given)
        if self.request.subject.merge:
            subject = subject._replace(merged=self.request.subject.configs[1:])
        return subject

    def host_report(self, folder: str) -> Report:
        """The report on the host in that folder. Raises InputError, TreeError or UsageError."""
        return self.host(folder).as_asked()

    def host(self, folder: str) -> OneHost:
        """The host in that folder, read once. Raises InputError or UsageError."""
        from advisor.cli.recommended import OneHost, fitting, with_profiles

        own = self._own(folder)
        host, subject = self.host_subject(folder)
        named = own.knowledge.profile or own.knowledge.require
        fits = None if named else fitting(host, self.knowledge)

        def report(names: tuple[str, ...], prefer: str) -> Report:
            judge = self._judge(with_profiles(own, names, prefer) if names else own)
            return self.judged(subject, host.config, judge)

        return OneHost(host, fits, report)

    def host_subject(self, folder: str, keys: Iterable[str] = ()) -> tuple[Host, Subject]:
        """The host in that folder, read once, with these sysctls and files beside those of the
        rules, and its kernel. Raises InputError or UsageError."""
        own = self._own(folder)
        host, given = host_by(own, self.knowledge, folder, keys)
        self._infer(host.config, given)
        self._tell_override(host.config, given)
        subject = subject_of(host.config, given)
        subject = subject._replace(
            name=host.name, notes=(*subject.notes, *host.notes), next=host.next, in_use=host.in_use
        )
        return host, subject

    def _tell_override(self, config: KernelConfig, given: Given) -> None:
        """Says, once, that --kernel names another release than the configuration's header."""
        told, place = given.kernel, config.header()
        if not told or not config.version or told.numbers[:2] == config.version.numbers[:2]:
            return
        if place not in self._overruled:
            self._overruled.add(place)
            own = config.version.text
            message = f"the configuration names Linux {own}, but is judged for Linux {told.text}"
            complain(f"{place}: {message} (--kernel)")

    def infer(self, config: KernelConfig, path: str = "") -> None:
        """Asks the symbols where neither header nor user tell architecture or version."""
        own = self._own(path or config.path)
        self._infer(config, self._given(own))

    def _infer(self, config: KernelConfig, given: Given) -> None:
        arch = given.machine.arch
        dated = given.kernel or config.version or not config.complete
        if len(config) and not ((arch or config.arch) and dated):
            from advisor.knowledge.inference import infer

            infer(config, self.knowledge.catalogue, arch)

    def judged(self, subject: Subject, config: KernelConfig, judge: Judge) -> Report:
        """The report on a subject, as the tree completes its configuration if there is a tree."""
        # A boot line alone has no configuration that a tree could complete.
        if self.request.tree.tree is None or not len(config):
            return judge(subject)
        from advisor.cli.trees import audited_in_tree

        return audited_in_tree(subject, config, self.request, judge)[0]

    def reports(self, complain: Callable[[str], None]) -> tuple[list[Report], int]:
        """The reports on all configurations of the request, and how many could not be read.

        Of several a bad one costs a line, not the others' reports.
        """
        paths, hosts = self.request.subject.configs, self.request.subject.hosts
        if self.request.subject.merge:
            # All files as one, which is called as the first of them.
            config = self.one()
            report = self.judged(self.subject(config), config, self.judge(config.path))
            return self.with_remarks([report]), 0
        reports: list[Report] = []
        failures = 0
        asked = [*((self.report, path) for path in paths), *((self.host_report, h) for h in hosts)]
        for report_on, path in asked:
            try:
                reports.append(report_on(path))
            except InputError as error:
                if len(asked) == 1:
                    raise
                complain(str(error))
                failures += 1
        return self.with_remarks(reports), failures

    def one(self) -> KernelConfig:
        """The request's only configuration, or all of them as one. Raises InputError."""
        first, *others = self.request.subject.configs
        if not others:
            return self.read(first)
        from advisor.inputs.merged import joined

        return joined([self.read(path) for path in (first, *others)], self.knowledge.siblings)

    def with_remarks(self, reports: Iterable[Report]) -> list[Report]:
        """The reports with what is to be said of the waivers and the baseline themselves."""
        reports = list(reports)
        if self.accepted is None:
            return reports
        return [
            report._replace(
                diagnostics=(*report.diagnostics, *remarks),
                failed=report.failed or fails((), remarks, self.policy.fail_on),
            )
            for report, remarks in zip(reports, self.accepted.remarks(reports), strict=True)
        ]

    def judge(self, path: str) -> Judge:
        """What makes a report of a subject, with the options for the configuration there."""
        return self._judge(self._own(path))

    def alike(self, one: str, other: str) -> bool:
        """Whether the configurations of both paths have the same options."""
        return self._own(one) == self._own(other)

    def profiles(self, path: str) -> list[Profile]:
        """The profiles that are named for the configuration of that path; none may be."""
        return self._profiles(self._own(path))

    def policies(self, path: str) -> list[TeamPolicy]:
        """The policies of the settings for the configuration of that path."""
        scopes = self._own(path).scopes
        policies = self.settings.policies if self.settings else ()
        return [policy for policy in policies if policy.path in scopes]

    def _profiles(self, request: Request) -> list[Profile]:
        """The policies of the settings, and the profiles that are named."""
        return [*self._policies(request.scopes), *profiles_by(request.knowledge, self.knowledge)]

    def _policies_of(self, scopes: frozenset[str]) -> tuple[Profile, ...]:
        """The policies of these patterns as a profile; none where there are none."""
        if not self.settings or not scopes:
            return ()
        from advisor.knowledge.policies import profile

        own = (policy for policy in self.settings.policies if policy.path in scopes)
        return (profile(own),)

    def _accepted(self) -> Accepted | None:
        settings, baseline = self.settings, self.request.policy.baseline
        if settings:
            from advisor.cli.settings import check_values

            check_values(settings, self.knowledge)
        waivers = settings.waivers if settings else ()
        if not waivers and baseline is None:
            return None
        from advisor.cli.accepted import accepted

        policies = settings.policies if settings else ()
        return accepted(waivers, baseline, self.knowledge, policies)

    def _own(self, path: str) -> Request:
        """The options for one configuration."""
        settings = self.settings
        if settings is None or not (settings.subjects or settings.policies):
            return self.request
        from advisor.cli.settings import filled

        place = _place(path)
        own = filled(self._request, settings.of(place))
        policy = own.policy._replace(baseline=self.request.policy.baseline)
        return own._replace(policy=policy, scopes=settings.scopes(place))

    def _prepared(self, request: Request) -> Judge:
        profiles = self._profiles(request)
        idle = self.policy.plan or request.subject.cmdline is None
        if request.subject.configs and idle and not profiles:
            raise _no_profile(bool(self.policy.plan), self.knowledge)
        policy = self.policy._replace(prefer=request.knowledge.prefer)

        def judge(subject: Subject) -> Report:
            if keep := request.policy.keep:
                subject = subject._replace(keep=_kept(subject, keep, self.knowledge))
            return audit(subject, self.knowledge, profiles, policy)

        return judge


def _no_profile(plans: bool, knowledge: Knowledge) -> UsageError:
    """The error of a run that has nothing to judge by."""
    hint = "name a workload"
    if not plans:
        hint += ", or give a boot line with --cmdline; see audit --help"
    return UsageError("is missing", where="--profile", hint=hint, choices=knowledge.profile_lines())


def settings_of(request: Request) -> Settings | None:
    """The settings file that is named, else the nearest one up to the repository's root, if any.

    One that was found and belongs to neither this user nor root is another owner's, whom nobody
    asked to name files outside of the repository. With a revision to review, files that settings of
    a repository name to tell of the subject are read there.

    Raises KnowledgeError for a wrong file and InputError for one that cannot be read.
    """
    if request.policy.no_settings:
        return None
    path = request.policy.settings
    if path is None:
        found = repository.upwards(repository.here(), SETTINGS)
        if not found:
            return None
        path = found
        if repository.is_strangers(found):
            from advisor.inputs.open import RepositoryFile

            paths = repository.current()
            path = RepositoryFile(paths.of(found), paths.root)
            complain(f"{found} belongs to another user; if you trust it, add --settings {found}")
    from advisor.cli.settings import read

    return read(path, request.review.head)


def _place(path: str) -> str:
    """The path from the repository's root, also of a file of a revision."""
    if ":" in path and not os.path.lexists(path):
        from advisor.inputs import git

        if parts := git.parted(path):
            name = parts[1]
            if not name.startswith("./"):
                return os.path.normpath(name)
            path = name
    return repository.current().of(path)


def _kept(subject: Subject, keep: tuple[str, ...], knowledge: Knowledge) -> frozenset[str]:
    """The symbols that --keep names, as this kernel spells them. Raises UsageError."""
    world = World(subject, knowledge)
    kept = frozenset(world.spelled(name.removeprefix("CONFIG_")) for name in keep)
    for name in sorted(kept):
        if not world.config.shows(name) and not (subject.tree and subject.tree.defines(name)):
            where = "this tree" if subject.tree else subject.name
            hint = "check its spelling; 'explain NAME --tree DIR' describes a symbol"
            raise UsageError(f"{name} is not in {where}", where="--keep", hint=hint)
    return kept
