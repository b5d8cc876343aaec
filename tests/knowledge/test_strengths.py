"""What strong advice has to show for itself: kernels that follow it, or why most of them do not.

That it says what goes wrong without it, and for whom, is held by lint (test_lint.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from advisor.model.profile import Stance, Strength

from .. import corpus
from ..cases import each
from ..census import census

KNOWLEDGE = corpus.knowledge()
STRONG = {Strength.MUST.value, Strength.SHOULD.value}


def against_practice(profile: str) -> Iterator[str]:
    """Musts and shoulds that more kernels of the census break than follow.

    With the machine's facts told, where the kernel alone does not decide it.
    """
    taken = census.parsed((census.FOLDER / f"{profile}.txt").read_text(), list(census.listed()))
    for advice, (strength, cells) in taken.items():
        verdicts = Counter(map(verdict, cells.values()))
        broken = verdicts["change"] + verdicts["blocked"]
        if strength in STRONG and broken > verdicts["ok"]:
            yield advice


def verdict(cell: str) -> str:
    """That of a cell of the census which decides something."""
    untold, told = (part.split()[0] for part in (cell.split(" | ") * 2)[:2])
    return untold if untold in ("ok", "change", "blocked") else told


@each("profile", corpus.profiles())
def test_what_most_kernels_do_not_follow_says_why(profile):
    """Without that answer it is too strong; where most follow it, there is nothing to say."""
    answered = {
        advice.id
        for advice in corpus.knowledge().profile(profile).advice
        if advice.practice and advice.otherwise and advice.strength.value in STRONG
    }
    assert set(against_practice(profile)) == answered


def test_all_that_is_strong_says_whom_it_harms_not_to_follow_it():
    """What profiles of others say is held by lint, of musts alone."""
    silent = {
        advice.key
        for profile in corpus.profiles()
        for advice in corpus.knowledge().profile(profile).advice
        if advice.strength.value in STRONG and not advice.otherwise
        if advice.stance is not Stance.NEUTRAL
    }
    assert silent == set()


def test_the_musts_that_most_kernels_do_not_follow():
    """One that most violate is no must, but for what makes another kind of kernel."""
    musts = {
        advice.key
        for profile in corpus.profiles()
        for advice in corpus.knowledge().profile(profile).advice
        if advice.practice and advice.strength is Strength.MUST
    }
    assert musts == {"realtime/preempt-rt"}


def test_a_reason_fits_each_idle_loop_that_it_refuses():
    """A processor that halts (C1) does not spin: the reason against polling is none against it."""
    for name in KNOWLEDGE.ids("profiles"):
        for advice in KNOWLEDGE.profile(name).advice:
            option = advice.options[0]
            if option.tunable == "idle-loop" and option.want == ("default",) and not option.avoid:
                assert "halt" in advice.why, advice.key
