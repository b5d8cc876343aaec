"""The lines that keep a setting of run time, by the file that they stand in, and what reads it."""

from __future__ import annotations

from advisor.model.plan import File, Kept
from advisor.output.plan import modprobed, sysctld, tmpfilesd, udev

_LINES = {
    File.SYSCTL: sysctld.lines,
    File.TMPFILES: tmpfilesd.lines,
    File.UDEV: udev.lines,
    File.MODPROBE: modprobed.lines,
}
APPLY = {File.SYSCTL: sysctld.APPLY, File.TMPFILES: tmpfilesd.APPLY, File.UDEV: udev.APPLY}
"""The command that has a file read without a reboot."""


def of(one: Kept) -> list[str]:
    """Return the lines of the file that keeps a setting; none where no file does."""
    return list(_LINES[one.file](one)) if one.file else []
