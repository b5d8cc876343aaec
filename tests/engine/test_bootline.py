"""The command line as the kernel reads it: what each word comes to, and what is told of it.

Every fact about Linux 6.1 or 6.12 here was read in its source; tests/boot shows many on a booted
kernel.
"""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose
from advisor.model.cmdline import parse_cmdline

# 7.0 has these two models only for architectures without the lazy one.
LINUX_7 = {
    "kernel": "7.0.0",
    "config": {
        "PREEMPT_NONE": None, "PREEMPT_VOLUNTARY": None, "PREEMPT_LAZY": "y",
        "ARCH_HAS_PREEMPT_LAZY": "y",
    },
}  # fmt: skip


@pytest.fixture
def state(world_of):
    def effective(line, tunable, **more):
        return world_of(line, **more).state(tunable).effective

    return effective


# --- names and values: what equals what -----------------------------------------------------------


@pytest.mark.parametrize("line", ["rcu-nocbs=2-7", "rcu_nocbs=2-7"])
def test_dashes_and_underscores_are_the_same_in_names(state, told, line):
    assert state(line, "rcu-offload") == ("listed",)
    assert told(line) == []


def test_values_are_compared_with_their_case(state, told):
    assert state("preempt=full", "preemption-model") == ("full",)
    assert state("preempt=Full", "preemption-model") == ("voluntary",)
    assert told("preempt=Full") == [("parameter-value-refused", 1)]


def test_of_the_words_for_cpus_only_all_may_be_written_large(state):
    assert state("rcu_nocbs=ALL", "rcu-offload", cpus=8) == ("listed",)
    assert state("rcu_nocbs=all", "rcu-offload", cpus=8) == ("all",)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("intel_iommu=pt", "did you mean iommu=pt?"),
        ("amd_iommu=pt", "did you mean iommu=pt?"),
        ("intel_iommu=perhaps", "remove the parameter"),
        ("transparent_hugepage=nevr", "did you mean transparent_hugepage=never?"),
        ("amd_iommu=fullflsh", "did you mean amd_iommu=fullflush?"),
        ("quiet", None),
    ],
)
def test_a_value_of_the_general_parameter_is_known_as_that(world_of, line, remedy):
    found = diagnose(world_of(line))
    refused = [one.remedy for one in found if one.id == "parameter-value-refused"]
    assert refused == ([] if remedy is None else [remedy])


def test_what_stands_behind_two_dashes_is_for_init(state, told):
    line = "quiet -- preempt=full single"
    assert state(line, "preemption-model") == ("voluntary",)
    assert told(line) == [("parameter-for-init", 10)]


def test_a_quoted_word_is_one_word(told):
    assert told('dyndbg="file drivers/usb/* +p; module nohz_full=99 +p" quiet', cpus=8) == []
    assert told('quiet "nohz_full=2-99" ro', cpus=8) == [("cpulist-beyond", 7)]


# --- values and features that this kernel does not have ------------------------------------------


@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("idle=mwait", {}),
        ("preempt=lazy", {}),
        ("preempt=none", LINUX_7),
        ("preempt=voluntary", LINUX_7),
        ("amd_pstate=active", {"kernel": "6.1.0", "vendor": "amd"}),
        ("amd_pstate=guided", {"kernel": "6.3.0", "vendor": "amd"}),
        ("numa_balancing=0", {}),
        ("numa_balancing=off", {}),
        ("amd_iommu=on", {}),
        ("intel_pstate=none", {"vendor": "intel"}),
        ("transparent_hugepage=0", {}),
    ],
)
def test_values_that_are_refused(told, word, more):
    assert told(word, **more) == [("parameter-value-refused", 1)]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("printk.time=maybe", "parameter-value-refused"),
        ("printk.time=Off", None),
        ("printk.time=tomorrow", None),  # by its first letter
        ("panic=many", "parameter-value-refused"),
        ("panic=-1", None),
        ("threadirqs=0", None),  # still means it
    ],
)
def test_values_of_other_types(told, word, expected):
    assert told(word) == ([(expected, 1)] if expected else [])


@pytest.mark.parametrize(
    ("word", "more", "expected"),
    [
        ("nohz_full=2-7", {"config": {"NO_HZ_FULL": "n"}}, "parameter-not-built"),
        ("preempt=full", {"config": {"PREEMPT_DYNAMIC": "n"}}, "parameter-not-built"),
        ("rcu_nocbs=2-7", {"config": {"RCU_NOCB_CPU": "n"}}, "parameter-not-built"),
        ("numa_balancing=enable", {"config": {"NUMA_BALANCING": "n"}}, "parameter-not-built"),
        ("numa_balancing=disable", {"config": {"NUMA_BALANCING": "n"}}, "parameter-redundant"),
        ("intel_pstate=passive", {"arch": "arm64"}, "parameter-wrong-arch"),
        ("idle=poll", {"arch": "arm64"}, "parameter-wrong-arch"),
        ("nohz_full=1", {"arch": "s390", "config": {"NO_HZ_FULL": "n"}}, "parameter-wrong-arch"),
        ("nohz_full=1", {"arch": "arm64", "config": {"NO_HZ_FULL": "n"}}, "parameter-not-built"),
    ],
)
def test_words_without_their_feature(told, word, more, expected):
    assert told(word, **more) == [(expected, 1)]


@pytest.mark.parametrize(
    ("word", "remedy"),
    [
        # Advice is repeated on another architecture only if it speaks of that architecture.
        ("amd_iommu=on", "remove the parameter"),
        ("spectre_v2=auto", "remove the parameter"),
        ("nosmep", "remove the parameter"),
        ("pti=off", "remove the parameter, or write auto; on arm64, write kpti=1 or kpti=0"),
        ("earlyprintk=ttyS0", "on arm64 and riscv, write earlycon"),
    ],
)
def test_advice_for_other_architectures_is_left_out(world_of, word, remedy):
    (found,) = diagnose(world_of(word, arch="arm64"))
    assert (found.id, found.remedy) == ("parameter-wrong-arch", remedy)


@pytest.mark.parametrize(
    ("arch", "path"),
    [("x86", "arch/x86/mm/numa.c"), ("arm64", "drivers/base/arch_numa.c")],
)
def test_the_source_is_one_of_this_architecture(world_of, arch, path):
    (found,) = diagnose(world_of("numa=fake=8", arch=arch, config={"NUMA": "n"}))
    assert f"/{path}?" in found.source


def test_the_source_of_a_foreign_word_is_the_code_that_reads_it(world_of):
    (found,) = diagnose(world_of("idle=poll", arch="riscv"))
    assert "/arch/x86/kernel/process.c?" in found.source


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, "parameter-redundant"),
        ({"BPF_SYSCALL": "y"}, "parameter-caution"),
        ({"ERRATA_THEAD_GHOSTWRITE": "y"}, None),
    ],
)
def test_mitigations_of_riscv_are_one_and_the_verifiers(world_of, config, expected):
    world = world_of("mitigations=off", arch="riscv", kernel="7.1.5", config=config)
    assert [one.id for one in diagnose(world)] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("kernel", "config", "reason"),
    [
        ("5.10.89", {"BPF_SYSCALL": "n"}, "BPF_SYSCALL is on and the kernel is 6.7 or newer"),
        ("5.10.89", {"BPF_SYSCALL": "y"}, "has an effect only if the kernel is 6.7 or newer"),
        ("6.12.17", {"BPF_SYSCALL": "n"}, "needs BPF_SYSCALL;"),
    ],
)
def test_a_need_of_newer_kernels_names_the_release(world_of, kernel, config, reason):
    """No kernel for arm before 6.7 asks for the word, with the option or without."""
    (found,) = diagnose(world_of("mitigations=off", arch="arm", kernel=kernel, config=config))
    assert reason in found.message


@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("pci=off", {"PCI": "n"}),
        ("nohz=off", {"NO_HZ_COMMON": "n"}),
        ("nohz=0", {"NO_HZ_COMMON": "n"}),
        ("nomodule", {"MODULES": "n"}),
        ("intel_pstate=disable", {"X86_INTEL_PSTATE": "n"}),
        ("noresume", {"HIBERNATION": "n"}),
        ("psi=0", {"PSI": "n"}),
    ],
)
def test_what_is_not_built_needs_no_word_against_it(world_of, word, more):
    (found,) = diagnose(world_of(word, config=more))
    assert (found.id, found.severity.value) == ("parameter-redundant", "note")
    assert found.message.endswith("; this kernel does not have what the parameter disables")


@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("nohz=on", {"NO_HZ_COMMON": "n"}),
        ("nomodule=0", {"MODULES": "n"}),
        ("pci=nomsi", {"PCI": "n"}),
        ("psi=1", {"PSI": "n"}),
    ],
)
def test_a_word_that_asks_for_what_is_not_built_is_an_error(told, word, more):
    assert told(word, config=more) == [("parameter-not-built", 1)]


def test_a_name_that_begins_with_no_may_ask_for_more(told):
    # Idle CPUs spin with it, which needs code of its own.
    config = {"GENERIC_IDLE_POLL_SETUP": "n"}
    assert told("nohlt", config=config, arch="arm") == [("parameter-not-built", 1)]


@pytest.mark.parametrize(
    ("word", "more", "lacking"),
    [
        ("isolcpus=1", {"SMP": "y", "CPU_ISOLATION": "n"}, "needs CPU_ISOLATION"),
        ("rcutree.enable_rcu_lazy=1", {"RCU_LAZY": "n"}, "needs RCU_LAZY"),
    ],
)
def test_of_what_a_word_needs_only_that_is_told_which_is_not_there(world_of, word, more, lacking):
    (found,) = diagnose(world_of(word, config=more))
    assert found.message == f"{word}: {lacking}; the kernel ignores the parameter"


@pytest.mark.parametrize(
    "word", ["scsi_mod.scan=async", "kvm_amd.nested=0", "cpuidle_haltpoll.force=1"]
)
def test_parameters_of_modules_hold_for_built_in_ones_and_loaded_ones(told, word):
    for built in "ym":
        options = {"SCSI": built, "KVM": built, "KVM_AMD": built, "HALTPOLL_CPUIDLE": built}
        assert told(word, config=options, virtual="guest") == []


# --- what other words or the build make of a word -----------------------------------------------


@pytest.mark.parametrize(
    ("line", "more", "expected"),
    [
        ("nohz=off nohz_full=2-7", {}, [("parameter-void", 10)]),
        ("idle=poll intel_idle.max_cstate=1", {}, [("parameter-redundant", 11)]),
        ("idle=poll processor.max_cstate=1", {}, [("parameter-redundant", 11)]),
        ("idle=halt cpuidle.governor=menu", {}, [("parameter-void", 11)]),
        ("idle=nomwait intel_idle.max_cstate=1", {}, [("parameter-void", 14)]),
        ("threadirqs", {"config": {"PREEMPT_RT": "y"}}, [("parameter-redundant", 1)]),
        ("rcutree.use_softirq=0", {"config": {"PREEMPT_RT": "y"}}, [("parameter-redundant", 1)]),
        (
            "rcupdate.rcu_normal_after_boot=1",
            {"config": {"PREEMPT_RT": "y"}},
            [("parameter-redundant", 1)],
        ),
        ("nohz_full=2-7 rcu_nocbs=2-7", {}, [("parameter-redundant", 15)]),
        # Of all CPUs the kernel keeps the one that it boots on out of nohz_full=.
        (
            "nohz_full=0-7 rcu_nocbs=1-7",
            {"cpus": 8},
            [("cpulist-all", 1), ("parameter-redundant", 15)],
        ),
        ("nohz_full=0-7 rcu_nocbs=0-7", {"cpus": 8}, [("cpulist-all", 1)]),
        ("nohz_full=2-7 rcu_nocbs=2-3", {}, [("parameter-redundant", 15)]),
        ("nohz_full=2-7 rcu_nocbs=1-7", {}, []),
        ("pcie_aspm=off", {}, [("parameter-caution", 1)]),
        ("pcie_aspm=force", {}, [("parameter-caution", 1)]),
        ("processor.max_cstate=0", {}, [("parameter-caution", 1)]),
        ("intel_idle.max_cstate=0", {}, [("parameter-caution", 1)]),
    ],
)
def test_words_that_come_to_something_else(told, line, more, expected):
    assert told(line, **more) == expected


# --- duplicates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "tunable", "effective", "column"),
    [
        ("transparent_hugepage=madvise transparent_hugepage=never", "transparent-hugepages",
         "never", 1),
        ("preempt=none preempt=full", "preemption-model", "full", 1),
        ("nohz_full=2-5 nohz_full=2-7", "nohz-full-cpus", "2-5", 15),
        ("hugepages=4 hugepages=8", "hugetlb-pages", "4", 13),
        ("hugepagesz=2M hugepages=4 hugepagesz=1G hugepages=2 hugepagesz=2048K hugepages=8",
         "hugetlb-pages", "4 of 2 MiB, 2 of 1 GiB", 70),
        ("default_hugepagesz=1G hugepages=4 hugepagesz=1G hugepages=8", "hugetlb-pages", "4", 49),
        ("intel_idle.max_cstate=9 intel_idle.max_cstate=1 processor.max_cstate=1", "cstate-limit",
         "c1", 1),
    ],
)  # fmt: skip
def test_which_of_two_counts(told, state, line, tunable, effective, column):
    assert state(line, tunable) == (effective,)
    assert told(line) == [("parameter-duplicate", column)]


@pytest.mark.parametrize(
    "line",
    [
        "console=tty0 console=ttyS0,115200",
        "hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=512",
        "cgroup_disable=memory cgroup_disable=pressure",
        "sysctl.net.bridge.bridge-nf-call-iptables=1 quiet",
        "isolcpus=managed_irq,2-7 isolcpus=domain,2-7",
        "nohz_full=2-7 nohz_full=2-7",
    ],
)
def test_words_that_are_right(told, line):
    assert told(line) == []


def test_a_refused_word_does_not_take_the_place_of_an_accepted_one(state):
    assert state("preempt=full preempt=Lazy", "preemption-model") == ("full",)


# --- the built-in line, and how long a line may be ----------------------------------------------


@pytest.mark.parametrize(
    ("arch", "config", "boot", "effective"),
    [
        ("x86", {"CMDLINE_BOOL": "y"}, "preempt=none", "none"),
        ("x86", {"CMDLINE_BOOL": "y"}, "quiet", "full"),
        ("x86", {"CMDLINE_BOOL": "y", "CMDLINE_OVERRIDE": "y"}, "preempt=none", "full"),
        ("x86", {}, "quiet", "voluntary"),
        ("arm64", {"CMDLINE_FROM_BOOTLOADER": "y"}, "quiet", "voluntary"),
        ("arm64", {"CMDLINE_FROM_BOOTLOADER": "y"}, "", "full"),
        ("arm64", {"CMDLINE_FORCE": "y"}, "preempt=none", "full"),
        ("arm64", {"CMDLINE_EXTEND": "y"}, "preempt=none", "full"),
        ("mips", {"CMDLINE_BOOL": "y"}, "preempt=none", "full"),
        ("mips", {"CMDLINE_BOOL": "y", "MIPS_CMDLINE_BUILTIN_EXTEND": "y"}, "preempt=none", "none"),
        ("sh", {"CMDLINE_OVERWRITE": "y"}, "preempt=none", "full"),
    ],
)
def test_how_the_built_in_line_and_the_boot_line_combine(state, arch, config, boot, effective):
    config = {**config, "CMDLINE": '"preempt=full"'}
    assert state(boot, "preemption-model", arch=arch, config=config) == (effective,)


def test_behind_dashes_of_the_built_in_line_everything_is_for_init(state):
    config = {"CMDLINE_BOOL": "y", "CMDLINE": '"--_single"'}
    assert state("preempt=full", "preemption-model", config=config) == ("full",)


@pytest.mark.parametrize(
    ("arch", "kernel", "room"),
    [
        ("x86", "6.12.0", 2047),
        ("arm64", "6.12.0", 2047),
        ("arm", "6.12.0", 1023),
        ("riscv", "6.12.0", 1023),
        ("riscv", "7.1.0", 2047),
        ("s390", "6.12.0", 4095),
    ],
)
def test_a_line_that_is_too_long(told, state, arch, kernel, room):
    word = "preempt=full"
    fits = "x" * (room - len(word) - 1) + " " + word
    assert "line-too-long" not in [name for name, _ in told(fits, arch=arch, kernel=kernel)]
    assert state(fits, "preemption-model", arch=arch, kernel=kernel) == ("full",)
    column = len(fits) - len(word) + 2
    assert ("line-too-long", column) in told("x" + fits, arch=arch, kernel=kernel)
    assert state("x" + fits, "preemption-model", arch=arch, kernel=kernel) == ("voluntary",)


def test_bytes_are_counted_and_not_characters(told):
    line = "x=" + "\u00e4" * 1020 + " quiet"  # 2 + 2040 + 6
    assert ("line-too-long", 1024) in told(line)
    assert ("line-too-long", 1023) not in told(line[1:])


def test_the_built_in_line_takes_its_room(told):
    config = {"CMDLINE_BOOL": "y", "CMDLINE": '"' + "y" * 2001 + '"'}
    line = "z" * 40 + " quiet"
    assert ("line-too-long", 42) in told(line, config=config)


@pytest.mark.parametrize(
    ("before", "form", "room", "config"),
    [
        ("", "zzqx{}=1", 31, {}),
        ("", "zzqx{}", 32, {}),
        ("-- ", "zzqx{}=1", 32, {}),
        ("", "zzqx{}=1", 127, {"INIT_ENV_ARG_LIMIT": "128"}),
    ],
)
def test_more_words_than_init_has_room_for(told, before, form, room, config):
    words = [form.format(chr(97 + number // 26) + chr(97 + number % 26)) for number in range(200)]
    known = "quiet ro root=/dev/vda1 preempt=full i915.enable_guc=3 BOOT_IMAGE=/boot/vmlinuz "
    fits = known + before + " ".join(words[:room])
    assert "line-overflows-init" not in [name for name, _ in told(fits, config=config)]
    over = f"{fits} {words[room]} quiet"
    column = over.index(words[room]) + 1
    assert ("line-overflows-init", column) in told(over, config=config)


def test_a_variable_given_twice_takes_one_place(told):
    words = [f"zzqx{chr(97 + number)}=1" for number in range(26)]
    assert "line-overflows-init" not in [name for name, _ in told(" ".join(words * 3))]


@pytest.mark.parametrize("size", ["1024", "65536"])
def test_a_room_that_the_configuration_sets(told, size):
    config = {"COMMAND_LINE_SIZE": size}
    line = "x" * 2000
    assert (("line-too-long", 1) in told(line, arch="s390", config=config)) is (size == "1024")


@pytest.mark.slow
def test_a_very_long_line_is_read(told):
    line = " ".join(f"word{n}=1" for n in range(100_000))
    assert len(line) > 1 << 20
    assert "line-too-long" in [name for name, _ in told(line)]


@pytest.mark.parametrize(
    "text", ["", " ", "\t\n", "--", "-- --", "=", "==", '"', '""', "\0", "\u00e9"]
)
def test_odd_lines_are_read(told, text):
    told(text)
    parse_cmdline(text)


# --- settings of the run-time layer -------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sysctl", "kernel", "effective"),
    [
        ("sysctl.vm.swappiness=10", "", "6.12.0", "10"),
        ("sysctl.vm/swappiness=10", "", "6.12.0", "10"),
        ("sysctl.vm.swappiness=10", "vm.swappiness = 30", "6.12.0", "30"),
        ("quiet", "vm.swappiness = 30", "6.12.0", "30"),
        ("sysctl.vm.swappiness=10", "", "5.4.0", "60"),
        ("-- sysctl.vm.swappiness=10", "", "6.12.0", "60"),
    ],
)
def test_sysctls_on_the_boot_line_count_as_run_time(state, line, sysctl, kernel, effective):
    config = {"PROC_SYSCTL": "y", "SWAP": "y"}
    found = state(line, "swappiness", config=config, sysctl=sysctl, kernel=kernel)
    assert found in ((effective,), () if effective == "60" else None)


BUILT_IN_OFF = 'X86=y CPU_MITIGATIONS=y CMDLINE_BOOL=y CMDLINE="mitigations=off"'


def test_a_word_that_takes_back_a_built_in_one_is_not_redundant_and_no_duplicate(make_world):
    world = make_world(BUILT_IN_OFF, cmdline="mitigations=auto", kernel="6.12.0", arch="x86")
    found = {one.id for one in diagnose(world)}
    assert found.isdisjoint({"parameter-redundant", "parameter-duplicate"})
    world = make_world("X86=y CPU_MITIGATIONS=y", cmdline="mitigations=auto", kernel="6.12.0")
    assert "parameter-redundant" in {one.id for one in diagnose(world)}


@pytest.mark.parametrize(
    ("config", "word", "remedy"),
    [
        ("EXPERT=y PSI=n", "psi=1", "build a kernel with PSI=y, or remove the parameter"),
        ("TREE_RCU=y RCU_EXPERT=n RCU_NOCB_CPU=n", "rcu_nocbs=1-3",
         "build a kernel with RCU_EXPERT=y, RCU_NOCB_CPU=y, or remove the parameter"),
        # Nobody can ask for a symbol without a prompt.
        ("SMP=y", "swiotlb=force",
         "remove the parameter: no menu option of this kernel enables what the parameter needs"),
        # No line of a whole configuration shows what else it takes.
        ("SMP=y", "psi=1", "build a kernel with PSI, or remove the parameter"),
        # No kernel takes this value.
        ("SMP=y NUMA=y NUMA_BALANCING=n", "numa_balancing=0", "remove the parameter"),
    ],
)  # fmt: skip
def test_what_is_not_built_can_be_built_or_the_word_removed(make_world, config, word, remedy):
    world = make_world(config, cmdline=word, kernel="6.12.0")
    (found,) = [d for d in diagnose(world) if d.id == "parameter-not-built"]
    assert found.remedy == remedy


def test_a_word_that_forbids_what_is_not_built_adds_nothing(make_world):
    world = make_world("SMP=y", cmdline="swiotlb=noforce", kernel="6.12.0")
    (found,) = diagnose(world)
    assert (found.id, found.remedy) == (
        "parameter-redundant",
        "remove the parameter, unless another kernel with this boot line reads it",
    )


V1 = "systemd.unified_cgroup_hierarchy=0"


@pytest.mark.parametrize(
    ("line", "config", "told"),
    [
        (V1, "MEMCG=y MEMCG_V1=n CPUSETS=y CPUSETS_V1=n", 3),
        (V1, "MEMCG=y MEMCG_V1=y CPUSETS=y CPUSETS_V1=n", 2),
        (
            f"{V1} SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1",
            "MEMCG=y MEMCG_V1=y CPUSETS=y CPUSETS_V1=y",
            0,
        ),
        ("systemd.unified_cgroup_hierarchy=1", "MEMCG=y MEMCG_V1=n CPUSETS=y CPUSETS_V1=n", 0),
    ],
)
def test_remarks_on_a_word_of_user_space(make_world, line, config, told):
    world = make_world(config, cmdline=line)
    names = [one.id for one in diagnose(world)]
    assert names.count("parameter-caution") == told


def test_a_value_is_refused_whoever_the_machine_is_from(make_world):
    world = make_world("CPU_FREQ=y X86_INTEL_PSTATE=y", cmdline="intel_pstate=foo")
    assert "parameter-value-refused" in [one.id for one in diagnose(world)]


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        (
            "percpu_perf_limits,force",
            "did you mean intel_pstate=per_cpu_perf_limits intel_pstate=force?",
        ),
        ("no_hwp,passive", "did you mean intel_pstate=no_hwp intel_pstate=passive?"),
        ("no_hwp,perhaps", "remove the parameter"),
        ("forse", "did you mean intel_pstate=force?"),
    ],
)
def test_values_that_need_a_word_each_are_not_joined(make_world, value, remedy):
    """intel_pstate_setup() compares the whole value, and is called for each word."""
    line = f"intel_pstate={value}"
    world = make_world("CPU_FREQ=y X86_INTEL_PSTATE=y", cmdline=line, vendor="intel")
    (found,) = diagnose(world)
    assert (found.id, found.remedy) == ("parameter-value-refused", remedy)


@pytest.mark.parametrize(("kernel", "logged"), [("5.10.0", False), ("5.15.0", True)])
def test_the_message_is_of_kernels_that_have_it(make_world, kernel, logged):
    config = "IOMMU_SUPPORT=y INTEL_IOMMU=y"
    (found,) = diagnose(make_world(config, cmdline="intel_iommu=foo", kernel=kernel))
    assert ("the kernel logs" in found.message) is logged
