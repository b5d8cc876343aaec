"""The lines of rules/successors.toml, held against the catalogue of kernels that were read."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.knowledge.catalogue import Catalogue, Seen
from advisor.knowledge.documents import Documents
from advisor.knowledge.store import Knowledge
from advisor.knowledge.successors import parse, parse_split
from advisor.lint.symbols import named_symbols
from advisor.model.successor import Split, Successor


def wrong_successors(knowledge: Knowledge, documents: Documents) -> Iterator[tuple[str, str, str]]:
    """Yields the rule, the name and what is wrong; nothing without a catalogue."""
    catalogue = knowledge.catalogue
    numbers = {kernel.version.text: n for n, kernel in enumerate(catalogue.kernels)}
    named = named_symbols(knowledge, documents)
    # What is known of a symbol's dependencies need not hold of its old name, and programs ask for
    # what kernels of their own time have.
    apart = ("fact/", "software/")
    read = {symbol: rule for symbol, rule in named.items() if not rule.startswith(apart)}
    for name, document in documents.successors.items() if numbers else ():
        one = parse(document["line"])
        if knowledge.rename(name):
            yield f"successor/{name}", name, f"{name} is in lifecycle.toml as well"
        elif any(name in (new, *knowledge.became(new)) for new in one.new):
            yield f"successor/{name}", name, f"the new names of {name} lead back to {name}"
        elif not one.part and one.new[0] in read and one.old not in read:
            rule = read[one.new[0]]
            says = f"{rule} reads {one.new[0]}, but not its old name {name}: use lifecycle.toml"
            yield f"successor/{name}", name, says
        elif says := _against(one, catalogue, numbers):
            yield f"successor/{name}", name, says


def wrong_splits(knowledge: Knowledge, documents: Documents) -> Iterator[tuple[str, str, str]]:
    """Yields the rule, the new name and what is wrong; nothing without a catalogue."""
    catalogue = knowledge.catalogue
    numbers = {kernel.version.text: n for n, kernel in enumerate(catalogue.kernels)}
    for name, document in documents.splits.items() if numbers else ():
        one = parse_split(document["line"])
        if says := _against_split(one, catalogue, numbers):
            yield f"split/{name}", one.new, says


def _against_split(one: Split, catalogue: Catalogue, numbers: dict[str, int]) -> str:
    """Finds what in the catalogue contradicts a line about a split; empty if nothing does."""
    if unread := _unread(one, numbers):
        return unread
    last, first, new = numbers[one.last], numbers[one.first], catalogue.seen(one.new)
    if last + 1 != first:
        return f"{one.first} is not the next kernel read after {one.last}"
    if new is None or new.spans()[0][0] != first:
        return f"according to the catalogue of symbols, {one.new} is not new in {one.first}"
    missing = [name for name in one.old if not _has(catalogue, name, last)]
    if not missing:
        return ""
    return f"according to the catalogue of symbols, {missing[0]} is not in {one.last}"


def _against(one: Successor, catalogue: Catalogue, numbers: dict[str, int]) -> str:
    """Finds what in the catalogue contradicts a line; empty if nothing does."""
    if unread := _unread(one, numbers):
        return unread
    last, first, old = numbers[one.last], numbers[one.first], catalogue.seen(one.old)
    if last >= first:
        return f"{one.last} is not before {one.first}"
    if "patch" in one.kinds:
        if old is not None:
            return f"{one.old} is not only in a patch: kernels that were read have the symbol too"
    elif old is None or _last(old, one, catalogue) != last:
        end = "never" if old is None else catalogue.kernels[_last(old, one, catalogue)].version.text
        return f"{one.old} was last seen in {one.last}; in the catalogue of symbols: {end}"
    for name in one.new:
        seen = catalogue.seen(name)
        if seen is None or not seen.kernels() >> first & 1:
            return f"according to the catalogue of symbols, {name} is not in {one.first}"
    between = range(last + 1, first)
    if any(all(_has(catalogue, name, n) for name in one.new) for n in between):
        names = ", ".join(one.new)
        return f"according to the catalogue of symbols, {names} exists before {one.first}"
    return ""


def _last(old: Seen, one: Successor, catalogue: Catalogue) -> int:
    """Returns the last kernel that has the old name on an architecture that has a new one: another
    may keep it (HARDEN_BRANCH_PREDICTOR on arm)."""
    new = [fact for name in one.new if (seen := catalogue.seen(name)) for fact in seen.facts]
    # Of a list of those that are left out, and of none, every architecture counts.
    named = bool(new) and all(fact.arches[:1] not in ("", "!") for fact in new)
    arches = {arch for fact in new for arch in fact.arches.split(",")} if named else (None,)
    return max((old.kernels(arch).bit_length() - 1 for arch in arches), default=-1)


def _unread(one: Successor | Split, numbers: dict[str, int]) -> str:
    unread = [version for version in (one.last, one.first) if version not in numbers]
    return f"the kernel {unread[0]} was not read" if unread else ""


def _has(catalogue: Catalogue, name: str, number: int) -> bool:
    seen = catalogue.seen(name)
    return seen is not None and bool(seen.kernels() >> number & 1)
