"""What makes a condition true or false: the fewest lines and words that would turn it round.

Found in the condition itself: of a true `a && b` either is enough, of a true `a || b` all that are
true have to go. A word that is not there and a fact of the machine are no causes: nobody can take
them back. Among several that are each enough the most particular is named, which is for the caller
to tell: `PSI_DEFAULT_DISABLED=y` says more than `PSI=y`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from advisor.model import condition
from advisor.model.condition import Expr, Facts, Term
from advisor.model.report import Origin, State

Rank = Callable[[str], int]
"""How particular a symbol is, the least first."""
_UNLIKELY = 1 << 10
Cause = tuple[int, tuple[Term, ...]]


class Lines(Facts, Protocol):
    """What conditions ask, and which lines and words the answers come from."""

    def state(self, name: str) -> State | None:
        """The state of a tunable; None where this kernel has no such thing."""

    def line_of(self, symbol: str) -> Origin:
        """The line about a symbol under whatever name, or the lack of one."""

    def words_of(self, pattern: str) -> Iterable[Origin]:
        """The words that mean the pattern."""


def _alike(name: str) -> int:
    return 0


def causes(expr: Expr, lines: Lines, rank: Rank = _alike) -> tuple[Origin, ...]:
    """The lines and words that would turn the condition round; none where nobody could."""
    if condition.operator_of(expr) not in condition.OPERATORS:
        rank = _alike  # with a single term there is nothing to choose from
    found = _turned(expr, lines, rank)
    origins = (origin for term in (found[1] if found else ()) for origin in _origins(term, lines))
    return tuple(dict.fromkeys(origins))


def _turned(expr: Expr, lines: Lines, rank: Rank) -> Cause | None:
    """The terms to turn round, and how particular the least of them is; None if it cannot be."""
    tag = condition.operator_of(expr)
    if tag == "!":
        return _turned(condition.operands(expr)[0], lines, rank)
    if tag not in ("&", "|"):
        return _term(condition.term(expr), lines, rank) if expr else None
    truth = condition.evaluate(expr, lines)
    if not isinstance(truth, bool):
        return None
    parts = condition.operands(expr)
    if truth is (tag == "&"):  # one that turns is enough
        ways = [way for part in parts if (way := _turned(part, lines, rank))]
        return min(ways, key=lambda way: (way[0], len(way[1])), default=None)
    # Those that make it so have all to turn.
    deciding = [part for part in parts if condition.evaluate(part, lines) is truth]
    ways = [way for part in deciding if (way := _turned(part, lines, rank))]
    if not ways or len(ways) < len(deciding):
        return None
    return max(way[0] for way in ways), tuple(term for way in ways for term in way[1])


def _term(term: Term, lines: Lines, rank: Rank) -> Cause | None:
    kind, name = term[:2]
    if kind == "fact" or (kind == "boot" and not lines.boot(name)):
        return None
    if kind == "is":
        state = lines.state(name)
        return (0, (term,)) if state and state.origins else None
    if kind == "boot":
        return 0, (term,)
    if lines.symbol(name) is None:
        return None
    # Whether a configuration has a symbol at all is nothing that a line of it decides, and a line
    # that is there says more than one that is not.
    apart = _UNLIKELY * ((kind == "present") + (not lines.present(name)))
    return apart + rank(name), (term,)


def _origins(term: Term, lines: Lines) -> Iterable[Origin]:
    kind, name = term[:2]
    if kind == "is":
        state = lines.state(name)
        return state.origins if state else ()
    if kind == "boot":
        return lines.words_of(name)
    return (lines.line_of(name),)
