"""What programs require: the answer, what is missing, what to add; and what their scripts get
wrong, one test a thread."""

from __future__ import annotations

import pytest

from advisor.engine.requirements import UNSEEN, Modules, ability
from advisor.model.condition_parser import parse
from advisor.model.software import Answer, Function, Part, Program

from ..cases import each

CONTAINERS = (
    "CGROUPS=y NAMESPACES=y PID_NS=y NET_NS=y IPC_NS=y UTS_NS=y POSIX_MQUEUE=y KEYS=y "
    "BPF_SYSCALL=y CGROUP_BPF=y OVERLAY_FS=m"
)
BRIDGED = (
    "NET=y INET=y NETFILTER=y VETH=m BRIDGE=m NF_NAT=m NF_TABLES=m NF_TABLES_IPV4=y NFT_COMPAT=m "
    "NETFILTER_XT_TARGET_MASQUERADE=m NETFILTER_XT_MATCH_ADDRTYPE=m NETFILTER_XT_MATCH_CONNTRACK=m"
)
DOCKER = f"{CONTAINERS} {BRIDGED}"
K3S = (
    f"{DOCKER} CGROUP_SCHED=y FAIR_GROUP_SCHED=y CPUSETS=y MEMCG=y CGROUP_PIDS=y "
    "BRIDGE_NETFILTER=m NETFILTER_XT_MATCH_COMMENT=m NETFILTER_XT_MATCH_MULTIPORT=m "
    "NETFILTER_XT_MATCH_STATISTIC=m NFT_REJECT=m"
)
CILIUM = (
    "BPF_SYSCALL=y BPF_JIT=y NET_CLS_BPF={0} NET_CLS_ACT=y NET_SCH_INGRESS={0} CGROUPS=y "
    "CGROUP_BPF=y PERF_EVENTS=y FIB_RULES=y VXLAN={0}"
)


@pytest.fixture
def judge(make_world, built_in):
    """Judges a program, or a function of it, for a kernel of these lines."""

    def of(name, config, *, modules=UNSEEN, **told):
        program, _, asked = name.partition(":")
        program, _, version = program.partition("@")
        world = make_world(config, **told)
        return ability(built_in.program(program), world, version, asked, modules)

    return of


def made(needs, kind="start"):
    """A program with one function of this condition."""
    parts = (Part("", parse(needs)),)
    function = Function("one", "One", "why", parts, kind)
    return Program("program", "Program", "", "1", (function,))


def fixes(found):
    return [lack.fix for judged in found.lacking for lack in judged.lacks]


# --- the answers ----------------------------------------------------------------------------------


def test_a_program_that_lacks_one_function_starts(judge):
    found = judge("docker", DOCKER)
    assert found.answer is Answer.PARTLY
    assert "swarm" in {judged.function.id for judged in found.lacking}
    assert judge("docker:swarm", DOCKER).answer is Answer.NO


def test_what_nothing_starts_without_is_a_no(judge):
    found = judge("docker", DOCKER.replace("PID_NS=y", "PID_NS=n"))
    assert found.answer is Answer.NO
    (start,) = (judged for judged in found.lacking if judged.function.id == "containers")
    assert [(lack.part, lack.missing) for lack in start.lacks] == [("namespaces", "PID_NS is off")]
    assert start.lacks[0].fix.lines == ("CONFIG_PID_NS=y",)


def test_an_input_that_is_missing_is_named(judge):
    found = judge("kvm:guests", "KVM=m KVM_INTEL=m KVM_AMD=n")
    assert found.answer is Answer.UNKNOWN
    assert found.open[0].inputs == {"vendor"}
    assert judge("kvm:guests", "KVM=m KVM_INTEL=m", vendor="intel").answer is Answer.YES
    assert judge("kvm:guests", "KVM=m KVM_INTEL=m", vendor="amd").answer is Answer.NO


def test_a_version_of_the_program_counts(judge):
    assert judge("podman@5.1", CONTAINERS, kernel="4.19.0").answer is Answer.PARTLY
    assert judge("podman@5.2", CONTAINERS, kernel="4.19.0").answer is Answer.NO
    without = CONTAINERS.replace("POSIX_MQUEUE=y", "POSIX_MQUEUE=n")
    assert judge("podman@5.8.2", without).answer is Answer.NO
    assert judge("podman@6.0", without).answer is not Answer.NO


def test_what_the_boot_line_takes_is_not_there(judge):
    assert judge("docker:memory-limits", f"{DOCKER} MEMCG=y").answer is Answer.YES
    line = "quiet cgroup_disable=memory"
    found = judge("docker:memory-limits", f"{DOCKER} MEMCG=y", cmdline=line)
    assert found.answer is Answer.NO
    assert [fix.drop for fix in fixes(found)] == [("cgroup_disable=memory",)]


def test_a_word_that_firmware_adds_is_not_known_to_be_absent(judge):
    """k3s-io/k3s#3283: device trees of the Raspberry Pi bring cgroup_disable=memory."""
    pi = f"{DOCKER} MEMCG=y BCM2708_VCMEM=y"
    assert judge("docker:memory-limits", pi, cmdline="quiet").answer is Answer.UNKNOWN
    assert judge("docker:memory-limits", pi).answer is Answer.UNKNOWN
    found = judge("docker:memory-limits", pi, cmdline="quiet cgroup_disable=memory")
    assert found.answer is Answer.NO
    assert [(fix.words, fix.drop) for fix in fixes(found)] == [(("cgroup_enable=memory",), ())]
    line = "cgroup_disable=memory cgroup_enable=memory"
    assert judge("docker:memory-limits", pi, cmdline=line).answer is Answer.YES


def test_what_to_do_stands_on_what_other_functions_need(judge):
    """inindev/linux-rockchip#8: with nf_tables, nothing needs the tables of iptables."""
    config = f"{CONTAINERS} VETH=m BRIDGE=m NET=y INET=y IPV6=y NF_TABLES=n NFT_COMPAT=n"
    symbols = {change.symbol for fix in fixes(judge("docker", config)) for change in fix.changes}
    assert {"NF_TABLES", "NF_TABLES_IPV4", "NF_TABLES_IPV6", "NFT_COMPAT"} <= symbols
    assert not [one for one in symbols if one.startswith(("IP_NF_", "IP6_NF_"))]


def test_a_sysctl_counts_where_it_is_told(judge):
    config = "NAMESPACES=y USER_NS=y PID_NS=y NET_NS=y IPC_NS=y SECCOMP=y SECCOMP_FILTER=y"
    assert judge("flatpak", config).answer is Answer.YES
    found = judge("flatpak", config, sysctl="kernel.unprivileged_userns_clone = 0")
    assert found.answer is Answer.NO


def test_the_cheaper_of_two_ways_is_told(make_world):
    found = ability(made("WIDGET && GADGET && GIZMO || SPROCKET"), make_world("GADGET=n"))
    assert [fix.lines for fix in fixes(found)] == [("CONFIG_SPROCKET=y",)]


def test_what_stands_against_it_is_told(make_world):
    found = ability(made("!DEBUG_LOCK_ALLOC"), make_world("DEBUG_LOCK_ALLOC=y"))
    assert [fix.lines for fix in fixes(found)] == [("# CONFIG_DEBUG_LOCK_ALLOC is not set",)]
    found = ability(made("!boot(nosmp)"), make_world("SMP=y", cmdline="nosmp"))
    assert [fix.drop for fix in fixes(found)] == [("nosmp",)]


def test_a_word_whose_value_only_the_user_knows_is_not_made_up(make_world):
    found = ability(made("boot(crashkernel=*)"), make_world("CRASH_RESERVE=y", cmdline="quiet"))
    assert [fix.words for fix in fixes(found)] == [()]
    assert [fix.why for fix in fixes(found)] == [("crashkernel= with a value on the boot line",)]


def test_a_name_that_two_ways_ask_for_is_told_once(make_world):
    found = ability(made("(WIDGET || (boot(gadget) || WIDGET))"), make_world("WIDGET=n"))
    assert found.lacking[0].lacks[0].missing == "needs WIDGET or gadget on the boot line"


def test_another_kernel_is_all_that_helps(make_world):
    found = ability(made("kernel >= 6.15"), make_world("NET=y"))
    assert [fix.why for fix in fixes(found)] == [("Linux 6.15 or newer",)]
    found = ability(made("kernel = 5.4 || kernel >= 6.15"), make_world("NET=y"))
    assert found.lacking[0].lacks[0].missing == "needs Linux 5.4, or Linux 6.15 or newer"


# --- modules --------------------------------------------------------------------------------------


def test_modules_are_named_as_modprobe_has_them(judge):
    found = judge("docker:bridge-filter", f"{DOCKER} BRIDGE_NETFILTER=m")
    assert found.answer is Answer.YES
    assert {"overlay", "br_netfilter", "xt_MASQUERADE"} <= {*found.modules}


def test_of_a_host_only_those_are_named_that_are_not_loaded(judge):
    config = "DM_CRYPT=m MD=y BLK_DEV_DM=m CRYPTO_XTS=m CRYPTO_AES=y"
    found = judge("luks:mapping", config, modules=Modules(frozenset({"dm_mod", "xts"})))
    assert found.modules == ("dm_crypt",)


def test_a_module_that_is_not_installed_is_a_no(judge):
    there = Modules(frozenset(), frozenset({"overlay"}))
    found = judge("wireguard:card", "NET=y INET=y WIREGUARD=m", modules=there)
    assert found.answer is Answer.NO
    assert found.lacking[0].lacks[0].missing == "the module wireguard is not installed"
    loaded = there._replace(loaded=frozenset({"wireguard"}))
    assert judge("wireguard:card", "NET=y WIREGUARD=m", modules=loaded).answer is Answer.YES


def test_a_symbol_without_a_module_of_its_own_is_not_missing(judge):
    """NF_TABLES_BRIDGE=m makes no file: nf_tables itself has it."""
    there = Modules(frozenset(), frozenset({"nf_tables", "bridge"}))
    config = "NF_TABLES=m NF_TABLES_IPV4=y NF_TABLES_BRIDGE=m BRIDGE=m"
    found = judge("nftables:bridge", config, modules=there)
    assert (found.answer, "NF_TABLES_BRIDGE" in found.modules) == (Answer.YES, False)


def test_of_two_ways_the_one_counts_that_is_loaded(make_world):
    world = make_world("VIRTIO_BLK=m SCSI_VIRTIO=m")
    loaded = Modules(frozenset({"virtio_scsi"}))
    found = ability(made("VIRTIO_BLK || SCSI_VIRTIO"), world, modules=loaded)
    assert found.modules == ()


# --- threads --------------------------------------------------------------------------------------


def test_dropped_options_are_not_missing(judge):
    """https://github.com/moby/moby/issues/41797: MEMCG_SWAP counts as there since 6.1."""
    assert judge("docker:swap-limits", f"{DOCKER} MEMCG=y").answer is Answer.YES
    config = f"{DOCKER} MEMCG=y MEMCG_SWAP=n"
    assert judge("docker:swap-limits", config, kernel="5.15.0").answer is Answer.NO
    gone = {name for one in judge("docker", DOCKER).obsolete for name in one.names}
    assert {"MEMCG_SWAP", "NF_NAT_IPV4", "DEVPTS_MULTIPLE_INSTANCES"} <= gone
    old = {name for one in judge("docker", DOCKER, kernel="5.2.0").obsolete for name in one.names}
    assert "MEMCG_SWAP" not in old


def test_a_module_is_not_a_built_in_driver(judge):
    """https://github.com/moby/moby/pull/13241: m is not loaded."""
    found = judge("containerd:overlayfs", CONTAINERS)
    assert (found.answer, found.modules) == (Answer.YES, ("overlay",))
    built_in = CONTAINERS.replace("OVERLAY_FS=m", "OVERLAY_FS=y")
    assert judge("containerd:overlayfs", built_in).modules == ()


def test_controllers_of_version_1_are_not_asked_on_version_2(judge):
    """https://github.com/moby/moby/pull/50016"""
    off = "CGROUP_CPUACCT=n CGROUP_FREEZER=n CGROUP_DEVICE=n"
    assert judge("docker", f"{DOCKER} {off}").answer is Answer.PARTLY
    assert judge("docker:containers", f"{DOCKER} {off}").answer is Answer.YES


@each("name", ["docker", "containerd", "podman@6"])
def test_all_green_and_no_container_starts(judge, name):
    """https://github.com/opencontainers/runc/issues/3547: without CGROUP_BPF."""
    without = DOCKER.replace("CGROUP_BPF=y", "CGROUP_BPF=n CGROUP_DEVICE=y")
    assert judge(name, DOCKER).answer is not Answer.NO
    found = judge(name, without)
    assert found.answer is Answer.NO
    assert any("CONFIG_CGROUP_BPF=y" in fix.lines for fix in fixes(found))
    version_1 = "systemd.unified_cgroup_hierarchy=0"
    assert judge(name, without, cmdline=version_1).answer is not Answer.NO


def test_real_time_groups_are_not_required(judge, built_in):
    """https://github.com/k3s-io/k3s/issues/5407: a list that is out of date."""
    assert judge("k3s", f"{K3S} RT_GROUP_SCHED=n").answer is Answer.PARTLY
    (wrong,) = (one for one in built_in.program("k3s").unasked if "RT_GROUP_SCHED" in one.names)
    assert wrong.kind == "wrong"
    assert judge("systemd:real-time", "RT_GROUP_SCHED=y").lacking


def test_k3s_runs_without_tables_of_iptables(judge):
    """https://github.com/k3s-io/k3s/pull/14074"""
    assert "IP_NF_IPTABLES" not in K3S
    assert judge("k3s:services", K3S, kernel="7.1.0").answer is Answer.YES


@each("lacking", ["NETFILTER_XT_MATCH_COMMENT", "NETFILTER_XT_MATCH_MULTIPORT", "NFT_REJECT"])
def test_k3s_ends_for_one_match_that_is_missing(judge, lacking):
    """https://github.com/k3s-io/k3s/pull/6946 and issues/10099"""
    assert judge("k3s:services", K3S.replace(f"{lacking}=m", f"{lacking}=n")).answer is Answer.NO


def test_built_in_drivers_are_seen(judge):
    """https://github.com/cilium/cilium/issues/23863"""
    assert judge("cilium:agent", CILIUM.format("y")).answer is Answer.YES
    assert judge("cilium:agent", CILIUM.format("y")).modules == ()
    assert judge("cilium:agent", CILIUM.format("m")).answer is Answer.YES


def test_what_nobody_showed_is_not_a_no(judge):
    """https://github.com/cilium/cilium/issues/14099: no configuration, and "not supported"."""
    found = judge("cilium:agent", "BPF_SYSCALL=y", complete=False)
    assert found.answer is Answer.UNKNOWN
    assert "NET_CLS_BPF" in found.open[0].inputs


def test_bpftrace_says_what_it_lacks(judge):
    """https://github.com/bpftrace/bpftrace/issues/622"""
    config = "BPF_SYSCALL=y FTRACE=y PERF_EVENTS=y KPROBES=y KPROBE_EVENTS=y"
    found = judge("bpftrace", config)
    assert found.answer is Answer.PARTLY
    assert {"uprobes", "syscalls", "fentry"} <= {one.function.id for one in found.lacking}


def test_what_has_no_prompt_is_named_by_what_switches_it_on(judge):
    """BPF_EVENTS has none: it follows from probes, which a phone's kernel without ftrace lacks."""
    config = "BPF_SYSCALL=y PERF_EVENTS=y FTRACE=n KPROBES=n BPF_EVENTS=n"
    for program in ("bpftrace", "bcc"):
        found = judge(program, config, arch="arm64")
        lines = {line for fix in fixes(found) for line in fix.lines}
        assert "CONFIG_FTRACE=y" in lines
        assert not any("BPF_EVENTS" in line for line in lines)


def test_tables_come_with_what_they_are_hidden_behind(judge):
    """A firmware's kernel without INET and NETFILTER: without these the other lines are dropped."""
    found = judge("docker", f"{CONTAINERS} NET=y INET=n NETFILTER=n VETH=n BRIDGE=n")
    lines = {line for fix in fixes(found) for line in fix.lines}
    assert {"CONFIG_INET=y", "CONFIG_NETFILTER=y", "CONFIG_NF_TABLES_IPV4=y"} <= lines


def test_ways_are_told_by_what_sets_them_apart(judge):
    """Of many names only the first two are told, which two ways may have in common."""
    found = judge("docker", f"{CONTAINERS} NET=y INET=y NETFILTER=n VETH=y BRIDGE=y")
    (told,) = [text for one in found.lacking for lack in one.lacks for text in lack.needs
               if one.function.id == "bridge-network"]  # fmt: skip
    first, second = told.split(", or ")
    assert not set(first.split(" and ")[0].split(", ")) & set(second.split(" and ")[0].split(", "))


def test_another_way_is_told_only_where_it_leads(judge):
    """NVIDIA's switch for PREEMPT_RT is no way for a kernel of another architecture."""
    rest = "MODULES=y PCI=y PROC_FS=y X86_PAT=y"
    real_time = judge("nvidia", f"X86_64=y PREEMPT_RT=y {rest}")
    assert any("PREEMPT_RT" in one.function.instead for one in real_time.lacking)
    foreign = judge("nvidia", f"PREEMPT_RT=n {rest}", arch="riscv")
    assert not any(one.function.instead for one in foreign.lacking if one.function.is_start)


def test_bcc_says_which_kernel_it_needs(judge):
    """https://github.com/iovisor/bcc/issues/3484"""
    config = "BPF_SYSCALL=y FTRACE=y PERF_EVENTS=y UPROBE_EVENTS=y"
    assert judge("bcc", config, kernel="4.0.0").answer is Answer.NO
    assert judge("bcc", config).answer is Answer.PARTLY


TRACEE = "BPF_SYSCALL=y PERF_EVENTS=y FTRACE=y KPROBE_EVENTS=y UPROBE_EVENTS=y DEBUG_INFO_BTF=y"


def test_tracee_says_what_it_lacks(judge):
    """https://github.com/aquasecurity/tracee/issues/654: what is needed, and what was in doubt."""
    doubted = "FTRACE_SYSCALLS=n BPF_JIT=n BPF_JIT_ALWAYS_ON=n"
    assert judge("tracee:events", f"{TRACEE} {doubted}").answer is Answer.YES
    found = judge("tracee", TRACEE.replace("UPROBE_EVENTS=y", "UPROBE_EVENTS=n"))
    assert found.answer is Answer.NO
    assert any("CONFIG_UPROBE_EVENTS=y" in fix.lines for fix in fixes(found))


def test_k0s_asks_for_nothing_that_is_gone(judge):
    """https://github.com/k0sproject/k0s/issues/1092: the modules that are needed."""
    config = (
        f"{K3S} NETFILTER=y NF_CONNTRACK=m NETFILTER_XTABLES=m NETFILTER_XT_TARGET_REDIRECT=m "
        "NETFILTER_XT_NAT=m NETFILTER_XT_MARK=m EXT4_FS=m PROC_FS=y IP_SET=m NETFILTER_XT_SET=m "
        "IP_SET_HASH_IP=m IP_SET_HASH_NET=m"
    )
    assert judge("k0s", config).answer is Answer.PARTLY
    gone = {name for one in judge("k0s", config).obsolete for name in one.names}
    assert {"NF_NAT_IPV4", "NF_CONNTRACK_IPV6"} <= gone
    assert judge("k0s", config.replace("EXT4_FS=m", "EXT4_FS=n")).answer is Answer.NO


def test_schedulers_need_no_security_module(judge, built_in):
    """https://github.com/sched-ext/scx/pull/323: BPF_LSM was asked for, and taken back."""
    config = (
        "NET=y BPF_SYSCALL=y BPF_JIT=y BPF_JIT_DEFAULT_ON=y DEBUG_INFO_BTF=y SCHED_CLASS_EXT=y "
        "BPF_LSM=n"
    )
    assert judge("scx:schedulers", config).answer is Answer.YES
    (wrong,) = (one for one in built_in.program("scx").unasked if "BPF_LSM" in one.names)
    assert wrong.kind == "wrong"
    slow = config.replace("BPF_JIT=y BPF_JIT_DEFAULT_ON=y", "BPF_JIT=n")
    assert judge("scx:schedulers", slow).answer is Answer.NO


def test_cap_audit_names_the_tracepoints_it_lacks(judge):
    """https://github.com/stevegrubb/libcap-ng/issues/78"""
    config = (
        "BPF_SYSCALL=y BPF_EVENTS=y PERF_EVENTS=y DEBUG_INFO_BTF=y KPROBES=y KPROBE_EVENTS=y "
        "FTRACE_SYSCALLS=n"
    )
    found = judge("cap-audit", config)
    assert found.answer is Answer.NO
    assert [lack.part for lack in found.lacking[0].lacks] == ["tracepoints of system calls"]
    assert found.lacking[0].lacks[0].fix.lines == ("CONFIG_FTRACE_SYSCALLS=y",)


def test_of_exclusive_security_modules_the_first_of_the_list_starts(judge):
    """Seen on a kernel of Debian's user-mode-linux: AppArmor was listed behind SELinux."""
    config = 'SECURITY=y SECURITY_APPARMOR=y SECURITY_SELINUX=y LSM="yama,selinux,apparmor"'
    found = judge("apparmor:profiles", config)
    assert found.answer is Answer.NO
    assert [fix.words for fix in fixes(found)] == [("security=apparmor",)]
    chosen = judge("apparmor:profiles", config, cmdline="security=apparmor")
    assert chosen.answer is Answer.YES
    alone = config.replace("SECURITY_SELINUX=y", "SECURITY_SELINUX=n")
    assert judge("apparmor:profiles", alone).answer is Answer.YES


# --- other architectures --------------------------------------------------------------------------


def test_a_function_of_another_architecture_is_said_to_be_none_here(judge):
    found = judge("sof", "SND_SOC_SOF_TOPLEVEL=y SND_SOC_SOF_OF=m", arch="arm64")
    assert {"intel", "amd"} <= {one.function.id for one in found.elsewhere}
    assert judge("sof:intel", "SND_SOC_SOF_TOPLEVEL=y SND_SOC_SOF_OF=m", arch="arm64").answer is (
        Answer.ELSEWHERE
    )
    assert judge("qemu-guest:clock", "VIRTIO_PCI=y VIRTIO_BLK=y", arch=None).open[0].inputs == (
        {"arch"}
    )


def test_what_other_architectures_alone_have_is_not_lacking(make_world):
    program = made("GADGET")
    function = program.functions[0]._replace(arch=("x86",))
    program = program._replace(functions=(function,))
    assert ability(program, make_world("GADGET=n", arch="arm64")).answer is Answer.ELSEWHERE
    assert ability(program, make_world("GADGET=n", arch="x86")).answer is Answer.NO
