"""Unified kernel images: what sections .cmdline and .uname of a PE file hold (systemd-stub(7))."""

from __future__ import annotations

import struct
from typing import BinaryIO

from advisor.inputs.host.root import Root

_HEAD = 1 << 12
_MOST_SECTIONS = 96
"""As many as Windows loads; systemd-stub writes some ten."""
_LARGEST = 1 << 16
_COFF = 24
_SECTION = 40


def read_image(root: Root, path: str) -> dict[str, str] | None:
    """Reads the line (`.cmdline`) and the release (`.uname`) of an image; None for any other
    file."""
    stream = root.stream(path)
    if stream is None:
        return None
    with stream:
        try:
            places = _sections(stream)
            return {name: _text(stream, *places[name]) for name in _WANTED if name in places}
        except (OSError, ValueError, struct.error):
            return None


_WANTED = (".cmdline", ".uname")


def _sections(stream: BinaryIO) -> dict[str, tuple[int, int]]:
    """Finds where each section stands in the file, and its size. Raises ValueError and
    struct.error."""
    head = stream.read(_HEAD)
    (start,) = struct.unpack_from("<I", head, 0x3C)
    if head[:2] != b"MZ" or head[start : start + 4] != b"PE\0\0":
        raise ValueError("no PE file")
    count, optional = struct.unpack_from("<6xH12xH", head, start)
    at = start + _COFF + optional
    found: dict[str, tuple[int, int]] = {}
    for number in range(min(count, _MOST_SECTIONS)):
        name, size, raw, offset = struct.unpack_from("<8sI4xII", head, at + number * _SECTION)
        text = name.rstrip(b"\0").decode(errors="replace")
        found.setdefault(text, (offset, min(size, raw, _LARGEST)))
    return found


def _text(stream: BinaryIO, offset: int, size: int) -> str:
    stream.seek(offset)
    return stream.read(size).decode(errors="replace").rstrip("\0\n ")
