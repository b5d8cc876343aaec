"""Files that hold a boot line as it is, on one line or several.

/etc/kernel/cmdline has no comments (90-loaderentry.install of systemd 252 takes all of it); in
those of dracut's cmdline.d, and others, a line that begins with # is one. The firmware of a
Raspberry Pi takes one line of cmdline.txt (raspberrypi.com/documentation, on the command line).
"""

from __future__ import annotations

from advisor.inputs.bootfiles.gathered import Gathered

_JOIN = "put all words on the first line"


def read(text: str, into: Gathered) -> None:
    """Gathers the words of all lines but comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("#"):
            into.words(line, number)


def read_all(text: str, into: Gathered) -> None:
    """Gathers the words of all lines."""
    for number, line in enumerate(text.split("\n"), 1):
        into.words(line, number)


def read_one(text: str, into: Gathered) -> None:
    """Gathers the words of the first line that has any, and tells of those behind it."""
    lines = enumerate(text.split("\n"), 1)
    full = [(number, line) for number, line in lines if line.strip() and not line.startswith("#")]
    for number, line in full[:1]:
        into.words(line, number)
    for number, line in full[1:]:
        into.unread(line, number, "the firmware of a Raspberry Pi reads one line alone", _JOIN)
