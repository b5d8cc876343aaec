"""Which words of crashkernel= set memory aside for a kernel that writes a dump.

Read in 6.12: parse_crashkernel(), get_last_crashkernel(), parse_crashkernel_mem() and _simple() of
kernel/crash_reserve.c; in 6.1 kernel/crash_core.c and arch/arm64/mm/init.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from advisor.engine.effective.backports import vendor
from advisor.model.kernel import Word
from advisor.model.sizes import SIZE, UNITS, memparse
from advisor.model.subject import Subject
from advisor.record import NamedTuple

_M = UNITS[1]
_RANGE = re.compile(rf"({SIZE.pattern})-((?:{SIZE.pattern})?):({SIZE.pattern})")
_END = re.compile(r"(?:@.*|,(?:high|low|cma))?")
# Where ,high and ,low are read (ARCH_HAS_GENERIC_CRASHKERNEL_RESERVATION of 6.12).
_ABOVE = ("x86", "arm64", "riscv", "loongarch")
_ARM64_SINCE = (5, 19, 0)
"""arch/arm64/mm/init.c asked parse_crashkernel() alone before, which passes over such words."""


class Idle(NamedTuple):
    """Why the kernel passes over a word: the id of the diagnostic, the reason, and what to do."""

    name: str
    why: str
    remedy: str


def reserving(words: Sequence[Word], subject: Subject) -> list[Word]:
    """Return the words that set memory aside, on a machine with enough of it."""
    told = [word for word in words if has_size(word)]
    passed = {word for word, _ in idle(told, subject)}
    passed |= {word for word in told if asked_size(word, None) in (None, 0)}
    return [word for word in words if word not in passed]


def has_size(word: Word) -> bool:
    """Tell whether the word is not the crashkernel=auto of Red Hat's older kernels."""
    return not (word.value or "").startswith("auto")


def idle(words: Sequence[Word], subject: Subject) -> Iterator[tuple[Word, Idle]]:
    """Yield the words of crashkernel= that the kernel passes over, each with the reason."""
    # Of words with the same ending the last one counts; without an ending it counts before others.
    last = {ending(word): word for word in words}
    for word in words:
        end = ending(word)
        if word is not last[end] and word.text == last[end].text:
            continue  # which changes nothing
        if word is not last[end]:
            why = f"the kernel takes only the last parameter with the same ending, {last[end].text}"
            yield word, Idle("parameter-duplicate", why, f"keep only {last[end].text}")
        elif end in ("high", "low") and (reader := _reads_none(subject)):
            why = f"{reader} reads no parameter that ends in ',{end}'"
            yield word, Idle("parameter-void", why, f"write the size without ',{end}'")
        elif end == "high" and "" in last:
            why = f"the kernel reads this parameter only if {last[''].text} is not on the line"
            yield word, Idle("parameter-void", why, "keep only one of the two parameters")
        elif end == "low" and not {"", "high"} & last.keys():
            why = (
                "the parameter needs crashkernel=SIZE,high on the same line; no memory is reserved"
            )
            remedy = f"add crashkernel=SIZE,high, or write only {word.text.removesuffix(',low')}"
            yield word, Idle("parameter-void", why, remedy)


def _reads_none(subject: Subject) -> str:
    """Return which kernel surely reads no ending, in words; empty if this one may."""
    arch = subject.machine.arch
    if not arch or arch in _ABOVE:
        old = arch == "arm64" and subject.is_before(_ARM64_SINCE) and not vendor(subject)
        return "Linux before 5.19 on arm64" if old else ""
    return f"the kernel for {arch}"


def ending(word: Word) -> str:
    """Return `high`, `low` or `cma` of a word that ends in it, else nothing."""
    end = (word.value or "").rpartition(",")[2]
    return end if end in ("high", "low", "cma") else ""


def asked_size(word: Word, memory: int | None) -> int | None:
    """Return the size that a word asks for on a machine with so much memory: -1 if no range has
    that much, or the memory is not known; None for a value that the kernel refuses."""
    value = word.value or ""
    if has_ranges(word):
        # An ending stands behind one size alone.
        return None if ending(word) else _ranges(value, memory)
    size, rest = memparse(value)
    return size if rest != value and _END.fullmatch(rest) else None


def has_ranges(word: Word) -> bool:
    """Tell whether the word gives a size for each range of memory."""
    return ":" in (word.value or "").partition("@")[0]


def _ranges(value: str, memory: int | None) -> int | None:
    """Return the size for so much memory, which the kernel rounds up to 128 MiB."""
    total = -(-memory // (128 * _M)) * (128 * _M) if memory else None
    for part in value.partition("@")[0][:4096].split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            return None
        low, high, size = (memparse(match[number])[0] for number in (1, 4, 7))
        if match[4] and high <= low:
            return None
        if total is not None and low <= total and (not match[4] or total < high):
            return size
    return -1
