"""The one door to the disk: every file is read and written here."""

from __future__ import annotations

import os
import stat

from advisor.errors import InputError, OutputError


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
            _replace(target, data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise OutputError(
            f"cannot be written: {reason}", where=path, hint="check the folder and its permissions"
        ) from error


def _replace(target: str, data: bytes) -> None:
    """Writes a file beside the target, and renames it once it is on the disk."""
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name[:40]}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


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
