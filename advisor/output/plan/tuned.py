"""A boot line as the [bootloader] section of a TuneD profile.

TuneD reads the file with ConfigParser, where a blank and # begin a comment, expands ${...}, then
parts the value at blanks, writes it into a shell file and into grub.cfg between double quotes,
and takes away only words of its own (tuned/plugins/plugin_bootloader.py, profiles/loader.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan import files, opening, refuse, refuse_init, with_dropped
from advisor.output.plan.comments import boot_words, comment_lines

# What one of them reads as more than itself: ConfigParser, the expansion, the shell or grub.cfg.
_ACTIVE = frozenset("\"'\\$`}*?[ \t")


LEFT = (
    "TuneD removes only parameters that it added itself. Remove the following parameters with "
    "grubby --remove-args, or in the settings of the boot loader"
)
"""What to do about the words that a plan removes."""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the section for each report."""
    return files(reports, _section)


def remarks(plan: Plan) -> list[str]:
    """Return what a reader has to know beside the words."""
    return ["Put this section into the tuned.conf of your own profile.", *with_dropped(LEFT, plan)]


def refuse_unfit(plan: Plan) -> None:
    """Raise UsageError with the words that TuneD would not take as they are."""
    refuse("tuned", plan.words, _unfit)
    refuse_init("tuned", plan)


def option(plan: Plan) -> list[str]:
    """Return the option with the words, where there are some."""
    return [f"cmdline_kernel_advisor=+{' '.join(plan.words)}"] if plan.words else []


def _section(report: Report) -> Iterable[str]:
    plan = report.plan
    refuse_unfit(plan)
    yield from opening("TuneD settings", report, remarks(plan))
    yield from boot_words(report)
    yield "[bootloader]"
    yield from option(plan) or comment_lines("Nothing to add.")


def _unfit(word: str) -> str:
    if word.startswith("#"):
        return "TuneD reads the parameter as a comment"
    return (
        "a blank, a quote or another character that TuneD does not take literally"
        if _ACTIVE & {*word}
        else ""
    )
