"""A machine on one screen: 24 lines of 80 columns, whatever there is to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.screen import Screen
from advisor.output import Style
from advisor.output.escape import clipped, visible
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
    """Return each screen, with a blank line between two."""
    style = style._replace(width=min(style.width, WIDTH))
    return "\n".join("".join(f"{line}\n" for line in _screen(one, style)) for one in screens)


def _screen(screen: Screen, style: Style) -> list[str]:
    if screen.kernel is None and not screen.rows:
        notes = [line for note in screen.notes for line in wrapped("", note, style, 0, 1)]
        return [*(line.strip() for line in notes), "", *_next(screen, style)]
    title = painted(_clipped(heading(screen), style), _BOLD, style)
    head = [title, *_clipped_lines("", machine(screen), style, 2), ""]
    left = filter(None, [unknown(screen)])
    foot = [*left, _clipped(sums(screen), style), "", *_next(screen, style)]
    middle = [painted("Fits", _BOLD, style)]
    for one in shown(screen):
        middle.append(_clipped(f"{_INDENT}{one.profile:{_NAME}}  {why(one, screen)}", style))
    middle += [f"{_INDENT}{text}" for text in filter(None, [work(screen)])]
    middle += ["", *_matrix(screen, style), ""]
    room = LINES - len(head) - len(middle) - len(foot)
    return [*head, *middle, *_notes(screen, style, room), *foot]


def _matrix(screen: Screen, style: Style) -> Iterator[str]:
    """Yield a table of profiles by areas: how many settings must or should change."""
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
        groups = [*([area] for area in areas), *([hidden] if hidden else [])]
        cells = [[cell for cell in row.cells if cell.area in group] for group in groups]
        texts = [*map(number, cells), str(sum(cell.could for cell in row.cells) or ".")]
        values = "".join(f" {t:>{_wide(n)}}" for t, n in zip(texts, names, strict=True))
        yield f"{_INDENT}{row.profile:{_NAME}}{values}"


def _wide(name: str) -> int:
    return max(len(name), 3)


def columns(screen: Screen, room: int) -> tuple[list[str], list[str]]:
    """Return the areas in which most is due, and the others, each sorted by name.

    Of the first there are as many as `room` has columns for, and MOST_AREAS at most.
    """
    due: dict[str, int] = {}
    for row in screen.rows:
        for cell in row.cells:
            due[cell.area] = due.get(cell.area, 0) + cell.due
    ranked = sorted((area for area in due if due[area]), key=lambda area: (-due[area], area))
    room -= len(" could")
    shown = ranked[:MOST_AREAS]
    while shown:
        taken = sum(1 + _wide(name) for name in shown) + len(" more") * (len(shown) < len(ranked))
        if taken <= room:
            break
        shown.pop()
    return sorted(shown), sorted(ranked[len(shown) :])


def _notes(screen: Screen, style: Style, room: int) -> Iterator[str]:
    """Yield the notes, as far as there is room."""
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
    """Return at most so many lines; the last one ends in dots if there were more."""
    if label:
        lines = [*wrapped(label, text, style, 0, len(label) + 1)]
    else:
        wider = style._replace(width=style.width + 1)
        lines = [line[1:] for line in wrapped("", text, wider, 0, 1)]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: style.width - 4]} ..."]
    return [_clipped(line, style) for line in lines]


def _clipped(text: str, style: Style) -> str:
    return clipped(visible(text), style.width)
