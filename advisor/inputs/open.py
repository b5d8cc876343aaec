"""What the user names as an input: a file, standard input, or a file of a git revision."""

from __future__ import annotations

import io
from typing import BinaryIO

from advisor.errors import InputError
from advisor.files import is_regular, name_of, opened, read_standard_input, unreadable
from advisor.inputs.unpack import LIMIT, collect, decode, unpacked


def open_input(path: str) -> BinaryIO:
    """A seekable stream of the file, or of standard input if `path` is `-`.

    Where there is no such file, `REV:path` is the file of a git revision. A pipe or device is read
    into memory, up to LIMIT. Raises InputError if it cannot be opened.
    """
    try:
        if path == "-":
            data = read_standard_input(LIMIT + 1)
        else:
            stream = opened(path, regular=False)
            if is_regular(stream):
                return stream
            with stream:
                data = stream.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and path.find(":") > 0:
            # To start a process is for those only that name a revision.
            from advisor.inputs import git

            if git.parted(path):
                return io.BytesIO(git.read(path))
        raise unreadable(path, error) from error
    if len(data) > LIMIT:
        hint = "name a file, not a pipe"
        raise InputError(f"more than {LIMIT >> 20} MiB", where=name_of(path), hint=hint)
    return io.BytesIO(data)


def read_text(path: str) -> str:
    """The text of a file (or of standard input for `-`), unpacked if it is packed.

    Bytes that are no UTF-8 are replaced. Raises InputError if it cannot be read, is empty,
    binary, damaged, or more than LIMIT bytes.
    """
    name = name_of(path)
    with open_input(path) as stream:
        return decode(collect(unpacked(stream, name), name))[0]
