"""First inputs, out of what the repository has: texts of tests, examples, rules."""

from __future__ import annotations

import ast
import lzma
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType

from fuzz.quoted import folders_of
from fuzz.target import ROOT, bundled

LONGEST = 16_384
"""The most bytes of an input: longer ones are slower, and reach no more lines."""
_LEAST = 6


def _trees(*patterns: str) -> Iterator[ast.AST]:
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            yield from ast.walk(ast.parse(path.read_text()))


def texts(*patterns: str) -> list[bytes]:
    """Every text of some length that those files of Python have, and what is long is cut."""
    found = (
        node.value for node in _trees(*patterns)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )  # fmt: skip
    return [
        one.encode("utf-8", "replace")[:LONGEST]
        for one in dict.fromkeys(found)
        if len(one) >= _LEAST
    ]


def folders(*patterns: str, base: Mapping[str, str] = MappingProxyType({})) -> list[bytes]:
    """Every folder of files that those files of Python write as `{path: text}`, over a base."""
    paths = (path for pattern in patterns for path in sorted(ROOT.glob(pattern)))
    found = (bundled({**base, **files}) for path in paths for files in folders_of(path))
    return [one[:LONGEST] for one in dict.fromkeys(found)]


def contents(*patterns: str, most: int = 40, longest: int = LONGEST) -> list[bytes]:
    """The files of those names, evenly chosen; what is long is cut, before a table if it has
    some."""
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file())
    return [_cut(path.read_bytes(), longest) for path in paths[:: 1 + len(paths) // most]]


def _cut(body: bytes, longest: int) -> bytes:
    whole = body[:longest]
    if len(body) > longest and (table := whole.rfind(b"\n[[")) > 0:
        return whole[: table + 1]
    return whole


@cache
def example(name: str, share: int = 16) -> bytes:
    """A configuration of examples/, of whose lines one in so many is kept, with its header."""
    lines = lzma.decompress((ROOT / "examples" / f"{name}.config.xz").read_bytes()).splitlines(True)
    return b"".join(lines[:6] + lines[6::share])[:LONGEST]


def all_of(*parts: Iterable[bytes]) -> list[bytes]:
    """All of these, each once."""
    return list(dict.fromkeys(one for part in parts for one in part))


def recorded(most: int = 4) -> list[bytes]:
    """Hosts as real machines and booted kernels showed them: of each the first files."""
    found: list[bytes] = []
    for path in sorted((ROOT / "tests/inputs/host").glob("*/*.txt")):
        lines = (line.partition("=") for line in path.read_text().splitlines() if line[:1] == "/")
        files = {name: f"{body}\n" for name, _, body in lines if "[" not in name}
        step = 1 + len(files) // 60
        found.append(bundled(dict([*files.items()][::step]))[:LONGEST])
    return found[:: 1 + len(found) // (most * 2)]


def images() -> list[bytes]:
    """Small images with a configuration, and files packed in each way; the first byte says how an
    input is packed (fuzz/parsers.py)."""
    import gzip

    config = example("x86_64-6.12", 256)
    carried = b"IKCFG_ST" + gzip.compress(config) + b"IKCFG_ED"
    plain = b"\x7fELF" + bytes(60) + carried
    setup = bytearray(1024)
    setup[:2], setup[0x1F1], setup[0x202:0x208] = b"MZ", 1, b"HdrS\x0f\x02"
    setup[0x248:0x250] = (0).to_bytes(4, "little") + (900).to_bytes(4, "little")
    zboot = (
        b"MZ\0\0zimg"
        + (512).to_bytes(4, "little")
        + (900).to_bytes(4, "little")
        + bytes(8)
        + b"gzip\0"
    )
    shapes = (
        plain,
        bytes(setup) + gzip.compress(plain),
        zboot.ljust(512, b"\0") + gzip.compress(plain),
    )
    ways = [bytes((way,)) + shape for way in range(7) for shape in (config, *shapes)]
    return [*ways, *(shape[:1] + shape for shape in shapes), *shapes, b"\x02\x21\x4c\x18" + config]


def archives() -> list[bytes]:
    """Archives of hosts in each form of tar; the first byte says how they are packed."""
    import io
    import tarfile

    def member(
        name: str, kind: bytes = tarfile.REGTYPE, size: int = 0, target: str = ""
    ) -> tarfile.TarInfo:
        made = tarfile.TarInfo(name)
        made.type, made.size, made.linkname = kind, size, target
        return made

    found: list[bytes] = []
    files = {"proc/version": b"Linux version 6.12.0", "sys/a": b"1\n", "etc/" + "x" * 110: b"2",
             "boot/config-6.12.0": b"CONFIG_SMP=y\n", "proc/cmdline": b"quiet\n"}  # fmt: skip
    for top in ("", "./", "sosreport/"):
        for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
            made = io.BytesIO()
            with tarfile.open(fileobj=made, mode="w", format=form) as tar:
                tar.addfile(member(f"{top}sys", tarfile.DIRTYPE))
                for name, body in files.items():
                    if form != tarfile.USTAR_FORMAT or len(name) < 99:
                        tar.addfile(member(top + name, size=len(body)), io.BytesIO(body))
                tar.addfile(member(f"{top}sys/b", tarfile.SYMTYPE, target="a"))
                tar.addfile(member(f"{top}sys/c", tarfile.LNKTYPE, target=f"{top}sys/a"))
                tar.addfile(member(f"{top}sys/d", tarfile.FIFOTYPE))
            found.append(bytes((len(found) % 5,)) + made.getvalue().rstrip(b"\0") + bytes(1024))
    return found


def unified_image() -> bytes:
    """A PE file with a boot line and a release, as systemd's stub has."""
    head = bytearray(0x100)
    head[:2], head[0x3C:0x40], head[0x40:0x44] = b"MZ", (0x40).to_bytes(4, "little"), b"PE\0\0"
    sections = {b".cmdline": b"quiet ro", b".uname": b"6.12.0-2-amd64", b".osrel": b"ID=x\n"}
    head[0x46:0x48] = len(sections).to_bytes(2, "little")
    at, body = 0x100 + 40 * len(sections), b""
    for name, one in sections.items():
        numbers = (len(one), 0, len(one), at + len(body))
        head += (
            name.ljust(8, b"\0") + b"".join(n.to_bytes(4, "little") for n in numbers) + bytes(16)
        )
        body += one
    head[0x54:0x56] = (0x100 - 0x58).to_bytes(2, "little")
    return bytes(head) + body
