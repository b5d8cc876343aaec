"""Which services systemd starts at boot: those that a unit wants or requires, and nobody masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.inputs.folders import UNITS
from advisor.inputs.host.root import Root

_ENDING = ".service"
_MASKED = "/dev/null"


def enabled(root: Root) -> list[str]:
    """Lists all such services, with their ending, sorted."""
    found = {name for path in _linked(root) for name in root.names(path)}
    return sorted(n for n in found if n.endswith(_ENDING) and not is_masked(root, n))


def starts(root: Root, unit: str) -> bool:
    """Whether the service of that name, without its ending, is one of them."""
    return any(started(root, (unit,)))


def started(root: Root, units: Iterable[str]) -> Iterator[str]:
    """Yields those of these services that systemd starts, in their order; its folders are listed
    once."""
    folders = list(_linked(root))
    for unit in units:
        name = unit + _ENDING
        if not is_masked(root, name) and any(root.has(f"{path}/{name}") for path in folders):
            yield unit


def is_masked(root: Root, name: str) -> bool:
    """Whether an administrator has masked the unit."""
    return root.link(f"{UNITS[0]}/{name}") == _MASKED


def _linked(root: Root) -> Iterator[str]:
    """The folders with links to what a unit wants or requires."""
    for folder in UNITS:
        for entry in root.names(folder):
            if entry.endswith((".wants", ".requires")):
                yield f"{folder}/{entry}"
