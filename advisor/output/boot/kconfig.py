"""A boot line built into the kernel: a fragment for scripts/kconfig/merge_config.sh.

merge_config.sh of 6.1 and 6.12 searches values for words that begin with CONFIG_.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.engine.state import assignment
from advisor.errors import UsageError
from advisor.model import Plan, Report
from advisor.output import Style
from advisor.output.boot import refuse
from advisor.output.comments import comment_lines, heading

# COMMAND_LINE_SIZE, the closing zero included (asm/setup.h of each, the same in 6.1 and 6.12).
_SIZES = {"x86": 2048, "arm64": 2048, "arm": 1024, "powerpc": 2048}
_PLACES = {
    "before": "The kernel puts the boot loader's line behind these words.",
    "behind": "The kernel puts these words behind the boot loader's line.",
    "instead": "The kernel ignores the boot loader's line.",
    "fallback": "The kernel takes these words only where the boot loader passes none "
    "(CMDLINE_FORCE=y would make them its only line).",
}


def render(reports: Sequence[Report], style: Style) -> str:
    """The fragment of each report."""
    return "\n".join("\n".join(_fragment(report)) + "\n" for report in reports)


def remarks(plan: Plan) -> list[str]:
    """What a reader has to know beside the words."""
    found = [_PLACES[plan.built_in.place]] if plan.built_in.place else []
    if plan.dropped and plan.built_in.place in ("before", "behind"):
        told = " ".join(plan.dropped)
        found.append(f"Remove from the boot loader's line, which keeps them otherwise: {told}")
    return found


def _fragment(report: Report) -> Iterable[str]:
    built_in = report.plan.built_in
    _check(report)
    yield from heading("Built-in boot line", report)
    for remark in remarks(report.plan):
        yield from comment_lines(remark)
    if not built_in.lines:
        yield from comment_lines("Nothing to change.")
    for symbol, value in built_in.lines:
        yield assignment(symbol, value)


def _check(report: Report) -> None:
    built_in, arch = report.plan.built_in, report.machine.arch
    where = "--format kconfig"
    if arch is None:
        raise UsageError("needs the architecture", where=where, hint="say it with --arch")
    if not built_in.place:
        told = f"what {arch} makes of a built-in line beside the boot loader's is not known here"
        raise UsageError(told, where=where, hint="give another format")
    refuse("kconfig", built_in.words, _unfit)
    size = _SIZES.get(arch)
    length = len(" ".join(built_in.words).encode())
    if size and length >= size:
        told = f"the line has {length} bytes, and the kernel has room for {size - 1}"
        raise UsageError(told, where=where, hint="leave some of it to the boot loader")


def _unfit(word: str) -> str:
    return "merge_config.sh takes it for a setting" if "CONFIG_" in word else ""
