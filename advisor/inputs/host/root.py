"""The files of a host: those of the running system, or those below a folder laid out like one."""

from __future__ import annotations

import errno
import os
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import BinaryIO

from advisor.files import TooLargeError, opened
from advisor.inputs.host.patience import patience
from advisor.model.remedy import is_variable

MOST_BYTES = 64 << 20
"""The most bytes that are read of one host, its configuration apart."""
MOST_ENTRIES = 1 << 20
"""The most files that are opened or listed of one host: 10,000 CPUs have some 50,000."""
MOST_OF_A_VALUE = 1 << 12
"""The most bytes of a file that holds a value: a page, of which sysfs shows one at most."""
_LONGEST = 1 << 12
"""As long as a path can be (PATH_MAX, include/uapi/linux/limits.h)."""
_MOST_LINKS = 40
"""As many as the kernel follows (MAXSYMLINKS, include/linux/namei.h)."""
# Where a group may hold groups, and a path names one at any depth.
_NESTING = "/sys/fs/cgroup/"
_DEEPEST = 64
_NO_MOUNTS = "/sys/devices/"
MOUNT_POINTS = (
    "/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/kernel/config",
    "/sys/fs/bpf", "/sys/fs/cgroup", "/sys/fs/pstore", "/sys/firmware/efi/efivars",
)  # fmt: skip
"""Where other file systems are mounted; some are made when these start, as debugfs's is not with
debugfs=off (fs/debugfs/inode.c, read in 6.12)."""
_ABSENT = (FileNotFoundError, NotADirectoryError)


class Root:
    """The files of a host, by their paths on it: `/proc/cmdline`.

    A link is followed as that host would, and so never out of the folder; what another process
    changes there meanwhile is not guarded against. What is not there reads as nothing; what is
    there and cannot be read is in `unread`, with the reason, by its path on the host.
    """

    def __init__(self, folder: str = "/") -> None:
        # A process's root (/proc/PID/root) reads as a link to / and may be another one.
        self.folder = "/" if _is_same(folder, "/") else os.path.normpath(folder)
        self.unread: dict[str, str] = {}
        self._bytes = MOST_BYTES
        self._entries = MOST_ENTRIES
        self._links: dict[str, str] = {}
        self._ways: dict[str, list[str]] = {}  # of folders: of 10,000 CPUs each has some files
        self._stuck: dict[str, str] = {}

    @property
    def runs(self) -> bool:
        """Whether these are the files of the running system."""
        return self.folder == "/"

    @property
    def alive(self) -> bool:
        """Whether what they tell of this process is true of the host's."""
        return self.runs

    def called(self, path: str) -> str:
        """Gives the name of a file in messages."""
        return path if self.runs else os.path.join(self.folder, path.lstrip("/"))

    def text(self, path: str, limit: int = MOST_OF_A_VALUE) -> str | None:
        """The text of a file of at most `limit` bytes; None where there is none to be read."""
        return self._text(path, limit, whole=True)

    def head(self, path: str, limit: int) -> str:
        """The first `limit` bytes of a file's text; empty where there is none to be read."""
        return self._text(path, limit, whole=False) or ""

    @contextmanager
    def waiting(self, path: str) -> Iterator[None]:
        """Reads a file of the running system within, which may keep who reads it: after some
        seconds no longer, and then none of that name is tried again. Raises OSError."""
        name = path.rpartition("/")[2]
        if name in self._stuck:
            raise OSError(errno.ETIMEDOUT, self._stuck[name])
        if not (self.runs and path.startswith("/sys/")):
            yield
            return
        try:
            with patience():
                yield
        except TimeoutError as error:
            self._stuck[name] = str(error.strerror)
            raise

    def stream(self, path: str) -> BinaryIO | None:
        """Opens a file for a reader that bounds what it reads; None if it cannot be opened."""
        try:
            return self._opened(path)
        except _ABSENT:
            return None
        except TimeoutError:
            raise
        except (OSError, ValueError) as error:
            self.unread[path] = _reason(error)
            return None

    def has(self, path: str) -> bool:
        """Whether there is a file or folder of that path."""
        try:
            return os.path.lexists(self._place(path))
        except (OSError, ValueError):
            return False

    def knows(self, path: str) -> bool | None:
        """Whether there is such a file below /proc or /sys; None where that is not known: of what
        is not mounted, or closed to who asks, and of a folder that may be a part of a host's."""
        if not self.runs:
            return True if self.has(path) else None
        try:
            os.stat(self._place(path))
        except _ABSENT:
            return False if self._is_open(path.rpartition("/")[0]) else None
        except OSError:
            return None
        return True

    def _is_open(self, folder: str) -> bool:
        """Whether the nearest folder on the way that is there shows something, or is one of the
        kernel's devices, where nothing is mounted. A /proc of processes alone (subset=pid) tells
        nothing."""
        if folder == "/proc":
            return os.path.lexists("/proc/version")
        try:
            with os.scandir(self._place(folder)) as entries:
                return folder.startswith(_NO_MOUNTS) or next(entries, None) is not None
        except _ABSENT:
            above = folder.rpartition("/")[0]
            return bool(folder) and folder not in MOUNT_POINTS and self._is_open(above)
        except OSError:
            return False

    def hides(self, path: str) -> bool:
        """Whether a folder of the running system is closed to who asks, in which it may be."""
        folder = path.rpartition("/")[0] if self.runs else ""
        while folder and not os.path.lexists(folder):
            folder = folder.rpartition("/")[0]
        return bool(folder) and not os.access(folder, os.R_OK | os.X_OK)

    def is_folder(self, path: str) -> bool:
        """Whether it is a folder, or a link to one."""
        try:
            return os.path.isdir(self._place(path))
        except (OSError, ValueError):
            return False

    def link(self, path: str) -> str:
        """Gives the target of a link as it is written; empty for what is no link."""
        return self._link(path.lstrip("/"))

    def names(self, folder: str) -> list[str]:
        """Lists what is in a folder, sorted; nothing where there is none to be read."""
        return [name for name, _ in self._listed(folder)]

    def matching(self, pattern: str) -> Iterator[str]:
        """The paths that a rule's path may name, sorted, whether there is a file of each or not.

        `*` is a part of a name, a name in capitals any name, of control groups also several.
        """
        yield from self._below("", pattern.split("/")[1:])

    def _below(self, folder: str, parts: list[str]) -> Iterator[str]:
        if not parts:
            yield folder
            return
        part, *rest = parts
        if not ("*" in part or is_variable(part)):
            yield from self._below(f"{folder}/{part}", rest)
            return
        nested = f"{folder}/".startswith(_NESTING) and folder.count("/") < _DEEPEST
        for name, is_folder in self._listed(folder):
            if is_variable(part) or fnmatchcase(name, part):
                # Nothing but a folder, or a link to one, has files.
                if rest and is_folder is False:
                    continue
                yield from self._below(f"{folder}/{name}", rest)
                if nested and is_folder and self.has("/".join((folder, name, *rest))):
                    yield from self._below(f"{folder}/{name}", parts)

    def _listed(self, folder: str) -> list[tuple[str, bool | None]]:
        """The names, sorted, each with whether it is a folder; of a link, which may be, None."""
        found: list[tuple[str, bool | None]] = []
        try:
            with os.scandir(self._place(folder)) as entries:
                for entry in entries:
                    self._spend(entries=1)
                    is_folder = entry.is_dir(follow_symlinks=False)
                    found.append((entry.name, None if entry.is_symlink() else is_folder))
        except _ABSENT:
            pass
        except (OSError, ValueError) as error:
            self.unread[folder] = _reason(error)
        return sorted(found, key=lambda pair: pair[0])

    def _text(self, path: str, limit: int, whole: bool) -> str | None:
        try:
            with self.waiting(path), self._opened(path) as stream:
                # Of a file that would block, nothing is there.
                data = stream.read(limit + whole) or b""
            self._spend(size=len(data))
            if len(data) > limit:
                raise TooLargeError(limit)
        except _ABSENT:
            return None
        except (OSError, ValueError) as error:
            self.unread[path] = _reason(error)
            return None
        return data.decode(errors="replace")

    def _opened(self, path: str) -> BinaryIO:
        self._spend(entries=1)
        # The kernel resolves what is below /; else every link on the way was.
        return opened(self._place(path), links=self.runs)

    def _spend(self, entries: int = 0, size: int = 0) -> None:
        """Raises OSError when all is spent that one host may cost."""
        self._entries -= entries
        self._bytes -= size
        if self._entries < 0 or self._bytes < 0:
            raise OSError(errno.EFBIG, "more files than kernel-advisor reads from one host")

    def _place(self, path: str) -> str:
        """Where a file of the host is on this machine. Raises OSError for links without end."""
        if self.runs:
            return path
        folder, _, name = path.rpartition("/")
        if folder not in self._ways:
            self._ways[folder] = self._way(folder)
        found = [*self._ways[folder], name]
        if name in ("", ".", "..") or self._link("/".join(found)):
            found = self._way(path)
        return "/".join((self.folder, *found))

    def _way(self, path: str) -> list[str]:
        """The names on the way to a file of the host, when each link is followed. Raises OSError
        for links without end, and for what is longer than a path can be."""
        waiting, found, links, length = deque(path.split("/")), list[str](), 0, 0
        while waiting:
            part = waiting.popleft()
            if part == "..":
                length -= sum(len(name) + 1 for name in found[-1:])
                del found[-1:]
            elif part not in ("", "."):
                found.append(part)
                length += len(part) + 1
                target = self._link("/".join(found)) if length <= _LONGEST else ""
                if max(length, len(target)) > _LONGEST:
                    raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
                if target:
                    links += 1
                    if links > _MOST_LINKS:
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                    steps = target.split("/")
                    self._spend(entries=len(steps))
                    found = [] if target.startswith("/") else found[:-1]
                    length = sum(len(name) + 1 for name in found)
                    waiting.extendleft(reversed(steps))
        return found

    def _link(self, path: str) -> str:
        """Where a link leads to, by its path below the folder; empty for what is none."""
        if path not in self._links:
            try:
                self._links[path] = os.readlink(os.path.join(self.folder, path))
            except OSError:
                self._links[path] = ""
        return self._links[path]


def reasons(unread: dict[str, str]) -> list[tuple[str, list[str]]]:
    """Groups what could not be read by the reason, the commonest reason first."""
    counts = Counter(unread.values())
    ordered = sorted(counts, key=lambda reason: (-counts[reason], reason))
    return [(r, [path for path, own in unread.items() if own == r]) for r in ordered]


def _is_same(folder: str, other: str) -> bool:
    try:
        return os.path.samefile(folder, other)
    except (OSError, ValueError):
        return False


def _reason(error: OSError | ValueError) -> str:
    """Why a file cannot be read, in a few words."""
    text = (error.strerror if isinstance(error, OSError) else "") or str(error)
    return text[:1].lower() + text[1:]
