"""Files that hold a boot line as it is, on one line or several.

What becomes of further lines is up to the reader: kernel-install (90-loaderentry.install of systemd
252), ukify and the kernel itself take the end of a line for a blank, dracut reads line after line.
The Raspberry Pi's firmware takes the first line of cmdline.txt ("put all parameters on the same
line", kernel-command-line-config.adoc of its documentation). /etc/kernel/cmdline has no comments;
in those of dracut's cmdline.d, and others, a line that begins with # is one.
"""

from __future__ import annotations

from advisor.errors import shortened
from advisor.inputs.bootfiles.gathered import Gathered
from advisor.model.kernel import InputNote, Location

LINE_CUT = "boot-line-cut"


def read(text: str, into: Gathered) -> None:
    """Gathers the words of all lines but comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("#"):
            into.words(line, number)


def read_first(text: str, into: Gathered) -> None:
    """Gathers the words of the first line, and notes that those of others do not reach the kernel.

    What is written as a comment stands there on purpose, and is lost as well.
    """
    first, *others = (line.strip() for line in text.split("\n"))
    into.words(first, 1)
    lost = {n: line for n, line in enumerate(others, 2) if line and not line.startswith("#")}
    if not lost:
        return
    place, words = Location(into.name, min(lost)), " ".join(lost.values())
    message = (
        "the Raspberry Pi's firmware reads only the first line of cmdline.txt: the "
        f"parameters on line {place.line} and below do not reach the kernel ({shortened(words)})"
    )
    whole = words if first.startswith("#") else f"{first} {words}"
    remedy = f"write all parameters on line 1: {whole.strip()}"
    into.note(InputNote(LINE_CUT, place, message, remedy=remedy))


def read_all(text: str, into: Gathered) -> None:
    """Gathers the words of all lines."""
    for number, line in enumerate(text.split("\n"), 1):
        into.words(line, number)
