"""Symbols of a fragment that this kernel does not have, no more, or not yet."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.bootline import numbers as release
from advisor.engine.diagnose import diagnostic
from advisor.engine.state import World
from advisor.errors import shortened
from advisor.knowledge.existence import NameStatus, Standing, standing
from advisor.model.kernel import Location, Severity
from advisor.model.report import Diagnostic
from advisor.record import NamedTuple

MOST = 10
"""How many symbols are told one by one for each diagnostic, the others as a number."""
MOST_TYPOS = 500
"""How many unknown names are compared with all known ones."""


# --- of a fragment --------------------------------------------------------------------------------


class _Line(NamedTuple):
    """A line of a fragment that the kernel cannot know, and what to do about it."""

    symbol: str
    answer: NameStatus
    severity: Severity
    remedy: str


def misplaced(world: World) -> Iterator[Diagnostic]:
    """The lines of a fragment that its kernel cannot know.

    Nothing is said of a complete configuration: a kernel's own tree wrote it, and distributions
    add symbols by the thousand.
    """
    by_kind: dict[Standing, list[_Line]] = {kind: [] for kind in Standing}
    for line in _lines(world):
        by_kind[line.answer.standing].append(line)
    for kind, lines in by_kind.items():
        lines.sort(key=lambda line: line.severity is Severity.NOTE)
        for line in lines[:MOST]:
            yield diagnostic(
                kind.value, world.subject.config.entry(line.symbol).location,
                line.answer.text + line.answer.doubt, line.remedy, "", line.symbol, line.severity,
            )  # fmt: skip
        if len(lines) > MOST:
            others = lines[MOST:]
            few = [shortened(line.symbol) for line in others[:3]] + ["..."] * (len(others) > 3)
            text = f"and {len(others)} more such lines: {', '.join(few)}"
            place, severity = Location(world.subject.name), others[0].severity
            yield diagnostic(kind.value, place, text, subject="others", severity=severity)


def _lines(world: World) -> Iterator[_Line]:
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
            yield _Line(symbol, answer, Severity.WARNING if remedy else Severity.NOTE, remedy)
        elif answer.standing in _SEVERITIES:
            names = [name for name in world.knowledge.names_now(symbol) if has(name, world)]
            remedy = f"write {names[0]}, its name there" if names else ""
            # A line that only makes sure that something is off is as good without the thing.
            if remedy or subject.config.get(symbol) != "n":
                severity = Severity.NOTE if answer.doubt else _SEVERITIES[answer.standing]
                yield _Line(symbol, answer, severity, remedy)


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
