"""Words of the boot line that set memory aside or cut it off, compared with the memory there is.

Read in 6.12: hugepages_setup() and its like of mm/hugetlb.c, log_buf_len_update() of
kernel/printk/printk.c, parse_memopt() and parse_memmap_one() of arch/x86/kernel/e820.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.engine.diagnose.words import of_word
from advisor.engine.effective import crash_memory, huge_pages
from advisor.engine.effective.memory_map import aside, ranges
from advisor.engine.effective.world import World
from advisor.errors import shortened
from advisor.model.finding import Diagnostic
from advisor.model.kernel import Severity, Word
from advisor.model.numbers import whole_number
from advisor.model.sizes import UNITS, memparse, shown

_K, _M, _G, _T = UNITS
_LEAST = 16 * _M
"""No current kernel starts with less."""
_LARGE = _T
"""Huge pages of this size are reported even if the memory of the machine is not known."""
_LOG_MOST = 2 * _G
_CRASH_LEAST = _M
"""With less no second kernel starts: a unit is missing."""


def diagnose_sizes(words: Sequence[Word], world: World) -> Iterator[Diagnostic]:
    """Report what is wrong with the sizes that the kernel would read from these words."""
    memory = world.fact("memory")
    limit = memory if isinstance(memory, int) else None
    yield from _huge_pages(words, limit, world)
    crash = [word for word in words if word.name == "crashkernel"]
    crash = [word for word in crash if crash_memory.has_size(word)]
    idle = dict(crash_memory.idle(crash, world.subject))
    for word, why in idle.items():
        yield of_word(why.name, word, why.why, world, why.remedy)
    for word in words:
        if word.name == "mem":
            yield from _cut(word, world)
        elif word.name == "memmap" and world.subject.machine.arch == "x86":
            yield from _map(word, world)
        elif word.name == "log_buf_len":
            yield from _log(word, limit, world)
        elif word in crash and word not in idle:
            yield from _crash(word, limit, world)


# --- huge pages -----------------------------------------------------------------------------------


def _huge_pages(words: Sequence[Word], memory: int | None, world: World) -> Iterator[Diagnostic]:
    family = [word for word in words if word.name in huge_pages.NAMES]
    if not family:
        return
    asked = huge_pages.asked_by(family, world.knowledge, world, world.subject.kernel)
    # A size is on the line for a number; the default size is one by itself.
    sized = [one for one in asked.pools if one.sized and one.sized.name == "hugepagesz"]
    bare = [pool for pool in sized if not pool.counted]
    comes_to = f"the line reserves {huge_pages.in_words(asked.pools)}"
    pairs = _paired(family)
    mixed_up = bool(bare) and any(one.of for one in asked.ignored) and bool(pairs)
    for word, why, _ in asked.ignored:
        if why == huge_pages.GIVEN_BEFORE:
            continue  # the number behind it is what is lost
        name, remedy, severity = "parameter-duplicate", f"remove {word.text}", None
        text = f"{why}, and the kernel ignores the parameter; {comes_to}"
        if why == huge_pages.NO_SIZE:
            name, severity = "parameter-value-refused", Severity.ERROR
            sizes = huge_pages.sizes_of(world.knowledge, world)
            text = f"{why}, only of {' or '.join(map(shown, sizes))}"
            remedy = "write a size that this kernel has"
        elif why == huge_pages.BEHIND_NO_SIZE:
            name, remedy = "parameter-void", f"correct the size that precedes {word.text}"
        elif why == huge_pages.NOT_ADDED:
            name = "parameter-void"
            remedy = f"write hugepagesz= with the same size before {word.text}"
        elif why == huge_pages.COUNTED and mixed_up:
            name, severity = "parameter-void", Severity.ERROR
            text = f"each number applies to the size right before it, so {comes_to}"
            remedy = f"write {pairs}"
        yield of_word(name, word, text, world, remedy, severity)
    for pool in bare:
        if pool.sized and not mixed_up:
            text = f"no number follows, so no page of {pool.name} is reserved at boot"
            remedy = f"write {pool.sized.text} hugepages=NUMBER, or remove {pool.sized.text}"
            yield of_word("parameter-caution", pool.sized, text, world, remedy)
    yield from _too_much(asked.pools, memory, world)


def _paired(family: Sequence[Word]) -> str:
    """Return the sizes with a number each, in their order; empty if they are not as many."""
    sizes = [word.text for word in family if word.name == "hugepagesz"]
    numbers = [word.text for word in family if word.name == "hugepages"]
    if len(set(sizes)) != len(numbers):
        return ""
    pairs = zip(dict.fromkeys(sizes), numbers, strict=True)
    return " ".join(text for pair in pairs for text in pair)


def _too_much(
    pools: Sequence[huge_pages.Pool], memory: int | None, world: World
) -> Iterator[Diagnostic]:
    """Report huge pages that take all of the memory, or very much of an unknown memory."""
    subject, total = world.subject, sum(pool.number * pool.size for pool in pools)
    kept = 0
    # A running kernel shows the memory without the part that memmap= sets aside.
    runs = subject.sysfs or subject.next or "kernel.osrelease" in subject.sysctl
    if memory and subject.machine.arch == "x86" and not runs:
        kept = aside(world.line.counting("memmap"), memory)
    if not total or total < (memory - kept if memory else _LARGE):
        return
    largest = max(pools, key=lambda pool: pool.number * pool.size)
    by = f" (by {shortened(largest.sized.text)})" if largest.sized else ""
    text = f"{largest.number} pages of {largest.name}{by} are "
    text += shown(largest.number * largest.size)
    remedy = "write hugepagesz=SIZE before hugepages=; SIZE is the size that you mean"
    if largest.sized and largest.sized.name == "hugepagesz":
        remedy = "write a smaller number of pages"
    if memory:
        rest = (
            ""
            if total == largest.number * largest.size
            else f", {shown(total)} with the other sizes"
        )
        has = "the machine has" if subject.machine.memory == memory else "the boot line leaves"
        less = f", of which memmap= reserves {shown(kept)}" if kept else ""
        text += f"{rest}, and {has} {shown(memory)}{less}: no memory is left for programs"
        if total < memory:
            remedy = "reserve fewer huge pages, or reserve less memory with memmap="
    severity = Severity.ERROR if memory else Severity.NOTE
    if largest.counted:
        yield of_word("memory-short", largest.counted, text, world, remedy, severity)


# --- the others -----------------------------------------------------------------------------------


def _cut(word: Word, world: World) -> Iterator[Diagnostic]:
    size, rest = memparse(word.value or "")
    if not size or word.value == "nopentium":
        return
    machine = world.subject.machine.memory
    if size < _LEAST:
        text = f"this leaves {shown(size)} of memory, too little for any kernel to start"
        yield of_word("memory-short", word, text, world, "add a unit: M or G", Severity.ERROR)
    elif machine and size < machine and not rest:
        text = (
            f"the kernel uses no memory above {shown(size)}, and the machine has {shown(machine)}"
        )
        yield of_word(
            "parameter-caution", word, text, world, "remove the parameter, or raise its value"
        )


def _map(word: Word, world: World) -> Iterator[Diagnostic]:
    parts = list(ranges([word]))
    if wrong := [one.text for one in parts if one.kind is None]:
        text = f"{shortened(wrong[0])} is neither exactmap nor a size, and is ignored"
        remedy = "write SIZE@ADDRESS to add memory, or SIZE$ADDRESS to reserve memory"
        yield of_word("parameter-value-refused", word, text, world, remedy, Severity.ERROR)
    for one in parts:
        if one.kind == "" and one.rest:
            text = (
                f"{shortened(one.text)} is not a range: the kernel uses no memory above "
                f"{shown(one.size)}"
            )
            remedy = f"write memmap={one.text[: -len(one.rest)]}$ADDRESS; "
            remedy += r"GRUB interprets $: write \$ in GRUB's menu, and \\\$ in /etc/default/grub"
            yield of_word("parameter-value-refused", word, text, world, remedy, Severity.ERROR)
        elif one.kind == "":
            text = f"a size alone removes all memory above {shown(one.size)}, as mem= does"
            remedy = f"write memmap={one.text}$ADDRESS to set a range aside, or mem={one.text}"
            yield of_word("parameter-caution", word, text, world, remedy)
    kept = sum(one.size for one in parts if one.kind == "!")
    if kept and world.symbol("X86_PMEM_LEGACY") == "n":
        text = (
            f"{shown(kept)} of memory are set aside, but no driver makes a disk of this memory: "
            "X86_PMEM_LEGACY is not built"
        )
        remedy = "build a kernel with X86_PMEM_LEGACY, or remove the parameter"
        yield of_word("parameter-caution", word, text, world, remedy)


def _log(word: Word, memory: int | None, world: World) -> Iterator[Diagnostic]:
    size, _ = memparse(word.value or "")
    shift = world.symbol("LOG_BUF_SHIFT") or ""
    bits = whole_number(shift, longest=2)
    built = 0 if bits is None else 1 << bits
    least = min(memory or _LOG_MOST + 1, _LOG_MOST + 1)
    if size >= least:
        most = shown(_LOG_MOST)
        text = f"a log of {shown(size)} exceeds the machine's memory or the {most} "
        text += "that the kernel accepts"
        yield of_word(
            "memory-short", word, text, world, "write a smaller size, such as 4M", Severity.WARNING
        )
    elif size <= built:
        text = f"the default log size is {shown(built)}, and the kernel accepts only larger sizes"
        yield of_word("parameter-redundant", word, text, world)


def _crash(word: Word, memory: int | None, world: World) -> Iterator[Diagnostic]:
    ranged = crash_memory.has_ranges(word)
    asked = crash_memory.asked_size(word, memory)
    if asked is None:
        text = (
            "the value is neither SIZE[@OFFSET], SIZE,high, SIZE,low nor FROM-TO:SIZE[,...]; no "
            "memory is reserved"
        )
        remedy = "write a value of one of these forms, such as 256M or 1G-4G:192M,4G-:256M"
        yield of_word("parameter-value-refused", word, text, world, remedy, Severity.ERROR)
    elif memory and asked <= 0 and ranged:
        why = f"none of its ranges contains the machine's memory ({shown(memory)})"
        remedy = f"add a range for {shown(memory)}"
        if asked == 0:
            why, remedy = (
                f"the parameter gives 0 bytes for {shown(memory)} of memory",
                "write a size, or remove the parameter",
            )
        text = f"{why}: no memory is reserved"
        yield of_word("memory-short", word, text, world, remedy, Severity.WARNING)
    elif 0 < asked < _CRASH_LEAST:
        text = f"{shown(asked)} are reserved, too little for a second kernel to start"
        yield of_word("memory-short", word, text, world, "add a unit: M or G", Severity.ERROR)
    elif memory and asked >= memory:
        text = f"{shown(asked)} of the machine's {shown(memory)} cannot be reserved: the kernel "
        text += "reserves none"
        yield of_word("memory-short", word, text, world, "reserve less memory", Severity.ERROR)
