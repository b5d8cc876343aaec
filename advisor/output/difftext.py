"""A comparison for a terminal: what it means for each profile, what moved, and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.model.comparison import Comparison, Drift, Movement, Shift, SymbolKind, SymbolMove
from advisor.output import Style, diffwords, phrases
from advisor.output.text import diagnostic_lines, painted, wrapped

_COLOURS = {"worse": "1;31", "mixed": "1;33", "open": "1;33", "better": "1;32", "moved": "1;36"}
# What a movement is called at its head.
_LABELS = {"open": "TO DO"}
_TITLES = {
    SymbolKind.LOST: "lost features",
    SymbolKind.FORCED: "were off, are on",
    SymbolKind.GONE: "gone from the kernel",
}


def render(comparison: Comparison, style: Style) -> str:
    """The whole page, its verdict last."""
    return "\n".join(_lines(comparison, style)) + "\n"


def _lines(comparison: Comparison, style: Style) -> Iterator[str]:
    for name, text in diffwords.sides(comparison):
        yield from wrapped(name, text, style, 0)
    if comparison.tree:
        told = phrases.proof(comparison.proof, comparison.tree)
        yield from wrapped("tree", f"{phrases.tree(comparison.tree)} ({told})", style, 0)
        yield from wrapped("assumed", phrases.assumed(comparison.tree), style, 0)
    if comparison.empty:
        yield from ("", "Nothing is another on both sides.")
        return
    yield ""
    for profile in comparison.profiles:
        found = diffwords.outcome(comparison.by_profile[profile.id])
        yield from wrapped(profile.id, diffwords.summary(found), style, 0, 22)
    fresh = diffwords.new_settings(comparison)
    for movement in diffwords.ordered(m for m in comparison.movements if m not in fresh):
        yield from _movement(movement, comparison, style)
    for shift in diffwords.alone(comparison):
        yield from _alone(shift, style)
    for item in comparison.appeared:
        if not item.waived:
            yield from diagnostic_lines(item, style)
    yield ""
    yield from _symbols(comparison, style)
    colour = "1;31" if comparison.failed else "1;32"
    yield painted(diffwords.verdict(comparison), colour, style)


def _movement(movement: Movement, comparison: Comparison, style: Style) -> Iterator[str]:
    kind = diffwords.drift(movement.shifts)
    text = f"{movement.tunable.title} [{movement.tunable.id}]"
    yield from _head(kind, text, style)
    was = diffwords.said(movement.tunable, movement.old)
    now = diffwords.said(movement.tunable, movement.new)
    if movement.tunable.members:
        yield from wrapped("moved", diffwords.moved(movement), style)
    yield from wrapped("was", was, style)
    yield from wrapped(
        "now", f"{now}, {diffwords.by(movement, comparison.new.name)}".rstrip(", "), style
    )
    if movement.new and movement.new.why:
        yield from wrapped("note", movement.new.why, style)
    if movement.why:
        yield from wrapped("because", movement.why, style)
    if comparison.chosen:
        opinions = (tuple(_opinion(shift, style)) for shift in movement.shifts)
        for lines in dict.fromkeys(opinions):  # two pieces of advice may come to the same
            yield from lines
    else:
        yield from _opinions(movement.shifts, style)


def _head(kind: str, text: str, style: Style) -> Iterator[str]:
    head, *rest = wrapped(_LABELS.get(kind, kind.upper()), text, style, 0, 8)
    yield from ("", painted(head[:8], _COLOURS[kind], style) + head[8:], *rest)


def _opinion(shift: Shift, style: Style) -> Iterator[str]:
    """What a profile has to say about it, with reason, cost and what to do."""
    finding = shift.new
    advice = finding.advice
    told = f"{advice.profile} ({advice.strength.value}): {_verdict(shift)}"
    yield from wrapped("for", told, style)
    if shift.drift in (Drift.FINE, Drift.MOOT):
        return
    yield from wrapped("why", advice.why, style)
    for remedy in finding.remedies[:1]:
        yield from wrapped("do", phrases.remedy(remedy, finding.tunable), style)
    for name, text in (("but", finding.reason), ("cost", diffwords.cost(shift))):
        if text:
            yield from wrapped(name, text, style)


def _verdict(shift: Shift) -> str:
    wanted = shift.new.wanted
    return {
        Drift.WORSE: f"worse; wanted {wanted}",
        Drift.OPEN: f"did not apply or was not told before; wanted {wanted}",
        Drift.BETTER: "better: as wanted now"
        if not shift.new.grade
        else f"better; wanted {wanted}",
        Drift.STILL: f"neither is as wanted: {wanted}",
        Drift.FINE: "as good: both are accepted",
        Drift.MOOT: "cannot be judged" if shift.unsure else "does not apply any more",
    }[shift.drift] + (f" (waived: {phrases.waiver(shift.new.waived)})" if shift.new.waived else "")


def _opinions(shifts: Iterable[Shift], style: Style) -> Iterator[str]:
    """Who has what to say, a line for each opinion."""
    names: dict[str, list[str]] = {}
    for shift in shifts:
        kind = shift.drift
        if kind in (Drift.WORSE, Drift.OPEN, Drift.BETTER, Drift.STILL):
            advice = shift.new.advice
            names.setdefault(kind.value, []).append(f"{advice.profile} ({advice.strength.value})")
    for name, who in names.items():
        label = {"open": "to do", "still": "neither"}.get(name, name)
        yield from wrapped(label, f"for {', '.join(dict.fromkeys(who))}", style)


def _alone(shift: Shift, style: Style) -> Iterator[str]:
    tunable = shift.new.tunable
    yield from _head(shift.drift.value, f"{tunable.title} [{tunable.id}]", style)
    yield from wrapped("now", shift.new.now, style)
    yield from _opinion(shift, style)


def _symbols(comparison: Comparison, style: Style) -> Iterator[str]:
    """The boot line's words, solved problems, lost features, renames, and the rest by menu."""
    came = [word for word, on in comparison.words if on]
    went = [word for word, on in comparison.words if not on]
    yield from _list(
        "on the boot line", [*(f"+ {w}" for w in came), *(f"- {w}" for w in went)], style
    )
    unheld = diffwords.unheld(comparison)
    yield from _list("lines of the fragment that the tree does not keep", unheld, style)
    solved = [f"{item.id}: {item.message}" for item in comparison.solved]
    yield from _list("solved", solved, style)
    most = len(comparison.symbols) if style.verbose else diffwords.NAMES
    for kind, name in _TITLES.items():
        moves = [move for move in comparison.symbols if move.kind is kind]
        yield from _list(name, diffwords.lost(moves, most), style, len(moves))
    yield from _list("chosen otherwise", diffwords.choices(comparison), style)
    renamed = [f"{one.old} is {one.new} now (={one.value})" for one in comparison.renamed]
    yield from _list("renamed", renamed, style)
    fresh = diffwords.new_settings(comparison)
    told = [f"{m.tunable.title}: {diffwords.said(m.tunable, m.new)}" for m in fresh]
    yield from _list("settings that are new, as they are now", told, style)
    rest = [move for move in comparison.symbols if move.kind not in _TITLES]
    yield from _rest(rest, comparison.hidden, style)


def _list(title: str, items: list[str], style: Style, count: int = 0) -> Iterator[str]:
    if not items:
        return
    yield f"{title}: {count or len(items)}"
    most = len(items) if style.verbose else diffwords.MOST
    for item in items[:most]:
        yield from wrapped("-", item, style, label_width=2)
    if len(items) > most:
        yield f"  - and {len(items) - most} more (--verbose lists them)"
    yield ""


def _rest(moves: list[SymbolMove], hidden: int, style: Style) -> Iterator[str]:
    if moves:
        yield f"other symbols: {len(moves)}"
    folded = diffwords.folded(moves)
    most = len(folded) if style.verbose else diffwords.MOST
    for menu, counts, inside in folded[:most]:
        yield from wrapped("-", f"{menu}: {counts}", style, label_width=2)
        if style.verbose or len(moves) <= diffwords.MOST:
            for move in inside:
                yield from wrapped("-", diffwords.changed(move), style, 4, 2)
    if len(folded) > most:
        left = sum(len(inside) for _, _, inside in folded[most:])
        yield f"  - {len(folded) - most} more menus: {left} symbols (--verbose lists them)"
    if hidden:
        verb = "is" if hidden == 1 else "are"
        yield f"{hidden} more {verb} merely shown or hidden now, off on both sides"
    if moves or hidden:
        yield ""
