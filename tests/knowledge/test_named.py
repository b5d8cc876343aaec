"""Every name that guides ask for is answered, and so is what people look for; no answer guesses."""

from __future__ import annotations

import pytest

from advisor.errors import UsageError
from advisor.knowledge import authorities
from advisor.knowledge.lookup import explain

from ..cases import each


def kind_of(name, knowledge):
    """What answers: tunables by their ids, else the kind of the name, else what else knows it."""
    known = explain(name, knowledge)
    if known.tunables:
        return {one.tunable.id for one in known.tunables}
    if known.name:
        return {known.name.kind}
    if known.parameter:
        return {"parameter"}
    if known.entry:
        return {"symbol" if known.entry.types else known.entry.kind}
    return {"file"}


@pytest.mark.slow
def test_every_name_that_an_authority_asks_about_is_answered(built_in):
    asked = authorities.part("asks").values()
    named = {ask for asks in asked for ask in asks}
    named |= {ask for one in authorities.listed()[0] for ask in one.asks}
    unanswered = set()
    for ask in named:
        name = ask.partition(" ")[2].partition("=")[0]
        try:
            explain(name, built_in)
        except UsageError:
            unanswered.add(name)
    assert len(named) > 400
    assert unanswered == set()


# By what answers it. Names of the field's guides, and of patched kernels' configurations.
ANSWERS = {
    "graphics": "DRM DRM_I915 modesetting",
    "virtio-mmio": "VIRTIO_MMIO VIRTIO_MMIO_CMDLINE_DEVICES",
    "virtio-vsock": "VSOCKETS VIRTIO_VSOCKETS",
    "pvh": "PVH",
    "sev-guest": "SEV_GUEST AMD_MEM_ENCRYPT",
    "tdx-guest": "INTEL_TDX_GUEST",
    "cgroup-dynmods": "favordynmods cgroup_favordynmods=true",
    "timer-period-for-guests": "kvm.min_timer_period_us",
    "timer-advance-for-guests": "kvm.lapic_timer_advance_ns",
    "crash-dump": "CRASH_DUMP PROC_VMCORE kdump",
    "map-count-limit": "vm.max_map_count",
    "listen-backlog": "net.core.somaxconn somaxconn",
    "syn-backlog": "net.ipv4.tcp_max_syn_backlog",
    "receive-backlog": "netdev_max_backlog",
    "receive-buffer-limit": "rmem_max",
    "queueing-discipline": "default_qdisc",
    "congestion-control": "BBR TCP_CONG_BBR tcp_congestion_control",
    "connection-table-size": "nf_conntrack_max conntrack",
    "receive-packet-steering": "RPS XPS rps_cpus xps_cpus",
    "receive-flow-steering": "RFS rps_sock_flow_entries rps_flow_cnt",
    "free-memory-reserve": "min_free_kbytes",
    "dirty-ratio": "dirty_ratio vm.dirty_bytes",
    "swappiness": "vm.swappiness",
    "zone-reclaim": "vm.zone_reclaim_mode",
    "memory-overcommit": "vm.overcommit_memory",
    "overcommit-ratio": "vm.overcommit_ratio",
    "huge-page-defragmentation": "transparent_hugepage/defrag",
    "hugetlb-pages": "hugepages default_hugepagesz hugepagesz",
    "read-ahead": "read_ahead_kb",
    "request-merging": "nomerges",
    "nvme-timeout": "nvme_core.io_timeout",
    "hung-task-timeout": "hung_task_timeout_secs",
    "kernel-addresses": "kernel.kptr_restrict",
    "bpf-for-users": "BPF_UNPRIV_DEFAULT_OFF kernel.unprivileged_bpf_disabled",
    "btf-modules": "DEBUG_INFO_BTF_MODULES",
    "fprobe": "FPROBE",
    "syscall-tracing": "FTRACE_SYSCALLS",
    "kernel-headers": "IKHEADERS",
    "bpf-lsm": "BPF_LSM",
    "cgroup-bpf": "CGROUP_BPF",
    "bpf-networking": "NET_CLS_BPF NET_ACT_BPF BPF_STREAM_PARSER LWTUNNEL_BPF",
    "cpu-latency-limit": "cpu_dma_latency /dev/cpu_dma_latency force_latency",
    "sleep-checks": "DEBUG_ATOMIC_SLEEP",
    "cpuidle-support": "CPU_IDLE cpuidle.off=1",
    "timer-migration": "kernel.timer_migration",
    "vmstat-interval": "vm.stat_interval",
    "rcu-grace-periods": "rcupdate.rcu_expedited rcupdate.rcu_normal_after_boot",
    "rcu-thread-priority": "rcutree.kthread_prio",
    "vfio-idle-power": "vfio_pci.disable_idle_d3",
    "vfio-virtual-functions": "vfio_pci.enable_sriov",
    "suspend-mode": "mem_sleep_default",
    "platform-profile": "platform_profile",
    "energy-performance-bias": "energy_perf_bias",
    "turbo": "no_turbo",
    "isolated-cpus": "isolcpus managed_irq",
    "tsc-trust": "tsc=reliable",
    "corrected-errors": "mce=off mce=ignore_ce",
    "compiler-optimization": "O3",
    "rt-group-sched": "RT_GROUP_SCHED",
    "smt": "nosmt",
    "namespaces": "PID_NS IPC_NS",
    "user-namespaces": "USER_NS",
    "posix-message-queues": "POSIX_MQUEUE",
    "symbol": "UIO HAVE_BPF_JIT",
    "vfio-without-iommu": "VFIO_NOIOMMU enable_unsafe_noiommu_mode",
    "flow-tables": "NF_FLOW_TABLE flowtable",
    "squashfs-decompression": "SQUASHFS_DECOMP_MULTI_PERCPU",
    "preempt-rt": "PREEMPT_RTB PREEMPT_RT_FULL",
    "preemption-model": "PREEMPT__LL",
    "timer-frequency": "HZ_500",
    "send-buffer-limit": "wmem wmem_max",
    "sysctl": "vm.panic_on_oom",
    "open-file-limit": "fs.file-max",
    "receive-buffer-default": "rmem_default",
    "local-port-range": "net.ipv4.ip_local_port_range",
    "lockdown": "lockdown",
    "oops-panic": "PANIC_ON_OOPS kernel.panic_on_oops",
    "parameter": "noht kthread_cpus ftrace stacktrace tp_printk crashkernel "
    "i915.enable_rc6 intel.max_cstate processor_idle.max_cstate",
    "program": "docker kubernetes systemd waydroid",
    "out-of-tree": "kernel.unprivileged_userns_clone "
    "CACHY SCHED_ALT SCHED_BMQ SCHED_PDS TCP_CONG_BBR3 BBRv3 MQ_IOSCHED_ADIOS "
    "USER_NS_UNPRIVILEGED IPIPE DOVETAIL xenomai DXGKRNL WINESYNC HAVE_PREEMPT_LAZY "
    "MIN_BASE_SLICE_NS SECURITY_SBAT SCHED_BORE ZEN_INTERACTIVE X86_64_VERSION",
}


@each(
    ("name", "answer"),
    [(name, answer) for answer, names in ANSWERS.items() for name in names.split()],
)
def test_what_answers(built_in, name, answer):
    assert answer in kind_of(name, built_in)


@each("name", ["SBX", "CACHYX", "xenomaix", "EVLX", "noht2", "DXG"])
def test_no_name_of_another_area_is_guessed(built_in, name):
    """What is not known is not known, however near a name of another thing is."""
    with pytest.raises(UsageError) as raised:
        explain(name, built_in)
    wrong = ("march", "ROCKER", "tsx", "scx", "nosmap", "DEBUG_KERNEL", "nohlt", "nohz", "mem?")
    assert not any(word in raised.value.hint for word in wrong)
