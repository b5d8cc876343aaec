"""`fragment` and `cmdline`: what a rebuild and the boot line should change."""

from __future__ import annotations

from advisor.cli.auditor import Auditor
from advisor.cli.command import command
from advisor.cli.options import (
    CONFIGS,
    JUDGED,
    LINE,
    OUTPUT,
    POLICY,
    PROFILE,
    SUBJECT,
    TREE,
    Request,
)
from advisor.cli.printing import complain, put, targets
from advisor.cli.values import by_kbuild
from advisor.errors import AdvisorError, ConflictError, InputError, UsageError
from advisor.inputs.config import parse_config
from advisor.model.profile import Strength
from advisor.model.report import Report
from advisor.output import BOOT_FORMATS, Style
from advisor.output.phrases import where


@command(
    CONFIGS,
    PROFILE,
    SUBJECT.merge,
    *JUDGED,
    TREE.prove,
    OUTPUT.output,
    *POLICY.without("fail_on", "baseline"),
    OUTPUT.all,
)
def fragment(request: Request) -> int:
    """Write a fragment with the changes that need a rebuild."""
    refuse_several(request, "fragment")
    if by_kbuild(request.tree):
        return _verified_fragment(request)
    report = _planned(request, "fragment")
    put(_fragment(report, request), request.output.output)
    return 0


@command(
    CONFIGS,
    PROFILE,
    SUBJECT.merge,
    *JUDGED,
    OUTPUT.format.but(
        help="plain, grub, grubby, kernel-install, bootc, tuned or kconfig.", default="plain"
    ),
    *OUTPUT.without("verbose", "all"),
    *POLICY.without("fail_on", "baseline", "keep"),
    *LINE,
)
def cmdline(request: Request) -> int:
    """Write the boot line with the changes that need no rebuild."""
    refuse_several(request, "cmdline")
    wanted = targets(request.output, BOOT_FORMATS)
    report = _planned(request, "cmdline")
    refuse_broken_line(report)
    # What one format cannot carry leaves the files of the others unwritten too.
    texts = [target.render([report], Style()) for target in wanted]
    for text, target in zip(texts, wanted, strict=True):
        put(text, target.path)
    from advisor.output.plan.plain import reasons

    for line in reasons(report, dict.fromkeys(target.name for target in wanted)):
        complain(line)
    return 0


def _fragment(report: Report, request: Request) -> str:
    from advisor.output.plan import fragment

    text: str = fragment.render([report], Style(verbose=request.output.all))
    return text


def _verified_fragment(request: Request) -> int:
    """Likewise, proven by the tree's own tools; not written if one of its lines does not hold."""
    from advisor.cli.trees import audited_in_tree, proving
    from advisor.tree.proof import NOT_VERIFIED, verify

    auditor = Auditor(request, "fragment")
    config = auditor.one()
    auditor.infer(config)
    with proving(auditor.request, config) as (build, base, arch):
        subject = auditor.subject(base)
        judge = auditor.judge(base.path)
        report, answers = audited_in_tree(subject, base, auditor.request, judge, arch)
        tell_waivers(auditor.with_remarks([report])[0])
        refuse_unplanned(report, "fragment", auditor.policy.weakest)
        text = _fragment(report._replace(proof="kbuild"), request)
        verified = NOT_VERIFIED
        if report.plan.steps:
            verified = verify(build, parse_config(text, "fragment"), answers.predicted)
    for line in (*verified.notes, *verified.lost(), *verified.defects()):
        complain(line)
    if verified.comparison.lost:
        return 1
    put(text, request.output.output)
    return AdvisorError.exit_code if verified.comparison.differences else 0


def refuse_several(request: Request, command: str) -> None:
    """Raises UsageError for several subjects that are not one: a plan is for one."""
    several = (*request.subject.configs, *request.subject.hosts)
    if len(several) > 1 and not request.subject.merge:
        hint = "--merge combines several files; without it, run the command once for each file"
        raise UsageError(f"takes one configuration, not {len(several)}", where=command, hint=hint)


def _planned(request: Request, plan: str) -> Report:
    auditor = Auditor(request, plan)
    reports, _ = auditor.reports(complain)
    tell_waivers(reports[0])
    refuse_unplanned(reports[0], plan, auditor.policy.weakest)
    return reports[0]


def refuse_broken_line(report: Report) -> None:
    """Raises InputError for a boot line to which nothing can be added."""
    for item in report.diagnostics:
        if item.id in ("unbalanced-quote", "control-character"):
            raise InputError(item.message, where=where(item.location), hint="correct the line")


def tell_waivers(report: Report) -> None:
    """What is to be said of waivers, on stderr: a plan has no place for it."""
    from advisor.model.diagnostics import DIAGNOSTICS, Input

    for item in report.diagnostics:
        if Input.WAIVERS in DIAGNOSTICS[item.id].inputs:
            complain(f"{where(item.location)}: {item.message} ({item.remedy})")


def refuse_unplanned(report: Report, plan: str, weakest: Strength) -> None:
    """Raises the error of a report from which no plan of advice down to this strength can be made.

    What only one profile wants so much, or all as an option, is left as it is, and told on stderr:
    to follow one would undo what another has.
    """
    if not report.complete and plan == "fragment":
        hint = "--tree TREE completes a defconfig; give --whole if the file is complete"
        raise InputError(
            "is not a complete configuration: symbols without a line are unknown, not off",
            where=report.name,
            hint=hint,
        )
    disputes = []
    settled = "--prefer PROFILE names the profile that wins"
    strict = min(weakest, Strength.SHOULD, key=lambda one: one.rank)
    for conflict in report.conflicts:
        sides = (f"{advice.profile} wants {wanted}" for advice, wanted in conflict.sides)
        dispute = f"{conflict.title}: {', '.join(sides)}"
        if conflict.counts(strict):
            disputes.append(dispute)
        else:
            complain(f"not changed, because profiles disagree: {dispute} ({settled})")
    if disputes:
        hint = f"{settled}; audit gives the reasons"
        raise ConflictError(f"the profiles disagree: {'; '.join(disputes)}", hint=hint)
