"""The sentences about a comparison that all its formats share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from advisor.model.comparison import (
    Comparison,
    Drift,
    Movement,
    Shift,
    Side,
    SymbolKind,
    SymbolMove,
)
from advisor.model.report import State
from advisor.model.rules import Strength, Tunable
from advisor.output import phrases
from advisor.record import NamedTuple

MOST = 20
"""How many lost features, menus or other symbols are told one by one, unless all are wanted."""
FEW = 3
"""How many settings a line of sums names."""
NAMES = 6
"""How many symbols of a group are named."""
ARROW = "->"


class Outcome(NamedTuple):
    """What a comparison comes to for one profile: its shifts by what they mean."""

    worse: tuple[Shift, ...]
    open: tuple[Shift, ...]
    better: tuple[Shift, ...]
    unsure: tuple[Shift, ...]

    @property
    def status(self) -> str:
        """In a word or two."""
        if self.worse and self.better:
            return "mixed"
        if self.worse:
            return "worse"
        if self.better:
            return "improves"
        if self.open:
            return "more to do"
        return "unclear" if self.unsure else "unchanged"


def outcome(shifts: Iterable[Shift]) -> Outcome:
    """Shifts of one profile, parted; what is waived or merely situational left out."""
    found = list(shifts)
    return Outcome(
        tuple(s for s in found if s.drift is Drift.WORSE and s.counts),
        tuple(s for s in found if s.drift is Drift.OPEN and s.counts),
        tuple(s for s in found if s.drift is Drift.BETTER),
        tuple(s for s in found if s.unsure),
    )


def sides(comparison: Comparison) -> list[tuple[str, str]]:
    """What is compared: (heading, text)."""
    old, new = comparison.old, comparison.new
    kernels = [phrases.kernel(side.kernel, side.machine.arch) for side in (old, new)]
    same = kernels[0] == kernels[1]
    in_tree = comparison.tree is not None and old.name == new.name
    name = "the same, as the tree completes it" if in_tree else new.name
    found = [("old", old.name), ("new", name)]
    found.append(("kernel", kernels[0] if same else f" {ARROW} ".join(kernels)))
    lines = [_line(side) for side in (old, new)]
    if lines[0] != lines[1]:
        found.append(("boot line", f" {ARROW} ".join(lines)))
    elif old.cmdline is not None:
        found.append(("boot line", lines[0]))
    partial = dict.fromkeys(side.name for side in (old, new) if not side.complete)
    if partial:
        told = f"{' and '.join(partial)}: a fragment or defconfig; what it does not name is unknown"
        found.append(("note", told))
    return found


def _line(side: Side) -> str:
    return "(not given)" if side.cmdline is None else side.cmdline or "(empty)"


def said(tunable: Tunable, state: State | None) -> str:
    """What a setting is, in words."""
    if state is None:
        return "(no such thing)"
    return state.describe(tunable) or "(not told)"


def moved(movement: Movement) -> str:
    """`250 Hz -> 1000 Hz`; of a group, the members that came on or went off."""
    tunable = movement.tunable
    if tunable.members and movement.changed:
        return ", ".join(f"{symbol} {'on' if on else 'off'}" for symbol, on in movement.changed)
    return f"{said(tunable, movement.old)} {ARROW} {said(tunable, movement.new)}"


def drift(shifts: Iterable[Shift]) -> str:
    """What a movement is, over all who have a say: worse, mixed, open, better or moved."""
    drifts = {s.drift for s in shifts if s.counts or s.drift is Drift.BETTER}
    if {Drift.WORSE, Drift.BETTER} <= drifts:
        return "mixed"
    first = (Drift.WORSE, Drift.OPEN, Drift.BETTER)
    return next((str(one.value) for one in first if one in drifts), "moved")


def new_settings(comparison: Comparison) -> list[Movement]:
    """Settings that the new kernel has and the old had not, of which nobody has to be told more."""
    return [
        movement
        for movement in comparison.movements
        if movement.old is None and drift(movement.shifts) == "moved"
    ]


def ordered(movements: Iterable[Movement]) -> list[Movement]:
    """Those first that somebody has to act on, the strongest advice before the others."""
    order = ("worse", "mixed", "open", "better", "moved")
    return sorted(movements, key=lambda m: (order.index(drift(m.shifts)), _strongest(m)))


def _strongest(movement: Movement) -> int:
    ranks = (s.new.advice.strength.rank for s in movement.shifts if s.counts)
    return min(ranks, default=len(Strength))


def alone(comparison: Comparison) -> list[Shift]:
    """Advice whose verdict is another now though none of its tunables moved."""
    told = {id(shift) for movement in comparison.movements for shift in movement.shifts}
    shifts = (shift for found in comparison.by_profile.values() for shift in found)
    return [s for s in shifts if id(s) not in told and (s.counts or s.drift is Drift.BETTER)]


def title(shift: Shift) -> str:
    """`Timer frequency (HZ) 250 Hz -> 1000 Hz`: what a line of sums says of it."""
    old, new = shift.old.now, shift.new.now or "(not told)"
    change = f"{old} {ARROW} {new}" if old and old != new else new
    return f"{shift.new.tunable.title} {change}"


def summary(found: Outcome) -> str:
    """`worse, Timer frequency 250 -> 1000 Hz`: what a comparison means for a profile."""
    shown = [*found.worse, *found.open, *found.better]
    if not shown and found.unsure:
        names = dict.fromkeys(shift.new.tunable.title for shift in found.unsure)
        wanted = (option for option, _ in phrases.missing(s.new for s in found.unsure))
        return f"{found.status}: {', '.join(names)} cannot be judged without {', '.join(wanted)}"
    if not shown:
        return found.status
    titles = list(dict.fromkeys(map(title, shown)))
    more = f"; and {len(titles) - FEW} more" if len(titles) > FEW else ""
    return f"{found.status}: {'; '.join(titles[:FEW])}{more}"


def verdict(comparison: Comparison) -> str:
    """`server-throughput: worse 1 (must 1), better 2; lost features: 3; diagnostics: 1 error`."""
    parts = []
    for profile in comparison.profiles if comparison.chosen else ():
        parts.append(f"{profile.id}: {_counted(outcome(comparison.by_profile[profile.id]))}")
    if not comparison.chosen:
        parts.append(f"settings moved: {len(comparison.movements)}")
    lost = sum(move.kind is SymbolKind.LOST for move in comparison.symbols)
    parts += [f"lost features: {lost}"] * bool(lost)
    parts += [f"lines that do not hold: {len(comparison.unheld)}"] * bool(comparison.unheld)
    severities = Counter(d.severity.value for d in comparison.appeared if not d.waived)
    told = ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in severities.items())
    parts += [f"new diagnostics: {told}"] * bool(told)
    return "; ".join(parts)


def _counted(found: Outcome) -> str:
    parts = []
    for name, shifts in (("worse", found.worse), ("to do", found.open)):
        if shifts:
            counts = Counter(shift.new.advice.strength.value for shift in shifts)
            strengths = ", ".join(
                f"{s.value} {counts[s.value]}" for s in Strength if counts[s.value]
            )
            parts.append(f"{name} {len(shifts)} ({strengths})")
    parts += [f"better {len(found.better)}"] * bool(found.better)
    parts += [f"cannot be judged {len(found.unsure)}"] * bool(found.unsure)
    return ", ".join(parts) or "unchanged"


def lost(moves: Iterable[SymbolMove], most: int) -> list[str]:
    """Lost features, told together where they lack the same, else by menu; causes come first.

    Of each group `most` are named.
    """
    moves = list(moves)
    gone = {move.symbol for move in moves}
    groups: dict[str, list[SymbolMove]] = {}
    for move in moves:
        groups.setdefault(move.needs or move.why or move.menu or "(no menu)", []).append(move)

    def order(item: tuple[str, list[SymbolMove]]) -> tuple[bool, int, str]:
        follows = any(word in gone for word in _WORD.findall(item[1][0].needs))
        return follows, -len(item[1]), item[0]

    return [_group(key, inside, most) for key, inside in sorted(groups.items(), key=order)]


_WORD = re.compile(r"\w+")


def _group(key: str, inside: list[SymbolMove], most: int) -> str:
    names = named(inside, most)
    first = inside[0]
    if first.needs:
        return f"{names}: need{'s' * (len(inside) == 1)} {key} ({first.where})"
    return f"{names}: {key}" if first.why else f"{key}: {names}"


def unheld(comparison: Comparison) -> list[str]:
    """`HZ_100=y comes to n: ...`, for each line of a fragment that the tree does not keep."""
    return [
        f"{one.symbol}={one.asked} comes to {one.value or 'nothing'}: {one.why}"
        for one in comparison.unheld
    ]


def choices(comparison: Comparison) -> list[str]:
    """`Processor type and features: LEGACY_VSYSCALL_XONLY -> LEGACY_VSYSCALL_NONE`."""
    return [
        f"{one.menu or '(no menu)'}: {one.old} {ARROW} {one.new}"
        for one in comparison.chosen_otherwise
    ]


def named(moves: list[SymbolMove], most: int) -> str:
    """The first of their names, and how many more there are."""
    more = f" and {len(moves) - most} more" if len(moves) > most else ""
    return ", ".join(move.symbol for move in moves[:most]) + more


def changed(move: SymbolMove) -> str:
    """`HZ 250 -> 1000`."""
    return f"{move.symbol} {move.old or 'hidden'} {ARROW} {move.new or 'hidden'}"


def folded(moves: Iterable[SymbolMove]) -> list[tuple[str, str, list[SymbolMove]]]:
    """The rest by menu (two levels of it), the fullest first: (menu, counts, symbols)."""
    by_menu: dict[str, list[SymbolMove]] = {}
    for move in moves:
        menu = " > ".join(move.menu.split(" > ")[:2]) or "(no menu)"
        by_menu.setdefault(menu, []).append(move)
    found = []
    for menu, inside in sorted(by_menu.items(), key=lambda item: (-len(item[1]), item[0])):
        counts = Counter(move.kind for move in inside)
        told = ", ".join(f"{counts[kind]} {kind.value}" for kind in SymbolKind if counts[kind])
        found.append((menu, told, inside))
    return found


def cost(shift: Shift) -> str:
    """What it costs: of what is better now, the setting that is there; else that wanted."""
    finding = shift.new
    if finding.cost or shift.drift is not Drift.BETTER:
        return finding.cost
    now = finding.state.effective
    value = finding.tunable.value(now[0]) if now else None
    return finding.advice.cost or (value.cost if value else "") or finding.tunable.cost
