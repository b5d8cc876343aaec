"""What one program needs on and another one off."""

from __future__ import annotations

import pytest

from advisor.engine.clashes import clashes
from advisor.engine.requirements import ability


@pytest.fixture
def apart(make_world, built_in):
    """What programs do not agree on."""

    def of(*names):
        world = make_world("RT_GROUP_SCHED=n")
        return clashes([ability(built_in.program(name), world) for name in names], built_in)

    return of


def test_what_one_program_asks_for_and_others_need_off_is_shown(apart):
    (clash,) = apart("k3s", "systemd", "pipewire")
    assert clash.symbol == "RT_GROUP_SCHED"
    assert [(ask.program, ask.on) for ask in clash.asks] == [
        ("k3s", True), ("systemd", False), ("pipewire", False),
    ]  # fmt: skip
    assert [bool(ask.function) for ask in clash.asks] == [False, True, True]


def test_programs_that_agree_have_no_clash(apart):
    assert apart("systemd", "pipewire") == ()
    assert apart("k3s") == ()
