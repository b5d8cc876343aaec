"""`review`: what changed between two revisions, judged file by file for one comment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from advisor.cli.auditor import Auditor
from advisor.cli.compare import Compared, compared, is_fragment, lined, over, with_edits
from advisor.cli.options import (
    JUDGED,
    OUTPUT,
    POLICY,
    PROFILE_OR_ALL,
    REVIEW,
    Request,
    ReviewOptions,
    command,
)
from advisor.cli.printing import names_and_files, put, style
from advisor.cli.trust import Revisions, here, reviewed
from advisor.errors import InputError, UsageError
from advisor.inputs import git
from advisor.inputs.bootfiles import SYSCTLS
from advisor.inputs.changes import (
    BOOT_LINES,
    CONFIGURATION,
    FRAGMENT,
    Changed,
    Wanted,
    boot_file,
    relevant,
)
from advisor.inputs.config import KernelConfig, parse_config
from advisor.model.review import Entry, Review
from advisor.output import FORMATS, renderer
from advisor.output import review as output
from advisor.record import NamedTuple
from advisor.repository import RepositoryPaths

_MARKER = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class ChangedSide(NamedTuple):
    """A changed file as it was or is, and of which kind; `note` is what was taken for granted."""

    side: Compared
    kind: str
    note: str = ""


@command(
    REVIEW.base,
    REVIEW.head,
    PROFILE_OR_ALL,
    *REVIEW,
    *JUDGED,
    *OUTPUT.without("all", "verbose"),
    *POLICY.without("strength"),
    OUTPUT.verbose.but(help="List what is folded, and sources."),
)
def review(request: Request) -> int:
    """What changed between two git revisions, as one comment."""
    marker = request.review.marker
    if marker and not (_MARKER.fullmatch(marker) and len(marker) <= 40):
        hint = "a-z, 0-9 and single dashes between them, at most 40"
        raise UsageError(f"{marker!r} is no name for a marker", where="--marker", hint=hint)
    # A fragment is of one configuration, and no review.
    formats = {**FORMATS, **output.FORMATS}
    del formats["fragment"]
    wanted = names_and_files(request.output, formats)
    renderer(request.output.format, output.FORMATS)
    root = git.root()
    paths = RepositoryPaths(root, root)
    head = git.commit(request.review.head) if request.review.head else ""
    revisions = Revisions(git.commit(request.review.base), head, here(root))
    made = reviewed(request, revisions, partial(_review, request.review))
    for name, path in wanted:
        how = style(path, request.output.verbose)._replace(places=paths)
        put(output.render(name, made, how), path)
    return made.exit_code


def _review(options: ReviewOptions, auditor: Auditor) -> Review:
    """The review of everything that changed and matters; a bad file costs a line of it."""
    changes = git.changed(options.base, options.head, exact=options.exact)
    names = (*BOOT_LINES, *options.boot_lines)
    with git.blobs() as blobs:
        # Of the settings as well.
        must_judge = auditor.request.review.must_judge
        wanted = Wanted(options.include, options.exclude, names, must_judge)
        changed = relevant(changes, wanted, blobs)
    base_config = auditor.request.review.base_config
    base = auditor.read(base_config) if base_config else None
    entries = [_entry(change, base, auditor) for change in changed]
    judged = tuple(_with_remarks(entries, auditor))
    head = options.head or "the work tree"
    return Review(options.base, head, judged, options.marker, local=not options.head)


def _with_remarks(entries: list[Entry], auditor: Auditor) -> Iterable[Entry]:
    """The entries with what is to be said of waivers and baseline themselves."""
    reports = iter(auditor.with_remarks(entry.report for entry in entries if entry.report))
    for entry in entries:
        if entry.report is None:
            yield entry
            continue
        report, change = next(reports), entry.comparison
        if change:  # of which alone is told, so that they have to stand there
            remarks = report.diagnostics[len(entry.report.diagnostics) :]
            change = change._replace(appeared=(*change.appeared, *remarks))
        yield entry._replace(report=report, comparison=change)


def _entry(change: Changed, base: KernelConfig | None, auditor: Auditor) -> Entry:
    entry = Entry(change.path, change.old_path, change.status, change.kind)
    if change.problem:
        return entry._replace(problem=change.problem)
    if change.old == change.new:
        return entry._replace(note="its content is unchanged")
    try:
        try:
            old = _side(change.old, change, base, auditor)
        except InputError:  # no reason not to judge the new one
            old = None
        new = _side(change.new, change, base, auditor)
        if new is None:
            return entry._replace(kind=old.kind if old else change.kind)
        if old:
            new = new._replace(side=lined(old.side, new.side))
        judge = auditor.judge(change.path)
        report = auditor.judged(new.side.subject, new.side.config, judge)
        comparison = compared(old.side, new.side, auditor) if old else None
    except InputError as error:
        return entry._replace(problem=error)
    entry = entry._replace(report=report, comparison=comparison, kind=new.kind, note=new.note)
    return with_edits(entry, old.side if old else None, new.side)


def _side(
    text: str | None, change: Changed, base: KernelConfig | None, auditor: Auditor
) -> ChangedSide | None:
    """What that text is judged as; None where the file is not there on that side."""
    if text is None:
        return None
    if change.kind == CONFIGURATION:
        config = parse_config(text, change.path, complete=auditor.whole(change.path))
        return _config_side(config, base, auditor)
    config = base or KernelConfig(change.path, "", {})
    subject = auditor.subject(config, change.path)
    file = boot_file(text, change.path, subject.machine.arch)
    # What is odd in the base is not said again beside every line.
    subject = subject._replace(name=change.path, notes=() if file.cmdline else file.notes)
    if file.cmdline:
        subject = subject._replace(cmdline=file.cmdline)
    if file.sysctl or file.sysfs:
        settings = {**subject.sysctl, **file.sysctl}, {**subject.sysfs, **file.sysfs}
        subject = subject._replace(sysctl=settings[0], sysfs=settings[1])
    missing = "judged without a configuration: --base-config names one"
    note = "; ".join([f"judged on {base.path}" if base else missing, *file.remarks])
    kind = SYSCTLS if file.sysctl and not file.cmdline else change.kind
    return ChangedSide(Compared(subject, config), kind, note)


def _config_side(config: KernelConfig, base: KernelConfig | None, auditor: Auditor) -> ChangedSide:
    path = config.path
    kind, note = CONFIGURATION, ""
    if is_fragment(config):
        kind, note = FRAGMENT, "a fragment alone: --base-config names what it is merged into"
    elif not config.complete:
        note = "a defconfig: what it does not name is unknown, unless a tree completes it"
    if base and kind == FRAGMENT:
        note = f"judged on {base.path}"
        config = over(base, config, auditor)
    return ChangedSide(Compared(auditor.subject(config, path), config), kind, note)
