"""Reading with limits, whatever the packing, and writing all of it or nothing."""

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.inputs.open import read_text
from advisor.inputs.unpack import CHUNK, LIMIT, UnsupportedError, compression, decode, unpacked

from ..cases import each

TEXT = "CONFIG_HZ=250\n" * 20_000
ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


def zstd_compress(data: bytes) -> bytes:
    reason = f"{ZSTD} is missing: pip install 'kernel-advisor[zstd]'"
    packed: bytes = pytest.importorskip(ZSTD, reason=reason).compress(data)
    return packed


def lzma_compress(data: bytes) -> bytes:
    return lzma.compress(data, lzma.FORMAT_ALONE)


PACKERS = [gzip.compress, bz2.compress, lzma.compress, lzma_compress, zstd_compress]
Packer = Callable[[bytes], bytes]


class Standard:
    """A standard input of these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def written(tmp_path: Path, data: bytes) -> str:
    path = tmp_path / "input"
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("text", [TEXT, "x\n"])
def test_packing_is_told_by_content_not_by_name(tmp_path: Path, pack: Packer, text: str) -> None:
    assert read_text(written(tmp_path, pack(text.encode()))) == text


def test_plain_text_is_read_as_it_is(tmp_path: Path) -> None:
    assert read_text(written(tmp_path, TEXT.encode())) == TEXT


@pytest.mark.parametrize("pack", PACKERS)
def test_members_follow_each_other(tmp_path: Path, pack: Packer) -> None:
    assert read_text(written(tmp_path, pack(b"a\n") + pack(b"b\n") + b"rest")) == "a\nb\n"


def test_a_text_that_fills_whole_pieces_is_not_cut_short(tmp_path: Path) -> None:
    data = os.urandom(CHUNK).hex().encode() * 2

    assert read_text(written(tmp_path, gzip.compress(data))) == data.decode()


@pytest.mark.parametrize("pack", PACKERS)
def test_truncated_data_are_an_error(tmp_path: Path, pack: Packer) -> None:
    packed = pack(TEXT.encode())

    with pytest.raises(InputError, match="cut short"):
        read_text(written(tmp_path, packed[:-5]))


@pytest.mark.parametrize("pack", PACKERS)
def test_damaged_data_are_an_error(tmp_path: Path, pack: Packer) -> None:
    packed = bytearray(pack(TEXT.encode()))
    packed[20:60] = b"\xff" * 40

    with pytest.raises(InputError, match=r"damaged|cut short"):
        read_text(written(tmp_path, bytes(packed)))


@pytest.mark.parametrize(
    "magic", [b"\x02\x21\x4c\x18", b"\x04\x22\x4d\x18", b"\x89LZO\0\r\n\x1a\n"]
)
def test_what_cannot_be_unpacked_says_so(tmp_path: Path, magic: bytes) -> None:
    with pytest.raises(UnsupportedError, match=r"compressed with lz[4o]") as caught:
        read_text(written(tmp_path, magic + bytes(20)))

    assert "scripts/extract-ikconfig" in caught.value.hint


def test_zstd_without_its_module_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, ZSTD, None)

    with pytest.raises(UnsupportedError) as caught:
        read_text(written(tmp_path, b"\x28\xb5\x2f\xfd" + bytes(20)))

    assert caught.value.hint == "pip install 'kernel-advisor[zstd]'"


@each(
    "head",
    [b"", b"BZh9 is text", b"BZhx1AY&SY", b"\x1f\x8b\x08\xff", b"\x5d\0\0\0\4" + bytes(8), b"xz"],
)
def test_a_short_magic_alone_is_chance(head: bytes) -> None:
    assert compression(head) == ""


def test_the_limit_holds_for_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "input"
    with path.open("wb") as file:
        file.truncate(LIMIT + 1)

    with pytest.raises(InputError, match="more than 64 MiB"):
        read_text(str(path))


def test_the_limit_holds_for_what_a_small_file_unpacks_to(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(bytes(LIMIT + 1), 1))

    with pytest.raises(InputError, match="more than 64 MiB"):
        read_text(path)


def test_the_limit_holds_for_a_device() -> None:
    with pytest.raises(InputError, match="more than 64 MiB") as caught:
        read_text("/dev/zero")

    assert caught.value.where == "/dev/zero"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"CONFIG_X=y\n\0", "is a binary file"),
        ("CONFIG_X=y\n".encode("utf-16"), "is UTF-16"),
    ],
)
def test_what_is_no_text_is_one_clear_error(tmp_path: Path, data: bytes, message: str) -> None:
    path = written(tmp_path, data)

    with pytest.raises(InputError, match=message) as caught:
        read_text(path)

    assert caught.value.where == path
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "no such file"),
        ("", "is a directory"),
        ("n\0ne", "cannot be read"),
        ("x" * 300, "cannot be read"),
    ],
)
def test_what_cannot_be_opened_is_one_clear_error(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_text(f"{tmp_path}/{name}")


def test_a_read_that_fails_is_an_input_error() -> None:
    # A process's memory can be opened, and not read where nothing is mapped.
    with pytest.raises(InputError, match="cannot be read"), open("/proc/self/mem", "rb") as stream:
        list(unpacked(stream, "/proc/self/mem"))


def test_bytes_that_are_no_utf8_are_replaced_and_located() -> None:
    assert decode(b"a\nb\xff\n\xfe") == ("a\nb\ufffd\n\ufffd", 2)
    assert decode("ä".encode()) == ("ä", 0)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Standard(gzip.compress(b"x\n")))

    assert read_text("-") == "x\n"
    assert not sys.stdin.buffer.closed


def test_a_closed_standard_input_is_an_input_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(InputError, match="<stdin>: cannot be read: it is closed"):
        read_text("-")


def test_a_pipe_that_a_file_is_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is no regular file"):
        read_text(str(tmp_path / "pipe"))


def test_a_pipe_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, gzip.compress(b"x\n"))
    os.close(writer)
    try:
        assert read_text(f"/dev/fd/{reader}") == "x\n"
    finally:
        os.close(reader)
