"""A comparison as a page: what it means for each profile, what moved, and the rest by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.model.comparison import Comparison, Drift, Movement, Shift, SymbolKind
from advisor.model.kernel import Layer
from advisor.model.lines import ChangedLine
from advisor.model.measured import Measured
from advisor.model.rules import Tunable
from advisor.output import auditpage, diffwords, findingpage, phrases, treewords
from advisor.output.page import (
    Code,
    Document,
    Entry,
    Grid,
    Inline,
    Page,
    Row,
    Section,
    joined,
    kept,
    marked,
    mode,
    most,
)

_OF_LAYERS = (Layer.COMPILED, Layer.BOOT, Layer.RUNTIME)
_TITLES = {
    SymbolKind.LOST: "Lost features",
    SymbolKind.UNTOLD: "Lost, or gone from a kernel that is newer than those read",
    SymbolKind.UNNAMED: "Not asked for any more, so that Kconfig decides",
    SymbolKind.FORCED: "Were off, are on",
    SymbolKind.GONE: "Gone from the kernel",
}
_LAYERS = (*(one.value for one in _OF_LAYERS), "in force")
_OPINIONS = {"worse": "worse", "open": "to do", "better": "better", "still": "neither"}
Lines = Iterable[tuple[str, list[Row], int]]
"""Lists of a page: title, lines, and how many things they tell of."""


def document(comparison: Comparison, format: str) -> Document:
    """One comparison, as a format tells it."""
    return Document("Kernel comparison", "diff", (page(comparison, format),))


def page(comparison: Comparison, format: str) -> Page:
    """What one comparison says, without what the format does not tell."""
    old, new = comparison.old.name, comparison.new.name
    title = (Code(old), " → ", Code(new)) if old != new else ("Changes of ", Code(new))
    facts = kept(_facts(comparison), format)
    if comparison.empty:
        note = ("what was read is the same on both sides",)
        return Page(new, title, "", comparison.failed, facts, note=note)
    verdict, sections = diffwords.verdict(comparison), tuple(_sections(comparison, format))
    return Page(new, title, verdict, comparison.failed, facts, sections)


def _facts(comparison: Comparison) -> Iterator[Row]:
    for name, text in diffwords.headlines(comparison):
        yield Row(name, marked(text, *(loss.symbol for loss in comparison.losses)))
    sides = (comparison.old, comparison.new)
    lines = " ".join(side.cmdline or "" for side in sides)
    known = (*(side.name for side in sides), *lines.split())
    for name, text in diffwords.sides(comparison):
        whole = name in ("old", "new") and text in known
        yield Row(name, (Code(text),) if whole else marked(text, *known))
    yield from auditpage.proof(comparison.proof, comparison.tree)
    yield auditpage.outcome(comparison.failed)


# --- sections -------------------------------------------------------------------------------------


def _sections(comparison: Comparison, format: str) -> Iterator[Section]:
    if sums := tuple(_sums(comparison)):
        yield Section("profiles", "What it means", mode("profiles", format), items=sums)
    fresh = diffwords.new_settings(comparison)
    moved = diffwords.ordered(m for m in comparison.movements if m not in fresh)
    entries = (
        *(_movement(movement, comparison, format) for movement in moved),
        *(_alone(shift, comparison, format) for shift in diffwords.alone(comparison)),
    )
    if entries:
        columns, how = ("Setting", "Before", "Now", "For"), mode("moved", format)
        yield Section("moved", "What moved", how, len(entries), entries, columns=columns)
    appeared = [item for item in comparison.appeared if not item.waived]
    yield from auditpage.diagnostics(appeared, "New diagnostics", format)
    yield from accounts(comparison.lines, format)
    words = sorted(comparison.words, key=lambda item: not item[1])
    yield from _came_and_went("On the boot line", words, format)
    yield from _came_and_went("At run time", comparison.run_time, format)
    for title, rows, count in _lists(comparison, format):
        if rows:
            how, items = mode("symbols", format), _first(rows, format)
            yield Section("symbols", title, how, count, items=items)
    yield from _rest(comparison, format)


def _sums(comparison: Comparison) -> Iterator[Row]:
    """What it means for each profile; where nobody chose any, in one line for those that it leaves
    alone."""
    calm = diffwords.calm(comparison)
    balances = {p.id: diffwords.balance(comparison.by_profile[p.id]) for p in comparison.profiles}
    sums = {name: diffwords.summary(balance, calm) for name, balance in balances.items()}
    left = [] if comparison.chosen else [name for name, text in sums.items() if text == calm]
    left = left if len(left) > 1 else []
    yield from (Row(name, marked(text)) for name, text in sums.items() if name not in left)
    if left:
        others = "all" if len(left) == len(sums) else "the other"
        yield Row(f"{others} {len(left)} profiles", (calm.replace("its ", "their "),))


def _came_and_went(title: str, texts: Iterable[tuple[str, bool]], format: str) -> Iterator[Section]:
    """What one side alone has, a line each."""
    rows = [Row("", (f"{'+' if came else '-'} ", Code(text))) for text, came in texts]
    if rows:
        items = _first(rows, format)
        yield Section("words", title, mode("words", format), len(rows), items=items)


def accounts(lines: Iterable[ChangedLine], format: str) -> Iterator[Section]:
    """What becomes of each changed line of a fragment."""
    rows = [Row("", marked(treewords.account(one), one.symbol)) for one in lines]
    if rows:
        items, how = _first(rows, format), mode("lines", format)
        yield Section("lines", "Changed lines", how, len(rows), items=items)


def _lists(comparison: Comparison, format: str) -> Lines:
    """What is solved, lost features, renames, what is chosen otherwise, what is new."""
    yield _list("Solved", [f"{item.id}: {item.message}" for item in comparison.solved])
    urgent = frozenset(one.symbol for one in comparison.losses if one.area == diffwords.SECURITY)
    for kind, title in _TITLES.items():
        moves = [move for move in comparison.symbols if move.kind is kind]
        groups = diffwords.lost(moves, most("names of a group", format), urgent)
        known = [name for move in moves for name in (move.symbol, move.needs)]
        yield title, [Row("", marked(one, *known)) for one in groups], len(moves)
    devices = most("devices of a driver", format)
    rows = [Row("", marked(*line)) for line in diffwords.drivers(comparison, devices)]
    yield "Drivers that are lost, with the devices of their tables", rows, len(comparison.drivers)
    members = [name for one in comparison.chosen_otherwise for name in (one.old, one.new)]
    chosen = [
        f"{one.menu or phrases.NO_MENU}: {one.old} {phrases.ARROW} {one.new}"
        for one in comparison.chosen_otherwise
    ]
    yield _list("Chosen otherwise", chosen, *members)
    names = [name for one in comparison.renamed for name in (one.old, one.new)]
    yield _list("Renamed", list(map(diffwords.renamed, comparison.renamed)), *names)
    fresh = diffwords.new_settings(comparison)
    settings = [f"{m.tunable.title}: {diffwords.setting(m.tunable, m.new)}" for m in fresh]
    yield _list("Settings that are new, as they are now", settings)


def _list(title: str, lines: list[str], *known: str) -> tuple[str, list[Row], int]:
    return title, [Row("", marked(line, *known)) for line in lines], len(lines)


def _first(items: list[Row], format: str, left: str = "") -> tuple[Row, ...]:
    """A list as far as the format tells it, and how many more there are."""
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
        lines = ((treewords.changed(m.symbol, m.old, m.new), m.symbol) for m in inside)
        each = tuple(Row("", marked(*line)) for line in lines) if len(moves) <= limit else ()
        items.append(Row("", (f"{menu}: {counts}",), each))
    left = sum(len(inside) for _, _, inside in menus[limit:])
    more = f"{len(menus) - limit} more menus: {phrases.counted(left, 'symbol')}"
    items = list(_first(items, format, more))
    if hidden := comparison.hidden:
        verb = "is" if hidden == 1 else "are"
        note = f"{hidden} more {verb} merely shown or hidden now, off on both sides"
        items.append(Row("", (note,)))
    if items:
        title, count = "Other symbols", len(moves) or None
        yield Section("symbols", title, mode("symbols", format), count, items=tuple(items))


# --- entries --------------------------------------------------------------------------------------


def _movement(movement: Movement, comparison: Comparison, format: str) -> Entry:
    tunable = movement.tunable
    was = marked(diffwords.setting(tunable, movement.old))
    value: Inline = (diffwords.setting(tunable, movement.new),)
    moved = diffwords.moved(movement) if tunable.members else ""
    rows = (
        Row("moved", marked(moved, *(symbol for symbol, _ in movement.changed))),
        Row("was", was),
        Row("now", now := joined((value, _by(movement, comparison.new.name)), ", ")),
        *_layers(movement),
        Row("note", marked(movement.new.why if movement.new else "")),
        Row("because", marked(movement.why)),
        *map(_measured, movement.measured),
        *_opinions(movement.shifts, comparison),
    )
    drift = diffwords.drift(movement.shifts)
    return _entry(tunable, drift, movement.shifts, kept(rows, format), (was, now))


def _layers(movement: Movement) -> Iterator[Row]:
    """What each layer says before and now, the one that decides marked; of no group, whose members
    are told."""
    old, new, tunable = movement.old, movement.new, movement.tunable
    if old is None or new is None or tunable.members:
        return
    said = [(one.compiled, one.boot, one.runtime, one.effective) for one in (old, new)]
    shown = [n for n in range(4) if n == 3 or any(layers[n] for layers in said)]
    names = [_LAYERS[number] for number in shown]
    rows = []
    for name, layers in zip(("Before", "Now"), said, strict=True):
        texts = [
            tunable.describe(layers[number]) if layers[number] else "\u2013" for number in shown
        ]
        decides = max((n for n in range(3) if layers[n]), default=3)
        rows.append((name, tuple(
            (text, number == decides) for text, number in zip(texts, shown, strict=True)
        )))  # fmt: skip
    before, now = (dict(zip(names, cells, strict=True)) for _, cells in rows)
    moved = [
        f"{name}: {before[name][0]} {phrases.ARROW} {now[name][0]}"
        for name in names
        if before[name][0] != now[name][0]
    ]
    # Where the configuration alone has a say, what was and is says as much.
    if len(shown) > 2:
        yield Row(
            "layers", marked("; ".join(moved)), part="layers", grid=Grid(tuple(names), tuple(rows))
        )


def _measured(record: Measured) -> Row:
    from advisor.output import costs

    return costs.row(record)


def _alone(shift: Shift, comparison: Comparison, format: str) -> Entry:
    """Advice whose verdict is another now though nothing moved."""
    now: Inline = (shift.new.now,) if shift.new.now else ()
    rows = kept((Row("now", now), *_opinions((shift,), comparison)), format)
    return _entry(shift.new.tunable, shift.drift.value, (shift,), rows, ((), now))


def _entry(
    tunable: Tunable, drift: str, shifts: tuple[Shift, ...], rows: tuple[Row, ...],
    cells: tuple[Inline, ...],
) -> Entry:  # fmt: skip
    """The entry, with a last cell that says for whom it is what: `worse: realtime (must)`."""
    kind = _OPINIONS.get(drift, drift)
    advice = [shift.new.advice for shift in shifts]
    strengths = dict.fromkeys(one.strength.value for one in advice)
    who = dict.fromkeys(one.profile for one in advice)
    sides = _by_opinion(s for s in shifts if s.counts or s.drift is Drift.BETTER)
    # Of one kind, as the badge says it, the names alone.
    whom = [f"{label}: {names}" if len(sides) > 1 else names for label, names in sides.items()]
    return Entry(
        tunable.id, kind, kind, tunable.title, tunable.id, strength=" ".join(strengths),
        profiles=tuple(who), area=tunable.area, rows=rows, cells=(*cells, ("; ".join(whom),)),
    )  # fmt: skip


def _by(movement: Movement, path: str) -> Inline:
    """The lines that make the new setting; of a group, those of the first members that moved."""
    state = movement.new
    if state is None:
        return ()
    if not movement.tunable.members:
        return findingpage.by_lines(state.origins, path)
    origins = dict((*state.on, *state.off))
    lines = [origins[symbol] for symbol, _ in movement.changed if symbol in origins]
    if not lines:
        return ()
    left = len(lines) - diffwords.FEW
    more = f" and {left} more" if left > 0 else ""
    return (*findingpage.by_lines(lines[: diffwords.FEW], path, ", "), more)


def _by_opinion(shifts: Iterable[Shift]) -> dict[str, str]:
    """Who says what, each once: `{"worse": "power-saving (should), realtime (must)"}`."""
    names: dict[str, dict[str, None]] = {}
    for shift in shifts:
        if shift.drift.value in _OPINIONS:
            names.setdefault(_OPINIONS[shift.drift.value], {})[_who(shift)] = None
    return {label: ", ".join(who) for label, who in names.items()}


def _who(shift: Shift) -> str:
    return f"{shift.new.advice.profile} ({shift.new.advice.strength.value})"


def _opinions(shifts: tuple[Shift, ...], comparison: Comparison) -> Iterator[Row]:
    """What each profile has to say; where none was chosen, who says what, and then the reasons."""
    arch = comparison.new.machine.arch
    if comparison.chosen:
        groups = dict.fromkeys(tuple(_opinion(shift, arch)) for shift in shifts)
        yield from (row for group in groups for row in group)
        return
    for label, who in _by_opinion(shifts).items():
        yield Row(label, (f"for {who}",))
    for shift in shifts:
        if shift.drift.value in _OPINIONS:
            part = "every profile's reasons"
            yield from (row._replace(part=row.part or part) for row in _opinion(shift, arch))


def _opinion(shift: Shift, arch: str | None) -> Iterator[Row]:
    """What a profile has to say about it, with reason, cost and what to do."""
    finding, waiver = shift.new, shift.new.waived
    wanted = finding.wanted
    verdicts = {
        Drift.WORSE: f"worse; wanted {wanted}",
        Drift.OPEN: f"did not apply or was not told before; wanted {wanted}",
        Drift.BETTER: f"better; wanted {wanted}" if finding.grade else "better: as wanted now",
        Drift.STILL: f"neither is as wanted: {wanted}",
        Drift.FINE: "as good: both are accepted",
        Drift.MOOT: "cannot be judged" if shift.unsure else "does not apply any more",
    }
    excused = f" (waived: {phrases.waiver(waiver)})" if waiver else ""
    yield Row("for", marked(f"{_who(shift)}: {verdicts[shift.drift]}{excused}"))
    if shift.drift in (Drift.FINE, Drift.MOOT):
        return
    yield Row("why", marked(finding.advice.why))
    yield from findingpage.remedies(finding)
    yield Row("but", marked(finding.reason))
    yield Row("cost", marked(diffwords.cost(shift)))
    yield from findingpage.sources(finding.advice, arch)
