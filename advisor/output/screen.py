"""A machine on one screen: 24 lines of 80 columns, whatever there is to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.model.evidence import Recommendation
from advisor.model.finding import Finding
from advisor.model.kernel import Severity
from advisor.model.profile import Strength
from advisor.model.screen import Screen
from advisor.output import Style, phrases
from advisor.output.escape import clipped, visible
from advisor.output.screenwords import heading, machine, shown, steps, sums, unknown, why, work
from advisor.output.text import COLOURS, command_lines, painted, wrapped

LINES, WIDTH = 24, 80
MOST, MOST_NOTES = 5, 3
"""How many findings a screen names, and for how many notes it keeps a line."""
_MARGIN = " " * len("Fits  ")
_BADGE = 8
_BOLD = "1"
_Entry = tuple[list[str], tuple[str, ...]]
"""The lines of a title, and those of a remedy."""


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
    head = [title, *_clipped_lines("", machine(screen), style, 2), *_fits(screen, style), ""]
    left = filter(None, [unknown(screen)])
    foot = [*left, _clipped(sums(screen), style), "", *_next(screen, style)]
    kept = min(len(screen.notes), MOST_NOTES)
    room = LINES - len(head) - len(foot) - kept - 1
    middle = [*_findings(screen, style, room), ""]
    room = LINES - len(head) - len(middle) - len(foot)
    return [*head, *middle, *_notes(screen, style, room), *foot]


def _fits(screen: Screen, style: Style) -> Iterator[str]:
    """Yield a line for each profile that fits, with as many of its reasons as there is room for."""
    label = painted("Fits", _BOLD, style) + "  "
    for one in shown(screen):
        room = style.width - len(_MARGIN) - len(one.profile)
        yield f"{label}{one.profile}{clipped(_reasons(one, screen, room), room)}"
        label = _MARGIN
    if text := work(screen):
        yield f"{_MARGIN}{text}"


def _reasons(one: Recommendation, screen: Screen, room: int) -> str:
    """Return why a profile fits; the last reasons are counted if there is no room for them."""
    sure = one.clear and one.profile in screen.together
    texts = []
    for number in range(len(one.reasons), 0, -1):
        rest = len(one.reasons) - number
        text = why(one._replace(reasons=one.reasons[:number]), screen)
        texts.append(f"{': ' if sure else ', '}{text}{f'; and {rest} more' * bool(rest)}")
    texts = texts or [f": {why(one, screen)}"]
    return next((text for text in texts if len(text) <= room), texts[-1].partition(" (")[0])


def _findings(screen: Screen, style: Style, room: int) -> list[str]:
    """Return the weightiest findings, each with its whole title, and their remedies.

    A remedy that is longer than the room that is left ends with the command that shows the rest.
    """
    findings = phrases.to_see(screen.report) if screen.report else []
    mistake = _mistake(screen, style)
    if not findings and not mistake:
        known = " that is known" if unknown(screen) else ""
        return [f"Nothing{known} needs a change here."]
    entries = [_entry(one, style) for one in findings[: MOST - len(mistake)]]
    # What is merely optional comes behind an error in what was read.
    grave = sum(one.advice.strength is not Strength.COULD for one in findings)
    entries[grave:grave] = mistake
    while len(entries) > 1 and sum(len(title) + 1 for title, _ in entries) + 1 > room:
        entries.pop()
    room -= 1 + sum(len(title) + 1 for title, _ in entries)
    count = len(findings) + screen.errors
    number = f" ({len(entries)} of {count})" if len(entries) < count else ""
    lines = [painted(f"What matters most{number}", _BOLD, style)]
    told = {}
    for remedy in sorted((remedy for _, remedy in entries), key=len):  # most of them whole
        told[remedy] = min(1 + room, len(remedy))
        room -= told[remedy] - 1
    for title, remedy in entries:
        lines += [*title, *_first(remedy, told[remedy], style)]
    return lines


def _mistake(screen: Screen, style: Style) -> list[_Entry]:
    """Return the first error in what was read on one line, and what to do about it; nothing without
    one."""
    diagnostics = screen.report.diagnostics if screen.report else ()
    errors = (one for one in diagnostics if one.severity is Severity.ERROR and not one.waived)
    margin = " " * (_BADGE - 1)
    return [
        (
            _titled(one.severity.value, clipped(one.message, style.width - _BADGE), style),
            wrapped(margin, phrases.do(one) or "audit shows more", style, 0, _BADGE),
        )
        for one in islice(errors, 1)
    ]


def _titled(badge: str, title: str, style: Style) -> list[str]:
    """Return the lines of a title behind a coloured badge."""
    label = f"{badge.upper():{_BADGE - 1}} "
    first, *more = wrapped(label[:-1], title, style, 0, _BADGE)
    return [painted(label, COLOURS[badge], style) + first[_BADGE:], *more]


def _entry(one: Finding, style: Style) -> _Entry:
    """Return the lines of a finding's title and present value, and those of its remedy."""
    margin = " " * (_BADGE - 1)
    title = _titled(one.advice.strength.value, f"{one.tunable.title}: {one.now}", style)
    layer, do = phrases.brief(one)
    if not one.edits and not one.remedies:
        remedy = wrapped(margin, f"blocked: {do}", style, 0, _BADGE)
    elif layer == "now":
        remedy = command_lines(f"{margin} {layer}", do, style, _BADGE + 6)
    else:
        remedy = wrapped(f"{margin} {layer}", do, style, 0, _BADGE + 6)
    return title, remedy


def _first(lines: Sequence[str], number: int, style: Style) -> Sequence[str]:
    """Return the first lines, of which the last says that the audit has the rest."""
    if len(lines) <= number:
        return lines
    rest = " ... (the rest: audit)"
    last = lines[number - 1][: style.width - len(rest)].rpartition(" ")[0]
    return *lines[: number - 1], last + rest


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
        lines = [*lines[: most - 1], f"{lines[most - 1][: style.width - 4].rstrip()} ..."]
    return [_clipped(line, style) for line in lines]


def _clipped(text: str, style: Style) -> str:
    return clipped(visible(text), style.width)
