"""The configuration that a kernel image carries if it was built with CONFIG_IKCONFIG.

The marks are those of kernel/configs.c, the search that of scripts/extract-ikconfig (6.12).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

from advisor.errors import InputError
from advisor.inputs.budget import Budget
from advisor.inputs.unpack import (
    CHUNK,
    MAGICS,
    UNSUPPORTED,
    UnsupportedError,
    collect,
    compression,
    decode,
    read_piece,
    unpack,
)

SIZE_LIMIT = 1 << 30
"""The most bytes that are read packed and unpacked of one image, over all attempts: 1 GiB."""
MOST_ATTEMPTS = 1000
"""The most places of one image where unpacking is tried."""

# What stands before the gzip file; its own end and checksum make IKCFG_ED behind it redundant.
_START = b"IKCFG_ST"
_MARK = _START + b"\x1f\x8b\x08"
# The longest beginning of packed data that `compression` looks at, rounded up.
_HEAD = 16
# The offset and bytes that tell an image, for the right message only. ELF (also configs.ko); EFI;
# x86 (boot.rst, "HdrS"); arm64 and RISC-V (arch/*/include/asm/image.h); arm's zImage
# (boot/compressed/head.S); U-Boot's uImage.
_IMAGES = (
    (0, b"\x7fELF"), (0, b"MZ"), (0x202, b"HdrS"), (56, b"ARM\x64"), (56, b"RSC\x05"),
    (0x24, b"\x18\x28\x6f\x01"), (0x24, b"\x01\x6f\x28\x18"), (0, b"\x27\x05\x19\x56"),
)  # fmt: skip
# Those of them that are never packed themselves.
_BARE = ((0, b"\x7fELF"), (56, b"ARM\x64"), (56, b"RSC\x05"))


def extract_ikconfig(stream: BinaryIO, path: str) -> str:
    """The text of the configuration in a vmlinux, Image, bzImage, zboot image, or configs.ko.

    `stream` must be able to seek. A few chunks and the decompressor's window are all that is in
    memory. Raises InputError if there is no configuration, if it is damaged, or if the image is
    packed in a way that cannot be read.
    """
    message = f"no configuration in the first {SIZE_LIMIT >> 20} MiB of its unpacked content"
    spent = InputError(message, where=path, hint="give its .config or /boot/config-* instead")
    budget = Budget(SIZE_LIMIT, spent)
    text, broken = _attempt(_pieces(stream, path), path, budget)
    if text is not None:
        return text
    failure: InputError | None = None
    tried: set[int] = set()
    # One of a row of packed files was unpacked with those before it.
    untried = (one for one in _payloads(stream, path) if one[0] not in tried)
    for offset, kind, named in islice(untried, MOST_ATTEMPTS):
        stream.seek(offset)
        row = _Row(offset, tried)
        text, error = _attempt(unpack(stream, kind, path, budget, row.begins), path, budget)
        if text is not None:
            return text
        # What a header names is an error if it is damaged; what only looks packed is chance.
        if named or isinstance(error, UnsupportedError):
            failure = failure or error
    raise failure or broken or _nothing(stream, path)


class _Row:
    """Notes where in the image each of a row of packed files begins."""

    def __init__(self, offset: int, into: set[int]) -> None:
        self._offset, self._into = offset, into

    def begins(self, at: int) -> None:
        self._into.add(self._offset + at)


def _nothing(stream: BinaryIO, path: str) -> InputError:
    stream.seek(0)
    head = read_piece(stream, CHUNK, path)
    if not (compression(head) or any(head.startswith(magic, at) for at, magic in _IMAGES)):
        hint = "is it the right file?"
        return InputError("is a binary file, but not a kernel image", where=path, hint=hint)
    hint = (
        "only CONFIG_IKCONFIG adds a configuration to an image; "
        "look for /boot/config-* or /proc/config.gz"
    )
    return InputError("this kernel image contains no configuration", where=path, hint=hint)


def _attempt(
    pieces: Iterator[bytes], path: str, budget: Budget
) -> tuple[str | None, InputError | None]:
    """The configuration in the pieces, or what went wrong. Raises InputError if the budget is
    spent.

    A packed kernel may hold the start mark by chance: zstd keeps what it cannot pack as it is.
    """
    try:
        return _configuration(pieces, path, budget), None
    except InputError as error:
        if budget.spent:
            raise
        return None, error


def _configuration(pieces: Iterator[bytes], path: str, budget: Budget) -> str | None:
    """The text behind the first start mark; None where there is no such mark."""
    tail = b""
    for piece in pieces:
        window = tail + piece
        at = window.find(_MARK)
        if at >= 0:
            rest = _Rest(window[at + len(_START) :], pieces)
            return decode(collect(unpack(rest, "gzip", path, budget), path))[0]
        tail = window[1 - len(_MARK) :]
    return None


class _Rest:
    """A stream of pieces, of which the first has begun."""

    def __init__(self, first: bytes, pieces: Iterator[bytes]) -> None:
        self._first = first
        self._pieces = pieces

    def read(self, size: int, /) -> bytes:
        """The next piece, of any size; joined while it is shorter than a gzip header."""
        data, self._first = self._first, b""
        while len(data) < _HEAD and (piece := next(self._pieces, b"")):
            data += piece
        return data


def _pieces(stream: BinaryIO, path: str) -> Iterator[bytes]:
    """The whole stream, which may be moved between two pieces."""
    offset = stream.seek(0)
    while piece := read_piece(stream, CHUNK, path):
        offset += len(piece)
        yield piece
        stream.seek(offset)


def _payloads(stream: BinaryIO, path: str) -> Iterator[tuple[int, str, bool]]:
    """Offset and compression of what may be a packed kernel, and whether a header names it."""
    stream.seek(0)
    head = read_piece(stream, CHUNK, path)
    named = _payload_offset(head)
    stream.seek(named)
    if kind := compression(read_piece(stream, _HEAD, path)):
        yield named, kind, True
    bare = any(head.startswith(magic, offset) for offset, magic in _BARE)
    for offset, kind in _search(_pieces(stream, path)):
        # A bare image has lz4's magic in its code for an initramfs, and is no lz4 file.
        if offset != named and not (bare and kind in UNSUPPORTED):
            yield offset, kind, False


def _payload_offset(head: bytes) -> int:
    """Finds where the header says that the packed kernel begins; 0, the file itself, if it does
    not.

    Sources: Documentation/arch/x86/boot.rst, drivers/firmware/efi/libstub/zboot-header.S (6.12).
    """
    if head.startswith(b"zimg", 4):
        return _little(head, 8, 4)
    if head.startswith(b"HdrS", 0x202) and _little(head, 0x206, 2) >= 0x208:
        setup_sectors = _little(head, 0x1F1, 1) or 4  # boot.rst: 0 stands for 4
        return (setup_sectors + 1) * 512 + _little(head, 0x248, 4)
    return 0


def _little(head: bytes, offset: int, size: int) -> int:
    return int.from_bytes(head[offset : offset + size], "little")


def _search(pieces: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Offset and name of everything that begins like packed data, in order."""
    base, window = 0, b""
    for piece in pieces:
        window += piece
        # The last few bytes wait for the next piece, since no kernel is that short.
        end = max(len(window) - _HEAD, 0)
        for at, kind in sorted(_packed(window, end)):
            yield base + at, kind
        base, window = base + end, window[end:]


def _packed(window: bytes, end: int) -> Iterator[tuple[int, str]]:
    """Where before `end` packed data may begin, and of which kind: by kind, not in order."""
    for kind, magic in MAGICS:
        at = window.find(magic)
        while 0 <= at < end:
            if compression(window[at : at + _HEAD]) == kind:
                yield at, kind
            at = window.find(magic, at + 1)
