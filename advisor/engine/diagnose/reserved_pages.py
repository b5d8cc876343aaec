"""The huge pages that the boot line and vm.nr_hugepages reserve, compared with the memory there is,
with each other, and with the memory that a program shares."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.effective import huge_pages
from advisor.engine.effective.world import World
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.kernel import Severity
from advisor.model.numbers import count_of
from advisor.model.rules import Source
from advisor.model.sizes import memparse, shown

_KEY = "vm.nr_hugepages"  # of the default size alone: hugetlb_sysctl_handler() of mm/hugetlb.c
_DOC = Source("doc", "Documentation/admin-guide/mm/hugetlbpage.rst", "6.12").url


def diagnose_reserved(world: World) -> Iterator[Diagnostic]:
    """Report a number at run time that is too large or replaces the boot line's, and pages that are
    too few for the shared memory although the line names their size."""
    line, machine = world.line, world.subject.machine
    sizes = huge_pages.sizes_of(world.knowledge, world)
    words = [one for one in line.words if one.name in huge_pages.NAMES and line.may_count(one)]
    asked = huge_pages.asked(words, sizes, is_old=huge_pages.is_old(world.subject.kernel))
    chosen = [memparse(word.value or "")[0] for word in line.counting("default_hugepagesz")]
    default = (chosen or [*sizes, 0])[-1 if chosen else 0]
    booted = {pool.size: pool.number for pool in asked.pools}
    text, origin = world.settings().get(_KEY, ("", None))
    number = count_of(text)
    if number is not None and origin and default:
        total = shown(number * default)
        told = f"{_KEY} = {number}: {number} pages of {shown(default)} are {total}"
        others = sum(count * size for size, count in booted.items() if size != default)
        if machine.memory and number * default + others >= machine.memory:
            rest = f", {shown(number * default + others)} with the others" if others else ""
            message = (
                f"{told}{rest}, and the machine has {shown(machine.memory)}: no memory is left to "
                "run in"
            )
            remedy, error = "write a smaller number of pages", Severity.ERROR
            yield diagnostic("sysctl-memory", origin.location, message, remedy, _DOC, _KEY, error)
        elif booted.get(default) and booted[default] != number:
            message = f"{told}, and replace the {booted[default]} pages of the boot line"
            remedy = "write one number in both places, or leave one of them out"
            yield diagnostic("setting-overridden", origin.location, message, remedy, _DOC, _KEY)
        booted[default] = number
    total_size = sum(count * size for size, count in booted.items())
    sized = [pool.sized for pool in asked.pools if pool.sized and pool.size]
    if sized and machine.shared_memory and total_size < machine.shared_memory:
        message = (
            f"{sized[0].text}: all reserved huge pages are {shown(total_size)}, and "
            f"--shared-memory asks for {shown(machine.shared_memory)}"
        )
        remedy = "reserve more pages: divide the shared memory by the size of a page"
        place = world.place(sized[0])
        yield diagnostic(
            "memory-short", place, message, remedy, _DOC, sized[0].text, Severity.WARNING
        )
