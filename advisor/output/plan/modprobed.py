"""Options of modules as a file of modprobe.d: `options MODULE NAME=VALUE` (modprobe.d(5)).

Blanks part options, and double quotes keep them together, as on a boot line, which the kernel reads
likewise (kernel/params.c#next_arg).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.plan import File, Kept
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan.runtime import rendered

_REMARKS = (
    "modprobe reads this file when it loads a module. A module that the initramfs loads takes its "
    "options from the initramfs's copy of this file: "
    "run update-initramfs -u, or dracut -f.",
)


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the file for each report."""
    return rendered(reports, File.MODPROBE, "Options of modules", _REMARKS, lines)


def lines(one: Kept) -> Iterator[str]:
    """Yield what the file has for a setting."""
    _, _, _, module, _, option = one.setting.key.split("/")
    value = one.setting.value
    yield f"options {module} {option}=" + (f'"{value}"' if " " in value else value)
