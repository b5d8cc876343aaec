"""What the catalogues have of one name, as `explain` shows it: what it is, where, and when."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from advisor.knowledge.catalogue import Catalogue, Names, Seen, SymbolTraits, numbers
from advisor.knowledge.parametercatalogue import ParameterCatalogue, kinds
from advisor.knowledge.sysctlcatalogue import SysctlCatalogue, taken
from advisor.model.explanation import Architectures, CatalogueEntry, Choice, Presence, Prompt, Span


def symbol_entry(name: str, catalogue: Catalogue) -> CatalogueEntry | None:
    """All that was read of a symbol; None if no kernel read has it."""
    seen = catalogue.seen(name)
    if seen is None:
        return None
    latest = seen.spans()[-1][1]
    traits = seen.traits(latest)
    prompt = Prompt.YES if any(trait.prompt for trait in traits) else Prompt.NONE
    prompt = Prompt.OLD_NAME if any(trait.old for trait in traits) else prompt
    prompted = _before(seen, catalogue, lambda trait: "prompt" if trait.prompt else "")
    return _entry(seen, catalogue)._replace(
        types=tuple(sorted({trait.type for trait in traits})),
        types_before=tuple(_before(seen, catalogue, lambda trait: trait.type).items()),
        prompt=prompt,
        prompt_before=prompted.get("prompt", ()),
        choice=_choice(seen, latest, catalogue),
    )


def parameter_entry(name: str, catalogue: ParameterCatalogue) -> CatalogueEntry | None:
    """All that was read of a boot parameter; None if no kernel read has it."""
    seen = catalogue.seen(name)
    if seen is None:
        return None
    readers = kinds(seen.facts, seen.spans()[-1][1])
    return _entry(seen, catalogue)._replace(read_by=tuple(readers))


def sysctl_entry(name: str, catalogue: SysctlCatalogue) -> CatalogueEntry | None:
    """All that was read of a sysctl, written with dots or as its file; None if no kernel has it."""
    path = name.removeprefix("/proc/sys/")
    seen = catalogue.seen(path.replace("/", ".") if "." not in path or path != name else path)
    if seen is None:
        return None
    latest = seen.spans()[-1][1]
    takes = {taken(fact.traits) for fact in seen.facts if fact.kernels >> latest & 1}
    return _entry(seen, catalogue)._replace(kind="sysctl", takes=" or ".join(sorted(takes)))


def _entry(seen: Seen, catalogue: Names) -> CatalogueEntry:
    names = [kernel.version.text for kernel in catalogue.kernels]
    kernels, arches = _kernels(seen, names), _arches(seen, catalogue, names)
    return CatalogueEntry(seen.name, len(names), (names[0], names[-1]), kernels, arches)


def _kernels(seen: Seen, names: list[str]) -> tuple[Presence, ...]:
    """Lists the rows of kernels that have it; a name that is in the last kernel read is not
    gone."""
    spans = seen.spans()
    rows = []
    for first, last in spans:
        before, after = names[max(first - 1, 0) : first], names[last + 1 : last + 2]
        if last == spans[-1][1]:
            presence = Presence((names[first], names[last]), tuple(before), "".join(after))
        else:
            presence = Presence((names[first], names[last]), (*before, *after))
        rows.append(presence)
    return tuple(rows)


def _arches(seen: Seen, catalogue: Names, names: list[str]) -> Architectures:
    always: list[str] = []
    at_times: dict[tuple[Span, ...], list[str]] = {}
    known = sorted(catalogue.kernels[seen.spans()[-1][1]].arches)
    for arch in known:
        bits = seen.kernels(arch)
        if bits == seen.kernels() & catalogue.read_for(arch):
            always.append(arch)
        elif bits:
            spans = tuple((names[first], names[last]) for first, last in seen.spans(arch))
            at_times.setdefault(spans, []).append(arch)
    missing = tuple(arch for arch in known if arch not in always)
    rows = tuple((tuple(arches), spans) for spans, arches in at_times.items())
    return Architectures(tuple(always), missing, rows)


def _choice(seen: Seen, latest: int, catalogue: Catalogue) -> Choice | None:
    """The members of its choice, which differ from one architecture to the next."""
    arches = seen.arches(latest)
    arch = "x86" if "x86" in arches else min(arches)
    choice = seen.traits(latest, arch)[0].choice
    if not choice:
        return None
    members = tuple(catalogue.members(choice, latest, arch))
    return Choice(members, arch, catalogue.kernels[latest].version.text)


def _before(
    seen: Seen, catalogue: Catalogue, trait: Callable[[SymbolTraits], str]
) -> dict[str, tuple[Span, ...]]:
    """Finds what a trait was before, if it is another now, and in which kernels."""
    history = [(number, trait(seen.traits(number)[0])) for number in numbers(seen.kernels())]
    spans: dict[str, tuple[Span, ...]] = {}
    for what, row in groupby(history, key=lambda pair: pair[1]):
        versions = [catalogue.kernels[number].version.text for number, _ in row]
        if what and what != history[-1][1]:
            spans[what] = (*spans.get(what, ()), (versions[0], versions[-1]))
    return spans
