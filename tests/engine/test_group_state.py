"""The state of a group: which members are on, which are off, and which are nothing here."""

from __future__ import annotations

import pytest

from advisor.engine.effective.group_state import (
    NOBODY,
    group,
    is_hidden,
    is_member_on,
    kept_out,
    words_against,
)
from advisor.model.condition_parser import parse
from advisor.model.tunable import Member, Tunable

PARAMETERS = """
[[parameter]]
name = "slow"
summary = "Slow or not."
type = "bool"
[[parameter]]
name = "nomodule"
summary = "No modules."
type = "bool"
[[parameter]]
name = "module_blacklist"
summary = "Modules that are not loaded."
type = "string"
joined = true
"""
SHOWS = (("/sys/module/slow/parameters/on", ("Y",)),)
SLOW = Member("slow", "SLOW", boot_on=("slow=1",), boot_off=("slow=0",))


def tunable(*members):
    return Tunable("things", "x", "Things", "group", members=members)


def member(symbol, **fields):
    conditions = {
        name: parse(value) if name in ("when", "unless", "requires") else value
        for name, value in fields.items()
    }
    return Member(symbol.lower(), symbol, **conditions)


@pytest.fixture
def world(make_world, make_knowledge):
    knowledge = make_knowledge({"rules/parameters/p.toml": PARAMETERS})

    def of(lines, cmdline=None, **told):
        return make_world(lines, cmdline=cmdline, knowledge=knowledge, **told)

    return of


def state_of(found):
    return found.effective, [name for name, _ in found.on], [name for name, _ in found.off]


PAIR = (member("ONE"), member("TWO"))


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        ("ONE=y TWO=m", (("on",), ["ONE", "TWO"], [])),
        ("ONE=y TWO=n", (("partly",), ["ONE"], ["TWO"])),
        ("ONE=n TWO=n", (("off",), [], ["ONE", "TWO"])),
        # What this kernel does not have is not off.
        ("ONE=y", (("on",), ["ONE"], [])),
        ("OTHER=y", (("off",), [], [])),
    ],
)
def test_a_group_is_on_where_all_that_are_there_are(world, lines, state):
    assert state_of(group(tunable(*PAIR), world(lines))) == state


@pytest.mark.parametrize(
    ("lines", "values"),
    [
        ("ONE=y", ("on", "partly")),
        ("ONE=n", ("off", "partly")),
        ("OTHER=y", ("off", "on")),
    ],
)
def test_what_a_fragment_does_not_tell_leaves_two_states(world, lines, values):
    found = group(tunable(*PAIR), world(lines, complete=False))
    assert set(found.effective) == set(values)
    assert "TWO" in found.missing


@pytest.mark.parametrize(
    ("vendor", "names"),
    [("intel", None), ("amd", ["ONE"])],
)
def test_a_member_that_is_nothing_to_this_machine_does_not_count(world, vendor, names):
    found = group(tunable(member("ONE", unless="vendor = intel")), world("ONE=y", vendor=vendor))
    assert (found and [name for name, _ in found.on]) == names


@pytest.mark.parametrize(
    ("lines", "on"),
    [("ONE=y TWO=y", ["ONE", "TWO"]), ("ONE=n TWO=y", []), ("TWO=y", ["TWO"])],
)
def test_a_member_whose_need_is_a_member_that_is_off_hangs_on_it(world, lines, on):
    hanging = tunable(member("ONE"), member("TWO", requires="ONE"))
    assert [name for name, _ in group(hanging, world(lines)).on] == on


@pytest.mark.parametrize(
    ("lines", "off"),
    [("MENU=n", ["ONE"]), ("MENU=y", []), ("OTHER=y", []), ("MENU=y ONE=n", ["ONE"])],
)
def test_a_member_behind_a_menu_that_is_off_is_off(world, lines, off):
    one, here = member("ONE", behind="MENU"), world(lines)
    assert [name for name, _ in group(tunable(one), here).off] == off
    assert is_hidden(one, here) is (lines == "MENU=n")


@pytest.mark.parametrize(
    ("lines", "cmdline", "sysfs", "is_on"),
    [
        ("SLOW=y", "", "", True),
        ("SLOW=y", "slow=0", "", False),
        ("SLOW=y", "slow=1", "", True),
        ("SLOW=n", "slow=1", "", True),
        ("SLOW=n", "slow=0", "", False),
        ("SLOW=n", "", "", False),
        ("SLOW=y", "slow=1 slow=0", "", False),
        # A file of the running kernel tells whether the word was followed.
        ("SLOW=y", "slow=0", "Y", True),
        ("SLOW=y", "slow=0", "N", False),
        ("SLOW=n", "slow=0", "Y", False),
    ],
)
def test_a_word_of_the_line_decides_a_member(world, lines, cmdline, sysfs, is_on):
    runtime = f"{SHOWS[0][0]}={sysfs}\n" if sysfs else ""
    here = world(lines, cmdline, runtime=runtime)
    assert is_member_on(SLOW._replace(shows=SHOWS), here) is is_on


@pytest.mark.parametrize(
    ("when", "lines", "expected"),
    [("ONE || TWO", "TWO=y", True), ("ONE", "SLOW=y", False), ("ONE", "ONE=y", True)],
)
def test_a_condition_of_its_own_tells_whether_a_member_is_on(world, when, lines, expected):
    assert is_member_on(member("SLOW", when=when), world(lines)) is expected


MODULES = tunable(
    member("ONE", module="one"),
    member("TWO", module="two", requires="ONE && OTHER"),
    member("THREE", module="three", requires="ONE || OTHER"),
)


@pytest.mark.parametrize(
    ("lines", "cmdline", "kept"),
    [
        ("ONE=m TWO=m THREE=m", "module_blacklist=one", {"ONE", "TWO"}),
        ("ONE=m TWO=m THREE=m", "module_blacklist=x,three", {"THREE"}),
        ("ONE=m TWO=y THREE=m", "module_blacklist=one", {"ONE"}),
        ("ONE=y TWO=m THREE=m", "module_blacklist=one", set()),
        ("ONE=m TWO=m THREE=m", "nomodule", {"ONE", "TWO", "THREE"}),
        ("ONE=m TWO=m THREE=m", "quiet", set()),
    ],
)
def test_a_word_keeps_modules_out_and_what_needs_them(world, lines, cmdline, kept):
    here = world(lines, cmdline)
    found = kept_out(MODULES, here)
    assert (set(found), {word.text for word in found.values()}) == (
        kept, {cmdline} if kept else set()
    )  # fmt: skip
    assert {name for name, _ in group(MODULES, here).off} == kept


def test_only_what_a_word_keeps_out_has_an_origin_here(world):
    found = group(MODULES, world("ONE=m OTHER=y TWO=y THREE=n", "module_blacklist=one"))
    assert {name: origin.text for name, origin in found.off} == {
        "ONE": "module_blacklist=one", "THREE": ""
    }  # fmt: skip
    assert dict(found.on) == {"TWO": NOBODY}


@pytest.mark.parametrize(
    ("lines", "cmdline", "name", "words"),
    [
        ("SLOW=n", "slow=1 quiet", "off", ["slow=1"]),
        ("SLOW=y", "slow=0", "on", ["slow=0"]),
        ("SLOW=y", "slow=1", "on", []),
        ("SLOW=y", "slow=0", "off", []),
    ],
)
def test_the_words_against_a_value_switch_members_the_other_way(world, lines, cmdline, name, words):
    here, things = world(lines, cmdline), tunable(SLOW)
    found = words_against(things, name, group(things, here), here)
    assert [word.text for word in found] == words


@pytest.mark.parametrize(
    ("opened", "lines", "fields", "off"),
    [
        ({"ONE"}, "ONE=y", {"requires": "ONE"}, ["TWO"]),
        ({"OTHER"}, "ONE=y", {"requires": "ONE"}, []),
        (set(), "ONE=y", {"requires": "ONE"}, []),
        ({"ONE"}, "ONE=y", {"requires": "ONE && OTHER"}, []),
        ({"ONE"}, "ONE=y", {"requires": "ONE", "when": "TWO"}, []),
    ],
)
def test_a_member_that_a_plan_opens_is_off_without_a_line(world, opened, lines, fields, off):
    here = world(lines)
    after = here.after(here.subject, frozenset(opened))
    found = group(tunable(member("TWO", **fields)), after)
    assert [name for name, _ in found.off] == off


def test_a_member_without_a_symbol_is_there_where_its_condition_holds(world):
    old = Member("old way", when=parse("kernel < 6.6"))
    for kernel, on in (("6.1.0", ["old way"]), ("6.12.0", [])):
        found = group(tunable(old), world("OTHER=y", kernel=kernel))
        assert ([name for name, _ in found.on], found.off) == (on, ())


def test_what_a_word_switches_on_as_a_protection_is_named_and_does_not_count(world):
    things = tunable(SLOW._replace(kept=("slow=y",)), member("FAST"))
    found = group(things, world("SLOW=y FAST=n", "slow=y"))
    assert state_of(found) == (("off",), [], ["FAST"])
    assert found.kept == (("SLOW", "slow=y"),)
    assert found.describe(things) == "none on; slow=y enables SLOW as a protection"
    assert group(things, world("SLOW=y FAST=n", "quiet")).kept == ()
