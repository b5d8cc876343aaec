"""What runs in the guest, and the plugin of qemu that counts it: built here, from C."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from advisor.errors import UsageError

from ..platform import Platform

SOURCES = Path(__file__).parent
_FLAGS = ("-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror")
_HOSTS = "gcc and libc6-dev"
_SHARED = ("-fPIC", "-shared", "-fvisibility=hidden")
# What the archive says of the one file in it: run as root, never written (cpio's format "newc").
_MAGIC = "070701"
_EXECUTABLE = 0o100755


class Guest(NamedTuple):
    """The plugin, and the file system that kernels start with; the digests of both."""

    plugin: Path
    initramfs: Path
    plugin_digest: str
    initramfs_digest: str


def build(folder: Path, platform: Platform) -> Guest:
    """Both for guests of that platform, in a folder of its own in that folder, from the sources
    beside this file.

    The same compiler and C library make the same files, wherever. Raises UsageError without a C
    compiler or a C library to link with.
    """
    own = folder / (platform.facts.arch or "")
    own.mkdir(parents=True, exist_ok=True)
    plugin, init, initramfs = (own / name for name in ("count.so", "init", "initramfs"))
    _run(_HOSTS, "gcc", *_FLAGS, *platform.plugin, *_SHARED, "-o", str(plugin), "count.c")
    packages, compiler = platform.compiler_packages, platform.compiler
    _run(packages, compiler, *_FLAGS, "-static", "-s", "-o", str(init), "init.c", "windows.c")
    initramfs.write_bytes(archive("init", init.read_bytes()))
    return Guest(plugin, initramfs, digest_of(plugin), digest_of(initramfs))


def _run(packages: str, *command: str) -> None:
    try:
        done = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        hint = f"Debian's packages {packages}"
        raise UsageError(f"no {command[0]}", hint=hint) from error
    if done.returncode:
        raise UsageError(f"{command[0]} failed: {done.stderr.strip()}", where=str(SOURCES))


def digest_of(path: Path) -> str:
    """The sha256 of a file's content."""
    return sha256(path.read_bytes()).hexdigest()


def archive(name: str, content: bytes) -> bytes:
    """One executable file as an initramfs, with a folder for devices.

    Documentation/driver-api/early-userspace/buffer-format.rst (6.12).
    """
    entries = (("dev", 0o040755, b""), (name, _EXECUTABLE, content), ("TRAILER!!!", 0, b""))
    return b"".join(_entry(i, *entry) for i, entry in enumerate(entries, start=1))


def _entry(inode: int, name: str, mode: int, content: bytes) -> bytes:
    # inode, mode, user, group, links, time, size, device, device of a node, name's length, sum
    fields = (inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = _MAGIC + "".join(f"{field:08x}" for field in fields)
    return _filled(head.encode() + name.encode() + b"\0") + _filled(content)


def _filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
