"""What a program needs, where only a setting of run time would meet it."""

from __future__ import annotations

from advisor.engine.effective.needs import met
from advisor.model.condition_parser import parse

from ..cases import each


@each(
    ("needs", "missing"),
    [
        ("memory-overcommit = always", "/proc/sys/vm/overcommit_memory"),
        ("shown(/proc/sys/vm/overcommit_memory = 1)", "/proc/sys/vm/overcommit_memory"),
        ("shown(/sys/kernel/mm/ksm/run = 1)", "/sys/kernel/mm/ksm/run"),
    ],
)
def test_a_setting_of_run_time_that_nobody_told_is_not_known(make_world, needs, missing):
    assert met(parse(needs), make_world("NET=y")) == {missing}
    assert met(parse(f"NET && {needs}"), make_world("NET=n")) is False
    assert met(parse(f"NET || {needs}"), make_world("NET=y")) is True
    assert met(parse(f"!({needs})"), make_world("NET=y")) is True


@each(("value", "truth"), [("1", True), ("0", False)])
def test_a_setting_of_run_time_that_is_told_decides(make_world, value, truth):
    needs = parse("memory-overcommit = always && shown(/sys/kernel/mm/ksm/run = 1)")
    told = {"sysctl": f"vm.overcommit_memory = {value}", "runtime": "/sys/kernel/mm/ksm/run = 1"}
    assert met(needs, make_world("NET=y", **told)) is truth
