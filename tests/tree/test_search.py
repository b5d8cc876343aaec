"""The search in a tree, and its reasons, on a small tree of our own."""

from __future__ import annotations

import pytest

from advisor.inputs.config import named_lines, parse_config
from advisor.model.tree import LineOutcome
from advisor.tree.check import KnownNames, check_fragment
from advisor.tree.kerneltree import open_tree
from advisor.tree.search import Limits, achieve
from advisor.tree.why import gates, why_not

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

config COMPILE_TEST
	bool "compile test"

config ARCH_OTHER
	bool "the other board"

config DRIVER
	bool "driver"
	depends on ARCH_OTHER || COMPILE_TEST

config UNTESTED
	bool "untested"
	depends on !COMPILE_TEST

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


def test_a_driver_is_had_rather_than_a_subsystem(make_tree, tmp_path):
    options = "".join(f'config BIG_{n}\n\tbool "{n}"\n' for n in range(8))
    text = f"""
config X86
	def_bool y

config LIBRARY
	bool

menuconfig BIG
	bool "a subsystem"
	select LIBRARY

if BIG
{options}
endif

config DRIVER
	bool "a driver"
	depends on BUS
	select LIBRARY

config BUS
	bool "a bus"

config USER
	bool "a user of the library"
	depends on LIBRARY
"""
    make_tree(tmp_path, {"Kconfig": text})
    tree = open_tree(str(tmp_path), "x86", parse_config("CONFIG_X86=y\n", "c", complete=True))
    assert (tree.is_subsystem("BIG"), tree.is_subsystem("DRIVER")) == (True, False)
    # More lines, and less that comes on.
    assert achieve(tree, [("USER", "y")]).needed == (("BUS", "y"), ("DRIVER", "y"))
    fixed = Limits(fixed=frozenset(["BUS"]))
    assert achieve(tree, [("USER", "y")], fixed).needed == (("BIG", "y"),)


def test_what_comes_with_the_other_lines_says_so(tree):
    text = "CONFIG_MIDDLE=y\nCONFIG_EITHER=y\nCONFIG_TOP=y\n"
    lines = named_lines(parse_config(text, "fragment"))
    middle, either, top = check_fragment(tree, lines, KnownNames())
    assert (middle.remedy, middle.with_others) == ((("BASE", "y"), ("EXPERT", "y")), False)
    # That holds as it is.
    assert (either.remedy, either.with_others) == ((("CHEAP", "y"),), False)
    # Which needs a line of its own besides.
    assert (top.remedy, top.with_others) == ((("BLOCKER", "n"),), True)
    with tree.trial():
        for line in ((line.symbol, line.value) for line in (middle, either, top)):
            tree.set(*line)
        for line in (*middle.remedy, *either.remedy, *top.remedy):
            tree.set(*line)
        assert tree.line("TOP") == "y"
    assert check_fragment(tree, lines[2:], KnownNames())[0].with_others is False


def test_what_needs_nothing_but_the_other_lines_says_so(tree):
    text = "CONFIG_MIDDLE=y\n# CONFIG_BLOCKER is not set\nCONFIG_TOP=y\n"
    lines = named_lines(parse_config(text, "fragment"))
    top = check_fragment(tree, lines, KnownNames())[-1]
    assert (top.remedy, top.with_others) == ((), True)
    assert top.reason == "TOP needs MIDDLE (Kconfig:21)"


def test_nothing_is_left_behind(tree):
    before = tree.snapshot()
    achieve(tree, [("TOP", "y")])
    assert tree.snapshot() == before


def test_a_driver_of_another_machine_is_not_made_visible(tree):
    assert achieve(tree, [("DRIVER", "y")]).needed == ()
    assert "DRIVER needs (ARCH_OTHER" in achieve(tree, [("DRIVER", "y")]).reason
    both = [("ARCH_OTHER", "y"), ("DRIVER", "y")]
    assert not achieve(tree, both).reason
    tree.set("COMPILE_TEST", "y")
    assert achieve(tree, [("UNTESTED", "y")]).needed == (("COMPILE_TEST", "n"),)


def test_what_is_to_be_kept_is_not_touched(tree):
    found = achieve(tree, [("TOP", "y")], Limits((("BLOCKER", "y"),)))
    assert found.needed == ()
    assert "TOP needs" in found.reason


def test_what_is_planned_is_not_undone(tree):
    assert achieve(tree, [("TOP", "y")], Limits(fixed=frozenset(["BLOCKER"]))).reason


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
        (("CHEAP", '"y"'), ["CHEAP is a bool", "write y without the quotes"]),
        (("SIZE", '"4"'), ["SIZE is an int", "write 4 without the quotes"]),
        (("NEEDS_TOOL", "y"), ["TOOL_VERSION >= 3"]),
    ],
)
def test_why_not(tree, line, words):
    with tree.trial():
        tree.set(*line)
        reason = why_not(tree, *line)
    assert all(word in reason for word in words), reason


def test_a_tool_that_is_missing_is_named(make_tree, tmp_path):
    kconfig = (
        'mainmenu "m"\nconfig PAHOLE_VERSION\n\tint\n\tdefault 0\n'
        'config BTF\n\tbool "BTF"\n\tdepends on PAHOLE_VERSION >= 121\n'
    )
    files = {"Kconfig": kconfig, "arch/x86/Kconfig": ""}
    tree = open_tree(str(make_tree(tmp_path / "tools", files)), "x86", None)
    assert why_not(tree, "BTF", "y").endswith(
        "PAHOLE_VERSION is 0: install pahole, and configure the kernel again"
    )


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
    assert "TWO=y is the selected member of the choice" in by_name["ONE"].reason
    assert by_name["MIDDLE"].remedy == (("BASE", "y"), ("EXPERT", "y"))


def test_an_old_name_counts_where_the_new_one_has_no_line(tree):
    fragment = parse_config("CONFIG_OLD=y\n", "x.config", complete=False)
    (result,) = check_fragment(tree, named_lines(fragment), KnownNames(tree.renames))
    assert (result.outcome, result.renamed) == (LineOutcome.EFFECTIVE, "NEW")
    tree.set("NEW", "n")
    (result,) = check_fragment(tree, named_lines(fragment), KnownNames(tree.renames))
    assert (result.outcome, result.remedy) == (LineOutcome.DROPPED, (("NEW", "y"),))
    assert "its new name, NEW" in result.reason


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


MORE = """
config A
	bool "a"
	default y

config B
	bool "b"
	default y

config NEITHER
	bool "neither"
	depends on !(A || B)

config NOT_BOTH
	bool "not both"
	depends on !(A && B)

config COMPARED
	bool "compared"
	depends on A = n && B != y

config MIXED
	bool "mixed"
	depends on !(A = y || !B || (NAME = "x" && B))

config NUMBER
	int
	default 4

config COUNTED
	bool "counted"
	depends on !(A = y || NUMBER > 3)

config MODULAR
	tristate "modular"

config TEXTUAL
	bool "textual"
	depends on NAME = "x"

config NAME
	string
	default "y"

config SEEN
	bool "seen" if OPENED

config OPENED
	bool "opened"

config QUIET
	bool

config FORCED
	bool "forced"

config FORCER
	bool "forcer"
	default y
	select FORCED

config LIMITED
	tristate "limited"
	depends on MODULAR

config MODULES
	bool "modules"
	modules
	default y
"""


@pytest.fixture
def more(make_tree, tmp_path):
    make_tree(tmp_path, {"Kconfig": MORE})
    lines = "CONFIG_A=y\nCONFIG_B=y\nCONFIG_MODULES=y\nCONFIG_FORCED=y\nCONFIG_FORCER=y\n"
    return open_tree(str(tmp_path), "x86", parse_config(lines, ".config", complete=True))


@pytest.mark.parametrize(
    ("wanted", "needed"),
    [
        (("NEITHER", "y"), (("A", "n"), ("B", "n"))),
        (("NOT_BOTH", "y"), (("A", "n"),)),
        (("COMPARED", "y"), (("A", "n"), ("B", "n"))),
        (("MIXED", "y"), (("A", "n"),)),
        (("SEEN", "y"), (("OPENED", "y"),)),
        (("FORCED", "n"), (("FORCER", "n"),)),
        (("LIMITED", "m"), (("MODULAR", "y"),)),
    ],
)
def test_lines_for_each_kind_of_condition(more, wanted, needed):
    assert achieve(more, [wanted]).needed == needed


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (("TEXTUAL", "y"), 'TEXTUAL needs NAME = "x"'),
        (("COUNTED", "y"), "COUNTED needs (!(A = y || NUMBER > 3))"),
        (("QUIET", "y"), "QUIET has no prompt"),
        (("NO_SUCH", "y"), "NO_SUCH is not in this tree"),
    ],
)
def test_what_no_line_can_give(more, wanted, words):
    found = achieve(more, [wanted])
    assert (found.needed, found.missed) == ((), wanted[0])
    assert words in found.reason


def test_what_is_held_decides_against_a_candidate(more):
    found = achieve(more, [("NOT_BOTH", "y")], Limits((("A", "y"),)))
    assert found.needed == (("B", "n"),)
    found = achieve(more, [("NOT_BOTH", "y")], Limits(fixed=frozenset(["A", "B"])))
    assert "A, B must stay as it is" in found.reason


def test_a_planned_line_that_another_would_undo(more):
    found = achieve(more, [("FORCER", "y")], Limits((("FORCED", "n"),)))
    assert (found.needed, found.missed) == ((), "")
    assert found.reason == "FORCED would lose the value that the plan sets or keeps"


def test_a_line_under_the_name_of_another_kernel(more):
    fragment = parse_config("CONFIG_WAS_SEEN=y\nCONFIG_LOST=y\n", "x.config", complete=False)
    names = KnownNames(
        now=lambda name, _: ["SEEN"] if name == "WAS_SEEN" else [],
        fate=lambda name: f"is not in this tree: {name} was removed in 6.1",
    )
    renamed, lost = check_fragment(more, named_lines(fragment), names)
    assert renamed.reason.startswith("WAS_SEEN is called SEEN in this tree")
    assert renamed.remedy == (("OPENED", "y"), ("SEEN", "y"))
    assert (lost.reason, lost.remedy) == ("LOST is not in this tree: LOST was removed in 6.1", ())
    fragment = parse_config("# CONFIG_WAS_SEEN is not set\n", "x.config", complete=False)
    (off,) = check_fragment(more, named_lines(fragment), names)
    assert off.outcome is LineOutcome.ALREADY
    with more.trial():
        more.set("OPENED", "y")
        more.set("SEEN", "y")
        (on,) = check_fragment(more, named_lines(fragment), names)
    assert (on.outcome, on.result, on.remedy) == (LineOutcome.DROPPED, "y", (("SEEN", "n"),))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("SEEN", "y"), "SEEN needs OPENED"),
        (("FORCED", "n"), "FORCED cannot be n: FORCER selects it"),
        (("QUIET", "y"), "its defaults decide"),
        (("A", "y"), "A stays y"),
    ],
)
def test_why_not_of_more(more, line, words):
    assert words in why_not(more, *line)


def test_a_symbol_that_something_limits_to_a_module(more):
    with more.trial():
        more.set("MODULAR", "m")
        more.set("LIMITED", "y")
        assert "LIMITED can only be m" in why_not(more, "LIMITED", "y")


MODULE_ON_THE_WAY = """
config MODULES
	def_bool y
	modules
config LIBRARY
	def_tristate m
config GATE
	bool "gate"
config MIDDLE
	tristate "middle"
	depends on GATE && LIBRARY
config WANTED
	tristate "wanted"
	depends on MIDDLE
"""


def test_what_is_needed_on_the_way_may_be_a_module(make_tree, tmp_path):
    make_tree(tmp_path, {"Kconfig": MODULE_ON_THE_WAY})
    tree = open_tree(
        str(tmp_path), "x86", parse_config("CONFIG_MODULES=y", ".config", complete=True)
    )
    assert achieve(tree, [("WANTED", "m")]).needed == (("GATE", "y"), ("MIDDLE", "m"))
    assert gates(tree, ["WANTED"]) == ["GATE"]


def test_menus_and_declarations(make_tree, tmp_path):
    text = (
        'menu "Outer"\nmenu "Inner"\nconfig X\n\tbool "x"\nendmenu\nconfig Y\n\tint\nendmenu\n'
        'choice\n\tprompt "one"\nconfig C1\n\tbool "c1"\nconfig C2\n\tbool "c2"\nendchoice\n'
    )
    make_tree(tmp_path, {"Kconfig": text})
    tree = open_tree(str(tmp_path), "x86", None)
    assert tree.menus() == {"X": "Outer > Inner", "Y": "Outer", "C1": "", "C2": ""}
    assert [tuple(declaration) for declaration in tree.declarations()] == [
        ("X", "bool", True, False, ""),
        ("Y", "int", False, False, ""),
        ("C1", "bool", True, False, "C1"),
        ("C2", "bool", True, False, "C1"),
    ]
    assert tree.count == 4
    assert tree.near("ZZZZ") == ""
