"""The changes that a wish takes with what each needs, or why it cannot be had."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.dependencies import (
    assignments,
    completed,
    enabled,
    is_here,
    of_way,
    other_members,
    set_changes,
    with_tools,
)
from advisor.engine.remedy.what_if import moved, world_with
from advisor.model.condition_parser import parse
from advisor.model.remedy import Change, Role
from advisor.model.tunable import Value

RULES = {
    "rules/t/a-choice.toml": """
id = "a-choice"
title = "A choice"
kind = "choice"
summary = "One of three."
choice = ["ONE", "TWO", "THREE"]
[[value]]
name = "one"
set = { ONE = "y" }
[[value]]
name = "two"
set = { TWO = "y" }
requires = "BASE"
[[value]]
name = "three"
set = { THREE = "y" }
""",
    "rules/t/provided.toml": """
id = "provided"
title = "Provided"
kind = "switch"
summary = "Needs more."
[[value]]
name = "on"
set = { PROVIDED = "y" }
requires = "BASE"
[[value]]
name = "off"
set = { PROVIDED = "n" }
""",
    "rules/t/things.toml": """
id = "things"
title = "Things"
kind = "group"
summary = "Things."
[[member]]
symbol = "MEMBER"
note = "member"
requires = "BASE"
""",
}
ASKED, NEEDED, SIBLING = Role.ASKED, Role.DEPENDENCY, Role.SIBLING


@pytest.fixture
def world(make_world, make_knowledge):
    knowledge = make_knowledge(RULES)
    return lambda lines="", **told: make_world(lines, knowledge=knowledge, **told)


def lines_of(found):
    return [(change.symbol, change.new, change.role) for change in found]


def needed(requires, world, *asked):
    """What a change of X needs, or why it cannot be had."""
    changes = [Change("X", world.config.get("X"), "y", ASKED), *asked]
    return completed(changes, parse(requires), (), world)


@pytest.mark.parametrize(
    ("pair", "lines", "complete", "line"),
    [
        (("X", "y"), "X=n", True, ("n", "y")),
        (("X", "y"), "X=y", True, None),
        (("X", "y"), "OTHER=y", True, (None, "y")),
        # Absent is off already; a fragment has to say so.
        (("X", "n"), "OTHER=y", True, None),
        (("X", "n"), "OTHER=y", False, (None, "n")),
        (("X", "n"), "X=m", True, ("m", "n")),
        (("X", "m"), "X=y", True, None),
        (("X", "m"), "X=n", True, ("n", "m")),
        (("X", "m"), "X=n MODULES=n", True, ("n", "y")),
        (("X", "y"), "X=m", True, ("m", "y")),
        (("X", "text"), "X=n", True, ("n", '"text"')),
        (("X", "16"), 'X="8"', True, ('"8"', '"16"')),
        (("X", "16"), "X=8", True, ("8", "16")),
        (("X", "...,b"), 'X="a"', True, ('"a"', '"a,b"')),
        (("X", "...,a"), 'X="a"', True, None),
        (("X", "...,b"), "OTHER=y", True, None),
    ],
)
def test_a_line_is_written_where_it_says_something_new(world, pair, lines, complete, line):
    found = assignments([pair], world(f"MODULES=y {lines}", complete=complete))
    assert [(one.old, one.new) for one in found] == ([] if line is None else [line])


@pytest.mark.parametrize(
    ("parts", "pairs", "expected"),
    [
        ("BASE && HAVE_B", (("A", "y"),), "BASE"),
        ("BASE && HAVE_B", (("B", "y"),), "BASE && HAVE_B"),
        ("BASE && HAVE_A", (("A", "y"),), "BASE && HAVE_A"),
        # What is asked of the other symbol alone: `!B || vendor != intel`.
        ("BASE && (!B || vendor != intel)", (("A", "y"),), "BASE"),
        ("BASE && (!A || vendor != intel)", (("A", "y"),), "BASE && (!A || vendor != intel)"),
        ("BASE && (B || vendor != intel)", (("A", "y"),), "BASE && (B || vendor != intel)"),
        ("HAVE_B", (("A", "y"),), "HAVE_B"),
    ],
)
def test_a_way_needs_nothing_that_only_another_way_does(parts, pairs, expected):
    value = Value("on", sets=((("A", "y"),), (("B", "y"),)), requires=parse(parts))
    wanted = parse(expected)
    assert of_way(value, pairs) == (["&", wanted] if expected == "BASE" else wanted)


@pytest.mark.parametrize(
    ("lines", "requires", "found"),
    [
        ("X=n BASE=y", "BASE", [("X", "y", ASKED)]),
        ("X=n BASE=n", "BASE", [("BASE", "y", NEEDED), ("X", "y", ASKED)]),
        ("X=n A=n B=n", "A && B", [("A", "y", NEEDED), ("B", "y", NEEDED), ("X", "y", ASKED)]),
        # Of alternatives the one that takes the fewest lines.
        ("X=n TWO=n ONE=y BASE=n B=n", "TWO || B", [("B", "y", NEEDED), ("X", "y", ASKED)]),
        ("X=n A=n B=y", "A || B", [("X", "y", ASKED)]),
        ("X=n PROVIDED=n BASE=n", "PROVIDED", [("PROVIDED", "y", NEEDED), ("X", "y", ASKED)]),
        ("X=n BASE=n", "PROVIDED",
         [("BASE", "y", NEEDED), ("PROVIDED", "y", NEEDED), ("X", "y", ASKED)]),
        # No line is about X: it appears with what it needs.
        ("BASE=n", "BASE", [("BASE", "y", NEEDED), ("X", "y", ASKED)]),
        ("X=n BASE=n", "BASE = m", [("BASE", "m", NEEDED), ("X", "y", ASKED)]),
        (
            "X=n TWO=n ONE=y BASE=n", "TWO",
            [("BASE", "y", NEEDED), ("TWO", "y", NEEDED), ("ONE", "n", NEEDED), ("X", "y", ASKED)],
        ),
        ("X=n BASE=n", "MEMBER",
         [("BASE", "y", NEEDED), ("MEMBER", "y", NEEDED), ("X", "y", ASKED)]),
    ],
)  # fmt: skip
def test_a_change_brings_what_it_needs(world, lines, requires, found):
    assert lines_of(needed(requires, world(f"MODULES=y {lines}"))) == found


@pytest.mark.parametrize(
    ("lines", "requires", "expected"),
    [
        ("X=n", "BASE", {"reason": "needs BASE, which this configuration does not offer",
                         "lacking": ("BASE",)}),
        ("X=n", "A || B", {"reason": "needs A or B, which this configuration does not offer",
                           "lacking": ("A", "B")}),
        ("X=n BAD=y", "!BAD", {"against": True}),
        # A line in the way says more than what no line is about.
        ("X=n BAD=y", "BASE || !BAD", {"against": True}),
        ("X=n BAD=y BAD2=y", "!BAD && !BAD2", {"against": True}),
        ("X=n", "64BIT", {"reason": "needs a 64-bit kernel"}),
        ("X=n", "kernel >= 6.14", {"reason": "needs kernel>=6.14"}),
        ("X=n", "kernel >= 6.14 || arch = arm64", {"reason": "needs kernel>=6.14"}),
        ("X=n", "arch = arm || arch = arm64", {"reason": "needs arch=arm or arch=arm64"}),
        ("X=n SMP=n", "SMP",
         {"reason": "needs SMP, and this kernel is built for a single processor"}),
        ("X=n SIZE=8", "SIZE >= 16", {"reason": "needs SIZE>=16, and SIZE is 8"}),
        ("X=n", "SIZE >= 16", {"reason": "needs SIZE>=16, and no line names SIZE"}),
        ("X=n", "SIZE = 16", {"reason": "needs SIZE=16, and SIZE is n"}),
        ("X=n", "SIZE != n", {"reason": "needs SIZE, which is off in this configuration"}),
        ("X=n", "present(SIZE)", {"reason": "needs SIZE, which this kernel does not have"}),
        ("X=n SIZE=n", "!present(SIZE)", {"reason": "needs a kernel without SIZE", "absent": True}),
        ("BASE=y", "BASE",
         {"reason": "this kernel does not offer X in this configuration"}),
        ("X=n FLATMEM_MANUAL=n", "FLATMEM",
         {"reason": "needs FLATMEM_MANUAL, which is off in this configuration"}),
        ("X=n ARCH_OK=y", "ARCH_SUPPORTS_RT",
         {"reason": "needs the real-time patch of this version, or a newer kernel"}),
    ],
)  # fmt: skip
def test_a_change_is_blocked_with_what_stands_in_the_way(
    make_world, built_in, lines, requires, expected
):
    found = needed(requires, make_world(lines))
    assert isinstance(found, Blocked)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("symbol", "requires", "complete", "kernel", "offered"),
    [
        # All that it needs from that release on is here: the file was written for another kernel.
        ("NO_HZ_FULL", "BASE", "6.6", "6.12.0", True),
        ("NO_HZ_FULL", "BASE", "6.12", "6.12.0", True),
        ("NO_HZ_FULL", "BASE", "6.14", "6.12.0", False),
        ("NO_HZ_FULL", "BASE", "", "6.12.0", False),
        ("NO_HZ_FULL", "BASE", "6.6", "", False),
        ("NO_HZ_FULL", "vendor = intel", "6.6", "6.12.0", False),
        ("NO_SUCH_THING", "BASE", "6.6", "6.12.0", False),
    ],
)
def test_a_symbol_without_a_line_is_offered_where_nothing_else_is_asked(
    world, symbol, requires, complete, kernel, offered
):
    changes = [Change(symbol, None, "y", ASKED)]
    found = completed(changes, parse(requires), (), world("BASE=y", kernel=kernel), complete)
    assert isinstance(found, Blocked) is not offered


def test_all_lines_in_the_way_are_told_at_once(world):
    found = needed("!A && !B && BASE", world("X=n A=y B=m BASE=n"))
    assert found.reason.count("prevents it") == 2
    assert ("A=y" in found.reason, "B=m" in found.reason) == (True, True)
    assert (found.planned, found.against) == (False, True)


def test_a_line_that_the_plan_has_brought_is_planned(world):
    before = world("X=n A=n")
    after = world_with(before, [Change("A", "n", "y", ASKED)])
    assert needed("!A", after).planned
    assert (moved(["A"], after), moved(["X"], after), moved(["A"], before)) == (
        True, False, False
    )  # fmt: skip


def test_one_processor_is_no_bar_where_the_machine_is_told_to_have_more(world):
    assert lines_of(needed("SMP", world("X=n SMP=n", cpus=4))) == [
        ("SMP", "y", NEEDED), ("X", "y", ASKED)
    ]  # fmt: skip
    assert isinstance(needed("SMP", world("X=n SMP=n", cpus=1)), Blocked)


@pytest.mark.parametrize(
    ("name", "lines", "complete", "found"),
    [
        ("one", "ONE=n TWO=y THREE=n", True,
         [("ONE", "y", ASKED), ("TWO", "n", SIBLING), ("THREE", "n", SIBLING)]),
        ("one", "ONE=n TWO=y", True, [("ONE", "y", ASKED), ("TWO", "n", SIBLING)]),
        ("one", "ONE=y TWO=n", True, []),
        ("two", "ONE=y BASE=n", True,
         [("BASE", "y", NEEDED), ("TWO", "y", ASKED), ("ONE", "n", SIBLING)]),
        ("one", "TWO=y", True, "the Kconfig choice of this kernel has no ONE"),
        ("one", "TWO=y", False, [("ONE", "y", ASKED), ("TWO", "n", SIBLING)]),
    ],
)  # fmt: skip
def test_a_member_of_a_choice_is_taken_and_the_others_given_up(world, name, lines, complete, found):
    here = world(lines, complete=complete)
    tunable = here.knowledge.tunable("a-choice")
    value = tunable.value(name)
    outcome = set_changes(tunable, value, value.sets[0], here)
    told = outcome.reason if isinstance(outcome, Blocked) else lines_of(outcome)
    assert told == found


def test_only_members_of_the_choice_that_a_line_names_are_given_up(world):
    here = world("ONE=n TWO=y")
    tunable = here.knowledge.tunable("a-choice")
    taken, other = [Change("ONE", "n", "y", ASKED)], [Change("X", "n", "y", ASKED)]
    assert lines_of(other_members(tunable, taken, here)) == [("TWO", "n", SIBLING)]
    assert other_members(tunable, other, here) == []


@pytest.mark.parametrize(
    ("symbol", "kernel", "expected"),
    [
        ("NO_HZ_FULL", "6.12.0", True),
        ("NO_HZ_FULL", "", False),
        ("NO_SUCH_THING", "6.12.0", False),
        ("HUGETLB_PAGE", "6.12.0", False),
        ("ACPI_AGDI", "6.12.0", False),
    ],
)
def test_a_kernel_has_a_symbol_that_it_asks_for(make_world, symbol, kernel, expected):
    assert is_here(symbol, make_world(kernel=kernel)) is expected


@pytest.mark.parametrize(
    ("symbol", "lines", "found"),
    [
        ("X", "X=n", [("X", "y", ASKED)]),
        ("PROVIDED", "PROVIDED=n BASE=n", [("PROVIDED", "y", ASKED)]),
        ("X", "X=y", None),
        ("X", "OTHER=y", None),
        ("ONE", "ONE=n TWO=y", None),
        ("SMP", "SMP=n", None),
    ],
)
def test_what_no_rule_sets_is_switched_on_where_a_line_shows_it(world, symbol, lines, found):
    outcome = enabled(symbol, world(lines))
    assert (outcome and lines_of(outcome)) == found


def test_a_program_of_the_build_is_told_with_the_lines_beside_it(world):
    here = world("X=n BASE=n PAHOLE_VERSION=0")
    tool = ("PAHOLE_VERSION", "121")

    def attempt(now):
        if now.config.get("PAHOLE_VERSION") != "121":
            return Blocked("install pahole", tool=tool)
        return (
            Change("X", "n", "y", ASKED),
            Change("OLD", "y", "n", SIBLING),
            Change("OFF", "y", "n", ASKED),
        )

    assert with_tools(attempt, here).reason == "install pahole, then rebuild with X=y, OFF=n"
    never = Blocked("never")
    assert with_tools(lambda _: never, here) is never
    assert with_tools(lambda now: attempt(now) if now is here else never, here) is never
