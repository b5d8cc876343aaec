"""The files of a host that are held in memory, as an archive of them gave them."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from fnmatch import translate
from io import BytesIO
from typing import BinaryIO

from advisor.files import NotRegularError
from advisor.inputs.host.root import Root
from advisor.record import NamedTuple


class Missing(NamedTuple):
    """What was looked for and is not there."""


class Link(NamedTuple):
    """A symbolic link; `target` is as it is written."""

    target: str


class Refused(NamedTuple):
    """What is there and could not be held, with the reason."""

    reason: str


Entry = bytes | Link | Refused | Missing
"""A file by what it holds, or why that is not held."""
_ANCHOR = "."
"""Where the files are below, for a Root: no folder of this machine is ever asked for."""


class Held(Root):
    """The files of a host, of which no file of this machine is one; `name` is for messages.

    `files` are by their paths without a slash in front; a path that ends with a slash is a folder,
    and all folders on the way to a file are there.
    """

    def __init__(self, name: str, files: Mapping[str, Entry]) -> None:
        super().__init__(_ANCHOR)
        self.folder = os.path.normpath(name)
        self._missing = {path for path, entry in files.items() if isinstance(entry, Missing)}
        # By the count of their parts: a name is held against those that it may fit.
        self._patterns: dict[int, list[re.Pattern[str]]] = {}
        for path in self._missing:
            if "*" in path:
                alike = self._patterns.setdefault(path.count("/"), [])
                alike.append(re.compile(translate(path)))
        there = {path: entry for path, entry in files.items() if path not in self._missing}
        self._files = {path: entry for path, entry in there.items() if path[-1:] != "/"}
        self._folders: dict[str, dict[str, bool | None]] = {"": {}}
        for path in there:
            self._enter(path.rstrip("/"), path.endswith("/"))

    def _enter(self, path: str, is_folder: bool) -> None:
        """Notes the path in its folder, and that in its own."""
        while path:
            above, _, name = path.rpartition("/")
            if is_folder:
                self._folders.setdefault(path, {})
            known = self._folders.setdefault(above, {})
            if name in known:
                return
            known[name] = None if isinstance(self._files.get(path), Link) else is_folder
            path, is_folder = above, True

    @property
    def runs(self) -> bool:
        """Never: these are records."""
        return False

    def has(self, path: str) -> bool:
        """Whether there is a file or folder of that path."""
        try:
            place = self._place(path)
        except OSError:
            return False
        return place in self._files or place in self._folders

    def knows(self, path: str) -> bool | None:
        """Whether there is such a file; None where nobody looked for it. Of a pattern, or what it
        names, it may be told that no file is there."""
        place = path.strip("/")
        if place in self._missing:
            return False
        patterns = self._patterns.get(place.count("/"), ())
        if any(pattern.match(place) for pattern in patterns):
            return False
        return super().knows(path)

    def is_folder(self, path: str) -> bool:
        """Whether it is a folder, or a link to one."""
        try:
            return self._place(path) in self._folders
        except OSError:
            return False

    def _listed(self, folder: str) -> list[tuple[str, bool | None]]:
        try:
            found = self._folders.get(self._place(folder), {})
            self._spend(entries=len(found))
        except OSError as error:
            self.unread[folder] = str(error.strerror).lower()
            return []
        return sorted(found.items(), key=lambda pair: pair[0])

    def _opened(self, path: str) -> BinaryIO:
        self._spend(entries=1)
        place = self._place(path)
        if place in self._folders:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        entry = self._files.get(place)
        if entry is None or isinstance(entry, Missing):
            raise FileNotFoundError
        if isinstance(entry, Refused):
            raise OSError(errno.EIO, entry.reason)
        if isinstance(entry, Link):
            raise NotRegularError
        return BytesIO(entry)

    def _place(self, path: str) -> str:
        """A file's path among those held, its links followed."""
        return super()._place(path)[len(self.folder) + 1 :]

    def _link(self, path: str) -> str:
        entry = self._files.get(path)
        return entry.target if isinstance(entry, Link) else ""
