"""A document for a comment of a pull request: verdict and tables first, the reasons folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.output import Style, pages
from advisor.output.budget import MOST, Bounded, Group, bounded, lines_within, size
from advisor.output.escape import address, code, prose, visible
from advisor.output.names import named, parted
from advisor.output.page import (
    FULL,
    LIST,
    TABLED,
    Code,
    Document,
    Inline,
    Link,
    Page,
    Piece,
    Row,
    Section,
    Strong,
    clipped,
    marked,
    plain,
)

_CELL = 500
"""The most characters of a cell or fact."""
_LIGHTER = {"should": 1, "warning": 1, "could": 2, "note": 2}
"""Badges of entries that give way to heavier ones where not all have room."""


def marker(name: str) -> str:
    """Return the hidden first line by which a later run finds its own comment."""
    return f"<!-- kernel-advisor:{name} -->"


def render(subject: pages.Subject, style: Style) -> str:
    """Return the whole comment, with its marker, as far as there is room."""
    document = pages.of(subject, "markdown")
    head = f"{marker(document.marker)}\n{_summary(document)}"
    foot = f"\n{_inline(document.foot)}\n" if document.foot else ""
    room = MOST - size(head) - size(foot)
    return head + bounded([_page(page) for page in document.pages], room) + foot


def _summary(document: Document) -> str:
    """Return the sum of all pages, and as much of their table as there is room for."""
    if not document.summary:
        return ""
    if not document.table:
        return f"{prose(document.summary)}\n"
    head = f"## {prose(document.title)}\n\n**{prose(document.summary)}**\n"
    (group,) = _table(document.columns, document.table)
    (kept,), missing = lines_within([[group]], MOST // 3)
    return head + kept + (f"\nNot in this table: {missing} more.\n" if missing else "")


def _page(page: Page) -> Bounded:
    """Return a page in parts: what it must have, what is open, and what is folded."""
    groups: list[Group] = []
    folds: list[str] = []
    for section in page.sections:
        if section.mode == LIST:
            listed = [
                f"- {_inline(marked(entry.lead))}: {_inline(entry.gist)}\n"
                for entry in section.entries
            ]
            folds.append(_fold(section.heading, [*listed, *_bullets(section.items)]))
        elif section.cells:
            groups += _table(section.columns, section.cells)
        elif section.columns:
            cells = (
                (
                    (Strong(entry.badge), f" {entry.state}" if entry.state else ""),
                    marked(entry.title),
                    *entry.cells,
                )
                for entry in section.entries
            )
            ranks = tuple(_LIGHTER.get(entry.badge, 0) for entry in section.entries)
            groups += _table(("", *section.columns), cells, ranks)
            # Only where there is more to say of an entry than its line of the table does.
            folds += [
                _fold(f"Why: {entry.title}", _bullets(entry.rows))
                for entry in section.entries
                if section.mode == TABLED and {row.label for row in entry.rows} - {"was", "now"}
            ]
        elif section.part == "edits":
            head = f"\n**{prose(section.heading)}**\n"
            groups.append(Group(head, tuple(map(_diff, section.items))))
        elif section.mode == FULL:
            groups += _open(section)
    verdict = f"**{_inline((page.verdict,))}**" if page.verdict else ""
    head = _paragraphs(f"### {_inline(clipped(page.title, _CELL))}", verdict)
    return Bounded(head, _facts(page), tuple(groups), tuple(folds))


def _facts(page: Page) -> str:
    warnings = [row.text for row in page.facts if row.label == "warning"]
    facts = (
        row._replace(text=clipped(row.text, _CELL))
        for row in page.facts
        if row.label not in ("old", "new", "warning")
    )
    return _paragraphs(
        "".join(_bullets(facts)).rstrip(),
        *(f"**Warning:** {_inline(text)}" for text in warnings),
        f"Not shown: {page.counts}." if page.counts else "",
        _inline(page.note),
    )


def _paragraphs(*parts: str) -> str:
    return "".join(f"\n{part}\n" for part in parts if part)


def _table(
    columns: Iterable[str], rows: Iterable[tuple[Inline, ...]], ranks: tuple[int, ...] = ()
) -> Iterator[Group]:
    """Yield a table, if it has rows."""
    lines = tuple(_line(_inline(clipped(cell, _CELL)) for cell in row) for row in rows)
    columns = tuple(columns)
    if lines:
        yield Group(f"\n{_line(columns)}|{'---|' * len(columns)}\n", lines, ranks)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _open(section: Section) -> Iterator[Group]:
    """Yield open entries, each under its own head, and lines in one list."""
    for entry in section.entries:
        lines = tuple(_bullets(row for one in entry.rows for row in one.items))
        yield Group(
            f"\n**{prose(entry.badge.capitalize())}: {_inline(marked(entry.title))}**\n\n", lines
        )
    if section.items:
        head = "" if section.items[0].label else f"\n**{prose(section.heading)}**\n"
        yield Group(f"{head}\n", tuple(_bullets(section.items)))


def _diff(row: Row) -> str:
    """Return where an edit is, and its lines in a fence that none of them ends."""
    lines = [visible(plain(item.text)) for item in row.items]
    longest = max((len(run) for run in re.findall("`+", "".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return f"\n{_inline(row.text)}\n\n{fence}diff\n{chr(10).join(lines)}\n{fence}\n"


def _bullets(rows: Iterable[Row], indent: str = "") -> Iterator[str]:
    for row in rows:
        label = f"**{prose(row.label)}:** " if row.label else ""
        yield f"{indent}- {label}{_inline(row.text)}\n" + "".join(
            _bullets(row.items, indent + "  ")
        )


def _fold(title: str, lines: Iterable[str]) -> str:
    """Return lines behind a title that opens them, which is HTML: there _ is no sign."""
    pieces = (
        f"<code>{prose(piece.text)}</code>" if isinstance(piece, Code) else _plain(str(piece))
        for piece in named(title)
    )
    summary = "".join(pieces).replace("&#95;", "_")
    # Without the blank lines around it, what is inside counts as HTML and not as Markdown
    # (CommonMark ends a block of HTML at a blank line only).
    return f"\n<details>\n<summary>{summary}</summary>\n\n{''.join(lines)}\n</details>\n"


def _inline(text: Inline) -> str:
    return "".join(map(_piece, parted(text)))


def _piece(piece: Piece) -> str:
    if isinstance(piece, Strong):
        return f"**{prose(piece.text)}**"
    if isinstance(piece, Code):
        return code(piece.text)
    if isinstance(piece, Link):
        # What is no web address is only shown.
        if not piece.target.startswith(("https://", "http://")):
            return code(piece.text)
        return f"[{code(piece.text)}]({address(piece.target)})"
    return _plain(str(piece))


def _plain(text: str) -> str:
    """Return prose with the blanks at its ends, which part it from what is beside it."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return f"{before}{prose(text.replace(' -> ', ' → '))}{after}"
