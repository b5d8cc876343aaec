"""What an earlier plan's files set, and the new plan has to set as well: its files replace them.

A finding that such a file satisfies asks for nothing. Without the line, it would ask again after
the next boot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.diagnose.next_boot import is_so
from advisor.engine.effective.run_time import Files
from advisor.engine.effective.world import World
from advisor.engine.remedy.runtime_remedies import runtime_remedy
from advisor.model.finding import Finding, Verdict
from advisor.model.nextboot import Written


def carried(findings: Iterable[Finding], world: World) -> Iterator[Finding]:
    """Yield the findings that files of an earlier plan satisfy, with the settings of these files as
    the remedy."""
    own = _in_force(world)
    files = Files({key: (one.value, one.place) for key, one in own.items()})
    for finding in findings if own else ():
        values = finding.state.effective
        if finding.verdict is not Verdict.OK or len(values) != 1:
            continue
        remedy = runtime_remedy(finding.tunable, values[0], world)
        if remedy is None:
            continue
        settings = []
        for setting in remedy.settings:
            given = {own[key].value for key in files.instances(setting.key).values()}
            if len(given) == 1:  # the same for all that it is for
                settings.append(setting._replace(value=given.pop()))
        if len(settings) == len(remedy.settings):
            yield finding._replace(remedies=(remedy._replace(settings=tuple(settings)),))


def _in_force(world: World) -> dict[str, Written]:
    """Return what the host's files of an earlier plan set, by the key, where it is so now."""
    after = world.subject.next
    if after is None:
        return {}
    return {
        key: one
        for key, one in after.own.items()
        if key in after.now and is_so(one, after.now[key][0], world)
    }
