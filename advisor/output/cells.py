"""What came of one file in a cell of a table: the weightiest changes by name, and how many more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from advisor.model.comparison import Comparison, Drift, Movement, SymbolKind
from advisor.model.finding import Diagnostic
from advisor.model.kernel import Severity
from advisor.model.profile import REQUIREMENT
from advisor.model.report import Report
from advisor.model.state import State
from advisor.model.tunable import Tunable
from advisor.output import diffwords, phrases
from advisor.record import NamedTuple

WIDTH = 64
"""The most characters of a cell that names more than one thing."""
MOST = 3
_LABELS = {"worse": "worse", "mixed": "mixed", "open": "to do", "better": "better"}
_WORSE, _ERROR, _SECURITY, _LOST, _MOVED, _REST = range(6)
# What a value's text says after its name: `menu: by the next timer`, `left out (see below)`.
_MEANING = re.compile(r": |;? \(|, |; ")


class Item(NamedTuple):
    """One thing of a cell: what it is to the reader (empty: a change without a judgement), its name
    and its state."""

    label: str
    name: str
    state: str = ""


def of_comparison(comparison: Comparison) -> str:
    """Return what changed: `worse: RANDOMIZE_BASE, HARDENED_USERCOPY off; E1000E gone`."""
    items: dict[tuple[str, str], Item] = {}
    for _, item in sorted(_changes(comparison), key=lambda change: change[0]):
        items.setdefault((item.name, item.state), item)
    shifts = [shift for each in comparison.by_profile.values() for shift in each]
    waived = sum(one.excused for one in shifts)
    waived += sum(bool(one.waived) for one in comparison.appeared)
    return fitted(list(items.values()), waived)


def of_report(report: Report) -> str:
    """Return what should change: `must change: Lock statistics (compiled in); and 2 more`."""
    told = phrases.diagnostics(report)
    items = [
        *_problems(item for item in told if item.severity is Severity.ERROR),
        *(Item("conflict", conflict.title) for conflict in report.conflicts),
        *(
            _set(f"{one.advice.strength.value} change", one.tunable, one.state)
            for one in phrases.to_see(report)
        ),
        *_problems(item for item in told if item.severity is not Severity.ERROR),
    ]
    return fitted(list(dict.fromkeys(items)), len(phrases.waived(report, baseline=False)))


def fitted(items: Sequence[Item], waived: int = 0) -> str:
    """Return the first items that a cell has room for, one at least, and how many more there are.

    No name is cut. What is waived is counted: nobody else would look for it.
    """
    excused = [f"{waived} waived"] * bool(waived)
    text = "; ".join(excused)
    for number in range(1, min(len(items), MOST) + 1):
        more = [f"and {len(items) - number} more"] * (len(items) > number)
        longer = "; ".join([_listed(items[:number]), *more, *excused])
        if number > 1 and len(longer) > WIDTH:
            break
        text = longer
    return text


def _listed(items: Sequence[Item]) -> str:
    """Return the names, each label once, and a state once behind names that share it."""
    text = ""
    for at, item in enumerate(items):
        last = items[at - 1] if at else Item("", "")
        following = items[at + 1] if at + 1 < len(items) else Item("", "")
        if text:
            text += ", " if item.label == last.label else "; "
        if item.label and item.label != last.label:
            text += f"{item.label}: "
        shared = item[::2] == following[::2] and not item.state.endswith(")")
        text += item.name + ("" if shared else item.state)
    return text


def _problems(items: Iterable[Diagnostic]) -> Iterator[Item]:
    for item in items:
        name = f"{item.subject} ({item.id})" if item.subject else item.id
        yield Item(item.severity.value, name)


def _changes(comparison: Comparison) -> Iterator[tuple[int, Item]]:
    """Yield all that changed, each with its rank."""
    words = [*comparison.words, *comparison.run_time]
    movements = [m for m in diffwords.ordered(comparison.movements) if not words or _known(m.new)]
    for movement in movements:
        drift = diffwords.drift(movement.shifts) if comparison.chosen else ""
        secure = movement.tunable.area == diffwords.SECURITY
        rank = _WORSE if drift == "worse" else _SECURITY if secure else _MOVED
        for item in _moved(movement, _LABELS.get(drift, "")):
            yield rank, item
    for shift in diffwords.alone(comparison):
        rank = _WORSE if shift.drift is Drift.WORSE else _MOVED
        yield rank, _set(_LABELS[shift.drift.value], shift.new.tunable, shift.new.state)
    for loss in comparison.losses:
        secure = loss.area == diffwords.SECURITY
        item = Item("worse" if secure else "", loss.symbol, " gone" if loss.gone else " off")
        yield (_SECURITY if secure else _LOST), item
    for told in comparison.appeared:
        rank = _ERROR if told.severity is Severity.ERROR else _REST
        yield from ((rank, item) for item in _problems([] if told.waived else [told]))
    for move in diffwords.unnamed(comparison):
        yield _LOST, Item("", move.symbol, " not named")
    if len(movements) < len(comparison.movements) or not movements:  # what words come to is open
        yield from ((_SECURITY, Item("", f"{'+' if came else '-'}{text}")) for text, came in words)
    if not comparison.movements:
        yield from ((_REST, Item("", name)) for name in _others(comparison))


def _moved(movement: Movement, label: str) -> Iterator[Item]:
    """Yield a setting with its new value; of a group, each member that moved."""
    for symbol, on in movement.changed:
        yield Item(label, symbol, " on" if on else " off")
    if not movement.changed:
        yield _set(label, movement.tunable, movement.new)


def _known(state: State | None) -> bool:
    """Return whether a setting has one value; a kernel without the setting counts as one."""
    return state is None or bool(state.counts) or len(state.effective) == 1


def _set(label: str, tunable: Tunable, state: State | None) -> Item:
    """Return a setting with its value, without what title and value explain."""
    if tunable.kind == REQUIREMENT:
        return Item(label, tunable.title)
    title = tunable.title.partition(" (")[0]
    if state is None:
        return Item(label, title, " gone")
    value = _MEANING.split(state.describe(tunable), maxsplit=1)[0] if _known(state) else ""
    if len(f"{title} ({value})") > WIDTH:
        value = " or ".join(state.effective)
    return Item(label, title, f" {value}" if value in ("on", "off") else f" ({value or 'unknown'})")


def _others(comparison: Comparison) -> Iterator[str]:
    """Yield symbols of which no rule says what they mean."""
    for one in comparison.chosen_otherwise:
        yield f"{one.new} instead of {one.old}"
    for move in comparison.symbols:
        if move.kind in (SymbolKind.NEW, SymbolKind.FORCED, SymbolKind.VALUE):
            yield f"{move.symbol}={move.new}"
