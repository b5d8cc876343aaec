"""A snapshot of a host in one file (docs/snapshot.md), as `collect` or its script wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import BinaryIO

from advisor.errors import InputError
from advisor.files import opened, unreadable
from advisor.inputs.host.held import Entry, Held, Link, Missing, Refused
from advisor.inputs.host.taken import MOST_ENTRIES
from advisor.inputs.unpack import joined, unpacked
from advisor.model.numbers import whole_number

MARK = b"kernel-advisor snapshot "
"""What every snapshot begins with; the version follows."""
VERSION = 1
MOST_BYTES = 128 << 20
"""The most bytes of a snapshot, unpacked."""
MOST_OF_A_PATH = 1 << 12
MOST_PATTERNS = 1 << 12
"""The most lines that tell of all names of a kind that none is there: as many as rules have paths
with `*`, and each file that is asked for is held against all of them."""
REFUSED = "could not be read when the snapshot was made"
NOT_TAKEN = "a snapshot does not contain the content of this path"
_AGAIN = "make the snapshot again"
_THERE = Refused(NOT_TAKEN)
_KINDS = frozenset((b"file", b"link", b"folder", b"there", b"refused", b"binary", b"absent"))


class Snapshot(Held):
    """A host's files as a snapshot holds them: it was taken by a process of that host."""

    @property
    def alive(self) -> bool:
        """Always: what it says of its process is true of who took it."""
        return True

    def has(self, path: str) -> bool:
        """Whether there is a file, folder or link of that path, wherever it leads."""
        return path.strip("/") in self._files or super().has(path)


def is_snapshot(path: str) -> bool:
    """Whether the file, unpacked, begins as a snapshot does. Raises InputError."""
    try:
        with opened(path) as stream:
            return next(iter(unpacked(stream, path)), b"")[: len(MARK)] == MARK
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def read_snapshot(path: str) -> Snapshot:
    """The host of a snapshot. Raises InputError for one of a newer version, that is damaged or cut
    short, or costs more than the limits above, with the line."""
    try:
        with opened(path) as stream:
            return Snapshot(path, files_of(_text(stream, path), path))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def _text(stream: BinaryIO, path: str) -> bytes:
    text = joined(unpacked(stream, path), MOST_BYTES)
    if text is None:
        message = f"more than {MOST_BYTES >> 20} MiB, unpacked"
        raise InputError(message, where=path, hint=_AGAIN)
    return text


def files_of(text: bytes, name: str) -> dict[str, Entry]:
    """The entries of a snapshot's text, by their paths without a slash in front, as Held takes
    them. Of a path that is there twice the first one counts. Raises InputError, with the line."""
    head, _, body = text.partition(b"\n")
    _check_version(head, name)
    reader = _Reader(name)
    for number, line in enumerate(_lines(body), 2):
        reader.take(line, number)
    return reader.finished()


def _lines(body: bytes) -> Iterable[bytes]:
    start = 0
    while start < len(body):
        end = body.find(b"\n", start)
        end = len(body) if end < 0 else end
        yield body[start:end]
        start = end + 1


def _check_version(head: bytes, name: str) -> None:
    version = re.fullmatch(re.escape(MARK) + rb"([0-9]{1,9})\r?", head)
    if version is None:
        raise InputError("is no snapshot", where=name, hint="make one with kernel-advisor collect")
    number = whole_number(version[1].decode()) or 0
    if number > VERSION:
        message = f"has version {number}, and this kernel-advisor reads versions up to {VERSION}"
        raise InputError(message, where=f"{name}:1", hint="update kernel-advisor")
    if number < 1 or head.endswith(b"\r"):
        raise InputError(
            "is a snapshot that was changed after it was made", where=f"{name}:1", hint=_AGAIN
        )


class _Reader:
    """Takes the lines behind the first."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._files: dict[str, Entry] = {}
        self._kind = b""
        self._path = ""
        self._body: list[bytes] = []
        self._count = 0
        self._patterns = 0
        self._number = 1
        self._ended = False

    def take(self, line: bytes, number: int) -> None:
        """Reads a line: the head of an entry, or one of its content."""
        self._number = number
        if self._ended:
            raise self._error("text after the last line of the snapshot")
        if line[:1] == b"|":
            if self._kind not in (b"file", b"link", b"binary"):
                raise self._error("a line of content after an entry without content")
            self._body.append(line[1:])
            return
        self._keep()
        if line == b"end":
            self._ended = True
            return
        kind, _, path = line.partition(b" ")
        if kind not in _KINDS:
            raise self._error(f"{line[:40].decode(errors='replace')!r} is no line of a snapshot")
        self._kind, self._path, self._body = kind, self._checked(path), []
        self._patterns += kind == b"absent" and b"*" in path
        if self._patterns > MOST_PATTERNS:
            raise self._error(f"more than {MOST_PATTERNS} patterns (with *) of missing files")
        self._count += 1
        if self._count > MOST_ENTRIES:
            raise self._error(f"more than {MOST_ENTRIES} entries")

    def finished(self) -> dict[str, Entry]:
        """All entries. Raises InputError where the end is not there."""
        if not self._ended:
            raise self._error("is cut short")
        return self._files

    def _checked(self, path: bytes) -> str:
        text = path.decode(errors="surrogateescape")
        parts = text.split("/")
        wrong = parts[0] or not all(parts[1:]) or {".", ".."} & set(parts) or "\0" in text
        if wrong or len(parts) < 2 or len(text) > MOST_OF_A_PATH:
            raise self._error(f"{text[:80]!r} is no path of a file")
        return text[1:]

    def _keep(self) -> None:
        if not self._path:
            return
        entry = self._entry()
        path = f"{self._path}/" if self._kind == b"folder" else self._path
        # Of what is only there something more may be told behind.
        if self._files.get(path, _THERE) == _THERE:
            self._files[path] = entry
        self._path = ""

    def _entry(self) -> Entry:
        if self._kind == b"link":
            if len(self._body) != 1 or not self._body[0]:
                raise self._error("a link needs exactly one line, which names its target")
            return Link(self._body[0].decode(errors="surrogateescape"))
        if self._kind == b"refused":
            return Refused(REFUSED)
        if self._kind == b"there":
            return _THERE
        if self._kind == b"absent":
            return Missing()
        if self._kind == b"binary":
            try:
                return bytes.fromhex(b" ".join(self._body).decode("ascii"))
            except ValueError:
                raise self._error(
                    "binary content must be written as two hexadecimal digits for each byte"
                ) from None
        return b"".join(line + b"\n" for line in self._body)

    def _error(self, message: str) -> InputError:
        return InputError(message, where=f"{self._name}:{self._number}", hint=_AGAIN)
