"""A boot line with further words: what stays, what goes, and that nothing else moves."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.engine.remedy.what_if import cleared, merged

WORDS = ["nohz=off", "nohz=on", "console=tty0", "console=ttyS0", "rcu-nocbs=1", "rcu_nocbs=2", "x"]


@pytest.mark.parametrize(
    ("line", "words", "expected"),
    [
        (["a", "nohz=off", "b"], ["nohz=on"], ["a", "b", "nohz=on"]),
        (["nohz=off", "nohz=on", "nohz=off"], ["nohz=on"], ["nohz=on"]),
        (['"nohz=off"', "b"], ["nohz=on"], ["b", "nohz=on"]),
        (["rcu-nocbs=1"], ["rcu_nocbs=2"], ["rcu_nocbs=2"]),
        (["console=tty0", "a"], ["console=ttyS0"], ["console=tty0", "a", "console=ttyS0"]),
        (["console=tty0", "a"], ["console=tty0"], ["a", "console=tty0"]),
        (["xnohz=off", "nohz"], ["nohz=on"], ["xnohz=off", "nohz=on"]),
    ],
)
def test_a_word_takes_the_place_of_its_parameter(make_world, line, words, expected):
    assert merged(line, words, make_world()) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS)), st.lists(st.sampled_from(WORDS)))
def test_what_stays_and_what_is_added_make_the_line(make_world, line, words):
    world = make_world()
    added = merged([], words, world)
    assert [*cleared(line, words, world), *added] == merged(line, words, world)
