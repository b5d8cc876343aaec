"""The rebuild after which a kernel reads the words that stand on its boot line already."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.rebuild import rebuild
from advisor.engine.remedies import Test, gives, spelled
from advisor.engine.state import World
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.report import Change, Remedy, RemedyKind
from advisor.model.rules import Tunable


def feature_rebuild(tunable: Tunable, name: str, good: Test, world: World) -> Remedy | None:
    """What to compile in so that the present line gives a value that is `good`; None where it would
    not do.

    Only for words that the line has, and that this kernel ignores since their feature is not
    built: a remedy that asks for a rebuild and for words as well would be two in one.
    """
    lacking = list(dict.fromkeys(_lacking(tunable, name, world)))
    changes: dict[str, Change] = {}
    for symbol in lacking:
        provided = _provided(symbol, world)
        if provided is None:
            return None
        changes |= {change.symbol: change for change in provided.changes}
    if not changes:
        return None
    remedy = Remedy(RemedyKind.REBUILD, name, changes=tuple(changes.values()))
    return remedy if gives(remedy, tunable, good, world) else None


def _lacking(tunable: Tunable, name: str, world: World) -> Iterator[str]:
    """The symbols that the parameters of the line's words for the value miss."""
    for word in spelled(tunable, name, world):
        parameter = world.knowledge.parameter(word.partition("=")[0].replace("-", "_"))
        if (
            parameter
            and parameter.name in world.line.by_name
            and world.line.honours(word).cause == "built"
        ):
            yield from _off(parameter.needs, world)


def _off(needs: Expr, world: World) -> Iterator[str]:
    """What has to be on of a condition all of whose parts must hold, and is not."""
    tag = condition.operator_of(needs)
    if tag == "&":
        for part in condition.operands(needs):
            yield from _off(part, world)
    elif tag == "on" and world.evaluate(needs) is not True:
        yield condition.term(needs)[1]


def _provided(symbol: str, world: World) -> Remedy | None:
    """The rebuild that switches a symbol on and nothing beside it that is no need of it, by the
    tunable whose one line that is, which knows what it takes the place of."""
    for tunable in world.knowledge.tunables():
        for value in tunable.values:
            if any(pairs == ((symbol, "y"),) for pairs in value.sets):
                outcome = rebuild(tunable, value.name, world)
                return outcome if isinstance(outcome, Remedy) else None
    return None
