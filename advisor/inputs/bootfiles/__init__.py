"""Files in which people keep boot lines, and settings of run time: what is literal in them.

One module a format. Nothing is run, expanded or looked up: what the program that reads a file
would compute is told as not readable here, with its place. What output/plan/ writes is read back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from importlib import import_module

from advisor.errors import InputError
from advisor.inputs.bootfiles.gathered import BootFile, Gathered
from advisor.record import NamedTuple

BOOT_LINE, SYSCTLS = "boot line", "sysctl file"
"""What a file of one of the formats is called."""
LARGEST = 1 << 20
"""More characters than that are no file that people write."""


class Format(NamedTuple):
    """A format of files: the `names` (patterns of paths) that tell it, and what reads it.

    `sign` finds a line that only this format has; a file of one of the `often` names is of the
    format if it has such a line. `line` tells whether it always holds a boot line, `plain` whether
    it is nothing else; `kind` is what a reader calls such a file.
    """

    id: str
    reader: str
    names: tuple[str, ...] = ()
    often: tuple[str, ...] = ()
    sign: str = ""
    line: bool = True
    plain: bool = False
    kind: str = BOOT_LINE

    def named(self, path: str) -> bool:
        """Whether the name alone tells the format."""
        return matches(path, self.names)

    def seen(self, text: str) -> bool:
        """Whether the text has a line of the format."""
        return bool(self.sign and re.search(self.sign, text, re.M))


FORMATS = (
    Format(
        "grub", "grub", ("default/grub", "default/grub.d/*.cfg", "grub.d/*.cfg"),
        sign=r"^[ \t]*(?:export[ \t]+)?GRUB_CMDLINE_LINUX(?:_DEFAULT)?\+?=",
    ),
    Format(
        "sysctl.d", "sysctls", ("sysctl.d/*.conf", "sysctl.conf", "sysctl.conf.d/*.conf"),
        line=False, kind=SYSCTLS,
    ),
    Format(
        "modprobe.d", "modprobe", ("modprobe.d/*.conf", "modprobe.conf"),
        sign=r"^options[ \t]+\S+[ \t]+\S+=", line=False,
    ),
    Format("kernel-install", "plain.read_all", ("kernel/cmdline",), plain=True),
)  # fmt: skip
PLAIN = Format(
    "plain", "plain", ("*.cmdline", "cmdline", "cmdline.txt", "cmdline.d/*.conf"), plain=True
)
"""A line as it is: dracut, systemd-stub, Raspberry Pi."""


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern fits the path from the root, or its end behind a slash."""
    return any(fnmatchcase(path, p) or fnmatchcase(path, f"*/{p}") for p in patterns)


def format_of(path: str, text: str | None = None) -> Format | None:
    """The format of a file by its name, or of a text by a line of it; None for any other.

    Without a text, only what a name alone tells is known.
    """
    if named := next((one for one in (*FORMATS, PLAIN) if one.named(path)), None):
        return named
    if text is None:
        return None
    return next((one for one in FORMATS if one.seen(text)), None)


def candidate(path: str, text: str) -> Format | None:
    """The format of a file whose name is often one's; None where its text has no line of it."""
    return next((one for one in FORMATS if matches(path, one.often) and one.seen(text)), None)


def read(text: str, path: str, format: Format, arch: str | None = None) -> BootFile:
    """What is literal in the text of that file; `arch` is the kernel's, where it was told.

    Raises InputError where the text is none of the format, or larger than any such file.
    """
    if len(text) > LARGEST:
        hint = "name a file that people write"
        raise InputError(f"more than {LARGEST >> 20} MiB of text", where=path, hint=hint)
    if "\0" in text:
        hint = "write it as text"
        raise InputError("holds a zero byte, and is no text", where=path, hint=hint)
    into = Gathered(path, arch)
    _reader(format.reader)(text.replace("\r\n", "\n"), into)
    return into.result(format.line)


def _reader(name: str) -> Callable[[str, Gathered], None]:
    module, _, function = name.partition(".")
    found = getattr(import_module(f"{__name__}.{module}"), function or "read")
    reader: Callable[[str, Gathered], None] = found
    return reader
