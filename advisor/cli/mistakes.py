"""What a user who typed the wrong thing meant, as the next thing to type."""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress

from advisor.errors import ContradictionError, InputError, UsageError
from advisor.inputs.config import KernelConfig, read_config
from advisor.inputs.open import InputName, name_of

_FEW = 3
# So long who writes into a pipe has time to begin.
_SECONDS = 0.1
# What other programs call our commands.
_CALLED = {
    "analyse": "audit", "analyze": "audit", "scan": "audit", "report": "audit",
    "compare": "diff", "search": "explain", "show": "explain", "info": "explain",
    "list": "profiles", "status": "machine", "host": "machine", "snapshot": "collect",
    "verify": "check", "waivers": "baseline",
}  # fmt: skip
_CHANGING = ("apply", "disable", "enable", "fix", "install", "optimize", "set", "tune")


def config_of(
    path: InputName, *, complete: bool | None = None, fragment: bool = False
) -> KernelConfig:
    """The configuration in a file; see `read_config`. Where the file is something else that this
    program reads, the InputError says how to give it."""
    try:
        return read_config(path, complete=complete, fragment=fragment)
    except InputError as error:
        meant = _meant(path) if isinstance(path, str) else None
        if meant is None:
            raise
        raise InputError(meant[0], where=name_of(path), hint=meant[1]) from error


def _meant(path: str) -> tuple[str, str] | None:
    """What the path is, and what to type; None where it is nothing that is known."""
    from advisor.inputs.host.read import root_of
    from advisor.inputs.host.snapshot import is_snapshot

    if os.path.isdir(path):
        return _meant_folder(path)
    with suppress(InputError):
        if os.path.isfile(path):
            kind = "a snapshot" if is_snapshot(path) else "an archive"
            root_of(path)
            return f"is {kind} of a host, not a configuration", _audit("--host", path)
    with suppress(InputError):
        return _meant_text(path)
    return None


def _meant_text(path: str) -> tuple[str, str] | None:
    """Likewise, of a text. Raises InputError if it is none."""
    from advisor.inputs.bootline import read_cmdline
    from advisor.inputs.sysctl import read_sysctl

    with suppress(InputError):
        if read_sysctl(path):
            return "is a file of sysctls, not a configuration", f"give it with --sysctl {path}"
    words = read_cmdline(f"@{path}").words
    if any(word.value is not None and word.name.islower() for word in words):
        return "is a boot line, not a configuration", f"give it with --cmdline @{path}"
    return None


def _meant_folder(path: str) -> tuple[str, str] | None:
    names = sorted(os.listdir(path))
    configs = [name for name in names if name == ".config" or name.startswith("config-")]
    if configs:
        found = ", ".join(os.path.join(path, name) for name in configs[:_FEW])
        return "is a directory", f"did you mean {found}?"
    if {"proc", "etc"}.intersection(names):
        return "is a folder of a host's files", _audit("--host", path)
    from advisor.inputs.host.read import snapshots_in

    found = snapshots_in(path)
    return ("is a directory", found) if found else None


def refuse_words(configs: Sequence[str], line: InputName) -> None:
    """Raises ContradictionError where words of an unquoted boot line stand among configurations."""
    words = [one for one in configs if _is_word(one)]
    plain = isinstance(line, str) and not line.startswith("@")
    if words and len(configs) > 1 and plain:
        text = " ".join([str(line), *words])
        hint = f"put the line in quotes: --cmdline {_quoted(text)}"
        raise ContradictionError("no such file", where=words[0], hint=hint)


def _is_word(path: str) -> bool:
    """Whether it is no file, and looks like a word of a boot line."""
    looks = "=" in path or not {"/", ".", ":", "-"}.intersection(path)
    return looks and not os.path.lexists(path)


def stdin_holds_data() -> bool:
    """Whether standard input is a pipe or file with something to read in it."""
    try:
        file = sys.stdin.fileno()
        status = os.fstat(file)
        if stat.S_ISREG(status.st_mode):
            return os.lseek(file, 0, os.SEEK_CUR) < status.st_size
        return stat.S_ISFIFO(status.st_mode) and _is_filled(file)
    except (AttributeError, OSError, ValueError):
        return False  # none, or one that is closed


def _is_filled(pipe: int) -> bool:
    from array import array
    from fcntl import ioctl
    from termios import FIONREAD

    select.select([pipe], [], [], _SECONDS)
    waiting = array("i", [0])
    ioctl(pipe, FIONREAD, waiting)
    return waiting[0] > 0


def command_first(words: Sequence[str], commands: Collection[str]) -> str:
    """The words with their command, else `audit`, before the options."""
    named = next((word for word in words if word in commands), "audit")
    others = list(words)
    if named in others:
        others.remove(named)
    return _did_you_mean(named, *others)


def command_for(words: Sequence[str]) -> str:
    """What to type instead of words that begin with no command; empty if nothing is known."""
    first, *others = words
    if first in _CALLED:
        return _did_you_mean(_CALLED[first], *others)
    if first in _CHANGING:
        return (
            "kernel-advisor does not change the system: 'fragment' prints the lines for a rebuild, "
            "and 'cmdline' prints the boot line"
        )
    return _named(first, others)


def audit_of(path: str, others: Sequence[str]) -> list[str]:
    """The words of an audit of a path that stands where a command should."""
    with suppress(InputError):
        meant = _meant(path)
        if meant and "--host" in meant[1]:
            return ["audit", "--host", path, *others]
    inside = os.path.join(path, ".config")
    return ["audit", inside if os.path.exists(inside) else path, *others]


def _named(first: str, others: Sequence[str]) -> str:
    """What to type where the first word is a profile or a name that is known."""
    from advisor.knowledge import index, lookup

    knowledge = index.load()
    if _is_profile(first):
        return _did_you_mean("audit", "-p", first, *others)
    with suppress(UsageError):
        lookup.explain(first, knowledge)
        return _did_you_mean("explain", first, *others)
    return ""


def _is_profile(name: str) -> bool:
    """Whether a built-in profile is called so."""
    from advisor.knowledge import index

    knowledge = index.load()
    return name in knowledge.profile_ids() or bool(knowledge.called(name))


def for_extra(command: str, words: Sequence[str]) -> str:
    """What to type instead of words that a command does not take; empty if nothing is known."""
    extra = words[0]
    if command in ("machine", "collect"):
        return _did_you_mean(command, "--host", extra)
    if command == "explain":
        return f"one name at a time: kernel-advisor explain {_quoted(extra)}"
    if command == "upgrade" and os.path.isdir(extra):
        return f"name the tree with --tree {extra}"
    if command == "diff" and _is_word(extra):
        return "put the boot line in quotes: --cmdline 'PARAMETER PARAMETER'"
    return ""


def refuse_profile(folder: str) -> None:
    """Raises UsageError for what --profiles names, where that is a profile's name and no folder."""
    if not os.path.lexists(folder) and _is_profile(folder):
        hint = f"did you mean --profile {folder}?"
        raise UsageError(f"there is no folder {folder!r}", where="--profiles", hint=hint)


def _quoted(word: str) -> str:
    """As a shell reads it as one word."""
    from shlex import quote  # for who made a mistake alone

    return quote(word)


def _joined(words: Sequence[str]) -> str:
    return " ".join(map(_quoted, words))


def _audit(*words: str) -> str:
    return f"kernel-advisor audit {_joined(words)}"


def _did_you_mean(*words: str) -> str:
    return f"did you mean: kernel-advisor {_joined(words)}"
