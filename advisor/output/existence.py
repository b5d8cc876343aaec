"""What `explain` prints of a name that was seen in kernel trees: what it is, where, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from advisor.errors import UsageError
from advisor.knowledge.catalogue import Catalogue, Names, Seen, Traits, numbers
from advisor.knowledge.parametercatalogue import ParameterCatalogue, kinds
from advisor.output import Style
from advisor.output.escape import visible
from advisor.output.text import wrapped

_MOST = 4


def unknown(
    name: str, catalogue: Catalogue, parameters: ParameterCatalogue, error: UsageError
) -> UsageError:
    """The error for a name that neither the rules nor any kernel knows, with near matches."""
    read = f", nor of the {len(catalogue.kernels)} kernels read" if catalogue.kernels else ""
    # In small letters it is rather a parameter or a tunable.
    small = name != name.upper()
    near = [] if small and "did you mean" in error.hint else catalogue.near(name)
    near = (small and parameters.near(name)) or near
    hint = f"did you mean {', '.join(near)}?" if near else error.hint
    return UsageError(f"{error.message}{read}", where=error.where, hint=hint)


def symbol(seen: Seen, catalogue: Catalogue, style: Style) -> Iterable[str]:
    """All that was read of the symbol."""
    latest = seen.spans()[-1][1]
    traits = seen.traits(latest)
    yield visible(f"{seen.name} (symbol, {' or '.join(sorted({t.type for t in traits}))})")
    for label, text in _facts(seen, traits, latest, catalogue):
        if text:
            yield from wrapped(label, text, style, label_width=10)


def parameter(seen: Seen, catalogue: ParameterCatalogue, style: Style) -> Iterable[str]:
    """All that was read of the boot parameter."""
    latest = seen.spans()[-1][1]
    yield visible(f"{seen.name} (boot parameter)")
    told = (
        ("kernels", _spans(seen, catalogue)),
        ("on", _arches(seen, latest, catalogue)),
        ("read by", "; ".join(kinds(seen.facts, latest))),
        ("read in", _read(catalogue)),
    )
    for label, text in told:
        yield from wrapped(label, text, style, label_width=10)


def _read(catalogue: Names) -> str:
    names = [kernel.version.text for kernel in catalogue.kernels]
    return f"{len(names)} kernel trees, {names[0]} to {names[-1]}"


def _facts(
    seen: Seen, traits: list[Traits], latest: int, catalogue: Catalogue
) -> Iterable[tuple[str, str]]:
    yield "kernels", _spans(seen, catalogue)
    yield "on", _arches(seen, latest, catalogue)
    yield "was", _changes(seen, catalogue, lambda trait: trait.type)
    if not any(trait.prompt or trait.old for trait in traits):
        before = _changes(seen, catalogue, lambda trait: "with a prompt" if trait.prompt else "")
        yield "prompt", "; ".join(filter(None, ("none: other symbols decide it", before)))
    if any(trait.old for trait in traits):
        yield "prompt", "none: an old name, whose value the kernel takes over"
    yield "choice", _choice(seen, latest, catalogue)
    yield "read in", _read(catalogue)


def _choice(seen: Seen, latest: int, catalogue: Catalogue) -> str:
    """The members of its choice, which differ from one architecture to the next."""
    arches = seen.arches(latest)
    arch = "x86" if "x86" in arches else min(arches)
    choice = seen.traits(latest, arch)[0].choice
    if not choice:
        return ""
    members = ", ".join(catalogue.members(choice, latest, arch))
    return f"{members} ({arch}, {catalogue.kernels[latest].version.text})"


def _spans(seen: Seen, catalogue: Names) -> str:
    """`4.19.78 to 6.8.0 (not in 4.14.177, gone in 6.9.0)`."""
    names = [kernel.version.text for kernel in catalogue.kernels]
    found = []
    for first, last in seen.spans():
        after = names[last + 1 : last + 2]
        gone = after if last == seen.spans()[-1][1] else []
        absent = names[max(first - 1, 0) : first] + (after if not gone else [])
        told = [f"not in {', '.join(absent)}"] if absent else []
        told += [f"gone in {name}" for name in gone]
        text = _plain((first, last), catalogue)
        found.append(f"{text} ({', '.join(told)})" if told else text)
    return "; ".join(found)


def _plain(span: tuple[int, int], catalogue: Names) -> str:
    first, last = (catalogue.kernels[number].version.text for number in span)
    return first if first == last else f"{first} to {last}"


def _arches(seen: Seen, latest: int, catalogue: Names) -> str:
    """The architectures of the latest kernel that has it; of some, when they had it."""
    always: list[str] = []
    at_times: dict[str, list[str]] = {}
    for arch in sorted(catalogue.kernels[latest].arches):
        bits = seen.kernels(arch)
        if bits == seen.kernels() & catalogue.read_for(arch):
            always.append(arch)
        elif bits:
            spans = ", ".join(_plain(span, catalogue) for span in seen.spans(arch))
            at_times.setdefault(spans, []).append(arch)
    missing = sorted(catalogue.kernels[latest].arches.difference(always))
    if not missing:
        return "every architecture"
    if not at_times and len(missing) <= 4 < len(always):
        return f"every architecture but {', '.join(missing)}"
    rows = [f"{', '.join(arches)} ({spans})" for spans, arches in at_times.items()]
    if len(rows) > _MOST:
        rows[_MOST:] = [f"{len(rows) - _MOST} more rows of kernels"]
    return "; ".join(filter(None, (", ".join(always), *rows)))


def _changes(seen: Seen, catalogue: Catalogue, told: Callable[[Traits], str]) -> str:
    """What it was before, if that is something else than now: `bool in 2.6.38 to 4.4.155`."""
    history = [(number, told(seen.traits(number)[0])) for number in numbers(seen.kernels())]
    found: dict[str, list[str]] = {}
    for what, row in groupby(history, key=lambda pair: pair[1]):
        span = [number for number, _ in row]
        if what and what != history[-1][1]:
            found.setdefault(what, []).append(_plain((span[0], span[-1]), catalogue))
    return "; ".join(f"{what} in {', '.join(spans)}" for what, spans in found.items())
