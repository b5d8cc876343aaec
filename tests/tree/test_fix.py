"""A fragment made whole: what stands in place of its lines, and what that needs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.inputs.config import all_lines, parse_config
from advisor.tree.check import KnownNames, check_fragment
from advisor.tree.fix import fix_fragment
from advisor.tree.kerneltree import open_tree

KCONFIG = """
config X86
	def_bool y
	select PINNED

config PINNED
	bool "pinned"

config MODULES
	def_bool y
	modules

config EXPERT
	bool "expert"

config PRINTER
	bool "printer" if EXPERT
	default y

config TIMER
	bool "timer" if EXPERT
	default y

config BASE
	bool "base" if EXPERT

config AMID
	bool "amid"
	depends on BASE

config TOP
	bool "top"
	depends on AMID && !BLOCKER

config BLOCKER
	bool "blocker"

config PAPER
	bool "paper"
	default y
	depends on !TRAY || TRAY_PAPER

config TRAY
	bool "tray"

config TRAY_PAPER
	bool "paper in the tray"
	depends on TRAY

config BIG
	bool "big"
	depends on TRAY

config RIVAL
	bool "rival"
	depends on !VALUED

config VALUED
	bool "valued"
	default y

config INDIRECT
	bool "indirect"
	depends on RIVAL

config BUS
	tristate "bus"

config DEVICE
	tristate "device"
	depends on BUS

config HOLDER
	tristate "holder"
	depends on BUS=m

config SIZE
	int "size"
	range 1 10
	default 5

config NAME
	string "name"

config SWITCH
	bool "switch"

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

config FIRST
	bool "first half"

config SECOND
	bool "second half"

config ALWAYS
	def_bool y

config LATE
	bool "late"
	depends on TRAY && NOWHERE
"""
BASE = "CONFIG_X86=y\nCONFIG_PINNED=y\nCONFIG_PRINTER=y\nCONFIG_TIMER=y\nCONFIG_PAPER=y\n"
BASE += "CONFIG_VALUED=y\nCONFIG_SIZE=5\nCONFIG_ONE=y\n"
NOW = {"WAS_ONE": ["FIRST", "SECOND"], "WAS_SWITCH": ["SWITCH"], "WAS_AUTO": ["ALWAYS"]}
NOW["WAS_SIZE"] = ["SIZE"]
NOTES = {"WAS_SIZE": ". It counts pages"}


@pytest.fixture(scope="module")
def tree(make_tree, tmp_path_factory):
    folder = make_tree(tmp_path_factory.mktemp("fix"), {"Kconfig": KCONFIG})
    return open_tree(str(folder), "x86", parse_config(BASE, ".config", complete=True))


@pytest.fixture(scope="module")
def names(tree):
    return KnownNames(
        tree.renames,
        lambda symbol, value: NOW.get(symbol, []),
        lambda symbol: NOTES.get(symbol, ""),
        lambda symbol: "is not in this tree" + ": gone since 6.1" * (symbol == "GONE"),
    )


@pytest.fixture
def fix(tree, names):
    """What becomes of the lines of a fragment; all that is written then holds."""

    def run(*lines, allowed=()):
        fragment = parse_config("\n".join([*lines, ""]), "x.config", complete=False)
        repaired = fix_fragment(tree, all_lines(fragment), names, allowed)
        assert_holds(tree, repaired)
        return repaired

    return run


def written(repaired):
    return tuple(
        pair
        for line in repaired
        for pair in (*((one.symbol, one.value) for one in line.before), *line.lines)
    )


def assert_holds(tree, repaired):
    with tree.trial():
        for line in written(repaired):
            tree.set(*line)
        for symbol, value in written(repaired):
            assert (tree.value(symbol) or "n") == value, symbol


def test_what_holds_stays_as_it_is(fix):
    (line,) = fix("CONFIG_SWITCH=y")
    assert (line.lines, line.before, line.reason) == ((("SWITCH", "y"),), (), "")


def test_needs_come_first_and_are_labelled(fix):
    (line,) = fix("CONFIG_TOP=y")
    assert [(one.symbol, one.value, one.needed_by) for one in line.before] == [
        ("EXPERT", "y", ("TOP",)),
        ("BASE", "y", ("TOP",)),
        ("AMID", "y", ("TOP",)),
    ]
    assert line.lines == (("TOP", "y"),)


def test_a_need_of_several_stands_once_above_the_first(fix):
    printer, timer, switch = fix(
        "# CONFIG_PRINTER is not set", "# CONFIG_TIMER is not set", "CONFIG_SWITCH=y"
    )
    assert [(one.symbol, one.needed_by) for one in printer.before] == [
        ("EXPERT", ("PRINTER", "TIMER"))
    ]
    assert (timer.before, switch.before) == ((), ())


def test_what_the_author_writes_later_is_not_added(fix):
    top, *_ = fix("CONFIG_TOP=y", "CONFIG_AMID=y", "CONFIG_BASE=y")
    assert [one.symbol for one in top.before] == ["EXPERT"]


def test_a_line_of_the_author_is_not_turned_round(fix):
    top, blocker = fix("CONFIG_TOP=y", "CONFIG_BLOCKER=y")
    assert (top.lines, top.missed, blocker.lines) == ((), True, (("BLOCKER", "y"),))
    assert "the fragment's own line for BLOCKER stays as it is" in top.reason


def test_lines_that_fall_with_another_say_so(fix):
    rival, indirect = fix("CONFIG_RIVAL=y", "CONFIG_INDIRECT=y", "CONFIG_VALUED=y")[:2]
    assert (rival.missed, indirect.missed) == (True, True)
    assert "RIVAL cannot be enabled either" in indirect.reason


def test_the_reason_is_that_of_the_repaired_fragment(fix):
    _, late = fix("CONFIG_BIG=y", "CONFIG_LATE=y")
    assert late.reason.startswith("LATE needs NOWHERE (Kconfig:")  # and TRAY, but that is there


def test_a_price_stops_it_and_is_told_and_may_be_allowed(fix):
    (line,) = fix("CONFIG_INDIRECT=y")
    assert (line.lines, line.missed) == ((), True)
    assert "VALUED=n would remove VALUED" in line.reason
    (line,) = fix("CONFIG_INDIRECT=y", allowed=["VALUED"])
    assert [(one.symbol, one.value) for one in line.before] == [("VALUED", "n"), ("RIVAL", "y")]


def test_what_selects_a_symbol_is_named(fix):
    (line,) = fix("# CONFIG_PINNED is not set")
    assert line.missed
    assert "PINNED cannot be n: X86 selects it (Kconfig:" in line.reason


def test_a_line_that_only_keeps_something_says_what(fix):
    (line,) = fix("CONFIG_BIG=y")
    assert [(one.symbol, one.needed_by, one.keeps) for one in line.before] == [
        ("TRAY", ("BIG",), ()),
        ("TRAY_PAPER", ("BIG",), ("PAPER",)),
    ]


def test_what_comes_nearest_is_written(fix):
    bus, holder, device = fix("CONFIG_BUS=m", "CONFIG_HOLDER=m", "CONFIG_DEVICE=y")
    assert (bus.reason, holder.reason) == ("", "")
    assert (device.lines, device.missed) == ((("DEVICE", "m"),), True)
    (size,) = fix("CONFIG_SIZE=99")
    assert (size.lines, size.missed) == ((("SIZE", "10"),), True)
    assert "99 is outside the range of SIZE, 1 10" in size.reason


def test_a_module_needs_modules(make_tree, tmp_path):
    kconfig = KCONFIG.replace("def_bool y\n\tmodules", 'bool "modules"\n\tmodules')
    make_tree(tmp_path, {"Kconfig": kconfig})
    tree = open_tree(str(tmp_path), "x86", parse_config(BASE, ".config", complete=True))
    fragment = parse_config("CONFIG_BUS=m\nCONFIG_DEVICE=m\n", "x.config", complete=False)
    bus, device = fix_fragment(tree, all_lines(fragment), KnownNames())
    assert [(one.symbol, one.needed_by) for one in bus.before] == [("MODULES", ("BUS", "DEVICE"))]
    assert (bus.lines, device.lines) == ((("BUS", "m"),), (("DEVICE", "m"),))
    dropped = check_fragment(tree, all_lines(fragment), KnownNames())
    assert "BUS cannot be m: MODULES is n" in dropped[0].reason
    assert dropped[0].remedy == (("MODULES", "y"),)


def test_a_new_default_is_settled_by_a_line_of_its_own(make_tree, tmp_path):
    lcd = """
config LCD
	bool "lcd"

config LCD_COLOUR
	bool "colour" if EXPERT
	default !EXPERT
	depends on LCD
"""
    make_tree(tmp_path, {"Kconfig": KCONFIG + lcd})
    tree = open_tree(str(tmp_path), "x86", parse_config(BASE, ".config", complete=True))
    text = "CONFIG_LCD=y\n# CONFIG_TIMER is not set\n"
    fragment = parse_config(text, "x.config", complete=False)
    _, timer = fix_fragment(tree, all_lines(fragment), KnownNames())
    assert [(one.symbol, one.value, one.keeps) for one in timer.before] == [
        ("EXPERT", "y", ()),
        ("LCD_COLOUR", "y", ("LCD_COLOUR",)),
    ]


def test_of_two_lines_the_last_one_counts(fix):
    first, same, last = fix("CONFIG_SIZE=3", "CONFIG_SIZE=4", "CONFIG_SIZE=4")
    assert (first.lines, first.missed) == ((), False)
    assert first.reason == "line 3 sets another value, and the last line counts"
    assert (same.lines, same.reason, last.lines) == ((), "", (("SIZE", "4"),))
    again, pinned = fix("# CONFIG_PINNED is not set", "# CONFIG_PINNED is not set")
    assert (again.reason, pinned.missed) == ("line 2 says the same", True)
    one, two = fix("CONFIG_ONE=y", "CONFIG_TWO=y")
    assert (one.missed, two.lines) == (True, (("TWO", "y"),))


@pytest.mark.parametrize(
    ("text", "lines", "told"),
    [
        ("CONFIG_SWITCH=m", (("SWITCH", "y"),), "SWITCH is a bool in this tree"),
        ("CONFIG_NAME=plain", (("NAME", '"plain"'),), "needs quotes"),
        ("CONFIG_OLD=y", (("NEW", "y"),), "OLD is called NEW in this tree"),
        ("CONFIG_WAS_SWITCH=m", (("SWITCH", "y"),), "WAS_SWITCH is called SWITCH in this tree"),
        ("CONFIG_WAS_ONE=y", (("FIRST", "y"), ("SECOND", "y")), "is called FIRST and SECOND"),
        (
            "# CONFIG_WAS_ONE is not set",
            (("FIRST", "n"), ("SECOND", "n")),
            "is called FIRST and SECOND",
        ),
        (
            "CONFIG_WAS_AUTO=y",
            (),
            "is called ALWAYS in this tree; no line is needed, as the symbol already has this "
            "value",
        ),
    ],
)
def test_a_line_under_its_name_and_type_in_this_tree(fix, text, lines, told):
    (line,) = fix(text)
    assert (line.lines, line.missed) == (lines, False)
    assert told in line.reason


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("CONFIG_GONE=y", "GONE is not in this tree: gone since 6.1"),
        ("CONFIG_WAS_SIZE=7", "It counts pages, so the value 7 may not fit"),
        ("CONFIG_SWITCH=maybe", "SWITCH is a bool"),
        ("CONFIG_SIZE=large", "SIZE"),
    ],
)
def test_a_line_that_nothing_stands_for(fix, text, told):
    (line,) = fix(text)
    assert (line.lines, line.missed) == ((), True)
    assert told in line.reason


@pytest.mark.parametrize("text", ["# CONFIG_GONE is not set", "# CONFIG_WAS_AUTO is not set"])
def test_what_is_off_since_it_is_not_there_stays(fix, text):
    (line,) = fix(text)
    assert line.kept


def test_an_old_and_a_new_name_side_by_side(fix):
    old, new = fix("CONFIG_WAS_SWITCH=m", "CONFIG_SWITCH=y")
    assert (old.lines, old.missed, new.kept) == ((), False, True)
    assert old.reason == "WAS_SWITCH is called SWITCH in this tree, and line 2 sets SWITCH"
    old, _ = fix("# CONFIG_WAS_SWITCH is not set", "CONFIG_SWITCH=y")
    assert (old.lines, old.missed) == ((), True)


LINES = st.lists(
    st.sampled_from(
        [
            *(f"CONFIG_{name}=y" for name in ("TOP", "AMID", "BLOCKER", "BIG", "RIVAL")),
            *(f"CONFIG_{name}=y" for name in ("INDIRECT", "TWO", "ONE", "OLD", "NEW")),
            *(f"CONFIG_{name}=y" for name in ("WAS_ONE", "EXPERT")),
            *(f"CONFIG_{name}=m" for name in ("BUS", "DEVICE", "HOLDER", "SWITCH")),
            *(f"CONFIG_{name}=y" for name in ("BUS", "DEVICE", "HOLDER", "SWITCH")),
            *(f"# CONFIG_{name} is not set" for name in ("PINNED", "PRINTER", "VALUED", "BASE")),
            *(f"# CONFIG_{name} is not set" for name in ("PAPER", "TRAY", "EXPERT", "BUS")),
            "CONFIG_SIZE=99", "CONFIG_GONE=y",
        ]
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=300)
@given(LINES)
def test_whatever_is_written_is_whole_minimal_and_final(tree, names, lines):
    fragment = parse_config("\n".join([*lines, ""]), "x.config", complete=False, fragment=True)
    repaired = fix_fragment(tree, all_lines(fragment), names)
    assert_holds(tree, repaired)
    text = [f"CONFIG_{symbol}={value}" for symbol, value in written(repaired)]
    again = parse_config("\n".join([*text, ""]), "x.config", complete=False, fragment=True)
    assert all(
        line.kept and not line.before for line in fix_fragment(tree, all_lines(again), names)
    )
    added = [(one.symbol, one.value) for line in repaired for one in line.before]
    for spare in added:
        fewer = [line for line in written(repaired) if line != spare]
        with tree.trial():
            for line in fewer:
                tree.set(*line)
            held = all((tree.value(symbol) or "n") == value for symbol, value in fewer)
            kept = next(one for line in repaired for one in line.before if one.symbol == spare[0])
            assert not held or kept.keeps, spare


@settings(max_examples=100)
@given(LINES)
def test_what_check_finds_a_remedy_for_is_had_unless_lines_exclude_each_other(tree, names, lines):
    fragment = parse_config("\n".join([*lines, ""]), "x.config", complete=False, fragment=True)
    results = {r.symbol: r for r in check_fragment(tree, all_lines(fragment), names)}
    repaired = fix_fragment(tree, all_lines(fragment), names)
    for line in repaired:
        remedy = results[line.symbol].remedy
        if line.missed and remedy and line.value == results[line.symbol].value:
            own = {pair for one in repaired for pair in one.lines}
            with tree.trial():
                for pair in (*remedy, *own, (line.symbol, line.value)):
                    tree.set(*pair)
                kept = all((tree.value(symbol) or "n") == value for symbol, value in own)
                assert not kept or tree.value(line.symbol) != line.value, line


def test_a_number_in_quotes_is_written_without(fix):
    (size,) = fix('CONFIG_SIZE="7"')
    assert (size.lines, size.missed) == ((("SIZE", "7"),), False)
    assert size.reason == "SIZE is not a string in this tree, so its value must not have quotes"
