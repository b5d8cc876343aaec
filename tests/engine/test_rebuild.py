"""Lines of a rebuild that keep what the owner chose, and have the names of the kernel's time."""

from __future__ import annotations

import pytest

from advisor.engine.judgement.judge import judge
from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.rebuild import rebuild
from advisor.model.finding import Verdict
from advisor.model.remedy import RemedyKind, Role
from advisor.output.phrases import instruction


@pytest.fixture
def changed(make_world):
    """The first remedy of an advice on a whole configuration of these lines: its kind and lines."""

    def of(advice, lines, **told):
        world = make_world(lines, **told)
        findings = judge(world, [world.knowledge.profile(advice.partition("/")[0])])
        (finding,) = (finding for finding in findings if finding.id == advice)
        remedy = finding.remedies[0]
        return remedy, {change.symbol: (change.new, change.role) for change in remedy.changes}

    return of


COMMON = "SYSFS=y MULTIUSER=y NET=y SECURITY=y"


@pytest.mark.parametrize(
    ("owned", "new"),
    [
        ("yama,loadpin,safesetid,integrity", "yama,loadpin,safesetid,integrity,apparmor"),
        ("landlock,mine", "landlock,mine,apparmor"),
        ("landlock,yama,bpf", "landlock,yama,apparmor,bpf"),
    ],
)
def test_the_owners_list_of_security_modules_is_kept(changed, owned, new):
    """Behind bpf /proc/PID/attr/current would answer nothing."""
    lines = f'{COMMON} SECURITY_APPARMOR=n LSM="{owned}"'
    _, lines = changed("virtualization-host/lsm", lines, kernel="6.6.71")
    assert lines["LSM"] == (f'"{new}"', Role.ASKED)
    assert lines["SECURITY_APPARMOR"][0] == "y"


def test_a_module_that_is_built_needs_no_rebuild(changed):
    lines = f'{COMMON} SECURITY_APPARMOR=y SECURITY_YAMA=y LSM="yama,loadpin,integrity"'
    remedy, _ = changed("virtualization-host/lsm", lines, kernel="6.6.18")
    word = "lsm=yama,integrity,apparmor"  # LoadPin is not built
    assert (remedy.kind, remedy.words) == (RemedyKind.BOOT, (word,))


def test_security_is_offered_to_kernels_before_its_successor_alone(changed):
    lines = f"{COMMON} SECURITY_APPARMOR=y DEFAULT_SECURITY_DAC=y"
    remedy, _ = changed("virtualization-host/lsm", lines, kernel="4.19.80")
    assert (remedy.kind, remedy.words) == (RemedyKind.BOOT, ("security=apparmor",))


@pytest.mark.parametrize(
    ("given", "words"), [("lsm=bpf", ()), ("lsm=bpf,loadpin", ("lsm=selinux,bpf,loadpin",))]
)
def test_a_list_goes_where_the_compiled_one_has_all_of_it(make_world, given, words):
    """What starts by the compiled list is then more, and nothing that protects is lost."""
    lines = f'{COMMON} SECURITY_SELINUX=y LSM="yama,selinux,bpf"'
    world = make_world(lines, kernel="6.12.0", cmdline=f"quiet {given}")
    findings = judge(world, [world.knowledge.profile("virtualization-host")])
    (finding,) = (finding for finding in findings if finding.id == "virtualization-host/lsm")
    assert [(one.words, one.drop) for one in finding.remedies] == [(words, (given,))]


@pytest.mark.parametrize(
    ("built", "line", "word"),
    [
        ("APPARMOR", "lsm=yama", "lsm=yama,apparmor"),
        ("APPARMOR", "lsm= quiet", "lsm=apparmor"),
        ("SELINUX", "lsm=yama,lockdown", "lsm=yama,lockdown,selinux"),
        ("APPARMOR", "lsm=bpf security=apparmor", "lsm=apparmor,bpf"),
        ("SELINUX", "", "lsm=landlock,yama,selinux"),
        ("SMACK", "quiet", "lsm=landlock,yama,smack"),
    ],
)
def test_a_module_that_is_built_is_added_to_the_list_of_the_boot_line(changed, built, line, word):
    there = f"SECURITY_{built}=y SECURITY_LANDLOCK=y SECURITY_YAMA=y"
    lines = f'{COMMON} {there} LSM="landlock,yama"'
    remedy, _ = changed("virtualization-host/lsm", lines, kernel="6.12.117", cmdline=line)
    assert (remedy.kind, remedy.words) == (RemedyKind.BOOT, (word,))


def test_no_module_that_is_not_built_is_added(changed):
    lines = f'{COMMON} SECURITY_APPARMOR=n LSM="landlock,yama"'
    remedy, _ = changed("virtualization-host/lsm", lines, kernel="6.12.117", cmdline="quiet")
    assert remedy.kind is RemedyKind.REBUILD


@pytest.mark.parametrize(
    ("kernel", "written"),
    [("4.14.343", [("net.core.bpf_jit_enable", "1")]), ("6.12.117", [])],
)
def test_what_takes_both_is_built_and_then_written(make_world, kernel, written):
    lines = "NET=y HAVE_EBPF_JIT=y MODULES=y BPF_SYSCALL=y BPF_JIT=n"
    world = make_world(lines, kernel=kernel, arch="arm64")
    findings = judge(world, [world.knowledge.profile("network-throughput")])
    (found,) = (one for one in findings if one.id == "network-throughput/bpf-jit")
    (remedy,) = found.remedies
    assert (found.verdict, found.reason, found.target) == (Verdict.CHANGE, "", "on")
    assert [(change.symbol, change.new) for change in remedy.changes] == [("BPF_JIT", "y")]
    assert [(setting.key, setting.value) for setting in remedy.settings] == written
    assert remedy.lasts is not bool(written)


def test_a_choice_that_a_group_has_a_member_of_is_settled(changed):
    lines = (
        "HAVE_CC_STACKPROTECTOR=y CC_STACKPROTECTOR=n CC_STACKPROTECTOR_NONE=y "
        "CC_STACKPROTECTOR_REGULAR=n CC_STACKPROTECTOR_STRONG=n"
    )
    told = {"kernel": "3.18.19", "arch": "arm"}
    _, lines = changed("embedded-fastboot/memory-protection", lines, **told)
    assert lines["CC_STACKPROTECTOR_STRONG"] == ("y", Role.ASKED)
    assert lines["CC_STACKPROTECTOR_NONE"] == ("n", Role.SIBLING)
    assert "CC_STACKPROTECTOR" not in lines


@pytest.mark.parametrize(
    ("kernel", "name"), [("4.9.0", "KPROBE_EVENT"), ("4.14.0", "KPROBE_EVENTS")]
)
def test_a_line_that_nothing_shows_has_the_name_of_its_time(changed, kernel, name):
    lines = "HAVE_KPROBES=y HAVE_REGS_AND_STACK_ACCESS_API=y MODULES=y FTRACE=y KPROBES=n"
    _, lines = changed("diagnosis/kprobes", lines, kernel=kernel, arch="arm")
    assert set(lines) == {"KPROBES", name}


def test_a_kernel_for_one_processor_is_not_made_one_for_several(make_world, built_in):
    lines = "SMP=n CPU_FREQ=y CPU_FREQ_DEFAULT_GOV_ONDEMAND=y CPU_FREQ_DEFAULT_GOV_SCHEDUTIL=n"
    world = make_world(lines, arch="riscv")
    outcome = rebuild(built_in.tunable("cpufreq-governor"), "schedutil", world)
    assert outcome.reason == "needs SMP, and this kernel is built for a single processor"


def test_the_line_names_all_that_is_given_up(make_world, built_in):
    world = make_world("PREEMPT=y PREEMPT_RT_FULL=y PREEMPT_VOLUNTARY=n", kernel="4.4.244")
    tunable = built_in.tunable("preempt-rt")
    line = instruction(rebuild(tunable, "off", world), tunable)
    assert line == "PREEMPT_VOLUNTARY=y instead of PREEMPT, PREEMPT_RT_FULL"


@pytest.mark.parametrize(
    ("kernel", "name"),
    [("4.19.13", "DEBUG_INFO"), ("6.12.117", "DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT")],
)
def test_of_several_ways_one_of_this_kernel_is_taken(changed, kernel, name):
    lines = "MODULES=y DEBUG_KERNEL=n PERF_EVENTS=y"
    _, lines = changed("diagnosis/debug-info", lines, kernel=kernel)
    assert lines == {"DEBUG_KERNEL": ("y", Role.DEPENDENCY), name: ("y", Role.ASKED)}


def test_before_5_14_delay_accounting_counts_once_it_is_built(changed):
    lines = "NET=y MULTIUSER=y TASKSTATS=n"
    _, lines = changed("diagnosis/task-delay-accounting", lines, kernel="4.19.13")
    assert set(lines) == {"TASKSTATS", "TASK_DELAY_ACCT"}


def test_another_memory_model_is_named_where_it_is_one_of_a_choice(make_world):
    lines = (
        "VIRTIO_MENU=y VIRTIO=y COMPACTION=y FLATMEM_MANUAL=y SPARSEMEM_MANUAL=n FLATMEM=y "
        "STRICT_DEVMEM=y MODULES=y ACPI=y 64BIT=y"
    )
    world = make_world(lines, kernel="6.12.59", arch="riscv")
    blocked = rebuild(world.knowledge.tunable("virtio-mem"), "on", world)
    assert blocked.reason == "needs SPARSEMEM_MANUAL, which is off in this configuration"


@pytest.mark.parametrize(
    ("cpus", "changed"),
    [(4, {"NR_CPUS": "4", "SMP": "y"}), (1, None), (None, None)],
)
def test_a_kernel_for_one_processor_gets_more_where_the_machine_has_them(make_world, cpus, changed):
    world = make_world("SMP=n NR_CPUS=1", cpus=cpus)
    outcome = rebuild(world.knowledge.tunable("nr-cpus"), "4", world)
    if changed is None:
        assert isinstance(outcome, Blocked)
        assert "SMP" in outcome.reason
    else:
        assert {change.symbol: change.new for change in outcome.changes} == changed


def test_tracers_that_no_line_shows_come_with_what_hides_them(make_world):
    world = make_world("TRACING_SUPPORT=y FTRACE=n PREEMPT_NONE=y")
    outcome = rebuild(world.knowledge.tunable("critical-section-tracers"), "on", world)
    assert [(change.symbol, change.new) for change in outcome.changes] == [
        ("FTRACE", "y"),
        ("IRQSOFF_TRACER", "y"),
    ]
    assert outcome.left[0].startswith("PREEMPT_TRACER: PREEMPT_NONE=y (")
    shown = make_world("FTRACE=y IRQSOFF_TRACER=y PREEMPT_NONE=y")
    assert rebuild(world.knowledge.tunable("critical-section-tracers"), "on", shown) != outcome


@pytest.mark.parametrize(
    ("lines", "kernel", "symbol"),
    [("CC_OPTIMIZE_FOR_SIZE=y", "4.1.15", "CC_OPTIMIZE_FOR_SIZE=n"),
     ("CC_OPTIMIZE_FOR_SIZE=y CC_OPTIMIZE_FOR_PERFORMANCE=n", "6.12",
      "CC_OPTIMIZE_FOR_PERFORMANCE=y CC_OPTIMIZE_FOR_SIZE=n")],
)  # fmt: skip
def test_before_the_choice_not_for_size_is_for_performance(make_world, lines, kernel, symbol):
    world = make_world(lines, kernel=kernel)
    outcome = rebuild(world.knowledge.tunable("compiler-optimization"), "performance", world)
    assert " ".join(f"{c.symbol}={c.new}" for c in outcome.changes) == symbol


def test_no_call_graphs_where_the_architecture_has_none(make_world):
    lines = "TRACING_SUPPORT=y FTRACE=y FUNCTION_TRACER=y DYNAMIC_FTRACE=y HAVE_DYNAMIC_FTRACE=y"
    given = {"arch": "arm", "kernel": "3.18.1"}
    world = make_world(f"{lines} HAVE_FUNCTION_TRACER=y THUMB2_KERNEL=y", **given)
    assert world.state("function-tracing").effective == ("on",)
    lines = lines.replace("FTRACE=y FUNCTION_TRACER=y DYNAMIC_FTRACE=y", "FTRACE=n")
    world = make_world(f"{lines} HAVE_FUNCTION_TRACER=y THUMB2_KERNEL=y", **given)
    outcome = rebuild(world.knowledge.tunable("function-tracing"), "on", world)
    tracers = [(change.symbol, change.new) for change in outcome.changes]
    assert tracers == [("FTRACE", "y"), ("FUNCTION_TRACER", "y"), ("DYNAMIC_FTRACE", "y")]
    assert outcome.left == ("FUNCTION_GRAPH_TRACER: THUMB2_KERNEL=y (.config:5) prevents it",)


@pytest.mark.parametrize(
    ("lines", "gives"),
    [
        # Only what a kernel offers has a line that it is not set.
        ("PROC_FS=y KEXEC=y CRASH_DUMP=n", ["CRASH_DUMP", "PROC_VMCORE"]),
        ("PROC_FS=y KEXEC=y", None),
    ],
)
def test_what_the_file_shows_needs_no_line_about_its_architecture(make_world, lines, gives):
    world = make_world(lines, kernel="6.6.2", arch="x86")
    outcome = rebuild(world.knowledge.tunable("crash-dump"), "unreserved", world)
    if gives is None:
        assert (
            outcome.reason
            == "needs ARCH_SUPPORTS_CRASH_DUMP, which this configuration does not offer"
        )
    else:
        assert [change.symbol for change in outcome.changes] == gives


def test_what_another_line_hides_comes_with_it(make_world):
    world = make_world("SYSFS=y NET=y MULTIUSER=n", kernel="6.1.8", arch="x86")
    outcome = rebuild(world.knowledge.tunable("task-delay-accounting"), "built", world)
    named = ["MULTIUSER", "TASKSTATS", "TASK_DELAY_ACCT"]
    assert [change.symbol for change in outcome.changes] == named


PROBES = (
    "KPROBES=y HAVE_KPROBES=y HAVE_REGS_AND_STACK_ACCESS_API=y FTRACE=y MODULES=y PERF_EVENTS=y"
)


@pytest.mark.parametrize(
    ("tunable", "lines", "kernel", "gives"),
    [
        # All that it needs is there, so that the file is one of another kernel: a line holds.
        ("kprobes", PROBES, "6.13.0", ["KPROBE_EVENTS"]),
        ("kprobes", PROBES, "6.1.0", ["KPROBE_EVENTS"]),
        # What the rule requires was not held against a kernel of that age.
        ("kprobes", PROBES, "5.4.0", None),
        ("histogram-triggers", "EVENT_TRACING=y FTRACE=y TRACING=y ARCH_HAVE_NMI_SAFE_CMPXCHG=y",
         "6.12.0", ["HIST_TRIGGERS"]),
        # What is not there is not offered, whether it is complete or not.
        ("kprobes", PROBES.replace("HAVE_REGS_AND_STACK_ACCESS_API=y ", ""), "6.13.0", None),
    ],
)  # fmt: skip
def test_what_has_all_that_it_needs_is_offered(make_world, tunable, lines, kernel, gives):
    world = make_world(lines, kernel=kernel, arch="arm64")
    outcome = rebuild(world.knowledge.tunable(tunable), "on", world)
    if gives is None:
        assert isinstance(outcome, Blocked)
    else:
        assert [c.symbol for c in outcome.changes if c.role is Role.ASKED] == gives


def test_what_is_needed_brings_nothing_of_another_purpose(make_world):
    """A rule that sets a needed symbol among others (VFIO beside an IOMMU) lends that one alone."""
    lines = (
        "64BIT=y X86_64=y X86_IO_APIC=y PCI=y PCI_MSI=y ACPI=y SMP=y EVENTFD=y IOMMU_SUPPORT=n "
        "VFIO=n"
    )
    world = make_world(lines, kernel="6.1.0", vendor="intel")
    outcome = rebuild(world.knowledge.tunable("interrupt-remapping"), "on", world)
    needed = {change.symbol for change in outcome.changes if change.role is Role.DEPENDENCY}
    assert needed == {"IOMMU_SUPPORT", "INTEL_IOMMU"}


def test_before_3_19_run_time_power_management_has_its_own_switch(make_world):
    world = make_world("PM_RUNTIME=n", kernel="3.10.14", arch="mips")
    outcome = rebuild(world.knowledge.tunable("runtime-pm"), "on", world)
    assert [(c.symbol, c.new) for c in outcome.changes] == [("PM_RUNTIME", "y")]


@pytest.mark.parametrize("kernel", ["3.16.76", "5.10.7"])
def test_a_choice_that_other_symbols_made_before_says_what_is_given_up(make_world, kernel):
    lines = (
        "SQUASHFS=y SQUASHFS_DECOMP_SINGLE=y SQUASHFS_DECOMP_MULTI=n SQUASHFS_DECOMP_MULTI_PERCPU=n"
    )
    world = make_world(lines, kernel=kernel, arch="arm64")
    tunable = world.knowledge.tunable("squashfs-decompression")
    outcome = rebuild(tunable, "percpu", world)
    given_up = [change.symbol for change in outcome.changes if change.role is Role.SIBLING]
    assert given_up == ["SQUASHFS_DECOMP_MULTI", "SQUASHFS_DECOMP_SINGLE"]
    text = "SQUASHFS_DECOMP_MULTI_PERCPU=y instead of SQUASHFS_DECOMP_SINGLE"
    assert instruction(outcome, tunable) == text


@pytest.mark.parametrize(
    ("vendor", "drivers", "gives"),
    [
        ("intel", "INTEL_IOMMU=n AMD_IOMMU=n", ["INTEL_IOMMU"]),
        ("amd", "INTEL_IOMMU=n AMD_IOMMU=n", ["AMD_IOMMU"]),
        (None, "INTEL_IOMMU=n AMD_IOMMU=n", ["AMD_IOMMU", "INTEL_IOMMU"]),
        # The other vendor's driver is no hindrance where it is built already.
        ("intel", "INTEL_IOMMU=y AMD_IOMMU=y", []),
    ],
)
def test_the_iommu_is_the_one_of_the_vendor(make_world, vendor, drivers, gives):
    lines = "PCI=y EVENTFD=y IOMMU_SUPPORT=y PCI_MSI=y ACPI=y X86_64=y VFIO=n MODULES=y"
    facts = {"vendor": vendor} if vendor else {}
    world = make_world(f"{lines} {drivers}", kernel="6.4.4", arch="x86", **facts)
    outcome = rebuild(world.knowledge.tunable("vfio"), "on", world)
    assert sorted({change.symbol for change in outcome.changes} - {"VFIO", "VFIO_PCI"}) == gives


@pytest.mark.parametrize(("modules", "core"), [("y", "m"), ("n", "y")])
def test_what_a_module_needs_is_a_module_where_there_are_any(make_world, modules, core):
    """A clock or a tunnel may be a module, and then the core of the adapter cannot be built in."""
    lines = (
        f"MODULES={modules} INFINIBAND={core} INFINIBAND_USER_ACCESS={core} "
        "NETDEVICES=y ETHERNET=y PCI=y NET_VENDOR_MELLANOX=y MLX5_CORE=n"
    )
    world = make_world(lines)
    outcome = rebuild(world.knowledge.tunable("rdma-adapters"), "some", world)
    asked = {change.symbol: change.new for change in outcome.changes}
    assert asked == {"MLX5_CORE": core, "MLX5_INFINIBAND": core}


def outcome_of(world, tunable, value="on"):
    found = rebuild(world.knowledge.tunable(tunable), value, world)
    return {change.symbol: change.new for change in found.changes}


BALANCING = "NET=y INET=y NETFILTER=y NF_CONNTRACK=y NETFILTER_XTABLES=y NETFILTER_ADVANCED=y"
OPENED = [
    "IP_VS_PROTO_TCP", "IP_VS_PROTO_UDP", "IP_VS_RR", "IP_VS_WRR", "IP_VS_SH", "IP_VS_NFCT",
    "NETFILTER_XT_MATCH_IPVS",
]  # fmt: skip


@pytest.mark.parametrize(
    ("tunable", "lines", "kernel", "gives"),
    [
        ("ipvs", f"{BALANCING} IP_VS=n", "5.10.230", ["IP_VS", *OPENED]),
        # What needs something else as well stays hidden.
        ("ipvs", f"{BALANCING} IP_VS=n".replace("NF_CONNTRACK=y ", ""), "5.10.230",
         ["IP_VS", *OPENED[:5]]),
        # What no line shows though its needs are there is not opened by these.
        ("ipvs", f"{BALANCING} IP_VS=y IP_VS_SH=n", "5.10.230", ["IP_VS_SH"]),
        ("socket-monitoring", "NET=y INET=y INET_DIAG=n NETLINK_DIAG=n", "6.12.0",
         ["INET_DIAG", "INET_UDP_DIAG", "NETLINK_DIAG"]),
        # What a menu hides comes with the menu, though others are shown.
        ("container-network", "NET=y INET=y NETDEVICES=y NET_CORE=y NETFILTER=y "
         "NETFILTER_ADVANCED=n BRIDGE=y VETH=n", "6.12.0",
         ["BRIDGE_NETFILTER", "NETFILTER_ADVANCED", "VETH"]),
        # Nor what this kernel does not have: lists of UDP's sockets came with 3.3.
        ("socket-monitoring", "NET=y INET=y INET_DIAG=n", "3.2.0", ["INET_DIAG"]),
    ],
)  # fmt: skip
def test_members_that_a_rebuild_opens_come_with_it(make_world, tunable, lines, kernel, gives):
    """Else the next judgement would ask for them: a remedy closes its finding."""
    changes = outcome_of(make_world(lines, kernel=kernel, arch="x86"), tunable)
    assert sorted(changes) == sorted(gives)


@pytest.mark.parametrize(
    ("lines", "gives"),
    [
        # Kconfig asks for namespaces only where there are users.
        ("MULTIUSER=n", "MULTIUSER NAMESPACES PID_NS NET_NS IPC_NS UTS_NS"),
        ("MULTIUSER=y NAMESPACES=n", "NAMESPACES PID_NS NET_NS IPC_NS UTS_NS"),
        ("MULTIUSER=y NAMESPACES=y PID_NS=n NET_NS=y IPC_NS=y UTS_NS=y", "PID_NS"),
    ],
)
def test_namespaces_come_with_what_hides_them(make_world, lines, gives):
    world = make_world(f"EXPERT=y NET=y SYSVIPC=y {lines}", kernel="6.1.8", arch="x86")
    assert set(outcome_of(world, "namespaces")) == set(gives.split())


def test_address_translation_of_newer_kernels_needs_the_legacy_tables(make_world):
    """NFT_NAT selects NF_NAT; the tables of iptables hang on a switch that no line may show."""
    hidden = "NET=y INET=y NETFILTER=y NETFILTER_ADVANCED=n NF_CONNTRACK=n NETFILTER_XTABLES=n"
    world = make_world(f"{hidden} NF_TABLES=n", kernel="7.0.3", arch="x86")
    changes = outcome_of(world, "nftables")
    assert {"NF_CONNTRACK", "NFT_NAT"} <= set(changes)
    assert not {"NF_NAT", "NETFILTER_XTABLES"} & set(changes)
    assert isinstance(rebuild(world.knowledge.tunable("iptables"), "on", world), Blocked)


DETECTORS = "DEBUG_KERNEL=y LOCKUP_DETECTOR={0} HARDLOCKUP_DETECTOR={0}"


@pytest.mark.parametrize(
    ("lines", "kernel", "value", "gives"),
    [
        (DETECTORS.format("y"), "4.4.244", "off", {"LOCKUP_DETECTOR": "n"}),
        ("DEBUG_KERNEL=y LOCKUP_DETECTOR=n", "4.9.165", "on", {"LOCKUP_DETECTOR": "y"}),
        (
            "DEBUG_KERNEL=y LOCKUP_DETECTOR=y SOFTLOCKUP_DETECTOR=y",
            "4.19.249",
            "off",
            {"SOFTLOCKUP_DETECTOR": "n"},
        ),
    ],
)
def test_before_4_13_one_switch_has_both_detectors(make_world, lines, kernel, value, gives):
    """HARDLOCKUP_DETECTOR had no prompt then, and SOFTLOCKUP_DETECTOR was not there."""
    world = make_world(lines, kernel=kernel, arch="x86")
    assert outcome_of(world, "softlockup-detector", value) == gives


FAMILIES = (
    "NET=y NETFILTER=y IPV6=y MODULES=y NF_TABLES=m NF_TABLES_INET=n NF_TABLES_IPV4=y "
    "NF_TABLES_IPV6=n NFT_FIB_IPV4=n"
)
MENU = (
    "NET=y INET=y NETFILTER=y NETFILTER_ADVANCED=n NETFILTER_XTABLES=m NF_CONNTRACK=m NF_NAT=m "
    "NETFILTER_XT_MATCH_ADDRTYPE=n NETFILTER_XT_MATCH_CONNTRACK=m NETFILTER_XT_MARK=m"
)


@pytest.mark.parametrize(
    ("tunable", "lines", "asked"),
    [
        ("nftables-expressions", FAMILIES, {"NFT_FIB_IPV4", "NFT_FIB_IPV6", "NFT_FIB_INET"}),
        ("firewall-matches", MENU, {"NETFILTER_XT_MATCH_ADDRTYPE", "NETFILTER_XT_MATCH_COMMENT"}),
        ("policy-matches", f"{MENU} BRIDGE=m BRIDGE_NETFILTER=m NETFILTER_XT_TARGET_NFLOG=n",
         {"NETFILTER_XT_TARGET_NFLOG", "NETFILTER_XT_MATCH_LIMIT", "NETFILTER_XT_MATCH_RECENT",
          "NETFILTER_XT_MATCH_PHYSDEV"}),
    ],
)  # fmt: skip
def test_members_behind_a_switch_are_asked_for_beside_those_that_are_shown(
    make_world, tunable, lines, asked
):
    """They count as off, so that without them the finding would stand again after the rebuild."""
    changes = outcome_of(make_world(lines, kernel="6.12.0", arch="x86"), tunable)
    assert asked <= set(changes)


@pytest.mark.parametrize(
    ("family", "kernel", "asked"),
    [
        ("iptables", "4.19.325", {"IP_NF_NAT", "IP_NF_TARGET_MASQUERADE"}),
        ("iptables", "6.4.3", {"IP_NF_NAT"}),
        ("ip6tables", "4.19.325", {"IP6_NF_NAT", "IP6_NF_TARGET_MASQUERADE"}),
        ("ip6tables", "6.4.3", {"IP6_NF_NAT"}),
    ],
)
def test_the_target_of_both_families_is_asked_for_once(make_world, family, kernel, asked):
    """Since 5.2 MASQUERADE is no part of a family, whose symbols only select it."""
    own = "IP6_NF" if family == "ip6tables" else "IP_NF"
    lines = "NET=y INET=y IPV6=y NETFILTER=y NETFILTER_ADVANCED=y MODULES=y NF_CONNTRACK=m " + (
        " ".join(f"{own}_{table}=m" for table in ("IPTABLES", "FILTER", "MANGLE", "RAW"))
    )
    world = make_world(f"{lines} {own}_NAT=n", kernel=kernel, arch="x86")
    assert set(outcome_of(world, family)) == asked


MATCHES = (
    "NET=y INET=y NETFILTER=y NETFILTER_ADVANCED=y NETFILTER_XT_MATCH_COMMENT=n "
    "NETFILTER_XT_MATCH_STATISTIC=n"
)

BESIDE = "NETFILTER_XT_MATCH_ADDRTYPE"


@pytest.mark.parametrize(
    ("tunable", "lines", "gives"),
    [
        ("firewall-matches", f"{MATCHES} MODULES=y NETFILTER_XTABLES=m", "mm"),
        ("firewall-matches", f"{MATCHES} {BESIDE}=y MODULES=y NETFILTER_XTABLES=y", "yy"),
        ("firewall-matches", f"{MATCHES} {BESIDE}=y MODULES=y NETFILTER_XTABLES=m", "mm"),
        ("firewall-matches", f"{MATCHES} MODULES=n NETFILTER_XTABLES=y", "yy"),
        # Of two ways to be offered one is built in.
        ("firewall-matches", "NET=y INET=y NETFILTER=y MODULES=y IP_NF_IPTABLES=y IP_NF_FILTER=y "
         f"NFT_COMPAT=m {BESIDE}=y IP_NF_TARGET_REJECT=n", "y"),
        # A bool is y beside a module, and what the scheduler needs is one.
        ("ipvs", f"{BALANCING} MODULES=y IP_VS=m IP_SET=m IP_VS_RR=n IP_VS_NFCT=n "
         "NETFILTER_XT_MATCH_IPVS=m IP_VS_PROTO_TCP=y IP_VS_PROTO_UDP=y", "my"),
    ],
)  # fmt: skip
def test_what_needs_a_module_is_one(make_world, tunable, lines, gives):
    """Kconfig makes m of a y below an m, and merge_config.sh warns of it."""
    changes = outcome_of(make_world(lines, kernel="6.12.0", arch="arm64"), tunable)
    assert "".join(changes.values()) == gives


NETWORKS = "NET=y INET=y NETDEVICES=y NET_CORE=y UNIX=y PACKET=y VXLAN=n MACVLAN={} IPVLAN=n"
SETS = "NET=y INET=y NETFILTER=y NETFILTER_ADVANCED=y NETFILTER_XTABLES=y IP_SET=n"


@pytest.mark.parametrize(
    ("tunable", "lines", "gives"),
    [
        ("overlay-networks", f"{NETWORKS.format('m')} MODULES=y", "VXLAN=m IPVLAN=m"),
        # Whoever has the others built in has these built in, and nobody else.
        ("overlay-networks", f"{NETWORKS.format('y')} MODULES=y", "VXLAN=y IPVLAN=y"),
        ("overlay-networks", f"{NETWORKS.format('n')} MODULES=y", "VXLAN=m MACVLAN=m IPVLAN=m"),
        ("overlay-networks", f"{NETWORKS.format('m')} MODULES=n", "VXLAN=y IPVLAN=y"),
        ("overlay-networks", NETWORKS.format("m"), "VXLAN=y IPVLAN=y"),
        # MLX5_CORE `depends on VXLAN || !VXLAN`: a card that is built in would be a module.
        ("overlay-networks", f"{NETWORKS.format('m')} MODULES=y MLX5_CORE=y", "VXLAN=y IPVLAN=m"),
        ("overlay-networks", f"{NETWORKS.format('m')} MODULES=y MLX5_CORE=m", "VXLAN=m IPVLAN=m"),
        ("address-sets", f"{SETS} MODULES=y", "IP_SET=m NETFILTER_XT_SET=m IP_SET_HASH_IP=m"),
        # Drivers of network cards are built in beside a clock that is, or missing.
        ("ptp-kvm", "MODULES=y KVM_GUEST=y PTP_1588_CLOCK=n NET=y POSIX_TIMERS=y",
         "PTP_1588_CLOCK=y PTP_1588_CLOCK_KVM=m"),
        # What is there before any module is loaded: the others of its kind can only be built in.
        ("init-interfaces", "MODULES=y NET=y UNIX=n", "UNIX=y"),
        ("iommu-driver", "MODULES=y IOMMU_SUPPORT=y ARM_SMMU_V3=n", "ARM_SMMU_V3=y"),
        # What a module alone brings along is one, and an option of it is a bool.
        ("vhost-vsock", "MODULES=y NET=y EVENTFD=y VHOST_MENU=n VSOCKETS=n VHOST_VSOCK=n",
         "VHOST_MENU=y VSOCKETS=m VHOST_VSOCK=m"),
        ("vhost-vsock", "MODULES=n NET=y EVENTFD=y VHOST_MENU=y VSOCKETS=n VHOST_VSOCK=n",
         "VSOCKETS=y VHOST_VSOCK=y"),
    ],
)  # fmt: skip
def test_what_loads_on_demand_is_a_module(make_world, tunable, lines, gives):
    arch = "arm64" if "SMMU" in lines else "x86"
    changes = outcome_of(make_world(lines, kernel="6.12.0", arch=arch), tunable)
    assert [f"{symbol}={new}" for symbol, new in changes.items()][:3] == gives.split()


def test_a_line_that_lets_no_module_load_gets_none(make_world):
    lines = f"{NETWORKS.format('m')} MODULES=y"
    world = make_world(lines, kernel="6.12.0", arch="x86", cmdline="nomodule")
    assert outcome_of(world, "overlay-networks")["VXLAN"] == "y"


@pytest.mark.parametrize(("bridge", "gives"), [("m", "m"), ("y", "y")])
def test_what_an_option_of_a_module_needs_is_one(make_world, bridge, gives):
    """A bool has no m of its own, and needs no more than the module that it belongs to."""
    lines = f"NET=y MODULES=y BRIDGE={bridge} BRIDGE_VLAN_FILTERING=n VLAN_8021Q=n"
    changes = outcome_of(make_world(lines, kernel="6.12.0", arch="x86"), "bridge-vlans")
    assert changes == {"BRIDGE_VLAN_FILTERING": "y", "VLAN_8021Q": gives}


def why_blocked(world, tunable):
    outcome = rebuild(world.knowledge.tunable(tunable), "on", world)
    assert isinstance(outcome, Blocked)
    return outcome.reason


NO_PAHOLE = "MODULES=y DEBUG_KERNEL=y PAHOLE_VERSION=0"


def test_beside_a_missing_program_all_lines_are_told(make_world):
    """Also those of what needs what needs the program."""
    lines = f"{NO_PAHOLE} BPF_SYSCALL=n BPF_JIT=n DEBUG_INFO_NONE=y"
    lines += " DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=n"
    reason = why_blocked(make_world(lines, kernel="6.12.6"), "sched-ext")
    assert reason.startswith("needs PAHOLE_VERSION>=121, and PAHOLE_VERSION is 0")
    told = reason.partition("then rebuild with ")[2].split(", ")
    assert set(told) == {
        "BPF_SYSCALL=y", "BPF_JIT=y", "DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y",
        "DEBUG_INFO_BTF=y", "SCHED_CLASS_EXT=y",
    }  # fmt: skip


@pytest.mark.parametrize(("rust", "least"), [("", "121"), (" RUST=y", "124")])
def test_a_program_is_named_that_takes_nothing_away(make_world, rust, least):
    lines = f"{NO_PAHOLE} BPF_SYSCALL=y BPF_JIT=y DEBUG_INFO=y"
    lines += f" DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y{rust}"
    reason = why_blocked(make_world(lines, kernel="6.12.6"), "sched-ext")
    assert f"needs PAHOLE_VERSION>={least}" in reason
    assert reason.endswith("then rebuild with DEBUG_INFO_BTF=y, SCHED_CLASS_EXT=y")


def test_what_goes_with_a_program_is_told(make_world):
    lines = f"{NO_PAHOLE} BPF_SYSCALL=y DEBUG_INFO=y DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y"
    reason = why_blocked(make_world(f"{lines} DEBUG_INFO_REDUCED=y", kernel="7.2.13"), "btf")
    assert reason.endswith("then rebuild with DEBUG_INFO_BTF=y, DEBUG_INFO_REDUCED=n")


def test_each_line_in_the_way_is_named(make_world):
    """Whoever takes out one of them would meet the other next."""
    lines = f"{NO_PAHOLE} BPF_SYSCALL=y DEBUG_INFO=y DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y"
    world = make_world(f"{lines} GCC_PLUGIN_RANDSTRUCT=y", kernel="6.6.52")
    first, second = why_blocked(world, "btf").split("; and ")
    assert first.startswith("GCC_PLUGIN_RANDSTRUCT=y (.config:7) prevents it")
    assert second.startswith("needs PAHOLE_VERSION>=121")
