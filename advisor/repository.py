"""Where files are within their repository: the same name on every machine that has a clone."""

from __future__ import annotations

import os

from advisor.record import NamedTuple


class RepositoryPaths(NamedTuple):
    """The root of the repository and the current folder, both absolute; empty: not known."""

    root: str = ""
    here: str = ""

    def of(self, path: str) -> str:
        """The path from the repository's root, with slashes; of a file outside its name alone.

        What is no file (`<stdin>`, `--cmdline`) stays as it is.
        """
        if path.startswith(("<", "--")):
            return path
        if not self.root:
            return _name(path) if os.path.isabs(path) else os.path.normpath(path)
        inside = self.within(path)
        return _name(path) if inside is None else inside

    def within(self, path: str) -> str | None:
        """The path from the root, or the current folder where none is known; None if outside."""
        full = os.path.normpath(os.path.join(self.here, path))
        inside = os.path.relpath(full, self.root or self.here)
        return None if inside.split(os.sep)[0] == os.pardir else inside


def _name(path: str) -> str:
    """The last part of a path; the root of all has none."""
    return os.path.basename(os.path.normpath(path)) or os.path.curdir


def current() -> RepositoryPaths:
    """Those of this process: the root is the nearest folder upwards with a `.git`, if any."""
    folder = here()
    return RepositoryPaths(repository(folder) or folder, folder)


def here() -> str:
    """The current folder; where it was removed, the root of all."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def repository(folder: str) -> str:
    """The nearest folder from this one upwards that holds a `.git`; empty if there is none."""
    # A folder, or of worktrees and submodules a file.
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def is_strangers(path: str) -> bool:
    """Whether a file belongs to neither this user nor root, whom one has to trust anyway."""
    try:
        return os.stat(path).st_uid not in (os.geteuid(), 0)
    except OSError:
        return False  # who reads it will say why that cannot be


def upwards(folder: str, name: str) -> str:
    """The file of that name in a folder, or the nearest one up to its repository's root.

    Relative to the current folder; empty if there is none. Outside a repository only the folder.
    """
    root = repository(folder) or folder
    while True:
        path = os.path.join(folder, name)
        # A folder or a link to nowhere of that name is an error to tell, not to pass over.
        if os.path.lexists(path):
            return os.path.relpath(path, here())
        if folder == root:
            return ""
        folder = os.path.dirname(folder)
