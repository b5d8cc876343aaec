"""The sentences about a kernel tree: its answers, side effects, losses, and changed lines."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.lines import ChangedLine, LineKind
from advisor.model.tree import Effect, SideEffect, TreeUse, differ
from advisor.output.phrases import ARROW, MOST, first

MOST_LOST = 3
"""How many symbols are named of those that one remedy takes away."""


def tree(use: TreeUse) -> str:
    """Return where a tree is and what it is: `~/linux: Linux 6.12.117, x86`."""
    return f"{use.path}: Linux {use.version}, {use.arch}"


def assumed(use: TreeUse) -> str:
    """Return how many answers of tools were taken for granted, and name the unrecorded ones."""
    if use.ran:
        return f"{len(use.assumed)} answers that the tree's tools gave"
    guessed = [f"{s}={value}" for s, value, source in use.assumed if "recorded" not in source]
    recorded = len(use.assumed) - len(guessed)
    more = f"; by default {first(guessed)}" if guessed else ""
    return f"{recorded} answers of tools, taken from the configuration{more}"


def effects(effects: Sequence[SideEffect], *, all_of_them: bool) -> list[tuple[str, str]]:
    """Return each group of side effects, lost ones first: (title with the count, symbols)."""
    groups: dict[str, list[str]] = {"lost": [], "lost with them": [], "new": [], "derived": []}
    # What is only hidden now matters least.
    for one in sorted(effects, key=lambda e: e.kind is Effect.DERIVED and e.new is None):
        if one.kind is Effect.NEW:
            groups["new"].append(f"{one.symbol}={one.new}")
        elif one.kind is Effect.DERIVED:
            groups["derived"].append(changed(one.symbol, one.old, one.new))
        elif one.root:
            cause = f"needs {one.why}" if one.why else f"{one.old} before"
            groups["lost"].append(f"{one.symbol} ({cause})")
        else:
            groups["lost with them"].append(one.symbol)
    return [
        (f"{title}: {len(items)}", first(items, len(items) if all_of_them else MOST))
        for title, items in groups.items()
        if items
    ]


def losses(lost: Sequence[SideEffect]) -> str:
    """Return what a remedy takes away: `DRM_I915 (needs !PREEMPT_RT), and 6 more; with them 13`."""
    roots = [
        f"{one.symbol} (needs {one.why})" if one.why else one.symbol for one in lost if one.root
    ]
    others = len(lost) - len(roots)
    return first(roots, MOST_LOST) + (f"; with them {others}" if others else "")


def changed(symbol: str, old: str | None, new: str | None) -> str:
    """Return how a symbol changes: `HZ 250 -> 1000`; None is a symbol that is not shown."""
    return f"{symbol} {old or 'hidden'} {ARROW} {new or 'hidden'}"


def account(line: ChangedLine) -> str:
    """Return what becomes of a changed line: `RETPOLINE=y (line 3): renamed, comes to n`."""
    what = f"{line.symbol}={line.asked}" if line.asked else line.symbol
    text = f"{what} ({line.location}): {line.kind.value}"
    if line.kind is LineKind.TAKEN_OUT:
        return f"{text}; {changed(line.symbol, line.old, line.value)}"
    if line.rule and differ(line.asked, line.value):
        text += f", becomes {line.value or 'nothing'}"
    if line.instead:
        text += f"; write {', '.join(f'{name}={value}' for name, value in line.instead)}"
    elif line.why and not line.rule:
        text += f": {line.why}"
    return text
