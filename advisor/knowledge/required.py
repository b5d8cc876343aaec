"""What a program requires as advice: a tunable that works or does not, and a profile that wants so.

So requirements are judged, remedied, waived, compared and written as all advice is.
"""

from __future__ import annotations

from advisor.model.condition import Expr
from advisor.model.profile import REQUIREMENT, REQUIRES, Advice, Option, Profile, Stance, Strength
from advisor.model.software import Function, Program
from advisor.model.tunable import Tunable, Value

_MET, _UNMET = "met", "unmet"


def tunable(program: Program, function: Function) -> Tunable:
    """Return the tunable that tells whether a function of a program works."""
    parts = [part.needs for part in function.parts]
    return Tunable(
        _id(program, function), "software", f"{program.title}: {function.title}", REQUIREMENT,
        values=(
            Value(_MET, "works", when=["&", *parts]),
            Value(_UNMET, "does not work"),
        ),
        default=_UNMET,
    )  # fmt: skip


def profile(program: Program, version: str = "", asked: str = "") -> Profile:
    """Return the profile that wants what a program of that version (empty: the newest) needs to
    start and, if none is `asked` for, what each function of it needs."""
    functions = (one for one in program.functions if one.is_of(version) and one.is_asked(asked))
    name = f"{REQUIRES}{program.id}"
    advice = tuple(_advice(program, one, name, one.id == asked) for one in functions)
    return Profile(name, program.title, program.summary, advice)


def joined(first: Profile, second: Profile) -> Profile:
    """Return two profiles of one program as one: each advice as strong as one of them has it."""
    advice = {one.id: one for one in first.advice}
    for one in second.advice:
        known = advice.get(one.id)
        if known is None or one.strength.rank < known.strength.rank:
            advice[one.id] = one
    return first._replace(advice=tuple(advice.values()))


def _advice(program: Program, function: Function, name: str, asked: bool) -> Advice:
    needed = function.is_start or asked
    instead = f" Or: {function.instead}." if function.instead else ""
    return Advice(
        function.id, name, Stance.WANT, Strength.MUST if needed else Strength.COULD,
        (Option(_id(program, function), (_MET,)),), f"{function.why}{instead}",
        otherwise=f"{program.title} does not start." if function.is_start else "",
        purpose=True, only_if=_of(function.arch), sources=function.sources,
    )  # fmt: skip


def _of(arch: tuple[str, ...]) -> Expr:
    """Return the condition that a kernel is of one of these architectures; none for all."""
    return ["|", *(["fact", "arch", "=", one] for one in arch)] if arch else None


def _id(program: Program, function: Function) -> str:
    return f"{REQUIRES}{program.id}/{function.id}"
