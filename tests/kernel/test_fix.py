"""What `check --fix` writes, against what the tree's own merge_config.sh and conf make of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .kernels import PROJECT, Lines
from .test_check import FRAGMENT
from .tools import clean

pytestmark = [pytest.mark.kernel, pytest.mark.sampled]

# Commonest of embedded kernels: switched off behind `if EXPERT`.
WITHOUT = (
    "FHANDLE", "PRINTK", "EPOLL", "BASE_FULL", "SYSFS", "MULTIUSER", "VT", "VGA_ARB", "TIMERFD",
    "SIGNALFD", "EVENTFD", "SHMEM", "MEMBARRIER", "AIO", "IO_URING", "ADVISE_SYSCALLS", "FUTEX",
)  # fmt: skip
TEXTS = {
    "expert": "".join(f"# CONFIG_{name} is not set\n" for name in WITHOUT),
    "every-kind": FRAGMENT,
    # What containers and a packet filter ask for, as modules where the base may have none.
    "modules": "".join(
        f"CONFIG_{name}=m\n"
        for name in ("NF_TABLES", "NFT_CT", "NFT_NAT", "BRIDGE_NETFILTER", "OVERLAY_FS", "VETH")
    ),
    "containers": "".join(
        f"CONFIG_{name}=y\n"
        for name in (
            "9P_FS", "9P_FS_POSIX_ACL", "NET_9P_VIRTIO", "TASK_XACCT", "CFS_BANDWIDTH", "CPUSETS",
            "CGROUP_BPF", "USER_NS", "VIRTIO_FS", "FS_DAX", "SQUASHFS_XZ", "RETPOLINE",
        )
    ),
}  # fmt: skip
# In every tree that is read here.
OWN = ("debug", "nopm", "tiny", "x86_debug", "xen")
BASES = [
    ("6.1", "x86_64-defconfig"),
    ("6.1", "arm64-defconfig"),
    ("6.12", "x86_64-defconfig"),
    ("6.12", "arm64-defconfig"),
    ("6.12", "x86_64-tiny"),
]


def check(kernels, version, config, fragment, *more):
    """The exit code, output and complaints of `check`, as a user runs it."""
    command = [
        sys.executable, "-m", "advisor", "check", str(fragment), "--on", str(config),
        "--tree", str(kernels.tree(version)), *more,
    ]  # fmt: skip
    done = subprocess.run(
        command, env=clean(), cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done


def missing(kernels, version, name, config, fragment, folder):
    """The lines of a fragment that do not come out of the tree's own tools."""
    folder.mkdir()
    kernels.merge(version, folder, config, fragment)
    kernels.olddefconfig(version, "arm64" if "arm64" in name else "x86_64", folder)
    final = Lines.of((folder / ".config").read_text())
    return Lines.of(fragment.read_text()).missing_in(final)


@pytest.fixture(params=[*TEXTS, *OWN])
def fragment(request, tmp_path):
    """A function: the fragment, in that tree."""

    def written(kernels, version):
        text = TEXTS.get(request.param)
        if text is None:
            name = f"kernel/configs/{request.param}.config"
            text = (kernels.tree(version) / name).read_text()
        path = tmp_path / "x.config"
        path.write_text(text)
        return path

    return written


@pytest.mark.parametrize(("version", "name"), BASES, ids="-".join)
def test_every_line_of_a_repaired_fragment_holds(version, name, kernels, base, fragment, tmp_path):
    config, path = base(version, name), fragment(kernels, version)
    fixed = tmp_path / "fixed.config"
    done = check(kernels, version, config, path, "--fix", "-o", str(fixed))
    assert bool(done.stderr) is (done.returncode == 1)
    assert missing(kernels, version, name, config, fixed, tmp_path / "out") == {}
    # Closed: a check drops nothing, and a second repair changes nothing.
    assert check(kernels, version, config, fixed).returncode == 0
    assert check(kernels, version, config, fixed, "--fix").stdout == fixed.read_text()


@pytest.mark.parametrize("version", ["6.1", "6.12"])
def test_all_that_expert_hides_is_had(kernels, base, tmp_path, version):
    path = tmp_path / "x.config"
    path.write_text(TEXTS["expert"])
    done = check(kernels, version, base(version, "x86_64-defconfig"), path, "--fix")
    assert (done.returncode, done.stdout.count("Not included")) == (0, 0)
    assert "\nCONFIG_EXPERT=y\n" in done.stdout


def test_a_repair_that_the_trees_tools_prove(kernels, base, tmp_path):
    path = tmp_path / "x.config"
    path.write_text(TEXTS["modules"])
    config = base("6.12", "x86_64-tiny")
    done = check(kernels, "6.12", config, path, "--fix", "--prove", "kbuild")
    assert (done.returncode, done.stderr) == (0, "")
    assert "# Proof: kbuild" in done.stdout
