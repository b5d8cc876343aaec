"""Which line decides a state, and remedies that count in spite of the other lines."""

from __future__ import annotations

import pytest

from advisor.engine.judgement.judge import judge
from advisor.model.finding import Verdict
from advisor.model.remedy import RemedyKind

PROBES = """
FTRACE=y HAVE_KPROBES=y HAVE_REGS_AND_STACK_ACCESS_API=y KPROBES=y KPROBE_EVENTS=y MODULES=y
SECURITY_LOCKDOWN_LSM=y PERF_EVENTS=y
"""


def because(world, tunable):
    return [origin.text for origin in world.state(tunable).origins]


def finding(world, profile, tunable):
    found = judge(world, [world.knowledge.profile(profile)])
    return next(one for one in found if one.tunable.id == tunable)


@pytest.mark.parametrize(
    ("config", "cmdline", "tunable", "origins"),
    [
        (
            "64BIT=y LRU_GEN=y LRU_GEN_ENABLED=n",
            "",
            "multigen-lru",
            ["# CONFIG_LRU_GEN_ENABLED is not set"],
        ),
        ("PSI=y PSI_DEFAULT_DISABLED=y", "", "psi", ["CONFIG_PSI_DEFAULT_DISABLED=y"]),
        (
            'SECURITY=y SECURITY_APPARMOR=y LSM="landlock,lockdown,yama,integrity,bpf"',
            "",
            "lsm",
            ['CONFIG_LSM="landlock,lockdown,yama,integrity,bpf"'],
        ),
        ("HZ_250=y HZ=250", "", "timer-frequency", ["CONFIG_HZ_250=y"]),
        ("64BIT=y", "", "multigen-lru", ["lack of CONFIG_LRU_GEN"]),
        # What gives the same in another way does not turn it.
        (
            "NUMA=y NUMA_BALANCING=y NUMA_BALANCING_DEFAULT_ENABLED=n",
            "",
            "numa-balancing",
            ["# CONFIG_NUMA_BALANCING_DEFAULT_ENABLED is not set"],
        ),
        # A word about a module that is not built: only that one, once built, would start.
        (
            "SECURITY=y SECURITY_APPARMOR=n SECURITY_SELINUX=n SECURITY_SMACK=n SECURITY_TOMOYO=n",
            "security=selinux",
            "lsm",
            ["# CONFIG_SECURITY_SELINUX is not set"],
        ),
        # A default that a line upholds.
        (
            "CONSOLE_LOGLEVEL_DEFAULT=7",
            "",
            "console-messages",
            ["CONFIG_CONSOLE_LOGLEVEL_DEFAULT=7"],
        ),
        (
            PROBES,
            "lockdown=confidentiality",
            "kprobes",
            ["lockdown=confidentiality"],
        ),
    ],
)
def test_the_deciding_line_is_named(make_world, config, cmdline, tunable, origins):
    world = make_world(config, cmdline=cmdline)
    assert because(world, tunable) == origins


def test_what_would_suffice_alone_is_named_too(make_world):
    """A word twice, and a word that says what is compiled in already."""
    twice = make_world("NO_HZ_COMMON=y NO_HZ_IDLE=y", cmdline="nohz=off quiet nohz=off")
    assert because(twice, "tick-mode") == ["nohz=off", "nohz=off"]
    same = make_world(
        "TRANSPARENT_HUGEPAGE=y TRANSPARENT_HUGEPAGE_MADVISE=y",
        cmdline="transparent_hugepage=madvise",
        arch="x86",
    )
    assert because(same, "transparent-hugepages") == [
        "transparent_hugepage=madvise",
        "CONFIG_TRANSPARENT_HUGEPAGE_MADVISE=y",
    ]


def test_a_part_of_joined_words_means_what_it_says_alone(make_world):
    world = make_world("CGROUPS=y MEMCG=y PSI=y", cmdline="cgroup_disable=rdma,pressure")
    assert because(world, "psi") == ["cgroup_disable=rdma,pressure"]


def test_a_rebuild_takes_the_word_along_that_would_undo_it(make_world):
    word = "transparent_hugepage=never"
    world = make_world(
        "TRANSPARENT_HUGEPAGE=y TRANSPARENT_HUGEPAGE_NEVER=y TRANSPARENT_HUGEPAGE_MADVISE=n "
        "HAVE_ARCH_TRANSPARENT_HUGEPAGE=y",
        cmdline=word,
    )
    found = finding(world, "server-throughput", "transparent-hugepages")
    assert (found.verdict, found.remedies[-1].kind) == (Verdict.CHANGE, RemedyKind.REBUILD)
    assert found.remedies[-1].drop == (word,)


def test_no_remedy_takes_a_protection_off_the_line(make_world):
    world = make_world(PROBES, cmdline="lockdown=confidentiality")
    found = finding(world, "diagnosis", "kprobes")
    assert (found.verdict, found.remedies) == (Verdict.BLOCKED, ())
    assert "lockdown" in found.reason


def test_that_a_kernel_has_a_symbol_at_all_is_no_line_to_take_back(make_world):
    """The first measures of 4.9 are told by their options, whatever these say."""
    lines = "UNMAP_KERNEL_AT_EL0=y HARDEN_BRANCH_PREDICTOR=y HZ=250"
    world = make_world(lines, kernel="4.9.165", arch="arm64")
    assert world.state("cpu-mitigations").effective == ("auto",)
    assert because(world, "cpu-mitigations") == []


@pytest.mark.parametrize(
    ("kernel", "config", "name"),
    [
        ("4.19.300", "RETPOLINE=y", "mitigations that this kernel has without an option"),
        ("6.12.117", "CPU_MITIGATIONS=y", "CPU_MITIGATIONS"),
    ],
)
def test_a_part_without_an_option_is_named_by_what_it_does(make_world, kernel, config, name):
    asked = {"kernel": kernel, "arch": "x86"}
    plain = make_world(config, **asked).state("single-mitigations")
    (on,) = (member for member in plain.on if member[0].startswith(name))
    assert bool(on[1].text) is (name == "CPU_MITIGATIONS")  # nothing makes so what always is
    less = make_world(config, cmdline="mds=off", **asked).state("single-mitigations")
    (off,) = (member for member in less.off if member[0].startswith(name))
    assert off[1].text == "mds=off"


def test_what_waits_for_a_word_is_off_for_lack_of_it(make_world):
    built = make_world("STACK_TRACER=y PROVE_LOCKING=n")
    assert dict(built.state("debug-overhead").off)["STACK_TRACER"].text == "lack of stacktrace"
    without = make_world("STACK_TRACER=n PROVE_LOCKING=n")
    text = dict(without.state("debug-overhead").off)["STACK_TRACER"].text
    assert text == "# CONFIG_STACK_TRACER is not set and lack of stacktrace"


@pytest.mark.parametrize(
    ("config", "cmdline", "tunable", "origins"),
    [
        # Each is enough for it to be so, so that both have to go.
        (
            "PCI=y BLK_DEV_NVME=m MODULES=y",
            "nomodule pci=off",
            "nvme",
            ["nomodule", "pci=off"],
        ),
        (
            "SLUB=y SLUB_DEBUG=y SLAB_MERGE_DEFAULT=y",
            "slab_nomerge slab_debug=FZ",
            "slab-merging",
            ["slab_nomerge", "slab_debug=FZ"],
        ),
        # The last word counts; without it the one before does, not what is compiled in.
        (
            "PREEMPT=y PREEMPT_DYNAMIC=y PREEMPT_NONE=n",
            "preempt=none preempt=full",
            "preemption-model",
            ["preempt=full"],
        ),
    ],
)
def test_the_fewest_words_are_named(make_world, config, cmdline, tunable, origins):
    told = {"arch": "x86", "kernel": "6.12.117", "complete": True}
    assert because(make_world(config, cmdline=cmdline, **told), tunable) == origins


_MODULES = "SECURITY=y SECURITY_APPARMOR=y SECURITY_SELINUX=y SECURITY_SMACK=y"
_LIST = ' LSM="landlock,lockdown,yama,integrity,apparmor"'


def test_of_many_modules_the_one_that_a_word_chooses_decides(make_world):
    world = make_world(_MODULES + _LIST, cmdline="security=apparmor")
    state = world.state("lsm")
    assert state.effective == ("on",)
    assert [origin.text for origin in state.origins] == ["CONFIG_SECURITY_APPARMOR=y"]


def test_a_word_that_may_not_be_read_is_no_cause_of_what_a_line_makes_so(make_world):
    config = "CRYPTO=y CRYPTO_MANAGER=y CRYPTO_MANAGER2=y CRYPTO_MANAGER_DISABLE_TESTS=y"
    world = make_world(config, kernel="4.4.244-cip", cmdline="cryptomgr.notests")
    state = world.state("crypto-self-tests")
    assert state.effective == ("off",)
    assert [origin.text for origin in state.origins] == ["CONFIG_CRYPTO_MANAGER_DISABLE_TESTS=y"]


def test_what_a_word_does_that_may_not_be_read_is_open(make_world):
    # mitigations= came with 5.2, and stable kernels were given it at releases of their own.
    world = make_world("PAGE_TABLE_ISOLATION=y", kernel="4.4.244-cip", cmdline="mitigations=off")
    assert world.boot("mitigations=off") == frozenset(("backports",))
    world = make_world("PAGE_TABLE_ISOLATION=y", kernel="5.4.90", cmdline="mitigations=off")
    assert world.boot("mitigations=off") is True


def test_a_list_that_names_no_module_keeps_one_off_as_well(make_world):
    config = "SECURITY=y SECURITY_APPARMOR=n SECURITY_SELINUX=n SECURITY_SMACK=n SECURITY_TOMOYO=n"
    world = make_world(f'{config} LSM="lockdown,yama,loadpin,safesetid,integrity"', kernel="5.4.32")
    state = world.state("lsm")
    assert state.effective == ("off",)
    assert [origin.text for origin in state.origins] == [
        "# CONFIG_SECURITY_APPARMOR is not set",
        'CONFIG_LSM="lockdown,yama,loadpin,safesetid,integrity"',
    ]


SMMU = "IOMMU_SUPPORT=y IOMMU_API=y IOMMU_DMA=y ARM_SMMU_V3=y "


@pytest.mark.parametrize(
    ("lines", "kernel", "origins"),
    [
        # Without the word the line gives the same, and with the line turned the word does.
        (
            SMMU + "IOMMU_DEFAULT_DMA_STRICT=y IOMMU_DEFAULT_DMA_LAZY=n",
            "6.12.0",
            ["iommu.strict=1", "CONFIG_IOMMU_DEFAULT_DMA_STRICT=y"],
        ),
        # Where there is but passthrough to be compiled in, only its word is needed beside it.
        (
            SMMU + "IOMMU_DEFAULT_PASSTHROUGH=n",
            "5.4.0",
            ["iommu.passthrough=0", "# CONFIG_IOMMU_DEFAULT_PASSTHROUGH is not set"],
        ),
    ],
)  # fmt: skip
def test_words_beside_a_line_are_named_as_far_as_they_are_needed(
    make_world, lines, kernel, origins
):
    words = "iommu.passthrough=0 iommu.strict=1"
    world = make_world(lines, cmdline=words, kernel=kernel, arch="arm64")
    assert world.state("iommu-default-domain").effective == ("strict",)
    assert because(world, "iommu-default-domain") == origins
