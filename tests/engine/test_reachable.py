"""Which lines of a partial configuration say nothing: of what no such kernel could have on."""

from __future__ import annotations

import pytest

from advisor.engine.effective.reachable import Reachable, never_on, reachable
from advisor.inputs.config import parse_config
from advisor.model.kernel import EntryState, Location, Machine, parse_version

# Of 6.12: ACPI_AGDI is arm64's, 977_WATCHDOG in no kernel for x86, HZ_500 of 32-bit arm, and of
# patches, as GRKERNSEC is. GEN_RTC came to an end on x86 earlier than on others.
LINES = "ACPI_AGDI=n 977_WATCHDOG=n PPC_BOOK3S=n HZ_500=n GRKERNSEC=n NO_HZ_FULL=n PREEMPT_RT=y"
LINES += " GEN_RTC=n NO_SUCH_THING=n"


@pytest.fixture
def counted(make_world):
    """The symbols that count of those lines."""

    def of(*, lines=LINES, **told):
        subject = make_world(lines, **{"complete": False, **told}).subject
        knowledge = make_world().knowledge
        config = reachable(subject, knowledge)
        return {symbol for symbol in subject.config.symbols() if config.shows(symbol)}

    return of


@pytest.mark.parametrize(
    ("told", "silent"),
    [
        ({}, {"ACPI_AGDI", "977_WATCHDOG", "PPC_BOOK3S", "GEN_RTC"}),
        ({"arch": "arm64"}, {"977_WATCHDOG", "PPC_BOOK3S", "GEN_RTC"}),
        # Without a version: what is off in all kernels for x86, or in none of them at all.
        ({"kernel": ""}, {"977_WATCHDOG", "PPC_BOOK3S"}),
        ({"complete": True}, set()),
    ],
)
def test_a_line_says_nothing_of_what_no_such_kernel_has_on(counted, told, silent):
    assert counted(**told) == {line.partition("=")[0] for line in LINES.split()} - silent


def test_without_an_architecture_every_line_counts(make_world):
    world = make_world(LINES, complete=False)
    subject = world.subject._replace(machine=Machine())
    assert reachable(subject, world.knowledge) is subject.config


def test_a_tree_knows_best(make_world):
    world = make_world(LINES, complete=False)
    subject = world.subject._replace(tree=object())
    assert reachable(subject, world.knowledge) is subject.config


def test_what_is_over_a_configuration_is_over_what_counts_of_it(make_world):
    world = make_world(LINES, complete=False)
    subject = world.subject._replace(config=world.config)
    assert isinstance(world.config, Reachable)
    assert reachable(subject, world.knowledge) is world.config


@pytest.mark.parametrize(
    ("lines", "expected"),
    [("COMPILE_TEST=n", True), ("COMPILE_TEST=y", False), ("OTHER=y", True)],
)
def test_a_build_that_tests_compiling_may_have_anything_on(make_world, lines, expected):
    world = make_world(lines, complete=False)
    assert never_on("ACPI_AGDI", world.subject, world.knowledge) is expected


@pytest.mark.parametrize(
    ("symbol", "kernel", "expected"),
    [
        ("ACPI_AGDI", "6.12.0", True),
        ("ACPI_AGDI", "", False),
        ("977_WATCHDOG", "", True),
        ("NO_HZ_FULL", "6.12.0", False),
    ],
)
def test_nothing_switches_it_on_in_the_kernels_around(make_world, symbol, kernel, expected):
    subject = make_world(complete=False)
    told = subject.subject._replace(kernel=parse_version(kernel) if kernel else None)
    assert never_on(symbol, told, subject.knowledge) is expected


@pytest.fixture
def corrected():
    text = "# CONFIG_OFF is not set\nCONFIG_ON=y\n# CONFIG_FREE is not set\n"
    config = parse_config(text, "fragment", complete=False)
    return Reachable(config, lambda symbol: symbol != "FREE")


def test_only_a_line_that_switches_off_can_say_nothing(corrected):
    told = [(corrected.get(symbol), corrected.shows(symbol)) for symbol in ("OFF", "ON", "FREE")]
    assert told == [(None, False), ("y", True), ("n", True)]


def test_a_line_that_says_nothing_has_no_place(corrected):
    assert corrected.place("OFF") == Location("fragment")
    assert corrected.place("ON").location() == Location("fragment", 2)
    hidden, free = corrected.entry("OFF"), corrected.entry("FREE")
    assert (hidden.state, hidden.location) == (EntryState.ABSENT, Location("fragment"))
    assert (free.state, free.location) == (EntryState.NOT_SET, Location("fragment", 3))
