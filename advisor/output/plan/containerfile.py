"""A plan as a Containerfile: its files in the image of a system that is updated as a whole.

The files go below /usr/lib, where an image has its own and /etc of the machine wins. bootc appends
the words of kargs.d to the line of each deployment (see bootc.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.errors import UsageError
from advisor.model.plan import File
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan import bootc, files, opening
from advisor.output.plan.comments import by_hand, comment_lines, for_a_rebuild
from advisor.output.plan.items import files as files_of

NAME = "Containerfile"
KARGS = "usr/lib/bootc/kargs.d/50-kernel-advisor.toml"
"""The file with the boot line's words, in the folder of the plan and in the image."""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the Containerfile of each report."""
    return files(reports, _file)


def kargs(report: Report) -> str:
    """Return the file with the words of the boot line; empty where there are none, or bootc cannot
    carry them."""
    return "" if _why_not(report) else bootc.render([report], Style())


def _file(report: Report) -> Iterator[str]:
    yield from opening("Containerfile", report, _remarks(report))
    yield "ARG BASE"
    yield "FROM ${BASE}"
    for path in map(report.plan.path, files_of(report.plan)):
        if path.startswith("etc/"):
            yield f"COPY {path} /{path.replace('etc/', 'usr/lib/', 1)}"
    if kargs(report):
        yield f"COPY {KARGS} /{KARGS}"
        yield from comment_lines("bootc checks whether it can boot the image.")
        yield "RUN bootc container lint"


def _remarks(report: Report) -> Iterator[str]:
    plan = report.plan
    yield (
        "Build the new image in the folder of the plan, from the image that your machines run: "
        "podman build --build-arg BASE=IMAGE -t NEW DIR. bootc switch NEW stages the image, a "
        "reboot starts it, and bootc rollback takes it back."
    )
    if plan.words and (why := _why_not(report)):
        yield f"The new image does not add {' '.join(plan.words)} to the boot line: {why}."
    if plan.dropped:
        yield from bootc.remarks(plan)[1:]
    if File.MODPROBE in files_of(plan):
        yield (
            "If the initramfs loads a module, the module's options come from the initramfs: "
            "rebuild the image's initramfs with dracut."
        )
    yield from for_a_rebuild(plan)
    yield from by_hand(plan, "file")


def _why_not(report: Report) -> str:
    """Return why there is no file with the words; empty where there is one."""
    if not report.plan.words:
        return "there are none"
    try:
        bootc.render([report], Style())
    except UsageError as error:
        return error.message
    return ""
