"""What makes a false condition true: the least of several ways, as a module where one serves."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.conditions import fix, ways
from advisor.model.condition_parser import parse
from advisor.model.remedy import Remedy, RemedyKind
from advisor.model.software import Fix

MODULAR = "MODULES=y EXT4_FS=m XFS_FS=m USB=m SND=m IWLWIFI=m NFS_FS=m DM_CRYPT=m"


def none(tunable, names, world):
    """Nothing gives a tunable its value."""
    return ()


@pytest.fixture
def fixed(make_world):
    """What makes a condition true for a kernel of these lines."""

    def of(needs, config, means=none, **told) -> Fix:
        return fix(parse(needs), make_world(config, **told), means)

    return of


def test_a_module_is_enough_where_the_kernel_takes_modules(fixed):
    assert fixed("VXLAN", f"{MODULAR} VXLAN=n").lines == ("CONFIG_VXLAN=m",)
    assert fixed("VXLAN", "MODULES=n VXLAN=n").lines == ("CONFIG_VXLAN=y",)
    assert fixed("VXLAN", f"{MODULAR} VXLAN=n", cmdline="nomodule").lines == ("CONFIG_VXLAN=y",)


def test_what_can_only_be_built_in_is(fixed):
    assert fixed("CGROUP_BPF", f"{MODULAR} CGROUP_BPF=n").lines == ("CONFIG_CGROUP_BPF=y",)
    assert fixed("DMI_SYSFS = y", f"{MODULAR} DMI_SYSFS=m").lines == ("CONFIG_DMI_SYSFS=y",)


def test_nothing_is_switched_off_where_something_may_be_switched_on(fixed):
    found = fixed("!EFI || EFIVAR_FS && EFI_PARTITION", "EFI=y EFIVAR_FS=n EFI_PARTITION=n")
    assert found.lines == ("CONFIG_EFIVAR_FS=y", "CONFIG_EFI_PARTITION=y")
    assert fixed("!EFI", "EFI=y").lines == ("# CONFIG_EFI is not set",)


def test_an_option_without_a_line_is_named_unless_another_line_opens_it(fixed):
    assert fixed("IP_MULTIPLE_TABLES", "NET=y").hidden == ("IP_MULTIPLE_TABLES",)
    assert fixed("NF_TABLES && NFT_CT", "NF_TABLES=n").hidden == ()


def test_an_option_without_a_prompt_gets_no_line(fixed):
    found = fixed("XFRM", "NET=y")
    assert (found.lines, found.hidden) == ((), ("XFRM",))
    assert fixed("XFRM && XFRM_USER", "XFRM_USER=n XFRM=n").lines == ("CONFIG_XFRM_USER=y",)


def test_a_word_is_added_to_the_list_that_the_kernel_has(fixed):
    config = 'SECURITY=y SECURITY_SELINUX=y SECURITY_YAMA=y LSM="lockdown,yama"'
    found = fixed("boot(lsm=selinux)", config)
    assert (found.words, found.drop) == (("lsm=yama,selinux",), ())
    # In the order that the rules' own remedies give: bpf stays the last one.
    ended = f"BPF_LSM=y {config.replace('yama', 'yama,bpf')}"
    assert fixed("boot(lsm=selinux)", ended).words == ("lsm=yama,selinux,bpf",)
    found = fixed("boot(lsm=selinux)", config, cmdline="quiet lsm=yama")
    assert (found.words, found.drop) == (("lsm=yama,selinux",), ("lsm=yama",))


def test_the_words_of_the_line_are_named_that_have_to_go(fixed):
    config = 'SECURITY=y LSM="yama"'
    assert fixed("!boot(lsm=*)", config, cmdline="quiet lsm=yama").drop == ("lsm=yama",)


def test_a_switch_of_run_time_is_set_to_its_other_value(fixed):
    found = fixed("!shown(/proc/sys/kernel/unprivileged_userns_clone = 0)", "NET=y")
    assert [tuple(one) for one in found.settings] == [("kernel.unprivileged_userns_clone", "1")]


def test_a_symbol_of_other_kernels_is_no_line(fixed):
    found = fixed("WIREGUARD", "NET=y", kernel="5.4.32")
    assert (found.lines, len(found.why)) == ((), 1)
    assert "a kernel that has WIREGUARD" in found.why[0]


def test_a_tunable_is_set_by_its_own_means_or_the_reason_is_told(fixed):
    def word(tunable, names, world):
        return Remedy(RemedyKind.BOOT, names[0], words=("psi=1",))

    assert fixed("psi = on", "PSI=y PSI_DEFAULT_DISABLED=y", word).words == ("psi=1",)
    (why,) = fixed("psi = on", "PSI=n").why
    assert why.endswith("no known change sets this value in this kernel")


def test_ways_stand_by_what_they_ask_for(make_world):
    expr = parse("WIDGET && GADGET || SPROCKET || kernel >= 9.0")
    found = ways(expr, make_world("GADGET=n"), none)
    assert [way.lines or way.why for way in found] == [
        ("CONFIG_SPROCKET=y",),
        ("CONFIG_WIDGET=y", "CONFIG_GADGET=y"),
        ("Linux 9.0 or newer",),
    ]
