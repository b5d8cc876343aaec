"""Which lines make a tunable's value so, and which of several are needed for that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from advisor.engine import runtime
from advisor.engine.causes import Lines, Spoils, Turned, causes, turned
from advisor.model import condition
from advisor.model.condition import Expr, Term, Truth
from advisor.model.kernel import Configuration, Layer
from advisor.model.report import LACK, Origin, State
from advisor.model.rules import Interpretation, Tunable, Value
from advisor.record import NamedTuple

_NOTHING: frozenset[str] = frozenset()


class Reading(NamedTuple):
    """The answer of one layer: possible values, what would narrow them, and the lines."""

    values: tuple[str, ...] = ()
    missing: frozenset[str] = _NOTHING
    origins: tuple[Origin, ...] = ()
    counts: runtime.Counts = ()
    kinds: runtime.Kinds = ()
    presence: bool = False


SILENT = Reading()


class Asked(Lines, Protocol):
    """What is asked about a value: the World."""

    config: Configuration

    def evaluate(self, expr: Expr) -> Truth:
        """The truth of a condition."""

    def spelled(self, name: str) -> str:
        """The name under which the configuration has a symbol."""


def also(
    tunable: Tunable, decisive: Reading, layers: Iterable[Reading], world: Asked
) -> tuple[Origin, ...]:
    """The lines of a layer, and those of the layers below that alone would make it the same."""
    origins: list[Origin] = []
    unsure = False
    for layer in reversed([layer for layer in layers if layer.values]):
        if layer.values == decisive.values:
            # Those alone decide which allow the others, or are sure where the others may not count.
            alone = unsure and not layer.missing
            if alone or (
                origins and not _counts_without(layer.origins, tunable, decisive.values, world)
            ):
                origins = []
            origins += layer.origins
            unsure = bool(layer.missing)
        elif origins:
            break
    return tuple(origins) or decisive.origins


def fewest(
    tunable: Tunable, state: State, changes: Callable[[tuple[Origin, ...]], bool]
) -> tuple[Origin, ...]:
    """The origins without those that need not go for the value to be another: lines under words of
    the boot line that are enough, and of several words, and words beside a line, whichever are not
    needed.

    `changes` tells whether the value is surely another without some words of the boot line, and
    with the lines among them taken back, in whichever way.
    """
    words = tuple(one for one in state.origins if one.layer is Layer.BOOT)
    if tunable.parameter or not words:
        return state.origins
    if len(words) < len(state.origins):
        if changes(words):
            return words
        return _needed_beside(state.origins, changes) if changes(state.origins) else state.origins
    if state.compiled == state.effective and not changes(words):
        return ()  # it is so by default, whatever the line says again
    kept = words
    for word in words if len(words) > 1 else ():
        fewer = tuple(one for one in kept if one is not word)
        if fewer and changes(fewer):
            kept = fewer
    return kept


def _needed_beside(
    origins: tuple[Origin, ...], changes: Callable[[tuple[Origin, ...]], bool]
) -> tuple[Origin, ...]:
    """Words and lines that only together make another value, without those that add nothing."""
    kept = origins
    for origin in origins:
        fewer = tuple(one for one in kept if one is not origin)
        if fewer and changes(fewer):
            kept = fewer
    return kept


def _counts_without(
    lines: Iterable[Origin], tunable: Tunable, values: Sequence[str], world: Asked
) -> bool:
    """Whether a word of the line that gives this value would count with those lines turned."""
    value = tunable.value(values[0]) if len(values) == 1 else None
    if value is None or value.boot_when is None:
        return True
    return condition.evaluate(value.boot_when, Turned(world, lines)) is not False


def default_causes(tunable: Tunable, world: Asked) -> tuple[Origin, ...]:
    """The lines that keep the configuration from giving another value than the default; none where
    only the lack of one does."""
    given = (value for value in tunable.values if value.when is not None or value.sets)
    exprs = [as_condition(value) for value in given]
    exprs += [rule.when for rule in tunable.interpret if rule.concerns(tunable.default)]
    for expr in exprs:
        origins = causes(expr, world)
        if origins and not any(origin.text.startswith(LACK) for origin in origins):
            return origins
    return ()


def compiled_causes(tunable: Tunable, value: Value, world: Asked) -> tuple[Origin, ...]:
    """The lines that give the value, else those that keep an earlier one from being so."""
    own = as_condition(value)
    if member := _chosen(tunable, value, own, world):
        return (world.line_of(member),)  # one decision, from which whatever else it sets follows
    place = tunable.values.index(value)
    earlier = [as_condition(one) for one in tunable.values[:place]]
    named: Counter[str] = Counter()

    def rank(name: str) -> int:
        # A symbol on which fewer of the tunable's values depend is the more particular one.
        if not named:
            exprs = map(as_condition, tunable.values)
            named.update(name for expr in exprs for name in condition.symbols(expr))
        return named[name]

    spoils = _held_by_rules(tunable, value, world)
    origins = (causes(expr, world, rank, *spoils) for expr in (own, *earlier))
    return _enough_for_rules(tunable, value, next(filter(None, origins), ()), world)


def _enough_for_rules(
    tunable: Tunable, value: Value, origins: tuple[Origin, ...], world: Asked
) -> tuple[Origin, ...]:
    """One of several lines, if a rule would take the value away as soon as that alone is turned:
    with `security=apparmor` AppArmor decides, whatever other modules are built."""
    own = as_condition(value)
    for origin in origins if len(origins) > 1 and tunable.interpret else ():
        after = Turned(world, (origin,))
        # Where the lines then give another value by themselves, no rule takes this one away.
        if condition.evaluate(own, after) is True and _taken(tunable, value.name, after):
            return (origin,)
    return origins


def _taken(tunable: Tunable, name: str, after: Turned) -> bool:
    """Whether the rules, one after the other, surely make another value of that one then."""
    ruled = name
    for rule in tunable.interpret:
        if rule.concerns(ruled) and condition.evaluate(rule.when, after) is True:
            ruled = rule.target
    return ruled != name


def _held_by_rules(tunable: Tunable, value: Value, world: Asked) -> tuple[Spoils, ...]:
    """Whether a rule would still make whatever there is then the same value, with some terms taken
    back; none where no rule could: `security=selinux` keeps AppArmor off, built or not, so that
    only SELinux, once built, would make a difference."""
    rules = [rule.when for rule in tunable.interpret if rule.target == value.name]
    if not any(world.evaluate(when) is not False for when in rules):
        return ()

    def held(terms: Iterable[Term]) -> bool:
        after = turned(world, terms)
        return any(condition.evaluate(when, after) is True for when in rules)

    return (held,)


def _chosen(tunable: Tunable, value: Value, expr: Expr, world: Asked) -> str:
    """The member of its choice that is taken, if that is what the value asks for."""
    if not tunable.choice or not value.sets:
        return ""
    taken = (name for name in map(world.spelled, tunable.choice) if world.config.get(name) == "y")
    member = next(taken, "")
    asked = {*map(world.spelled, condition.symbols(expr))} if member else ()
    return member if member in asked and member in map(world.spelled, dict(value.sets[0])) else ""


def as_condition(value: Value) -> Expr:
    """Under which condition the configuration gives the value."""
    if value.when is not None or not value.sets:
        return value.when
    # A module may be built in as well: what m gives, y gives too.
    terms = (
        [["on", s] if v == "m" else ["sym", s, "=", v] for s, v in pairs] for pairs in value.sets
    )
    return ["|", *(["&", *every] for every in terms)]


def with_rule(
    tunable: Tunable, rule: Interpretation, origins: tuple[Origin, ...], world: Asked
) -> tuple[Origin, ...]:
    """What makes a value so, and what would still make any other the same with that turned."""
    if world.evaluate(rule.when) is not True:
        return origins
    after = Turned(world, origins)
    if condition.evaluate(rule.when, after) is False or _taken(tunable, rule.target, after):
        return origins
    return tuple(dict.fromkeys((*origins, *causes(rule.when, world))))
