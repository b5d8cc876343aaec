"""The rebuild after which a kernel reads words of its boot line: those that stand there already,
and those that can be added then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.engine.dependencies import enabled
from advisor.engine.rebuild import rebuild
from advisor.engine.remedies import Test, boot_change, gives, spelled
from advisor.engine.state import World
from advisor.engine.what_if import rebooted
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.condition import Expr
from advisor.model.report import Change, Remedy, RemedyKind
from advisor.model.rules import Tunable


def feature_rebuild(tunable: Tunable, name: str, good: Test, world: World) -> Remedy | None:
    """What to compile in so that the present line gives a value that is `good`; None where it would
    not do: only words that the line has count, which this kernel ignores since what reads them is
    not built.
    """
    remedy = _built(tunable, name, world, on_line=True)
    return remedy if remedy and gives(remedy, tunable, good, world) else None


def rebuilt_for_words(tunable: Tunable, name: str, good: Test, world: World) -> Remedy | None:
    """What to compile in, with the words that give a value then; None where both would not do."""
    remedy = _built(tunable, name, world, on_line=False)
    return with_words(remedy, tunable, good, world) if remedy else None


def with_words(remedy: Remedy, tunable: Tunable, good: Test, world: World) -> Remedy | None:
    """A rebuild with the words that give its value then; None where both would not do."""
    after = rebooted(world, remedy)
    state = after.state(tunable.id)
    line = boot_change(tunable, [remedy.value], state, good, after) if state else None
    if line is None:
        return None
    both = remedy._replace(words=line.words, drop=line.drop, repeats=line.repeats)
    return both if gives(both, tunable, good, world) else None


def _built(tunable: Tunable, name: str, world: World, on_line: bool) -> Remedy | None:
    """The rebuild with everything that the words for a value miss, where all of it can be had."""
    changes: dict[str, Change] = {}
    for needs in _unmet(tunable, name, world, on_line):
        provided = _provided_all(needs, world)
        if provided is None:
            return None
        changes |= {change.symbol: change for change in provided}
    return Remedy(RemedyKind.REBUILD, name, changes=tuple(changes.values())) if changes else None


def _unmet(tunable: Tunable, name: str, world: World, on_line: bool) -> Iterator[Expr]:
    """What is not built of that which reads the words for the value; of those alone that are on the
    line, where it has to be there."""
    for word in spelled(tunable, name, world):
        parameter = world.knowledge.parameter(parameter_name(word))
        if (
            parameter
            and (not on_line or parameter.name in world.line.by_name)
            and world.line.honours(word).cause == "built"
        ):
            yield parameter.needs


def _provided_all(needs: Expr, world: World) -> Sequence[Change] | None:
    """The changes after which a condition holds, of alternatives for the first that can be had."""
    if world.evaluate(needs) is True:
        return ()
    tag = condition.operator_of(needs)
    if tag == "on":
        return _provided(condition.term(needs)[1], world)
    parts = (_provided_all(part, world) for part in condition.operands(needs))
    if tag == "|":
        return next((part for part in parts if part is not None), None)
    if tag != "&":  # what nobody can build, as a release or an architecture
        return None if world.evaluate(needs) is False else ()
    found = list(parts)
    return None if None in found else [change for part in found if part for change in part]


def _provided(symbol: str, world: World) -> Sequence[Change] | None:
    """The changes that switch a symbol on and nothing beside it that is no need of it, by the
    tunable whose one line that is, which knows what it takes the place of."""
    if found := world.knowledge.own(symbol):
        tunable, value = found
        outcome = rebuild(tunable, value.name, world)
        return outcome.changes if isinstance(outcome, Remedy) else None
    return enabled(symbol, world)
