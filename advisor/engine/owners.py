"""What sets a value again at the next boot: a word of the boot line; of a host, a file or program
that sets it at run time."""

from __future__ import annotations

import re

from advisor.engine.diagnose.next_boot import is_so
from advisor.engine.effective.run_time import Files
from advisor.engine.effective.world import World
from advisor.errors import shortened
from advisor.model.finding import Finding
from advisor.model.kernel import Layer, Location
from advisor.model.nextboot import NextBoot
from advisor.model.remedy import Remedy, RemedyKind
from advisor.model.state import LACK

# A package's update would write such a file again; each has a folder in /etc that counts before it.
_OF_A_PACKAGE = re.compile(r"/lib/(?:sysctl\.d|udev/rules\.d|tmpfiles\.d|modprobe\.d|tuned)/")


def with_boot_words(finding: Finding) -> Finding:
    """Return the finding; a remedy at run time names the words that decide against it at boot."""
    by = [origin for origin in finding.state.origins if origin.layer is Layer.BOOT]
    words = [shortened(one.text) for one in by if not one.text.startswith(LACK)]
    if not words or all(one.kind is not RemedyKind.RUNTIME for one in finding.remedies):
        return finding
    undo, them = ("undo", "the parameters") if len(words) > 1 else ("undoes", "the parameter")
    named = " and ".join(words)
    held = f"{named} on the boot line {undo} this change at each boot: also remove or change {them}"
    remedies = (
        one._replace(held=held) if one.kind is RemedyKind.RUNTIME else one
        for one in finding.remedies
    )
    return finding._replace(remedies=tuple(remedies))


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
                is_packaged = _OF_A_PACKAGE.search(one.place.path)
                hint = "override it in /etc" if is_packaged else "change it there"
                held = f"{one.owner} sets {shortened(one.value)} at boot: {hint}"
                return remedy._replace(held=held)
            if path in after.unsure:
                return remedy._replace(
                    held=f"{after.unsure[path]} at boot, and may undo this change"
                )
    return remedy
