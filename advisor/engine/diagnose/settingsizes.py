"""Run-time settings of an amount of memory, compared with the memory there is.

Read in 6.1, 6.12 and 7.2: setup_per_zone_wmarks() of mm/page_alloc.c, tcp_init_mem() of
net/ipv4/tcp.c, udp_init() of net/ipv4/udp.c.
"""

from __future__ import annotations

from advisor.engine.effective.world import World
from advisor.errors import shortened
from advisor.model.kernel import Location, Severity
from advisor.model.numbers import count_of
from advisor.model.report import Diagnostic, diagnostic
from advisor.model.rules import Source
from advisor.model.sizes import UNITS, shown

_K, _M, _, _ = UNITS
_RESERVE = "vm.min_free_kbytes"
_POOLS = {"net.ipv4.tcp_mem": "TCP", "net.ipv4.udp_mem": "UDP"}
NAMES = frozenset((_RESERVE, *_POOLS))
"""The settings that are checked here."""
_LEAST = 1024
"""Kilobytes below which the documentation calls a system broken. The kernel itself keeps as much
with 64 MiB of memory, and more with more."""
_DOC = Source("doc", "Documentation/admin-guide/sysctl/vm.rst", "6.12", "min_free_kbytes").url
_MARKS = Source("code", "mm/page_alloc.c", "6.12", "setup_per_zone_wmarks()").url
_PAGES = Source("doc", "Documentation/networking/ip-sysctl.rst", "6.12", "tcp_mem, udp_mem").url


def diagnose_size(key: str, value: str, place: Location, world: World) -> Diagnostic | None:
    """Return what is wrong with the setting, if the memory is known."""
    memory = world.fact("memory")
    numbers = [count_of(text) for text in value.split()]
    last = numbers[-1] if numbers else None
    if not isinstance(memory, int) or last is None:
        return None
    if key == _RESERVE:
        return _reserve(value, last, memory, place)
    page = next((k for k in (16, 64) if world.symbol(f"ARM64_{k}K_PAGES") == "y"), 4) * _K
    if len(numbers) != 3 or last * page < memory:
        return None
    message = (
        f"{key} = {shortened(value)}: these are pages, not bytes; the last number is "
        f"{shown(last * page)}, the memory {shown(memory)}, so {_POOLS[key]} is never limited"
    )
    remedy = "leave it out, as the kernel computes it from the memory, or write pages"
    return diagnostic("sysctl-memory", place, message, remedy, _PAGES, key, Severity.WARNING)


def _reserve(value: str, kilobytes: int, memory: int, place: Location) -> Diagnostic | None:
    told = f"{_RESERVE} = {shortened(value)}: "
    remedy = "leave it out, as the kernel computes it from the memory"
    if kilobytes * _K >= memory:
        message = (
            f"{told}{shown(kilobytes * _K)} are to be kept free of {shown(memory)}: "
            "nothing is left to run in"
        )
        return diagnostic("sysctl-memory", place, message, remedy, _MARKS, _RESERVE, Severity.ERROR)
    if kilobytes < _LEAST and memory >= 64 * _M:
        message = (
            f"{told}less than {shown(_LEAST * _K)}; the kernel's documentation calls such a "
            "system subtly broken and prone to deadlocks"
        )
        return diagnostic("sysctl-memory", place, message, remedy, _DOC, _RESERVE, Severity.WARNING)
    return None
