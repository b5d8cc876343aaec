"""Files that hold a boot line as it is, on one line or several.

/etc/kernel/cmdline has no comments (90-loaderentry.install of systemd 252 takes all of it); in
those of dracut's cmdline.d, and others, a line that begins with # is one.
"""

from __future__ import annotations

from advisor.inputs.bootfiles.gathered import Gathered


def read(text: str, into: Gathered) -> None:
    """Gathers the words of all lines but comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("#"):
            into.words(line, number)


def read_all(text: str, into: Gathered) -> None:
    """Gathers the words of all lines."""
    for number, line in enumerate(text.split("\n"), 1):
        into.words(line, number)
