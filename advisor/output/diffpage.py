"""A comparison as a page: what it means for each profile, what moved, and the rest by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.model.comparison import Comparison, Drift, Movement, Shift, SymbolKind, SymbolMove
from advisor.model.kernel import Layer
from advisor.model.lines import ChangedLine
from advisor.model.tunable import Tunable
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
    lines,
    listing,
    marked,
    mode,
    most,
)

_TITLES = {
    SymbolKind.LOST: "Lost features",
    SymbolKind.UNTOLD: "Lost or removed: the kernel is newer than kernel-advisor's data",
    SymbolKind.UNNAMED: "No longer in the file: Kconfig sets the value",
    SymbolKind.FORCED: "Off before, on now",
    SymbolKind.GONE: "Gone from the kernel",
}
_LAYERS = (Layer.COMPILED.value, Layer.BOOT.value, Layer.RUNTIME.value, "in force")
_OPINIONS = {"worse": "worse", "open": "to do", "better": "better", "still": "neither"}


def document(comparison: Comparison, format: str) -> Document:
    """Return the document of one comparison, without what the format leaves out."""
    return Document("Kernel comparison", "diff", (page(comparison, format),))


def page(comparison: Comparison, format: str) -> Page:
    """Return the page of one comparison, without what the format leaves out."""
    old, new = comparison.old.name, comparison.new.name
    title = (Code(old), " → ", Code(new)) if old != new else ("Changes of ", Code(new))
    facts = kept(_facts(comparison), format)
    if comparison.empty:
        note = ("the inputs are the same on both sides",)
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
    yield from listing("profiles", "What it means", _sums(comparison), format)
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
    for title, texts in (("Changed boot parameters", words), ("At run time", comparison.run_time)):
        rows = [Row("", (Code(f"{'+' if came else '-'}{text}"),)) for text, came in texts]
        yield from listing("words", title, _first(rows, format), format, len(rows))
    for title, items, number in _lists(comparison, format):
        yield from listing("symbols", title, _first(items, format), format, number)
    others = [move for move in comparison.symbols if move.kind not in _TITLES]
    menus = _menus(comparison, others, format)
    yield from listing("symbols", "Other symbols", menus, format, len(others) or None)


def _sums(comparison: Comparison) -> Iterator[Row]:
    """Yield what the comparison means for each profile.

    If nobody chose the profiles, those whose settings did not move share a line.
    """
    calm = diffwords.calm(comparison)
    balances = {p.id: diffwords.balance(comparison.by_profile[p.id]) for p in comparison.profiles}
    sums = {name: diffwords.summary(balance, calm) for name, balance in balances.items()}
    left = [] if comparison.chosen else [name for name, text in sums.items() if text == calm]
    left = left if len(left) > 1 else []
    yield from (Row(name, marked(text)) for name, text in sums.items() if name not in left)
    if left:
        others = "all" if len(left) == len(sums) else "the other"
        yield Row(f"{others} {len(left)} profiles", (calm.replace("its ", "their "),))


def accounts(changed: Iterable[ChangedLine], format: str) -> Iterator[Section]:
    """Yield what becomes of each changed line of a fragment."""
    rows = [Row("", marked(treewords.account(one), one.symbol)) for one in changed]
    yield from listing("lines", "Changed lines", _first(rows, format), format, len(rows))


def _lists(comparison: Comparison, format: str) -> Iterator[tuple[str, tuple[Row, ...], int]]:
    """Yield lists of what changed beside settings: title, lines, and the number of things."""
    solved = lines(f"{item.id}: {item.message}" for item in comparison.solved)
    yield "Solved", solved, len(solved)
    urgent = frozenset(one.symbol for one in comparison.losses if one.area == diffwords.SECURITY)
    for kind, title in _TITLES.items():
        moves = [move for move in comparison.symbols if move.kind is kind]
        groups = diffwords.lost(moves, most("names of a group", format), urgent)
        known = [name for move in moves for name in (move.symbol, move.needs)]
        yield title, lines(groups, *known), len(moves)
    devices = most("devices of a driver", format)
    drivers = tuple(Row("", marked(*line)) for line in diffwords.drivers(comparison, devices))
    title = "Lost drivers, with the devices that they support"
    yield title, drivers, len(comparison.drivers)
    choices = comparison.chosen_otherwise
    members = [name for one in choices for name in (one.old, one.new)]
    texts = (f"{o.menu or phrases.NO_MENU}: {o.old} {phrases.ARROW} {o.new}" for o in choices)
    yield "Other member of a choice", lines(texts, *members), len(choices)
    names = [name for one in comparison.renamed for name in (one.old, one.new)]
    renamed = lines(map(diffwords.renamed, comparison.renamed), *names)
    yield "Renamed", renamed, len(renamed)
    fresh = diffwords.new_settings(comparison)
    texts = (f"{m.tunable.title}: {diffwords.setting(m.tunable, m.new)}" for m in fresh)
    yield "New settings, with their values", lines(texts), len(fresh)


def _first(items: Sequence[Row], format: str, left: str = "") -> tuple[Row, ...]:
    """Return as many lines of a list as the format shows, and how many more there are."""
    limit = most("items of a list", format)
    if len(items) <= limit:
        return tuple(items)
    hint = " (--verbose lists them)" if format == "text" else ""
    return (*items[:limit], Row("", (f"and {left or f'{len(items) - limit} more'}{hint}",)))


def _menus(comparison: Comparison, moves: Sequence[SymbolMove], format: str) -> Iterator[Row]:
    """Yield symbols by menu, each named if the format lists all or if they are few."""
    limit = most("items of a list", format)
    menus = diffwords.folded(moves)
    items = []
    for menu, counts, inside in menus:
        symbols = inside if len(moves) <= limit else ()
        texts = ((treewords.changed(m.symbol, m.old, m.new), m.symbol) for m in symbols)
        each = tuple(Row("", marked(*text)) for text in texts)
        items.append(Row("", (f"{menu}: {counts}",), each))
    left = phrases.counted(sum(len(inside) for _, _, inside in menus[limit:]), "symbol")
    yield from _first(items, format, f"{len(menus) - limit} more menus: {left}")
    if hidden := comparison.hidden:
        verb = "is" if hidden == 1 else "are"
        more = phrases.counted(hidden, "more symbol")
        yield Row("", (f"{more} {verb} off on both sides; only the visibility changed",))


# --- entries --------------------------------------------------------------------------------------


def _movement(movement: Movement, comparison: Comparison, format: str) -> Entry:
    tunable = movement.tunable
    was = marked(diffwords.setting(tunable, movement.old))
    value: Inline = (diffwords.setting(tunable, movement.new),)
    moved = diffwords.moved(movement) if tunable.members else ""
    measured: list[Row] = []
    if movement.measured:
        from advisor.output import costs

        measured += costs.rows(movement.measured, is_whole=format != "text")
    rows = (
        Row("moved", marked(moved, *(symbol for symbol, _ in movement.changed))),
        Row("was", was),
        Row("now", now := joined((value, _by(movement, comparison.new.name)), ", ")),
        *_layers(movement),
        Row("note", marked(movement.new.why if movement.new else "")),
        Row("because", marked(movement.why)),
        *measured,
        *_opinions(movement.shifts, comparison),
    )
    drift = diffwords.drift(movement.shifts)
    return _entry(tunable, drift, movement.shifts, kept(rows, format), (was, now))


def _layers(movement: Movement) -> Iterator[Row]:
    """Yield the value of each layer before and now, with the layer that decides marked.

    Nothing is yielded of a group, whose members are listed, nor if only the configuration has a
    value, which "was" and "now" show.
    """
    tunable = movement.tunable
    if movement.old is None or movement.new is None or tunable.members:
        return
    values = [(s.compiled, s.boot, s.runtime, s.effective) for s in (movement.old, movement.new)]
    shown = [n for n in range(4) if n == 3 or any(layers[n] for layers in values)]
    names = tuple(_LAYERS[number] for number in shown)
    before, now = (
        [tunable.describe(layers[n]) if layers[n] else "\u2013" for n in shown] for layers in values
    )
    deciding = [max((n for n in range(3) if layers[n]), default=3) for layers in values]
    rows = tuple(
        (name, tuple((text, n == last) for text, n in zip(texts, shown, strict=True)))
        for name, texts, last in zip(("Before", "Now"), (before, now), deciding, strict=True)
    )
    moved = [
        f"{name}: {old} {phrases.ARROW} {new}"
        for name, old, new in zip(names, before, now, strict=True)
        if old != new
    ]
    if len(shown) > 2:
        yield Row("layers", marked("; ".join(moved)), part="layers", grid=Grid(names, rows))


def _alone(shift: Shift, comparison: Comparison, format: str) -> Entry:
    """Return advice whose verdict changed though no setting moved, as an entry."""
    now: Inline = (shift.new.now,) if shift.new.now else ()
    rows = kept((Row("now", now), *_opinions((shift,), comparison)), format)
    return _entry(shift.new.tunable, shift.drift.value, (shift,), rows, ((), now))


def _entry(
    tunable: Tunable, drift: str, shifts: tuple[Shift, ...], rows: tuple[Row, ...],
    cells: tuple[Inline, ...],
) -> Entry:  # fmt: skip
    """Return an entry; its last cell says for whom it is what: `worse: realtime (must)`."""
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
    """Return the lines that make the new setting; of a group, of the first members that moved."""
    state, few = movement.new, diffwords.FEW
    if state is None:
        return ()
    if not movement.tunable.members:
        return findingpage.by_lines(state.origins, path)
    origins = dict((*state.on, *state.off))
    moved = [origins[symbol] for symbol, _ in movement.changed if symbol in origins]
    more = f" and {len(moved) - few} more" if len(moved) > few else ""
    return (*findingpage.by_lines(moved[:few], path, ", "), more) if moved else ()


def _by_opinion(shifts: Iterable[Shift]) -> dict[str, str]:
    """Return who has which opinion: `{"worse": "power-saving (should), realtime (must)"}`."""
    names: dict[str, dict[str, None]] = {}
    for shift in shifts:
        if shift.drift.value in _OPINIONS:
            names.setdefault(_OPINIONS[shift.drift.value], {})[_who(shift)] = None
    return {label: ", ".join(who) for label, who in names.items()}


def _who(shift: Shift) -> str:
    return f"{shift.new.advice.profile} ({shift.new.advice.strength.value})"


def _opinions(shifts: tuple[Shift, ...], comparison: Comparison) -> Iterator[Row]:
    """Yield the opinion of each profile; if none was chosen, who has which, and then reasons."""
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


_HALF = ": an alternative setting remains, but programs that use the lost setting stop working"


def _opinion(shift: Shift, arch: str | None) -> Iterator[Row]:
    """Yield the opinion of a profile, with reason, cost and what to do."""
    finding, waiver, wanted = shift.new, shift.new.waived, shift.new.wanted
    verdicts = {
        Drift.WORSE: f"worse{_HALF * shift.half}; wanted {wanted}",
        Drift.OPEN: f"the advice did not apply before, or the value was not known; wanted {wanted}",
        Drift.BETTER: f"better; wanted {wanted}" if finding.grade else "better: now as wanted",
        Drift.STILL: f"neither side has the wanted value: {wanted}",
        Drift.FINE: "both values are accepted",
        Drift.MOOT: "cannot be judged" if shift.unsure else "no longer applies",
    }
    excused = f" (waived: {phrases.waiver(waiver)})" if waiver else ""
    yield Row("for", marked(f"{_who(shift)}: {verdicts[shift.drift]}{excused}"))
    if shift.drift in (Drift.FINE, Drift.MOOT):
        return
    yield Row("why", marked(finding.advice.why))
    yield from findingpage.remedies(finding)
    yield Row("but", marked(finding.reason))
    yield Row("cost", marked(phrases.cost(diffwords.cost(shift), shift.new.tunable)))
    yield from findingpage.sources(finding.advice, arch)
