"""Whose word counts in a review: what decides is the base's; what a change does to it is told.

What decides is the settings with all that they name (waivers, baseline, rules, profiles), and what
the options name of that kind within the repository. It is read as the base has it. What tells of
the subject (a boot line, sysctls, the configuration that fragments stand on) is read as the change
leaves it, within the repository.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from advisor import repository
from advisor.cli.auditor import SETTINGS, Auditor
from advisor.cli.options import Request
from advisor.cli.settingschange import Deciding, compared
from advisor.errors import AdvisorError, InputError
from advisor.inputs import git
from advisor.inputs.open import InputName, RepositoryFile
from advisor.model.review import Entry, Review, SettingsChange, Standing
from advisor.record import NamedTuple
from advisor.repository import RepositoryPaths

Judge = Callable[[Auditor], Review]


class Revisions(NamedTuple):
    """The commits of a review, an empty `head` being the work tree, in the repository of `paths`,
    whose root is empty where there is no work tree."""

    base: str
    head: str
    paths: RepositoryPaths


def reviewed(request: Request, revisions: Revisions, judge: Judge) -> Review:
    """The review by what decides in the base, with what the change does to that.

    With --trust-head, or where its digest is accepted, the change's own policy decides. Raises the
    errors of wrong options, and of what decides in the base.
    """
    review = request.review._replace(head=revisions.head)
    request = request._replace(review=review)
    own = _at(request, revisions, revisions.head)
    if request.review.trust_head:
        return judge(_auditor(own, revisions))._replace(trusts_head=True)
    base = _at(request, revisions, revisions.base)
    auditor = _auditor(base, revisions)
    made = judge(auditor)
    if own.policy.no_settings and base.policy.no_settings and _same(own, base):
        return made
    try:
        others = _auditor(own, revisions)
        change = compared(Deciding.by(auditor), Deciding.by(others))
        return _with(made, change, others, judge, auditor) if change else made
    except AdvisorError as error:
        return made._replace(entries=(_unreadable(own, error), *made.entries))


def _with(
    made: Review, change: SettingsChange, others: Auditor, judge: Judge, auditor: Auditor
) -> Review:
    """The review with what the change does to its judgement, or by its own where that counts."""
    if change.standing is Standing.HARMLESS:
        return made._replace(policy=change)
    own = judge(others)
    if change.standing is Standing.OPEN and change.digest in auditor.request.review.accept_policy:
        return own._replace(policy=change._replace(standing=Standing.ACCEPTED))
    failed = change.standing is Standing.OPEN and bool(auditor.policy.fail_on)
    return made._replace(policy=change._replace(own=_outcome(own), failed=failed))


def _outcome(review: Review) -> str:
    """What a review comes to, in a few words."""
    if any(entry.problem for entry in review.entries):
        return "cannot be read"
    return "fails" if review.failed else "passes"


def _unreadable(request: Request, error: AdvisorError) -> Entry:
    """What stands for settings that the change leaves broken."""
    settings = request.policy.settings
    path = settings.path if isinstance(settings, RepositoryFile) else SETTINGS
    where = f"{error.where}: " if error.where else ""
    problem = InputError(f"{where}{error.message}", where=path, hint="correct it")
    return Entry(path, path, "changed", "settings", problem=problem)


def _auditor(request: Request, revisions: Revisions) -> Auditor:
    root = revisions.paths.root
    return Auditor(request, in_full=True, paths=RepositoryPaths(root, root))


def _same(one: Request, other: Request) -> bool:
    """Whether neither names anything that decides within the repository."""
    return all(
        not isinstance(name, RepositoryFile)
        for request in (one, other)
        for name in (
            request.policy.baseline, *request.knowledge.rules, *request.knowledge.profiles
        )
    )  # fmt: skip


def _at(request: Request, revisions: Revisions, revision: str) -> Request:
    """The request with what decides as that revision has it, the subject's facts as head does."""

    def decides(name: InputName) -> InputName | None:
        return _deciding(name, revisions, revision)

    def tells(name: InputName) -> InputName:
        return _within(name, revisions, "" if revisions.paths.root else revisions.head)

    policy, knowledge, subject = request.policy, request.knowledge, request.subject
    settings = None if policy.no_settings else _settings(request, revisions, revision)
    line = subject.cmdline
    if isinstance(line, str) and line.startswith("@"):
        named = tells(line[1:])
        line = named if isinstance(named, RepositoryFile) else line
    base_config = request.review.base_config
    return request._replace(
        policy=policy._replace(
            settings=settings,
            no_settings=settings is None,
            baseline=policy.baseline and decides(policy.baseline),
        ),
        knowledge=knowledge._replace(
            rules=tuple(filter(None, map(decides, knowledge.rules))),
            profiles=tuple(filter(None, map(decides, knowledge.profiles))),
        ),
        subject=subject._replace(
            cmdline=line,
            sysctl=subject.sysctl and tells(subject.sysctl),
            runtime=subject.runtime and tells(subject.runtime),
        ),
        review=request.review._replace(base_config=base_config and tells(base_config)),
    )


def _settings(request: Request, revisions: Revisions, revision: str) -> InputName | None:
    """The settings that are named, else the nearest from here upwards, as that revision has them;
    None where it has none."""
    if request.policy.settings is not None:
        return _deciding(request.policy.settings, revisions, revision)
    paths = revisions.paths
    folder = os.path.relpath(paths.here, paths.root) if paths.root else ""
    parts = [] if folder in ("", os.curdir) else folder.split(os.sep)
    for depth in range(len(parts), -1, -1):
        path = "/".join((*parts[:depth], SETTINGS))
        found = RepositoryFile(path, paths.root, revision)
        if _holds(found):
            return found
    return None


def _deciding(name: InputName, revisions: Revisions, revision: str) -> InputName | None:
    """What an option names, as that revision has it; None where it has nothing of that name."""
    found = _within(name, revisions, revision)
    missing = isinstance(found, RepositoryFile) and not _holds(found)
    return None if missing else found


def _within(name: InputName, revisions: Revisions, revision: str) -> InputName:
    """What an option names, as a file of that revision if it is one of the repository."""
    if isinstance(name, RepositoryFile) or name == "-":
        return name
    root = revisions.paths.root
    if parts := git.parted(name):
        # A file of that very name may have come with the change.
        try:
            commit = git.commit(parts[0])
        except InputError:
            commit = ""  # it is a path with a colon
        if commit:
            return RepositoryFile(git.from_root(parts[1], name), root, commit, name)
    path = revisions.paths.within(name)
    return name if path is None else RepositoryFile(path, root, revision)


def _holds(file: RepositoryFile) -> bool:
    """Whether there is something of that name."""
    if file.revision:
        return git.holds(file.revision, file.path)
    return os.path.lexists(os.path.join(file.root, file.path))


def here(root: str) -> RepositoryPaths:
    """The repository's root and the folder that options are relative to."""
    return RepositoryPaths(root, repository.here())
