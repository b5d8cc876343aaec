"""The sentences about a comparison that all its formats share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from advisor.errors import and_more
from advisor.model.comparison import (
    Comparison,
    Drift,
    LostDriver,
    Movement,
    Renamed,
    Shift,
    SymbolKind,
    SymbolMove,
)
from advisor.model.kernel import Severity
from advisor.model.profile import REQUIREMENT, Strength
from advisor.model.state import State
from advisor.model.tunable import Tunable
from advisor.output import factwords, phrases
from advisor.output.phrases import ARROW, NO_MENU, counted
from advisor.record import NamedTuple

CALM = "unchanged"
SECURITY = "security"
"""The area of losses (engine.losses) that is told first."""
FEW = 3
"""How many settings a line of sums names, and how many lines of a group are named."""
ORDER = {"worse": 0, "mixed": 1, "open": 2, "better": 3, "moved": 4}
"""What a movement may be (see drift), first that somebody has to act on."""
_WORD = re.compile(r"\w+")


class Balance(NamedTuple):
    """What a comparison comes to for one profile: its shifts by what they mean."""

    worse: tuple[Shift, ...]
    open: tuple[Shift, ...]
    better: tuple[Shift, ...]
    unsure: tuple[Shift, ...]
    waived: tuple[Shift, ...] = ()
    still: tuple[Shift, ...] = ()
    fine: tuple[Shift, ...] = ()

    @property
    def status(self) -> str:
        """The status in a word or two."""
        if self.worse:
            return "mixed" if self.better else "worse"
        names = (
            (self.waived, "worse, but waived"), (self.better, "improves"),
            (self.open, "more to do"), (self.unsure, "unclear"),
            (self.still, "no better"), (self.fine, "as good as before"),
        )  # fmt: skip
        return next((name for shifts, name in names if shifts), CALM)


def balance(shifts: Iterable[Shift]) -> Balance:
    """Return the shifts of one profile by what they mean, without merely situational ones."""
    parts: dict[str, list[Shift]] = {name: [] for name in Balance._fields}
    for shift in shifts:
        if shift.drift not in (Drift.WORSE, Drift.OPEN, Drift.MOOT) or shift.counts:
            parts[shift.drift.value].append(shift)
        if shift.unsure:
            parts["unsure"].append(shift)
        if shift.excused:
            parts["waived"].append(shift)
    return Balance(*map(tuple, parts.values()))


def sides(comparison: Comparison) -> list[tuple[str, str]]:
    """Return what is compared, as label and text."""
    old, new = both = comparison.old, comparison.new
    in_tree = comparison.tree is not None and old.name == new.name
    name = "the same configuration, completed by the tree" if in_tree else new.name
    kernels = dict.fromkeys(factwords.kernel(side.kernel, side.machine.arch) for side in both)
    facts = [("old", old.name), ("new", name), ("kernel", f" {ARROW} ".join(kernels))]
    lines = dict.fromkeys(
        "(not given)" if side.cmdline is None else side.cmdline or "(empty)" for side in both
    )
    if len(lines) > 1 or old.cmdline is not None:
        facts.append(("boot line", f" {ARROW} ".join(lines)))
    if partial := dict.fromkeys(one.name for one in both if not (one.complete or one.bare)):
        unknown = "a fragment or defconfig; symbols that it does not name are unknown"
        facts.append(("note", f"{' and '.join(partial)}: {unknown}"))
    return facts


def setting(tunable: Tunable, state: State | None) -> str:
    """Return what a tunable is set to; None is a configuration or a kernel without it."""
    if state is None:
        return "(not in this configuration)"
    return state.describe(tunable) or "(not known)"


def moved(movement: Movement) -> str:
    """Return a move: `250 Hz -> 1000 Hz`; of a group, the members that came on or went off."""
    tunable = movement.tunable
    if tunable.members and movement.changed:
        return ", ".join(f"{symbol} {'on' if on else 'off'}" for symbol, on in movement.changed)
    return f"{setting(tunable, movement.old)} {ARROW} {setting(tunable, movement.new)}"


def drift(shifts: Iterable[Shift]) -> str:
    """Return what a movement is for all profiles: one of ORDER."""
    drifts = {s.drift for s in shifts if s.counts or s.drift is Drift.BETTER}
    if {Drift.WORSE, Drift.BETTER} <= drifts:
        return "mixed"
    return min((one.value for one in drifts), key=ORDER.__getitem__, default="moved")


def new_settings(comparison: Comparison) -> list[Movement]:
    """Return settings that only the new kernel has and that no profile calls better or worse."""
    movements = comparison.movements
    return [m for m in movements if m.old is None and drift(m.shifts) == "moved"]


def ordered(movements: Iterable[Movement]) -> list[Movement]:
    """Return movements in ORDER, those of the strongest advice first."""

    def rank(movement: Movement) -> tuple[int, int]:
        ranks = (s.new.advice.strength.rank for s in movement.shifts if s.counts)
        return ORDER[drift(movement.shifts)], min(ranks, default=len(Strength))

    return sorted(movements, key=rank)


def alone(comparison: Comparison) -> list[Shift]:
    """Return advice whose verdict changed though none of its tunables moved."""
    # By identity: to compare two shifts by value is to compare two whole findings.
    with_movement = {id(shift) for movement in comparison.movements for shift in movement.shifts}
    shifts = (shift for each in comparison.by_profile.values() for shift in each)
    others = (shift for shift in shifts if id(shift) not in with_movement)
    return [shift for shift in others if shift.counts or shift.drift is Drift.BETTER]


def title(shift: Shift) -> str:
    """Return the setting of a shift: `Timer frequency (HZ) 250 Hz -> 1000 Hz`; of a requirement
    that is not met any more what the change takes away, and why."""
    is_taken = shift.drift is Drift.WORSE and shift.new.state.runs
    if shift.new.tunable.kind == REQUIREMENT and is_taken:
        return f"removes {shift.new.tunable.title} ({shift.new.state.runs})"
    old, new = shift.old.now, shift.new.now or "(not known)"
    change = f"{old} {ARROW} {new}" if old and old != new else new
    return f"{shift.new.tunable.title} {change}"


def summary(balance: Balance, calm: str = CALM) -> str:
    """Return what a comparison means for a profile: `worse: Timer frequency 250 -> 1000 Hz`.

    `calm` is returned if nothing moved that the profile gives advice on.
    """
    moved = [*balance.worse, *balance.waived, *balance.better]
    if not (moved or balance.open) and balance.unsure:
        names = dict.fromkeys(shift.new.tunable.title for shift in balance.unsure)
        options = [option for option, _ in phrases.missing(s.new for s in balance.unsure)]
        without = f" without {', '.join(options)}" * bool(options)
        return f"{balance.status}: {', '.join(names)} cannot be judged{without}"
    due = "to do: " if moved else ""
    told = [*map(title, moved), *(f"{due}{title(one)}" for one in balance.open)]
    titles = list(dict.fromkeys(told or map(title, (*balance.still, *balance.fine))))
    if not titles:
        return calm
    more = f"; and {len(titles) - FEW} more" if len(titles) > FEW else ""
    return f"{balance.status}: {'; '.join(titles[:FEW])}{more}"


def verdict(comparison: Comparison) -> str:
    """Return the sum: `server-throughput: worse 1 (must 1), better 2; diagnostics: 1 error`."""
    settled = calm(comparison)
    parts = [
        f"{profile.id}: {_sums(balance(comparison.by_profile[profile.id]), settled)}"
        for profile in comparison.profiles
        if comparison.chosen
    ]
    if not comparison.chosen:
        parts.append(f"settings moved: {len(comparison.movements)}")
    failing = {(line.rule, line.symbol) for line in comparison.unkept}
    open_ = [d for d in comparison.appeared if not d.waived and (d.id, d.subject) not in failing]
    severities = Counter(d.severity.value for d in open_)
    worse = [loss for loss in comparison.losses if loss.area == SECURITY]
    further = {
        "worse": f"{SECURITY} features {len(worse)}" * bool(worse),
        "lost": _counts(lost_by_area(comparison)),
        "gone from the kernel": _counts(lost_by_area(comparison, gone=True)),
        "no longer named": len(unnamed(comparison)),
        "security settings moved": len(security(comparison)),
        "lines without effect": len(failing),
        "new diagnostics": ", ".join(counted(count, name) for name, count in severities.items()),
    }
    return "; ".join([*parts, *(f"{name}: {sum_}" for name, sum_ in further.items() if sum_)])


def calm(comparison: Comparison) -> str:
    """Return what is said for a profile of which nothing moved.

    It is not "unchanged" if a setting moved, a feature was lost, or a line or word has an error.
    """
    errors = any(item.severity is Severity.ERROR for item in comparison.appeared)
    other = comparison.losses or comparison.movements or unnamed(comparison) or comparison.unkept
    return "its settings are the same" if other or errors else CALM


def unnamed(comparison: Comparison) -> list[SymbolMove]:
    """Return what a fragment or defconfig asked for, and does not any more."""
    return [move for move in comparison.symbols if move.kind is SymbolKind.UNNAMED]


def lost_by_area(comparison: Comparison, *, gone: bool = False) -> list[tuple[str, list[str]]]:
    """Return lost symbols by area, those of security first and those of no area last.

    Symbols that are `gone` from the kernel are apart: they may be part of something else now.
    """
    areas: dict[str, list[str]] = {}
    for loss in sorted(comparison.losses, key=lambda loss: (loss.area != SECURITY, not loss.area)):
        if loss.gone is gone:
            areas.setdefault(loss.area or "other features", []).append(loss.symbol)
    return list(areas.items())


def _counts(areas: Iterable[tuple[str, list[str]]]) -> str:
    """Return numbers by area, but for security: `drivers 3, file systems 1`."""
    return ", ".join(f"{area} {len(names)}" for area, names in areas if area != SECURITY)


def security(comparison: Comparison) -> list[Movement]:
    """Return the settings of security that moved, but for groups that only gained members."""
    moved = (m for m in comparison.movements if m.old and m.tunable.area == "security")
    return [m for m in moved if not m.changed or not all(on for _, on in m.changed)]


def headlines(comparison: Comparison) -> list[tuple[str, str]]:
    """Return what no verdict of a profile may hide, as label and text.

    A loss of security is "worse", whatever the kernel has instead of it.
    """
    worse, rest = [], []
    for gone, kind in ((False, "lost"), (True, "gone from the kernel")):
        areas = dict(lost_by_area(comparison, gone=gone))
        if names := areas.pop(SECURITY, []):
            worse.append(f"{SECURITY} features {kind}: {phrases.first(names, FEW)}")
        rest.append("; ".join(f"{a}: {phrases.first(names, FEW)}" for a, names in areas.items()))
    moves = []
    for movement in security(comparison):
        text = moved(movement)
        if movement.changed:
            counts = Counter("on" if on else "off" for _, on in movement.changed)
            text = ", ".join(f"{count} {state} now" for state, count in sorted(counts.items()))
        moves.append(f"{movement.tunable.title}: {text}")
    texts = ("; ".join(worse), *rest, "; ".join(moves))
    return list(zip(("worse", "lost", "gone", "security"), texts, strict=True))


def _sums(balance: Balance, calm: str) -> str:
    """Return how many shifts are of each kind: `worse 1 (must 1), better 2`."""
    parts = []
    for name, shifts in (
        ("worse", balance.worse), ("waived", balance.waived), ("to do", balance.open),
        ("better", balance.better), ("cannot be judged", balance.unsure),
        ("no better", balance.still), ("as good", balance.fine),
    ):  # fmt: skip
        counts = Counter(shift.new.advice.strength for shift in shifts)
        strengths = [f"{s.value} {counts[s]}" for s in Strength if counts[s]]
        due = f" ({', '.join(strengths)})" * (name in ("worse", "waived", "to do"))
        parts += [f"{name} {len(shifts)}{due}"] * bool(shifts)
    return ", ".join(parts) or calm


def lost(moves: Iterable[SymbolMove], most: int, first: frozenset[str] = frozenset()) -> list[str]:
    """Return lost features in groups: of what lacks the same, or else of a menu.

    Groups with a symbol of `first` come first, then what got an option of its own, then those that
    others follow from. Of each group `most` symbols are named: `SND_A, SND_B and 3 more: need ISA
    (sound/Kconfig:3)`.
    """
    moves = list(moves)
    gone = {move.symbol for move in moves}
    groups: dict[str, list[SymbolMove]] = {}
    for move in moves:
        groups.setdefault(move.needs or move.why or move.menu or NO_MENU, []).append(move)

    def order(item: tuple[str, list[SymbolMove]]) -> tuple[bool, bool, bool, int, str]:
        later = not any(move.symbol in first for move in item[1])
        plain = not item[1][0].split
        follows = any(word in gone for word in _WORD.findall(item[1][0].needs))
        return later, plain, follows, -len(item[1]), item[0]

    texts = []
    for key, inside in sorted(groups.items(), key=order):
        names = and_more([move.symbol for move in inside], most)
        if inside[0].needs:
            texts.append(f"{names}: need{'s' * (len(inside) == 1)} {key} ({inside[0].where})")
        else:
            texts.append(f"{names}: {key}" if inside[0].why else f"{key}: {names}")
    return texts


_BUSES = {"pci": "PCI", "usb": "USB", "acpi": "ACPI", "of": "device tree"}


def drivers(comparison: Comparison, most: int) -> Iterator[tuple[str, ...]]:
    """Yield a line for each lost module with devices, for the others, and for unread drivers.

    Modules with most devices come first, with `most` devices of each bus. The names in a line
    follow it in its tuple.
    """
    symbols: dict[LostDriver, list[str]] = {}
    for one in comparison.drivers:
        symbols.setdefault(one._replace(symbol=""), []).append(one.symbol)
    told = [one for one in symbols if one.devices or one.unread]
    for one in sorted(told, key=lambda one: -sum(len(each.ids) for each in one.devices)):
        parts = [
            f"{counted(len(each.ids), f'{_BUSES[each.bus]} device')}: "
            f"{phrases.first(list(each.ids), most)}"
            for each in one.devices
        ]
        if one.unread:
            parts.append(f"not read: {counted(one.unread, 'line')}")
        names = (one.module, *symbols[one])
        yield f"{one.module} ({', '.join(symbols[one])}): {'; '.join(parts)}", *names
    if others := dict.fromkeys(one.module for one in symbols if one not in told):
        yield f"without a device table: {phrases.first(list(others), most * 4)}", *others
    if comparison.devices_untold:
        yield (comparison.devices_untold,)


def renamed(one: Renamed) -> str:
    """Return a rename with what else changed: `MTD_NAND is MTD_RAW_NAND now (=m)`."""
    how = "a part of " if one.part else ""
    return f"{one.old} is {how}{one.new} now (={one.value}){': ' * bool(one.note)}{one.note}"


def folded(moves: Iterable[SymbolMove]) -> list[tuple[str, str, list[SymbolMove]]]:
    """Return symbols by two levels of menus, the fullest first: (menu, counts, symbols)."""
    by_menu: dict[str, list[SymbolMove]] = {}
    for move in moves:
        menu = " > ".join(move.menu.split(" > ")[:2]) or NO_MENU
        by_menu.setdefault(menu, []).append(move)
    rows = []
    for menu, inside in sorted(by_menu.items(), key=lambda item: (-len(item[1]), item[0])):
        counts = Counter(move.kind for move in inside)
        sums = ", ".join(f"{counts[kind]} {kind.value}" for kind in SymbolKind if counts[kind])
        rows.append((menu, sums, inside))
    return rows


def cost(shift: Shift) -> str:
    """Return the cost of what is wanted, or of the setting that is there if that is better."""
    finding = shift.new
    if finding.cost or shift.drift is not Drift.BETTER:
        return finding.cost
    now = finding.state.effective
    value = finding.tunable.value(now[0]) if now else None
    return finding.advice.cost or (value.cost if value else "") or finding.tunable.cost
