"""A machine at a glance as a page: the facts, which profiles fit and why, and the table of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.screen import Screen
from advisor.output import factwords
from advisor.output import screenwords as texts
from advisor.output.page import Code, Document, Inline, Page, Row, marked


def document(screens: Sequence[Screen]) -> Document:
    """Return a page for each host, and one table of all profiles by the areas that differ."""
    rows = [(at, row) for at, one in enumerate(screens) for row in one.rows]
    areas, lines = factwords.matrix(row for _, row in rows)
    several = len(screens) > 1
    table: list[tuple[Inline, ...]] = []
    for (at, _), line in zip(rows, lines, strict=True):
        host: tuple[Inline, ...] = ((screens[at].name,),) if several else ()
        table.append((*host, *((text,) for text in line)))
    columns = (*(["Host"] if several else []), "Profile", *(areas or ["could"]))
    return Document(
        "A machine at a glance", "machine", tuple(map(_page, screens)),
        summary="What must or should change, by area" if table else "",
        columns=columns if table else (), table=tuple(table), names=tuple(at for at, _ in rows),
    )  # fmt: skip


def _page(screen: Screen) -> Page:
    known = screen.kernel is not None or bool(screen.rows)
    title = texts.heading(screen) if known else "No kernel was found"
    return Page(screen.name, (title,), "", False, tuple(_facts(screen)))


def _facts(screen: Screen) -> Iterator[Row]:
    if screen.rows:
        yield Row("machine", (texts.machine(screen),))
    for one in texts.shown(screen):
        yield Row(one.profile, marked(texts.why(one, screen)))
    if said := texts.work(screen):
        yield Row("work", (said,))
    if said := texts.unknown(screen):
        yield Row("not known", (said,))
    if screen.rows:
        yield Row("sum", (texts.sums(screen),))
    for note in screen.notes:
        yield Row("note", marked(note))
    for words, text in texts.steps(screen):
        yield Row("next", (Code(words), f": {text}"))
