"""What a name is to a kernel of which only the version is known: a typo, gone, too new, ...

As the catalogue read it in kernel trees. Of a kernel that was not read, only that is said which is
so in the kernels read before and after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING

from advisor.errors import shortened
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.knowledge.catalogue import Catalogue, Names, Seen
    from advisor.knowledge.parametercatalogue import ParameterCatalogue
    from advisor.model.kernel import KernelVersion


_BACKPORTED = ", unless it was backported"
_PATCHED = " (that tree may be patched)"
_PARTS = re.compile("[.-]")


class Standing(Enum):
    """What a name is to one kernel; the value of what that cannot know is a symbol's diagnostic."""

    HERE = "here"
    HIDDEN = "hidden"
    UNSURE = "unsure"
    UNKNOWN = "symbol-unknown"
    REMOVED = "symbol-removed"
    TOO_NEW = "symbol-too-new"
    OTHER_ARCH = "symbol-other-arch"


class NameStatus(NamedTuple):
    """A standing, the sentence that says what was read, and what makes it less than certain."""

    standing: Standing
    text: str = ""
    doubt: str = ""


def standing(
    symbol: str, catalogue: Catalogue, kernel: KernelVersion | None, arch: str | None = None
) -> NameStatus:
    """Finds what the symbol is to a kernel of that version; None is any version, or an unknown
    architecture."""
    answer = _standing(symbol, catalogue, kernel, arch)
    seen = catalogue.seen(symbol)
    if answer.standing is not Standing.HERE or not seen or not kernel:
        return answer
    if any(trait.prompt or trait.old for trait in seen.traits_around(kernel, arch)):
        return answer
    text = f"{symbol} has no prompt: other symbols decide its value, and this line has no effect"
    return NameStatus(Standing.HIDDEN, text)


_ELSEWHERE = (Standing.REMOVED, Standing.TOO_NEW, Standing.OTHER_ARCH)


def surely_absent(
    symbol: str, catalogue: Catalogue, kernel: KernelVersion | None, arch: str | None
) -> bool:
    """Whether the symbol is in other kernels and surely not in this one, whoever built it.

    Of a kernel whose version was not told only its architecture counts.
    """
    seen = catalogue.seen(symbol)
    if kernel is None:
        read = arch is not None and any(arch in known.arches for known in catalogue.kernels)
        return bool(read and seen and not seen.kernels(arch))
    answer = standing(symbol, catalogue, kernel, arch) if seen else None
    return bool(answer and answer.standing in _ELSEWHERE and not answer.doubt)


def parameter_standing(
    name: str, catalogue: ParameterCatalogue, kernel: KernelVersion | None, arch: str | None = None
) -> NameStatus:
    """Finds what the boot parameter is to a kernel of that version; never HIDDEN.

    UNSURE are names that no kernel registers one by one: `sysctl.*`, and what all modules take.
    """
    from advisor.knowledge.parametercatalogue import generic

    name = name.replace("-", "_")
    return (
        NameStatus(Standing.UNSURE) if generic(name) else _standing(name, catalogue, kernel, arch)
    )


def _standing(
    name: str, catalogue: Names, kernel: KernelVersion | None, arch: str | None
) -> NameStatus:
    seen = catalogue.seen(name)
    if seen is None:
        return NameStatus(Standing.UNKNOWN, _unknown(name, catalogue, kernel))
    if kernel is None:
        return NameStatus(Standing.UNSURE)
    around = catalogue.around(kernel, arch)
    here = _all_or_none(seen.kernels(arch), around)
    if here is None:
        return NameStatus(Standing.UNSURE)
    if here:
        return NameStatus(Standing.HERE)
    elsewhere = _all_or_none(seen.kernels(), around)
    if elsewhere is None:
        return NameStatus(Standing.UNSURE)
    where = f"{shortened(name)} is not in Linux {kernel.text}"
    if elsewhere:
        arches = sorted(frozenset.union(*map(seen.arches, around)))
        text = f"{where} for {arch}: seen on {_listed(arches)} only"
        return NameStatus(Standing.OTHER_ARCH, text)
    answer = _absent(seen, catalogue, around, where)
    if answer.doubt == _BACKPORTED and not _may_have_backports(kernel, catalogue, around):
        return answer._replace(doubt="")
    return answer


def _unknown(symbol: str, catalogue: Names, kernel: KernelVersion | None) -> str:
    names = [known.version for known in catalogue.kernels]
    if not names:
        return f"{shortened(symbol)} is not known: no kernel was read"
    newer = kernel is not None and kernel.numbers > names[-1].numbers
    span = f"{names[0].text} to {names[-1].text}{', all older than this kernel' if newer else ''}"
    return f"{shortened(symbol)} is in none of the {len(names)} kernels that were read ({span})"


def _all_or_none(bits: int, kernels: Iterable[int]) -> bool | None:
    """Whether all of these kernels have it; None if some do."""
    states = {bool(bits >> number & 1) for number in kernels}
    return states.pop() if len(states) == 1 else None


def _may_have_backports(kernel: KernelVersion, catalogue: Names, around: Iterable[int]) -> bool:
    """Whether it has more patches than what was read of its release: 6.6.22 got RFDS from 6.9."""
    read = [catalogue.kernels[number].version.numbers for number in around]
    patches = [numbers[2] for numbers in read if numbers[:2] == kernel.numbers[:2]]
    # A number behind the version, or a word (`-amd64`, `.el9`), is a distribution's.
    plain = all(part.isdigit() or part[:2] == "rc" for part in _PARTS.split(kernel.text))
    return not plain or kernel.patch > max(patches, default=0)


def _absent(seen: Seen, catalogue: Names, around: list[int], where: str) -> NameStatus:
    """Judges a name that the kernels around do not have on any architecture."""
    names = [known.version.text for known in catalogue.kernels]
    spans = seen.spans()
    before = [last for _, last in spans if last < around[0]]
    after = [first for first, _ in spans if first > around[-1]]
    if before and after:
        kernels = " and ".join((names[before[-1]], names[after[0]]))
        text = f"{where}: it is in {kernels}, and in no kernel that was read between them"
        return NameStatus(Standing.REMOVED, text, _BACKPORTED)
    alone = _alone(seen.kernels(), len(names))
    only = " alone" if alone else ""
    if before:
        last = before[-1]
        text = f"{where}: last seen in {names[last]}{only}, gone in {names[last + 1]}"
        return NameStatus(Standing.REMOVED, text, _PATCHED if alone else "")
    if not after:  # only in kernels between these, which were not read for the architecture
        return NameStatus(Standing.UNSURE)
    first = after[0]
    text = f"{where}: first seen in {names[first]}{only}, not in {names[first - 1]}"
    return NameStatus(Standing.TOO_NEW, text, _PATCHED if alone else _BACKPORTED)


def _alone(bits: int, count: int) -> bool:
    """Whether it is a single kernel, with others read before and after it."""
    return bits & (bits - 1) == 0 and 1 < bits < 1 << (count - 1)


def _listed(arches: list[str]) -> str:
    first = ", ".join(arches[:6])
    return f"{first} and {len(arches) - 6} more" if len(arches) > 6 else first
