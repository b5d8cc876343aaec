"""What a program requires, as a profile and tunables."""

from __future__ import annotations

import pytest

from advisor.knowledge.required import joined, profile
from advisor.model.profile import REQUIREMENT, Strength


def strengths(made):
    return {advice.id: advice.strength for advice in made.advice}


def test_what_a_program_needs_to_start_is_a_must(built_in):
    made = profile(built_in.program("cilium"))
    assert made.id == "requires/cilium"
    assert strengths(made)["agent"] is Strength.MUST
    assert strengths(made)["tunnels"] is Strength.COULD


def test_a_function_that_is_asked_for_is_one_too_and_others_are_left_out(built_in):
    made = strengths(profile(built_in.program("cilium"), asked="tunnels"))
    assert (made["tunnels"], "netkit" in made) == (Strength.MUST, False)


def test_of_one_program_the_stronger_counts(built_in):
    program = built_in.program("cilium")
    both = joined(profile(program), profile(program, asked="tunnels"))
    assert strengths(both)["tunnels"] is Strength.MUST
    assert strengths(both)["netkit"] is Strength.COULD
    assert len({advice.key for advice in both.advice}) == len(both.advice)


def test_each_advice_has_its_tunable(built_in):
    for name in built_in.ids("programs"):
        for advice in profile(built_in.program(name)).advice:
            (option,) = advice.options
            tunable = built_in.tunable(option.tunable)
            assert (tunable.id, tunable.kind) == (advice.key, REQUIREMENT)


@pytest.mark.parametrize("name", ["requires/", "requires/cilium", "requires/cilium/none", "none"])
def test_another_name_is_no_tunable(built_in, name):
    with pytest.raises(KeyError):
        built_in.tunable(name)
