"""Remedies as data: what is written where, to which of several things."""

from __future__ import annotations

from advisor.model.remedy import Change, Instances, Remedy, RemedyKind, Role, Setting

from ..cases import each

POLICIES = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"


@each(
    ("key", "layer", "instances"),
    [
        ("kernel.numa_balancing", "sysctl", Instances.ONE),
        ("/sys/kernel/mm/lru_gen/enabled", "sysfs", Instances.ONE),
        ("/sys/kernel/debug/sched/preempt", "debugfs", Instances.ONE),
        (POLICIES, "sysfs", Instances.ALL),
        ("/sys/block/DEVICE/queue/scheduler", "sysfs", Instances.CHOSEN),
    ],
)
def test_a_setting_knows_where_it_is_written(key, layer, instances):
    setting = Setting(key, "1")
    assert (setting.layer, setting.instances) == (layer, instances)


def test_what_is_needed_and_given_up_is_told_by_the_roles():
    asked = Change("HZ_1000", "n", "y", Role.ASKED)
    given_up = Change("HZ_250", "y", "n", Role.SIBLING)
    other = Change("HZ_300", "n", "n", Role.SIBLING)
    needed = Change("EXPERT", "n", "y", Role.DEPENDENCY)
    remedy = Remedy(RemedyKind.REBUILD, "1000", changes=(asked, given_up, other, needed))
    assert (remedy.needs, remedy.takes_away) == ((needed,), (given_up,))
    assert remedy.lasts
    assert not Remedy(RemedyKind.RUNTIME, "1", settings=(Setting("vm.swappiness", "1"),)).lasts
