"""Policies as tunables and advice: what each kind reads, and what it wants."""

from __future__ import annotations

import pytest

from advisor.knowledge import index
from advisor.knowledge.policies import known, profile, tunable
from advisor.model.kernel import Location
from advisor.model.policy import Policy
from advisor.model.profile import POLICY, REQUIREMENT, Strength

from ..cases import each

PLACE = Location("kernel-advisor.toml", 3)


@pytest.fixture(scope="module")
def knowledge():
    return index.load()


def policy(kind, about, *values, **more):
    fields = {"name": "a", "reason": "r", "location": PLACE, **more}
    return Policy(kind=kind, about=about, values=values, **fields)


@each(
    ("kind", "about", "values", "shape"),
    [
        ("symbol", "NET", ("y",), {"kind": "choice", "default": "n"}),
        ("symbol", "HZ", ("100..1000",), {"symbol": "HZ", "default": "n"}),
        ("parameter", "audit", ("1",), {"parameter": "audit", "default": "not on the boot line"}),
        ("parameter", "quiet", (), {"kind": REQUIREMENT, "default": "not met"}),
        ("sysctl", "vm.swappiness", ("1",), {"sysctl": "vm.swappiness", "default": ""}),
        ("sysfs", "/sys/kernel/mm/ksm/run", ("0",), {"sysfs": "/sys/kernel/mm/ksm/run"}),
        ("condition", "NET && HZ > 100", (), {"kind": REQUIREMENT}),
    ],
)
def test_each_kind_is_a_tunable(knowledge, kind, about, values, shape):
    made = tunable(policy(kind, about, *values), knowledge)
    assert (made.id, made.area) == ("policy/a", POLICY)
    assert {key: getattr(made, key) for key in shape} == shape


def test_a_member_of_a_choice_knows_the_others_and_what_it_needs(knowledge):
    made = tunable(policy("symbol", "PREEMPT_RT", "y"), knowledge)
    assert made.value("y").requires is not None
    assert made.value("n").requires is None
    assert "HZ_250" in tunable(policy("symbol", "HZ_1000", "y"), knowledge).choice


def test_a_symbol_of_one_architecture_is_none_of_the_others(knowledge):
    made = tunable(policy("symbol", "ARM64_VHE", "y"), knowledge)
    assert ["fact", "arch", "!=", "x86"] in made.only_if
    assert tunable(policy("symbol", "NET", "y"), knowledge).only_if is None


def test_the_reason_names_who_answers_for_it_and_where_it_stands():
    first = policy("symbol", "NET", "y", reason="r\n", owner="us", source="the\nwiki")
    second = policy("symbol", "NET", "y", name="b", reason="", source="https://example.org/why")
    made = profile([first, second])
    one, other = made.advice
    assert one.why == "r (owner: us; source: the wiki; kernel-advisor.toml:3)"
    assert one.key == "policy/a"
    assert (one.strength, one.is_binding, one.sources) == (Strength.MUST, True, ())
    assert other.sources[0].url == "https://example.org/why"


def test_of_several_of_one_name_the_last_counts():
    made = profile([policy("symbol", "NET", "y"), policy("symbol", "NET", "n", path="a*")])
    assert [one.options[0].want for one in made.advice] == [("n",)]


def test_what_policies_read_at_run_time_is_read_of_a_host(knowledge):
    asked = [
        policy("sysctl", "our.own", "1"),
        policy("sysfs", "/sys/our/own", "1", name="b"),
        policy("condition", "shown(/proc/sys/our/other = 1)", name="c"),
    ]
    more = known(asked, knowledge)
    assert {"our.own", "our.other"} <= set(more.run_time_names("sysctl"))
    assert "/sys/our/own" in more.run_time_names("sysfs")
    assert "our.own" not in knowledge.run_time_names("sysctl")
    assert more.tunable("policy/b").sysfs == "/sys/our/own"
    with pytest.raises(KeyError):
        knowledge.tunable("policy/b")
