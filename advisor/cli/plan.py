"""`plan`: all changes for one machine, by effort, and the files that make them last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cli.audit import with_host
from advisor.cli.auditor import Auditor
from advisor.cli.command import command
from advisor.cli.fragment import refuse_broken_line, refuse_several, refuse_unplanned, tell_waivers
from advisor.cli.options import (
    CONFIGS_OR_HOSTS,
    JUDGED,
    OUTPUT,
    PLANNING,
    POLICY,
    PROFILE,
    SUBJECT,
    Request,
)
from advisor.cli.printing import complain, emit, targets
from advisor.errors import ConflictError, UsageError, near
from advisor.model.plan import EFFORTS, Scope, names_of
from advisor.model.remedy import RemedyKind
from advisor.model.report import Report
from advisor.output import PLAN_FORMATS

if TYPE_CHECKING:
    from advisor.cli.options import PlanningOptions

_FORMATS = "text, json, markdown, udev, ..."


@command(
    CONFIGS_OR_HOSTS,
    SUBJECT.hosts,
    PROFILE,
    SUBJECT.merge,
    *PLANNING,
    *JUDGED,
    OUTPUT.format.but(help=_FORMATS),
    *OUTPUT.without("all", "verbose"),
    *POLICY.without("fail_on", "baseline"),
    OUTPUT.verbose.but(help="Also list the sources."),
)
def plan(request: Request) -> int:
    """Plan all changes for a machine, and write files that keep them."""
    wanted = targets(request.output, PLAN_FORMATS)
    request = with_host(request)
    refuse_several(request, "plan")
    into = request.planning.into
    if into is not None:
        from advisor.cli.planfolder import refuse_folder

        refuse_folder(into)
    report = _planned(request)
    if into is not None:
        from advisor.cli.planfolder import write_plan

        write_plan(report, into)
        complain(f"the plan is in {into}: {into}/README.md says what to do")
    for target in wanted:
        emit(target, [report], request.output.verbose)
    return 0


def _planned(request: Request) -> Report:
    """The report with its plan. Raises ConflictError, and UsageError for a name nothing has."""
    options = request.planning
    only, without = frozenset(options.only), frozenset(options.without)
    auditor = Auditor(request, Scope(effort_of(options.effort), only, without))
    reports, _ = auditor.reports(complain)
    report = reports[0]
    tell_waivers(report)
    _refuse_names(options, report)
    refuse_unplanned(report, "", auditor.policy.weakest)
    refuse_broken_line(report)
    _refuse_odds(report)
    return report


def effort_of(name: str) -> RemedyKind:
    """The effort of that name. Raises UsageError."""
    if name not in EFFORTS:
        hint = f"one of {', '.join(EFFORTS)}"
        raise UsageError(f"unknown value {name!r}", where="--effort", hint=hint)
    return EFFORTS[name]


def _refuse_names(options: PlanningOptions, report: Report) -> None:
    """Raises UsageError for a name of --only or --except that no finding has."""
    known = {name for finding in report.findings for name in names_of(finding)}
    for where, names in (("--only", options.only), ("--except", options.without)):
        for name in names:
            if name not in known:
                hint = near(name, known) or "the plan shows the valid names in brackets"
                message = f"these profiles have no advice about {name!r}"
                raise UsageError(message, where=where, hint=hint)


def _refuse_odds(report: Report) -> None:
    """Raises ConflictError where two changes set one thing to different values."""
    from advisor.engine.plan.whole_plan import at_odds

    for one, other, setting in at_odds(report.plan.items):
        names = f"{one.finding.id} and {other.finding.id}"
        hint = f"leave one out: --except {other.finding.id}"
        raise ConflictError(f"{names} set {setting.key} to different values", hint=hint)
