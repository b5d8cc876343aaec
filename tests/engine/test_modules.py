"""What of a plan is a module: what can only be one, what loads on demand, what is brought along."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.modules import as_modules, brought_along, of_group
from advisor.model.condition_parser import parse
from advisor.model.remedy import Change, Role
from advisor.model.tunable import Member, Tunable

# Of the kernels around 6.12: VETH, MACVLAN, BRIDGE, TUN and VHOST_NET are tristate, NET_SCHED and
# EXT4_FS_POSIX_ACL bool; VHOST_NET works with TUN; NET is what much else rests on.
ASKED, NEEDED, SIBLING = Role.ASKED, Role.DEPENDENCY, Role.SIBLING


def changes(*lines, role=ASKED):
    made = []
    for line in lines:
        symbol, _, values = line.partition("=")
        old, _, new = values.rpartition(">")
        made.append(Change(symbol, old or "n", new, role))
    return tuple(made)


def new(found):
    return {change.symbol: change.new for change in found}


@pytest.mark.parametrize(
    ("needs", "lines", "plan", "expected"),
    [
        ({"VETH": "BRIDGE"}, "MODULES=y BRIDGE=m", ["VETH=y"], {"VETH": "m"}),
        ({"VETH": "BRIDGE"}, "MODULES=y BRIDGE=y", ["VETH=y"], {"VETH": "y"}),
        ({"VETH": "BRIDGE"}, "MODULES=n BRIDGE=m", ["VETH=y"], {"VETH": "y"}),
        ({"VETH": "BRIDGE && NET"}, "MODULES=y BRIDGE=m NET=y", ["VETH=y"], {"VETH": "m"}),
        # One way that is built in is enough.
        ({"VETH": "BRIDGE || NET"}, "MODULES=y BRIDGE=m NET=y", ["VETH=y"], {"VETH": "y"}),
        ({"VETH": "BRIDGE || NET"}, "MODULES=y BRIDGE=m NET=n", ["VETH=y"], {"VETH": "m"}),
        ({"VETH": "BRIDGE || TUN"}, "MODULES=y BRIDGE=m TUN=m", ["VETH=y"], {"VETH": "m"}),
        ({"VETH": "!BRIDGE"}, "MODULES=y BRIDGE=m", ["VETH=y"], {"VETH": "y"}),
        # What can be no module is y, or is off.
        ({"NET_SCHED": "BRIDGE"}, "MODULES=y BRIDGE=m", ["NET_SCHED=y"], {"NET_SCHED": "y"}),
        ({"VETH": "BRIDGE"}, "MODULES=y BRIDGE=m", ["VETH=y>n"], {"VETH": "n"}),
        # One may need another of the plan.
        (
            {"VETH": "BRIDGE", "MACVLAN": "VETH"}, "MODULES=y BRIDGE=m",
            ["MACVLAN=y", "VETH=y"], {"VETH": "m", "MACVLAN": "m"},
        ),
        ({}, "MODULES=y BRIDGE=m", ["VETH=y"], {"VETH": "y"}),
    ],
)  # fmt: skip
def test_what_needs_a_module_is_one(make_world, needs, lines, plan, expected):
    parsed = {symbol: parse(text) for symbol, text in needs.items()}
    assert new(as_modules(changes(*plan), parsed, make_world(lines))) == expected


def group(*symbols, **requires):
    members = (Member(s.lower(), s, requires=parse(requires[s]) if s in requires else None)
               for s in symbols)  # fmt: skip
    return Tunable("things", "x", "Things", "group", members=tuple(members))


@pytest.mark.parametrize(
    ("symbols", "lines", "plan", "expected"),
    [
        # None is on, and each may be a module.
        (["VETH", "MACVLAN"], "MODULES=y VETH=n MACVLAN=n", ["VETH=y", "MACVLAN=y"], "mm"),
        # Where one is built in already the others are, and modules where one is a module.
        (["VETH", "MACVLAN"], "MODULES=y VETH=y MACVLAN=n", ["MACVLAN=y"], "y"),
        (["VETH", "MACVLAN"], "MODULES=y VETH=m MACVLAN=n", ["MACVLAN=y"], "m"),
        (["VETH", "MACVLAN", "TUN"], "MODULES=y VETH=m TUN=y MACVLAN=n", ["MACVLAN=y"], "m"),
        # A member that can be none may be needed before modules are loaded.
        (["VETH", "NET_SCHED"], "MODULES=y VETH=n NET_SCHED=n", ["VETH=y", "NET_SCHED=y"], "yy"),
        # But this one filters from the moment it is there.
        (["VETH", "BRIDGE_NETFILTER"], "MODULES=y VETH=y", ["BRIDGE_NETFILTER=y"], "m"),
        (["VETH"], "MODULES=n VETH=n", ["VETH=y"], "y"),
        (["VETH"], "MODULES=y VETH=n", ["MACVLAN=y"], "y"),
        (["VETH"], "MODULES=y VETH=m", ["VETH=m>y"], "y"),
        # What works with another that is built in has to be there with it.
        (["BRIDGE"], "MODULES=y BRIDGE=n", ["BRIDGE=y"], "m"),
        (["BRIDGE"], "MODULES=y BRIDGE=n NET_DSA=y", ["BRIDGE=y"], "y"),
        (["BRIDGE"], "MODULES=y BRIDGE=n NET_DSA=m", ["BRIDGE=y"], "m"),
        (["IPV6"], "MODULES=y IPV6=n", ["IPV6=y"], "y"),
    ],
)
def test_members_that_load_on_demand_are_modules(make_world, symbols, lines, plan, expected):
    found = of_group(changes(*plan), group(*symbols), make_world(lines))
    assert "".join(change.new for change in found) == expected


def test_an_option_of_a_module_loads_with_it(make_world):
    """EXT4_FS_POSIX_ACL cannot be a module, and is there once EXT4_FS is."""
    world = make_world("MODULES=y VETH=n EXT4_FS_POSIX_ACL=n")
    plan = changes("VETH=y", "EXT4_FS_POSIX_ACL=y")
    for requires, expected in (("EXT4_FS", "my"), ("BLOCK", "yy")):
        things = group("VETH", "EXT4_FS_POSIX_ACL", EXT4_FS_POSIX_ACL=requires)
        assert "".join(one.new for one in of_group(plan, things, world)) == expected


@pytest.mark.parametrize("word", ["nomodule", "quiet"])
def test_nothing_becomes_a_module_that_the_line_would_not_load(make_world, word):
    world = make_world("MODULES=y VETH=n", cmdline=word)
    (found,) = of_group(changes("VETH=y"), group("VETH"), world)
    assert found.new == ("y" if word == "nomodule" else "m")


@pytest.mark.parametrize(
    ("lines", "asked", "needed", "expected"),
    [
        # Only for a module: the dependency may be one.
        ("MODULES=y", ["VETH=m"], ["BRIDGE=y"], {"VETH": "m", "BRIDGE": "m"}),
        ("MODULES=y", ["VETH=y"], ["BRIDGE=y"], {"VETH": "y", "BRIDGE": "y"}),
        ("MODULES=n", ["VETH=m"], ["BRIDGE=y"], {"VETH": "m", "BRIDGE": "y"}),
        # What may be y is for more than a module serves; a bool is an option of a module.
        ("MODULES=y", ["VETH=m", "MACVLAN=y"], ["BRIDGE=y"],
         {"VETH": "m", "MACVLAN": "y", "BRIDGE": "y"}),
        ("MODULES=y", ["VETH=m", "NET_SCHED=y"], ["BRIDGE=y"],
         {"VETH": "m", "NET_SCHED": "y", "BRIDGE": "m"}),
        # What much else rests on brings all of it along built in.
        ("MODULES=y", ["VETH=m"], ["NET=y", "BRIDGE=y"], {"VETH": "m", "NET": "y", "BRIDGE": "y"}),
        ("MODULES=y", ["VETH=m"], ["NET_SCHED=y"], {"VETH": "m", "NET_SCHED": "y"}),
        ("MODULES=y", ["VETH=m>n"], ["BRIDGE=y"], {"VETH": "n", "BRIDGE": "y"}),
        ("MODULES=y", ["VETH=m"], ["BRIDGE=m>y"], {"VETH": "m", "BRIDGE": "y"}),
    ],
)  # fmt: skip
def test_what_is_brought_along_for_modules_alone_is_a_module(
    make_world, lines, asked, needed, expected
):
    plan = (*changes(*asked), *changes(*needed, role=NEEDED))
    assert new(brought_along(plan, make_world(lines))) == expected


def test_what_is_asked_for_stays_as_it_is(make_world):
    plan = (*changes("VETH=m"), *changes("BRIDGE=y"), *changes("TUN=y>n", role=SIBLING))
    assert brought_along(plan, make_world("MODULES=y")) == plan


OPTION = """
id = "option"
title = "Option"
kind = "switch"
summary = "Of a module."
[[value]]
name = "on"
set = { OPTION = "y" }
requires = "REQUIRES"
[[value]]
name = "off"
set = { OPTION = "n" }
"""


@pytest.mark.parametrize(("tun", "expected"), [("m", "m"), ("y", "y")])
def test_an_option_of_a_rule_that_rests_on_modules_counts_as_one(
    make_world, make_knowledge, tun, expected
):
    rules = {"rules/t/option.toml": OPTION.replace("REQUIRES", "TUN")}
    plan = (*changes("OPTION=y"), *changes("BRIDGE=y", role=NEEDED))
    world = make_world(f"MODULES=y TUN={tun}", knowledge=make_knowledge(rules))
    assert new(brought_along(plan, world)) == {"OPTION": "y", "BRIDGE": expected}


@pytest.mark.parametrize(
    ("requires", "option", "expected"),
    [("BRIDGE = y", "y", "y"), ("BRIDGE", "y", "m"), ("BRIDGE = y", "y>n", "m")],
)
def test_nothing_is_a_module_that_the_plan_needs_built_in(
    make_world, make_knowledge, requires, option, expected
):
    rules = {"rules/t/option.toml": OPTION.replace("REQUIRES", requires)}
    plan = (*changes("VETH=m", f"OPTION={option}"), *changes("BRIDGE=y", role=NEEDED))
    world = make_world("MODULES=y", knowledge=make_knowledge(rules))
    assert new(brought_along(plan, world))["BRIDGE"] == expected
