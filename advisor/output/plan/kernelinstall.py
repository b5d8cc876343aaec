"""A boot line as /etc/kernel/cmdline, from which kernel-install makes entries of systemd-boot.

No comments: what the file holds is the line. 90-loaderentry.install squeezes blanks and prints
the rest with the shell's echo, which may read backslashes (read in systemd 252).
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.errors import UsageError
from advisor.model.cmdline import lasting, parse_cmdline
from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan import refuse


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the file for each report. Raises UsageError where the present line was not given."""
    if any(report.cmdline is None for report in reports):
        lost = "writes the whole boot line, so the present line, with its root=, would be lost"
        hint = "give --cmdline @/proc/cmdline"
        raise UsageError(lost, where="--format kernel-install", hint=hint)
    lines = []
    for report in reports:
        line = parse_cmdline(report.plan.cmdline)
        words = [*lasting(word.text for word in line.words), *line.for_init]
        refuse("kernel-install", words, _unfit)
        lines.append(f"{' '.join(words)}\n")
    return "".join(lines)


def remarks(plan: Plan) -> list[str]:
    """Return what a reader has to know beside the words."""
    given = [word.text for word in parse_cmdline(plan.cmdline).words]
    left = [word for word in given if word not in lasting(given)]
    notes = ["for /etc/kernel/cmdline; `kernel-install add` writes a kernel's entry again"]
    if left:
        notes.insert(0, f"omitted, because the boot loader adds them: {' '.join(left)}")
    return notes


def _unfit(word: str) -> str:
    if "\t" in word or "  " in word:
        return "several blanks become one blank"
    return "a backslash" if "\\" in word else ""
