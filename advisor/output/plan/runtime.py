"""Settings of run time as files that write them at boot, each with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from advisor.model.disks import called
from advisor.model.plan import File, Kept
from advisor.model.report import Report
from advisor.output.plan import files
from advisor.output.plan.comments import comment_lines, heading, reasons

Lines = Callable[[Kept], Iterable[str]]


def rendered(
    reports: Sequence[Report], file: File, what: str, remarks: Sequence[str], lines: Lines
) -> str:
    """Return the file of each report: its head, and of each change the reasons and its lines."""
    return files(reports, lambda report: _file(report, file, what, remarks, lines))


def _file(
    report: Report, file: File, what: str, remarks: Sequence[str], lines: Lines
) -> Iterator[str]:
    yield from heading(what, report)
    place = f"Install this file as /{report.plan.path(file)}."
    for text in (place, *remarks):
        yield from comment_lines(text)
    there = False
    for item in report.plan.items:
        if own := [one for one in item.kept if one.file is file]:
            there = True
            yield from ("", *reasons(item.finding, item.remedy, report))
            for one in own:
                if one.why:
                    yield from comment_lines(f"Note: {one.why}.")
                if one.disks:
                    yield from comment_lines(f"For {called(one.disks)}:")
                yield from lines(one)
    if not there:
        yield from comment_lines("Nothing to set.")
