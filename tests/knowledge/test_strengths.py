"""What the strongest advice has to show for itself: a harm, and kernels that follow it."""

from __future__ import annotations

from collections import Counter

import pytest

from advisor.model.rules import Stance, Strength

from .. import corpus
from ..census import census

# Advice that most kernels do not follow, and why it is a must all the same.
AGAINST_PRACTICE = {
    "realtime/preempt-rt": "a kernel for everything is no real-time kernel, and that is the point",
}


@pytest.mark.parametrize("profile", corpus.profiles())
def test_every_must_says_what_goes_wrong_and_for_whom(profile):
    for advice in corpus.knowledge().profile(profile).advice:
        if advice.strength is Strength.MUST:
            whom, _, harm = advice.otherwise.partition(": ")
            assert min(len(whom), len(harm)) > 0, advice.key
        assert advice.stance is not Stance.NEUTRAL or not advice.otherwise, advice.key


def outcomes():
    """By the key of each must, how many kernels follow it, and how many do not."""
    names = list(census.listed())
    for profile in corpus.profiles():
        taken = census.parsed((census.FOLDER / f"{profile}.txt").read_text(), names)
        for advice, (strength, cells) in taken.items():
            if strength == "must":
                yield f"{profile}/{advice}", Counter(cell.split()[0] for cell in cells.values())


def test_no_must_that_most_kernels_do_not_follow():
    against = {
        key
        for key, verdicts in outcomes()
        if verdicts["change"] + verdicts["blocked"] > verdicts["ok"]
    }
    assert against == AGAINST_PRACTICE.keys()
