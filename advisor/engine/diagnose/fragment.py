"""Symbols of a fragment that this kernel does not have, no more, or not yet."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.bootline import numbers as release
from advisor.engine.state import World
from advisor.errors import shortened
from advisor.knowledge.existence import Standing, standing
from advisor.model.kernel import EntryState, Location, Severity
from advisor.model.report import Diagnostic, diagnostic
from advisor.model.rules import address
from advisor.record import NamedTuple

MOST = 10
"""How many symbols are told one by one for each diagnostic, the others as a number."""
FEW = 3
"""Likewise of those that are but noted: nothing is lost by them."""
WIDE = 100
"""From how many lines without another name on a fragment is a list for many kernels, as
distributions keep one: such lines are no slips, and are told as a number."""
MOST_TYPOS = 500
"""How many unknown names are compared with all known ones."""
STALE = "symbol-stale"


# --- of a fragment --------------------------------------------------------------------------------


class _Line(NamedTuple):
    """A line of a fragment that the kernel cannot know, and what to do about it; `instead` if that
    is to write another name, which no line of the fragment has yet."""

    symbol: str
    kind: str
    text: str
    severity: Severity
    remedy: str
    instead: bool
    source: str = ""


def misplaced(world: World) -> Iterator[Diagnostic]:
    """The lines of a fragment that its kernel cannot know.

    Nothing is said of a complete configuration: a kernel's own tree wrote it, and distributions
    add symbols by the thousand.
    """
    lines = [*_stale(world), *_lines(world)]
    wide = sum(not line.instead for line in lines) >= WIDE
    by_kind: dict[str, list[_Line]] = {STALE: [], **{kind.value: [] for kind in Standing}}
    for line in lines:
        by_kind[line.kind].append(line)
    for kind, found in by_kind.items():
        if kind != STALE:
            found.sort(key=lambda line: line.severity is Severity.NOTE)
        told = [line for line in found if line.instead or not wide]
        if kind != STALE:
            noted = [line for line in told if line.severity is Severity.NOTE]
            rest = [line for line in told if line.severity is not Severity.NOTE]
            told = rest[:MOST] + noted[:FEW]
        for line in told:
            yield diagnostic(
                kind, world.subject.config.entry(line.symbol).location, line.text, line.remedy,
                line.source, line.symbol, line.severity,
            )  # fmt: skip
        if others := [line for line in found if line not in told]:
            yield _counted(kind, others, world, more=bool(told) and not wide)


def _counted(kind: str, others: list[_Line], world: World, *, more: bool) -> Diagnostic:
    few = [shortened(line.symbol) for line in others[:3]] + ["..."] * (len(others) > 3)
    count, names, severity = len(others), ", ".join(few), others[0].severity
    if more:
        text = f"and {count} more such line{'s' * (count > 1)}: {names}"
    else:
        one, many = _KINDS[kind]
        what = f"1 line is {one}" if count == 1 else f"{count} lines are {many}"
        text = f"{what}: {names} (explain tells of each)"
        if kind == Standing.TOO_NEW.value:
            severity = Severity.NOTE
            text += "; in such a list that is a vendor's backport, or a line for newer kernels"
    place = Location(world.subject.name)
    return diagnostic(kind, place, text, subject="others", severity=severity)


# Of one line, and of several.
_KINDS = {
    STALE: ("of a name that is gone by then", "of names that are gone by then"),
    Standing.UNKNOWN.value: ("in no kernel that was read",) * 2,
    Standing.REMOVED.value: (
        "of a symbol that was removed by then", "of symbols that were removed by then",
    ),
    Standing.TOO_NEW.value: ("of a symbol that came later", "of symbols that came later"),
    Standing.OTHER_ARCH.value: (
        "of a symbol of another architecture", "of symbols of other architectures",
    ),
}  # fmt: skip


def _stale(world: World) -> Iterator[_Line]:
    """The lines that a rename or removal left behind, as the rules tell it."""
    for old in world.knowledge.ids("renames"):
        if world.config.entry(old).state is not EntryState.ABSENT and is_stale(old, world):
            rename = world.knowledge.rename(old)
            assert rename
            text = f"{old} is {rename.new or 'gone'} since {rename.since}: {rename.note}"
            source = address(rename.sources)
            instead = bool(rename.new) and not world.config.shows(rename.new)
            do = f"write {rename.new}" if instead else "remove the line"
            yield _Line(old, STALE, text, Severity.WARNING, do, instead, source)


def _lines(world: World) -> Iterator[_Line]:
    """The others, by the catalogue."""
    subject, catalogue = world.subject, world.knowledge.catalogue
    if not catalogue.kernels:
        return
    typos = MOST_TYPOS
    for symbol in world.config.symbols():
        answer = standing(symbol, catalogue, subject.kernel, subject.machine.arch)
        if is_stale(symbol, world):
            continue
        if answer.standing is Standing.UNKNOWN:
            typos -= 1
            remedy = meant(symbol, world, typos >= 0)
            severity, instead = Severity.WARNING if remedy else Severity.NOTE, bool(remedy)
        elif answer.standing in _SEVERITIES:
            names = [name for name in world.knowledge.names_now(symbol) if has(name, world)]
            remedy = f"write {names[0]}, its name there" if names else ""
            # A line that only makes sure that something is off is as good without the thing.
            if not remedy and subject.config.get(symbol) == "n":
                continue
            severity = Severity.NOTE if answer.doubt else _SEVERITIES[answer.standing]
            instead = bool(names) and not any(map(world.config.shows, names))
            if names and not instead:
                remedy = "remove the line: its name there has one"
        else:
            continue
        text = answer.text + answer.doubt
        yield _Line(symbol, answer.standing.value, text, severity, remedy, instead)


_SEVERITIES = {
    Standing.REMOVED: Severity.WARNING, Standing.TOO_NEW: Severity.WARNING,
    Standing.OTHER_ARCH: Severity.NOTE,
}  # fmt: skip


def meant(symbol: str, world: World, may_be_typo: bool) -> str:
    """What to do about a symbol of no kernel: what the rules know of it, or the name meant.

    Empty where neither is known.
    """
    known, rename = world.knowledge.name(symbol), world.knowledge.rename(symbol)
    if rename and rename.new and world.subject.kernel is None:
        return f"write {rename.new}, its name since {rename.since}"
    if rename and known:  # of an older kernel, as what is no more is told otherwise
        return "keep it only where the kernel has the patch that brings it"
    if known:
        return known.today
    near = world.knowledge.catalogue.typo(symbol) if may_be_typo else []
    # Rather one that this kernel has, if there is any.
    near = [name for name in near if has(name, world)] or near
    return f"did you mean {' or '.join(near)}?" if near else ""


def has(symbol: str, world: World) -> bool:
    """Whether this kernel surely has the symbol, with a prompt."""
    machine = world.subject.machine
    answer = standing(symbol, world.knowledge.catalogue, world.subject.kernel, machine.arch)
    return answer.standing is Standing.HERE


def is_stale(symbol: str, world: World) -> bool:
    """Whether the rules' own list of renames and removals tells it (symbol-stale)."""
    rename, kernel = world.knowledge.rename(symbol), world.subject.kernel
    return bool(rename and kernel and kernel.numbers >= release(rename.since))
