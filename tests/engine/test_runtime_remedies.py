"""The ways to a wanted value at run time, and what keeps a kernel from having one."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.runtime_remedies import (
    at_stake,
    first_at_run_time,
    no_way,
    refusals,
    runtime_remedy,
)
from advisor.engine.remedy.what_if import Goal
from advisor.model.remedy import Remedy, RemedyKind, Setting

FILE = "/sys/kernel/mm/pace/mode"
RULES = {
    "rules/t/pace.toml": f"""
id = "pace"
title = "Pace"
kind = "choice"
summary = "The pace."
[[value]]
name = "slow"
set = {{ SLOW = "y" }}
sysctl = {{ "vm.pace" = "0" }}
[[value]]
name = "fast"
set = {{ FAST = "y" }}
sysctl = {{ "vm.pace" = "1" }}
sysfs = {{ "{FILE}" = "fast" }}
runtime_only_if = "PACER"
[[value]]
name = "arch"
set = {{ ARCHED = "y" }}
sysctl = {{ "vm.pace" = "2" }}
runtime_only_if = "arch = arm64"
[[value]]
name = "new"
set = {{ NEW = "y" }}
sysctl = {{ "vm.pace" = "3" }}
runtime_only_if = "kernel >= 6.6"
[[value]]
name = "built"
set = {{ BUILT = "y" }}
""",
    "rules/t/amount.toml": f"""
id = "amount"
title = "Amount"
kind = "number"
summary = "The amount."
sysctl = "vm.amount"
sysfs = "{FILE}"
default = "the kernel's own choice"
""",
}


@pytest.fixture
def world(make_world, make_knowledge):
    knowledge = make_knowledge(RULES)

    def of(lines="PACER=y", *, closed=(), lacking=(), **told):
        made = make_world(lines, knowledge=knowledge, **told)
        subject = made.subject._replace(lacking=frozenset(lacking), closed=frozenset(closed))
        return made.after(subject)

    return of


def written(remedy):
    return remedy and {setting.key: setting.value for setting in remedy.settings}


@pytest.mark.parametrize(
    ("name", "lines", "told", "settings"),
    [
        ("slow", "PACER=n", {}, {"vm.pace": "0"}),
        ("fast", "PACER=y", {}, {"vm.pace": "1", FILE: "fast"}),
        ("fast", "PACER=n", {}, None),
        ("fast", "OTHER=y", {}, None),
        ("built", "PACER=y", {}, None),
        ("arch", "PACER=y", {}, None),
        ("arch", "PACER=y", {"arch": "arm64"}, {"vm.pace": "2"}),
        ("new", "PACER=y", {}, {"vm.pace": "3"}),
        ("new", "PACER=y", {"kernel": "6.1.0"}, None),
        ("new", "PACER=y", {"kernel": ""}, {"vm.pace": "3"}),
        # Of a fragment only where a line tells, or a file that lists what can be written.
        ("fast", "OTHER=y", {"complete": False}, None),
        ("fast", "PACER=y", {"complete": False}, {"vm.pace": "1", FILE: "fast"}),
        ("slow", "OTHER=y", {"complete": False}, {"vm.pace": "0"}),
        ("new", "OTHER=y", {"complete": False, "kernel": ""}, {"vm.pace": "3"}),
    ],
)
def test_a_value_is_written_where_this_kernel_takes_it(world, name, lines, told, settings):
    here = world(lines, **told)
    found = runtime_remedy(here.knowledge.tunable("pace"), name, here)
    assert written(found) == settings
    assert found is None or (found.kind, found.value) == (RemedyKind.RUNTIME, name)


def test_what_a_fragment_does_not_tell_may_be_lacking(world):
    here = world("OTHER=y", complete=False)
    found = runtime_remedy(here.knowledge.tunable("pace"), "fast", here, may_lack=True)
    assert written(found) == {"vm.pace": "1", FILE: "fast"}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("16", {"vm.amount": "16", FILE: "16"}),
        ("16..64", {"vm.amount": "16", FILE: "16"}),
        ("the kernel's own choice", None),
        ("many", {"vm.amount": "many", FILE: "many"}),
    ],
)
def test_a_number_is_written_into_all_files_of_the_tunable(world, name, settings):
    here = world()
    assert written(runtime_remedy(here.knowledge.tunable("amount"), name, here)) == settings


@pytest.mark.parametrize(("text", "offered"), [("[slow] fast", True), ("[slow] other", False)])
def test_a_file_of_the_running_kernel_tells_what_can_be_written(
    make_world, make_knowledge, text, offered
):
    rule = RULES["rules/t/pace.toml"].replace('sysctl = { "vm.pace" = "1" }\n', "")
    knowledge = make_knowledge({"rules/t/pace.toml": rule})
    here = make_world(
        "OTHER=y", complete=False, runtime=f"{FILE}={text}\n", knowledge=knowledge
    )  # fmt: skip
    found = runtime_remedy(knowledge.tunable("pace"), "fast", here)
    assert written(found) == ({FILE: "fast"} if offered else None)


def test_what_the_running_kernel_lacks_is_not_written_and_told_once(world):
    here = world(lacking=["vm.pace"])
    tunable = here.knowledge.tunable("pace")
    assert runtime_remedy(tunable, "slow", here) is None
    reason = "the running kernel has no vm.pace"
    assert refusals(tunable, ["slow", "fast", "built"], here) == [reason]
    assert refusals(tunable, ["built"], here) == []


@pytest.mark.parametrize(
    ("names", "lines", "told", "value"),
    [
        (["built", "slow", "fast"], "PACER=y", {}, "slow"),
        (["fast", "slow"], "PACER=y", {}, "fast"),
        (["fast", "slow"], "PACER=n", {}, "slow"),
        # What a fragment does not tell is no reason to settle for another value.
        (["fast", "slow"], "OTHER=y", {"complete": False}, None),
        (["new", "slow"], "PACER=y", {"kernel": ""}, "new"),
        (["built"], "PACER=y", {}, None),
    ],
)
def test_the_first_value_that_has_a_way_is_written(world, names, lines, told, value):
    here = world(lines, **told)
    found = first_at_run_time(names, Goal(here.knowledge.tunable("pace"), names[0].__eq__, here))
    assert (found and found.value) == value


def test_what_may_mean_another_thing_in_a_release_that_was_not_told_is_passed_over(
    make_world, make_knowledge
):
    """Nothing writes `new`, which an unknown release may take for `fast`."""
    rule = RULES["rules/t/pace.toml"] + (
        '[[interpret]]\nonly_if = "kernel < 6.6"\nnames = ["new"]\ntarget = "fast"\nwhy = "older"\n'
    )
    knowledge = make_knowledge({"rules/t/pace.toml": rule})
    for kernel, value in (("", "slow"), ("6.12.0", "new")):
        here = make_world("PACER=y", kernel=kernel, knowledge=knowledge)
        goal = Goal(knowledge.tunable("pace"), ("new", "slow").__contains__, here)
        assert first_at_run_time(["new", "slow"], goal).value == value


@pytest.mark.parametrize(
    ("names", "told", "text"),
    [
        (["fast"], {"lines": "PACER=n"}, "it can be set only if PACER is on"),
        (["fast", "fast"], {"lines": "PACER=n"}, "it can be set only if PACER is on"),
        (["fast"], {"lines": "PACER=y"}, ""),
        (["fast"], {"lines": "OTHER=y", "complete": False}, ""),
        (["fast", "slow"], {"lines": "PACER=n"}, ""),
        (["17"], {"lines": "PACER=n"}, ""),
        ([], {"lines": "PACER=n"}, ""),
    ],
)
def test_there_is_no_way_where_each_value_needs_what_surely_is_not_there(world, names, told, text):
    here = world(**told)
    assert no_way(names, here.knowledge.tunable("pace"), here) == text


@pytest.mark.parametrize(
    ("kind", "value", "kernel", "stake"),
    [
        (RemedyKind.RUNTIME, "new", "", {"kernel"}),
        (RemedyKind.RUNTIME, "new", "6.12.0", set()),
        (RemedyKind.RUNTIME, "slow", "", set()),
        (RemedyKind.RUNTIME, "17", "", set()),
        (RemedyKind.BOOT, "new", "", set()),
    ],
)
def test_what_is_at_stake_would_tell_whether_it_is_taken(world, kind, value, kernel, stake):
    here = world(kernel=kernel)
    remedy = Remedy(kind, value, settings=(Setting("vm.pace", "3"),))
    assert at_stake(remedy, here.knowledge.tunable("pace"), here) == stake
