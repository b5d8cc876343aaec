"""Words of the boot line that no rule knows: slips, words for other programs, names that went."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose

FOREIGN = "keep the parameter only if init, or a program that reads /proc/cmdline, needs it"


@pytest.mark.parametrize(
    ("word", "severity", "remedy"),
    [
        ("nohz_ful=2-7", "error", "did you mean nohz_full?"),
        ("transparent_hugepages=never", "error", "did you mean transparent_hugepage?"),
        ("isolcpu=2-7", "error", "did you mean isolcpus?"),
        ("mitigation=off", "error", "did you mean mitigations?"),
        ("noacpi", "error", "did you mean numa=noacpi or pci=noacpi?"),
        ("intel_idle.max_cstates=1", "error", "did you mean intel_idle.max_cstate?"),
        (
            "max_cstate=1",
            "note",
            f"{FOREIGN}; if the parameter is for a module, write intel_idle.max_cstate or "
            "processor.max_cstate",
        ),
        ("frobnicate=1", "note", FOREIGN),
        ("frobnicate.speed=1", "note", FOREIGN),
    ],
)
def test_a_word_of_no_kernel(world_of, word, severity, remedy):
    (found,) = diagnose(world_of(f"quiet {word}"))
    assert (found.id, found.location.column) == ("parameter-unknown", 7)
    assert (found.severity.value, found.remedy) == (severity, remedy)


def test_nobody_is_led_to_a_word_of_another_architecture(world_of):
    (found,) = diagnose(world_of("cachepolicyy=x"))
    assert (found.severity.value, found.remedy) == ("note", FOREIGN)
    (found,) = diagnose(world_of("cachepolicyy=x", arch="arm"))
    assert found.remedy == "did you mean cachepolicy?"


def test_nobody_is_led_from_a_slip_to_a_word_that_is_ignored_as_well(make_world):
    (found,) = diagnose(make_world("MODULES=n SMP=y", cmdline="nomodules"))
    assert (found.severity.value, found.remedy) == (
        "error",
        "remove the parameter: nomodule needs MODULES",
    )
    (found,) = diagnose(make_world("MODULES=y SMP=y", cmdline="nomodules"))
    assert found.remedy == "did you mean nomodule?"


def test_a_flag_takes_words_that_only_begin_as_it_does(world_of):
    (found,) = diagnose(world_of("norandmapsnow"))
    assert found.id == "parameter-unknown"
    assert (
        "kernels that have the flag norandmaps treat every parameter that begins with norandmaps"
        in found.message
    )


@pytest.mark.parametrize(
    "word",
    [
        "BOOT_IMAGE=/boot/vmlinuz-6.12",
        "rd.lvm.lv=vg/root",
        "systemd.unit=rescue.target",
        "androidboot.hardware=x",
        "net.ifnames=0",
        "modprobe.blacklist=nouveau",
        "fsck.mode=skip",
        "rhgb",
        "splash",
        "tuned.non_isolcpus=3",
        "nvidia_drm.modeset=1",
        "sysctl.kernel.panic=10",
        "i915.enable_guc=3",
        "root=PARTUUID=c8a9",
        "ro",
        "single",
    ],
)
def test_words_for_others_and_of_drivers_are_none_of_our_business(told, word):
    assert told(word) == []


@pytest.mark.parametrize(
    ("word", "kernel", "expected"),
    [
        ("fastboot", "6.12.0", None),
        ("scsi_mod.use_blk_mq=1", "4.1.15", None),
        ("scsi_mod.use_blk_mq=1", "6.12.0", "parameter-unknown"),
        ("kthread_cpus=0-1", "6.12.0", "parameter-unknown"),
        ("latencytop", "6.12.0", "parameter-unknown"),
        ("elevator=noop", "6.12.0", "parameter-no-effect"),
        ("slub_debug=FZU", "6.1.0", None),
        ("slab_max_order=1", "6.1.0", "parameter-not-built"),
        ("slub_max_order=1", "6.12.0", "parameter-superseded"),
    ],
)
def test_names_that_come_and_go(told, word, kernel, expected):
    assert told(word, kernel=kernel) == ([(expected, 1)] if expected else [])


def test_hundreds_of_strange_words_are_not_told_one_by_one(world_of):
    found = diagnose(world_of(" ".join(f"zzqx{n}=1" for n in range(30))))
    assert len(found) == 11
    assert found[-1].message == "and 20 more parameters that no rule knows"


def test_a_vendors_kernel_has_its_own_words(told):
    line = "cgroup_enable=memory cgroup_memory=1"
    assert told(line) == [("parameter-unknown", 1), ("parameter-unknown", 22)]
    assert told(line, config={"BCM2708_VCMEM": "y"}) == []


@pytest.mark.parametrize(
    "word",
    [
        "pmos_root_uuid=1-2", "vyos-union=/boot/1.5", "rancher.state.wait", "ubootpart=b5d1",
        "numa_policy=interleave", "smsc95xx.macaddr=DC:A6:32:00:00:01", "msm_rtb.filter=0x237",
        "xenomai.supported_cpus=0x8", "buildvariant=user",
    ],
)  # fmt: skip
def test_words_of_other_programs_and_of_vendors_kernels_are_known(told, word):
    assert told(word) == []


@pytest.mark.parametrize("symbol", ["ANDROID_VENDOR_HOOKS", "RHEL_DIFFERENCES"])
def test_a_vendor_may_have_words_of_its_own(make_world, symbol):
    word = "ioremap_guard"
    (found,) = diagnose(make_world(f"{symbol}=y", cmdline=word, kernel="5.15.137"))
    assert (found.id, found.severity.value) == ("parameter-unknown", "note")
    assert symbol in found.message
    assert "does not read it" not in found.message
    (plain,) = diagnose(make_world("SMP=y", cmdline=word, kernel="5.15.137"))
    assert "does not read it" in plain.message


def test_no_word_of_another_kernel_is_taken_for_what_was_meant(make_world):
    """nosmap is one letter away, and x86 has none since 5.19."""
    for kernel, severity in (("6.6", "note"), ("5.15", "error")):
        world = make_world("MODULES=y", cmdline="noswap", kernel=kernel)
        (found,) = diagnose(world)
        assert (found.id, found.severity.value) == ("parameter-unknown", severity)
        assert ("nosmap" in found.remedy) is (severity == "error")


@pytest.mark.parametrize(
    ("config", "remedy"),
    [
        (
            "MODULES=y STMMAC_ETH=m",
            "remove the parameter; if the driver is a module, write stmmac.OPTION",
        ),
        ("MODULES=y STMMAC_ETH=n", "remove the parameter"),
        ("MODULES=y", "remove the parameter"),
        ("MODULES=y STMMAC_ETH=y", None),
    ],
)
def test_a_word_that_only_a_built_in_driver_reads(make_world, config, remedy):
    """linux/init.h makes nothing of __setup() in a module."""
    found = list(diagnose(make_world(config, cmdline="stmmaceth=watchdog:5000")))
    assert [one.id for one in found] == ["parameter-not-built"] * bool(remedy)
    assert all(one.remedy.startswith(remedy) for one in found)
    assert not any("OPTION" in one.remedy for one in found if "=m" not in config)
    world = make_world("MODULES=y", cmdline="stmmaceth=watchdog:5000", complete=False)
    assert not list(diagnose(world))


def test_words_of_drivers_are_of_kernels_and_of_no_other_rule(built_in):
    catalogue = built_in.parameter_catalogue
    facts = built_in.facts("built-in-word")
    words = [word for fact in facts for word in fact.names]
    assert len(words) > 20
    assert len(set(words)) == len(words)
    assert all(catalogue.seen(word) for word in words)
    assert not any(built_in.parameter(word) for word in words)
    assert all(built_in.catalogue.seen(fact.of) for fact in facts)
