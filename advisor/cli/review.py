"""What changed between two revisions, judged file by file for one comment."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.cli.auditor import Session
from advisor.cli.compare import Side, compared, is_fragment
from advisor.errors import InputError, UsageError
from advisor.inputs import git
from advisor.inputs.changes import (
    BOOT_LINE,
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
from advisor.record import NamedTuple

_MARKER = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Asked(NamedTuple):
    """The options of `review` that no audit has; `head` empty is the work tree."""

    base: str
    head: str = ""
    exact: bool = False
    base_config: str | None = None
    marker: str = ""
    wanted: Wanted = Wanted()


class Seen(NamedTuple):
    """One side of a changed file. `note` is what was taken for granted."""

    side: Side
    kind: str
    note: str = ""


def review(asked: Asked, session: Session) -> Review:
    """The review of everything that changed and matters. Raises InputError."""
    changes = git.changed(asked.base, asked.head, exact=asked.exact)
    with git.blobs() as blobs:
        found = relevant(changes, asked.wanted, blobs)
    base = read_config(asked.base_config) if asked.base_config else None
    entries = [_entry(change, base, session) for change in found]
    return Review(
        asked.base,
        asked.head or "the work tree",
        tuple(_with_remarks(entries, session)),
        asked.marker,
    )


def _with_remarks(entries: list[Entry], session: Session) -> Iterable[Entry]:
    """The entries with what is to be said of waivers and baseline themselves."""
    reports = iter(session.with_remarks(entry.report for entry in entries if entry.report))
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


def check_marker(name: str) -> None:
    """Raises UsageError for a name that a hidden comment cannot hold."""
    if name and not (_MARKER.fullmatch(name) and len(name) <= 40):
        hint = "a-z, 0-9 and single dashes between them, at most 40"
        raise UsageError(f"{name!r} is no name for a marker", where="--marker", hint=hint)


def _entry(change: Changed, base: KernelConfig | None, session: Session) -> Entry:
    entry = Entry(change.path, change.old_path, change.status, change.kind)
    if change.problem:
        return entry._replace(problem=change.problem)
    if change.old == change.new:
        return entry._replace(note="its content is unchanged")
    try:
        old = _old_side(change, base, session)
        new = _seen(change.new, change, base, session)
        if new is None:
            return entry._replace(kind=old.kind if old else change.kind)
        judge = session.judge(change.path)
        report = session.judged(new.side.subject, new.side.config, judge)
        comparison = compared(old.side, new.side, session) if old else None
    except InputError as error:
        return entry._replace(problem=error)
    return entry._replace(report=report, comparison=comparison, kind=new.kind, note=new.note)


def _old_side(change: Changed, base: KernelConfig | None, session: Session) -> Seen | None:
    """The old side; one that cannot be read is no reason not to judge the new one."""
    try:
        return _seen(change.old, change, base, session)
    except InputError:
        return None


def _seen(
    text: str | None, change: Changed, base: KernelConfig | None, session: Session
) -> Seen | None:
    if text is None:
        return None
    make = _line_side if change.kind == BOOT_LINE else _config_side
    return make(text, change, base, session)


def _line_side(text: str, change: Changed, base: KernelConfig | None, session: Session) -> Seen:
    config = base or KernelConfig(change.path, "", {})
    line = parse_cmdline(boot_line(text), change.path)
    subject = subject_of(config, session.given(change.path)._replace(cmdline=line))
    # What is odd in the base is not said again beside every line.
    subject = subject._replace(name=change.path, notes=())
    missing = "judged without a configuration: --base-config names one"
    return Seen(Side(subject, config), BOOT_LINE, f"judged on {base.path}" if base else missing)


def _config_side(text: str, change: Changed, base: KernelConfig | None, session: Session) -> Seen:
    config = parse_config(text, change.path)
    kind, note = CONFIGURATION, ""
    if is_fragment(config):
        kind, note = FRAGMENT, "a fragment alone: --base-config names what it is merged into"
    elif not config.complete:
        note = "a defconfig: what it does not name is unknown, unless a tree completes it"
    if base and is_fragment(config):
        note = f"judged on {base.path}"
        config = merged(config, base, session.knowledge.siblings)
    return Seen(Side(subject_of(config, session.given(change.path)), config), kind, note)
