"""Configurations inside kernel images, each image built here byte by byte."""

import bz2
import gzip
import io
import lzma
import random
import struct
import sys
from collections.abc import Callable

import pytest

from advisor.errors import InputError
from advisor.inputs import image
from advisor.inputs.unpack import CHUNK

from ..cases import each

CONFIG = "# Linux/x86 6.12.117 Kernel Configuration\nCONFIG_IKCONFIG=y\n"
ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
LZ4 = b"\x02\x21\x4c\x18"
Packer = Callable[[bytes], bytes]


def noise(size: int) -> bytes:
    return random.Random(6).randbytes(size)


def vmlinux(config: str | None = CONFIG, at: int = 5000) -> bytes:
    carried = b"" if config is None else gzip.compress(config.encode())
    mark = b"" if config is None else b"IKCFG_ST" + carried + b"IKCFG_ED"
    return (b"\x7fELF" + noise(at))[:at] + mark + noise(3000)


def bzimage(payload: bytes, sectors: int = 3, protocol: int = 0x20F) -> bytes:
    """Documentation/arch/x86/boot.rst: sectors of set-up code, then protected-mode code."""
    setup = bytearray(((sectors or 4) + 1) * 512)
    setup[:2] = b"MZ"
    setup[0x1F1] = sectors
    setup[0x202:0x208] = b"HdrS" + struct.pack("<H", protocol)
    setup[0x248:0x250] = struct.pack("<II", 700, len(payload))
    return bytes(setup) + noise(700) + payload + struct.pack("<I", 1 << 20) + noise(100)


def zboot(payload: bytes) -> bytes:
    """drivers/firmware/efi/libstub/zboot-header.S."""
    head = b"MZ\0\0zimg" + struct.pack("<IIII", 4096, len(payload), 0, 0) + b"gzip\0"
    return head.ljust(4096, b"\0") + payload + noise(100)


def lzma_pack(data: bytes) -> bytes:
    return lzma.compress(data, lzma.FORMAT_ALONE)


def zstd_pack(data: bytes) -> bytes:
    reason = f"{ZSTD} is missing: pip install 'kernel-advisor[zstd]'"
    packed: bytes = pytest.importorskip(ZSTD, reason=reason).compress(data)
    return packed


def extract(data: bytes) -> str:
    return image.extract_ikconfig(io.BytesIO(data), "vmlinuz")


PACKERS = [gzip.compress, bz2.compress, lzma.compress, lzma_pack, zstd_pack]


@each("at", [4, 5000, *range(CHUNK - 30, CHUNK + 2), 3 * CHUNK])
def test_a_vmlinux_is_searched_across_pieces(at: int) -> None:
    assert extract(vmlinux(at=at)) == CONFIG


@each("pack", PACKERS)
@each("sectors", [0, 3, 30])
def test_a_bzimage_is_unpacked_where_its_header_says(pack: Packer, sectors: int) -> None:
    assert extract(bzimage(pack(vmlinux()), sectors)) == CONFIG


@each("pack", PACKERS)
def test_a_zboot_image_is_unpacked_where_its_header_says(pack: Packer) -> None:
    assert extract(zboot(pack(vmlinux()))) == CONFIG


@each("pack", PACKERS)
def test_a_packed_image_is_unpacked_from_its_beginning(pack: Packer) -> None:
    assert extract(pack(vmlinux())) == CONFIG


@each("pack", PACKERS)
@each("at", [1, 5000, *range(CHUNK - 20, CHUNK + 2)])
def test_without_a_header_packed_data_are_searched(pack: Packer, at: int) -> None:
    assert extract(noise(at) + pack(vmlinux()) + noise(100)) == CONFIG


def test_an_old_bzimage_names_no_payload_and_is_searched() -> None:
    assert extract(bzimage(gzip.compress(vmlinux()), protocol=0x207)) == CONFIG


def test_a_mark_that_zstd_left_as_it_was_is_no_error() -> None:
    # Seen in a real bzImage of 6.12: the packed kernel holds the mark, and broken gzip behind it.
    chance = b"IKCFG_ST\x1f\x8b\x08\x02broken" + noise(50)

    assert extract(bzimage(chance + lzma.compress(vmlinux()))) == CONFIG


def test_only_a_broken_mark_is_an_error() -> None:
    with pytest.raises(InputError, match=r"damaged|cut short"):
        extract(b"\x7fELF" + b"IKCFG_ST\x1f\x8b\x08\x00" + b"\xff" * 50)


@each(
    "data",
    [
        vmlinux(None),
        bzimage(lzma.compress(vmlinux(None))),
        gzip.compress(vmlinux(None), mtime=0),  # a worker collects a second later than another
    ],
)
def test_an_image_without_one_says_what_puts_it_there(data: bytes) -> None:
    with pytest.raises(InputError, match="contains no configuration") as caught:
        extract(data)

    assert caught.value.where == "vmlinuz"
    assert "CONFIG_IKCONFIG" in caught.value.hint
    assert "/boot/config-*" in caught.value.hint


@each("data", [b"", b"\0" * 100, noise(4096)])
def test_another_binary_is_called_one(data: bytes) -> None:
    with pytest.raises(InputError, match="is a binary file, but not a kernel image"):
        extract(data)


@each(
    "data",
    [bzimage(LZ4 + noise(99)), zboot(LZ4 + noise(99)), noise(5000) + LZ4 + noise(99)],
)
def test_what_cannot_be_unpacked_names_the_script_that_can(data: bytes) -> None:
    with pytest.raises(InputError, match="compressed with lz4") as caught:
        extract(data)

    assert "scripts/extract-ikconfig" in caught.value.hint


@each("head", [b"\x7fELF", bytes(56) + b"ARM\x64", b"MZ" + bytes(54) + b"RSC\x05"])
def test_a_bare_image_may_hold_the_magic_of_lz4(head: bytes) -> None:
    with pytest.raises(InputError, match="contains no configuration"):
        extract(head + noise(3000) + LZ4 + noise(99))


def test_a_payload_in_zstd_without_its_module_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, ZSTD, None)

    with pytest.raises(InputError, match="zstd") as caught:
        extract(bzimage(b"\x28\xb5\x2f\xfd" + noise(99)))

    assert "kernel-advisor[zstd]" in caught.value.hint


@each("pack", PACKERS)
def test_a_truncated_payload_is_an_error(pack: Packer) -> None:
    whole = bzimage(pack(vmlinux(at=200_000)))

    with pytest.raises(InputError, match=r"cut short|damaged"):
        extract(whole[: len(whole) // 2])


def test_what_is_unpacked_is_limited_over_all_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "SIZE_LIMIT", 1 << 20)
    bomb = gzip.compress(bytes(700_000))

    with pytest.raises(InputError, match="no configuration in the first 1 MiB"):
        extract(noise(10) + bomb + noise(10) + bomb + noise(10))


def test_attempts_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "MOST_ATTEMPTS", 2)
    wrong = b"\x1f\x8b\x08\x00" + b"\xff" * 50

    with pytest.raises(InputError):
        extract(noise(10) + wrong * 2 + gzip.compress(vmlinux()) + noise(99))


def test_no_more_than_needed_is_read() -> None:
    class Counted(io.BytesIO):
        total = 0

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            Counted.total += len(data)
            return data

    image.extract_ikconfig(Counted(vmlinux(at=CHUNK) + bytes(100 * CHUNK)), "vmlinux")

    assert Counted.total <= 3 * CHUNK
