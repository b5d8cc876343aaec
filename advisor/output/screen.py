"""A machine on one screen: 24 lines of 80 columns, whatever there is to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.screen import Screen
from advisor.output import Style, phrases
from advisor.output.escape import clipped, visible
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
from advisor.output.text import COLOURS, painted, wrapped

LINES, WIDTH = 24, 80
MOST, MOST_NOTES = 5, 3
"""How many findings a screen names at most, and for how many notes it keeps a line."""
_NAME = 20
_INDENT = "  "
_BOLD = "1"


def render(screens: Sequence[Screen], style: Style) -> str:
    """Return each screen, with a blank line between two."""
    style = style._replace(width=min(style.width, WIDTH))
    several = len(screens) > 1
    pages = (_screen(one, style, f"{one.name}: " * several) for one in screens)
    return "\n".join("".join(f"{line}\n" for line in page) for page in pages)


def _screen(screen: Screen, style: Style, host: str) -> list[str]:
    if screen.kernel is None and not screen.rows:
        notes = [line for note in screen.notes for line in wrapped("", note, style, 0, 1)]
        return [*(line.strip() for line in notes), "", *_next(screen, style)]
    title = painted(_clipped(host + heading(screen), style), _BOLD, style)
    head = [title, *_clipped_lines("", machine(screen), style, 2), ""]
    left = filter(None, [unknown(screen)])
    foot = [*left, _clipped(sums(screen), style), "", *_next(screen, style)]
    middle = [painted("Fits", _BOLD, style)]
    for one in shown(screen):
        middle.append(_clipped(f"{_INDENT}{one.profile:{_NAME}}  {why(one, screen)}", style))
    middle += [f"{_INDENT}{text}" for text in filter(None, [work(screen)])]
    kept = min(len(screen.notes), MOST_NOTES)
    room = LINES - len(head) - len(middle) - len(foot) - kept - 2
    middle += ["", *_findings(screen, style, room), ""]
    room = LINES - len(head) - len(middle) - len(foot)
    return [*head, *middle, *_notes(screen, style, room), *foot]


def _findings(screen: Screen, style: Style, room: int) -> list[str]:
    """Return the weightiest findings that there is room for, each with its remedy in two lines."""
    findings = phrases.to_see(screen.report) if screen.report else []
    if not findings:
        known = " that is known" if unknown(screen) else ""
        return [f"Nothing{known} must or should change here."]
    lines = [painted("What matters most", _BOLD, style)]
    left = findings
    for one in findings[:MOST]:
        badge = f"{one.advice.strength.value.upper():7} "
        title = f"{one.tunable.title}: {one.now}"
        layer, do = phrases.brief(one)
        entry = [
            painted(badge, COLOURS[one.advice.strength.value], style)
            + _clipped(title, style._replace(width=style.width - len(badge))),
            *_in_two_lines(wrapped(" " * len(badge) + layer, do, style, 0, len(badge) + 6), style),
        ]
        if len(lines) + len(entry) + (len(left) > 1) > room:
            break
        lines += entry
        left = left[1:]
    if left:
        lines.append(f"{'':8}and {len(left)} more")
    return lines


def _in_two_lines(lines: Sequence[str], style: Style) -> Sequence[str]:
    """Return the lines, or two of which the second says that the audit has the rest."""
    if len(lines) < 3:
        return lines
    rest = " ... (all of it: audit)"
    return lines[0], lines[1][: style.width - len(rest)].rpartition(" ")[0] + rest


def _notes(screen: Screen, style: Style, room: int) -> Iterator[str]:
    """Yield the notes, as far as there is room."""
    each = 2 if room >= 2 * len(screen.notes) else 1
    for at, note in enumerate(screen.notes):
        lines = list(_clipped_lines("Note:", note, style, each))
        rest = len(screen.notes) - at - 1
        if rest and room - len(lines) < 1:
            yield f"Note: kernel-advisor audit shows {rest + 1} more"
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
