"""`review`: what changed between two revisions, judged file by file for one comment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from advisor.cli.auditor import Auditor
from advisor.cli.command import command
from advisor.cli.compare import Compared, compared, is_fragment, lined, over, with_edits
from advisor.cli.options import (
    JUDGED,
    MACHINE,
    OUTPUT,
    POLICY,
    PROFILE_OR_ALL,
    REVIEW,
    Request,
    ReviewOptions,
)
from advisor.cli.printing import names_and_files, put, style
from advisor.cli.trust import Revisions, here, reviewed
from advisor.errors import InputError, UsageError
from advisor.inputs import bootfiles, git
from advisor.inputs.bootfiles import BOOT_LINE, SYSCTLS
from advisor.inputs.changes import (
    BOOT_LINES,
    CONFIGURATION,
    FRAGMENT,
    Changed,
    Wanted,
    joined,
    relevant,
)
from advisor.inputs.config import KernelConfig, parse_config
from advisor.inputs.open import RepositoryFile
from advisor.model.review import Entry, Review
from advisor.output import FORMATS, renderer
from advisor.output import review as output
from advisor.output.phrases import first
from advisor.record import NamedTuple
from advisor.repository import RepositoryPaths

MOST_NAMED = 3
"""So many files that are judged together are named."""
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
    MACHINE.this_machine.but(rare=True),
    *JUDGED,
    *OUTPUT.without("all", "verbose"),
    *POLICY.without("strength"),
    OUTPUT.verbose.but(help="Also list the sources, and what the report leaves out."),
)
def review(request: Request) -> int:
    """Judge the changes between two git revisions, as one comment."""
    marker = request.review.marker
    if marker and not (_MARKER.fullmatch(marker) and len(marker) <= 40):
        hint = "use a-z, 0-9 and single dashes between them, at most 40 characters"
        raise UsageError(
            f"{marker!r} is not a valid name for a marker", where="--marker", hint=hint
        )
    # A fragment is of one configuration, and no review.
    formats = {**FORMATS, **output.FORMATS}
    del formats["fragment"]
    wanted = names_and_files(request.output, formats)
    renderer(request.output.format.lower(), output.FORMATS)
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
        kinds = _kinds(auditor)
        wanted = Wanted(options.include, options.exclude, names, must_judge, kinds)
        changed = relevant(changes, wanted, blobs)
        if any(one.format for one in changed):
            end = options.head or git.commit("HEAD")
            start = options.base if options.exact else git.merge_base(options.base, end)
            changed = joined(changed, git.commit(start), wanted, blobs)
    base_config = auditor.request.review.base_config
    base = auditor.read(base_config) if base_config else None
    entries = [_entry(change, base, auditor) for change in changed]
    judged = tuple(_with_remarks(entries, auditor))
    head = options.head or "the work tree"
    return Review(options.base, head, judged, options.marker, local=not options.head)


def _kinds(auditor: Auditor) -> dict[str, str]:
    """What the files of the repository are that tell of the subject, whatever they are called.

    Both sides are judged by them as the change leaves them, so that nothing else would show it.
    """
    settings = auditor.settings
    tables = [table.options for table in settings.subjects] if settings else []
    facts = [auditor.request.subject._asdict(), *tables]
    named = [(one.get("cmdline"), BOOT_LINE) for one in facts]
    named += [(one.get("sysctl"), SYSCTLS) for one in facts]
    named.append((auditor.request.review.base_config, CONFIGURATION))
    return {name.path: kind for name, kind in named if isinstance(name, RepositoryFile)}


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
        if auditor.alike(change.old_path, change.path):
            return entry._replace(note="its content is unchanged")
        change = change._replace(old=None)  # what is asked of it there is another thing
    if change.judged_with:
        return entry._replace(note=f"judged with {change.judged_with}: the files are read together")
    try:
        old, new = _sides(change, base, auditor)
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


def _sides(
    change: Changed, base: KernelConfig | None, auditor: Auditor
) -> tuple[ChangedSide | None, ChangedSide | None]:
    """What the file is judged as before and after; None where there is nothing to judge.

    Raises InputError for the new side: that the old one cannot be read is no reason not to judge.
    """
    judged = _config_side if change.format is None else _boot_side
    old: ChangedSide | None = None
    with suppress(InputError):
        old = judged(change, 0, base, auditor)
    return old, judged(change, 1, base, auditor)


def _boot_side(
    change: Changed, number: int, base: KernelConfig | None, auditor: Auditor
) -> ChangedSide | None:
    """A side with what the file holds, together with those beside it.

    Before it was there, that is nothing, so that it does not answer for the configuration.
    """
    text = (change.old, change.new)[number]
    texts = change.beside[number] or (((change.path, text),) if text is not None else ())
    if not texts and number:
        return None
    config = base or KernelConfig(change.path, "", {})
    subject = auditor.subject(config, change.path)
    format = change.format or bootfiles.PLAIN
    file = bootfiles.read_together(texts, format, subject.machine.arch)
    # What is odd in the base is not said again beside every line.
    subject = subject._replace(name=change.path, notes=() if file.cmdline else file.notes)
    if file.cmdline:
        subject = subject._replace(cmdline=file.cmdline)
    if file.sysctl or file.sysfs:
        settings = {**subject.sysctl, **file.sysctl}, {**subject.sysfs, **file.sysfs}
        subject = subject._replace(sysctl=settings[0], sysfs=settings[1])
    missing = "judged without a configuration: give one with --base-config"
    others = [path for path, _ in texts if path != change.path]
    beside = [f"was read together with {first(others, MOST_NAMED)}"] if others else []
    remarks = [*beside, *file.remarks]
    note = "; ".join([f"judged on {base.path}" if base else missing, *remarks])
    kind = SYSCTLS if file.sysctl and not file.cmdline else change.kind
    return ChangedSide(Compared(subject, config), kind, note)


def _config_side(
    change: Changed, number: int, base: KernelConfig | None, auditor: Auditor
) -> ChangedSide | None:
    """A side that is a configuration, or a fragment on its base."""
    text = (change.old, change.new)[number]
    if text is None:
        return None
    path = change.path
    config = parse_config(text, path, complete=auditor.whole(path))
    kind, note = CONFIGURATION, ""
    if is_fragment(config):
        kind, note = (
            FRAGMENT,
            "a fragment without its base configuration: give one with --base-config",
        )
    elif not config.complete:
        note = "a defconfig: without a tree, symbols that the defconfig does not name are unknown"
    if base and kind == FRAGMENT:
        note = f"judged on {base.path}"
        config = over(base, config, auditor)
    return ChangedSide(Compared(auditor.subject(config, path), config), kind, note)
