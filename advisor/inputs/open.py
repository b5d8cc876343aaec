"""What is named as an input: a file, standard input, or a file of a git revision.

What the user names may be anywhere. What others name for him, in settings that come from a revision
or from another owner, is a RepositoryFile, of which nothing outside the repository is read.
"""

from __future__ import annotations

import io
import os
from posixpath import join, normpath
from typing import BinaryIO

from advisor import files
from advisor.errors import InputError
from advisor.files import is_regular, opened, read_standard_input, unreadable
from advisor.inputs.unpack import LIMIT, collect, decode, unpacked
from advisor.record import NamedTuple


class RepositoryFile(NamedTuple):
    """A file, or folder, that is read within its repository alone; no link is followed out of it.

    `path` is from the `root`, an absolute folder; `revision` is the id of a commit, empty for the
    work tree; `called` is what the user calls it, where that is not the path.
    """

    path: str
    root: str
    revision: str = ""
    called: str = ""

    def beside(self, name: str) -> RepositoryFile | None:
        """What a file in the same folder calls so; None if that is outside the repository."""
        path = normpath(join(os.path.dirname(self.path), name))
        outside = os.path.isabs(name) or path.split("/")[0] == ".." or "\0" in name
        return None if outside else self._replace(path=path, called="")

    def content(self) -> bytes:
        """All of it. Raises InputError if it is no file there, leads out, or is too large."""
        from advisor.inputs import git

        if self.revision:
            return git.read_at(self.revision, self.path)
        self._contained(os.path.dirname(self.path))
        return git.work_file(self.root, self.path)

    def below(self) -> list[str]:
        """The paths of the regular files below it, sorted; none of what is not there.

        Raises InputError if it leads out of the repository.
        """
        from advisor.inputs import git

        if self.revision:
            return sorted(git.files_below(self.revision, self.path))
        top = self._contained(self.path)
        paths = (os.path.join(folder, n) for folder, _, names in os.walk(top) for n in names)
        return sorted(
            join(self.path, os.path.relpath(path, top))
            for path in paths
            if not os.path.islink(path)
        )

    def _contained(self, folder: str) -> str:
        """The real name of a folder. Raises InputError if that is outside the repository."""
        real = os.path.realpath(os.path.join(self.root, folder))
        root = os.path.realpath(self.root)
        if os.path.commonpath((real, root)) != root:
            hint = "settings in a repository may name only files of this repository"
            raise InputError("a link leads out of the repository", where=self.path, hint=hint)
        return real


InputName = str | RepositoryFile
"""A path as the user gives it (`-` is standard input), or a file of the repository."""


def name_of(path: InputName) -> str:
    """What an input is called in messages."""
    if isinstance(path, RepositoryFile):
        return path.called or path.path
    return files.name_of(path)


def open_input(path: InputName) -> BinaryIO:
    """A seekable stream of the file, or of standard input if `path` is `-`.

    Where there is no such file, `REV:path` is the file of a git revision. A pipe or device of /dev
    is read into memory, up to LIMIT; no other one is waited for. Raises InputError if it cannot be
    opened.
    """
    if isinstance(path, RepositoryFile):
        return io.BytesIO(path.content())
    try:
        if path == "-":
            data = read_standard_input(LIMIT + 1)
        else:
            # Those of a shell, as /dev/fd/63 and /dev/stdin, have someone who writes.
            stream = opened(path, regular=not path.startswith(("/dev/", "/proc/")))
            if is_regular(stream):
                os.set_blocking(stream.fileno(), False)  # of /proc, some would be waited for
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


def read_text(path: InputName) -> str:
    """The text of a file (or of standard input for `-`), unpacked if it is packed.

    Bytes that are no UTF-8 are replaced. Raises InputError if it cannot be read, is empty,
    binary, damaged, or more than LIMIT bytes.
    """
    name = name_of(path)
    with open_input(path) as stream:
        return decode(collect(unpacked(stream, name), name))[0]
