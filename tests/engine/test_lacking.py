"""What is missing of a false condition, in words."""

from __future__ import annotations

from advisor.engine.remedy.conditions import lack
from advisor.engine.remedy.remedies import least
from advisor.model.condition_parser import parse
from advisor.model.software import Part, missing

from ..cases import each


@each(
    ("needs", "config", "told"),
    [
        ("VETH", "VETH=n", "VETH is off"),
        ("VETH && BRIDGE", "VETH=n BRIDGE=n", "VETH and BRIDGE are off"),
        ("A1 && B1 && C1 && D1", "A1=n B1=n C1=n D1=n", "A1, B1 and 2 more are off"),
        ("FUSE_FS || kernel >= 6.20", "FUSE_FS=n", "FUSE_FS is off"),
        ("VXLAN || GENEVE", "VXLAN=n GENEVE=n", "needs VXLAN or GENEVE"),
        ("A1 || B1 && C1", "A1=n B1=n C1=n", "needs A1, or B1 and C1"),
        ("A1 && B1 || A1", "A1=n B1=n", "A1 is off"),
        ("DMI_SYSFS = y", "DMI_SYSFS=m", "DMI_SYSFS is not built in"),
        ("kernel >= 6.20", "A1=n", "needs Linux 6.20 or newer"),
        ("VETH && kernel >= 6.20", "VETH=n", "VETH is off; needs Linux 6.20 or newer"),
        ("VETH && (A1 || B1)", "VETH=n A1=n B1=n", "VETH is off; needs A1 or B1"),
        ("ASHMEM", "NET=y", "ASHMEM is not in this kernel"),
        ("shown(/proc/sys/kernel/x = 1)", "NET=y", "kernel.x is not 1"),
        ("!boot(nosmp)", "SMP=y", "nosmp is on the boot line"),
    ],
)
def test_what_is_missing_is_understood_at_first_reading(make_world, needs, config, told):
    part = Part("", parse(needs))
    assert lack(part, make_world(config, cmdline="nosmp"), least).missing == told


def test_parts_are_told_as_one(make_world):
    world = make_world("VETH=n BRIDGE=n")
    parts = (Part(name, parse(name)) for name in ("VETH", "BRIDGE"))
    assert missing([lack(part, world, least) for part in parts]) == "VETH and BRIDGE are off"


def test_of_a_tunable_its_members_are_named_or_what_it_is_instead(make_world):
    part = Part("", parse("namespaces = on"))
    config = "NAMESPACES=y UTS_NS=y IPC_NS=n PID_NS=n NET_NS=y USER_NS=y"
    assert lack(part, make_world(config), least).off == ("PID_NS", "IPC_NS")
    part = Part("", parse("psi = on"))
    found = lack(part, make_world("PSI=y PSI_DEFAULT_DISABLED=y"), least)
    assert found.missing.startswith("Pressure stall information (PSI): compiled in, off unless")


def test_a_setting_that_stands_against_it_is_named(make_world):
    part = Part("", parse("!shown(/proc/sys/kernel/unprivileged_userns_clone = 0)"))
    world = make_world("NET=y", sysctl="kernel.unprivileged_userns_clone = 0")
    assert lack(part, world, least).missing == "kernel.unprivileged_userns_clone is 0"
