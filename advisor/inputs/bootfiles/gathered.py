"""What a reader of one format gathers from a file, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.errors import InputError, shortened
from advisor.inputs.bootfiles.apart import WORD
from advisor.model.cmdline import LONGEST, parse_cmdline
from advisor.model.kernel import CommandLine, InputNote, Location
from advisor.record import NamedTuple

_MOST_TOLD = 20
_MOST_COMPUTED = 1 << 16
"""More places than that no file has that people write: one name may stand for many."""
_ID = "boot-file-unread"


class BootFile(NamedTuple):
    """What is literal in a file that keeps boot lines or settings of run time.

    `cmdline` is None where the file has no boot line; `sysctl` and `sysfs` are as of a Subject.
    `notes` tell of what is computed, and not readable here; `remarks` are what is to be said of the
    file as a whole: how many such places there are, and for which machines it is.
    """

    cmdline: CommandLine | None
    sysctl: Mapping[str, tuple[str, Location]] = {}
    sysfs: Mapping[str, tuple[str, Location]] = {}
    notes: tuple[InputNote, ...] = ()
    remarks: tuple[str, ...] = ()


class Option(NamedTuple):
    """The value of an option in a section of a file, and where it stands."""

    value: str
    place: Location


Units = dict[str, dict[str, Option]]
"""The options of each section."""


class Gathered:
    """Collects the words and settings of the file of that name, or of several, one after another.

    `name` is of the file that is read now; `kept` and `layers` hold what one leaves to the next: by
    the names of variables, or by files.
    """

    def __init__(self, name: str, arch: str | None = None, *, several: bool = False) -> None:
        """`arch` is the kernel's architecture that is asked about; None: not told.

        Of words in `several` files the place is file and line, and no column.
        """
        self.first = name
        self.name = name
        self.arch = arch
        self.several = several
        self.kept: dict[str, list[tuple[str, Location]]] = {}
        self.layers: dict[str, Units] = {}
        self._remarks: list[str] = []
        self._pieces: list[tuple[str, Location]] = []
        self._sysctl: dict[str, tuple[str, Location]] = {}
        self._sysfs: dict[str, tuple[str, Location]] = {}
        self._computed: list[tuple[Location, str, str]] = []
        self._noted: list[InputNote] = []
        self._length = 0

    def words(self, text: str, line: int, column: int = 1) -> None:
        """Adds words of the boot line, which stand side by side from that place on.

        Raises InputError where there are more than any boot line has.
        """
        column += len(text) - len(text := text.lstrip())
        text = text.rstrip()
        self._length += len(text) + 1  # an empty one too: a name may stand for thousands of them
        if self._length > LONGEST:
            raise self.error(line, f"a boot line of more than {LONGEST} characters")
        if not text:
            return
        pieces = WORD.findall(text) if self.several else [text]
        place = Location(self.name, line, 0 if self.several else column)
        self._pieces += [(piece, place) for piece in pieces]

    def replace(self, words: list[tuple[str, Location]]) -> None:
        """Makes these words the whole line, whatever other files have brought."""
        self._pieces, self._length, name = [], 0, self.name
        for text, place in words:
            self.name = place.path
            self.words(text, place.line, place.column)
        self.name = name

    def forget(self) -> None:
        """Drops all settings and notes, of a reader that gathers all files anew with each."""
        self._sysctl, self._sysfs, self._computed = {}, {}, []

    def sysctl(self, key: str, value: str, line: int) -> None:
        """Sets a sysctl by its name with dots; the last of a name counts."""
        self._sysctl[key] = value, Location(self.name, line)

    def sysfs(self, path: str, value: str, line: int) -> None:
        """Sets what is written into a file below /sys."""
        self._sysfs[path] = value, Location(self.name, line)

    def computed(self, text: str, line: int, why: str) -> None:
        """Notes a place that only the program which reads the file can evaluate. Raises InputError
        for more of them than any file has."""
        if len(self._computed) == _MOST_COMPUTED:
            raise self.error(line, f"more than {_MOST_COMPUTED} places with computed values")
        self._computed.append((Location(self.name, line), " ".join(text.split()), why))

    def note(self, note: InputNote) -> None:
        """Adds a problem of the file that its reader knows."""
        self._noted.append(note)

    def remark(self, text: str) -> None:
        """Adds a remark about the file as a whole, once."""
        if text not in self._remarks:
            self._remarks.append(text)

    def error(self, line: int, message: str, hint: str = "correct the line") -> InputError:
        """Makes the error for a line that does not fit the format of the file."""
        return InputError(message, where=str(Location(self.name, line)), hint=hint)

    def result(self, always: bool) -> BootFile:
        """Makes the result; a file without words has a boot line only with `always`."""
        notes = tuple(self._notes())
        line = self._line(notes) if always or self._pieces else None
        remarks = list(self._remarks)
        if count := len(self._computed):
            remarks.append(f"not readable here: {count} {'place' if count == 1 else 'places'}")
        return BootFile(line, self._sysctl, self._sysfs, notes, tuple(remarks))

    def _line(self, notes: tuple[InputNote, ...]) -> CommandLine:
        spans: list[tuple[int, Location]] = []
        column = 1
        for text, place in self._pieces:
            spans.append((column, place))
            column += len(text) + 1
        line = parse_cmdline(" ".join(text for text, _ in self._pieces), self.first)
        line = line._replace(spans=tuple(spans))
        own = (note._replace(location=line.place(note.location.column)) for note in line.notes)
        return line._replace(notes=(*own, *notes))

    def _notes(self) -> list[InputNote]:
        told = [*self._noted]
        for place, text, why in self._computed[:_MOST_TOLD]:
            short = shortened(text)
            message = f"not readable here: {short} ({why})"
            told.append(InputNote(_ID, place, message, short))
        if (more := len(self._computed) - _MOST_TOLD) > 0:
            place = self._computed[_MOST_TOLD][0]
            message = f"{more} more places of this file are not readable here"
            told.append(InputNote(_ID, place, message, "others"))
        return told
