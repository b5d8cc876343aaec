"""Settings as a file of tmpfiles.d that writes into files of /sys at boot.

A line is type, path, mode, user, group, age and argument; in path and argument % begins a specifier
and a backslash an escape, the argument is the rest of the line (tmpfiles.d(5), and parse_line() of
src/tmpfiles/tmpfiles.c of systemd 252). A path that is not there is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.plan import File, Kept
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan.runtime import rendered

APPLY = "systemd-tmpfiles --create kernel-advisor.conf"
_REMARKS = (f"systemd reads this file at each boot; `{APPLY}` reads it now.",)


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the file for each report."""
    return rendered(reports, File.TMPFILES, "Settings below /sys", _REMARKS, lines)


def lines(one: Kept) -> Iterator[str]:
    """Yield what the file has for a setting."""
    value = one.setting.value.replace("\\", r"\\").replace("%", "%%")
    # An argument there must be; what is written ends as if by echo.
    yield f"w {one.setting.key.replace('%', '%%')} - - - - {value or chr(92) + 'n'}"
