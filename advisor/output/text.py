"""A document for a terminal: findings first, what is right folded to a count, the verdict last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from advisor.output import Style, pages
from advisor.output.escape import visible
from advisor.output.page import (
    COUNT,
    FULL,
    LINE,
    Code,
    Entry,
    Inline,
    Page,
    Row,
    Section,
    most,
    plain,
)

_LABEL = 10
_MARGIN = 8
"""Where the text of an entry begins, below its head's."""
_CONTINUED = " \\"
"""What a shell's command goes on after, in the next line."""
_RED, _YELLOW, _CYAN, _GREEN = "1;31", "1;33", "1;36", "1;32"
_BOLD = "1"
_GRAVE = ("must", "error", "worse", "conflict", "should")
"""What the end of a long report names again, what matters most first."""
_MOST = 5
_REASONS = ("why", "note")
_MORE = "more: -v"
_SENTENCE = re.compile(r"(?<=[^.]{2}[.!?]) (?=[^a-z]|[a-z]*[^a-z ])")
COLOURS = {
    "must": _RED, "should": _YELLOW, "could": _CYAN,
    "error": _RED, "warning": _YELLOW, "note": _CYAN, "conflict": _RED,
    "worse": _RED, "mixed": _YELLOW, "to do": _YELLOW, "better": _GREEN, "moved": _CYAN,
}  # fmt: skip


def render(subject: pages.Subject, style: Style) -> str:
    """Return all pages, one after the other, each ending in its verdict line."""
    document = pages.of(subject, _format(style))
    parts = []
    if document.summary:
        rows = [document.summary]
        for sign, name, change, verdict in (map(plain, row) for row in document.table):
            rows.append(f"{name} ({change}): {f'{sign}: ' if sign else ''}{verdict}")
        parts.append("".join(f"{visible(row)}\n" for row in rows))
    for page in document.pages:
        lines = list(_page(page, style._replace(height=0)))
        if 0 < style.height < len(lines):  # the end says what matters most
            lines = list(_page(page, style))
        parts.append("\n".join(lines) + "\n")
    if document.foot:
        parts.append("\n".join(wrapped("accept", plain(document.foot), style, 0)) + "\n")
    return "\n".join(parts)


def _format(style: Style) -> str:
    return "text --verbose" if style.verbose else "text --brief" if style.brief else "text"


def _most(page: Page, style: Style) -> Iterator[str]:
    """Yield what matters most of a page that has scrolled away, a line each."""
    entries = [
        entry
        for section in page.sections
        for entry in section.entries
        if section.mode == FULL and entry.badge in _GRAVE
    ]
    if not style.height or not entries:
        return
    entries.sort(key=lambda entry: _GRAVE.index(entry.badge))
    more = len(entries) - _MOST
    yield from ("", "In short:")
    yield from _in_a_line(entries[:_MOST], style)
    if more > 0:
        yield f"        and {more} more, above"


def _page(page: Page, style: Style) -> Iterator[str]:
    """Yield the facts, each section, what is only counted, and the verdict."""
    yield from _pairs(page.facts, style)
    for section in page.sections:
        if section.entries and section.mode == FULL:
            for entry in section.entries:
                yield from ("", *_entry(entry, style))
        elif section.mode == LINE:
            yield from ("", *_in_a_line(section.entries, style))
        elif section.part != "hints" and section.mode != COUNT:
            yield from ("", *_listed(section, style))
    yield ""
    for section in page.sections:
        if section.part == "hints":
            yield from _pairs(section.items, style)
    if page.counts:
        more = "-v lists them, with whole reasons, lines and sources"
        yield from wrapped("folded", f"{page.counts} ({more})", style, 0)
    if page.note:
        yield from wrapped("note", plain(page.note), style, 0)
    yield from _most(page, style)
    yield painted(page.verdict, _RED if page.failed else _GREEN, style)


def _pairs(rows: Iterable[Row], style: Style, width: int = _LABEL) -> Iterator[str]:
    for row in rows:
        yield from wrapped(row.label, plain(row.text), style, 0, width)


def _entry(entry: Entry, style: Style) -> Iterator[str]:
    """Yield the head, in the colour of its badge, and the rows."""
    # A present value and a wanted one say that there is something to change.
    state = "" if entry.turn and entry.state == "change" else entry.state
    label = f"{entry.badge.upper():7} {state}".rstrip()
    width = 16 if state else max(8, len(label) + 1)
    is_rule = entry.area or entry.kind == "conflict"
    name = f"[{entry.name}]" if is_rule else f"({entry.name})"
    # The name of a rule is of use behind all that makes the reader look for more.
    whys = (at for at, row in enumerate(entry.rows) if row.label == "why" and is_rule)
    last = max(whys, default=None)
    who = f"{entry.who}: " if entry.who else ""
    turn = f": {entry.turn}" if entry.turn else ""
    text = f"{who}{entry.title}{turn} {name * (last is None)}"
    head, *rest = wrapped(label, text, style, 0, width)
    yield painted(head[:width], COLOURS[entry.badge], style) + head[width:]
    yield from rest
    costs = (_beside("", plain(row.text), style) for row in entry.rows if row.label == "cost")
    room = most("lines of a reason", _format(style)) - sum(map(len, costs))
    for at, row in enumerate(entry.rows):
        if row.label in _REASONS:
            yield from _reason(row, room, entry.name * (at == last), style)
        elif row.text:
            lines = _row(row, style)
            yield from (
                (painted(line, _BOLD, style) for line in lines) if row.label == "do" else lines
            )
        for item in row.items:
            yield from wrapped("-", plain(item.text), style, _MARGIN, 2)


def _beside(label: str, text: str, style: Style) -> tuple[str, ...]:
    return wrapped(label, text, style, 1, _MARGIN - 1)


def _reason(row: Row, room: int, name: str, style: Style) -> tuple[str, ...]:
    """Return as many sentences of a reason as have room, the first in any case, and the name."""
    sentences = _SENTENCE.split(plain(row.text))
    lines: tuple[str, ...] = ()
    for count in range(len(sentences), 0, -1):
        notes = ", ".join(filter(None, (name, _MORE * (count < len(sentences)))))
        text = " ".join((*sentences[:count], f"[{notes}]" * bool(notes)))
        lines = _beside(row.label, text, style)
        if len(lines) <= room:
            break
    return lines


def _row(row: Row, style: Style) -> tuple[str, ...]:
    """Return a row; commands that a line cannot hold go on below as a shell can take them."""
    lines = _beside(row.label, plain(row.text), style)
    at = [number for number, piece in enumerate(row.text) if isinstance(piece, Code)]
    if len(lines) == 1 or not at or row.label not in ("do", "or", "keep"):
        return lines
    if row.label == "keep":  # a file has no sign for a line that goes on
        return (*_beside("keep", plain(row.text[:1]), style), *_unparted(row.text[1:], style))
    last = at[-1] + 1
    command = _beside(row.label, plain(row.text[:last]), narrowed(style))
    after = plain(row.text[last:])
    return (*continued(command), *(_beside("", after, style) if after else ()))


def _unparted(text: Inline, style: Style) -> Iterator[str]:
    """Yield each code of a text in a line of its own, however long, and what is no code wrapped."""
    for piece in text:
        if isinstance(piece, Code):
            yield f"{'':{_MARGIN}}{visible(plain((piece,)))}"
        elif words := plain((piece,)).strip("; "):
            yield from _beside("", words, style)


def narrowed(style: Style) -> Style:
    """Return the style for the lines of a command, each with room for what continues it."""
    return style._replace(width=style.width - len(_CONTINUED))


def command_lines(label: str, text: str, style: Style, label_width: int) -> tuple[str, ...]:
    """Return the lines of a command behind its label, as a shell takes them."""
    lines = wrapped(label, text, style, 0, label_width)
    if len(lines) == 1:
        return lines
    return continued(wrapped(label, text, narrowed(style), 0, label_width))


def continued(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a command as a shell takes them."""
    return (*(f"{line}{_CONTINUED}" for line in lines[:-1]), *lines[-1:])


def _in_a_line(entries: Iterable[Entry], style: Style) -> Iterator[str]:
    """Yield each entry in a line: how much it matters, where its remedy acts, all of the remedy,
    and the name. What is longer goes on below."""
    for entry in entries:
        layer, text = entry.brief
        text = text or plain((entry.cells or (entry.gist,))[-1])
        badge = f"{entry.badge.upper():7} "
        label = f"{badge}{layer:5}" if layer else badge.rstrip()
        name = entry.title if entry.kind == "diagnostic" else entry.name
        margin = max(8, len(label) + 1)
        head, *rest = wrapped(label, f"{text} [{name}]", style, 0, margin)
        if rest and layer == "now":  # a shell takes the whole command
            head, *rest = command_lines(label, text, style, margin)
            rest += wrapped(" " * (margin - 1), f"[{name}]", style, 0, margin)
        yield painted(head[: len(badge)], COLOURS[entry.badge], style) + head[len(badge) :]
        yield from rest


def _listed(section: Section, style: Style) -> Iterator[str]:
    """Yield lines with a label each, or a title with a line for each entry or item."""
    if section.items and section.items[0].label:
        longest = max(len(item.label) for item in section.items)
        yield from _pairs(section.items, style, max(_LABEL, longest + 2))
        return
    yield visible(section.heading[:1].lower() + section.heading[1:])
    for entry in section.entries:
        yield from wrapped("-", f"{entry.lead}: {plain(entry.gist)}", style, label_width=2)
    yield from _items(section.items, style, 2)


def _items(items: Iterable[Row], style: Style, indent: int) -> Iterator[str]:
    for item in items:
        yield from wrapped("-", plain(item.text), style, indent, 2)
        yield from _items(item.items, style, indent + 2)


def painted(text: str, code: str, style: Style) -> str:
    """Return text in a colour (of ECMA-48), if colours are wanted."""
    return f"\033[{code}m{text}\033[0m" if style.colour else text


def wrapped(
    label: str, text: str, style: Style, indent: int = 2, label_width: int = 0
) -> tuple[str, ...]:
    """Return text behind a label, filled to the width; further lines are under the first's text."""
    return _lines(label, text, style.width, indent, label_width or _LABEL - indent)


# What is not parted at the end of a line.
_KEPT = re.compile(r"(?<=#) (?=CONFIG_)|(?<=\(line) (?=\d)|(?<=\(Linux) (?=\d)|(?<=\d) (?=must\))")


# Of several configurations most say the same: a run over a directory fills each sentence once.
@lru_cache(maxsize=4096)
def _lines(label: str, text: str, width: int, indent: int, label_width: int) -> tuple[str, ...]:
    """Fill greedily; a word longer than the line has a line of its own."""
    margin = " " * (indent + label_width)
    head = f"{' ' * indent}{label:{label_width - 1}} "
    filled: list[str] = []
    line = ""
    for word in _KEPT.sub("\0", visible(text)).split():
        # A label may be longer than what stands beside it.
        room = max(width - len(margin if filled else head), 20)
        if line and len(line) + 1 + len(word) > room:
            filled.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    filled.append(line)
    lines = (part.replace("\0", " ") for part in filled)
    return tuple((margin if index else head) + part for index, part in enumerate(lines))
