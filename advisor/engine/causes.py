"""What makes a condition true or false: the fewest lines and words that would turn it round.

Found in the condition itself: of a true `a && b` either is enough, of a true `a || b` all that are
true have to go. A word that is not there and a fact of the machine are no causes: nobody can take
them back. Among several that are each enough the most particular is named, which is for the caller
to tell: `PSI_DEFAULT_DISABLED=y` says more than `PSI=y`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from advisor.model import condition
from advisor.model.condition import Expr, Term
from advisor.model.report import Origin

if TYPE_CHECKING:
    from advisor.engine.state import World

Rank = Callable[[str], int]
"""How particular a symbol is, the least first."""
_UNLIKELY = 1 << 10
Cause = tuple[int, tuple[Term, ...]]


def causes(expr: Expr, world: World, rank: Rank = lambda name: 0) -> tuple[Origin, ...]:
    """The lines and words that would turn the condition round; none where nobody could."""
    found = _turned(expr, world, rank)
    lines = [origin for term in (found[1] if found else ()) for origin in _origins(term, world)]
    return tuple(dict.fromkeys(lines))


def _turned(expr: Expr, world: World, rank: Rank) -> Cause | None:
    """The terms to turn round, and how particular the least of them is; None if it cannot be."""
    tag = condition.operator_of(expr)
    if tag == "!":
        return _turned(condition.operands(expr)[0], world, rank)
    if tag not in ("&", "|"):
        return _term(condition.term(expr), world, rank) if expr else None
    truth = world.evaluate(expr)
    if not isinstance(truth, bool):
        return None
    parts = condition.operands(expr)
    if truth is (tag == "&"):  # one that turns is enough
        ways = [way for part in parts if (way := _turned(part, world, rank))]
        return min(ways, key=lambda way: (way[0], len(way[1])), default=None)
    # Those that make it so have all to turn.
    deciding = [part for part in parts if world.evaluate(part) is truth]
    ways = [way for part in deciding if (way := _turned(part, world, rank))]
    if not ways or len(ways) < len(deciding):
        return None
    return max(way[0] for way in ways), tuple(term for way in ways for term in way[1])


def _term(term: Term, world: World, rank: Rank) -> Cause | None:
    kind, name = term[:2]
    if kind == "fact" or (kind == "boot" and not world.boot(name)):
        return None
    if kind == "is":
        state = world.state(name)
        return (0, (term,)) if state and state.origins else None
    if kind == "boot":
        return 0, (term,)
    if world.symbol(name) is None:
        return None
    # Whether a configuration has a symbol at all is nothing that a line of it decides, and a line
    # that is there says more than one that is not.
    apart = _UNLIKELY * ((kind == "present") + (world.config.get(world.spelled(name)) is None))
    return apart + rank(name), (term,)


def _origins(term: Term, world: World) -> Sequence[Origin]:
    kind, name = term[:2]
    if kind == "is":
        state = world.state(name)
        return state.origins if state else ()
    if kind == "boot":
        return [world.word_origin(word) for word in world.line.meaning(name)]
    return (world.origin(world.spelled(name)),)
