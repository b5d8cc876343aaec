"""The blocks of a page as elements: facts, sections, entries and their rows."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.output.html.markup import Html, code, items, join, lines, link, pairs, tag, text
from advisor.output.html.picture import picture
from advisor.output.names import parted
from advisor.output.page import (
    FOLDED,
    LIST,
    ROWS,
    TABLED,
    Bars,
    Code,
    Entry,
    Grid,
    Inline,
    Link,
    Page,
    Piece,
    Row,
    Section,
    Strong,
)

_WAYS = ("do", "or")
"""The labels of remedies."""


def inline(pieces: Inline) -> Html:
    """Return a text of one line."""
    return join(map(_piece, parted(pieces)))


def _piece(piece: Piece) -> Html:
    if isinstance(piece, Code):
        return code(piece.text)
    if isinstance(piece, Strong):
        return tag("strong", piece.text)
    if isinstance(piece, Link):
        return link(piece.target, piece.text)
    return text(str(piece).replace(" -> ", " \u2192 "))


def anchor(section: Section, prefix: str) -> str:
    """Return the id of a section's heading; no two of a page have the same title."""
    return prefix + re.sub(r"\W+", "-", section.title.lower())


def chapter(page: Page, prefix: str) -> Html:
    """Return a page; `prefix` makes its ids those of this page."""
    key = f"{prefix}head"
    verdict = tag("p", tag("strong", page.verdict), class_="verdict") if page.verdict else Html("")
    note = tag("p", inline(page.note)) if page.note else Html("")
    none = tag("p", "The filter shows no finding here.", class_="none", hidden=True)
    head = (tag("h2", inline(page.title), id=key), verdict, _rows(page.facts, class_="facts"))
    sections = (_section(section, prefix) for section in page.sections)
    glance = picture(page, prefix)
    return tag("article", lines(*head, glance, note, none, *sections), aria_labelledby=key)


def _section(section: Section, prefix: str) -> Html:
    key = anchor(section, prefix)
    heading = tag("h3", section.heading, id=key)
    body: tuple[Html, ...]
    if section.mode == LIST:
        rows = (
            *(
                tag("li", _named(entry), ": ", inline(entry.gist), **_traits(entry))
                for entry in section.entries
            ),
            *(tag("li", inline(row.text), _items(row.items)) for row in section.items),
        )
        listed = tag("ul", Html("\n"), lines(*rows), Html("\n"))
        body = (tag("details", tag("summary", "As a list"), listed, class_="list"),)
    elif section.cells:
        body = (_matrix(section),)
    elif section.items:
        labelled = any(item.label for item in section.items)
        names = section.part in ("areas", "profiles")
        named = _rows(section.items, names=names, class_="names")
        body = (named if labelled else _items(section.items),)
    else:
        table = _table(section, prefix) if section.mode in (TABLED, ROWS) else Html("")
        folded = section.mode in (TABLED, FOLDED)
        gist = section.mode == FOLDED
        entries = (_folded(e, prefix, gist) if folded else _open(e) for e in section.entries)
        body = (table, *entries)
    return tag("section", lines(heading, *body), aria_labelledby=key)


def _items(rows: Iterable[Row]) -> Html:
    return items(join((inline(row.text), _items(row.items))) for row in rows)


def _rows(rows: Iterable[Row], *, names: bool = False, **attributes: str) -> Html:
    """Return labels with their texts, and with lines to copy if there are some.

    A label begins with a capital letter, unless labels are `names`, which stay as they are.
    """
    named = []
    for row in rows:
        # A profile's id among words stays as it is, too.
        kept = names or "-" in row.label
        label = row.label if kept else row.label[:1].upper() + row.label[1:]
        copied = tag("code", Html("\n".join(map(text, row.copied))))
        block = tag("pre", copied) if row.copied else Html("")
        shown = _grid(row.grid) if row.grid else inline(row.text)
        bars = _bars(row.bars) if row.bars else Html("")
        said = join((shown, bars, _items(row.items), block))
        # The script gives what can be copied a button.
        named.append((label, tag("div", said, class_="do") if row.label in _WAYS else said))
    return pairs(named, **attributes)


def _bars(bars: Bars) -> Html:
    """Return a length for each number: a meter, which needs no style in an attribute."""
    rows = []
    for name, number, remark in bars.counts:
        meter = tag(
            "meter", f"{number} of {bars.total}", min="0", max=str(bars.total), value=str(number)
        )
        mark = tag("strong", remark) if remark else Html("")
        count = tag("span", f"{number} of {bars.total}", class_="count")
        rows.append(tag("li", join(filter(None, (meter, count, text(name), mark)), " ")))
    return tag("ul", Html("\n"), lines(*rows), Html("\n"), class_="bars")


def _grid(grid: Grid) -> Html:
    """Return a small table, with what is to be seen first marked."""
    rows = []
    for name, cells in grid.rows:
        shown = (
            tag("td", tag("strong", cell) if first else text(cell), data_label=column)
            for (cell, first), column in zip(cells, grid.columns, strict=True)
        )
        rows.append(tag("tr", tag("th", name, scope="row"), *shown))
    return table("What each layer says", ("", *grid.columns), rows, class_="layers")


def _table(section: Section, prefix: str) -> Html:
    """Return the overview: a row for each entry, with a link to the whole entry."""
    rows = []
    for entry in section.entries:
        key = prefix + entry.key
        named = tag("a", entry.title, href=f"#{key}")
        setting = tag("th", join(filter(None, (named, _who(entry))), " "), scope="row")
        cells = labelled(entry.cells, section.columns[1:])
        rows.append(tag("tr", tag("td", _badge(entry)), setting, *cells, data_for=key))
    caption = f"{section.title} (most important first)"
    return table(caption, ("Verdict", *section.columns), rows, class_=section.part)


def _matrix(section: Section) -> Html:
    """Return a table of numbers; the first cell of each row is its name."""
    rows = []
    for first, *cells in section.cells:
        name = tag("th", tag("code", inline(first), class_="whole"), scope="row")
        # Of what is wanted nowhere otherwise a narrow screen says nothing.
        shown = (
            tag("td", inline(cell), data_label=column, class_="nothing" * (cell == (".",)))
            for cell, column in zip(cells, section.columns[1:], strict=True)
        )
        rows.append(tag("tr", name, *shown))
    return table(section.title, section.columns, rows, class_="matrix")


def labelled(cells: Iterable[Inline], columns: Iterable[str]) -> list[Html]:
    """Return the cells of a row, each with its column's name, which narrow screens show."""
    pairs = zip(cells, columns, strict=True)
    return [tag("td", inline(cell), data_label=name) for cell, name in pairs]


def table(caption: str, columns: Iterable[str], rows: Iterable[Html], class_: str = "") -> Html:
    """Return a table of rows."""
    names = (tag("th", name, scope="col") if name else tag("td", "") for name in columns)
    head = tag("caption", caption), tag("thead", tag("tr", *names))
    return tag("table", *head, tag("tbody", lines(*rows)), class_=class_)


def _traits(entry: Entry) -> dict[str, str]:
    """Return what the filter knows of an entry."""
    return {
        "data_kind": entry.kind,
        "data_strength": entry.strength,
        "data_profile": " ".join(entry.profiles),
        "data_area": entry.area,
    }


def _badge(entry: Entry) -> Html:
    """Return the strength as a badge, with the state: `must change`."""
    badge = tag("strong", entry.badge, class_=f"badge {entry.badge.replace(' ', '-')}")
    state = tag("span", entry.state, class_="state") if entry.state else Html("")
    return join(filter(None, (badge, state)), " ")


def _who(entry: Entry) -> Html:
    return tag("span", entry.who, class_="who") if entry.who else Html("")


def _named(entry: Entry) -> Html:
    """Return the title with the name, and whose advice it is if the page does not show that."""
    parts = (text(entry.title), code(entry.name) if entry.name else "", _who(entry))
    return join(filter(None, parts), " ")


def _folded(entry: Entry, prefix: str, gist: bool) -> Html:
    """Return the entry under its heading, closed at first; `gist` shows its content in a line."""
    head = tag("h4", _badge(entry), Html(" "), _named(entry))
    more = tag("span", inline(entry.gist), class_="gist") if gist and entry.gist else Html("")
    # The id stands inside, since browsers open what a link leads into.
    body = tag("div", _rows(entry.rows), id=entry.key and prefix + entry.key)
    return tag("details", Html("\n"), lines(tag("summary", head, more), body), **_traits(entry))


def _open(entry: Entry) -> Html:
    head = tag("h4", _badge(entry), Html(" "), _named(entry))
    rows = [row for row in entry.rows if row.label]
    within = [_items(row.items) for row in entry.rows if not row.label]
    body = (_rows(rows) if rows else Html(""), *within)
    return tag("div", lines(head, *body), class_="entry", **_traits(entry))
