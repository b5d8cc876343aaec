"""A fragment over a configuration, without a tree."""

from __future__ import annotations

import pytest

from advisor.engine.merge import Merged
from advisor.inputs.dotconfig import parse_config
from advisor.model import EntryState, Location


@pytest.fixture
def merged():
    def make(base, fragment, choices=()):
        siblings = {member: choice for choice in choices for member in choice}
        return Merged(
            parse_config(base, "base", complete=True),
            parse_config(fragment, "fragment"),
            lambda symbol: siblings.get(symbol, ()),
        )

    return make


def test_the_fragment_wins_and_the_rest_stays(merged):
    found = merged("CONFIG_A=y\nCONFIG_B=m\n", "# CONFIG_A is not set\nCONFIG_C=y\n")
    assert [found.get(name) for name in "ABCD"] == ["n", "m", "y", None]
    assert sorted(found.symbols()) == ["A", "B", "C"]
    assert found.complete


def test_places_are_those_of_the_files(merged):
    found = merged("CONFIG_A=y\nCONFIG_B=m\n", "\nCONFIG_A=m\n")
    assert found.entry("A").location == Location("fragment", 2)
    assert found.entry("B").location == Location("base", 2)
    assert found.entry("D").state is EntryState.ABSENT


def test_a_member_of_a_choice_takes_the_place_of_the_base_s(merged):
    found = merged("CONFIG_ONE=y\n# CONFIG_TWO is not set\n", "CONFIG_TWO=y\n", [("ONE", "TWO")])
    assert (found.get("ONE"), found.get("TWO")) == ("n", "y")
    assert found.entry("ONE") == ("n", EntryState.NOT_SET, Location("fragment"))


def test_a_fragment_that_says_it_itself_is_taken_at_its_word(merged):
    text = "# CONFIG_ONE is not set\nCONFIG_TWO=y\n"
    found = merged("CONFIG_ONE=y\n", text, [("ONE", "TWO")])
    assert found.entry("ONE").location == Location("fragment", 1)
