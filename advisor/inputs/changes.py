"""Which files that changed between two revisions matter: configurations, fragments, boot lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice

from advisor.errors import InputError
from advisor.inputs import bootfiles, git
from advisor.inputs.bootfiles import BOOT_LINE, SYSCTLS, matches
from advisor.inputs.bootfiles.gathered import BootFile
from advisor.inputs.unpack import CHUNK, collect, compression, decode, unpacked
from advisor.record import NamedTuple

BOOT_LINES = (*bootfiles.PLAIN.names, "kernel/cmdline")
"""Names of files that hold a boot line as it is; those of the formats of bootfiles come on top."""
CONFIGURATION, FRAGMENT = "configuration", "fragment"
_HEAD = 1 << 20
"""So many bytes of what is packed tell what it is; a whole .config has a third of it."""
_SETTING = re.compile(
    rb"^(?:CONFIG_\w+=(?:[ymn]\b|\"|-?[0-9])|# CONFIG_\w+ is not set[ \t\r]*$)", re.M | re.A
)
# What is written so nowhere but for Kconfig.
_TRISTATE = re.compile(rb"^(?:CONFIG_\w+=[ymn]\b|# CONFIG_\w+ is not set[ \t\r]*$)", re.M | re.A)
_MANY = 100
"""More settings than a text has that merely quotes some."""
_OTHER = re.compile(rb"^(?!CONFIG_\w+=(?:[ymn]\b|\"|-?[0-9]))[ \t]*[^\s#]", re.M | re.A)


class Wanted(NamedTuple):
    """Patterns of paths. Without `include` every file is looked at; those of `must_judge` are
    configurations whatever they look like."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    boot_lines: Sequence[str] = BOOT_LINES
    must_judge: Sequence[str] = ()

    def covers(self, path: str) -> bool:
        """Whether the file is to be looked at."""
        inside = not self.include or matches(path, self.include)
        return inside and not matches(path, self.exclude)


class Changed(NamedTuple):
    """A file that matters: its text on both sides, None where it is not there, or is no file.

    `status` is added, deleted, changed or renamed; `kind` is CONFIGURATION (whole, or a fragment)
    BOOT_LINE or SYSCTLS. `problem` tells why a side cannot be read.
    """

    path: str
    old_path: str
    status: str
    kind: str
    old: str | None
    new: str | None
    problem: InputError | None = None


def is_configuration(head: bytes) -> bool:
    """Whether most of a text's lines, comments aside, set a symbol as Kconfig reads it, or a great
    many do: Kconfig passes over all others."""
    if b"CONFIG_" not in head:
        return False
    certain = len(_TRISTATE.findall(head))
    if certain >= _MANY:
        return True
    # To Kconfig the first line of a script is a comment like any other.
    if head.startswith(b"#!") and not certain:
        return False
    # A script or a patch that mentions symbols has more lines of another kind.
    settings = len(_SETTING.findall(head))
    return settings > len(_OTHER.findall(head))


def boot_file(text: str, path: str, arch: str | None) -> BootFile:
    """What a file that is BOOT_LINE or SYSCTLS holds, for a kernel of that architecture.

    Raises InputError as bootfiles.read.
    """
    named = bootfiles.format_of(path) or bootfiles.candidate(path, text)
    # A name that the user gave may be of a file in any of the formats.
    format = named or bootfiles.format_of(path, text) or bootfiles.PLAIN
    return bootfiles.read(text, path, format, arch)


def relevant(changes: Iterable[git.FileChange], wanted: Wanted, blobs: git.Blobs) -> list[Changed]:
    """Those of the changes that matter, by path. What changed but its mode does not."""
    paths = ((change, change.new or change.old) for change in changes)
    files = (_relevant(*one, wanted, blobs) for one in paths if wanted.covers(one[1]))
    return sorted(filter(None, files), key=lambda file: file.path)


def _relevant(
    change: git.FileChange, path: str, wanted: Wanted, blobs: git.Blobs
) -> Changed | None:
    """The file on both sides; of two problems the last, and that of decoding after all."""
    sides = (
        (change.old_id, change.old_mode, change.old),
        (change.new_id, change.new_mode, change.new),
    )
    data: list[bytes | None] = [None, None]
    problem = None
    for side, (identity, mode, name) in enumerate(sides):
        try:
            if mode in git.FILES:
                # An id of zeros: the work tree's file, which git has not read.
                known = identity.strip("0")
                data[side] = (
                    blobs.read(identity, name) if known else git.work_file(blobs.root, name)
                )
        except InputError as error:
            problem = error
    kind = _kind(data, path, wanted)
    if kind and change.new_mode in git.KINDS:
        hint = "put the file itself there, or leave it out"
        problem = InputError(f"is {git.KINDS[change.new_mode]} now", where=path, hint=hint)
    if not kind or (data[0] == data[1] and change.old == change.new and not problem):
        return None
    texts: list[str | None] = [None, None]
    for side, content in enumerate(data):
        try:
            texts[side] = None if content is None else _text(content, path, kind)
        except InputError as error:
            problem = error
    status = "renamed" if change.old != change.new else "changed"
    if change.old_mode not in git.FILES or change.new_mode not in git.FILES:
        status = "deleted" if change.old_mode in git.FILES else "added"
    old, new = texts
    return Changed(path, change.old or path, status, kind, old, new, problem)


def _kind(data: Iterable[bytes | None], path: str, wanted: Wanted) -> str:
    """What either side is; empty if neither is of interest.

    A name that tells goes before the content, which anybody can fill up with other lines.
    """
    if matches(path, wanted.must_judge):
        return CONFIGURATION
    heads = [_head(content, path) for content in data if content is not None]
    named = bootfiles.format_of(path)
    if named and not named.plain:
        return named.kind
    texts = [content for content in heads if b"\0" not in content]
    for head in texts if bootfiles.candidates(path) else ():
        if often := bootfiles.candidate(path, head.decode(errors="replace")):
            return often.kind
    if any(map(is_configuration, heads)):
        return CONFIGURATION
    if matches(path, wanted.boot_lines) and any(not head.startswith(b"#!") for head in texts):
        return BOOT_LINE
    return ""


def _head(content: bytes, path: str) -> bytes:
    """A text, or the beginning of a packed one as far as it can be unpacked."""
    if not compression(content[:64]):
        return content
    pieces: list[bytes] = []
    with suppress(InputError):  # damaged: what stands before that tells as well
        pieces.extend(islice(unpacked(io.BytesIO(content), path), _HEAD // CHUNK))
    return b"".join(pieces)


def _text(content: bytes, path: str, kind: str) -> str:
    """All of the text. Raises InputError if it is none, or damaged; a boot line may be empty."""
    if kind in (BOOT_LINE, SYSCTLS) and not content.strip():
        return ""
    return decode(collect(unpacked(io.BytesIO(content), path), path))[0]
