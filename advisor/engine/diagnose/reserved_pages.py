"""The huge pages that the boot line and vm.nr_hugepages reserve, compared with the memory there is,
with each other, and with the memory that a program shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.engine.effective import huge_pages
from advisor.engine.effective.world import World
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.kernel import Location, Severity
from advisor.model.numbers import count_of
from advisor.model.rules import Source
from advisor.model.sizes import memparse, shown

_KEY = "vm.nr_hugepages"  # of the default size alone: hugetlb_sysctl_handler() of mm/hugetlb.c
_DOC = Source("doc", "Documentation/admin-guide/mm/hugetlbpage.rst", "6.12").url


def diagnose_reserved(world: World) -> Iterator[Diagnostic]:
    """Report a number at run time that is too large or replaces the boot line's, and pages that are
    too few for the shared memory although the line names their size."""
    line = world.line
    words = [one for one in line.words if one.name in huge_pages.NAMES and line.may_count(one)]
    pools = huge_pages.asked_by(words, world.knowledge, world, world.subject.kernel).pools
    numbers = {pool.size: pool.number for pool in pools}
    text, origin = world.settings().get(_KEY, ("", None))
    number, default = count_of(text), _default_size(world)
    if number is not None and origin and default:
        yield from _at_run_time(number, default, numbers, origin.location, world)
        numbers[default] = number
    yield from _too_few(pools, numbers, world)


def _default_size(world: World) -> int:
    """Return the size of the pages that a number without a size is of, 0 if it is not known."""
    if chosen := world.line.counting("default_hugepagesz"):
        return memparse(chosen[-1].value or "")[0]
    return next(iter(huge_pages.sizes_of(world.knowledge, world)), 0)


def _at_run_time(
    number: int, default: int, booted: Mapping[int, int], place: Location, world: World
) -> Iterator[Diagnostic]:
    memory, own = world.subject.machine.memory, number * default
    told = f"{_KEY} = {number}: {number} pages of {shown(default)} are {shown(own)}"
    total = own + sum(count * size for size, count in booted.items() if size != default)
    if memory and total >= memory:
        rest = f", {shown(total)} with the other sizes" if total > own else ""
        message = (
            f"{told}{rest}, and the machine has {shown(memory)}: no memory is left for programs"
        )
        remedy, error = "write a smaller number of pages", Severity.ERROR
        yield diagnostic("sysctl-memory", place, message, remedy, _DOC, _KEY, error)
    elif booted.get(default) and booted[default] != number:
        message = f"{told}; this number replaces the {booted[default]} pages of the boot line"
        remedy = "give the number in one place only, or the same number in both places"
        yield diagnostic("setting-overridden", place, message, remedy, _DOC, _KEY)


def _too_few(
    pools: tuple[huge_pages.Pool, ...], numbers: Mapping[int, int], world: World
) -> Iterator[Diagnostic]:
    shared = world.subject.machine.shared_memory
    total = sum(count * size for size, count in numbers.items())
    sized = next((pool.sized for pool in pools if pool.sized and pool.size), None)
    if sized and shared and total < shared:
        message = (
            f"{sized.text}: the reserved huge pages have {shown(total)} in all, less than the "
            f"{shown(shared)} of --shared-memory"
        )
        remedy = "reserve more pages: at least the shared memory divided by the page size"
        place, warning = world.place(sized), Severity.WARNING
        yield diagnostic("memory-short", place, message, remedy, _DOC, sized.text, warning)
