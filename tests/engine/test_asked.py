"""What an evaluation asks a world for."""

from __future__ import annotations

from advisor.engine.effective.asked import asked_by
from advisor.engine.effective.state import state_of


def asked(world, tunable, parameters=()):
    rule = world.knowledge.tunable(tunable)
    return asked_by(lambda then: state_of(rule, then), parameters, world)


def test_symbols_are_recorded_in_the_order_of_the_evaluation(make_world):
    found = asked(make_world("SWAP=y ZSWAP=y ZSWAP_DEFAULT_ON=n"), "zswap").symbols
    assert found.index("ZSWAP") < found.index("ZSWAP_DEFAULT_ON")


def test_a_word_that_decides_hides_no_other_one(make_world):
    """Without nohz=off the evaluation asks for idle=poll."""
    world = make_world(
        "NO_HZ_COMMON=y NO_HZ_IDLE=y", cmdline="quiet idle=poll nohz=off", arch="x86"
    )
    assert {word.text for word in asked(world, "tick-mode").words} == {"nohz=off", "idle=poll"}


def test_only_words_that_are_asked_for_are_recorded(make_world):
    world = make_world("NO_HZ_COMMON=y NO_HZ_IDLE=y", cmdline="quiet splash")
    assert asked(world, "tick-mode").words == ()
    named = asked(world, "tick-mode", ["quiet"]).words
    assert [word.text for word in named] == ["quiet"]


def test_a_setting_of_the_line_is_its_word(make_world):
    world = make_world(
        "SWAP=y PROC_SYSCTL=y", cmdline="quiet sysctl.vm.swappiness=10", kernel="6.12.0"
    )
    found = asked(world, "swappiness")
    assert found.settings == ("vm.swappiness",)
    assert [word.text for word in found.words] == ["sysctl.vm.swappiness=10"]
