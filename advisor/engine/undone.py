"""What a rebuild would leave of another remedy: nothing, where it switches off what that needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.engine.state import World
from advisor.engine.what_if import world_with
from advisor.model import condition
from advisor.model.report import Change, Finding, Verdict
from advisor.model.rules import Tunable


def undone(
    tunable: Tunable,
    value: str,
    world: World,
    changes: Sequence[Change],
    after: World | None = None,
) -> bool:
    """Whether a value of the tunable would come to nothing by what these changes switch off: it
    needs that, or there would be no such setting any more. `after` is the world with the changes,
    and with others that are made beside them."""
    off = {change.symbol for change in changes if change.new == "n"}
    one = tunable.value(value)
    for expr in (tunable.exists, one.requires if one else tunable.requires) if off else ():
        if not off.isdisjoint(map(world.spelled, condition.symbols(expr))):
            after = after or world_with(world, changes)
            if after.evaluate(expr) is False:
                return True
    return False


def with_what_it_undoes(findings: Sequence[Finding], world: World) -> list[Finding]:
    """The findings; one whose rebuild takes away what another, no weaker one asks for says so."""
    asked = [f for f in findings if f.verdict is Verdict.CHANGE and not f.waived and f.remedies]
    return [_with(finding, asked, world) for finding in findings]


def _with(finding: Finding, asked: Iterable[Finding], world: World) -> Finding:
    changes = finding.remedies[0].changes if finding.remedies else ()
    is_asked = finding.verdict is Verdict.CHANGE and not finding.reason
    if not is_asked or all(change.new != "n" for change in changes):
        return finding
    lost = [
        other.tunable.title
        for other in asked
        if other.tunable.id != finding.tunable.id
        and other.advice.strength.rank <= finding.advice.strength.rank
        and _is_undone(other, world, changes)
    ]
    if not lost:
        return finding
    titles = ", ".join(dict.fromkeys(lost))
    return finding._replace(reason=f"it leaves nothing of what is asked for as well: {titles}")


def _is_undone(other: Finding, world: World, changes: Sequence[Change]) -> bool:
    remedy = other.remedies[0]
    needed = {change.symbol for change in remedy.changes if change.new != "n"}
    off = {change.symbol for change in changes if change.new == "n"}
    if needed <= off:
        return False
    after = world_with(world, (*remedy.changes, *changes))  # with what the other brings itself
    return undone(other.tunable, remedy.value, world, changes, after)
