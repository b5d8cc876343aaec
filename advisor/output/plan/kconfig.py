"""A boot line built into the kernel: a fragment for scripts/kconfig/merge_config.sh.

merge_config.sh of 6.1 and 6.12 searches values for words that begin with CONFIG_.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.errors import UsageError
from advisor.model.kernel import assignment
from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan import files, opening, refuse, with_dropped
from advisor.output.plan.comments import boot_words, comment_lines

_PLACES = {
    "before": "The kernel puts the boot loader's line after these parameters.",
    "behind": "The kernel puts these parameters after the boot loader's line.",
    "instead": "The kernel ignores the boot loader's line.",
    "fallback": "The kernel uses these parameters only if the boot loader passes no line. With "
    "CMDLINE_FORCE=y, the kernel would use only these parameters.",
}


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the fragment of each report."""
    return files(reports, _fragment)


def remarks(plan: Plan) -> list[str]:
    """Return what a reader has to know beside the words."""
    place = plan.built_in.place
    left = with_dropped("Also remove these parameters from the boot loader's line", plan)
    return [_PLACES[place], *(left if place in ("before", "behind") else [])] if place else []


def _fragment(report: Report) -> Iterable[str]:
    built_in = report.plan.built_in
    _check(report)
    yield from opening("Built-in boot line", report, remarks(report.plan))
    yield from boot_words(report)
    if not built_in.lines:
        yield from comment_lines("Nothing to change.")
    for symbol, value in built_in.lines:
        yield assignment(symbol, value)


def _check(report: Report) -> None:
    built_in, arch = report.plan.built_in, report.machine.arch
    where = "--format kconfig"
    if arch is None:
        raise UsageError("needs the architecture", where=where, hint="give it with --arch")
    if not built_in.place:
        unknown = f"how {arch} combines a built-in line with the boot loader's is not known here"
        raise UsageError(unknown, where=where, hint="give another format")
    refuse("kconfig", built_in.words, _unfit)
    length = len(" ".join(built_in.words).encode())
    if built_in.room and length > built_in.room:
        long = f"the line has {length} bytes, and the kernel has room for {built_in.room}"
        raise UsageError(long, where=where, hint="leave some parameters to the boot loader")


def _unfit(word: str) -> str:
    return "merge_config.sh reads the parameter as a setting" if "CONFIG_" in word else ""
