"""Trying a change: whether it gives a wanted value, and which words go that prevent it."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.what_if import (
    Goal,
    in_order,
    replaces_built_in,
    with_words,
    without_deciding,
    without_opposing,
)
from advisor.model.remedy import Change, Remedy, RemedyKind, Role

RULES = {
    "rules/t/fast-path.toml": """
id = "fast-path"
title = "Fast path"
kind = "switch"
summary = "A fast path."
[[value]]
name = "on"
set = { FAST = "y" }
boot = ["fast=1"]
[[value]]
name = "off"
set = { FAST = "n" }
boot = ["fast=0"]
""",
    "rules/t/amount.toml": """
id = "amount"
title = "Amount"
kind = "number"
summary = "An amount."
only_if = "BASE"
sysctl = "vm.amount"
""",
    "rules/t/things.toml": """
id = "things"
title = "Things"
kind = "group"
summary = "Things."
[[member]]
symbol = "ONE"
note = "one"
boot_on = ["one=1"]
boot_off = ["one=0"]
[[member]]
symbol = "TWO"
note = "two"
""",
}
PARAMETERS = """
[[parameter]]
name = "fast"
summary = "Fast or not."
type = "bool"
guards = GUARDS
[[parameter]]
name = "one"
summary = "One or not."
type = "bool"
"""
BOOT, REBUILD = RemedyKind.BOOT, RemedyKind.REBUILD


@pytest.fixture
def goal(make_world, make_knowledge):
    """A value of a tunable wanted in a world of these lines; `guards` keeps words of fast=."""

    def of(lines, cmdline=None, *, tunable="fast-path", value="on", guards=False, **told):
        text = PARAMETERS.replace("GUARDS", str(guards).lower())
        knowledge = make_knowledge({**RULES, "rules/parameters/p.toml": text})
        world = make_world(lines, cmdline=cmdline, knowledge=knowledge, **told)
        return Goal(knowledge.tunable(tunable), value.__eq__, world)

    return of


def boot(value="on", **fields):
    return Remedy(BOOT, value, **fields)


def rebuilt(symbol, new, **fields):
    return Remedy(REBUILD, "on", changes=(Change(symbol, "n", new, Role.ASKED),), **fields)


@pytest.mark.parametrize(
    ("lines", "cmdline", "remedy", "met", "possible"),
    [
        ("FAST=y", "fast=0", boot(), False, False),
        ("FAST=y", "fast=0", boot(words=("fast=1",)), True, True),
        ("FAST=y", "fast=0", boot(drop=("fast=0",)), True, True),
        ("FAST=n", "fast=0", boot(drop=("fast=0",)), False, False),
        ("FAST=n", "fast=0", rebuilt("FAST", "y"), False, False),
        ("FAST=n", "fast=0", rebuilt("FAST", "y", drop=("fast=0",)), True, True),
        # What a fragment does not tell may be as wanted.
        ("OTHER=y", "fast=0", boot(drop=("fast=0",)), False, True),
    ],
)
def test_a_goal_is_met_where_every_value_that_is_possible_is_good(
    goal, lines, cmdline, remedy, met, possible
):
    wanted = goal(lines, cmdline, complete="FAST" in lines)
    assert (wanted.is_met_by(remedy), wanted.may_be_met_by(remedy)) == (met, possible)


@pytest.mark.parametrize("lines", ["BASE=y", "BASE=n"])
def test_a_value_that_nothing_tells_may_be_a_good_one_and_is_not_surely(goal, lines):
    wanted = goal(lines, tunable="amount", value="1")
    assert (wanted.is_met_by(boot("1")), wanted.may_be_met_by(boot("1"))) == (False, True)


@pytest.mark.parametrize(
    ("lines", "remedy", "complete", "met"),
    [
        ("ONE=y", boot("off", words=("one=0",)), False, True),
        ("ONE=n", boot("off"), False, False),
        ("ONE=y TWO=y", boot("off", words=("one=0",)), False, False),
        ("ONE=y TWO=n", boot("off", words=("one=0",)), True, True),
        ("ONE=y TWO=y", boot("off", words=("one=0",)), True, False),
    ],
)
def test_of_a_group_in_a_fragment_only_the_members_that_it_names_count(
    goal, lines, remedy, complete, met
):
    wanted = goal(lines, tunable="things", value="off", complete=complete)
    assert wanted.is_met_by(remedy) is met


def test_of_a_group_that_shall_be_on_none_that_is_named_may_be_off(goal):
    for lines, met in (("ONE=n", True), ("ONE=n TWO=n", False)):
        wanted = goal(lines, tunable="things", complete=False)
        assert wanted.is_met_by(boot(words=("one=1",))) is met


@pytest.mark.parametrize(
    ("cmdline", "drop"),
    [
        ("quiet fast=0", ("fast=0",)),
        ("fast=0 quiet fast=0", ("fast=0",)),
        ("fast=1 fast=0", ("fast=0",)),
        ("fast=1", ()),
        ("quiet", ()),
    ],
)
def test_words_stand_in_place_of_others_of_their_parameter(goal, cmdline, drop):
    world = goal("FAST=y", cmdline).world
    assert with_words("on", ("fast=1",), world) == boot(words=("fast=1",), drop=drop)


LINE = 'CMDLINE_BOOL=y CMDLINE="quiet fast=0"'


@pytest.mark.parametrize(
    ("arch", "lines", "cmdline", "replaces"),
    [
        ("arm64", LINE, None, True),
        ("arm64", LINE, "", True),
        ("arm64", LINE, "quiet", False),
        ("arm64", f"{LINE} CMDLINE_FORCE=y", None, False),
        ("arm64", "FAST=y", None, False),
        ("x86", LINE, None, False),
    ],
)
def test_a_first_word_replaces_a_built_in_line_that_is_a_fallback(
    goal, arch, lines, cmdline, replaces
):
    assert replaces_built_in(goal(lines, cmdline, arch=arch).world) is replaces


@pytest.mark.parametrize(("cmdline", "repeats"), [(None, ("quiet",)), ("", ())])
def test_words_of_a_fallback_are_repeated(goal, cmdline, repeats):
    world = goal(LINE, cmdline, arch="arm64").world
    expected = boot(words=("quiet", "fast=1"), repeats=repeats)
    assert with_words("on", ("fast=1",), world) == expected


@pytest.mark.parametrize(
    ("lines", "cmdline", "guards", "drop"),
    [
        ("FAST=y", "quiet fast=0", False, ("fast=0",)),
        ("FAST=y", "fast=no fast=0", False, ("fast=no", "fast=0")),
        ("FAST=y", "quiet fast=0", True, ()),
        ("FAST=n", "quiet fast=0", False, ("fast=0",)),
        ("FAST=y", "quiet", False, ()),
    ],
)
def test_the_words_that_decide_against_a_goal_go_until_it_is_met(
    goal, lines, cmdline, guards, drop
):
    found = without_opposing(boot(""), goal(lines, cmdline, guards=guards))
    assert found == boot("", drop=drop)


@pytest.fixture
def menu(make_world, built_in):
    """The idle governor menu wanted, behind two words: without idle=halt nohz=off is in the way."""
    lines = "CPU_IDLE=y CPU_IDLE_GOV_MENU=y CPU_IDLE_GOV_LADDER=y NO_HZ_IDLE=y INTEL_IDLE=y"
    world = make_world(f"{lines} NO_HZ_COMMON=y", cmdline="idle=halt nohz=off", vendor="intel")
    return Goal(built_in.tunable("cpuidle-governor"), "menu".__eq__, world)


def test_words_go_round_by_round(menu):
    assert without_opposing(boot(""), menu).drop == ("idle=halt", "nohz=off")


def test_the_test_of_what_is_enough_may_be_another(menu):
    assert without_opposing(boot(""), menu, lambda _: True).drop == ()
    assert without_opposing(boot(""), menu, lambda one: bool(one.drop)).drop == ("idle=halt",)


def test_only_what_decides_now_goes_once(menu, goal):
    assert without_deciding(boot(), menu).drop == ("idle=halt",)
    wanted = goal("FAST=y", "quiet fast=0")
    assert without_deciding(boot(words=("fast=1",)), wanted).drop == ("fast=0",)
    assert without_deciding(boot(), goal("FAST=y")) == boot()


@pytest.mark.parametrize(
    ("value", "cmdline", "drop"),
    [("off", "one=1", ("one=1",)), ("on", "one=0", ("one=0",)), ("on", "one=1", ())],
)
def test_of_a_group_the_words_against_its_members_go(goal, value, cmdline, drop):
    lines = "ONE=n TWO=n" if value == "off" else "ONE=y TWO=y"
    found = without_opposing(boot(value), goal(lines, cmdline, tunable="things", value=value))
    assert found.drop == drop


def test_a_rebuild_takes_words_out_of_the_built_in_line(goal):
    remedy = rebuilt("FAST", "y")
    found = without_opposing(remedy, goal(f"FAST=n {LINE}", "fast=no"))
    assert {(one.symbol, one.new) for one in found.changes} == {
        ("FAST", "y"),
        ("CMDLINE", '"quiet"'),
    }
    assert found.drop == ("fast=no",)


def test_a_rebuild_without_a_built_in_line_writes_none(goal):
    remedy = rebuilt("FAST", "y")
    found = without_opposing(remedy, goal("FAST=n", "fast=0"))
    assert found == remedy._replace(drop=("fast=0",))


def test_a_change_of_the_boot_line_leaves_the_built_in_line(goal):
    assert without_opposing(boot(""), goal(f"FAST=y {LINE}", "quiet")) == boot("")


@pytest.mark.parametrize(
    ("line", "remedy", "words", "repeats"),
    [
        ("quiet fast=0", boot(""), ("quiet",), ()),
        ("quiet fast=0", boot("", words=("quiet", "fast=0"), repeats=("quiet", "fast=0")),
         ("quiet",), ("quiet",)),
        ("fast=0", boot(""), (), ()),
        # Where none would stay, the line is left as it is.
        ("fast=0", boot("", words=("fast=0",), repeats=("fast=0",)), ("fast=0",), ("fast=0",)),
    ],
)  # fmt: skip
def test_what_stays_of_a_fallback_is_written_on_the_boot_line(goal, line, remedy, words, repeats):
    wanted = goal(f'FAST=y CMDLINE="{line}"', arch="arm64")
    found = without_opposing(remedy, wanted)
    assert (found.words, found.repeats, found.drop) == (words, repeats, ())


def test_words_are_told_once_and_as_they_stand(goal):
    world = goal("FAST=y", "b a quiet a").world
    assert in_order({"a", "b", "c"}, world) == ("b", "a")
