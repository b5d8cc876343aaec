"""Takes a snapshot of a host: the same text as snapshot.sh writes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from fnmatch import fnmatchcase

from advisor.errors import InputError
from advisor.inputs.host.inuse import SWAPS
from advisor.inputs.host.kernel import running_release
from advisor.inputs.host.masks import COMMENT, ONLY_CONFIGURED, SECRET, masked
from advisor.inputs.host.root import Root
from advisor.inputs.host.settings import is_meant
from advisor.inputs.host.snapshot import MARK, VERSION
from advisor.inputs.host.taken import (
    BINARY,
    CONFIGURED,
    KEY,
    LIMITS,
    LINES,
    MOST_ENTRIES,
    MOST_OF_A_CONFIGURATION,
    NAME,
    PRESENCE,
    TEXT,
    THERE,
    VALUE,
    Take,
    configurations,
    is_kept_link,
)
from advisor.inputs.unpack import joined, unpacked

_ARCH = "/proc/sys/kernel/arch"
_IS_A_FOLDER = "is a directory"
_COMMENT = re.compile(COMMENT[0])


def snapshot_of(root: Root, takes: Iterable[Take], processes: Iterable[str]) -> bytes:
    """Takes the snapshot of a host: what the list names, and the processes whose names fit one
    of these patterns. Raises InputError where that is more than a snapshot holds."""
    lines, count = [MARK + str(VERSION).encode()], 0
    for take in takes:
        paths = _paths(root, take.pattern)
        if take.kind == VALUE:
            # Of a pattern that names no file, that is told once.
            paths = [path for path in paths if _is_there(root, path)] or [take.pattern]
        for path in paths:
            record = list(_record(root, take, path))
            count += bool(record)
            if count > MOST_ENTRIES:
                message = f"the rules name more than {MOST_ENTRIES:,} files of this host"
                raise InputError(
                    message, where=root.folder, hint="leave out some rules of your own"
                )
            lines += record
    lines += _configured(root)
    lines += _arch(root)
    lines += _configurations(root)
    lines += _processes(root, tuple(processes))
    return b"\n".join((*lines, b"end", b""))


def _paths(root: Root, pattern: str) -> list[str]:
    """Lists the paths that a pattern names, sorted as a shell does; none that is hidden, or
    below /lib where that is a link."""
    if pattern.startswith("/lib/") and root.link("/lib"):
        return []
    if not any(mark in pattern for mark in "*["):
        return [pattern]
    found = [path for path in root.matching(pattern) if "/." not in path and "\n" not in path]
    return sorted(found, key=os.fsencode)


def _lacking(root: Root, path: str) -> Iterator[bytes]:
    """Records that there is no such file, or that its folder is closed; nothing where nothing is
    mounted."""
    if root.hides(path):
        yield _head("refused", path)
    elif root.knows(path) is False:
        yield _head("absent", path)


def _is_there(root: Root, path: str) -> bool:
    return root.has(path) or bool(root.link(path))


def _record(root: Root, take: Take, path: str) -> Iterator[bytes]:
    if not _is_there(root, path):
        if take.kind in (PRESENCE, VALUE):
            yield from _lacking(root, path)
        return
    if take.kind == PRESENCE:
        yield _head("folder" if root.is_folder(path) else "there", path)
        return
    if take.kind == NAME:
        if root.is_folder(path):
            yield _head("folder", path)
        return
    target = root.link(path)
    if target and (take.kind == THERE or (take.kind == TEXT and is_kept_link(target))):
        yield _head("link", path)
        yield b"|" + os.fsencode(target)
        return
    if take.kind == THERE:
        yield _head("there", path)
        return
    if is_meant(path):
        yield from _content(root, take, path)


def _content(root: Root, take: Take, path: str) -> Iterator[bytes]:
    limit = LIMITS[take.kind]
    data = _read(root, path, limit, head=take.kind == LINES)
    # A shell does not see that reading failed: a value of no byte is none.
    if data is None or (take.kind == VALUE and not data):
        if root.unread.get(path, _IS_A_FOLDER) != _IS_A_FOLDER or data is not None:
            yield _head("refused", path)
        return
    if take.kind == BINARY:
        yield _head("binary", path)
        yield from (b"|" + data[at : at + 16].hex(" ").encode() for at in range(0, len(data), 16))
        return
    lines = _split(data)
    if take.kind == LINES:
        wanted = re.compile(take.keep)
        lines = list(dict.fromkeys(line for line in lines if wanted.match(line)))
        # Of many processors the first one tells.
        if path == "/proc/cpuinfo":
            lines = lines[:1] + [line for line in lines[1:] if line.startswith("flags")][:1]
        # How much is in use changes by itself.
        if path == SWAPS:
            lines = [" ".join(line.split()[:2]) for line in lines]
    elif take.kind == TEXT:
        if not path.endswith("/grubenv"):
            lines = [_COMMENT.sub(COMMENT[1], line) for line in lines]
        lines = [masked(line) for line in lines]
    yield _head("file", path)
    yield from (b"|" + line.encode("latin-1") for line in lines)


def _read(root: Root, path: str, limit: int, head: bool = False) -> bytes | None:
    """Reads a file; None where it cannot be read or is longer than the limit."""
    try:
        with root.waiting(path):
            stream = root.stream(path)
            if stream is None:
                return None
            with closing(stream):
                data = stream.read(limit + (not head)) or b""
    except OSError as error:
        root.unread[path] = str(error)
        return None
    if len(data) > limit:
        root.unread[path] = "too long"
        return None
    return data


def _split(data: bytes) -> list[str]:
    """The lines of a file; a zero byte is a blank. Bytes are kept, each as a character."""
    lines = data.decode("latin-1").replace("\0", " ").split("\n")
    return lines if lines[-1] else lines[:-1]


def _configured(root: Root) -> Iterator[bytes]:
    """Records the values of the sysctls that files set at boot."""
    keys: set[str] = set()
    for pattern in CONFIGURED:
        for path in _paths(root, pattern):
            for line in _split(_read(root, path, LIMITS[TEXT], head=True) or b""):
                if found := re.match(KEY, line):
                    keys.add(found[1].replace(".", "/"))
    for key in sorted(keys):
        if not re.search(SECRET, key):
            yield from _record(root, Take(VALUE, ""), f"/proc/sys/{key}")


def _arch(root: Root) -> Iterator[bytes]:
    """Records the architecture, which kernels before 6.1 show in no file."""
    if root.runs and not root.has(_ARCH):
        yield _head("file", _ARCH)
        yield b"|" + os.uname().machine.encode()


def _configurations(root: Root) -> Iterator[bytes]:
    release = running_release(root)
    for pattern in configurations(release):
        for path in _paths(root, pattern):
            text = _configuration(root, path)
            if text is None:
                continue
            yield _head("file", path)
            for line in _split(text):
                own = masked(line) if re.match(ONLY_CONFIGURED, line) else line
                yield b"|" + own.encode("latin-1")
            if release:
                return


def _configuration(root: Root, path: str) -> bytes | None:
    stream = root.stream(path)
    if stream is None:
        return None
    try:
        with closing(stream):
            return joined(unpacked(stream, path), MOST_OF_A_CONFIGURATION) or None
    except (InputError, OSError):
        return None


def _processes(root: Root, wanted: tuple[str, ...]) -> Iterator[bytes]:
    """Records the processes of these names; others come and go."""
    numbers = [name for name in root.names("/proc") if name.isascii() and name.isdecimal()]
    for number in sorted(numbers):
        path = f"/proc/{number}/comm"
        data = _read(root, path, 64, head=True)
        name = _split(data)[0] if data else ""
        if any(fnmatchcase(name, pattern) for pattern in wanted):
            yield _head("file", path)
            yield b"|" + name.encode("latin-1")


def _head(kind: str, path: str) -> bytes:
    return f"{kind} ".encode() + os.fsencode(path)
