"""`like`: what somebody's tuning does on a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.cli.audit import with_host
from advisor.cli.auditor import Auditor
from advisor.cli.can import in_its_tree
from advisor.cli.command import command
from advisor.cli.options import (
    KNOWLEDGE,
    LIKE,
    MACHINE,
    OUTPUT,
    POLICY,
    PROFILE,
    SUBJECT,
    TREE,
    Request,
)
from advisor.cli.printing import emit, targets
from advisor.errors import UsageError
from advisor.output import LIKE_FORMATS

if TYPE_CHECKING:
    from advisor.model.like import Tuning
    from advisor.model.subject import Subject


@command(
    LIKE.tuning,
    LIKE.config,
    *SUBJECT.without("configs", "merge"),
    PROFILE,
    *MACHINE,
    *KNOWLEDGE.without("profile", "require", "prefer"),
    *TREE.without("on", "prove"),
    *OUTPUT.without("all", "verbose"),
    OUTPUT.verbose.but(
        help="Also show entries in force, unknown entries, and entries outside the kernel."
    ),
    *POLICY.without("strength", "keep", "fail_on", "baseline"),
)
def like(request: Request) -> int:
    """Tell what a tuning of TuneD, saptune, sysctl.d or others does on a kernel."""
    from advisor.engine.effective.world import World
    from advisor.engine.like.answers import like as likeness

    formats = targets(request.output, LIKE_FORMATS)
    config = request.like.config
    subject = request.subject._replace(configs=(config,) if config else ())
    request = with_host(request._replace(subject=subject))
    if len(request.subject.configs) + len(request.subject.hosts) > 1:
        raise UsageError(
            "a tuning can be tried on only one kernel", where="--host", hint="name only one"
        )
    auditor = Auditor(request)
    path = (*request.subject.configs, *request.subject.hosts)[0]
    profiles = auditor.profiles(path)
    found = [
        likeness(tuning, World(one, auditor.knowledge), profiles)
        for tuning, one in _tried(request, auditor)
    ]
    for target in formats:
        emit(target, found, request.output.verbose)
    return 1 if any(one.failed for one in found) else 0


def _tried(request: Request, auditor: Auditor) -> Iterator[tuple[Tuning, Subject]]:
    """The tuning, and the kernel that it is tried on. Raises InputError and UsageError."""
    from advisor.inputs.host.root import Root
    from advisor.inputs.tunings.read import read_tuning

    name = request.like.tuning
    for path in request.subject.configs:
        config = auditor.read(path)
        for subject in in_its_tree(auditor.subject(config), config, request):
            yield read_tuning(name, Root(), subject.machine), subject
    for folder in request.subject.hosts:
        from advisor.inputs.host.facts import read_facts
        from advisor.inputs.host.read import root_of

        root = root_of(folder)
        tuning = read_tuning(name, root, read_facts(root))
        keys = [one.key for one in tuning.entries if not (one.told or one.is_word)]
        host, subject = auditor.host_subject(folder, keys)
        for one in in_its_tree(subject, host.config, request):
            yield tuning, one
