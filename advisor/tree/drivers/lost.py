"""Which drivers the lost symbols of a comparison built, and the devices that these named."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.model.comparison import Comparison, LostDriver, SymbolKind
from advisor.tree.drivers.devices import Devices

_KINDS = (SymbolKind.LOST, SymbolKind.GONE, SymbolKind.UNTOLD)
_ON = ("y", "m")


def with_drivers(comparison: Comparison, new: Devices, old: Devices | None) -> Comparison:
    """The comparison with the drivers that it lost, as the sources of the trees tell.

    The old kernel's tree tells of all, by the names that the configuration has. Without it the new
    one tells what its own drivers would drive that are off now, and nothing of those it has not.
    """
    moves = (move for move in comparison.symbols if move.kind in _KINDS and move.old in _ON)
    names = {move.symbol: move.became or move.symbol for move in moves}
    names = {**{loss.symbol: loss.symbol for loss in comparison.losses}, **names}
    if not names:
        return comparison
    tree = old or new
    if not tree.present:
        which = "old tree" if old else "tree"
        untold = (
            f"the {which} contains no driver sources: the devices of lost drivers are not known"
        )
        return comparison._replace(devices_untold=untold)
    found = tuple(_drivers(names, tree, is_old=old is not None))
    told = {driver.symbol for driver in found}
    left = [one.symbol for one in comparison.losses if one.gone and one.symbol not in told]
    untold = ""
    if left and old is None:
        untold = f"drivers not in this kernel: {len(left)} more; --old-tree DIR names their devices"
    return comparison._replace(drivers=found, devices_untold=untold)


def _drivers(names: dict[str, str], tree: Devices, *, is_old: bool) -> Iterator[LostDriver]:
    for symbol, name in names.items():
        for driver in tree.drivers(symbol, symbol if is_old else name):
            yield driver._replace(old=is_old)
