"""Bytes to text: compressed data of every kind that kernels use, within limits."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Protocol

from advisor.errors import InputError
from advisor.files import now, unreadable
from advisor.inputs.budget import ENDLESS, Budget

LIMIT = 64 << 20
"""The most bytes that are read of one text, after unpacking."""
CHUNK = 1 << 16
"""How many bytes are read, and at most unpacked, in one step."""
MEMORY = 256 << 20
"""The most bytes of dictionary for xz and lzma; scripts/xz_wrap.sh of 6.12 asks for 128 MiB."""
MEMBER = 4 << 10
"""What a packed file of a row is charged, whatever it holds: one may be empty."""
_HEAD = 16
"""As many bytes as `compression` looks at, rounded up."""

UNSUPPORTED = ("lz4", "lzo")
"""Formats that are recognised but not unpacked: the standard library reads neither."""


class Readable(Protocol):
    """All that unpacking asks of a stream."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes, none at the end."""


class UnsupportedError(InputError):
    """A compression that nothing here can unpack, as opposed to damaged data."""


# Those of scripts/extract-ikconfig (read in 6.12), as long as each format fixes its beginning.
MAGICS = (
    ("gzip", b"\x1f\x8b\x08"),
    ("xz", b"\xfd7zXZ\x00"),
    ("bzip2", b"BZh"),
    ("zstd", b"\x28\xb5\x2f\xfd"),
    ("lzma", b"\x5d\x00\x00"),
    ("lz4", b"\x02\x21\x4c\x18"),
    ("lz4", b"\x04\x22\x4d\x18"),
    ("lzo", b"\x89LZO\x00\r\n\x1a\n"),
)
"""Compression formats by the bytes they begin with; `compression` tells them from chance."""


def compression(head: bytes) -> str:
    """The name of the compression that `head` (14 bytes or more) begins with; empty for none."""
    for name, magic in MAGICS:
        if head.startswith(magic) and _plausible(name, head):
            return name
    return ""


def _plausible(name: str, head: bytes) -> bool:
    """Whether what follows a short magic is right too: three bytes occur anywhere by chance."""
    if name == "gzip":  # RFC 1952: the upper three flags are reserved and zero
        return head[3:4] < b"\x20"
    if name == "bzip2":  # the level, then the mark of a block or of the end
        return head[3:4].isdigit() and head[4:10] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")
    # lzma of a pipe, as cmd_lzma of scripts/Makefile.lib uses it, does not know its size.
    return name != "lzma" or head[5:13] == b"\xff" * 8


def unpacked(stream: BinaryIO, path: str) -> Iterator[bytes]:
    """The content of a file in pieces, unpacked if its first bytes say that it is packed.

    Raises InputError for damaged or truncated data, for a format that is not supported, and
    where reading fails.
    """
    head = read_piece(stream, CHUNK, path)
    kind = compression(head)
    stream.seek(0)
    if kind:
        yield from unpack(stream, kind, path)
        return
    while piece := read_piece(stream, CHUNK, path):
        yield piece


def unpack(
    stream: Readable,
    kind: str,
    path: str,
    budget: Budget = ENDLESS,
    begins: Callable[[int], object] = lambda _: None,
) -> Iterator[bytes]:
    """What the compressed data at the stream's position holds, in pieces of at most CHUNK bytes.

    Data of the same kind that follows is unpacked too, as gzip and xz do; other data ends it. All
    bytes that go in and come out are charged to the budget, and MEMBER for each packed file of a
    row; `begins` hears where each of them does, from the stream's position. Raises InputError as
    `unpacked` does, and what the budget raises.
    """
    make, broken = _decompressor(kind, path)
    source = _Source(stream, path, budget)
    data = source.piece()
    while compression(data) == kind:
        budget.charge(MEMBER)
        begins(source.count - len(data))
        unpacker = make()
        try:
            while not unpacker.eof:
                if piece := unpacker.decompress(data, CHUNK):
                    budget.charge(len(piece))
                    yield piece
                data = b""
                if unpacker.needs_input and not unpacker.eof:
                    data = source.piece()
                    if not data:
                        raise InputError(f"the {kind} data are cut short", where=path, hint=_AGAIN)
        except broken as error:
            message = f"the {kind} data are damaged: {error}"
            raise InputError(message, where=path, hint=_AGAIN) from error
        # A file may be several packed ones in a row: each begins anew. More is read only where too
        # little is left to tell: what is left would grow with each of many short ones.
        data = source.filled(unpacker.unused_data)


class _Source:
    """A packed stream in pieces; `count` are the bytes that were read."""

    def __init__(self, stream: Readable, path: str, budget: Budget) -> None:
        self._stream, self._path, self._budget = stream, path, budget
        self.count = 0

    def piece(self) -> bytes:
        data = read_piece(self._stream, CHUNK, self._path)
        self.count += len(data)
        self._budget.charge(len(data))
        return data

    def filled(self, data: bytes) -> bytes:
        """These bytes, with more behind them if `compression` needs more to tell."""
        while len(data) < _HEAD and (piece := self.piece()):
            data += piece
        return data


_AGAIN = "copy or pack the file again"
_RIGHT_FILE = "is it the right file?"


def read_piece(stream: Readable, size: int, path: str) -> bytes:
    """Up to `size` bytes; raises InputError where reading fails, or would have to wait."""
    try:
        return now(stream.read(size))
    except OSError as error:
        raise unreadable(path, error) from error


def _decompressor(kind: str, path: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """What makes an incremental decompressor, and the exceptions it raises for bad data.

    Imported here, since most runs read plain text.
    """
    if kind == "gzip":
        import zlib

        return _Gunzip, (zlib.error,)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, (OSError, ValueError)
    if kind in ("xz", "lzma"):
        import lzma

        form = lzma.FORMAT_XZ if kind == "xz" else lzma.FORMAT_ALONE
        return lambda: lzma.LZMADecompressor(form, MEMORY), (lzma.LZMAError,)
    if kind == "zstd":
        return _zstd(path)
    hint = "unpack it first; for a kernel image run scripts/extract-ikconfig of a kernel tree"
    raise UnsupportedError(f"compressed with {kind}, which is not supported", where=path, hint=hint)


def _zstd(path: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    from importlib import import_module

    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        zstd = import_module(name)
    except ImportError as error:
        message = "compressed with zstd, which this Python cannot read"
        hint = "pip install 'kernel-advisor[zstd]'"
        raise UnsupportedError(message, where=path, hint=hint) from error
    return zstd.ZstdDecompressor, (zstd.ZstdError,)


class _Gunzip:
    """zlib's decompressor with the interface of the other three."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, size: int) -> bytes:
        piece = self._inner.decompress(self._inner.unconsumed_tail + data, size)
        # A full piece may have more behind it even where all input is consumed.
        self.needs_input = len(piece) < size and not self._inner.unconsumed_tail
        return piece


def collect(pieces: Iterable[bytes], path: str, limit: int = LIMIT) -> bytes:
    """All pieces as one text; raises InputError if it is empty, too large, or not text."""
    data = joined(pieces, limit)
    if data is None:
        raise InputError(f"more than {limit >> 20} MiB of text", where=path, hint=_RIGHT_FILE)
    if is_utf16(data):
        hint = "convert it: iconv -f utf-16 -t utf-8"
        raise InputError("is UTF-16, not UTF-8", where=path, hint=hint)
    if not data or b"\0" in data:
        message = "is a binary file, not text" if data else "is empty"
        raise InputError(message, where=path, hint=_RIGHT_FILE)
    return data


def joined(pieces: Iterable[bytes], limit: int) -> bytes | None:
    """Joins pieces; None as soon as they have more bytes than the limit."""
    parts: list[bytes] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            return None
        parts.append(piece)
    return b"".join(parts)


def is_utf16(data: bytes) -> bool:
    """Whether it begins with a byte order mark, as what PowerShell redirects into a file does."""
    return data.startswith((b"\xff\xfe", b"\xfe\xff"))


def decode(data: bytes) -> tuple[str, int]:
    """The text, with bytes that are no UTF-8 replaced, and the first line with such; else 0."""
    try:
        return data.decode(), 0
    except UnicodeDecodeError as error:
        return data.decode(errors="replace"), data.count(b"\n", 0, error.start) + 1
