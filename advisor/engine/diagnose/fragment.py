"""Symbols of a fragment that its kernel does not have: gone, not there yet, or never there."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.effective.world import World
from advisor.engine.names import symbol_status
from advisor.engine.names.symbol_status import MOST_TYPOS, REMOVE, STALE, past_rename
from advisor.errors import few, shortened
from advisor.knowledge.existence import Standing
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.kernel import EntryState, Location, Severity
from advisor.model.rules import address

MOST = 10
"""How many symbols of each diagnostic are listed one by one, the others as a number."""
FEW = 3
"""The same for notes: nothing is lost by these lines."""
WIDE = 100
"""A fragment with so many lines that no other name replaces is a list for many kernels, as
distributions keep one: such lines are no slips, and are given as a number."""

Replaced = tuple[Diagnostic, bool]
"""The diagnostic of a line, and whether to write another name that no line has yet."""
# The lines of each kind, for one line and for several.
_KINDS = {
    STALE: (
        "has a name that this kernel no longer has", "have names that this kernel no longer has",
    ),
    Standing.UNKNOWN.value: (
        "names a symbol that no known kernel has",
        "name symbols that no known kernel has",
    ),
    Standing.REMOVED.value: (
        "names a symbol that this kernel no longer has",
        "name symbols that this kernel no longer has",
    ),
    Standing.TOO_NEW.value: (
        "names a symbol that only later kernels have", "name symbols that only later kernels have",
    ),
    Standing.OTHER_ARCH.value: (
        "names a symbol of another architecture", "name symbols of other architectures",
    ),
}  # fmt: skip
_SEVERITIES = {
    Standing.REMOVED: Severity.WARNING, Standing.TOO_NEW: Severity.WARNING,
    Standing.OTHER_ARCH: Severity.NOTE,
}  # fmt: skip


def misplaced(world: World) -> Iterator[Diagnostic]:
    """Report the lines of a fragment that its kernel cannot know.

    A complete configuration is not checked: a kernel's own tree wrote it, and distributions add
    symbols by the thousand.
    """
    found = sorted(
        [*_stale(world), *_absent(world)], key=lambda line: line[0].severity is Severity.NOTE
    )
    wide = sum(not is_replaced for _, is_replaced in found) >= WIDE
    for kind in (STALE, *(one.value for one in Standing)):
        lines = [line for line in found if line[0].id == kind]
        listed = [item for item, is_replaced in lines if is_replaced or not wide]
        if kind != STALE:
            notes = [item for item in listed if item.severity is Severity.NOTE]
            listed = [item for item in listed if item.severity is not Severity.NOTE][:MOST]
            listed += notes[:FEW]
        yield from listed
        if others := [item for item, _ in lines if item not in listed]:
            yield _counted(kind, others, world, more=bool(listed) and not wide)


def _counted(kind: str, others: list[Diagnostic], world: World, *, more: bool) -> Diagnostic:
    """Return one diagnostic for all lines that are not listed one by one."""
    count, severity = len(others), others[0].severity
    names = few([shortened(item.subject) for item in others])
    if more:
        text = f"and {count} more such line{'s' * (count > 1)}: {names}"
    else:
        one, many = _KINDS[kind]
        what = f"1 line {one}" if count == 1 else f"{count} lines {many}"
        text = f"{what}: {names} (kernel-advisor explain describes each)"
        if kind == Standing.TOO_NEW.value:
            severity = Severity.NOTE
            text += "; long fragments have such lines for a vendor's backports or newer kernels"
    place = Location(world.subject.name)
    return diagnostic(kind, place, text, subject="others", severity=severity)


def _stale(world: World) -> Iterator[Replaced]:
    """Report the lines whose symbol the rules know to be renamed or removed by then."""
    for old in world.knowledge.ids("renames"):
        entry = world.config.entry(old)
        if entry.state is not EntryState.ABSENT and (rename := past_rename(old, world)):
            is_replaced = bool(rename.new) and not world.config.shows(rename.new)
            item = diagnostic(
                STALE, world.subject.config.entry(old).location, symbol_status.renamed(rename),
                f"write {rename.new}" if is_replaced else REMOVE, address(rename.sources), old,
                Severity.WARNING,
            )  # fmt: skip
            yield item, is_replaced


def _absent(world: World) -> Iterator[Replaced]:
    """Report the lines whose symbol is not in the kernels read around this one."""
    config, typos = world.subject.config, MOST_TYPOS
    for symbol in world.config.symbols() if world.knowledge.catalogue.kernels else ():
        answer = symbol_status.status(symbol, world)
        if past_rename(symbol, world):
            continue
        if answer.standing is Standing.UNKNOWN:
            typos -= 1
            remedy = symbol_status.remedy_of_unknown(symbol, world, typos >= 0)
            severity, is_replaced = Severity.WARNING if remedy else Severity.NOTE, bool(remedy)
        elif answer.standing in _SEVERITIES:
            names = symbol_status.names_here(symbol, world)
            remedy = f"write {names[0]}, its name in this kernel" if names else ""
            # A line that only makes sure that something is off is as good without the thing.
            if not remedy and config.get(symbol) == "n":
                continue
            severity = Severity.NOTE if answer.doubt else _SEVERITIES[answer.standing]
            is_replaced = bool(names) and not any(map(world.config.shows, names))
            if names and not is_replaced:
                remedy = f"remove the line: another line sets {names[0]}, the new name"
        else:
            continue
        item = diagnostic(
            answer.standing.value, config.entry(symbol).location, answer.text + answer.doubt,
            remedy, subject=symbol, severity=severity,
        )  # fmt: skip
        yield item, is_replaced
