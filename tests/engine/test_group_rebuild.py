"""The changes that switch the members of a group, and what stands against the others."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.rebuild import group_changes
from advisor.engine.remedy.what_if import world_with
from advisor.model.condition_parser import parse
from advisor.model.remedy import Change, Role
from advisor.model.tree import ONLY_A_MODULE, SearchResult
from advisor.model.tunable import Member, Tunable

ASKED, NEEDED = Role.ASKED, Role.DEPENDENCY


def member(symbol, **fields):
    conditions = {
        name: parse(value) if name in ("when", "unless", "requires") else value
        for name, value in fields.items()
    }
    return Member(symbol.lower(), symbol, **conditions)


def group(*members):
    return Tunable("things", "x", "Things", "group", members=members)


def told(outcome):
    """The lines of an outcome, or why there are none."""
    if isinstance(outcome, Blocked):
        return outcome.reason
    return {change.symbol: change.new for change in outcome}


PAIR = group(member("ONE"), member("TWO", requires="BASE"))


@pytest.mark.parametrize(
    ("name", "lines", "expected", "left"),
    [
        ("on", "ONE=n TWO=n BASE=y", {"ONE": "y", "TWO": "y"}, ()),
        ("on", "ONE=n TWO=n BASE=n", {"BASE": "y", "ONE": "y", "TWO": "y"}, ()),
        ("on", "ONE=y TWO=n BASE=y", {"TWO": "y"}, ()),
        # What cannot be had is told, and does not keep the others off.
        ("on", "ONE=n TWO=n", {"ONE": "y"},
         ("TWO: needs BASE, which this configuration does not offer",)),
        ("on", "ONE=y TWO=n", "TWO: needs BASE, which this configuration does not offer",
         ("TWO: needs BASE, which this configuration does not offer",)),
        ("on", "OTHER=y", "this kernel offers no option for this setting", ()),
        ("off", "ONE=y TWO=m BASE=y", {"ONE": "n", "TWO": "n"}, ()),
        ("off", "ONE=n TWO=y BASE=y", {"TWO": "n"}, ()),
        ("off", "OTHER=y", "this kernel offers no option for this setting", ()),
    ],
)  # fmt: skip
def test_each_member_that_can_be_had_is_switched(make_world, name, lines, expected, left):
    outcome, others = group_changes(PAIR, name, make_world(lines))
    assert (told(outcome), others) == (expected, left)


@pytest.mark.parametrize(
    ("name", "when", "lines", "expected"),
    [
        ("off", "GATE", "ONE=y GATE=y", {"GATE": "n"}),
        ("off", "ONE && GATE", "ONE=y GATE=y", {"GATE": "n"}),
        ("off", "GATE", "ONE=y GATE=n", "this kernel offers no option for this setting"),
        ("on", "GATE", "ONE=y GATE=n", {"GATE": "y"}),
        ("on", "ONE && GATE", "ONE=n GATE=y", {"ONE": "y"}),
        # On by another member of its choice, say.
        ("on", "GATE || OTHER", "ONE=n OTHER=y", "this kernel offers no option for this setting"),
        ("off", "GATE || OTHER", "GATE=y OTHER=y", "this kernel offers no option for this setting"),
    ],
)
def test_a_member_with_a_condition_is_switched_by_its_gate(make_world, name, when, lines, expected):
    outcome, _ = group_changes(group(member("ONE", when=when)), name, make_world(lines))
    assert told(outcome) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # A menu that is off hides a member; one that is on shows what there is.
        ("MENU=n BASE=y", {"MENU": "y", "ONE": "y"}),
        ("MENU=n BASE=y ONE=y", "this kernel offers no option for this setting"),
        ("MENU=y BASE=y", "this kernel offers no option for this setting"),
        ("BASE=y", "this kernel offers no option for this setting"),
    ],
)
def test_a_member_behind_a_menu_comes_with_it(make_world, lines, expected):
    things = group(member("ONE", requires="MENU && BASE", behind="MENU"))
    outcome, _ = group_changes(things, "on", make_world(lines))
    assert told(outcome) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("FTRACE=n", {"FTRACE": "y", "ONE": "y", "TWO": "y"}),
        # Hidden members are looked for only where none is shown.
        ("FTRACE=n ONE=n", {"FTRACE": "y", "ONE": "y"}),
        ("FTRACE=y", "this kernel offers no option for this setting"),
        ("OTHER=n", "this kernel offers no option for this setting"),
    ],
)
def test_members_that_no_line_shows_come_with_what_is_off(make_world, lines, expected):
    things = group(member("ONE", requires="FTRACE"), member("TWO", requires="FTRACE"))
    outcome, _ = group_changes(things, "on", make_world(lines, kernel=""))
    assert told(outcome) == expected


def test_what_other_changes_make_visible_does_not_hide_the_rest(make_world):
    """The changes are those of the report, where nothing is planned yet."""
    things = group(member("ONE", requires="FIRST"), member("TWO", requires="OTHER"))
    world = make_world("FIRST=n OTHER=n", kernel="")
    planned = world_with(world, [Change("FIRST", "n", "y", Role.ASKED)])
    alone = told(group_changes(things, "on", world)[0])
    assert alone == {"FIRST": "y", "ONE": "y", "OTHER": "y", "TWO": "y"}
    assert {"FIRST": "y", **told(group_changes(things, "on", planned)[0])} == alone


@pytest.mark.parametrize(
    ("requires", "lines", "more"),
    [
        # IP_SET_HASH_IP has no line before IP_SET is on: the plan opens it.
        ("IP_SET", "IP_SET=n", True),
        ("IP_SET", "IP_SET=n IP_SET_HASH_IP=y", False),
        ("IP_SET && NO_SUCH_THING", "IP_SET=n", False),
        ("NET", "IP_SET=n NET=y", False),
    ],
)
def test_members_that_the_plan_opens_are_part_of_it(make_world, requires, lines, more):
    things = group(member("IP_SET"), member("IP_SET_HASH_IP", requires=requires))
    outcome, _ = group_changes(things, "on", make_world(f"MODULES=n {lines}"))
    assert told(outcome) == {"IP_SET": "y"} | ({"IP_SET_HASH_IP": "y"} if more else {})


def test_a_fragment_opens_nothing(make_world):
    things = group(member("IP_SET"), member("IP_SET_HASH_IP", requires="IP_SET"))
    outcome, _ = group_changes(things, "on", make_world("IP_SET=n", complete=False))
    assert told(outcome) == {"IP_SET": "y"}


def test_members_that_load_on_demand_become_modules(make_world):
    things = group(member("VETH"), member("MACVLAN"))
    outcome, _ = group_changes(things, "on", make_world("MODULES=y VETH=n MACVLAN=n"))
    assert told(outcome) == {"VETH": "m", "MACVLAN": "m"}


MODULES = group(member("VETH", module="veth"), member("MACVLAN", module="macvlan"))


@pytest.mark.parametrize(
    ("lines", "cmdline", "expected", "left"),
    [
        ("VETH=n MACVLAN=n", "module_blacklist=veth", {"VETH": "m", "MACVLAN": "m"},
         ("VETH: with module_blacklist=veth, the kernel does not load modules",)),
        ("VETH=n MACVLAN=n", "module_blacklist=other", {"VETH": "m", "MACVLAN": "m"}, ()),
        ("VETH=n MACVLAN=m", "module_blacklist=veth",
         "with module_blacklist=veth, the kernel does not load modules", ()),
        ("VETH=m MACVLAN=m", "module_blacklist=veth",
         "with module_blacklist=veth, the kernel does not load modules", ()),
        ("VETH=m MACVLAN=m", "quiet", "this kernel offers no option for this setting", ()),
    ],
)  # fmt: skip
def test_a_word_that_keeps_a_module_out_is_told(make_world, lines, cmdline, expected, left):
    world = make_world(f"MODULES=y {lines}", cmdline=cmdline)
    outcome, others = group_changes(MODULES, "on", world)
    assert (told(outcome), others) == (expected, left)


class Tree:
    """A tree in which some symbols cannot be had, or only as a module."""

    def __init__(self, refused=(), only_modules=(), named=True):
        self.refused, self.only_modules, self.named = refused, only_modules, named

    def achieve(self, lines, wanted, keep, fixed=frozenset()):
        for symbol, value in wanted:
            if symbol in self.refused:
                return SearchResult(reason="no way", missed=symbol if self.named else "HIDDEN")
            if symbol in self.only_modules and value == "y":
                return SearchResult(reason=f"{symbol} {ONLY_A_MODULE}", missed=symbol)
        return SearchResult()

    def members(self, lines, symbol):
        return ()

    def value(self, lines, symbol):
        return dict(lines).get(symbol)

    def effects(self, lines):
        return ()


@pytest.mark.parametrize(
    ("tree", "expected", "left"),
    [
        (Tree(), {"ONE": "y", "TWO": "y"}, ()),
        (Tree(only_modules=["TWO"]), {"ONE": "y", "TWO": "m"}, ()),
        (Tree(refused=["TWO"]), {"ONE": "y"}, ("no way",)),
        # The tree may name another symbol: then the member is found by trying.
        (Tree(refused=["TWO"], named=False), {"ONE": "y"}, ("no way",)),
        (Tree(refused=["ONE"], named=False), {"TWO": "y"}, ("no way",)),
        (Tree(refused=["ONE", "TWO"]), "no way", ("no way",)),
    ],
)
def test_a_tree_names_the_members_that_cannot_be_had(make_world, tree, expected, left):
    world = make_world("ONE=n TWO=n")
    here = world.after(world.subject._replace(tree=tree))
    outcome, others = group_changes(group(member("ONE"), member("TWO")), "on", here)
    assert (told(outcome), others) == (expected, left)
