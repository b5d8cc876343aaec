"""The search in a tree, and its reasons, on a small tree of our own."""

from __future__ import annotations

import pytest

from advisor.inputs.config import named_lines, parse_config
from advisor.model.tree import LineOutcome
from advisor.tree.check import KnownNames, check_fragment
from advisor.tree.kerneltree import open_tree
from advisor.tree.search import achieve
from advisor.tree.why import why_not

KCONFIG = """
config X86
	def_bool y
	select PINNED

config PINNED
	bool "pinned"

config EXPERT
	bool "expert"

config BASE
	bool "base" if EXPERT

config MIDDLE
	bool "middle"
	depends on BASE

config TOP
	bool "top"
	depends on MIDDLE && !BLOCKER

config BLOCKER
	bool "blocker"
	default y

config EITHER
	bool "either"
	depends on MIDDLE || CHEAP

config CHEAP
	bool "cheap"

config HIDDEN
	bool

config SELECTOR
	bool "selector"
	select HIDDEN

config SIZE
	int "size"
	range 1 10
	default 5

config TOOL_VERSION
	int
	default 0

config NEEDS_TOOL
	bool "needs a tool"
	depends on TOOL_VERSION >= 3

choice
	prompt "one of"
	default ONE

config ONE
	bool "one"

config TWO
	bool "two"

endchoice

config OLD
	bool
	transitional

config NEW
	bool "new"
	default OLD
"""
CONFIG = "CONFIG_X86=y\nCONFIG_PINNED=y\nCONFIG_BLOCKER=y\nCONFIG_SIZE=5\nCONFIG_ONE=y\n"


@pytest.fixture
def tree(make_tree, tmp_path):
    make_tree(tmp_path, {"Kconfig": KCONFIG})
    return open_tree(str(tmp_path), "x86", parse_config(CONFIG, ".config", complete=True))


@pytest.mark.parametrize(
    ("wanted", "needed"),
    [
        ([("CHEAP", "y")], ()),
        ([("MIDDLE", "y")], (("BASE", "y"), ("EXPERT", "y"))),
        ([("TOP", "y")], (("BASE", "y"), ("BLOCKER", "n"), ("EXPERT", "y"), ("MIDDLE", "y"))),
        ([("EITHER", "y")], (("CHEAP", "y"),)),
        ([("HIDDEN", "y")], (("SELECTOR", "y"),)),
        ([("TWO", "y")], ()),
    ],
)
def test_the_fewest_lines_are_found_and_hold(tree, wanted, needed):
    assert achieve(tree, wanted).needed == needed
    with tree.trial():
        for line in (*needed, *wanted):
            tree.set(*line)
        assert all(tree.value(symbol) == value for symbol, value in (*needed, *wanted))


def test_nothing_is_left_behind(tree):
    before = tree.snapshot()
    achieve(tree, [("TOP", "y")])
    assert tree.snapshot() == before


def test_what_is_to_be_kept_is_not_touched(tree):
    found = achieve(tree, [("TOP", "y")], [("BLOCKER", "y")])
    assert found.needed == ()
    assert "TOP needs" in found.reason


def test_what_is_planned_is_not_undone(tree):
    assert achieve(tree, [("TOP", "y")], fixed=frozenset(["BLOCKER"])).reason


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("NO_SUCH", "y"), ["NO_SUCH is not in this tree"]),
        (("TOP", "y"), ["TOP needs MIDDLE && !BLOCKER", "Kconfig:21"]),
        (("PINNED", "n"), ["PINNED cannot be n", "X86 selects it", "Kconfig:4"]),
        (("HIDDEN", "y"), ["HIDDEN has no prompt", "SELECTOR"]),
        (("BASE", "y"), ["BASE needs EXPERT", "Kconfig:12"]),
        (("SIZE", "99"), ["outside the range of SIZE", "1 10"]),
        (("CHEAP", "m"), ["CHEAP is a bool", "m is no value"]),
        (("NEEDS_TOOL", "y"), ["TOOL_VERSION >= 3"]),
    ],
)
def test_why_not(tree, line, words):
    with tree.trial():
        tree.set(*line)
        reason = why_not(tree, *line)
    assert all(word in reason for word in words), reason


def test_a_fragment_line_by_line(tree):
    text = "CONFIG_CHEAP=y\nCONFIG_ONE=y\nCONFIG_TWO=y\nCONFIG_MIDDLE=y\nCONFIG_SIZE=5\n"
    fragment = parse_config(text, "x.config", complete=False)
    results = check_fragment(tree, named_lines(fragment), KnownNames())
    found = {result.symbol: (result.outcome, result.location.line) for result in results}
    assert found == {
        "CHEAP": (LineOutcome.EFFECTIVE, 1),
        "ONE": (LineOutcome.DROPPED, 2),
        "TWO": (LineOutcome.EFFECTIVE, 3),
        "MIDDLE": (LineOutcome.DROPPED, 4),
        "SIZE": (LineOutcome.ALREADY, 5),
    }
    by_name = {result.symbol: result for result in results}
    assert "TWO=y takes the choice" in by_name["ONE"].reason
    assert by_name["MIDDLE"].remedy == (("BASE", "y"), ("EXPERT", "y"))


def test_an_old_name_counts_where_the_new_one_has_no_line(tree):
    fragment = parse_config("CONFIG_OLD=y\n", "x.config", complete=False)
    (result,) = check_fragment(tree, named_lines(fragment), KnownNames(tree.renames))
    assert (result.outcome, result.renamed) == (LineOutcome.EFFECTIVE, "NEW")
    tree.set("NEW", "n")
    (result,) = check_fragment(tree, named_lines(fragment), KnownNames(tree.renames))
    assert (result.outcome, result.remedy) == (LineOutcome.DROPPED, (("NEW", "y"),))
    assert "NEW, its new name" in result.reason


def test_a_value_that_kconfig_rejects_takes_the_line_away(tree):
    fragment = parse_config("CONFIG_BLOCKER=x\nCONFIG_CHEAP=y\n", "x.config", complete=False)
    rejected, kept = check_fragment(tree, named_lines(fragment), KnownNames())
    # Without its line the default decides.
    assert (rejected.symbol, rejected.outcome, rejected.result) == (
        "BLOCKER",
        LineOutcome.DROPPED,
        "y",
    )
    assert kept.outcome is LineOutcome.EFFECTIVE
