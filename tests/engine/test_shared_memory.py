"""What a database shares, told by the operator: its pages, in values and in words."""

from __future__ import annotations

from advisor.engine.audit import Policy, audit
from advisor.engine.judgement.judge import judge_advice
from advisor.model.finding import Verdict

from ..cases import each

CONFIG = "HUGETLBFS=y SYSFS=y SYSCTL=y"


def finding(make_world, built_in, config=CONFIG, cmdline="quiet", sysctl="", **facts):
    world = make_world(config, cmdline=cmdline, sysctl=sysctl, **facts)
    profile = built_in.profile("database")
    advice = next(one for one in profile.advice if one.id == "shared-memory-pages")
    return judge_advice(advice, world)


@each(
    ("given", "verdict"),
    [
        ({"sysctl": "vm.nr_hugepages=16384"}, Verdict.OK),
        ({"sysctl": "vm.nr_hugepages=16383"}, Verdict.CHANGE),
        ({"cmdline": "hugepages=16384"}, Verdict.OK),
        ({"cmdline": "hugepagesz=1G hugepages=32"}, Verdict.NOT_APPLICABLE),
        ({"arch": "s390"}, Verdict.CHANGE),
        ({"arch": "powerpc"}, Verdict.NOT_APPLICABLE),
        ({"config": "HUGETLBFS=n"}, Verdict.NOT_APPLICABLE),
    ],
)
def test_the_pages_that_it_takes(make_world, built_in, given, verdict):
    assert finding(make_world, built_in, shared_memory="32G", **given).verdict is verdict


def test_the_answer_stands_in_the_reason(make_world, built_in):
    found = finding(make_world, built_in, shared_memory="33000M")
    assert found.remedies[0].settings[0] == ("vm.nr_hugepages", "16500")
    assert "hugepagesz=1G hugepages=33 on the boot line" in found.advice.why
    assert "memlock limit of 33792000 KiB" in found.advice.why


def test_it_waits_for_the_answer(make_world, built_in):
    found = finding(make_world, built_in)
    assert (found.verdict, found.reason) == (
        Verdict.NOT_APPLICABLE,
        "applies only with --shared-memory",
    )
    assert "takes the shared memory in pages of 2 MB pages" not in found.advice.why
    assert "{" not in found.advice.why


def test_what_is_answered_is_not_left_to_size(make_world, built_in):
    profile = built_in.profile("database")
    names = [
        [size.tunable.id for size in audit(world.subject, built_in, (profile,), Policy()).sizes]
        for world in (make_world(CONFIG), make_world(CONFIG, shared_memory="1G"))
    ]
    assert [("hugetlb-pages" in one) for one in names] == [True, False]
