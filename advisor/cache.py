"""Files that one run keeps for the next, in the user's cache folder: used only if intact.

Format: a line `<mark> <CRC-32 of the rest>`, then the content. The mark tells kind and version. The
sum is for a file that was cut off or damaged, which a digest would tell at four times the cost.
"""

from __future__ import annotations

import os
import zlib

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
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
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
    """The content; None if there is no such file, of another kind or version, or damaged."""
    try:
        data = files.read(path, limit=files.MOST)
    except OSError:
        return None
    content = data[data.find(b"\n") + 1 :]
    return content if data.startswith(_header(mark, content)) else None


def _header(mark: str, content: bytes) -> bytes:
    return f"{mark} {zlib.crc32(content):08x}\n".encode()


def keep(path: str, mark: str, content: bytes) -> None:
    """Keeps the file, whole or not at all; where that cannot be, the next run does without."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.write_atomically(path, packed(mark, content))
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
