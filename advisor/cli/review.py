"""`review`: what changed between two revisions, judged file by file for one comment."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.cli.auditor import Auditor
from advisor.cli.compare import Compared, compared, is_fragment
from advisor.cli.options import (
    KNOWLEDGE,
    MACHINE,
    OUTPUT,
    POLICY,
    PROFILE_OR_ALL,
    REVIEW,
    SUBJECT,
    TREE,
    Request,
    ReviewOptions,
    command,
)
from advisor.cli.printing import put, style, write_target
from advisor.errors import InputError, UsageError
from advisor.inputs import git
from advisor.inputs.changes import (
    BOOT_LINE,
    BOOT_LINES,
    CONFIGURATION,
    FRAGMENT,
    Changed,
    Wanted,
    boot_line,
    relevant,
)
from advisor.inputs.config import KernelConfig, parse_config, read_config
from advisor.inputs.merged import merged
from advisor.inputs.subject import subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.report import Report
from advisor.model.review import Entry, Review
from advisor.output import FORMATS, renderer
from advisor.output import review as output
from advisor.record import NamedTuple
from advisor.repository import RepositoryPaths

_MARKER = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Seen(NamedTuple):
    """One side of a changed file. `note` is what was taken for granted."""

    side: Compared
    kind: str
    note: str = ""


@command(
    REVIEW.base,
    REVIEW.head,
    PROFILE_OR_ALL,
    *REVIEW,
    *SUBJECT.without("configs"),
    *MACHINE,
    *KNOWLEDGE,
    *TREE.without("on", "prove"),
    *OUTPUT.without("all", "verbose"),
    *POLICY.without("strength"),
    OUTPUT.verbose.but(help="List what is folded, and sources."),
)
def review(request: Request) -> int:
    """What changed between two git revisions, as one comment."""
    _check_marker(request.review.marker)
    # A fragment is of one configuration, and no review.
    formats = {**FORMATS, **output.FORMATS}
    del formats["fragment"]
    options = request.output
    wanted: list[tuple[str, str | None]] = [write_target(text, formats) for text in options.write]
    if options.format not in output.FORMATS:
        renderer(options.format, output.FORMATS)
    wanted.append((options.format, options.output))
    root = git.root()
    paths = RepositoryPaths(root, root)
    made = _reviewed(request.review, Auditor(request, practice=True, paths=paths))
    for name, path in wanted:
        shown = style(path, options.verbose)._replace(places=paths)
        put(output.render(name, made, shown), path)
    return made.exit_code


def _reviewed(options: ReviewOptions, auditor: Auditor) -> Review:
    """The review of everything that changed and matters; a bad file costs a line of it."""
    changes = git.changed(options.base, options.head, exact=options.exact)
    names = (*BOOT_LINES, *options.boot_lines)
    with git.blobs() as blobs:
        changed = relevant(changes, Wanted(options.include, options.exclude, names), blobs)
    base = read_config(options.base_config) if options.base_config else None
    entries = [_entry(change, base, auditor) for change in changed]
    return Review(
        options.base,
        options.head or "the work tree",
        tuple(_with_remarks(entries, auditor)),
        options.marker,
    )


def _with_remarks(entries: list[Entry], auditor: Auditor) -> Iterable[Entry]:
    """The entries with what is to be said of waivers and baseline themselves."""
    reports = iter(auditor.with_remarks(entry.report for entry in entries if entry.report))
    for entry in entries:
        yield _remarked(entry, entry.report, next(reports)) if entry.report else entry


def _remarked(entry: Entry, before: Report, report: Report) -> Entry:
    """The entry with the report and its remarks; where only the change is told, with them there."""
    entry = entry._replace(report=report)
    if entry.comparison is None:
        return entry
    remarks = report.diagnostics[len(before.diagnostics) :]
    appeared = (*entry.comparison.appeared, *remarks)
    return entry._replace(comparison=entry.comparison._replace(appeared=appeared))


def _check_marker(name: str) -> None:
    """Raises UsageError for a name that a hidden comment cannot hold."""
    if name and not (_MARKER.fullmatch(name) and len(name) <= 40):
        hint = "a-z, 0-9 and single dashes between them, at most 40"
        raise UsageError(f"{name!r} is no name for a marker", where="--marker", hint=hint)


def _entry(change: Changed, base: KernelConfig | None, auditor: Auditor) -> Entry:
    entry = Entry(change.path, change.old_path, change.status, change.kind)
    if change.problem:
        return entry._replace(problem=change.problem)
    if change.old == change.new:
        return entry._replace(note="its content is unchanged")
    try:
        old = _old_side(change, base, auditor)
        new = _seen(change.new, change, base, auditor)
        if new is None:
            return entry._replace(kind=old.kind if old else change.kind)
        judge = auditor.judge(change.path)
        report = auditor.judged(new.side.subject, new.side.config, judge)
        comparison = compared(old.side, new.side, auditor) if old else None
    except InputError as error:
        return entry._replace(problem=error)
    return entry._replace(report=report, comparison=comparison, kind=new.kind, note=new.note)


def _old_side(change: Changed, base: KernelConfig | None, auditor: Auditor) -> Seen | None:
    """The old side; one that cannot be read is no reason not to judge the new one."""
    try:
        return _seen(change.old, change, base, auditor)
    except InputError:
        return None


def _seen(
    text: str | None, change: Changed, base: KernelConfig | None, auditor: Auditor
) -> Seen | None:
    if text is None:
        return None
    make = _line_side if change.kind == BOOT_LINE else _config_side
    return make(text, change, base, auditor)


def _line_side(text: str, change: Changed, base: KernelConfig | None, auditor: Auditor) -> Seen:
    config = base or KernelConfig(change.path, "", {})
    line = parse_cmdline(boot_line(text), change.path)
    subject = subject_of(config, auditor.given(change.path)._replace(cmdline=line))
    # What is odd in the base is not said again beside every line.
    subject = subject._replace(name=change.path, notes=())
    missing = "judged without a configuration: --base-config names one"
    return Seen(Compared(subject, config), BOOT_LINE, f"judged on {base.path}" if base else missing)


def _config_side(text: str, change: Changed, base: KernelConfig | None, auditor: Auditor) -> Seen:
    config = parse_config(text, change.path)
    kind, note = CONFIGURATION, ""
    if is_fragment(config):
        kind, note = FRAGMENT, "a fragment alone: --base-config names what it is merged into"
    elif not config.complete:
        note = "a defconfig: what it does not name is unknown, unless a tree completes it"
    if base and is_fragment(config):
        note = f"judged on {base.path}"
        config = merged(config, base, auditor.knowledge.siblings)
    return Seen(Compared(subject_of(config, auditor.given(change.path)), config), kind, note)
