"""An archive of a host's files (tar, plain or packed) in one pass: nothing is written to disk."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.errors import InputError
from advisor.files import opened, unreadable
from advisor.inputs.host import supportconfig
from advisor.inputs.host.held import Entry, Held, Link, Refused
from advisor.inputs.unpack import unpacked
from advisor.model.numbers import whole_number
from advisor.record import NamedTuple

MOST_UNPACKED = 2 << 30
"""The most bytes of an archive, unpacked: an sos report with a week's journal has some 500 MiB."""
MOST_HELD = 128 << 20
"""The most bytes of its files that are kept in memory."""
MOST_MEMBERS = 1 << 19
"""The most files of an archive: a host of 10,000 CPUs has some 50,000 that are read."""
MOST_OF_A_FILE = 1 << 20
"""The most bytes of a file, but of a configuration and of a module that holds one."""
_MOST_OF_A_CONFIGURATION = 16 << 20
_MOST_OF_A_NAME = 1 << 16
"""The most bytes of what GNU tar and pax say of one member in a header of its own."""
_MOST_OF_A_PATH = 1 << 12
"""As long as a path can be (PATH_MAX, include/uapi/linux/limits.h)."""
_BLOCK = 512
# What a host's readers ask for, and where its top is told by.
_TOP = ("boot", "efi", "etc", "extlinux", "lib", "proc", "run", "sys", "usr", "var")
_WANTED = re.compile(
    r"(?:proc|sys|etc|boot|run|efi|extlinux|usr/share/tlp|var/lib/power-profiles-daemon"
    r"|usr/lib/ostree-boot|sos_commands/kernel"
    r"|(?:usr/(?:local/)?)?lib/(?:(?:sysctl|tmpfiles|modprobe)\.d|udev/rules\.d|tuned))(?:/|\Z)"
    # No module is held but the one that has a configuration.
    r"|(?:usr/)?lib/modules/[^/]+/(?:config|modules\.builtin.*|kernel/kernel/configs\.ko.*)?\Z"
    r"|(?:usr/)?lib/systemd/systemd?\Z|usr/lib/os-release\Z|(?:usr/)?lib\Z"
    rf"|(?:{'|'.join(map(re.escape, supportconfig.TEXTS))})\Z"
)
_CONFIGURATION = re.compile(r"(?:^|/)(?:config\.gz|config(?:-[^/]+)?|configs\.ko[^/]*)\Z")
_AGAIN = "make the archive again"


class _Member(NamedTuple):
    """What a header tells of a member: its type as tar writes it, and the size of its data."""

    name: str
    kind: str
    size: int
    target: str


def read_archive(path: str) -> Held:
    """Reads the host whose files an archive holds, at its top or in its only folder.

    Raises InputError for a file that is no archive, for one that is damaged, costs more than the
    limits above, or names a file out of its folder or twice.
    """
    try:
        with opened(path) as stream:
            files = _Tar(unpacked(stream, path), path).files()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    return held(path, _at_top(files))


def held(name: str, files: dict[str, Entry]) -> Held:
    """The host of these files, or of the texts of a supportconfig, if they are one's."""
    if supportconfig.MARK in files:
        texts = [files[text] for text in supportconfig.TEXTS if text in files]
        readable = (data.decode(errors="replace") for data in texts if isinstance(data, bytes))
        return Held(name, supportconfig.files_of(readable))
    return Held(name, files)


class _Tar:
    """A tar archive: POSIX ustar and pax, and what GNU tar writes."""

    def __init__(self, pieces: Iterator[bytes], path: str) -> None:
        self._pieces = pieces
        self._path = path
        self._buffer = b""
        self._at = 0
        self._unpacked = 0
        self._held = 0

    def files(self) -> dict[str, Entry]:
        """The members that a host's readers may ask for, by their names. Raises InputError."""
        files: dict[str, Entry] = {}
        seen: set[str] = set()
        for count, member in enumerate(self._members()):
            if count >= MOST_MEMBERS:
                raise self._error(f"more than {MOST_MEMBERS} files", "pack the host's /proc, /sys")
            name = self._inner(member.name)
            is_folder = member.kind == "5"
            if name in seen and not is_folder:
                raise self._error(f"holds {name!r} twice", _AGAIN)
            seen.add(name)
            if not name or not (_WANTED.match(name) or _WANTED.match(name.partition("/")[2])):
                self._skip(member.size)
            elif is_folder:
                files[f"{name}/"] = b""
                self._skip(member.size)
            else:
                files[name] = self._entry(member, name, files)
        return files

    def _entry(self, member: _Member, name: str, files: dict[str, Entry]) -> Entry:
        if member.kind == "2":
            self._skip(member.size)
            return Link(member.target)
        if member.kind == "1":
            self._skip(member.size)
            return files.get(
                self._inner(member.target),
                Refused("a link to a file that the archive does not have"),
            )
        if member.kind not in "0\0" + "7":
            self._skip(member.size)
            return Refused("no regular file")
        limit = _MOST_OF_A_CONFIGURATION if _CONFIGURATION.search(name) else MOST_OF_A_FILE
        if name.endswith(supportconfig.TEXTS):
            limit = supportconfig.MOST_OF_A_TEXT
        if member.size > limit:
            self._skip(member.size)
            return Refused(f"more than {limit} bytes")
        self._held += member.size
        if self._held > MOST_HELD:
            raise self._error(
                f"more than {MOST_HELD >> 20} MiB of files", "leave the logs out of the archive"
            )
        return self._data(member.size)

    def _members(self) -> Iterator[_Member]:
        """Each member, whose data the one who asks has to take before the next. A block of zeros
        ends them."""
        more: dict[str, str] = {}
        first = True
        while True:
            block = self._take(_BLOCK, at_end=first)
            if not block.strip(b"\0"):
                if first:
                    raise self._error(
                        "is no tar archive", "name a folder, or an archive of a folder"
                    )
                return
            member = self._header(block, first)
            first = False
            if member.kind in "LKx":
                more.update(self._long(member))
            elif member.kind == "g":
                self._skip(member.size)
            else:
                size = whole_number(more.get("size"), longest=18)
                size = member.size if size is None else size
                name = more.get("path", member.name)
                # Before POSIX a folder was told by its slash; of a long name the header has a part.
                kind = "5" if member.kind in "0\0" and name.endswith("/") else member.kind
                target = more.get("linkpath", member.target)
                yield _Member(name, kind, 0 if kind in "123456" else size, target)
                more = {}

    def _header(self, block: bytes, first: bool) -> _Member:
        """Raises InputError for a block that is no header: its sum is told in it."""
        total = sum(block) - sum(block[148:156]) + 8 * ord(" ")
        if _number(block[148:156]) != total:
            if first:
                raise self._error("is no tar archive", "name a folder, or an archive of a folder")
            raise self._error("the tar data are damaged", _AGAIN)
        size = _number(block[124:136])
        if size is None:
            raise self._error("the tar data are damaged", _AGAIN)
        name, prefix = _text(block[:100]), _text(block[345:500])
        if block[257:263] == b"ustar\0" and prefix:
            name = f"{prefix}/{name}"
        return _Member(name, chr(block[156]), size, _text(block[157:257]))

    def _long(self, member: _Member) -> dict[str, str]:
        """Reads what a header of GNU or pax says about the next member."""
        if member.size > _MOST_OF_A_NAME:
            raise self._error("a name without end", _AGAIN)
        data = self._data(member.size)
        if member.kind in "LK":
            return {"path" if member.kind == "L" else "linkpath": _text(data)}
        found: dict[str, str] = {}
        while data:
            length, _, _ = data.partition(b" ")
            count = whole_number(length.decode("latin-1"), longest=6) or 0
            record = data[len(length) + 1 : count]
            if not record.endswith(b"\n"):
                raise self._error("the tar data are damaged", _AGAIN)
            key, _, value = record[:-1].decode(errors="replace").partition("=")
            found[key] = value
            data = data[count:]
        return found

    def _inner(self, name: str) -> str:
        """Gives a member's name without dots. Raises InputError for one out of the folder."""
        if len(name) > _MOST_OF_A_PATH:
            raise self._error("a name without end", _AGAIN)
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or ".." in parts:
            raise self._error(f"contains {name[:80]!r}, a path outside its folder", _AGAIN)
        return "/".join(parts)

    def _data(self, size: int) -> bytes:
        return self._take(-(-size // _BLOCK) * _BLOCK)[:size]

    def _skip(self, size: int) -> None:
        left = -(-size // _BLOCK) * _BLOCK
        while left:
            step = min(left, len(self._buffer) - self._at)
            self._at += step
            left -= step
            if left:
                self._fill()

    def _take(self, size: int, at_end: bool = False) -> bytes:
        """The next bytes. Raises InputError where there are fewer."""
        while len(self._buffer) - self._at < size:
            try:
                self._fill()
            except InputError as error:
                if at_end and error.message == _SHORT:
                    raise self._error("is no tar archive", "name a folder or archive") from error
                raise
        data = self._buffer[self._at : self._at + size]
        self._at += size
        return data

    def _fill(self) -> None:
        piece = next(self._pieces, b"")
        self._unpacked += len(piece)
        if not piece:
            raise self._error(_SHORT, _AGAIN)
        if self._unpacked > MOST_UNPACKED:
            message = f"unpacks to more than {MOST_UNPACKED >> 30} GiB"
            raise self._error(message, "pack the host's /proc, /sys, /etc and /boot/config-*")
        self._buffer = self._buffer[self._at :] + piece
        self._at = 0

    def _error(self, message: str, hint: str) -> InputError:
        return InputError(message, where=self._path, hint=hint)


_SHORT = "the tar data are cut short"


def _number(field: bytes) -> int | None:
    """A number of a header, octal, or binary as GNU tar writes large ones; None for neither."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    text = field.split(b"\0")[0].strip()
    return whole_number(text.decode("latin-1"), 8) if text else 0


def _text(field: bytes) -> str:
    return field.split(b"\0")[0].decode(errors="replace")


def _at_top(files: dict[str, Entry]) -> dict[str, Entry]:
    """Gives the files by their paths on the host: without the folder that holds all, if one
    does."""
    tops = {name.partition("/")[0] for name in files}
    if len(tops) != 1 or not tops.isdisjoint(_TOP):
        return files
    (top,) = tops
    cut = len(top) + 1
    return {name[cut:]: entry for name, entry in files.items() if name[cut:]}
