"""Programs and devices in use on a host that make a setting useless."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.effective.world import World
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.kernel import Location

_SWAPS = "/proc/swaps"
_ZSWAP = "/sys/module/zswap/parameters/enabled"


def used_in_vain(world: World) -> Iterator[Diagnostic]:
    """Report settings that are on without effect, or repeat what is done already."""
    ext = next((one.text for one in world.subject.in_use if one.name == "scheduler"), "")
    if ext:
        message = (
            f"the program {ext} schedules the ordinary tasks: findings about the kernel's own "
            "scheduler apply only after this program has ended"
        )
        yield diagnostic("scheduler-replaced", Location(world.subject.name), message)
    zswap = world.value("zswap")
    if zswap is None or zswap.effective != ("on",) or not world.files.instances(_SWAPS):
        return
    place = world.files.origin(_SWAPS).location
    kinds = world.files.text(_SWAPS)
    if kinds == "none":
        yield diagnostic("zswap-idle", place, "zswap is on, but the host has no swap")
    elif kinds == "zram":
        message = "zswap is on, and the only swap is zram: pages are compressed twice"
        remedy = f"echo N > {_ZSWAP}"
        yield diagnostic("compressed-twice", place, message, remedy)
