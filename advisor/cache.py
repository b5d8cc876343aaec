"""Files that one run keeps for the next, in the user's cache folder: used only if intact, and if
nobody but this user can have written them.

A sum is no signature. What is believed is what only this user may write: the file and its folder
are his own, and no other may write to either. So neither a shared folder nor another's (`sudo -E`)
tells this run anything.

Format: a line `<mark> <CRC-32 of the rest>`, then the content. The mark tells kind and version. The
sum is for a file that was cut off or damaged, which a digest would tell at four times the cost.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

try:
    # hashlib loads OpenSSL for the same function: 5 ms of every run.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

from advisor import files
from advisor.errors import OutputError


def digest(data: bytes) -> str:
    """32 hexadecimal digits that stand for the data."""
    return blake2b(data, digest_size=16).hexdigest()


def cache_path(kind: str, subject: str) -> str:
    """Where the file of that kind about that subject is kept."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # to be ignored, says the XDG Base Directory Specification
        base = os.path.join(os.path.expanduser("~"), ".cache")
    name = digest(subject.encode("utf-8", "surrogateescape"))
    return os.path.join(base, "kernel-advisor", f"{kind}-{name}.json")


def code_state(*folders: str) -> str:
    """What tells one state of the code in these folders of the package from another, also between
    two releases."""
    if files.ARCHIVE:
        stat = os.stat(files.ARCHIVE)
        return f"{files.ARCHIVE} {stat.st_size} {stat.st_mtime_ns}"
    package = os.path.dirname(os.path.abspath(__file__))
    found = [
        (f"{folder}/{entry.name}", entry.stat())
        for folder in folders
        for entry in os.scandir(os.path.join(package, folder))
        if entry.name.endswith(".py")
    ]
    return "\n".join(sorted(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in found))


def packed(mark: str, content: bytes) -> bytes:
    """The file's bytes: `mark` is one line, without its break."""
    return _header(mark, content) + content


def read_intact(path: str, mark: str) -> bytes | None:
    """The content of a file that comes with the package, or was kept; None if there is no such
    file, of another kind or version, or damaged."""
    try:
        data = files.read(path, limit=files.MOST)
    except (OSError, ValueError):
        return None
    content = data[data.find(b"\n") + 1 :]
    return content if data.startswith(_header(mark, content)) else None


def read_own(path: str, mark: str) -> bytes | None:
    """As `read_intact`; None as well if another user can have written the file."""
    if not (files.is_own(os.path.dirname(path)) and files.is_own(path)):
        return None
    return read_intact(path, mark)


def _header(mark: str, content: bytes) -> bytes:
    return f"{mark} {zlib.crc32(content):08x}\n".encode()


def keep(path: str, mark: str, content: bytes) -> None:
    """Keeps the file for this user alone, whole or not at all; where that cannot be, the next run
    does without. In another user's folder nothing is written."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        files.make_own(folder)
        files.write_atomically(path, packed(mark, content), private=True)
    except (OSError, OutputError):
        return


def prune(kind: str, path: str, most: int) -> None:
    """Removes the oldest files of that kind beside `path`, beyond so many."""
    try:
        kept = [e for e in os.scandir(os.path.dirname(path)) if e.name.startswith(f"{kind}-")]
        for entry in sorted(kept, key=lambda e: e.stat().st_mtime)[:-most]:
            files.remove(entry.path)
    except OSError:
        return


def has_shape(value: object, shape: Any) -> bool:
    """Whether what JSON holds has this shape: a type, or a union of types; a list with the shape
    of all its parts; a tuple with the shape of each; a dict with that of each key, or of all under
    `str`."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return False
        shapes = [shape.get(str) or shape.get(key, ()) for key in value]
        return all(map(has_shape, value.values(), shapes))
    if isinstance(shape, list | tuple):
        if not isinstance(value, list):
            return False
        parts = shape if isinstance(shape, tuple) else shape * len(value)
        return len(value) == len(parts) and all(map(has_shape, value, parts))
    return isinstance(value, shape)
