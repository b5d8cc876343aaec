"""The one door to the disk: every file of the product is opened here, to read or to write.

A test forbids it elsewhere. What stays where it is needed: listing folders, making them, asking
whether something exists, and starting processes.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Mapping
from io import FileIO, TextIOWrapper
from typing import IO, BinaryIO, TextIO

from advisor.errors import InputError, OutputError

MOST = 64 << 20
"""The most bytes of a file that only we write: several times the largest that is known."""
_ACL = "system.posix_acl_access"
_RUN = re.compile(r"([1-9]\d{0,9})\.[0-9a-f]{8}", re.ASCII)
"""What follows in the name of a file that a run writes: its process, and what tells it apart."""
_A_DAY = 86_400.0
_PACKAGE = os.path.dirname(os.path.abspath(__file__))
ARCHIVE: str | None = getattr(globals().get("__loader__"), "archive", None)
"""The zip file that all this is run from (kernel-advisor.pyz), if it is."""


class NotRegularError(OSError):
    """A pipe, device or socket where a regular file is expected."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "no regular file")


class TooLargeError(OSError):
    """A file of more bytes than its reader takes."""

    def __init__(self, limit: int) -> None:
        super().__init__(errno.EFBIG, f"more than {limit} bytes")


def opened(path: str | bytes, *, regular: bool = True, links: bool = True) -> BinaryIO:
    """The file, open to read, for a reader that bounds what it reads.

    With `regular` nothing else is opened, so that no pipe is waited for: NotRegularError. Without
    `links` a path whose last part is a link is refused. Raises OSError, and ValueError for a path
    that holds a zero byte.
    """
    # What is no regular file is found out only when it is open, which must not wait.
    flags = (os.O_NONBLOCK if regular else 0) | (0 if links else os.O_NOFOLLOW)
    # open() itself refuses a folder, before the first read.
    stream = open(path, "rb", opener=lambda name, usual: os.open(name, usual | flags))  # noqa: SIM115
    if regular and not is_regular(stream):
        stream.close()
        raise NotRegularError
    return stream


def is_regular(stream: BinaryIO) -> bool:
    """Whether an open file is a regular one: a device may seek, and yet never end."""
    return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)


def now(data: bytes | None) -> bytes:
    """What was read of a file that is not waited for. Raises BlockingIOError for None, which stands
    for nothing yet: of regular files, for some of /proc (kmsg)."""
    if data is None:
        raise BlockingIOError(errno.EAGAIN, "a read would block")
    return data


def read(path: str | bytes, *, limit: int, links: bool = True) -> bytes:
    """The whole of a regular file of at most `limit` bytes; see `opened`.

    Raises OSError: NotRegularError, and TooLargeError for a longer file, of which at most one byte
    more is read. Raises ValueError for a path that holds a zero byte. A path within ARCHIVE is
    read there.
    """
    if ARCHIVE and isinstance(path, str) and path.startswith(ARCHIVE + os.sep):
        return _archived(path)
    with opened(path, links=links) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > limit:
            raise TooLargeError(limit)
        data = now(stream.read(size + 1))
        if len(data) > size:  # it grows, or tells no size, as those of /proc
            data += stream.read(limit + 1 - len(data)) or b""
    if len(data) > limit:
        raise TooLargeError(limit)
    return data


def _archived(path: str) -> bytes:
    """A file of the archive that this is run from. Raises FileNotFoundError."""
    try:
        return __loader__.get_data(path)  # type: ignore[name-defined, no-any-return]  # PEP 302
    except OSError as error:  # of zipimport: without a reason
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from error


def read_standard_input(limit: int) -> bytes:
    """Up to `limit` bytes of standard input. Raises OSError, and ValueError if it is closed."""
    if sys.stdin is None:
        raise ValueError("it is closed")
    return sys.stdin.buffer.read(limit)


def read_own(*parts: str) -> str:
    """The text of a file that comes with the package, by its path within. Raises OSError."""
    return read(os.path.join(_PACKAGE, *parts), limit=MOST).decode()


def temporary(folder: str | None = None) -> IO[bytes]:
    """A file without a name, to write and read, that is gone when it is closed. Raises OSError."""
    from tempfile import TemporaryFile

    return TemporaryFile(dir=folder)


def write_atomically(path: str, text: str | bytes, *, private: bool = False) -> None:
    """Puts `text`, as UTF-8, or bytes in place of the file, or leaves it as it was.

    A link stays one; a device or pipe is written to, since nothing may take its place. A new file's
    mode is by the umask; one that is replaced keeps its mode, ACL and owner (see `_keep_access`).
    What a killed run left beside it goes (see `_sweep`). For `private` see `replace`. Raises
    OutputError.
    """
    data = text if isinstance(text, bytes) else text.encode(errors="backslashreplace")
    try:
        target = os.path.realpath(path)
        if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
            with open(target, "wb") as file:
                file.write(data)
        else:
            _sweep(target)
            replace(target, data, durable=True, private=private)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise OutputError(
            f"cannot be written: {reason}", where=path, hint="check the folder and its permissions"
        ) from error


def write_folder(folder: str, texts: Mapping[str, str], stale: Iterable[str] = ()) -> None:
    """Writes files by their paths below a folder, which is made, and removes `stale` ones.

    All are on the disk before the first takes its place: a full disk leaves the folder as it was.
    Other files stay. Raises OutputError.
    """
    from shutil import rmtree

    beside = os.path.join(folder, f".kernel-advisor.{os.getpid()}.{os.urandom(4).hex()}")
    made = False
    try:
        if not os.path.isdir(folder):
            os.makedirs(folder)
            made = True
        os.mkdir(beside, 0o700)
        for name, text in texts.items():
            path = os.path.join(beside, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            replace(path, text.encode(errors="backslashreplace"), durable=True)
        for name in texts:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.replace(os.path.join(beside, name), path)
        for name in stale:
            _remove_below(folder, name)
    except OSError as error:
        raise OutputError(
            f"cannot be written: {error.strerror}",
            where=folder,
            hint="check the folder and its permissions",
        ) from error
    finally:
        rmtree(beside, ignore_errors=True)
        if made and not os.listdir(folder):
            os.rmdir(folder)


def _remove_below(folder: str, name: str) -> None:
    """Removes a file, if it is there, and the folders up to this one that are empty then."""
    try:
        os.unlink(os.path.join(folder, name))
        while name := os.path.dirname(name):
            os.rmdir(os.path.join(folder, name))
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.ENOTDIR, errno.EEXIST):
            raise


def is_own(path: str) -> bool:
    """Whether a file or folder is this user's, and no other's to write to; a link is neither."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return False
    plain = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return plain and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def make_own(folder: str) -> None:
    """Makes a folder that no other user may look into, or closes one of this user to all others.
    Raises OSError for another's."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise
        if found.st_mode & 0o022:
            os.chmod(folder, 0o700)


def replace(target: str, data: bytes, *, durable: bool = False, private: bool = False) -> None:
    """Writes a file beside the target, and renames it: whole, or not at all. Raises OSError.

    With `durable` it is on the disk before; a link is replaced, not followed. What replaces a
    regular file is at no time open to more people than that was; a `private` one is never open to
    anyone but its user.
    """
    beside = f"{_beginning(target)}{os.getpid()}.{os.urandom(4).hex()}"
    before = None if private else _regular(target)
    usual = 0o600 if private else 0o666
    mode = usual if before is None else before.st_mode & 0o600
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(descriptor, "wb") as file:
            _lock(descriptor)
            if before is not None:
                _keep_access(descriptor, target, before)
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:  # Ctrl-C too leaves nothing behind
        os.unlink(beside)
        raise


def _beginning(target: str) -> str:
    """How the names of the files begin that become this one: folder, dot, name, dot."""
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:40]}.")


def _regular(path: str) -> os.stat_result | None:
    """What is known of a regular file; None for a link, for what else there is, and for nothing."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _keep_access(descriptor: int, target: str, before: os.stat_result) -> None:
    """Gives an open file the owner, ACL and mode of the one whose place it takes.

    Only root may give a file away, and others only to a group of their own. Where the group does
    not stay, its members and all others get what both had before; where the ACL does not stay,
    nobody but the owner gets anything. Neither gives anyone a right that he did not have.
    """
    mode = stat.S_IMODE(before.st_mode) & 0o777
    for owner, group in ((-1, before.st_gid), (before.st_uid, -1)):
        try:
            os.fchown(descriptor, owner, group)
        except OSError:
            continue
    if os.fstat(descriptor).st_gid != before.st_gid:
        both = mode >> 3 & mode & 0o7
        mode = mode & 0o700 | both << 3 | both
    if not _keep_acl(descriptor, target):
        mode &= 0o700
    try:
        os.fchmod(descriptor, mode)
    except OSError:  # a file system without modes: what it gives must do, if it is no more
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & ~mode:
            raise


def _keep_acl(descriptor: int, target: str) -> bool:
    """Gives an open file the ACL of another, or none as that has none; whether it has it now.

    The folder may have given the new file an ACL of its own, of which a mode would open entries.
    """
    try:
        acl = os.getxattr(target, _ACL)
    except OSError:
        acl = None
    try:
        if acl is not None:
            os.setxattr(descriptor, _ACL, acl)
        elif _ACL in os.listxattr(descriptor):
            os.removexattr(descriptor, _ACL)
    except OSError as error:
        return acl is None and error.errno == errno.ENOTSUP
    return True


def _lock(descriptor: int) -> bool:
    """Whether nobody else writes the file, which is locked then until it is closed.

    Where the file system has no locks nobody is known to.
    """
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES)
    return True


def _sweep(target: str) -> None:
    """Removes what runs that were killed left beside the target: `.NAME.PID.RAND` of this NAME.

    Safe, since it takes all of this: the whole name as `replace` makes it, so no other program's;
    a regular file of our own; a process that is gone, or is this one, which has no other file to
    write, or a day of age, since a number may have a new owner; and no lock, which a writer keeps
    as long as he lives, also where he has numbers of his own (a container with the same folder).
    """
    beginning = _beginning(target)
    folder, start = os.path.split(beginning)
    try:
        names = [name for name in os.listdir(folder or ".") if name.startswith(start)]
    except OSError:
        return
    for name in names:
        if found := _RUN.fullmatch(name, len(start)):
            _sweep_one(os.path.join(folder, name), int(found[1]))


def _sweep_one(path: str, process: int) -> None:
    found = _regular(path)
    if found is None or found.st_uid != os.geteuid():
        return
    if not _gone(process) and time.time() - found.st_mtime <= _A_DAY:
        return
    try:
        with opened(path, links=False) as stream:
            if _lock(stream.fileno()):
                os.unlink(path)
    except OSError:
        return  # another run swept it


def _gone(process: int) -> bool:
    """Whether a process has ended, or is this one."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return process == os.getpid()


def whole(stream: TextIO) -> TextIO:
    """The stream, or another in its place whose `flush` writes all that was printed, or raises.

    Without a buffer (PYTHONUNBUFFERED, `python -u`) Python's own leaves out, without an error, what
    a write does not take: the rest, on a disk that gets full (CPython 3.11, `_textiowrapper_write`
    and `FileIO.write`).
    """
    if not (isinstance(stream, TextIOWrapper) and isinstance(stream.buffer, FileIO)):
        return stream
    buffered = open(stream.fileno(), "wb", closefd=False)  # noqa: SIM115  # the process's own
    return TextIOWrapper(buffered, encoding=stream.encoding, errors=stream.errors)


def remove(path: str) -> None:
    """Removes a file. Raises OSError."""
    os.unlink(path)


def silence(stream: TextIO) -> None:
    """Lets all that is written to the stream, or still waits in its buffer, go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def name_of(path: str) -> str:
    """What an input is called in messages: its path, or `<stdin>` for `-`."""
    return "<stdin>" if path == "-" else path


def unreadable(path: str, error: OSError | ValueError) -> InputError:
    """The one error for all that keeps a file from being read."""
    if isinstance(error, FileNotFoundError):
        return InputError("no such file", where=name_of(path), hint="check the path")
    if isinstance(error, IsADirectoryError):
        return InputError("is a directory", where=path, hint="name a file in this directory")
    if isinstance(error, NotRegularError):
        hint = "give - for standard input, or <(cat FILE)"
        return InputError("is no regular file", where=name_of(path), hint=hint)
    reason = error.strerror if isinstance(error, OSError) else str(error)
    hint = "check the path and its permissions"
    return InputError(f"cannot be read: {reason}", where=name_of(path), hint=hint)
