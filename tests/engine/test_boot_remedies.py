"""The ways to a wanted value on the boot line: which words go, which come, and why none can."""

from __future__ import annotations

import pytest

from advisor.engine.judgement.judge import judge_advice
from advisor.engine.remedy.boot_remedies import (
    boot_remedy,
    boot_words,
    comes_back,
    is_too_new,
    settled,
    spelled,
    undecided,
    unheard,
)
from advisor.engine.remedy.what_if import Goal
from advisor.model.remedy import Change, Remedy, RemedyKind, Role

RULES = {
    "rules/t/path.toml": """
id = "path"
title = "Path"
kind = "choice"
summary = "The path."
choice = ["SLOW", "FAST", "LISTED"]
[[value]]
name = "slow"
set = { SLOW = "y" }
boot = ["path=slow"]
sysctl = { "vm.path" = "0" }
[[value]]
name = "fast"
set = { FAST = "y" }
boot = ["path=fast", "turbo=1"]
boot_only_if = "BASE"
sysctl = { "vm.path" = "1" }
[[value]]
name = "listed"
set = { LISTED = "y" }
reads = [["list=a,entry"], ["list=b,entry"], ["list=entry"]]
boot_else = ["list=...,entry"]
[[value]]
name = "new"
set = { NEW = "y" }
boot = ["newer=1"]
[[value]]
name = "counted"
boot = ["path={cpus}"]
""",
    "rules/t/amount.toml": """
id = "amount"
title = "Amount"
kind = "number"
summary = "The amount."
parameter = "amount"
default = "the kernel's own choice"
[[value]]
name = "0"
boot = ["amount=none"]
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
boot_off = ["one=0"]
[[member]]
symbol = "THREE"
note = "three"
""",
    "rules/components.toml": """
[[component]]
id = "entry"
title = "entry"
names = { a = "", b = "", entry = "" }
[[component.place]]
of = "boot list"
form = "NAME,NAME"
otherwise = "nothing happens"
[[component.place]]
of = "config LIST"
form = "NAME,NAME"
otherwise = "nothing happens"
""",
    "rules/parameters/p.toml": """
[[parameter]]
name = "path"
summary = "The path."
type = "string"
only_if = "PATH"
[[parameter]]
name = "turbo"
summary = "Turbo or not."
type = "bool"
arch = ["x86"]
[[parameter]]
name = "list"
summary = "A list."
type = "string"
[[parameter]]
name = "newer"
summary = "New."
type = "bool"
since = "6.14"
[[parameter]]
name = "amount"
summary = "The amount."
type = "int"
[[parameter]]
name = "one"
summary = "One or not."
type = "bool"
""",
}


@pytest.fixture
def world(make_world, make_knowledge):
    knowledge = make_knowledge(RULES)
    return lambda lines, cmdline=None, **told: make_world(
        lines, cmdline=cmdline, knowledge=knowledge, **told
    )


def goal_of(world, *names, tunable="path"):
    return Goal(world.knowledge.tunable(tunable), names.__contains__, world)


@pytest.mark.parametrize(
    ("name", "lines", "told", "words"),
    [
        ("slow", "PATH=y", {}, ("path=slow",)),
        ("slow", "PATH=n", {}, ()),
        ("slow", "OTHER=y", {"complete": False}, ()),
        ("fast", "PATH=y BASE=y", {}, ("path=fast", "turbo=1")),
        # What is for another machine's driver is left out.
        ("fast", "PATH=y BASE=y", {"arch": "arm64"}, ("path=fast",)),
        ("fast", "PATH=n BASE=y", {}, ("turbo=1",)),
        ("fast", "PATH=y BASE=n", {}, ()),
        ("fast", "PATH=y", {"complete": False}, ()),
        ("fast", "BASE=y", {"complete": False}, ()),
        ("new", "PATH=y", {}, ()),
        ("new", "PATH=y", {"kernel": "6.14.0"}, ("newer=1",)),
        ("unheard-of", "PATH=y", {}, ()),
    ],
)
def test_the_words_for_a_value_are_those_that_this_kernel_follows(world, name, lines, told, words):
    here = world(lines, **told)
    assert boot_words(here.knowledge.tunable("path"), name, here) == words


@pytest.mark.parametrize(
    ("tunable", "name", "told", "words"),
    [
        ("amount", "16", {}, ("amount=16",)),
        ("amount", "16..64", {}, ("amount=16",)),
        ("amount", "0", {}, ("amount=none",)),
        ("amount", "many", {}, ()),
        ("amount", "the kernel's own choice", {}, ()),
        ("path", "16", {}, ()),
        ("path", "counted", {"cpus": 8}, ("path=8",)),
        ("path", "counted", {}, ()),
        ("path", "fast", {}, ("path=fast", "turbo=1")),
    ],
)
def test_a_number_is_written_as_it_is_and_facts_where_they_are_told(
    world, tunable, name, told, words
):
    here = world("PATH=y", **told)
    assert spelled(here.knowledge.tunable(tunable), name, here) == words


@pytest.mark.parametrize(("name", "words"), [("1-3", ("nohz_full=1-3",)), ("none", ())])
def test_a_list_of_cpus_is_written_as_it_is_unless_it_is_the_default(
    make_world, built_in, name, words
):
    tunable = built_in.tunable("nohz-full-cpus")
    name = tunable.default if name == "none" else name
    assert spelled(tunable, name, make_world()) == words


@pytest.mark.parametrize(
    ("names", "lines", "cmdline", "value", "words", "drop"),
    [
        # To leave words out goes before adding some.
        (["fast"], "PATH=y BASE=y FAST=y", "quiet path=slow", "fast", (), ("path=slow",)),
        (["fast"], "PATH=y BASE=y SLOW=y", "quiet", "fast", ("path=fast", "turbo=1"), ()),
        (
            ["fast"], "PATH=y BASE=y SLOW=y", "path=slow", "fast",
            ("path=fast", "turbo=1"), ("path=slow",),
        ),
        (["fast", "slow"], "PATH=y BASE=n FAST=y", "", "slow", ("path=slow",), ()),
        (["slow", "fast"], "PATH=y BASE=y LISTED=y", "", "slow", ("path=slow",), ()),
        (["listed"], 'PATH=y SLOW=y LIST="a"', "", "listed", ("list=a,entry",), ()),
        (
            ["listed"], 'PATH=y SLOW=y LIST="a"', "list=b", "listed",
            ("list=b,entry",), ("list=b",),
        ),
        (["listed"], 'PATH=y SLOW=y LIST="a"', "list", "listed", ("list=entry",), ("list",)),
    ],
)  # fmt: skip
def test_the_first_value_that_the_line_can_give_is_given(
    world, names, lines, cmdline, value, words, drop
):
    found = boot_remedy(names, goal_of(world(lines, cmdline), *names))
    assert found == Remedy(RemedyKind.BOOT, value, words=words, drop=drop)


@pytest.mark.parametrize(
    ("names", "lines", "told"),
    [
        (["slow"], "PATH=n FAST=y", {}),
        (["new"], "PATH=y SLOW=y", {}),
        (["listed"], "PATH=y SLOW=y", {}),
        # What a fragment leaves open is no reason to settle for another value.
        (["fast", "slow"], "PATH=y LISTED=y", {"complete": False}),
    ],
)
def test_there_is_no_way_where_no_word_is_followed(world, names, lines, told):
    assert boot_remedy(names, goal_of(world(lines, "", **told), *names)) is None


def test_a_whole_configuration_leaves_nothing_open(world):
    names = ["fast", "slow"]
    found = boot_remedy(names, goal_of(world("PATH=y LISTED=y", ""), *names))
    assert found.words == ("path=slow",)


@pytest.mark.parametrize(
    ("name", "lines", "cmdline", "words", "drop"),
    [
        # One word may decide several members.
        ("off", "ONE=y TWO=y THREE=n", "", ("one=0",), ()),
        ("off", "ONE=y TWO=n THREE=n", "", ("one=0",), ()),
        ("off", "ONE=y TWO=n THREE=y", "", None, ()),
        ("on", "ONE=n TWO=y THREE=y", "", ("one=1",), ()),
        ("on", "ONE=n TWO=n THREE=y", "", None, ()),
        # A member that only a word of the line keeps from being as wanted takes none.
        ("on", "ONE=y TWO=y THREE=y", "one=0", (), ("one=0",)),
        ("on", "ONE=n TWO=y THREE=y", "one=0", ("one=1",), ("one=0",)),
    ],
)
def test_members_of_a_group_are_switched_each_by_its_word(world, name, lines, cmdline, words, drop):
    found = boot_remedy([name], goal_of(world(lines, cmdline), name, tunable="things"))
    expected = None if words is None else Remedy(RemedyKind.BOOT, name, words=words, drop=drop)
    assert found == expected


@pytest.mark.parametrize(
    ("lines", "runtime", "expected"),
    [
        ("FAST=y", "vm.path=0\n", True),
        ("SLOW=y", "vm.path=0\n", False),
        ("FAST=y", "/sys/kernel/x=0\n", True),
        ("FAST=y", "", False),
    ],
)
def test_a_boot_gives_back_what_run_time_took(world, lines, runtime, expected):
    assert comes_back(goal_of(world(lines, "", runtime=runtime), "fast")) is expected


@pytest.mark.parametrize(
    ("cmdline", "drop"),
    [
        ("quiet transparent_hugepage=always", ("transparent_hugepage=always",)),
        ("quiet", ()),
        ("", ()),
    ],
)
def test_a_rebuild_takes_along_the_words_that_nothing_would_read_then(
    make_world, built_in, cmdline, drop
):
    changes = (Change("TRANSPARENT_HUGEPAGE", "y", "n", Role.ASKED),)
    remedy = Remedy(RemedyKind.REBUILD, "off", changes=changes)
    lines = "TRANSPARENT_HUGEPAGE=y TRANSPARENT_HUGEPAGE_ALWAYS=y"
    tunable = built_in.tunable("transparent-hugepages")
    found = settled(remedy, Goal(tunable, "off".__eq__, make_world(lines, cmdline=cmdline)))
    assert found == remedy._replace(drop=drop)


@pytest.mark.parametrize(
    ("name", "lines", "kernel", "reasons", "is_new"),
    [
        ("slow", "PATH=y", "6.12.0", [], False),
        ("slow", "PATH=n", "6.12.0", ["path=slow "], False),
        ("new", "PATH=y", "6.12.0", ["newer=1 "], True),
        ("new", "PATH=y", "6.14.0", [], False),
        ("fast", "PATH=n", "6.12.0", ["path=fast "], False),
        ("listed", "PATH=n", "6.12.0", [], False),
    ],
)
def test_each_word_that_is_not_followed_has_a_reason(world, name, lines, kernel, reasons, is_new):
    here = world(lines, kernel=kernel)
    tunable = here.knowledge.tunable("path")
    found = unheard(tunable, name, here)
    assert len(found) == len(reasons)
    assert all(map(str.startswith, found, reasons))
    assert bool(is_too_new(tunable, name, here)) is is_new


@pytest.mark.parametrize(
    ("names", "lines", "told", "missing"),
    [
        (["slow"], "OTHER=y", {"complete": False}, {"PATH"}),
        (["fast"], "PATH=y", {"complete": False}, {"BASE"}),
        (["fast", "slow"], "OTHER=y", {"complete": False}, {"PATH", "BASE"}),
        (["new"], "PATH=y", {"kernel": ""}, {"kernel"}),
        (["slow"], "PATH=y", {"kernel": ""}, {"kernel"}),
        (["slow"], "PATH=y", {}, set()),
    ],
)
def test_what_is_not_told_would_tell_whether_there_is_a_way(world, names, lines, told, missing):
    here = world(lines, **told)
    assert undecided(here.knowledge.tunable("path"), names, here) == missing


@pytest.mark.parametrize(("kernel", "missing"), [("6.12.0", set()), ("", {"kernel"})])
def test_nothing_but_the_version_decides_about_a_number(world, kernel, missing):
    here = world("PATH=y", kernel=kernel)
    assert undecided(here.knowledge.tunable("amount"), ["16"], here) == missing


def finding(world, profile, advice):
    wanted = next(a for a in world.knowledge.profile(profile).advice if a.id == advice)
    return judge_advice(wanted, world)


def test_a_word_that_has_to_go_does_not_hide_the_word_that_helps_then(make_world):
    config = "X86_64=y IOMMU_SUPPORT=y INTEL_IOMMU=y INTEL_IOMMU_DEFAULT_ON=n KVM=m KVM_INTEL=m"
    world = make_world(config, vendor="intel", virtual="no", cmdline="iommu=off", kernel="6.12.0")
    found = finding(world, "virtualization-host", "intel-iommu")
    assert (found.remedies[0].words, found.remedies[0].drop) == (
        ("intel_iommu=on",),
        ("iommu=off",),
    )


def test_leaving_a_word_out_costs_what_the_kernel_does_then(make_world):
    world = make_world("CGROUPS=y CGROUP_PIDS=y", cmdline="cgroup_disable=pids")
    found = finding(world, "container-host", "pids-controller")
    assert (found.target, found.remedies[0].drop) == ("on", ("cgroup_disable=pids",))
    assert found.cost.startswith("On: for each new process, the kernel updates one counter")
    clock = make_world("X86_64=y X86_TSC=y HPET_TIMER=y", cmdline="clocksource=hpet", virtual="no")
    assert finding(clock, "database", "clocksource").cost == ""
