"""Which causes of a symptom a kernel can have."""

from __future__ import annotations

import pytest

from advisor.engine.effective.world import World
from advisor.engine.symptoms import suspects
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge.index import load
from tests.cases import each


@pytest.fixture(scope="module")
def knowledge():
    return load()


def guilt(name, knowledge, *lines, cmdline=None):
    """What each cause of a symptom is in an x86 kernel of these lines."""
    head = "# Linux/x86 6.12.10 Kernel Configuration\n"
    config = parse_config(head + "\n".join(lines) + "\n", "x.config")
    world = World(subject_of(config, Given(cmdline=cmdline)), knowledge)
    return {one.tunable.id: one for one in suspects(knowledge.symptom(name), world)}


@each(
    ("line", "guilty"),
    [
        ("CONFIG_HZ_PERIODIC=y", True),
        ("CONFIG_NO_HZ_IDLE=y", False),
    ],
)
def test_the_state_says_whether_a_setting_can_be_the_cause(knowledge, line, guilty):
    found = guilt("idle-wakeups", knowledge, "CONFIG_64BIT=y", "CONFIG_NO_HZ_COMMON=y", line)
    assert found["tick-mode"].looked_at
    assert found["tick-mode"].guilty is guilty


def test_a_range_of_numbers_and_a_state_that_is_not_known(knowledge):
    found = guilt("idle-wakeups", knowledge, "CONFIG_NET=y", "CONFIG_NET_RX_BUSY_POLL=y")
    assert found["busy-read"].guilty in (None, False)
    cause = found["busy-read"].cause
    assert cause.is_met("50")
    assert not cause.is_met("0")


def test_what_this_kernel_cannot_have_is_not_the_cause(knowledge):
    found = guilt("suspend-drain", knowledge, "# CONFIG_PCI is not set", "# CONFIG_PM is not set")
    gone = [one for one in found.values() if one.state is None]
    assert gone
    assert all(one.guilty is False for one in gone)
