"""What runs on a host, or is started when it starts: systemd's units, others' services, processes.

Units are told by their control groups, of which a host has some fifty, and not by its processes, of
which it may have 100,000. Only where no init keeps its services apart, processes are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.inputs.folders import UNITS
from advisor.inputs.host.root import Root
from advisor.inputs.host.units import enabled
from advisor.model.evidence import Sign
from advisor.model.numbers import whole_number

_SERVICE = ".service"
# Of the unified hierarchy, beside the old ones, and of systemd's own among the old ones.
_GROUPS = (
    "/sys/fs/cgroup/system.slice",
    "/sys/fs/cgroup/unified/system.slice",
    "/sys/fs/cgroup/systemd/system.slice",
)
_OPENRC = "/run/openrc/started"
# A process of a container is that of its first process, or a child of it.
_CONTAINER = re.compile(r"(?:docker|libpod|cri-containerd|crio)-[0-9a-f]{12,64}\.scope")
_MOST_CONTAINERS = 256
_MOST_OF_ONE = 8
_MOST_PROCESSES = 4096
"""Of so many processes the names are read: those of the lowest numbers, as services start early."""
_NAME = 64


def read_services(root: Root) -> Iterator[Sign]:
    """The units and processes that run there; where nothing runs, what a start would start."""
    for group in _GROUPS:
        names = root.names(group)
        if any(name.endswith(_SERVICE) for name in names):
            yield from _units(root, group, names)
            yield from _in_containers(root, group, names)
            return
    if started := root.names(_OPENRC):
        yield from (Sign("unit", name, name) for name in started)
        return
    if numbers := sorted(_numbers(root.names("/proc"))):
        yield from _processes(root, numbers[:_MOST_PROCESSES])
        return
    yield from _enabled(root)


def _numbers(names: list[str]) -> Iterator[int]:
    """The numbers of processes among names."""
    numbers = (whole_number(name, longest=9) for name in names)
    return (number for number in numbers if number is not None)


def _units(root: Root, group: str, names: list[str]) -> Iterator[Sign]:
    """Services, and those of a template, which have a slice of their own within."""
    for name in names:
        if name.endswith(_SERVICE) and _is_populated(root, f"{group}/{name}"):
            yield _unit(name)
        elif name.startswith("system-") and name.endswith(".slice"):
            inner = (one for one in root.names(f"{group}/{name}") if one.endswith(_SERVICE))
            yield from (_unit(one) for one in inner if _is_populated(root, f"{group}/{name}/{one}"))


def _unit(name: str, runs: bool = True) -> Sign:
    # Of what a name of a unit may not hold, systemd writes the bytes as \x2d.
    return Sign("unit", name.removesuffix(_SERVICE), name, runs)


def _is_populated(root: Root, group: str) -> bool:
    """Whether a process is in a group or below; the old hierarchies do not tell."""
    return "populated 0" not in (root.text(f"{group}/cgroup.events") or "")


def _in_containers(root: Root, group: str, names: list[str]) -> Iterator[Sign]:
    """The processes of containers that are groups of systemd, a few of each."""
    groups = [f"{group}/{name}" for name in names if _CONTAINER.fullmatch(name)]
    beside = f"{group.rpartition('/')[0]}/machine.slice"
    groups += [f"{beside}/{name}" for name in root.names(beside) if _CONTAINER.fullmatch(name)]
    for one in groups[:_MOST_CONTAINERS]:
        places = [one, *(f"{one}/{name}" for name in ("container", "libpod-payload"))]
        for place in places:
            numbers = root.head(f"{place}/cgroup.procs", 1 << 12).split()
            for sign in _processes(root, list(_numbers(numbers[:_MOST_OF_ONE]))):
                yield sign._replace(text=f"{sign.name}, in a container")


def _processes(root: Root, numbers: list[int]) -> Iterator[Sign]:
    names: dict[str, int] = {}
    for number in numbers:
        # What ends meanwhile is not there.
        text = root.head(f"/proc/{number}/comm", _NAME).strip()
        if text:
            names.setdefault(text, number)
    yield from (Sign("process", name, f"process {number}") for name, number in names.items())


def _enabled(root: Root) -> Iterator[Sign]:
    """What is started with the host, by the links of systemd, OpenRC, or the old init."""
    if root.has(UNITS[0]):
        yield from (_unit(name, runs=False) for name in enabled(root))
        return
    names = set(root.names("/etc/runlevels/default"))
    for level in ("rc.d", "rc2.d", "rc3.d", "rc5.d"):
        scripts = (re.fullmatch(r"S[0-9]{2}(.+)", name) for name in root.names(f"/etc/{level}"))
        names.update(script[1] for script in scripts if script)
    yield from (Sign("unit", name, name, runs=False) for name in sorted(names))
