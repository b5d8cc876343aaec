"""Run-time settings without effect: misspelt, gone, idle, not there yet, or of a refused value.

knowledge/sysctlcatalogue.py has the names of the kernels read. Names of loaded modules, of devices
and of vendors' patches are in no tree: these are counted in one note.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.diagnose.components import diagnose_setting
from advisor.engine.effective.run_time import are_listed
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import lack
from advisor.errors import few, meant, shortened
from advisor.knowledge.sysctlcatalogue import SysctlCatalogue
from advisor.model import condition
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.kernel import Layer, Location, Severity
from advisor.model.numbers import count_of
from advisor.model.rules import Name, Source, address
from advisor.model.saying import shortly
from advisor.model.sizes import UNITS, shown
from advisor.model.tunable import Tunable

_MOST_TYPOS = 200
"""So many unknown names are compared with all others: some thousand combinations each."""
_NO_IPV6 = "ipv6.disable=1"
_IPV6 = Source("code", "net/ipv6/af_inet6.c", "6.12", "inet6_init()").url
_SET = Source("code", "kernel/sysctl.c", "6.12", "do_proc_dointvec(), proc_get_long()").url


def diagnose_settings(world: World) -> Iterator[Diagnostic]:
    """Report what is wrong with the settings of `--sysctl` and with the `sysctl.` words that count,
    and which settings of a host's files its kernel does not have."""
    strange: list[tuple[str, str, Location]] = []
    lists_all = are_listed(world.subject.sysctl)
    # Why inet6_init() registers nothing in this kernel.
    disabled = (f"{word.text} is on the boot line" for word in world.line.matching(_NO_IPV6))
    no_ipv6 = "IPV6 is not built" if world.config.get("IPV6") == "n" else next(disabled, "")
    given = ((key, text, one.location) for key, (text, one) in world.settings().items())
    for key, value, place in (*given, *_not_there(world)):
        if key in _AMOUNTS and (found := _of_size(key, value, place, world)):
            yield found
        known = world.knowledge.sysctl_name(key)
        listed = lists_all and key in world.subject.sysctl
        if known and world.lacks(known):
            if not listed:
                yield _of_another_time(key, known, place)
        elif not listed and key.startswith("net.ipv6.") and no_ipv6:
            why = f"this kernel has no sysctls of IPv6, because {no_ipv6}; the write fails"
            message = f"{shortened(key)}: {why}"
            remedy = "remove the line, or enable IPv6"
            yield diagnostic("sysctl-unknown", place, message, remedy, _IPV6, key, Severity.WARNING)
        elif not (listed or world.refuses(key, value)) and (why := _lacks(key, world)):
            message = (
                f"{shortened(key)}: this kernel lacks the sysctl or makes no use of it ({why})"
            )
            remedy = "remove the setting, or build a kernel with what the sysctl needs"
            yield diagnostic("sysctl-unknown", place, message, remedy, "", key, Severity.WARNING)
        # A kernel has the settings that it lists, and takes the values that it shows.
        elif not known and not listed:
            strange.append((key, value, place))
    yield from _naming(world, lists_all)
    if strange and world.knowledge.sysctl_catalogue.kernels:
        yield from _by_catalogue(strange, world)


def _lacks(key: str, world: World) -> str:
    """Return why this kernel lacks the sysctl or, as vm.swappiness without SWAP, does not use it:
    by the rules that have it; empty if it may use it."""
    needs = world.knowledge.fact("sysctl-needs", key).only_if
    if world.evaluate(needs) is False:
        return f"the sysctl exists only if {shortly(condition.lacking(needs, world))}"
    having = _having(key, world)
    if having and all(world.evaluate(one.only_if) is False for one in having):
        return lack(having[0], world)
    return ""


def _having(key: str, world: World) -> list[Tunable]:
    """List the rules' tunables that the sysctl sets."""
    if key not in world.knowledge.run_time_names("sysctl"):
        return []  # few settings have a rule: only these pay for decoding all
    return [one for one in world.knowledge.tunables() if key in one.sysctls]


def _naming(world: World, lists_all: bool) -> Iterator[Diagnostic]:
    """Report settings that name what the kernel does not have."""
    for key, (text, one) in world.settings().items():
        if not (lists_all and key in world.subject.sysctl):
            yield from diagnose_setting(key, text, one.location, one.layer, world)
    for key, written in world.subject.next.writes.items() if world.subject.next else ():
        yield from diagnose_setting(key, written.value, written.place, Layer.RUNTIME, world)


def _of_another_time(key: str, known: Name, place: Location) -> Diagnostic:
    """Return the diagnostic of a setting that is gone from this kernel, or has lost its effect."""
    source = address(known.sources)
    if known.idle:
        message = f"{key}: the kernel accepts it, but it has no effect. {known.history}"
        return diagnostic("sysctl-no-effect", place, message, known.today, source, key)
    what = "only a patch adds this sysctl, and the write fails in a kernel without this patch"
    if known.kind != "out-of-tree":
        what = "today's kernel has no such sysctl"
    message = f"{key}: {what}. {known.history}"
    return diagnostic("sysctl-unknown", place, message, known.today, source, key, Severity.WARNING)


def _not_there(world: World) -> Iterator[tuple[str, str, Location]]:
    """Return the settings that files of a host write at boot and its running kernel does not show,
    or has without effect, if a kernel read has the name: others may be of a module that is not
    loaded."""
    after, catalogue = world.subject.next, world.knowledge.sysctl_catalogue
    if after is None or not after.runs:
        return
    tried = 0
    for key, one in after.writes.items():
        known = world.knowledge.sysctl_name(key)
        there = key in after.now and not (known and known.idle)
        if key.startswith("/") or there:
            continue
        is_near = bool(known or catalogue.seen(key))
        if not is_near and tried < _MOST_TYPOS:
            tried += 1
            is_near = bool(catalogue.typo(key))
        if is_near:
            yield key, one.value, one.place


def _by_catalogue(settings: list[tuple[str, str, Location]], world: World) -> Iterator[Diagnostic]:
    """Report settings that are in no rule, by the kernels read."""
    catalogue = world.knowledge.sysctl_catalogue
    unknown: list[tuple[str, Location]] = []
    tried = 0
    for key, value, place in settings:
        if catalogue.seen(key):
            yield from _of_known(key, value, place, world)
            continue
        tried += 1
        if tried <= _MOST_TYPOS and (near := catalogue.typo(key)):
            yield _misspelt(key, near, place, world)
        else:
            unknown.append((key, place))
    if unknown:
        yield _counted(unknown, catalogue)


def _of_known(key: str, value: str, place: Location, world: World) -> Iterator[Diagnostic]:
    """Report what is wrong with a setting that some kernel read has."""
    catalogue, kernel = world.knowledge.sysctl_catalogue, world.subject.kernel
    if kernel and (answer := catalogue.gone_or_new(key, kernel)):
        message = f"{shortened(key)} is not in Linux {kernel.text}: {answer}"
        remedy = "remove the setting, unless a patch of this kernel adds the sysctl"
        yield diagnostic("sysctl-unknown", place, message, remedy, "", key, Severity.NOTE)
    elif why := world.refuses(key, value):
        read = f"checked in Linux {', '.join(one.version.text for one in catalogue.kernels)}"
        # A kernel outside the span of those read may have another range.
        severity = Severity.ERROR if catalogue.spans(kernel) else Severity.NOTE
        if not catalogue.refuses(key, value):
            read = f"limits: {' and '.join(world.knowledge.fact('sysctl-range', key).names)}"
            severity = Severity.ERROR
        message = (
            f"{shortened(key)} = {shortened(value)!r}: the sysctl {why}; the kernel "
            f"refuses this value and keeps the previous value ({read})"
        )
        yield diagnostic("sysctl-value-refused", place, message, "", _SET, key, severity)


def _misspelt(key: str, near: list[str], place: Location, world: World) -> Diagnostic:
    """Return the diagnostic of a setting whose name is near to others."""
    catalogue, kernel = world.knowledge.sysctl_catalogue, world.subject.kernel
    names = [name for name in near if "*" not in name]
    there = [name for name in names if not (kernel and catalogue.gone_or_new(name, kernel))]
    message = (
        f"{shortened(key)} is in none of the kernels whose sysctls were read ({_span(catalogue)})"
    )
    severity = Severity.ERROR if catalogue.spans(kernel) else Severity.WARNING
    remedy = meant(there or near)
    return diagnostic("sysctl-unknown", place, message, remedy, "", key, severity)


def _counted(unknown: list[tuple[str, Location]], catalogue: SysctlCatalogue) -> Diagnostic:
    """Return one diagnostic for all unknown settings: a module's, a vendor's, or nobody's."""
    names = [shortened(key) for key, _ in unknown]
    what = "1 setting is" if len(names) == 1 else f"{len(names)} settings are"
    message = (
        f"{what} not judged, because the kernels whose sysctls were read ({_span(catalogue)}) "
        f"lack {'it' if len(names) == 1 else 'them'}: {few(names)}"
    )
    remedy = "check whether /proc/sys of the running kernel has a file of that name"
    place, severity = unknown[0][1], Severity.NOTE
    return diagnostic("sysctl-unknown", place, message, remedy, "", "others", severity)


def _span(catalogue: SysctlCatalogue) -> str:
    return ", ".join(kernel.version.text for kernel in catalogue.kernels)


# --- amounts of memory ----------------------------------------------------------------------------

# Read in 6.1, 6.12 and 7.2: setup_per_zone_wmarks() of mm/page_alloc.c, tcp_init_mem() of
# net/ipv4/tcp.c, udp_init() of net/ipv4/udp.c.
_K, _M, _, _ = UNITS
_RESERVE = "vm.min_free_kbytes"
_POOLS = {"net.ipv4.tcp_mem": "TCP", "net.ipv4.udp_mem": "UDP"}
_AMOUNTS = frozenset((_RESERVE, *_POOLS))
_LEAST = 1024
"""Kilobytes below which the documentation calls a system broken. The kernel itself keeps as much
with 64 MiB of memory, and more with more."""
_DOC = Source("doc", "Documentation/admin-guide/sysctl/vm.rst", "6.12", "min_free_kbytes").url
_MARKS = Source("code", "mm/page_alloc.c", "6.12", "setup_per_zone_wmarks()").url
_PAGES = Source("doc", "Documentation/networking/ip-sysctl.rst", "6.12", "tcp_mem, udp_mem").url


def _of_size(key: str, value: str, place: Location, world: World) -> Diagnostic | None:
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
        f"{key} = {shortened(value)}: the unit is pages, not bytes. The last number means "
        f"{shown(last * page)} on a machine with {shown(memory)}, so {_POOLS[key]} is never limited"
    )
    remedy = "remove the setting (the kernel computes the value from the memory), or write pages"
    return diagnostic("sysctl-memory", place, message, remedy, _PAGES, key, Severity.WARNING)


def _reserve(value: str, kilobytes: int, memory: int, place: Location) -> Diagnostic | None:
    told = f"{_RESERVE} = {shortened(value)}: "
    remedy = "remove the setting: the kernel computes the value from the memory"
    if kilobytes * _K >= memory:
        message = (
            f"{told}the kernel keeps {shown(kilobytes * _K)} of {shown(memory)} free: "
            "no memory is left for programs"
        )
        return diagnostic("sysctl-memory", place, message, remedy, _MARKS, _RESERVE, Severity.ERROR)
    if kilobytes < _LEAST and memory >= 64 * _M:
        message = (
            f"{told}this is less than {shown(_LEAST * _K)}; the kernel's documentation calls such "
            "a system subtly broken and prone to deadlocks"
        )
        return diagnostic("sysctl-memory", place, message, remedy, _DOC, _RESERVE, Severity.WARNING)
    return None
