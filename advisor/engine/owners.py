"""Who sets what holds at run time on a host, and who would set a remedy back at the next boot."""

from __future__ import annotations

from advisor.engine.drift import is_so
from advisor.engine.runtime import Files
from advisor.engine.state import World
from advisor.errors import shortened
from advisor.model.kernel import Layer, Location
from advisor.model.nextboot import NextBoot
from advisor.model.report import Finding, Origin, Remedy, RemedyKind


def with_owners(finding: Finding, after: NextBoot, world: World) -> Finding:
    """The finding with the owner of each setting that makes it so, and of what its remedies set."""
    origins = tuple(_owned(origin, after, world) for origin in finding.state.origins)
    remedies = tuple(_held(remedy, after) for remedy in finding.remedies)
    return finding._replace(state=finding.state._replace(origins=origins), remedies=remedies)


def _owned(origin: Origin, after: NextBoot, world: World) -> Origin:
    if origin.layer is not Layer.RUNTIME:
        return origin
    key, _, shown = origin.text.partition("=")
    one = after.writes.get(key)
    if one is None:
        return origin
    return origin._replace(by=one.owner) if is_so(one, shown, world) else origin


def _held(remedy: Remedy, after: NextBoot) -> Remedy:
    """The remedy with what sets the same to another value at boot."""
    if remedy.kind is not RemedyKind.RUNTIME:
        return remedy
    told = {key: (one.value, one.place) for key, one in after.writes.items()}
    files = Files({**dict.fromkeys(after.unsure, ("", Location(""))), **told})
    for setting in remedy.settings:
        paths = [setting.key, *files.instances(setting.key).values()]
        for path in paths:
            one = after.writes.get(path)
            if one and one.value != setting.value:
                held = f"{one.owner} sets {shortened(one.value)} at boot: change it there"
                return remedy._replace(held=held)
            if path in after.unsure:
                return remedy._replace(held=f"{after.unsure[path]} at boot, and may set it back")
    return remedy
