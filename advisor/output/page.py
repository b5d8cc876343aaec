"""A page: what a report, a comparison or a review says, once, for every format that people read.

A document has pages, a page facts and sections, a section entries (findings, diagnostics, what
moved) or lines, and an entry rows: a label and what is said. What a format folds or leaves out of
that stands in one table here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from advisor.record import NamedTuple


class Code(NamedTuple):
    """A name or a line as some file, shell or boot line has it."""

    text: str


class Strong(NamedTuple):
    """A word to be seen first."""

    text: str


class Link(NamedTuple):
    """Words that lead to an address."""

    text: str
    target: str


class Prose(NamedTuple):
    """Words in which names stand, some of them `known`."""

    text: str
    known: tuple[str, ...] = ()


Piece = str | Code | Strong | Link | Prose
Inline = tuple[Piece, ...]
"""A text of one line, in pieces: plain text is str."""


class Bars(NamedTuple):
    """Numbers as lengths, of a total: each with what it counts, and a remark (empty: none)."""

    total: int
    counts: tuple[tuple[str, int, str], ...]


class Grid(NamedTuple):
    """A small table: its columns, and of each row the name and a cell for each column, with whether
    the cell is to be seen first."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]


class Row(NamedTuple):
    """Something that is said, behind a label (none in a list), with what it consists of below it.

    `part` is the row of TABLE that says which formats tell it (empty: all), `copied` are lines to
    be copied as they are. `bars` and `grid` say the same as a picture, for formats that can show
    one.
    """

    label: str
    text: Inline
    items: tuple[Row, ...] = ()
    part: str = ""
    copied: tuple[str, ...] = ()
    bars: Bars | None = None
    grid: Grid | None = None


class Entry(NamedTuple):
    """One finding, diagnostic, conflict or movement.

    `key` is its identity on the page, where links lead to it; `kind` is one of KINDS, `badge` how
    much it matters and `state` what is said with that; `name` is what rules and waivers call it, or
    where it stands; `who` gives the advice, if that is not clear from the page. `strength`,
    `profiles` and `area` are what a reader may choose by. `cells` belong to the section's columns,
    `gist` is the entry in one line, `brief` where its remedy acts and all of that. `turn` is the
    present value and the wanted one, for a head that tells both.
    """

    key: str
    kind: str
    badge: str
    title: str
    name: str = ""
    state: str = ""
    who: str = ""
    strength: str = ""
    profiles: tuple[str, ...] = ()
    area: str = ""
    rows: tuple[Row, ...] = ()
    cells: tuple[Inline, ...] = ()
    gist: Inline = ()
    brief: tuple[str, str] = ("", "")
    turn: str = ""

    @property
    def lead(self) -> str:
        """`Timer tick handling (must)`: what a line begins with that stands for the entry."""
        return f"{self.title} ({', '.join(filter(None, (self.who, self.badge)))})"


class Section(NamedTuple):
    """A part of a page, told as `mode` says; of what is merely counted there is the `number` alone.

    `items` are its lines, with a label each or none; `columns` name the cells of its entries, or of
    `cells`, which say the same as a table.
    """

    part: str
    title: str
    mode: str
    number: int | None = None
    entries: tuple[Entry, ...] = ()
    items: tuple[Row, ...] = ()
    columns: tuple[str, ...] = ()
    cells: tuple[tuple[Inline, ...], ...] = ()

    @property
    def heading(self) -> str:
        """The title, with the number where there is one."""
        return self.title if self.number is None else f"{self.title}: {self.number}"


class Page(NamedTuple):
    """What is said of one subject: `name` in a list of pages, `title` above its own.

    `failed` says whether the run fails for its sake; `note` stands behind everything.
    """

    name: str
    title: Inline
    verdict: str
    failed: bool
    facts: tuple[Row, ...]
    sections: tuple[Section, ...] = ()
    note: Inline = ()

    @property
    def counts(self) -> str:
        """The sections of which only the number is shown: `3 not known, 12 already right`."""
        return ", ".join(f"{s.number} {s.title.lower()}" for s in self.sections if s.mode == COUNT)


class Document(NamedTuple):
    """Pages under one title. `marker` tells a program which kind of document it is.

    `summary` and `table` (columns, and rows of cells) say what all pages come to: in all formats
    where there is a summary, else as TABLE says of `overview`. `names` are the numbers of the pages
    that the rows of the table belong to (None: to none). `foot` is the last line.
    """

    title: str
    marker: str
    pages: tuple[Page, ...]
    summary: str = ""
    columns: tuple[str, ...] = ()
    table: tuple[tuple[Inline, ...], ...] = ()
    names: tuple[int | None, ...] = ()
    foot: Inline = ()


KINDS = {
    "change": "should change",
    "blocked": "blocked",
    "conflict": "conflict between profiles",
    "worse": "worse",
    "mixed": "better for some profiles, worse for others",
    "to do": "to do",
    "better": "better",
    "moved": "moved",
    "diagnostic": "diagnostic",
    "unknown": "not known",
    "runtime": "at run time only",
    "accepted": "accepted",
    "ok": "already right",
    "absent": "not applicable",
}
"""What an entry may be, in the words of a filter."""

FULL, FOLDED, LIST, LINE, COUNT, OUT = "full", "folded", "list", "line", "count", "-"
ROWS, TABLED = "table", "table, folded"
TOLD, ALL = "told", "all"

COLUMNS = ("text", "text --brief", "text --verbose", "markdown", "html")
TABLE: dict[str, tuple[str, str, str, str, str]] = {
    # Sections.
    "areas": (FULL, OUT, FULL, FULL, FULL),
    "conflicts": (FULL, LINE, FULL, FULL, FULL),
    "changes": (FULL, LINE, FULL, TABLED, TABLED),
    "moved": (FULL, LINE, FULL, TABLED, TABLED),
    "diagnostics": (FULL, LINE, FULL, ROWS, FULL),
    "blocked": (COUNT, COUNT, LIST, LIST, FOLDED),
    "unknown": (COUNT, COUNT, LIST, COUNT, FOLDED),
    "unread": (LIST, LINE, LIST, LIST, FOLDED),
    "runtime": (COUNT, COUNT, LIST, LIST, FOLDED),
    "waived": (COUNT, COUNT, LIST, LIST, FOLDED),
    "baseline": (COUNT, COUNT, LIST, LIST, FOLDED),
    "right": (COUNT, COUNT, LIST, COUNT, LIST),
    "absent": (COUNT, COUNT, LIST, COUNT, LIST),
    "sizes": (LIST, OUT, LIST, LIST, LIST),
    "in force": (LIST, OUT, LIST, LIST, LIST),
    "left out": (LIST, OUT, LIST, LIST, LIST),
    "policy": (FULL, FULL, FULL, FULL, FULL),
    "hints": (FULL, OUT, FULL, FULL, FULL),
    "profiles": (FULL, FULL, FULL, FULL, FULL),
    "words": (FULL, FULL, FULL, FULL, FULL),
    "lines": (FULL, FULL, FULL, LIST, LIST),
    "edits": (FULL, FULL, FULL, FULL, FULL),
    "symbols": (FULL, FULL, FULL, LIST, LIST),
    "effects": (OUT, OUT, LIST, OUT, LIST),
    "answers": (OUT, OUT, LIST, OUT, LIST),
    "costs": (LIST, LIST, LIST, LIST, LIST),
    "programs": (LIST, LIST, LIST, ROWS, FULL),
    "clashes": (LIST, LIST, LIST, LIST, FULL),
    "entries": (LIST, LIST, LIST, ROWS, FULL),
    "functions": (OUT, OUT, LIST, OUT, LIST),
    # Rows of an entry or facts of a page.
    "subject": (TOLD, TOLD, TOLD, OUT, OUT),
    "given": (TOLD, OUT, TOLD, TOLD, TOLD),
    "kernel": (OUT, OUT, OUT, TOLD, TOLD),
    "by area": (OUT, OUT, OUT, TOLD, OUT),
    "outcome": (OUT, OUT, OUT, TOLD, TOLD),
    "layers": (OUT, OUT, TOLD, TOLD, TOLD),
    "now and wanted": (OUT, OUT, TOLD, TOLD, TOLD),
    "places": (TOLD, OUT, OUT, OUT, OUT),
    "members as wanted": (OUT, OUT, TOLD, OUT, TOLD),
    "further remedies": (OUT, OUT, TOLD, TOLD, TOLD),
    "lines to copy": (OUT, OUT, OUT, OUT, TOLD),
    "every profile's reasons": (OUT, OUT, TOLD, TOLD, TOLD),
    "others": (OUT, OUT, TOLD, TOLD, TOLD),
    "source": (OUT, OUT, TOLD, TOLD, TOLD),
    "advice": (OUT, OUT, TOLD, OUT, TOLD),
    "meaning": (OUT, OUT, TOLD, OUT, TOLD),
    "overview": (OUT, OUT, OUT, OUT, TOLD),
    # How many.
    "items of a list": ("20", "20", ALL, "20", ALL),
    "lines of a reason": ("4", "4", ALL, ALL, ALL),
    "names of a group": ("6", "6", ALL, "6", ALL),
    "devices of a driver": ("3", "3", ALL, "3", ALL),
}
"""What each format makes of each part, in the order of COLUMNS.

`full`: one after the other, open; `table`: a line of a table each; `folded`: each behind a heading
that opens it; `list`: an item each; `line`: a line each, cut at its end; `count`: only how many;
`told`; `-`: not at all.
"""


def mode(part: str, format: str) -> str:
    """Return what a format, one of COLUMNS, makes of a part."""
    return TABLE[part][COLUMNS.index(format)]


def most(part: str, format: str) -> int:
    """Return how many things of a part a format shows."""
    number = mode(part, format)
    return sys.maxsize if number == ALL else int(number)


def kept(rows: Iterable[Row], format: str) -> tuple[Row, ...]:
    """Return the rows that a format shows, without empty ones."""
    return tuple(
        row
        for row in rows
        if (any(row.text) or row.items) and (not row.part or mode(row.part, format) != OUT)
    )


def plain(text: Inline) -> str:
    """Return the text without its marks."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in text)


def clipped(text: Inline, most: int) -> Inline:
    """Return the text, of at most that many characters, with three dots at a cut end."""
    for number, piece in enumerate(text):
        words = plain((piece,))
        if len(words) > most:
            short = f"{words[:most]}..."
            last = short if isinstance(piece, str) else piece._replace(text=short)
            return (*text[:number], last)
        most -= len(words)
    return text


def joined(texts: Iterable[Inline], between: str) -> Inline:
    """Return the texts, one behind the other."""
    pieces = tuple(piece for text in texts if text for piece in (between, *text))
    return pieces[1:]


def codes(names: Iterable[str], between: str = ", ") -> Inline:
    """Return names as code, one behind the other."""
    return joined(((Code(name),) for name in names), between)


def lines(texts: Iterable[str], *known: str) -> tuple[Row, ...]:
    """Return a row without a label for each text, in which names may be marked."""
    return tuple(Row("", marked(text, *known)) for text in texts)


def listing(
    part: str, title: str, items: Iterable[Row], format: str, number: int | None = None
) -> Iterator[Section]:
    """Yield a section of lines, where the format tells the part and there are some."""
    rows, how = tuple(items), mode(part, format)
    if rows and how != OUT:
        yield Section(part, title, how, number, items=rows)


def marked(text: str, *known: str) -> Inline:
    """Return prose whose names, `known` ones and others, a format may show as code (names.py).

    They are looked for by the formats that mark them: text does not.
    """
    return (Prose(text, known),) if text else ()
