"""Supportconfigs: the host that their texts tell of, and no other."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.inputs.host.read import read_host, root_of
from advisor.inputs.host.supportconfig import files_of
from advisor.model.kernel import Machine

from .hosts import write_host


def section(kind: str, title: str, *lines: str) -> str:
    return "\n".join([f"#==[ {kind} ]".ljust(52, "=") + "#", f"# {title}", *lines, "", ""])


UNAME = "Linux db1 6.4.0-9-default #1 SMP PREEMPT_DYNAMIC Thu Jan 1 x86_64 x86_64 x86_64 GNU/Linux"
TEXTS = {
    "basic-environment.txt": section("Command", "/usr/bin/uname -a", UNAME),
    "boot.txt": section("Command", "/usr/bin/uname -a", "other")
    + section("Configuration File", "/proc/cmdline", "quiet nohz=off")
    + section("Configuration File", "/etc/default/grub - File not found"),
    "env.txt": section("Command", "/sbin/sysctl -a", "vm.swappiness = 10", "kernel.pid_max = 9"),
    "memory.txt": section("Command", "/sbin/sysctl -a 2>/dev/null | grep ^vm", "vm.swappiness = 7")
    + section("Configuration File", "/proc/meminfo", "MemTotal:    2048 kB")
    + section("Configuration File", "/sys/kernel/mm/ksm/run", "1"),
    "proc.txt": section("Configuration File", "/proc/sys/kernel/pid_max", "7"),
    "hardware.txt": section("Configuration File", "/proc/cpuinfo", "vendor_id\t: GenuineIntel"),
    "fs-diskio.txt": section(
        "Command", "/usr/bin/grep '' /sys/block/*/queue/scheduler",
        "/sys/block/sda/queue/scheduler:[mq-deadline] none",
        "/sys/block/sdb/queue/scheduler:mq-deadline [none]",
    ),
}  # fmt: skip
NAMES = (
    ["vm.swappiness", "kernel.pid_max"],
    ["/sys/block/DEVICE/queue/scheduler", "/sys/kernel/mm/ksm/run"],
)


@pytest.mark.parametrize("form", ["folder", "w", "w:xz"])
def test_a_supportconfig_is_the_host_it_tells_of(tmp_path, form):
    path = write_host(tmp_path / "scc_db1", TEXTS)
    if form != "folder":
        folder, path = path, tmp_path / "scc_db1.txz"
        with tarfile.open(path, form) as tar:
            tar.add(folder, "scc_db1_260101_1200_x")
    host = read_host(str(path), *NAMES)
    assert (host.version.text, host.cmdline.text) == ("6.4.0-9-default", "quiet nohz=off")
    assert host.machine == Machine(arch="x86", memory=2048 * 1024, vendor="intel")
    shown = {key: text for key, (text, _) in host.runtime.sysctl.items()}
    assert shown == {"vm.swappiness": "10", "kernel.pid_max": "7"}
    shown = {key: text for key, (text, _) in host.runtime.sysfs.items()}
    assert shown == {
        "/sys/block/sda/queue/scheduler": "[mq-deadline] none",
        "/sys/block/sdb/queue/scheduler": "mq-deadline [none]",
        "/sys/kernel/mm/ksm/run": "1",
    }
    assert [note.id for note in host.notes] == ["host-no-config"]


def test_nothing_of_this_machine_is_told(tmp_path):
    root = root_of(str(write_host(tmp_path / "scc", {"basic-environment.txt": "\n"})))
    assert not root.runs
    assert (root.text("/proc/cmdline"), root.names("/"), root.has("/sys")) == (None, [], False)


def test_a_section_shows_no_file_out_of_the_host():
    text = section("Configuration File", "/proc/../../x", "1") + section("Log File", "/root/x", "1")
    files = files_of([text])
    assert list(files) == ["proc/../../x"]  # which no path leads to: its dots are parts of a name


WORDS = [
    "#==[ Command ]===#",
    "#==[ ",
    "# /proc/cmdline",
    "# /sbin/sysctl -a",
    "\n",
    "x",
    "/sys/a:1",
]


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=9), max_size=20))
def test_any_text_is_read(tmp_path_factory, lines):
    data = "\n".join(lines).encode(errors="replace")
    path = tmp_path_factory.mktemp("s") / "scc.tar"
    with tarfile.open(path, "w") as tar:
        for name in ("x/basic-environment.txt", "x/boot.txt"):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    root = root_of(str(path))
    assert root.text("/proc/cmdline") is None or b"/proc/cmdline" in data
