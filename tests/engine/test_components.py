"""Values that name a thing: whether the kernel has it, what that means for states, what is said."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.components import Standing, named

from ..cases import each

LISTED = 'SECURITY=y LSM="landlock,lockdown,yama,integrity,apparmor,bpf"'
ZSWAP = "ZSWAP=y BLK_DEV_INITRD=y"


def told(world):
    return [(d.id, d.subject) for d in diagnose(world) if d.id.startswith("component-")]


def standings(world, layer, name, text):
    component, place = world.knowledge.named_in(layer, name)
    return [one.standing.value for one in named(text, component, place, world)]


@each(
    ("config", "name", "standing"),
    [
        ("CRYPTO_ZSTD=y", "zstd", Standing.BUILT_IN),
        ("CRYPTO_ZSTD=m", "zstd", Standing.MODULE),
        ("CRYPTO_ZSTD=n", "zstd", Standing.ABSENT),
        ("CRYPTO_LZO=m", "lzo-rle", Standing.MODULE),
        ("CRYPTO_ZSTD=y", "zsdt", Standing.UNKNOWN),
        ("CRYPTO_ZSTD=y", "nonsense", Standing.UNKNOWN),
        # A patch that brings a compressor brings its symbol.
        ("CRYPTO_NONSENSE=m", "nonsense", Standing.MODULE),
    ],
)
def test_the_standing_of_a_name(make_world, config, name, standing):
    world = make_world(f"ZSWAP=y {config}")
    assert standings(world, "boot", "zswap.compressor", name) == [standing.value]


@each(
    ("config", "name", "standing"),
    [
        ("ZSWAP=y", "zstd", Standing.UNTOLD),
        ("CRYPTO_ZSTD=n", "zstd", Standing.ABSENT),
        ("ZSWAP=y", "nonsense", Standing.UNTOLD),
        ("ZSWAP=y", "zsdt", Standing.UNKNOWN),
    ],
)
def test_a_part_of_a_configuration_leaves_open_what_it_does_not_tell(
    make_world, config, name, standing
):
    world = make_world(config, complete=False)
    assert standings(world, "boot", "zswap.compressor", name) == [standing.value]


def test_no_line_is_advised_that_kconfig_drops(make_world):
    # Z3FOLD has no prompt since 6.12.
    for kernel, begin in (
        ("6.6", "build a kernel with Z3FOLD=y, or"),
        ("6.12.117", "remove the parameter, or"),
    ):
        world = make_world(f"{ZSWAP} ZSMALLOC=y", cmdline="zswap.zpool=z3fold", kernel=kernel)
        (found,) = (d for d in diagnose(world) if d.id == "component-absent")
        assert found.remedy.startswith(begin)


def test_of_a_list_each_name_has_its_standing(make_world):
    world = make_world("SECURITY=y SECURITY_YAMA=y")
    assert standings(world, "boot", "lsm", "yama,apparmor,,nothing") == [
        Standing.BUILT_IN.value, Standing.ABSENT.value, Standing.UNKNOWN.value,
    ]  # fmt: skip


def test_a_later_kernel_may_have_more_names(make_world):
    for kernel, standing in (("6.12.117", Standing.UNKNOWN), ("7.1.5", Standing.UNTOLD)):
        world = make_world("ZSWAP=y", kernel=kernel)
        assert standings(world, "boot", "zswap.compressor", "nonsense") == [standing.value]
        assert standings(world, "boot", "zswap.compressor", "zsdt") == [Standing.UNKNOWN.value]


def test_of_an_open_list_a_name_that_is_near_to_none_may_be_a_drivers(make_world):
    world = make_world("EXT4_FS=y")
    assert standings(world, "boot", "rootfstype", "zfs") == [Standing.UNTOLD.value]
    assert standings(world, "boot", "rootfstype", "etx4") == [Standing.UNKNOWN.value]


@each(
    ("config", "line", "ids"),
    [
        (f"{ZSWAP} CRYPTO_ZSTD=n", "zswap.compressor=zstd", ["component-absent"]),
        (f"{ZSWAP} CRYPTO_ZSTD=m", "zswap.enabled=1 zswap.compressor=zstd", ["component-module"]),
        (f"{ZSWAP} CRYPTO_ZSTD=y", "zswap.enabled=1 zswap.compressor=zstd", []),
        (f"{ZSWAP} CRYPTO_ZSTD=m", "zswap.compressor=zstd", []),
        (f"{ZSWAP} CRYPTO_ZSTD=m ZSWAP_DEFAULT_ON=y", "zswap.enabled=0 zswap.compressor=zstd", []),
        ("ZSWAP=n CRYPTO_ZSTD=n", "zswap.compressor=zstd", []),  # parameter-not-built says it
        ("SECURITY=y SECURITY_YAMA=y", "lsm=lockdwon,yama", ["component-unknown"]),
        ('SECURITY=y SECURITY_YAMA=y LSM="yama"', "lsm=landlock;yama", ["component-unknown"]),
        ("SECURITY=y", "security=foo", ["component-unknown"]),
        ("SECURITY=y", "security=selinux", ["component-absent"]),
        ("SECURITY=y", "security=none", []),
        ("CPU_FREQ=y CPU_FREQ_GOV_ONDEMAND=m", "cpufreq.default_governor=OnDemand",
         ["component-module"]),
        ("EXT4_FS=m BLK_DEV_INITRD=n", "rootfstype=ext4", ["component-module"]),
        ("EXT4_FS=m BLK_DEV_INITRD=y", "rootfstype=ext4", []),
        ("CPU_IDLE=y CPU_IDLE_GOV_TEO=n", "cpuidle.governor=teo", ["component-absent"]),
        ("SERIAL_EARLYCON=y SERIAL_8250_CONSOLE=n", "earlycon=uart8250,io,0x3f8",
         ["component-absent"]),
        ("SERIAL_EARLYCON=y SERIAL_8250_CONSOLE=y", "earlycon=uart8250,io,0x3f8", []),
        ("SERIAL_EARLYCON=y SERIAL_8250_CONSOLE=y", "earlycon=uart8520,io,0x3f8",
         ["component-unknown"]),
        ("SERIAL_EARLYCON=y SERIAL_8250_CONSOLE=y", "earlycon", []),
        ("SERIAL_EARLYCON=y", "earlycon=vendor_uart,0x9000", []),  # a patch may bring it
        ("PROC_SYSCTL=y INET=y TCP_CONG_ADVANCED=y TCP_CONG_BBR=m BLK_DEV_INITRD=y",
         "sysctl.net.ipv4.tcp_congestion_control=bbr", ["component-module"]),
    ],
)  # fmt: skip
def test_what_is_said_of_words(make_world, config, line, ids):
    assert sorted(name for name, _ in told(make_world(config, cmdline=line))) == ids


def test_only_a_module_that_security_selects_is_another_way_out(make_world):
    lines = "SECURITY=y SECURITY_YAMA=y SECURITY_APPARMOR=n"
    world = make_world(lines, cmdline="security=apparmor")
    assert (
        diagnose(world)[0].remedy
        == "build a kernel with SECURITY_APPARMOR=y, or remove the parameter"
    )
    world = make_world(f"{lines} SECURITY_SELINUX=y", cmdline="security=apparmor")
    assert diagnose(world)[0].remedy.endswith("or name another security module: selinux")


def test_both_ways_out_are_told(make_world):
    world = make_world(f"{ZSWAP} CRYPTO_ZSTD=n CRYPTO_LZ4=y", cmdline="zswap.compressor=zstd")
    (one,) = diagnose(world)
    assert one.remedy == (
        "build a kernel with CRYPTO_ZSTD=y, or remove the parameter, or name another compressor of "
        "zswap: lz4"
    )
    assert "zswap uses its compiled default compressor" in one.message
    world = make_world("EXT4_FS=m BLK_DEV_INITRD=n", cmdline="rootfstype=ext4")
    (one,) = diagnose(world)
    assert one.remedy == (
        "build a kernel with EXT4_FS=y, or put the module into the initramfs "
        "(with BLK_DEV_INITRD=y)"
    )


def test_nobody_is_told_to_build_what_a_version_or_architecture_cannot_have(make_world):
    (one,) = diagnose(make_world("X86_64=y", cmdline="clocksource=pit"))
    assert "build" not in one.remedy
    world = make_world("BLOCK=y", sysctl="net.core.default_qdisc=fq")
    assert told(world) == []  # without NET_SCHED there is no such sysctl


@each(
    ("text", "says", "remedy"),
    [
        ("fq   # text", "the comment is part of the value", "move the comment to a line"),
        ("fq_codl", "there is no queueing discipline", "did you mean fq_codel?"),
        ("\u201cfq\u201d", "is a typographic quote and part of the name", "write fq"),
        ('"fq"', "is a quote and part of the name", "write fq"),
        ("nothing", "there is no queueing discipline", "remove the line"),
    ],
)
def test_a_setting_of_a_file_with_a_wrong_name(make_world, text, says, remedy):
    world = make_world("NET=y NET_SCHED=y NET_SCH_FQ=y", sysctl=f"net.core.default_qdisc = {text}")
    (one,) = diagnose(world)
    assert (one.id, says in one.message) == ("component-unknown", True)
    assert one.remedy.startswith(remedy)


def test_a_word_that_names_nothing_decides_no_state(make_world):
    config = "CPU_IDLE=y INTEL_IDLE=y NO_HZ_IDLE=y CPU_IDLE_GOV_MENU=y CPU_IDLE_GOV_TEO=n"
    world = make_world(config, cmdline="cpuidle.governor=teo")
    assert world.state("cpuidle-governor").effective == ("menu",)


# --- the list of security modules -----------------------------------------------------------------


def test_what_is_required_is_asked_before_what_is_redundant(make_world):
    line = "apparmor=1 security=apparmor lsm=yama,apparmor"
    world = make_world(f"{LISTED} SECURITY_YAMA=y SECURITY_APPARMOR=n", cmdline=line)
    assert [(d.id, d.subject) for d in diagnose(world)] == [
        ("parameter-not-built", "apparmor=1"),
        ("parameter-void", "security=apparmor"),
        ("component-absent", "lsm=yama,apparmor"),
    ]


def test_typographic_quotes_in_the_compiled_list(make_world):
    config = (
        'SECURITY=y SECURITY_LOCKDOWN_LSM=y SECURITY_LANDLOCK=y LSM="\u201clockdown,landlock\u201d"'
    )
    found = {d.id: d for d in diagnose(make_world(config)) if d.id.startswith("component-")}
    assert list(found) == ["component-unknown"]
    remedies = [d.remedy for d in diagnose(make_world(config)) if d.id == "component-unknown"]
    assert remedies == ["write lockdown", "write landlock"]


def test_the_compiled_list_names_by_default_what_is_not_built(make_world):
    config = 'SECURITY=y LSM="landlock,lockdown,yama,loadpin,safesetid,selinux,smack,tomoyo,bpf"'
    assert told(make_world(config)) == []


@each(
    ("config", "line", "names"),
    [
        ('SECURITY_LANDLOCK=y LSM="yama,bpf"', None, ["LSM"]),
        ('SECURITY_LANDLOCK=y LSM="yama,landlock"', None, []),
        ('SECURITY_LANDLOCK=y LSM="yama,landlock"', "lsm=yama", ["lsm=yama"]),
        ('SECURITY_LANDLOCK=y LSM="yama,bpf"', "lsm=yama,landlock", []),
        ("SECURITY_LANDLOCK=y", None, []),  # before 5.1 there is no list
        ('SECURITY_LOCKDOWN_LSM=y SECURITY_LOCKDOWN_LSM_EARLY=y LSM="yama"', None, []),
        ('SECURITY_LOCKDOWN_LSM=y LSM="yama"', None, ["LSM"]),
        # Their owners decide: they do nothing without a policy.
        ('SECURITY_APPARMOR=y SECURITY_SELINUX=y LSM="yama"', None, []),
    ],
)
def test_what_is_built_and_in_no_list_that_starts_it(make_world, config, line, names):
    world = make_world(f"SECURITY=y SECURITY_YAMA=y {config}", cmdline=line)
    found = [subject for name, subject in told(world) if name == "component-not-started"]
    assert found == names


MAJOR = 'SECURITY_APPARMOR=y SECURITY_SELINUX=y LSM="landlock,yama,apparmor,selinux,bpf"'


@each(
    ("line", "remedy"),
    [
        ("lsm=bpf", "lsm=landlock,yama,apparmor,bpf,"),
        ("lsm=bpf apparmor=0", "lsm=landlock,yama,selinux,bpf,"),
        ("lsm=landlock,yama,selinux", ""),  # another one on purpose
        ("lsm=landlock,yama,apparmor", ""),
    ],
)
def test_a_list_of_the_line_that_drops_what_the_compiled_list_starts(make_world, line, remedy):
    config = f"SECURITY=y SECURITY_YAMA=y SECURITY_LANDLOCK=y BPF_LSM=y {MAJOR}"
    world = make_world(config, cmdline=line)
    found = [one for one in diagnose(world) if one.id == "component-not-started"]
    assert len(found) == bool(remedy)
    for one in found:
        assert f"as with {remedy}" in one.remedy
        assert "the kernel never starts them" in one.message


def test_what_a_kernel_would_start_is_in_the_remedy(make_world):
    config = 'SECURITY=y SECURITY_YAMA=y SECURITY_LANDLOCK=y LSM="yama,bpf"'
    (one,) = diagnose(make_world(config))
    assert "lsm=landlock,yama,bpf" in one.remedy
    assert one.location.line == 4


# --- settings that a host's files write -----------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value", "ids"),
    [
        ("/sys/block/sda/queue/scheduler", "bfq", ["component-absent"]),
        ("/sys/block/*/queue/scheduler", "mq-deadline", []),
        ("/sys/block/zram0/comp_algorithm", "zsdt", ["component-unknown"]),
        ("/sys/kernel/mm/transparent_hugepage/enabled", "always", []),
    ],
)
def test_files_that_are_written_at_boot(make_world, key, value, ids):
    from advisor.model.kernel import Location
    from advisor.model.nextboot import NextBoot, Written

    world = make_world("BLOCK=y IOSCHED_BFQ=n MQ_IOSCHED_DEADLINE=y ZRAM=y")
    written = Written(key, value, Location("/etc/udev/rules.d/60.rules", 1))
    world = world.after(world.subject._replace(next=NextBoot(writes={key: written}, runs=False)))
    assert [name for name, _ in told(world)] == ids
