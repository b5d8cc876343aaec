"""A configuration with other values: what moves, what shows, and where a value comes from."""

from __future__ import annotations

import pytest

from advisor.engine.effective.overlay import Overlay
from advisor.inputs.config import parse_config
from advisor.model.kernel import EntryState, Location

TEXT = "CONFIG_A=y\n# CONFIG_B is not set\n"


class Tree:
    """A tree in which a symbol comes to y, whatever else the lines say of it."""

    def __init__(self, symbol):
        self.symbol = symbol
        self.asked = []

    def value(self, lines, symbol):
        self.asked.append(lines)
        return "y" if symbol == self.symbol else None


@pytest.fixture
def base():
    return parse_config(TEXT, ".config", complete=True)


@pytest.mark.parametrize(
    ("below", "values", "moves"),
    [
        ({}, {"B": "y"}, True),
        ({}, {"B": "n"}, False),
        ({}, {"A": "y"}, False),
        ({}, {"NEW": "y"}, True),
        ({"B": "y"}, {}, True),
        ({"B": "y"}, {"B": "y"}, True),
        ({"B": "n"}, {"B": "n"}, False),
    ],
)
def test_a_symbol_moves_where_any_layer_gives_it_another_value(base, below, values, moves):
    overlay = Overlay(Overlay(base, below), values)
    assert any(overlay.moves(symbol) for symbol in ("A", "B", "NEW")) is moves


def test_a_symbol_that_no_layer_names_does_not_move(base):
    assert not Overlay(base, {"B": "y"}).moves("A")


def test_the_lines_of_all_layers_stand_together_the_last_value_of_each():
    base = parse_config(TEXT, ".config", complete=True)
    below = Overlay(base, {"B": "y", "C": "m"})
    assert Overlay(below, {"C": "y", "D": "n"}).lines == (("B", "y"), ("C", "y"), ("D", "n"))


def test_without_a_tree_a_line_makes_nothing_visible(base):
    overlay = Overlay(base, {"NEW": "y", "B": "y"})
    assert (overlay.get("NEW"), overlay.shows("NEW")) == ("y", False)
    assert (overlay.get("B"), overlay.shows("B")) == ("y", True)
    assert (overlay.get("A"), overlay.complete) == ("y", True)


def test_a_tree_is_asked_for_all_lines_at_once(base):
    tree = Tree("SHOWN")
    overlay = Overlay(Overlay(base, {"B": "y"}), {"NEW": "m"}, tree)
    assert (overlay.get("SHOWN"), overlay.get("NEW"), overlay.get("A")) == ("y", None, None)
    assert (overlay.shows("SHOWN"), overlay.shows("A")) == (True, False)
    assert set(tree.asked) == {(("B", "y"), ("NEW", "m"))}


def test_a_tree_is_not_asked_without_a_line(base):
    overlay = Overlay(base, {}, Tree("SHOWN"))
    assert (overlay.get("SHOWN"), overlay.get("A"), overlay.shows("B")) == (None, "y", True)


def test_a_value_has_a_line_only_where_it_is_that_of_the_configuration_below(base):
    overlay = Overlay(base, {"A": "y", "B": "y", "NEW": "n"})
    assert overlay.entry("A").location == Location(".config", 1)
    assert overlay.place("A").location() == Location(".config", 1)
    assert overlay.place("B") == overlay.entry("B").location == Location("the fragment")
    assert (overlay.entry("B").value, overlay.entry("B").state) == ("y", EntryState.SET)
    assert overlay.entry("NEW").state is EntryState.NOT_SET
