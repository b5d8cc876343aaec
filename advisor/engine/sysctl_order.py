"""Where a plan's file of sysctl.d stands in the order of their names: the last line of a sysctl
counts, whatever the folder (sysctl.d(5)).

A package's file that is read after ours would undo it, so that ours then has a later name. A
person's file keeps its say, and is named. TuneD draws the same line: it writes again what files
below /etc and /run set, and passes over those of packages (reapply_sysctl of tuned-main.conf).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.engine.effective.world import World
from advisor.engine.owners import with_boot_words, with_owners
from advisor.model.nextboot import NextBoot
from advisor.model.plan import File, Item, Plan
from advisor.model.remedy import RemedyKind

_PLACE = re.compile(r"(/usr/local/lib|(?:/usr)?/lib|/etc)/sysctl\.d/([^/]+)$")
_PERSONAL = "/etc"


def with_order(plan: Plan, after: NextBoot, world: World) -> Plan:
    """Return the plan with the name of its file, and without the owners that the file overrides."""
    places = list(_places(plan.items, after))
    rivals = {key: place for key, place, differs in places if differs}
    early, late = (path.rpartition("/")[2] for path in File.SYSCTL.paths)
    behind = {(folder, name) for folder, name in rivals.values() if early < name < late}
    is_late = bool(behind) and not any(folder == _PERSONAL for folder, _ in behind)
    # An earlier plan's file of the later name would count in place of this one.
    is_late |= any(name == late for _, (_, name), _ in places)
    own = late if is_late else early
    beaten = {key for key, (_, name) in rivals.items() if name <= own}
    writes = {key: one for key, one in after.writes.items() if key not in beaten}
    after = after._replace(writes=writes)
    items = []
    for item in plan.items:
        if item.remedy.kind is not RemedyKind.RUNTIME:
            items.append(item)
            continue
        bare = item.finding._replace(remedies=(item.remedy._replace(held=""),))
        (remedy,) = with_owners(with_boot_words(bare), after, world).remedies
        items.append(item._replace(remedy=remedy))
    return plan._replace(items=tuple(items), is_late=is_late)


def _places(items: Iterable[Item], after: NextBoot) -> Iterator[tuple[str, tuple[str, str], bool]]:
    """Yield the sysctls that a file of sysctl.d sets, with its folder and name, and whether it sets
    another value."""
    for setting in (one.setting for item in items for one in item.kept):
        written = after.writes.get(setting.key)
        place = _PLACE.search(written.place.path) if written and not written.by else None
        if written and place:
            yield setting.key, (place[1], place[2]), written.value != setting.value
