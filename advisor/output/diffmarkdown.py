"""A comparison for a comment of a pull request: verdict, one table, the reasons folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.model.comparison import Comparison, Drift, Movement, Shift, SymbolKind, SymbolMove
from advisor.output import Style, budget, diffwords, phrases
from advisor.output.escape import code, prose
from advisor.output.markdown import details, diagnostic_table, folded, link

MARKER = "<!-- kernel-advisor:diff -->"
"""The first line, by which a later run finds its own comment."""
_SIGNS = {"worse": "worse", "mixed": "mixed", "open": "to do", "better": "better", "moved": ""}
_TITLES = {
    SymbolKind.LOST: "Lost features",
    SymbolKind.FORCED: "Were off, are on",
    SymbolKind.GONE: "Gone from the kernel",
}


def render(comparison: Comparison, style: Style) -> str:
    """The whole comment, with its marker, within its room."""
    return "\n".join((MARKER, *body(comparison, style, budget.MOST - len(MARKER) - 1))) + "\n"


def body(comparison: Comparison, style: Style, most: int) -> list[str]:
    """The lines of one comparison, in so many bytes: what is left out is counted at the end."""
    lines = list(_head(comparison))
    if comparison.empty:
        return [*lines, "", "Nothing is another on both sides."]
    blocks = list(_blocks(comparison, style))
    left = most - _size(lines) - 200
    kept = 0
    for block in blocks:
        if _size(block) > left:
            break
        lines += block
        left -= _size(block)
        kept += 1
    if kept < len(blocks):
        lines += [
            "",
            f"**{len(blocks) - kept} more parts are left out: a comment has no more room.**",
        ]
    return lines


def _size(lines: Iterable[str]) -> int:
    return sum(budget.size(line) + 1 for line in lines)


def told(text: str) -> str:
    """A sentence of diffwords, fit for Markdown."""
    return prose(text.replace(f" {diffwords.ARROW} ", " \u2192 "))


def _head(comparison: Comparison) -> Iterator[str]:
    old, new = comparison.old.name, comparison.new.name
    yield f"### {code(old)} \u2192 {code(new)}" if old != new else f"### Changes of {code(new)}"
    yield ""
    yield f"**{told(diffwords.verdict(comparison))}**"
    yield ""
    facts = [told(f"{name}: {_short(text, 500)}") for name, text in diffwords.sides(comparison)[2:]]
    tree = (
        f" ({code(comparison.tree.path)}: {prose(comparison.tree.version)})"
        if comparison.tree
        else ""
    )
    yield f"{'; '.join(facts)}; proof: {comparison.proof}{tree}."


def _blocks(comparison: Comparison, style: Style) -> Iterator[list[str]]:
    """The parts of the comment, the most important first."""
    yield list(_profiles(comparison))
    fresh = diffwords.new_settings(comparison)
    movements = diffwords.ordered(m for m in comparison.movements if m not in fresh)
    yield from _rows(movements, comparison)
    yield list(_words(comparison))
    open_ = [item for item in comparison.appeared if not item.waived]
    yield list(diagnostic_table(open_))
    unheld = map(prose, diffwords.unheld(comparison))
    yield list(details("Lines of the fragment that the tree does not keep", unheld))
    for kind, title in _TITLES.items():
        moves = [move for move in comparison.symbols if move.kind is kind]
        groups = diffwords.lost(moves, diffwords.NAMES)
        yield list(details(f"{title}: {len(moves)}", map(told, groups[: diffwords.MOST])))
    for movement in movements:
        if movement.shifts:
            yield list(_rationale(movement, comparison))
    for shift in diffwords.alone(comparison):
        yield list(folded(f"{shift.drift.value}: {prose(shift.new.tunable.title)}", _reason(shift)))
    yield list(_rest(comparison))


def _profiles(comparison: Comparison) -> Iterator[str]:
    yield ""
    for profile in comparison.profiles:
        found = diffwords.outcome(comparison.by_profile[profile.id])
        yield f"- **{profile.id}**: {told(diffwords.summary(found))}"


def _words(comparison: Comparison) -> Iterator[str]:
    """The words that came onto the boot line, and those that went."""
    if comparison.words:
        signs = (
            f"{'+' if on else chr(0x2212)} {code(_short(word))}" for word, on in comparison.words
        )
        yield from ("", f"On the boot line: {', '.join(signs)}.")


def _rows(movements: list[Movement], comparison: Comparison) -> Iterator[list[str]]:
    """The table of what moved: its head with the first row, then row by row."""
    head = ["", "| | Setting | Before | Now | By | For |", "|---|---|---|---|---|---|"]
    for movement in movements:
        kind = _SIGNS[diffwords.drift(movement.shifts)]
        now = prose(diffwords.said(movement.tunable, movement.new))
        if movement.changed:
            now = f"{now}: {prose(_short(diffwords.moved(movement)))}"
        cells = (
            f"**{kind}**" if kind else "",
            prose(movement.tunable.title),
            prose(diffwords.said(movement.tunable, movement.old)),
            now,
            code(by) if (by := _by(movement, comparison)) else "",
            prose(_for(movement.shifts)),
        )
        yield [*head, f"| {' | '.join(cells)} |"]
        head = []


def _changed(moves: Iterable[SymbolMove]) -> str:
    return ", ".join(_short(diffwords.changed(move)) for move in moves)


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def _by(movement: Movement, comparison: Comparison) -> str:
    return diffwords.by(movement, comparison.new.name).removeprefix("by ")


def _for(shifts: Iterable[Shift]) -> str:
    """`worse: power-saving (should); better: realtime (must)`."""
    names: dict[str, list[str]] = {}
    for shift in shifts:
        if shift.counts or shift.drift is Drift.BETTER:
            advice = shift.new.advice
            kind = _SIGNS[shift.drift.value]
            names.setdefault(kind, []).append(f"{advice.profile} ({advice.strength.value})")
    if len(names) == 1:  # as the first cell says
        return ", ".join(next(iter(names.values())))
    return "; ".join(f"{kind}: {', '.join(who)}" for kind, who in names.items())


def _rationale(movement: Movement, comparison: Comparison) -> Iterator[str]:
    title = told(_short(f"{movement.tunable.title}: {diffwords.moved(movement)}"))
    lines = []
    if movement.why:
        lines.append(f"- Because {prose(movement.why)}")
    for shift in movement.shifts:
        if shift.drift not in (Drift.FINE, Drift.MOOT):
            lines += _reason(shift)
    if lines:
        yield from folded(f"Why: {title}", lines)


def _reason(shift: Shift) -> list[str]:
    finding = shift.new
    advice = finding.advice
    lines = [
        f"- **{advice.profile}** ({advice.strength.value}), {_SIGNS.get(shift.drift.value, '')}"
        f"{'still not as wanted' if shift.drift is Drift.STILL else ''}: {prose(advice.why)}"
    ]
    if finding.waived:
        lines.append(f"  - Waived: {prose(phrases.waiver(finding.waived))}")
    elif shift.drift is not Drift.BETTER:
        lines.append(f"  - Wanted: {prose(finding.wanted)}")
        lines += [
            f"  - Remedy {prose(phrases.remedy(one, finding.tunable))}"
            for one in finding.remedies[:1]
        ]
        lines += [f"  - But {prose(finding.reason)}"] * bool(finding.reason)
    if cost := diffwords.cost(shift):
        lines.append(f"  - Cost: {prose(cost)}")
    for source in advice.sources[:2]:
        lines.append(f"  - Source: {link(source)}")
    return lines


def _rest(comparison: Comparison) -> Iterator[str]:
    solved = (f"{item.id}: {item.message}" for item in comparison.solved)
    yield from details("Solved", map(prose, solved))
    yield from details("Chosen otherwise", map(told, diffwords.choices(comparison)))
    renamed = (f"{one.old} is {one.new} now (={one.value})" for one in comparison.renamed)
    yield from details("Renamed, with the same value", map(prose, renamed))
    fresh = diffwords.new_settings(comparison)
    new = (f"{m.tunable.title}: {diffwords.said(m.tunable, m.new)}" for m in fresh)
    yield from details("Settings that are new, as they are now", map(prose, new))
    rest = [move for move in comparison.symbols if move.kind not in _TITLES]
    menus = diffwords.folded(rest)
    shown = [f"{prose(menu)}: {counts}" for menu, counts, _ in menus[: diffwords.MOST]]
    if len(rest) <= diffwords.MOST:
        shown = [f"{prose(menu)}: {told(_changed(inside))}" for menu, _, inside in menus]
    if len(menus) > diffwords.MOST:
        left = sum(len(inside) for _, _, inside in menus[diffwords.MOST :])
        shown.append(f"{len(menus) - diffwords.MOST} more menus: {left} symbols")
    yield from details(f"Other symbols: {len(rest)}", shown)
