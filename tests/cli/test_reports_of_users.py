"""What public bug reports and users asked, with the kernels of examples/: each answer holds what is
right, and none of what was false.

Where the kernel's source decides, the file is named as it was read in 6.12.117. Rows that need a
kernel tree or a host are held by the tests of those.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = {
    "X": str(EXAMPLES / "x86_64-6.12.config.xz"),
    "A": str(EXAMPLES / "arm64-6.12.config.xz"),
}
TEXTS = {
    "fq.conf": "net.core.default_qdisc = fq   # pacing\nvm.swappiness = 10  # low\n",
    "aslr.conf": "kernel.randomize_va_space = 1\n",
    "part.rt": (
        "/sys/fs/cgroup/rt.slice/cpuset.cpus.partition = isolated\n"
        "/sys/fs/cgroup/rt.slice/cpuset.cpus = 2-7\n"
    ),
    "pids": "CONFIG_X86_64=y\nCONFIG_CGROUPS=y\nCONFIG_CGROUP_PIDS=y\n",
    "log": (
        "CONFIG_X86_64=y\nCONFIG_PRINTK=y\nCONFIG_CONSOLE_LOGLEVEL_DEFAULT=7\n"
        "CONFIG_CONSOLE_LOGLEVEL_QUIET=4\n"
    ),
    "lsm": (
        "CONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\nCONFIG_SECURITY_SELINUX=y\n"
        'CONFIG_LSM="yama,selinux,apparmor"\n'
    ),
    "microvm": (
        "CONFIG_X86_64=y\nCONFIG_HYPERVISOR_GUEST=y\nCONFIG_PARAVIRT=y\nCONFIG_KVM_GUEST=y\n"
        "CONFIG_VIRT_DRIVERS=y\nCONFIG_VIRTIO=y\nCONFIG_VIRTIO_MMIO=y\n"
        "# CONFIG_ACPI is not set\n# CONFIG_PCI is not set\n"
    ),
    "ip": "CONFIG_IP_PNP=y\nCONFIG_IP_PNP_DHCP=y\nCONFIG_IP_PNP_BOOTP=y\n",
}
PART = "--partial --kernel 6.12"


class Row(NamedTuple):
    """What is typed behind `audit`, parts that the answer has, and parts that it must not have."""

    typed: str
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()


ROWS = [
    # mm/hugetlb.c: a number counts for the size before it.
    Row("X --cmdline 'hugepagesz=1G hugepagesz=2M hugepages=32 hugepages=1024'",
        ("32 pages of 2 MiB and none of 1 GiB",
         "write hugepagesz=1G hugepages=32 hugepagesz=2M hugepages=1024"), ("take out",)),
    Row("X --cmdline hugepagesz=1G", ("no number follows",)),
    Row("A -p container-host --cmdline 'cgroup_disable=memory cgroup_memory=1'",
        ("remove cgroup_disable=memory", "parameter-unknown")),
    # security/security.c#ordered_lsm_parse
    Row("X --cmdline 'quiet apparmor=1 security=apparmor'",
        ("needs SECURITY_APPARMOR", "build a kernel with SECURITY_APPARMOR=y"), ("on by default",)),
    Row("X --cmdline lsm=lockdwon,yama", ("did you mean lockdown?",)),
    Row("X --cmdline security=foo", ("there is no security module foo",)),
    # kernel/sched/isolation.c, arch/arm64/kernel/smp.c#smp_prepare_cpus
    Row("A --cpus 4 --cmdline isolcpus=0-1", ("the kernel removes the boot CPU again",)),
    Row("X --cpus 16 --cmdline 'isolcpus=4-15 irqaffinity=0-15'", ("write irqaffinity=0-3",)),
    # kernel/sysctl.c#proc_dointvec stops at a blank, net/core/sysctl_net_core.c takes the text.
    Row("X --sysctl fq.conf --cmdline quiet",
        ("the comment is part of the value", "move the comment to a line of its own"),
        ("vm.swappiness",)),
    Row("A --cmdline 'dyndbg=file drivers/usb/host/xhci.c +p quiet'",
        ('write dyndbg="file drivers/usb/host/xhci.c +p"',), ("parameter-unknown",)),
    Row("X --vendor amd --cmdline amd_iommu=on", ("the value amd_iommu=on does not exist",)),
    Row("X --cmdline 'rauc.slot=A k3os.mode=install'", ("keep the parameter only if init, or a",),
        ("remove the parameter",)),
    Row(f"microvm {PART.replace('--partial', '--whole')} -p virtualization-guest", (),
        ("vmgenid",)),
    Row(f"pids {PART} -p container-host --cmdline cgroup_disable=pids",
        ("remove cgroup_disable=pids", "for each new process, the kernel updates one counter"),
        ("without end",)),
    Row(f"log {PART} -p embedded-fastboot --cmdline 'ignore_loglevel quiet'",
        ("remove ignore_loglevel",), ("rebuild with CONSOLE_LOGLEVEL_DEFAULT",)),
    Row(f"lsm {PART} -p container-host --verbose", ("selinux, which excludes apparmor",)),
    Row("X -p server-throughput --cmdline 'trace_event=sched:*'", ("remove trace_event=sched:*",),
        ("has no prompt",)),
    Row("X -p server-throughput --cmdline kprobe_event=p,vfs_read",
        ("remove kprobe_event=p,vfs_read",), ("has no prompt",)),
    Row("X -p embedded-fastboot --cmdline ignore_loglevel",
        ("on the boot line: quiet drop ignore_loglevel",)),
    Row("X -p server-throughput --cmdline slab_debug=FZP", ("takes the lock of the cache's node",)),
    Row("X --cmdline pty.legacy_count=0", ("needs LEGACY_PTYS",)),
    # fs/binfmt_elf.c: more than 1 turns heap randomization on.
    Row("X --sysctl aslr.conf -p container-host", ("sysctl -w kernel.randomize_va_space=2",)),
    # drivers/base/core.c#fw_devlink_flags
    Row("A -p embedded-fastboot --cmdline quiet --verbose",
        ("suppliers first, and powered while they are needed",)),
    Row(f"ip {PART} -p embedded-fastboot --cmdline ip=::::board:eth0:on",
        ("remove ip=::::board:eth0:on",)),
    Row("X -p network-latency --cpus 8 --isolate 2-7 --cmdline quiet --runtime part.rt", (),
        ("isolcpus=managed_irq,domain,2-7",)),
    Row("X --cpus 16 --cmdline isolcpus=cpu2-15", ("write isolcpus=2-15", "isolates no CPU")),
    Row("X --cpus 16 --cmdline isolcpus", ("write isolcpus=VALUE",)),
    Row("X --cpus 16 --cmdline 'isolcpus 2-3'", ("write isolcpus=2-3, without a blank",)),
    Row("X --cmdline 'quiet zswap.enabled=1 zswap.compressor=zstd'", ("zswap",)),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_what_an_audit_answers(row, run_inside, tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    words = [FILES.get(word, word) for word in shlex.split(row.typed)]
    result = run_inside("audit", *words, "--no-settings")
    assert result.code in (0, 1), result.stderr
    told = " ".join(result.stdout.partition("proof")[2].split())
    assert [part for part in row.has if part not in told] == []
    assert [part for part in row.lacks if part in told] == []


def test_a_bare_name_of_a_sysctl_is_explained(run_inside):
    assert run_inside("explain", "tcp_dsack").stdout.startswith("net.ipv4.tcp_dsack (sysctl)")
