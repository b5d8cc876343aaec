"""Settings as a file of sysctl.d: `key = value`, a line each (sysctl.d(5))."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.plan import File, Kept
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan.runtime import rendered

APPLY = "sysctl --system"
_REMARKS = (f"systemd reads this file at each boot; `{APPLY}` reads it now.",)


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the file for each report."""
    return rendered(reports, File.SYSCTL, "Sysctls", _REMARKS, lines)


def lines(one: Kept) -> Iterator[str]:
    """Yield what the file has for a setting."""
    yield f"{one.setting.key} = {one.setting.value}"
