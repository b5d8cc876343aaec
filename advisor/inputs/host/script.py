"""The shell script that takes a snapshot of a host, the same as `kernel-advisor collect` does.

`snapshot.sh` beside this module is that script; the lists of files, names and limits are filled in
here. It is for a POSIX shell (dash, busybox's ash, mksh) and programs that busybox has. Values
below /sys are read by the shell itself: to start a program for each of 60,000 takes minutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from advisor.files import read_own
from advisor.inputs.host.masks import COMMENT, MASKS, ONLY_CONFIGURED, SECRET
from advisor.inputs.host.root import MOUNT_POINTS
from advisor.inputs.host.snapshot import VERSION
from advisor.inputs.host.taken import (
    CONFIGURED,
    KEY,
    LIMITS,
    MOST_ENTRIES,
    MOST_OF_A_CONFIGURATION,
    TEXT,
    VALUE,
    Take,
)


def script(takes: Iterable[Take], processes: Iterable[str], kept: Iterable[str]) -> str:
    """Writes the script that takes these files, the processes of these names, and the first that
    is there of the places of a configuration, `{}` for the release."""
    masks = [_substitution(pattern, replacement) for pattern, replacement in MASKS]
    configured = ONLY_CONFIGURED.replace("^", "^[|]")
    texts = {
        "COMMENT": _quoted(_substitution(*COMMENT)),
        "MASKS": _expressions(masks),
        "CMDLINE_MASKS": _expressions(f"/{configured}/{one}" for one in masks),
        "VALUE": str(LIMITS[VALUE]),
        "TEXT": str(LIMITS[TEXT]),
        "MOUNTS": " | ".join(MOUNT_POINTS),
        "CONFIG": str(MOST_OF_A_CONFIGURATION),
        "CONFIGS": " ".join('"' + path.replace("{}", "$release") + '"' for path in kept),
        "CONFIGURED": " ".join(map(_quoted, CONFIGURED)),
        "KEY": _quoted(f"s,{KEY},\\1,p"),
        "SECRET": _quoted(SECRET),
        "NAMES": " | ".join(map(_pattern, sorted(processes))),
        "TAKES": _commands(takes),
        "VERSION": str(VERSION),
        "ENTRIES": str(MOST_ENTRIES),
    }
    template = read_own("inputs", "host", "snapshot.sh")
    return re.sub("@([A-Z_]+)@", lambda mark: texts[mark[1]], template)


def _substitution(pattern: str, replacement: str) -> str:
    """Writes a mask as sed has it, of a line behind a bar; a slash is no end of an expression."""
    if pattern.startswith("^("):
        pattern = "^([|]" + pattern[2:]
    return f"s,{pattern},{replacement},g"


def _expressions(commands: Iterable[str]) -> str:
    return " \\\n    ".join(f"-e {_quoted(command)}" for command in commands)


def _commands(takes: Iterable[Take]) -> str:
    """Writes a command for all files in a row that are taken in the same way."""
    rows = groupby(takes, key=lambda take: (take.kind, take.keep))
    return "\n".join(
        " \\\n    ".join((f"  take {kind} {_quoted(keep)}", *(_quoted(one.pattern) for one in row)))
        for (kind, keep), row in rows
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _pattern(text: str) -> str:
    """Writes a pattern of a name as `case` has it."""
    return re.sub(r"[^*?]+", lambda part: _quoted(part[0]), text)
