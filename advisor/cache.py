"""Files that one run keeps for the next, in the user's cache folder: used only if intact.

Format: a line `<mark> <digest of the rest>`, then the content. The mark tells kind and version.
"""

from __future__ import annotations

import os

try:
    # hashlib loads OpenSSL for the same function: 5 ms of every run.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

from advisor.errors import OutputError


def digest(data: bytes) -> str:
    """32 hexadecimal digits that stand for the data."""
    return blake2b(data, digest_size=16).hexdigest()


def cache_path(kind: str, subject: str) -> str:
    """Where the file of that kind about that subject is kept."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = digest(subject.encode("utf-8", "surrogateescape"))
    return os.path.join(base, "kernel-advisor", f"{kind}-{name}.json")


def packed(mark: str, content: bytes) -> bytes:
    """The file's bytes."""
    return f"{mark} {digest(content)}\n".encode() + content


def read_intact(path: str, mark: str) -> bytes | None:
    """The content; None if there is no such file, of another kind or version, or damaged."""
    try:
        with open(path, "rb") as file:
            header = file.readline(1000)
            content = file.read()
    except OSError:
        return None
    return content if header == f"{mark} {digest(content)}\n".encode() else None


def keep(path: str, mark: str, content: bytes) -> None:
    """Keeps the file, whole or not at all; where that cannot be, the next run does without."""
    from advisor.files import write_atomically

    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_atomically(path, packed(mark, content))
    except (OSError, OutputError):
        return
