"""What files below /sys show of a tunable."""

from __future__ import annotations

import time

import pytest

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.run_time import Files
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge_advice
from advisor.engine.remedy.remedies import refusals, runtime_remedy
from advisor.model.finding import Verdict
from advisor.model.kernel import Layer, Location
from advisor.model.profile import Stance

from ..cases import each

MEMORY = """
64BIT=y LRU_GEN=y LRU_GEN_ENABLED=n HAVE_ARCH_TRANSPARENT_HUGEPAGE=y TRANSPARENT_HUGEPAGE=y
TRANSPARENT_HUGEPAGE_ALWAYS=y TRANSPARENT_HUGEPAGE_MADVISE=n
"""
GOVERNORS = (
    "CPU_FREQ=y X86_ACPI_CPUFREQ=y CPU_FREQ_GOV_PERFORMANCE=y CPU_FREQ_DEFAULT_GOV_SCHEDUTIL=y"
)
POLICY = "/sys/devices/system/cpu/cpufreq/policy{}/scaling_governor = {}\n"
PREEMPT = "/sys/kernel/debug/sched/preempt"
THP = "/sys/kernel/mm/transparent_hugepage/enabled"
LRU = "/sys/kernel/mm/lru_gen/enabled"


def finding(world, profile, advice):
    (found,) = (a for a in world.knowledge.profile(profile).advice if a.id == advice)
    return judge_advice(found, world)


def policies(*governors):
    return "".join(POLICY.format(number, name) for number, name in enumerate(governors))


def test_what_runs_wins_over_what_was_compiled(make_world):
    """A Debian 6.1 whose administrator had switched both already: nothing is left to do."""
    running = f"{LRU} = 0x0007\n{THP} = always madvise [never]\n"
    before = make_world(MEMORY, kernel="6.1.0")
    after = make_world(MEMORY, kernel="6.1.0", runtime=running)
    name = "multigen-lru"
    assert finding(before, "desktop-latency", name).verdict is Verdict.CHANGE
    assert finding(after, "desktop-latency", name).verdict is Verdict.OK
    pages = after.state("transparent-hugepages")
    assert (pages.compiled, pages.runtime, pages.effective) == (("always",), ("never",), ("never",))
    (origin,) = pages.origins
    assert origin[:3] == (Layer.RUNTIME, f"{THP}=always madvise [never]", Location("running", 2))


@each(
    ("tunable", "config", "running", "values"),
    [
        ("transparent-hugepages", MEMORY, f"{THP} = always [madvise] never", ["madvise"]),
        ("transparent-hugepages", MEMORY, f"{THP} = madvise", ["madvise"]),
        ("transparent-hugepages", MEMORY, f"{THP} = sometimes", ["other (sometimes)"]),
        ("multigen-lru", MEMORY, f"{LRU} = 0x0000", ["built"]),
        ("multigen-lru", MEMORY, f"{LRU} = 0x0006", ["built"]),
        ("multigen-lru", MEMORY, f"{LRU} = 0x0001", ["on"]),
        ("multigen-lru", MEMORY, f"{LRU} = y", ["on"]),
        ("multigen-lru", MEMORY, f"{THP} = never", ["built"]),
        ("zswap", "ZSWAP=y", "/sys/module/zswap/parameters/enabled = Y", ["on"]),
        ("zswap", "ZSWAP=y", "/sys/module/zswap/parameters/enabled = 1", ["on"]),
        ("zswap", "ZSWAP=y", "/sys/module/zswap/parameters/enabled = n", ["built"]),
        ("kfence", "KFENCE=y", "/sys/module/kfence/parameters/sample_interval = 250", ["on"]),
        ("kfence", "KFENCE=y", "/sys/module/kfence/parameters/sample_interval = 0", ["idle"]),
        ("ksm", "KSM=y", "/sys/kernel/mm/ksm/run = 2", ["built"]),
        (
            "preemption-model",
            "PREEMPT_DYNAMIC=y PREEMPT_VOLUNTARY=y",
            f"{PREEMPT} = none voluntary (full) ",
            ["full"],
        ),
        (
            "clocksource",
            "SMP=y",
            "/sys/devices/system/clocksource/clocksource0/current_clocksource = hpet",
            ["hpet"],
        ),
        (
            "rcu-grace-periods",
            "TREE_RCU=y",
            "/sys/kernel/rcu_expedited = 1",
            ["normal", "expedited"],
        ),
        ("rcu-grace-periods", "TREE_RCU=y", "/sys/kernel/rcu_expedited = 0", ["as-asked"]),
        (
            "rcu-grace-periods",
            "TREE_RCU=y",
            "/sys/kernel/rcu_expedited = 1\n/sys/kernel/rcu_normal = 0",
            ["expedited"],
        ),
        (
            "rcu-grace-periods",
            "TREE_RCU=y",
            "/sys/kernel/rcu_expedited = 1\n/sys/kernel/rcu_normal = 1",
            ["normal"],
        ),
        ("smt", "HOTPLUG_SMT=y", "/sys/devices/system/cpu/smt/control = forceoff", ["off"]),
        (
            "smt",
            "HOTPLUG_SMT=y",
            "/sys/devices/system/cpu/smt/control = notsupported",
            ["on", "off"],
        ),
        ("nx-huge-pages", "KVM=m", "/sys/module/kvm/parameters/nx_huge_pages = never", ["off"]),
        (
            "nx-huge-pages",
            "KVM=m",
            "/sys/module/kvm/parameters/nx_huge_pages = Y",
            ["auto", "force"],
        ),
    ],
)  # fmt: skip
def test_a_file_shows_a_value(make_world, tunable, config, running, values):
    state = make_world(config, runtime=running).state(tunable)
    assert list(state.effective) == values


def test_a_value_that_no_rule_knows_is_not_the_compiled_one(make_world):
    world = make_world(GOVERNORS, runtime=policies("interactive"))
    found = finding(world, "server-throughput", "cpufreq-governor")
    assert (found.verdict, found.now) == (Verdict.UNKNOWN, "other (interactive)")
    assert found.reason == "the rules do not describe the value interactive"


def test_one_text_means_what_can_be_had_here(make_world):
    """`powersave` is the driver's own algorithm where the driver is in its active mode."""
    config = f"{GOVERNORS} CPU_FREQ_GOV_POWERSAVE=y X86_INTEL_PSTATE=y"
    told = {
        line: make_world(config, cmdline=line, vendor="intel", runtime=policies("powersave"))
        for line in ("intel_pstate=active", "intel_pstate=passive", "")
    }
    values = [world.state("cpufreq-governor").effective for world in told.values()]
    # Without a word it rests on the processor, which the name of the driver would tell.
    assert values == [("driver",), ("powersave",), ("powersave-or-driver",)]
    unknown = make_world(config, runtime=policies("powersave")).state("cpufreq-governor")
    assert unknown.effective == ("powersave", "powersave-or-driver")
    assert unknown.missing == {"vendor"}


def test_what_a_file_shows_is_not_taken_for_something_else(make_world):
    """A group that was made lazy is, though the boot line asked for strict ones."""
    config = "IOMMU_API=y IOMMU_SUPPORT=y IOMMU_DMA=y INTEL_IOMMU=y IOMMU_DEFAULT_DMA_LAZY=y"
    line = "iommu.strict=1"
    group = "/sys/kernel/iommu_groups/{}/type = {}\n"
    world = make_world(config, cmdline=line)
    assert world.state("iommu-default-domain").effective == ("strict",)
    running = group.format(0, "DMA-FQ") + group.format(1, "DMA-FQ")
    lazy = make_world(config, cmdline=line, runtime=running).state("iommu-default-domain")
    assert (lazy.effective, lazy.boot) == (("lazy",), ("strict",))


def test_where_policies_differ_all_have_to_be_as_wanted(make_world):
    governors = ["performance"] * 31 + ["powersave"]
    config = f"{GOVERNORS} CPU_FREQ_GOV_POWERSAVE=y X86_ACPI_CPUFREQ=y"
    world = make_world(config, vendor="other", runtime=policies(*governors))
    found = finding(world, "server-throughput", "cpufreq-governor")
    assert found.verdict is Verdict.CHANGE
    assert found.now == "performance on 31 of 32, powersave on 1"
    assert [origin.location.line for origin in found.state.origins] == [1, 32]
    same = make_world(config, vendor="other", runtime=policies(*["performance"] * 32))
    assert finding(same, "server-throughput", "cpufreq-governor").verdict is Verdict.OK
    assert same.state("cpufreq-governor").counts == ()


def test_which_disk_matters_is_not_for_us_to_say(make_world):
    disks = {"sda": "none [mq-deadline]", "nvme0n1": "[none] mq-deadline"}
    running = "".join(f"/sys/block/{disk}/queue/scheduler = {s}\n" for disk, s in disks.items())
    world = make_world("BLOCK=y BLK_DEV=y", runtime=running)
    assert world.state("io-scheduler").counts == (("mq-deadline", 1), ("none", 1))
    advice = [
        (profile, advice.id)
        for profile in world.knowledge.ids("profiles")
        for advice in world.knowledge.profile(profile).advice
        if advice.options[0].tunable == "io-scheduler" and advice.stance is not Stance.NEUTRAL
        if not advice.disks
    ]
    assert advice
    for profile, name in advice:
        assert finding(world, profile, name).verdict is Verdict.OK
    without = make_world("BLOCK=y BLK_DEV=y", runtime=running.replace("[none]", "[bfq]"))
    told = {(f.verdict, f.reason) for f in (finding(without, *one) for one in advice)}
    assert told == {(Verdict.UNKNOWN, "they differ")}


def test_disks_are_told_by_their_kinds(make_world):
    disks = {
        **{f"nvme{number}n1": ("[none] mq-deadline", "0") for number in range(3)},
        "nvme3n1": ("none [bfq]", "0"),
        "sda": ("none [mq-deadline]", "1"),
        "sdb": ("none [mq-deadline]", "1"),
        "sdc": ("[none] mq-deadline", "0"),
        "vda": ("[none]", "1"),
    }
    running = "".join(
        f"/sys/block/{disk}/queue/{name} = {text}\n"
        for disk, texts in disks.items()
        for name, text in zip(("scheduler", "rotational"), texts, strict=True)
    )
    world = make_world("BLOCK=y", runtime=running)
    state = world.state("io-scheduler")
    assert state.describe(world.knowledge.tunable("io-scheduler")) == (
        "none on 3 of 4 NVMe disks, bfq on 1; mq-deadline on 2 rotating disks; "
        "none on 1 solid-state disk; none on 1 virtual disk"
    )
    assert sum(count for _, count in state.counts) == len(disks)


def test_disks_that_agree_are_not_counted(make_world):
    disk = "/sys/block/{}/queue/scheduler = [none]\n"
    state = make_world("BLOCK=y", runtime=disk.format("sda") + disk.format("nvme0n1")).state(
        "io-scheduler"
    )
    assert (state.effective, state.counts) == (("none",), ())


LOCKDOWN = "/sys/kernel/security/lockdown"


@each(
    ("mode", "ways"),
    [
        ("[none] integrity confidentiality", True),
        ("none [integrity] confidentiality", False),
        ("none integrity [confidentiality]", False),
        ("", True),
    ],
)
def test_nothing_of_debugfs_is_written_in_a_kernel_that_is_locked_down(make_world, mode, ways):
    """Secure boot: the file is there, and the kernel refuses whoever writes to it."""
    slice_ = "/sys/kernel/debug/sched/base_slice_ns"
    files = f"{slice_} = 2800000\n" + (f"{LOCKDOWN} = {mode}\n" if mode else "")
    world = make_world("DEBUG_FS=y", runtime=files)
    tunable = world.knowledge.tunable("base-slice")
    assert bool(runtime_remedy(tunable, "3000000", world)) is ways
    assert bool(refusals(tunable, ["3000000"], world)) is not ways
    swap = world.knowledge.tunable("swappiness")
    assert runtime_remedy(swap, "10", world)


def lacking(world, *names, closed=()):
    subject = world.subject._replace(lacking=frozenset(names), closed=frozenset(closed))
    return World(subject, world.knowledge)


POLL = "/sys/module/kvm/parameters/halt_poll_ns"


def test_nothing_is_written_for_a_module_that_is_not_loaded(make_world):
    """Built as a module, and absent: what the boot line gives it counts once it is loaded."""
    world = make_world("KVM=m KVM_INTEL=m", runtime="/sys/module/kvm = (absent)")
    tunable = world.knowledge.tunable("halt-poll")
    assert runtime_remedy(tunable, "0", world)
    world = lacking(world, POLL)
    assert runtime_remedy(tunable, "0", world) is None
    assert refusals(tunable, ["0"], world) == [
        "the module kvm is not loaded: there is no /sys/module/kvm"
    ]


def test_nothing_is_written_to_what_the_running_kernel_has_not(make_world):
    world = lacking(make_world(""), "vm.swappiness")
    tunable = world.knowledge.tunable("swappiness")
    assert runtime_remedy(tunable, "10", world) is None
    assert refusals(tunable, ["10"], world) == ["the running kernel has no vm.swappiness"]


def test_what_could_not_be_read_is_not_taken_for_what_nothing_has(make_world):
    """amd_pstate/status says active; which driver the policies have nobody could read."""
    status = "/sys/devices/system/cpu/amd_pstate/status = active"
    driver = "/sys/devices/system/cpu/cpufreq/policy*/scaling_driver"
    world = make_world("CPU_FREQ=y X86_AMD_PSTATE=y", runtime=status, vendor="amd")
    assert world.files.none_of(driver)
    assert not lacking(world, closed=(driver,)).files.none_of(driver)


@each(
    ("profile", "advice", "kinds", "verdict"),
    [
        ("database", "swappiness", "none", Verdict.NOT_APPLICABLE),
        ("database", "swappiness", "disk", Verdict.CHANGE),
        ("desktop-latency", "swap-read-ahead", "disk", Verdict.NOT_APPLICABLE),
        ("desktop-latency", "swap-read-ahead", "zram", Verdict.CHANGE),
    ],
)
def test_advice_on_swap_is_for_who_swaps(make_world, profile, advice, kinds, verdict):
    settings = "vm.swappiness = 60\nvm.page-cluster = 3"
    config = "SWAP=y BLOCK=y SYSFS=y ZSMALLOC=y ZRAM=m"
    world = make_world(config, runtime=f"/proc/swaps = {kinds}", sysctl=settings)
    assert finding(world, profile, advice).verdict is verdict


def test_what_several_values_show_leaves_it_open(make_world):
    running = "/sys/module/kvm/parameters/nx_huge_pages = N"
    world = make_world("KVM=m KVM_INTEL=m", runtime=running)
    found = finding(world, "virtualization-host", "nx-huge-pages")
    assert found.verdict is Verdict.UNKNOWN
    assert (
        found.reason
        == "the files have different values, for example /sys/module/kvm/parameters/nx_huge_pages=N"
    )


LSM = "/sys/kernel/security/lsm"
CONFINED = "SECURITY=y SECURITY_APPARMOR=y LSM=landlock,lockdown,yama,integrity,apparmor"
DRIVER = "/sys/devices/system/cpu/cpufreq/policy{}/scaling_driver = {}\n"
INTEL = "CPU_FREQ=y X86_INTEL_PSTATE=y X86_ACPI_CPUFREQ=m"


@each(
    ("text", "values"),
    [
        ("lockdown,capability,yama,apparmor", ("on",)),
        ("capability,selinux", ("on",)),
        ("capability,landlock,yama", ("off",)),
        ("", ("other ()",)),
    ],
)
def test_a_list_is_looked_into(make_world, text, values):
    state = make_world(CONFINED, runtime=f"{LSM} = {text}").state("lsm")
    assert (state.compiled, state.effective) == (("on",), values)


@each(
    ("drivers", "status", "values"),
    [
        (["intel_cpufreq", "intel_cpufreq"], "passive", ("intel-pstate-passive",)),
        (["intel_pstate", "intel_pstate"], "active", ("intel-pstate-active",)),
        (["intel_cpufreq"], "", ("intel-pstate-passive",)),
        (["acpi-cpufreq", "acpi-cpufreq"], "off", ("acpi-cpufreq",)),
        ([], "passive", ("intel-pstate-passive",)),
        (["scmi", "scmi"], "", ("other",)),
        (["amd-pstate"], "", ("amd-pstate-passive", "amd-pstate-guided")),
    ],
)
def test_a_file_of_the_machine_counts_for_each_of_its_things(make_world, drivers, status, values):
    running = "".join(DRIVER.format(number, name) for number, name in enumerate(drivers))
    if status:
        running += f"/sys/devices/system/cpu/intel_pstate/status = {status}\n"
    world = make_world(INTEL, arch="x86", vendor="intel", runtime=running)
    state = world.state("cpufreq-driver")
    assert (state.compiled, state.effective) == (("intel-pstate-active",), values)


def test_no_rebuild_is_offered_of_what_is_compiled_as_wanted(make_world):
    world = make_world(CONFINED, runtime=f"{LSM} = lockdown,capability,yama")
    found = finding(world, "virtualization-host", "lsm")
    assert (found.verdict, found.remedies) == (Verdict.BLOCKED, ())
    assert "but the running kernel has another: look in its log" in found.reason


def test_what_a_file_only_shows_is_never_written(make_world):
    shown = "/sys/module/nvme_core/parameters/io_timeout"
    world = make_world("NVME_CORE=m BLK_DEV_NVME=m", runtime=f"{shown} = 30")
    assert world.state("nvme-timeout").runtime == ("30",)
    found = finding(world, "virtualization-guest", "nvme-timeout")
    assert not any(remedy.settings for remedy in found.remedies)


def test_a_reboot_forgets_what_was_written(make_world):
    """A boot remedy is judged without it."""
    world = make_world(f"{GOVERNORS} X86_ACPI_CPUFREQ=y", runtime=policies("powersave"))
    boot = [r for r in finding(world, "server-throughput", "cpufreq-governor").remedies if r.words]
    assert [remedy.words for remedy in boot] == [("cpufreq.default_governor=performance",)]


@each(
    ("pattern", "path", "found"),
    [
        ("/sys/a/policy*/x", "/sys/a/policy31/x", True),
        ("/sys/a/policy*/x", "/sys/a/policy31/b/x", False),
        ("/sys/a/policy*/x", "/sys/a/cpu0/x", False),
        ("/sys/fs/cgroup/GROUP/x", "/sys/fs/cgroup/user.slice/a.scope/x", True),
        ("/sys/fs/cgroup/GROUP/x", "/sys/fs/cgroup/x", False),
        ("/sys/a.b/*/x", "/sys/aXb/1/x", False),
        ("/sys/(a/x", "/sys/(a/x", True),
    ],
)
def test_a_pattern_names_its_instances(pattern, path, found):
    files = Files({path: ("1", Location("running", 1))})
    assert bool(files.instances(pattern)) is found


def test_ten_thousand_processors_are_read_at_once(make_world):
    world = make_world(GOVERNORS, runtime=policies(*["performance", "schedutil"] * 5_000))
    begin = time.process_time()
    state = world.state("cpufreq-governor")
    assert time.process_time() - begin < 2
    assert state.counts == (("performance", 5_000), ("schedutil", 5_000))
    assert len(state.origins) == 2


PSI = "/proc/pressure/cpu"
FLAWS = "/sys/devices/system/cpu/vulnerabilities/{} = {}\n"
GUARDED = "CPU_MITIGATIONS=y MITIGATION_MDS=y MITIGATION_SPECTRE_V2=y MITIGATION_SSB=y"


def test_a_file_being_there_confirms_what_made_it_so(make_world):
    """The lines decide, and the file is no cause of it."""
    config = "PSI=y PSI_DEFAULT_DISABLED=y"
    state = make_world(config, cmdline="psi=1", runtime=f"{PSI} = (present)").state("psi")
    assert (state.effective, state.runtime) == (("on",), ("on", "machine"))
    assert [origin.text for origin in state.origins] == ["psi=1"]


def test_a_file_being_there_does_not_show_that_the_kernel_opens_it(make_world):
    config, core = "PROC_KCORE=y SECURITY_LOCKDOWN_LSM=y", "/proc/kcore = (present)"
    for line, value in (("lockdown=confidentiality", "off"), ("lockdown=integrity", "on")):
        world = make_world(config, cmdline=line, runtime=core)
        assert world.state("kernel-memory-file").effective == (value,)


def test_a_file_being_there_or_not_tells_where_the_lines_do_not(make_world):
    for text, values in (("(present)", {"on"}), ("(absent)", {"built", "off"})):
        world = make_world("64BIT=y", complete=False, runtime=f"{PSI} = {text}")
        state = world.state("psi")
        assert set(state.effective) & {"on", "built", "off"} == values


def test_a_file_that_lacks_wins_over_lines_that_say_otherwise(make_world):
    """Another configuration than the running kernel's was read."""
    lru = make_world(MEMORY, runtime=f"{LRU} = (absent)").state("multigen-lru")
    assert lru.effective == ("off",)
    assert [origin.text for origin in lru.origins] == [f"lack of {LRU}"]


@pytest.mark.parametrize("told", ["(absent)", "(present)"])
def test_a_file_being_there_or_not_is_no_value_of_who_did_not_ask(make_world, told):
    """preempt-dynamic asks for the file of which preemption-model names what it holds."""
    path = "/sys/kernel/debug/sched/preempt"
    world = make_world("PREEMPT_VOLUNTARY=y", runtime=f"{path} = {told}")
    state = world.state("preemption-model")
    assert told not in state.effective
    assert state.runtime == ()
    assert [origin.text for origin in state.origins] == ["CONFIG_PREEMPT_VOLUNTARY=y"]


def test_no_word_counts_against_a_flaw_that_the_processor_does_not_have(make_world):
    told = FLAWS.format("mds", "Not affected") + FLAWS.format("spectre_v2", "Vulnerable")
    world = make_world(GUARDED, cmdline="mds=off spectre_v2=off", runtime=told)
    state = world.state("single-mitigations")
    assert [symbol for symbol, _ in state.off] == ["MITIGATION_SPECTRE_V2"]
    assert "MITIGATION_MDS" not in dict(state.on)
    assert finding(world, "database", "single-mitigations").remedies[0].drop == ("spectre_v2=off",)


def test_mitigations_may_be_off_where_there_is_no_flaw(make_world):
    told = FLAWS.format("mds", "Not affected") + FLAWS.format("spectre_v2", "Not affected")
    world = make_world(GUARDED, cmdline="mitigations=off", runtime=told)
    assert finding(world, "database", "cpu-mitigations").verdict is Verdict.OK
    told = FLAWS.format("mds", "Not affected") + FLAWS.format("spectre_v2", "Vulnerable")
    found = finding(make_world(GUARDED, cmdline="mitigations=off", runtime=told),
                    "database", "cpu-mitigations")  # fmt: skip
    assert found.verdict is Verdict.CHANGE
    assert found.remedies[0].drop == ("mitigations=off",)


@each(
    ("line", "told", "names"),
    [
        ("", "Vulnerable: No microcode", "mds"),
        ("", "Mitigation: Clear CPU buffers; SMT vulnerable", ""),
        ("", "Not affected", ""),
        ("mds=off", "Vulnerable; SMT vulnerable", ""),  # a finding of its own
        ("mitigations=off", "Vulnerable; SMT vulnerable", ""),
    ],
)
def test_what_is_open_though_nothing_left_it_so_is_told(make_world, line, told, names):
    world = make_world(GUARDED, cmdline=line, runtime=FLAWS.format("mds", told))
    found = [one for one in diagnose(world) if one.id == "flaw-left-open"]
    assert [one.subject for one in found] == [names] * bool(names)


@each(
    ("tunable", "value", "runtime", "offered"),
    [
        ("transparent-hugepages", "never", "enabled = always [madvise] never", True),
        ("transparent-hugepages", "never", "enabled = madvise", False),
        ("transparent-hugepages", "never", "", False),
        ("io-scheduler", "bfq", "sda/queue/scheduler = none [mq-deadline] bfq", True),
        ("io-scheduler", "bfq", "sda/queue/scheduler = none [mq-deadline]", False),
    ],
)
def test_a_file_that_lists_a_value_takes_it(make_world, built_in, tunable, value, runtime, offered):
    folder = {"e": "/sys/kernel/mm/transparent_hugepage/", "s": "/sys/block/"}
    path = f"{folder[runtime[0]]}{runtime}" if runtime else ""
    world = make_world("", complete=False, runtime=path)
    assert (runtime_remedy(built_in.tunable(tunable), value, world) is not None) is offered


def test_what_is_written_has_to_mean_it_in_a_release_that_was_not_told(make_world):
    """`powersave` is an algorithm of intel_pstate's before 5.8, whatever the processor."""
    config = """CPU_FREQ=y SMP=y CPU_FREQ_DEFAULT_GOV_PERFORMANCE=y CPU_FREQ_GOV_PERFORMANCE=y
        CPU_FREQ_GOV_SCHEDUTIL=y X86_INTEL_PSTATE=y"""
    written = {}
    for kernel in ("5.4.100", None):
        world = make_world(config, kernel=kernel, vendor="intel")
        found = finding(world, "desktop-latency", "cpufreq-governor")
        written[kernel] = [s.value for one in found.remedies for s in one.settings]
    assert written == {"5.4.100": ["powersave"], None: []}


@each(
    ("tunable", "config", "setting", "value"),
    [
        # 1 is what a kernel without heap randomization starts with.
        ("heap-randomization", "COMPAT_BRK=n", "kernel.randomize_va_space = 1", "off"),
        ("heap-randomization", "COMPAT_BRK=y", "kernel.randomize_va_space = 3", "on"),
        ("tcp-syn-cookies", "NET=y INET=y SYN_COOKIES=y", "net.ipv4.tcp_syncookies = 7", "on"),
        ("numa-balancing", "NUMA=y NUMA_BALANCING=y", "kernel.numa_balancing = 4", "other (4)"),
        # What the kernel refuses changes nothing.
        ("kernel-addresses", "PRINTK=y", "kernel.kptr_restrict = 3", "0"),
        ("congestion-control", "INET=y TCP_CONG_CUBIC=y DEFAULT_CUBIC=y TCP_CONG_NV=m",
         "net.ipv4.tcp_congestion_control = nv", "other (nv)"),
    ],
)  # fmt: skip
def test_a_number_that_is_written_is_read_as_the_kernel_reads_it(
    make_world, tunable, config, setting, value
):
    state = make_world(config, sysctl=setting, kernel="6.12.0", nodes=2).state(tunable)
    assert state.effective == (value,)
