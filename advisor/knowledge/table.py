"""The files of `data/` that are learnt from kernel trees: text, packed by gzip.

The first line is the format and its version, the rest is of the table's own kind. `kernel-advisor
rules lint --learn` writes them, the same bytes for the same kernels.
"""

from __future__ import annotations

from typing import TypeVar

from advisor.errors import KnowledgeError
from advisor.files import read
from advisor.knowledge import folders

_Table = TypeVar("_Table", bound="Table")
_LARGEST = 64 << 20


class Table:
    """What such files share. Raises KnowledgeError where the text is no table of the kind."""

    file = ""
    """Its name in the folder of generated data."""
    magic = ""
    """Its first line."""

    def __init__(self, text: str, path: str = "") -> None:
        self.path = path
        if text.partition("\n")[0] != self.magic:
            raise self._wrong(f"does not begin with {self.magic!r}: another version wrote it")

    @classmethod
    def load(cls: type[_Table], path: str = "") -> _Table:
        """The table in a file, that of the built-in rules where none is named; an empty one if
        there is no file. Raises KnowledgeError if it is damaged.
        """
        path = path or cls.location()
        return cls(unpacked(path, cls.magic), path)

    @classmethod
    def location(cls) -> str:
        """Where the table of the built-in rules is, or would be."""
        return folders.data(cls.file)

    def _wrong(self, message: str) -> KnowledgeError:
        return _damaged(self.path, message)


def unpacked(path: str, missing: str) -> str:
    """Unpacks the text of a packed file; `missing` if there is none. Raises KnowledgeError if it
    is damaged."""
    try:
        packed = read(path, limit=_LARGEST)
    except FileNotFoundError:
        return missing
    except OSError as error:
        raise KnowledgeError([(path, f"cannot be read: {error.strerror}")]) from error
    import zlib

    try:
        # gzip's own reader would unpack a small file to any size; this one stops at the limit.
        unpacker = zlib.decompressobj(wbits=31)
        data = unpacker.decompress(packed, _LARGEST)
        if unpacker.eof:
            return data.decode("ascii")
    except (zlib.error, UnicodeDecodeError) as error:
        raise _damaged(path, f"is damaged ({error})") from error
    raise _damaged(path, "is damaged (it ends too early)")


def _damaged(path: str, message: str) -> KnowledgeError:
    return KnowledgeError(
        [(path, f"{message}; kernel-advisor rules lint --learn makes the file again")]
    )
