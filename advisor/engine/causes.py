"""What makes a condition true or false: the fewest lines and words that would turn it round.

Found in the condition itself: of a true `a && b` either is enough, of a true `a || b` all that are
true have to go. A word that is not there and a fact of the machine are no causes: nobody can take
them back. Among several that are each enough the most particular is named, which is for the caller
to tell: `PSI_DEFAULT_DISABLED=y` says more than `PSI=y`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from advisor.engine.impossible import is_capability
from advisor.model import condition
from advisor.model.condition import Expr, Fact, Facts, Term, Truth
from advisor.model.report import LACK, Origin, State

Rank = Callable[[str], int]
"""How particular a symbol is, the least first."""
_UNLIKELY = 1 << 10
Cause = tuple[int, tuple[Term, ...]]
Spoils = Callable[[Iterable[Term]], bool]


class Lines(Facts, Protocol):
    """What conditions ask, and which lines and words the answers come from."""

    def state(self, name: str) -> State | None:
        """The state of a tunable; None where this kernel has no such thing."""

    def line_of(self, symbol: str) -> Origin:
        """The line about a symbol under whatever name, or the lack of one."""

    def cannot_be(self, symbol: str) -> bool:
        """Whether no line could have the symbol on in this kernel."""

    def words_of(self, pattern: str) -> Iterable[Origin]:
        """The words that mean the pattern."""


def _alike(name: str) -> int:
    return 0


class Turned(Facts):
    """What conditions would be told if these lines and words were taken back."""

    def __init__(self, lines: Lines, origins: Iterable[Origin]) -> None:
        self._lines = lines
        self._texts = {origin.text for origin in origins}

    def symbol(self, name: str) -> str | None:
        """The other value of a switch that is taken back; of a number or text none is known."""
        value = self._lines.symbol(name)
        if self._lines.line_of(name).text not in self._texts:
            return value
        return {"y": "n", "m": "n", "n": "y"}.get(value or "")

    def present(self, name: str) -> bool | None:
        """As it is: another line about a symbol names it as well."""
        return self._lines.present(name)

    def fact(self, name: str) -> Fact:
        """As it is: nobody takes a fact back."""
        return self._lines.fact(name)

    def boot(self, word: str) -> Truth:
        """Whether any word is left that means this one."""
        counts = self._lines.boot(word)
        return counts is True and any(o.text not in self._texts for o in self._lines.words_of(word))

    def shown(self, path: str, form: str) -> bool:
        """As it is: what a kernel shows of itself is nothing to take back."""
        return self._lines.shown(path, form)

    def effective(self, tunable: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """Nothing that is known, of a tunable whose causes are taken back."""
        state = self._lines.state(tunable)
        if state and any(origin.text in self._texts for origin in state.origins):
            return (), frozenset((tunable,))
        return self._lines.effective(tunable)


def turned(lines: Lines, terms: Iterable[Term]) -> Turned:
    """What conditions would be told with what these terms rest on taken back."""
    return Turned(lines, (origin for term in terms for origin in _origins(term, lines)))


def _never(terms: Iterable[Term]) -> bool:
    return False


def causes(
    expr: Expr, lines: Lines, rank: Rank = _alike, spoils: Spoils = _never
) -> tuple[Origin, ...]:
    """The lines and words that would turn the condition round; none where nobody could.

    Those with which it would come to the same by something else (`spoils`) only for want of others.
    """
    if condition.operator_of(expr) not in condition.OPERATORS:
        rank = _alike  # with a single term there is nothing to choose from
    found = _turned(expr, lines, rank, spoils)
    terms = _needed(found[1], expr, lines) if found else ()
    origins = (origin for term in terms for origin in _origins(term, lines))
    return tuple(dict.fromkeys(origins))


def _needed(terms: tuple[Term, ...], expr: Expr, lines: Lines) -> tuple[Term, ...]:
    """Those of the terms that have to turn: the others follow, or make no difference."""
    kept = list(terms)
    truth = condition.evaluate(expr, lines) if len(kept) > 1 else None
    for term in terms if len(kept) > 1 else ():
        fewer = [other for other in kept if other is not term]
        if fewer and condition.evaluate(expr, turned(lines, fewer)) is (not truth):
            kept = fewer
    return tuple(kept)


def _turned(expr: Expr, lines: Lines, rank: Rank, spoils: Spoils = _never) -> Cause | None:
    """The terms to turn round, and how particular the least of them is; None if it cannot be.

    Those that would make the same so in another way (`spoils`) are taken only for want of others.
    """
    tag = condition.operator_of(expr)
    if tag == "!":
        return _turned(condition.operands(expr)[0], lines, rank, spoils)
    if tag not in ("&", "|"):
        return _term(condition.term(expr), lines, rank) if expr else None
    truth = condition.evaluate(expr, lines)
    if not isinstance(truth, bool):
        return None
    parts = condition.operands(expr)
    if truth is (tag == "&"):  # one that turns is enough
        ways = [way for part in parts if (way := _turned(part, lines, rank, spoils))]
        if len(ways) < 2:
            return ways[0] if ways else None
        ways.sort(key=lambda way: (way[0], len(way[1])))
        return ways[0] if spoils is _never else next((w for w in ways if not spoils(w[1])), ways[0])
    return _all_turned(parts, truth, lines, rank, spoils)


def _all_turned(
    parts: Iterable[Expr], truth: bool, lines: Lines, rank: Rank, outer: Spoils
) -> Cause | None:
    """Those parts that make it so have all to turn, and none of the others."""
    deciding: list[Expr] = []
    others: list[Expr] = []
    for part in parts:
        (deciding if condition.evaluate(part, lines) is truth else others).append(part)

    def spoils(terms: Iterable[Term]) -> bool:
        after = turned(lines, terms)
        return outer(terms) or any(condition.evaluate(part, after) is truth for part in others)

    ways = [way for part in deciding if (way := _turned(part, lines, rank, spoils))]
    if not ways or len(ways) < len(deciding):
        return None
    return max(way[0] for way in ways), tuple(term for way in ways for term in way[1])


def _term(term: Term, lines: Lines, rank: Rank) -> Cause | None:
    kind, name = term[:2]
    if kind in ("fact", "shown") or (kind == "boot" and lines.boot(name) is not True):
        return None
    if kind == "is":
        state = lines.state(name)
        return (0, (term,)) if state and state.origins else None
    if kind == "boot":
        return 0, (term,)
    # Whether a configuration has a symbol at all is nothing that a line of it decides.
    if kind == "present" or lines.symbol(name) is None:
        return None
    # A line that is there says more than one that is not.
    lacks = not lines.present(name) and lines.line_of(name).text.startswith(LACK)
    if lacks and lines.cannot_be(name):
        return None
    # What an architecture tells Kconfig has no prompt.
    unlikely = lacks or is_capability(name)
    return _UNLIKELY * unlikely + rank(name), (term,)


def _origins(term: Term, lines: Lines) -> Iterable[Origin]:
    kind, name = term[:2]
    if kind == "is":
        state = lines.state(name)
        return state.origins if state else ()
    if kind == "boot":
        return lines.words_of(name)
    return (lines.line_of(name),)
