"""A fragment on its base."""

from __future__ import annotations

from advisor.inputs.config import parse_config
from advisor.inputs.merged import merged
from advisor.model.kernel import Location

BASE = (
    "# Linux/x86 6.12.0 Kernel Configuration\nCONFIG_A=y\nCONFIG_HZ_250=y\n# CONFIG_B is not set\n"
)
CHOICE = ["HZ_100", "HZ_250", "HZ_1000"]


def join(top, base=BASE):
    def siblings(symbol):
        return CHOICE if symbol in CHOICE else []

    whole = parse_config(base, "base", complete=True)
    return merged(parse_config(top, "top"), whole, siblings)


def test_the_fragment_wins_and_each_line_keeps_its_place():
    found = join("# why\nCONFIG_B=m\nCONFIG_C=y\n")
    values = {name: found.get(name) for name in found.symbols()}
    assert values == {"A": "y", "HZ_250": "y", "B": "m", "C": "y"}
    assert found.entry("B").location == Location("top", 2)
    assert found.entry("A").location == Location("base", 2)
    assert (found.path, found.complete, found.arch) == ("top", True, "x86")
    assert found.version.text == "6.12.0"


def test_a_choice_gives_up_the_base_s_member_at_the_line_that_decides():
    found = join("CONFIG_HZ_1000=y\n")
    assert (found.get("HZ_1000"), found.get("HZ_250"), found.get("HZ_100")) == ("y", "n", None)
    assert found.entry("HZ_250").value == "n"
    assert found.entry("HZ_250").location == Location("top", 1)


def test_what_the_fragment_says_of_a_member_stays():
    assert join("CONFIG_HZ_1000=y\nCONFIG_HZ_250=y\n").get("HZ_250") == "y"


def test_a_tree_is_told_the_same():
    again = parse_config(join("CONFIG_B=m\n# CONFIG_A is not set\n").text, "x")
    assert (again.get("A"), again.get("B")) == ("n", "m")
