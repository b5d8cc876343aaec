"""`audit` and `baseline`: reports on configurations, and what they find today."""

from __future__ import annotations

import os
import sys

from advisor import repository
from advisor.cli.auditor import Auditor
from advisor.cli.command import command
from advisor.cli.mistakes import stdin_holds_data
from advisor.cli.options import (
    CONFIGS_OR_HOSTS,
    COSTS,
    DEPTH,
    JUDGED,
    OUTPUT,
    POLICY,
    PROFILE,
    SUBJECT,
    Request,
)
from advisor.cli.printing import complain, emit, put, targets
from advisor.errors import InputError, UsageError
from advisor.output import FORMATS

_FORMATS = "text, json, markdown, html, fragment, sarif, github, gitlab or junit."
_PROFILE = PROFILE.but(help="Workload profile (repeatable); not needed with --cmdline.")


@command(
    CONFIGS_OR_HOSTS,
    SUBJECT.hosts,
    _PROFILE,
    SUBJECT.merge,
    *JUDGED,
    OUTPUT.format.but(help=_FORMATS),
    *OUTPUT.without("all", "verbose"),
    POLICY.strength.but(
        help="Weakest advice in a fragment: must, should (default) or could.", rare=True
    ),
    *POLICY,
    *COSTS,
    *DEPTH,
    OUTPUT.verbose.but(help="Also list the sources, and what the report leaves out."),
)
def audit(request: Request) -> int:
    """Judge a configuration and boot line, and say what to change."""
    wanted = targets(request.output, FORMATS)
    names = {target.name for target in wanted}
    verbose, brief = request.output.verbose, request.depth.brief
    if verbose and brief:
        raise UsageError("contradicts --verbose", where="--brief", hint="give only one of the two")
    auditor = Auditor(
        with_host(request),
        "fragment" if "fragment" in names else "",
        in_full=verbose or not names.isdisjoint(("json", "html", "markdown")),
    )
    # One report for every configuration; a bad one costs a line, not the others' reports.
    reports, failures = auditor.reports(complain)
    if "fragment" in names:
        from advisor.cli.fragment import refuse_unplanned

        for report in reports:
            refuse_unplanned(report, "fragment", auditor.policy.weakest)
    if reports:
        for target in wanted:
            emit(target, reports, verbose, brief)
    if failures:
        return InputError.exit_code
    return 1 if any(report.failed for report in reports) else 0


@command(
    CONFIGS_OR_HOSTS,
    SUBJECT.hosts,
    _PROFILE,
    SUBJECT.merge,
    *JUDGED,
    *POLICY.without("strength", "fail_on", "baseline"),
    OUTPUT.output,
)
def baseline(request: Request) -> int:
    """Record today's findings, so that --baseline leaves them out."""
    from advisor.cli.accepted import baseline_text

    # What an older baseline knows is still to be in the new one.
    auditor = Auditor(with_host(request), known=False)
    reports, failures = auditor.reports(complain)
    if failures:  # none is written where an input is bad
        return InputError.exit_code
    # What has the same name within the repository a baseline cannot tell apart.
    here = repository.current()
    paths: dict[str, str] = {}
    for name in (report.name for report in reports):
        other = paths.setdefault(here.of(name), name)
        if os.path.realpath(other) != os.path.realpath(name):
            message = f"{other} and {name} would both be called {here.of(name)!r} in the baseline"
            hint = "start kernel-advisor in a folder that contains both files"
            raise UsageError(message, where="baseline", hint=hint)
    put(baseline_text(reports), request.output.output)
    return 0


def with_host(request: Request) -> Request:
    """The request; where it names neither a configuration nor a host, for this machine.

    Raises UsageError where that has no Linux, or the request tells otherwise what is judged.
    """
    subject = request.subject
    if subject.configs or subject.hosts:
        return request
    told = (subject.cmdline, subject.sysctl, subject.runtime, subject.merge or None)
    if any(one is not None for one in told):
        hint = "--cmdline, --sysctl, --runtime and --merge need a CONFIG: a host has its own"
        raise UsageError("is missing", where="CONFIG", hint=hint)
    if stdin_holds_data():
        hint = "give - as CONFIG to read standard input, or add </dev/null to audit this machine"
        raise UsageError("is missing, and standard input holds data", where="CONFIG", hint=hint)
    if sys.platform != "linux":
        hint = "name a configuration, or the folder of a host with --host"
        message = f"is missing, and this machine runs {sys.platform}, not Linux"
        raise UsageError(message, where="CONFIG", hint=hint)
    return request._replace(subject=subject._replace(hosts=("/",)))
