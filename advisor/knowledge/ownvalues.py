"""Conditions of advice on the tunable that the advice is about.

`cpus > 1 || smp = on` is sound: what is as wanted already counts as such. Advice that no longer
applies once it is followed would be met by any change, and advice that applies only while it is
followed asks for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model import condition
from advisor.model.condition import Expr
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
        if _applies(advice, own, value) is False:
            yield f"no longer applies once {own} is {value!r}, which it wants"
    if others and all(_applies(advice, own, value) is False for value in others):
        yield f"applies to no value of {own} that it asks to change"


def _asked(advice: Advice, tunable: str) -> list[tuple[str, ...]]:
    atoms = (atom for expr in (advice.only_if, advice.unless) for atom in condition.atoms(expr))
    return [tuple(atom) for atom in atoms if atom[0] == "is" and atom[1] == tunable]


def _applies(advice: Advice, tunable: str, value: str) -> bool | None:
    """Return whether the advice applies with that value; None where it hangs on anything else."""
    only_if = True if advice.only_if is None else _truth(advice.only_if, tunable, value)
    unless = False if advice.unless is None else _truth(advice.unless, tunable, value)
    if only_if is False or unless is True:
        return False
    return True if only_if and unless is False else None


def _truth(expr: Expr, tunable: str, value: str) -> bool | None:
    """Return the truth of a condition by the value of one tunable alone."""
    tag = condition.operator_of(expr)
    if tag == "is":
        _, name, sign, text = condition.term(expr)
        return (text == value) is (sign == "=") if name == tunable else None
    if tag not in ("&", "|", "!"):
        return None
    truths = [_truth(part, tunable, value) for part in condition.operands(expr)]
    if tag == "!":
        return None if truths[0] is None else not truths[0]
    decides = tag == "|"
    if decides in truths:
        return decides
    return None if None in truths else not decides
