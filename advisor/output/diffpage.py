"""A comparison as a page: what it means for each profile, what moved, and the rest by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.model.comparison import Comparison, Drift, Movement, Shift, SymbolKind, SymbolMove
from advisor.model.rules import Tunable
from advisor.output import auditpage, diffwords, phrases
from advisor.output.page import (
    Code,
    Document,
    Entry,
    Inline,
    Page,
    Row,
    Section,
    joined,
    marked,
    mode,
    most,
    told,
)

_TITLES = {
    SymbolKind.LOST: "Lost features",
    SymbolKind.FORCED: "Were off, are on",
    SymbolKind.GONE: "Gone from the kernel",
}
_OPINIONS = {"worse": "worse", "open": "to do", "better": "better", "still": "neither"}


def document(comparison: Comparison, format: str) -> Document:
    """One comparison, as a format tells it."""
    return Document("Kernel comparison", "diff", (page(comparison, format),))


def page(comparison: Comparison, format: str) -> Page:
    """What one comparison says, without what the format does not tell."""
    old, new = comparison.old.name, comparison.new.name
    title = (Code(old), " → ", Code(new)) if old != new else ("Changes of ", Code(new))
    facts = told(_facts(comparison), format)
    if comparison.empty:
        note = ("Nothing is another on both sides.",)
        return Page(new, title, "", comparison.failed, facts, note=note)
    verdict = diffwords.verdict(comparison)
    sections = tuple(_sections(comparison, format))
    return Page(new, title, verdict, comparison.failed, facts, sections)


def _facts(comparison: Comparison) -> Iterator[Row]:
    sides = (comparison.old, comparison.new)
    lines = " ".join(side.cmdline or "" for side in sides)
    known = (*(side.name for side in sides), *lines.split())
    for name, text in diffwords.sides(comparison):
        whole = name in ("old", "new") and text in known
        yield Row(name, (Code(text),) if whole else marked(text, *known))
    yield from auditpage.proof(comparison.proof, comparison.tree)
    yield Row("outcome", ("fails" if comparison.failed else "passes",), part="outcome")


# --- sections -------------------------------------------------------------------------------------


def _sections(comparison: Comparison, format: str) -> Iterator[Section]:
    outcomes = tuple(
        Row(
            profile.id,
            marked(diffwords.summary(diffwords.outcome(comparison.by_profile[profile.id]))),
        )
        for profile in comparison.profiles
    )
    if outcomes:
        yield Section("profiles", "What it means", mode("profiles", format), items=outcomes)
    fresh = diffwords.new_settings(comparison)
    moved = diffwords.ordered(m for m in comparison.movements if m not in fresh)
    entries = tuple(
        [_movement(movement, comparison, format) for movement in moved]
        + [_alone(shift, comparison, format) for shift in diffwords.alone(comparison)]
    )
    if entries:
        columns = ("Setting", "Before", "Now", "For")
        how = mode("moved", format)
        yield Section("moved", "What moved", how, len(entries), entries, columns=columns)
    appeared = (item for item in comparison.appeared if not item.waived)
    yield from auditpage.diagnostics(appeared, "New diagnostics", format)
    yield from _lists(comparison, format)


def _lists(comparison: Comparison, format: str) -> Iterator[Section]:
    """Words of the boot line, lost features, renames, and the rest by menu."""
    words = [
        Row("", (f"{'+' if on else '-'} ", Code(word)))
        for word, on in sorted(comparison.words, key=lambda item: not item[1])
    ]
    yield from _list("On the boot line", words, format, part="words")
    yield from _lines(
        "Lines of the fragment that the tree does not keep", diffwords.unheld(comparison), format
    )
    solved = [f"{item.id}: {item.message}" for item in comparison.solved]
    yield from _lines("Solved", solved, format)
    for kind, title in _TITLES.items():
        moves = [move for move in comparison.symbols if move.kind is kind]
        groups = diffwords.lost(moves, most("names of a group", format))
        known = [name for move in moves for name in (move.symbol, move.needs)]
        yield from _list(
            title, [Row("", marked(one, *known)) for one in groups], format, len(moves)
        )
    chosen = [name for one in comparison.chosen_otherwise for name in (one.old, one.new)]
    yield from _lines("Chosen otherwise", diffwords.choices(comparison), format, *chosen)
    renamed = [f"{one.old} is {one.new} now (={one.value})" for one in comparison.renamed]
    names = [name for one in comparison.renamed for name in (one.old, one.new)]
    yield from _lines("Renamed, with the same value", renamed, format, *names)
    fresh = diffwords.new_settings(comparison)
    settings = [f"{m.tunable.title}: {diffwords.said(m.tunable, m.new)}" for m in fresh]
    yield from _lines("Settings that are new, as they are now", settings, format)
    yield from _rest(comparison, format)


def _lines(title: str, lines: Iterable[str], format: str, *known: str) -> Iterator[Section]:
    yield from _list(title, [Row("", marked(line, *known)) for line in lines], format)


def _list(
    title: str, items: list[Row], format: str, count: int = 0, part: str = "symbols"
) -> Iterator[Section]:
    """A list, as far as the format tells it, and how many more there are."""
    if items:
        how = mode(part, format)
        yield Section(part, title, how, count or len(items), items=_first(items, format))


def _first(items: list[Row], format: str, left: str = "") -> tuple[Row, ...]:
    limit = most("items of a list", format)
    if len(items) <= limit:
        return tuple(items)
    hint = " (--verbose lists them)" if format == "text" else ""
    return (*items[:limit], Row("", (f"and {left or f'{len(items) - limit} more'}{hint}",)))


def _rest(comparison: Comparison, format: str) -> Iterator[Section]:
    """The other symbols by menu, each named where all are told, or where they are few."""
    moves = [move for move in comparison.symbols if move.kind not in _TITLES]
    limit = most("items of a list", format)
    menus = diffwords.folded(moves)
    items = []
    for menu, counts, inside in menus:
        each = tuple(_changed(move) for move in inside) if len(moves) <= limit else ()
        items.append(Row("", (f"{menu}: {counts}",), each))
    if moves:
        left = sum(len(inside) for _, _, inside in menus[limit:])
        more = f"{len(menus) - limit} more menus: {phrases.counted(left, 'symbol')}"
        items = list(_first(items, format, more))
    if hidden := comparison.hidden:
        verb = "is" if hidden == 1 else "are"
        items.append(
            Row("", (f"{hidden} more {verb} merely shown or hidden now, off on both sides",))
        )
    if items:
        title, count = "Other symbols", len(moves) or None
        yield Section("symbols", title, mode("symbols", format), count, items=tuple(items))


def _changed(move: SymbolMove) -> Row:
    return Row("", marked(diffwords.changed(move), move.symbol))


# --- entries --------------------------------------------------------------------------------------


def _movement(movement: Movement, comparison: Comparison, format: str) -> Entry:
    drift = diffwords.drift(movement.shifts)
    was = marked(diffwords.said(movement.tunable, movement.old))
    now = joined(
        ((diffwords.said(movement.tunable, movement.new),), _by(movement, comparison.new.name)),
        ", ",
    )
    moved = diffwords.moved(movement) if movement.tunable.members else ""
    rows = (
        Row("moved", marked(moved, *(symbol for symbol, _ in movement.changed))),
        Row("was", was),
        Row("now", now),
        Row("note", marked(movement.new.why if movement.new else "")),
        Row("because", marked(movement.why)),
        *_opinions(movement.shifts, comparison),
    )
    return _entry(movement.tunable, drift, movement.shifts, told(rows, format), (was, now))


def _alone(shift: Shift, comparison: Comparison, format: str) -> Entry:
    """Advice whose verdict is another now though nothing moved."""
    now: Inline = (shift.new.now,) if shift.new.now else ()
    rows = told((Row("now", now), *_opinions((shift,), comparison)), format)
    return _entry(shift.new.tunable, shift.drift.value, (shift,), rows, ((), now))


def _entry(
    tunable: Tunable, drift: str, shifts: tuple[Shift, ...], rows: tuple[Row, ...],
    cells: tuple[Inline, ...],
) -> Entry:  # fmt: skip
    kind = _OPINIONS.get(drift, drift)
    advice = [shift.new.advice for shift in shifts]
    strengths = dict.fromkeys(one.strength.value for one in advice)
    who = dict.fromkeys(one.profile for one in advice)
    return Entry(
        tunable.id, kind, kind, tunable.title, tunable.id, strength=" ".join(strengths),
        profiles=tuple(who), area=tunable.area, rows=rows, cells=(*cells, (_for(shifts),)),
    )  # fmt: skip


def _by(movement: Movement, path: str) -> Inline:
    """The lines that make the new setting; of a group, those of the first members that moved."""
    state = movement.new
    if state is None:
        return ()
    if not movement.tunable.members:
        return auditpage.by_lines(state.origins, path)
    lines = dict((*state.on, *state.off))
    found = [lines[symbol] for symbol, _ in movement.changed if symbol in lines]
    if not found:
        return ()
    left = len(found) - diffwords.FEW
    more = f" and {left} more" if left > 0 else ""
    return (*auditpage.by_lines(found[: diffwords.FEW], path, ", "), more)


def _for(shifts: Iterable[Shift]) -> str:
    """`worse: power-saving (should); better: realtime (must)`; of one kind, as the badge says it,
    the names alone."""
    names: dict[str, list[str]] = {}
    for shift in shifts:
        if shift.counts or shift.drift is Drift.BETTER:
            names.setdefault(_OPINIONS[shift.drift.value], []).append(_who(shift))
    if len(names) == 1:
        return ", ".join(next(iter(names.values())))
    return "; ".join(f"{kind}: {', '.join(who)}" for kind, who in names.items())


def _who(shift: Shift) -> str:
    advice = shift.new.advice
    return f"{advice.profile} ({advice.strength.value})"


def _opinions(shifts: tuple[Shift, ...], comparison: Comparison) -> Iterator[Row]:
    """What each profile has to say; where none was chosen, who says what, and then the reasons."""
    if comparison.chosen:
        groups = dict.fromkeys(tuple(_opinion(shift)) for shift in shifts)
        yield from (row for group in groups for row in group)
        return
    names: dict[str, list[str]] = {}
    for shift in shifts:
        if shift.drift.value in _OPINIONS:
            names.setdefault(_OPINIONS[shift.drift.value], []).append(_who(shift))
    for label, who in names.items():
        yield Row(label, (f"for {', '.join(dict.fromkeys(who))}",))
    for shift in shifts:
        if shift.drift.value in _OPINIONS:
            part = "every profile's reasons"
            yield from (row._replace(part=row.part or part) for row in _opinion(shift))


def _opinion(shift: Shift) -> Iterator[Row]:
    """What a profile has to say about it, with reason, cost and what to do."""
    finding = shift.new
    yield Row("for", marked(f"{_who(shift)}: {_verdict(shift)}"))
    if shift.drift in (Drift.FINE, Drift.MOOT):
        return
    yield Row("why", marked(finding.advice.why))
    yield from auditpage.remedies(finding)
    yield Row("but", marked(finding.reason))
    yield Row("cost", marked(diffwords.cost(shift)))
    yield from auditpage.sources(finding.advice)


def _verdict(shift: Shift) -> str:
    wanted = shift.new.wanted
    better = f"better; wanted {wanted}" if shift.new.grade else "better: as wanted now"
    verdicts = {
        Drift.WORSE: f"worse; wanted {wanted}",
        Drift.OPEN: f"did not apply or was not told before; wanted {wanted}",
        Drift.BETTER: better,
        Drift.STILL: f"neither is as wanted: {wanted}",
        Drift.FINE: "as good: both are accepted",
        Drift.MOOT: "cannot be judged" if shift.unsure else "does not apply any more",
    }
    waiver = shift.new.waived
    return verdicts[shift.drift] + (f" (waived: {phrases.waiver(waiver)})" if waiver else "")
