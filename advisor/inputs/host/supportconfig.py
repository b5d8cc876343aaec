"""A supportconfig of SUSE: texts of sections, each a file of the host or what a command printed.

A section is a line `#==[ KIND ]===#`, a line `# PATH` or `# COMMAND`, and what stood there, without
comments and empty lines of files (conf_files and _log_cmd of bin/supportconfig.rc 3.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from advisor.inputs.host.held import Entry
from advisor.inputs.host.reported import SYSCTL, UNAME

MARK = "basic-environment.txt"
"""The text that every supportconfig has."""
# Those in which something stands that a host's readers ask for.
TEXTS = (MARK, "boot.txt", "env.txt", "fs-diskio.txt", "hardware.txt", "memory.txt", "proc.txt")
MOST_OF_A_TEXT = 16 << 20
"""The most bytes of one text: all of /proc/irq and /proc/sys stands in one."""
_HEAD = re.compile(r"#==\[ ([A-Za-z ]{1,30}) \]=+#?\s*")
_PATH = re.compile(r"# (/(?:proc|sys|etc|boot|usr/lib|lib)/[^\s]+)\s*")
_COMMANDS = (
    (re.compile(r"# (?:/\S+/)?sysctl -a\s*"), SYSCTL),
    (re.compile(r"# (?:/\S+/)?uname -a\s*"), UNAME),
)
# `grep '' PATH...` is how it shows small files, where there are several.
_SHOWN = re.compile(r"(/sys/[^:\s]+):(.*)")


def files_of(texts: Iterable[str]) -> dict[str, Entry]:
    """The host's files by their paths without a slash in front, as Held takes them; what commands
    printed by the paths that an sos report has for it. Of several the first one counts."""
    files: dict[str, Entry] = {}
    for text in texts:
        for title, body in _sections(text.split("\n")):
            for path, lines in _shown(title, body):
                files.setdefault(path.lstrip("/"), "".join(f"{line}\n" for line in lines).encode())
    return files


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The line that names a section, and the lines below it without empty ones at the end."""
    heads = [number for number, line in enumerate(lines) if _HEAD.fullmatch(line)]
    for start, end in pairwise([*heads, len(lines)]):
        title, *body = lines[start + 1 : end] or [""]
        while body and not body[-1].strip():
            body.pop()
        yield title, body


def _shown(title: str, body: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Reads the files that a section shows, with their lines."""
    if path := _PATH.fullmatch(title):
        yield path[1], body
        return
    for command, place in _COMMANDS:
        if command.fullmatch(title):
            yield place, body
            return
    if re.match(r"# (?:/\S+/)?grep ", title):
        for line in body:
            if found := _SHOWN.fullmatch(line):
                yield found[1], [found[2]]
