"""The one door to the disk: every file of the product is opened here, to read or to write.

A test forbids it elsewhere. What stays where it is needed: listing folders, making them, asking
whether something exists, and starting processes.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from io import FileIO, TextIOWrapper
from typing import IO, BinaryIO, TextIO

from advisor.errors import InputError, OutputError

MOST = 64 << 20
"""The most bytes of a file that only we write: several times the largest that is known."""
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


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


def read(path: str | bytes, *, limit: int, links: bool = True) -> bytes:
    """The whole of a regular file of at most `limit` bytes; see `opened`.

    Raises OSError: NotRegularError, and TooLargeError for a longer file, of which at most one byte
    more is read. Raises ValueError for a path that holds a zero byte.
    """
    with opened(path, links=links) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > limit:
            raise TooLargeError(limit)
        data = stream.read(size + 1)
        if len(data) > size:  # it grows, or tells no size, as those of /proc
            data += stream.read(limit + 1 - len(data))
    if len(data) > limit:
        raise TooLargeError(limit)
    return data


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


def write_atomically(path: str, text: str | bytes) -> None:
    """Puts `text`, as UTF-8, or bytes in place of the file, or leaves it as it was.

    A link stays one; a device or pipe is written to, since nothing may take its place. The mode
    is that of a new file, by the umask. Raises OutputError.
    """
    data = text if isinstance(text, bytes) else text.encode(errors="backslashreplace")
    try:
        target = os.path.realpath(path)
        if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
            with open(target, "wb") as file:
                file.write(data)
        else:
            replace(target, data, durable=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise OutputError(
            f"cannot be written: {reason}", where=path, hint="check the folder and its permissions"
        ) from error


def replace(target: str, data: bytes, *, durable: bool = False) -> None:
    """Writes a file beside the target, and renames it: whole, or not at all. Raises OSError.

    With `durable` it is on the disk before; a link is replaced, not followed.
    """
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name[:40]}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:  # Ctrl-C too leaves nothing behind
        os.unlink(beside)
        raise


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
        return InputError("is a directory", where=path, hint="name a file in it")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    hint = "check the path and its permissions"
    return InputError(f"cannot be read: {reason}", where=name_of(path), hint=hint)
