"""Conditions of advice on the tunable that the advice is about.

`cpus > 1 || smp = on` is sound: what is as wanted already counts as such. Advice that no longer
applies once it is followed would be met by any change, and advice that applies only while it is
followed asks for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model import condition
from advisor.model.condition import Facts, Truth
from advisor.model.profile import Advice, Option, Stance


def own_value_problems(advice: Advice, option: Option, names: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with the conditions of advice on its only tunable, whose values are these
    `names` (none: any)."""
    own = option.tunable
    named = {atom[3] for atom in _asked(advice, own)}
    if not named or len(advice.options) > 1 or advice.stance is Stance.NEUTRAL:
        return
    wanted = [*option.want, *option.accept]
    others = (set(names) or named) - {*wanted}
    if advice.stance is Stance.AVOID and option.avoid:
        others = {*option.avoid}
    for value in option.want:
        if _is_ruled_out(advice, own, value):
            yield f"the advice no longer applies once {own} has the wanted value {value!r}"
    if others and all(_is_ruled_out(advice, own, value) for value in others):
        yield f"the advice changes nothing: its conditions exclude every unwanted value of {own}"


def _asked(advice: Advice, tunable: str) -> list[tuple[str, ...]]:
    atoms = (atom for expr in (advice.only_if, advice.unless) for atom in condition.atoms(expr))
    return [tuple(atom) for atom in atoms if atom[0] == "is" and atom[1] == tunable]


def _is_ruled_out(advice: Advice, tunable: str, value: str) -> bool:
    """Return whether the advice surely does not apply with that value, whatever else is so."""
    facts = _OneValue(tunable, value)
    return condition.evaluate(advice.only_if, facts) is False or condition.surely(
        advice.unless, facts
    )


class _OneValue(Facts):
    """A world of which the value of one tunable is known, and nothing else."""

    def __init__(self, tunable: str, value: str) -> None:
        self._tunable, self._value = tunable, value

    def symbol(self, name: str) -> None:
        return None

    def present(self, name: str) -> None:
        return None

    def fact(self, name: str) -> None:
        return None

    def boot(self, word: str) -> Truth:
        return frozenset((word,))

    def shown(self, path: str, form: str) -> Truth:
        return frozenset((path,))

    def effective(self, tunable: str) -> tuple[tuple[str, ...], frozenset[str]]:
        if tunable == self._tunable:
            return (self._value,), frozenset()
        return (), frozenset((tunable,))
