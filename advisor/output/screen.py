"""A machine on one screen: 24 lines of 80 columns, whatever there is to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.screen import Screen
from advisor.output import Style
from advisor.output.escape import visible
from advisor.output.factwords import number
from advisor.output.screenwords import (
    heading,
    machine,
    shown,
    steps,
    sums,
    unknown,
    why,
    work,
)
from advisor.output.text import painted, wrapped

LINES, WIDTH = 24, 80
MOST_AREAS = 8
_NAME = 20
_INDENT = "  "
_BOLD = "1"


def render(screens: Sequence[Screen], style: Style) -> str:
    """Each screen, a blank line between two."""
    style = style._replace(width=min(style.width, WIDTH))
    return "\n".join("".join(f"{line}\n" for line in _screen(one, style)) for one in screens)


def _screen(screen: Screen, style: Style) -> list[str]:
    if screen.kernel is None and not screen.rows:
        notes = [line for note in screen.notes for line in wrapped("", note, style, 0, 1)]
        return [*(line.strip() for line in notes), "", *_next(screen, style)]
    head = [*_head(screen, style), ""]
    left = unknown(screen)
    foot = [*([left] if left else ()), *_sums(screen, style), "", *_next(screen, style)]
    middle = [*_fits(screen, style), "", *_matrix(screen, style), ""]
    room = LINES - len(head) - len(middle) - len(foot)
    return [*head, *middle, *_notes(screen, style, room), *foot]


def _head(screen: Screen, style: Style) -> Iterator[str]:
    """The kernel, and what the machine is by what evidence."""
    yield painted(_clipped(heading(screen), style), _BOLD, style)
    yield from _clipped_lines("", machine(screen), style, 2)


def _fits(screen: Screen, style: Style) -> Iterator[str]:
    """The profiles with their reasons, those of the matrix."""
    yield painted("Fits", _BOLD, style)
    for one in shown(screen):
        yield _clipped(f"{_INDENT}{one.profile:{_NAME}}  {why(one, screen)}", style)
    if said := work(screen):
        yield f"{_INDENT}{said}"


def _matrix(screen: Screen, style: Style) -> Iterator[str]:
    """Profiles by areas: how many tunables must or should change."""
    areas, hidden = columns(screen, style.width - len(_INDENT) - _NAME)
    if not areas:
        optional = max((sum(c.could for c in row.cells) for row in screen.rows), default=0)
        could = f"; {optional} could" if optional else ""
        known = " that is known" if unknown(screen) else ""
        yield f"Nothing{known} must or should change here{could}."
        return
    names = [*areas, *(["more"] if hidden else []), "could"]
    title = "Should (! must) change"
    heads = "".join(f" {name:>{_wide(name)}}" for name in names)
    yield painted(f"{title:{len(_INDENT) + _NAME}}{heads}", _BOLD, style)
    for row in screen.rows:
        cells = {cell.area: cell for cell in row.cells}
        texts = [number([cells[a]] if a in cells else []) for a in areas]
        if hidden:
            texts.append(number([cells[a] for a in hidden if a in cells]))
        texts.append(str(sum(cell.could for cell in row.cells) or "."))
        values = "".join(f" {t:>{_wide(n)}}" for t, n in zip(texts, names, strict=True))
        yield f"{_INDENT}{row.profile:{_NAME}}{values}"


def _wide(name: str) -> int:
    return max(len(name), 3)


def columns(screen: Screen, room: int) -> tuple[list[str], list[str]]:
    """The areas in which most is due, as many as there is room for and at most eight, by name; and
    the others."""
    due: dict[str, int] = {}
    for row in screen.rows:
        for cell in row.cells:
            due[cell.area] = due.get(cell.area, 0) + cell.due
    ranked = sorted((area for area in due if due[area]), key=lambda area: (-due[area], area))
    room -= len(" could")
    shown = ranked[:MOST_AREAS]
    while shown and room < _room(shown) + len(" more") * (len(shown) < len(ranked)):
        shown.pop()
    return sorted(shown), sorted(ranked[len(shown) :])


def _room(names: Sequence[str]) -> int:
    return sum(1 + _wide(name) for name in names)


def _sums(screen: Screen, style: Style) -> Iterator[str]:
    yield _clipped(sums(screen), style)


def _notes(screen: Screen, style: Style, room: int) -> Iterator[str]:
    """What is special, as far as there is room."""
    each = 2 if room >= 2 * len(screen.notes) else 1
    for at, note in enumerate(screen.notes):
        lines = list(_clipped_lines("Note:", note, style, each))
        rest = len(screen.notes) - at - 1
        if rest and room - len(lines) < 1:
            yield f"Note: {rest + 1} more are told by kernel-advisor audit"
            return
        if room < len(lines):
            return
        yield from lines
        room -= len(lines)


def _next(screen: Screen, style: Style) -> Iterator[str]:
    listed = [(visible(words), text) for words, text in steps(screen)]
    longest = max(len(words) for words, _ in listed)
    for words, text in listed:
        fitting = f"  {text}" if longest + 2 + len(text) <= style.width else ""
        yield f"{painted(f'{words:{longest}}' if fitting else words, _BOLD, style)}{fitting}"


def _clipped_lines(label: str, text: str, style: Style, most: int) -> list[str]:
    """At most so many lines, the last of which ends in dots if there were more."""
    lines = [*wrapped(label, text, style, 0, len(label) + 1)] if label else _filled(text, style)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: style.width - 4]} ..."]
    return [_clipped(line, style) for line in lines]


def _filled(text: str, style: Style) -> list[str]:
    return [line[1:] for line in wrapped("", text, style._replace(width=style.width + 1), 0, 1)]


def _clipped(text: str, style: Style) -> str:
    """The line, of at most the width, which is painted afterwards if at all."""
    text = visible(text)
    return text if len(text) <= style.width else f"{text[: style.width - 3]}..."
