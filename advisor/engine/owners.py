"""Which file or program sets a value at run time on a host, and may set a remedy back at boot."""

from __future__ import annotations

from advisor.engine.diagnose.next_boot import is_so
from advisor.engine.effective.run_time import Files
from advisor.engine.effective.world import World
from advisor.errors import shortened
from advisor.model.kernel import Layer, Location
from advisor.model.nextboot import NextBoot
from advisor.model.report import Finding, Remedy, RemedyKind


def with_owners(finding: Finding, after: NextBoot, world: World) -> Finding:
    """Return the finding with the owner of each setting among its origins and in its remedies."""
    origins = []
    for origin in finding.state.origins:
        key, _, shown = origin.text.partition("=")
        one = after.writes.get(key) if origin.layer is Layer.RUNTIME else None
        is_owned = one is not None and is_so(one, shown, world)
        origins.append(origin._replace(by=one.owner) if one and is_owned else origin)
    remedies = tuple(_held(remedy, after) for remedy in finding.remedies)
    return finding._replace(state=finding.state._replace(origins=tuple(origins)), remedies=remedies)


def _held(remedy: Remedy, after: NextBoot) -> Remedy:
    """Return the remedy with the owner that sets the same to another value at boot."""
    if remedy.kind is not RemedyKind.RUNTIME:
        return remedy
    files = Files(dict.fromkeys((*after.unsure, *after.writes), ("", Location(""))))
    for setting in remedy.settings:
        for path in (setting.key, *files.instances(setting.key).values()):
            one = after.writes.get(path)
            if one and one.value != setting.value:
                held = f"{one.owner} sets {shortened(one.value)} at boot: change it there"
                return remedy._replace(held=held)
            if path in after.unsure:
                return remedy._replace(held=f"{after.unsure[path]} at boot, and may set it back")
    return remedy
