"""What of a kernel a host has in use, beside what its rules read: swap, control groups, drivers.

What swaps is told to conditions as well, under the name of its file (`shown(/proc/swaps = none)`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from advisor.inputs.host.facts import is_container
from advisor.inputs.host.root import Root
from advisor.inputs.runtime import Settings
from advisor.model.numbers import whole_number
from advisor.model.subject import InUse

SWAPS = "/proc/swaps"
_MOST_OF_SWAPS = 1 << 14
_CPUS = "/sys/devices/system/cpu"
_GROUPS = "/sys/fs/cgroup"
OF_VERSION_1 = ("memory", "pids", "cpu", "cpuset", "blkio")
"""Controllers of which the first version of control groups has a folder each."""
_PAGES = re.compile(r"/hugepages-([0-9]{1,12})kB/")
CONTROLLERS = (f"{_GROUPS}/cgroup.controllers", f"{_GROUPS}/unified/cgroup.controllers")
_SCHEDULER = ("/sys/kernel/sched_ext/state", "/sys/kernel/sched_ext/root/ops")
_IDLE = (f"{_CPUS}/cpuidle/current_driver", f"{_CPUS}/cpuidle/current_governor")
_READ_ONLY = f"{_CPUS}/cpuidle/current_governor_ro"
"""In place of the file of the governor, where that cannot be chosen (before 5.8)."""
_SCALING = tuple(
    f"{_CPUS}/cpufreq/policy*/{name}"
    for name in ("scaling_driver", "scaling_governor", "energy_performance_preference")
)
_CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
_SMT = f"{_CPUS}/smt/control"
_SECURITY = ("/sys/kernel/security/lsm", "/sys/kernel/security/lockdown")
_HUGE = (
    "/sys/kernel/mm/hugepages/hugepages-*/nr_hugepages",
    "/sys/devices/system/node/node*/hugepages/hugepages-*/nr_hugepages",
)
VALUES = (
    *CONTROLLERS,
    *_SCHEDULER,
    *_IDLE,
    _READ_ONLY,
    *_SCALING,
    _CLOCK,
    _SMT,
    *_SECURITY,
    *_HUGE,
)
"""Files that are read, which a snapshot takes as they are."""


def read_in_use(root: Root, told: Settings | None = None) -> tuple[InUse, ...]:
    """What the host has in use, as far as its files tell; what was `told` of files is not read
    again."""
    told = told or {}
    parts = (
        ("scheduler", _scheduler(root)), ("swap", ", ".join(_swaps(root))),
        ("control groups", _groups(root)), ("huge pages", _huge_pages(root)),
        ("CPU frequency", _scaling(root, told)), ("CPU idle", _idle(root)),
        ("clock", _line(root, _CLOCK)), ("SMT", _line(root, _SMT)),
        ("security", _security(root)),
    )  # fmt: skip
    return tuple(InUse(name, text) for name, text in parts if text)


def kinds_of_swap(root: Root) -> str:
    """On what the host swaps, as words: `disk`, `file`, `zram`, or `none`; empty: not told."""
    devices = _devices(root)
    if devices is None:
        return ""
    return " ".join(sorted({_kind(name, of) for name, of in devices})) or "none"


def _devices(root: Root) -> list[tuple[str, str]] | None:
    """The devices and files on which it swaps, each with its type; None where that is not told."""
    head, *lines = root.head(SWAPS, _MOST_OF_SWAPS).split("\n")
    if not head.startswith("Filename"):
        return None
    words = (line.split() for line in lines)
    return [(one[0], one[1]) for one in words if len(one) > 1]


def _kind(name: str, of: str) -> str:
    if re.match(r"/dev/zram[0-9]", name):
        return "zram"
    return "file" if of == "file" else "disk"


def _swaps(root: Root) -> Iterator[str]:
    devices = _devices(root)
    if devices is not None:
        yield from (name.removeprefix("/dev/") for name, _ in devices)
        if not devices:
            yield "none"


def _groups(root: Root) -> str:
    """Which version of control groups, and its controllers; nothing within a container, whose own
    they are."""
    if is_container(root):
        return ""
    second = [text for path in CONTROLLERS if (text := root.text(path)) is not None]
    first = any(root.is_folder(f"{_GROUPS}/{name}") for name in OF_VERSION_1)
    controllers = " ".join(" ".join(second).split())
    if first:
        return "version 1" + (
            f", and version 2 for {controllers or 'no controller'}" if second else ""
        )
    return f"version 2 ({controllers})" if second else ""


def _scheduler(root: Root) -> str:
    """The program that schedules in place of the kernel's own scheduler, if one does."""
    state, name = (_line(root, path) for path in _SCHEDULER)
    return f"{name or 'a program'} (sched_ext)" if state == "enabled" else ""


def _scaling(root: Root, told: Settings) -> str:
    """Drivers and governors of all policies, those of most first."""
    found = []
    for pattern in _SCALING:
        texts = (
            told[path][0] if path in told else _line(root, path) for path in root.matching(pattern)
        )
        counts = Counter(filter(None, texts))
        total = sum(counts.values())
        one = len(counts) == 1
        called = "preference " * pattern.endswith("_preference")
        found += [
            called + (name if one else f"{name} on {count} of {total}")
            for name, count in counts.most_common()
        ]
    return ", ".join(found)


def _idle(root: Root) -> str:
    driver, governor = (_line(root, path) for path in _IDLE)
    governor = governor or _line(root, _READ_ONLY)
    return ", ".join(filter(None, (driver, governor)))


def _security(root: Root) -> str:
    modules, mode = (_line(root, path) for path in _SECURITY)
    chosen = re.search(r"\[(\w+)\]", mode)
    locked = f"lockdown {chosen[1]}" if chosen and chosen[1] != "none" else ""
    return "; ".join(filter(None, (modules.replace(",", " "), locked)))


def _huge_pages(root: Root) -> str:
    """How many pages of each size are reserved, on which nodes where there are several."""
    whole, by_node = (dict(_numbers(root, pattern)) for pattern in _HUGE)
    sizes: dict[int, str] = {}
    for path, number in whole.items():
        size = _size(path)
        nodes = {p.split("/")[5]: n for p, n in by_node.items() if _size(p) == size}
        spread = ", ".join(f"{node} {count}" for node, count in sorted(nodes.items()))
        if number:
            sizes[size] = f"{number} of {_called(size)}" + f" ({spread})" * (len(nodes) > 1)
    return ", ".join(sizes[size] for size in sorted(sizes))


def _numbers(root: Root, pattern: str) -> Iterator[tuple[str, int]]:
    for path in root.matching(pattern):
        text = _line(root, path)
        if (number := whole_number(text)) is not None:
            yield path, number


def _size(path: str) -> int:
    found = _PAGES.search(path)
    return (whole_number(found[1]) or 0) if found else 0


def _called(size: int) -> str:
    """A size in KiB: `2 MiB`."""
    for unit in ("KiB", "MiB", "GiB"):
        if size < 1024 or size % 1024:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} TiB"


def _line(root: Root, path: str) -> str:
    return " ".join((root.text(path) or "").split())[:200]
