"""A snapshot of a host, made by the command or by its script, tells what the host's files tell."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.cli.collect import _processes, _script, _snapshot
from advisor.inputs.host import read
from advisor.inputs.host.held import Held, Missing, Refused
from advisor.inputs.host.root import Root
from advisor.inputs.host.script import script
from advisor.inputs.host.settings import read_settings
from advisor.inputs.host.signs import read_signs
from advisor.inputs.host.snapshot import Snapshot, files_of, read_snapshot
from advisor.inputs.host.taken import Take

from .. import corpus
from ..inputs.host.hosts import recorded, write_host
from .test_machine import LAPTOP, SERVER

WANTED = (("dash",), ("busybox", "ash"), ("mksh",), ("bash", "--posix"))
SHELLS = [shell for shell in WANTED if shutil.which(shell[0])]
SMALL = [shell for shell in SHELLS if shell in WANTED[:3]]
GOLDEN = Path(__file__).parent / "collect.sh"
FEW = (
    Take("lines", "/proc/meminfo", "MemTotal:"), Take("text", "/etc/sysctl.d/*.conf"),
    Take("value", "/sys/block/*/queue/scheduler"), Take("name", "/sys/firmware/efi"),
    Take("there", "/lib"), Take("binary", "/sys/firmware/x"),
)  # fmt: skip
RELEASE = "6.12.0-x"
ABSENT_HERE = "sys/kernel/slab/kmalloc-8k/alloc_fastpath"  # of a kernel that counts for debugging
CONFIG = "#\n# Linux/x86 6.12.0 Kernel Configuration\n#\nCONFIG_X86_64=y\nCONFIG_X86=y\n"
SERVER = {
    **SERVER,
    "/proc/cmdline": "root=/dev/x quiet nohz=off rd.luks.key=/secret\n",
    "/proc/sys/kernel/osrelease": f"{RELEASE}\n", "/proc/sys/kernel/arch": "x86_64\n",
    "/proc/sys/vm/swappiness": "60\n", "/proc/sys/kernel/printk": "4\t4\t1\t7\n",
    f"/boot/config-{RELEASE}": f'{CONFIG}CONFIG_HZ_1000=y\nCONFIG_CMDLINE="token=abc quiet"\n',
    "/sys/block/sda/queue/scheduler": "[mq-deadline] none\n",
    "/sys/block/sda/queue/rotational": "0\n",
    "/sys/block/loop0/queue/scheduler": "[none]\n",
    "/sys/kernel/security/lsm": "lockdown,capability,landlock,yama,apparmor\n",
    "/sys/kernel/security/lockdown": "none [integrity] confidentiality\n",
    "/sys/module/nvme_core/parameters/io_timeout": "30\n",
    "/sys/devices/system/cpu/cpufreq/policy0/scaling_driver": "intel_pstate\n",
    "/sys/class/net/eth0/device/": "",
    "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor": "performance\n",
    "/sys/devices/system/cpu/cpufreq/policy4/scaling_governor": "powersave",
    "/sys/fs/cgroup/a.slice/cpuset.cpus.partition": "member\n",
    "/sys/fs/cgroup/a.slice/b/cpuset.cpus.partition": "isolated\n",
}  # fmt: skip
BOOTING = {
    **SERVER,
    "/usr/lib/systemd/system/tuned.service": "",
    "/usr/lib/sysctl.d/50.conf": "kernel.unheard_of = 2\n", "/proc/sys/kernel/unheard_of": "1\n",
    "/proc/sys/net/ipv4/tcp_fastopen_key": "1-2-3\n",
    "/proc/1/comm": "systemd\n", "/etc/systemd/system/": "",
    "/etc/sysctl.conf": "vm.swappiness=5\n",
    "/usr/lib/sysctl.d/10.conf": "# a comment with secret=1\nvm.swappiness = 10\n;x\n",
    "/etc/sysctl.d/99-x.conf": "\nvm.swappiness = 20\n-net.ipv4.tcp_fastopen_key = 1-2-3\n",
    "/etc/sysctl.d/empty.conf": "", "/etc/sysctl.d/.hidden.conf": "vm.swappiness = 1\n",
    "/etc/tmpfiles.d/a b.conf": "w /sys/block/sda/queue/scheduler - - - - none\n",
    "/etc/modprobe.d/x.conf": "options kvm halt_poll_ns=0",
    "/usr/lib/udev/rules.d/60.rules": 'SUBSYSTEM=="block", ATTR{queue/rotational}=="0", '
    'ATTR{queue/scheduler}="none"\n',
    "/etc/default/grub": 'GRUB_CMDLINE_LINUX="quiet mitigations=off"\n',
    "/boot/grub/grub.cfg": "password root plain\nmenuentry 'Mine' {\n"
    f" linux /vmlinuz-{RELEASE} root=/dev/x quiet api_key=abc\n}}\n",
    "/boot/grub/grubenv": "# GRUB Environment Block\nsaved_entry=0\n",
}  # fmt: skip
HOSTS = {
    "server": SERVER, "booting": BOOTING,
    "laptop": {**SERVER, **LAPTOP},
    "cloud": {**SERVER, **recorded("cloud-6.12")},
    "processes": {
        **{path: text for path, text in SERVER.items() if "cgroup" not in path},
        "/proc/9/comm": "nginx\n", "/proc/812/comm": "postgres\n", "/proc/813/comm": "postgres\n",
        "/proc/90/comm": "ora_pmon_X\n", "/proc/77/comm": "somebody\n",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge():
    return corpus.knowledge()


@pytest.fixture(params=HOSTS)
def host(request, tmp_path):
    folder = write_host(tmp_path / "host", HOSTS[request.param])
    if request.param == "booting":
        (folder / "etc/sysctl.d/98-off.conf").symlink_to("/dev/null")
        (folder / "etc/sysctl.d/99-sysctl.conf").symlink_to("../sysctl.conf")
        (folder / "lib").symlink_to("usr/lib")
        wants = folder / "etc/systemd/system/multi-user.target.wants"
        wants.mkdir()
        (wants / "tuned.service").symlink_to("/usr/lib/systemd/system/tuned.service")
        os.mkfifo(folder / "proc/sys/vm/dirty_ratio")
    return folder


def taken_by(shell, knowledge, tmp_path, folder, **environment):
    file = tmp_path / "collect.sh"
    file.write_text(_script(knowledge))
    out = tmp_path / "out"
    done = subprocess.run(
        [*shell, file, out], check=False, capture_output=True, text=True, timeout=60,
        env={**os.environ, "KERNEL_ADVISOR_ROOT": str(folder), **environment},
    )  # fmt: skip
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    return out.read_bytes()


def test_the_script_is_tried_with_every_shell():
    if lacking := [shell[0] for shell in WANTED if shell not in SHELLS]:
        pytest.skip(f"not installed: {', '.join(lacking)}")


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell[0])
def test_the_script_takes_what_the_command_takes(shell, knowledge, host, tmp_path):
    text = gzip.decompress(taken_by(shell, knowledge, tmp_path, host))
    assert text.decode() == _snapshot(knowledge, str(host)).decode()


def test_a_report_on_a_snapshot_is_that_on_the_host(host, run_inside, tmp_path):
    snap = tmp_path / "s"
    assert run_inside("collect", "--host", host, "-o", snap).code == 0
    first = snap.read_bytes()
    assert run_inside("collect", "--host", host, "-o", snap).code == 0
    assert snap.read_bytes() == first
    assert len(first) < 200_000
    shown = []
    for name in (host, snap):
        done = run_inside("audit", "--host", name, "--fail-on", "never", "-f", "json")
        assert done.code == 0, done.stderr
        text = done.stdout.replace(json.dumps(str(name))[1:-1], "")
        # What is masked, and why something was not read, is all that differs.
        for secret, mask in (("/secret", "***"), ("=abc", "=***"), ("= 1-2-3", "= ***")):
            text = text.replace(secret, mask)
        text = text.replace("no regular file", "could not be read when the snapshot was made")
        # It is of the input's name as well.
        text = re.sub('"fingerprint": "[^"]*"', '"fingerprint": ""', text)
        shown.append(json.loads(text)["reports"])
    assert shown[0] == shown[1]


class Recorder(Root):
    """Notes what is asked of a host's files, with the answer."""

    def __init__(self, folder):
        super().__init__(folder)
        self.asked = {}

    def note(self, name, path, answer):
        self.asked[name, path] = answer
        return answer

    def text(self, path, *limit):
        return self.note("text", path, super().text(path, *limit))

    def has(self, path):
        return self.note("has", path, super().has(path))

    def link(self, path):
        return self.note("link", path, super().link(path))


# Texts whose secrets are masked and whose comments are empty.
CHANGED = ("/proc/cmdline", "/etc/", "/usr/lib/", "/lib/", "/boot/")
# What no reader counts (inputs/host/settings.py), and a secret.
NOT_TAKEN = ("/sys/block/loop", "/proc/sys/net/ipv4/tcp_fastopen_key")


def test_what_the_readers_ask_for_is_in_the_list(host, knowledge, tmp_path, monkeypatch):
    """Whoever lets a reader ask for more adds it to inputs/host/taken.py, or fails here."""
    live = Recorder(str(host))
    snap = tmp_path / "s"
    snap.write_bytes(_snapshot(knowledge, str(host)))
    sysctls, files, there = map(knowledge.run_time_names, ("sysctl", "sysfs", "there"))
    monkeypatch.setattr(read, "root_of", lambda path: live)
    read.read_host("x", sysctls, files, there=there)
    read_signs(live)
    root = read_snapshot(str(snap))
    assert live.asked
    for (kind, path), answer in live.asked.items():
        if path.startswith(NOT_TAKEN):
            continue
        if kind == "text" and path.startswith(CHANGED):
            assert (root.text(path, 1 << 24) is None) == (answer is None), path
        elif kind == "text":
            got = root.text(path)
            ours, theirs = ("".join((t or "").split()) for t in (answer, got))
            assert theirs == ours, path
        elif kind == "link" and answer and (".wants" in path or path.endswith(("null", "lib"))):
            assert root.link(path) == answer, path
        elif kind == "has":
            assert root.has(path) == answer, path


def test_the_golden_script():
    """That of a short list, which rules do not change."""
    text = script(FEW, ("nginx", "ora_*'s"), ("/proc/config.gz", "/boot/config-{}"))
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_what_is_in_a_closed_folder_is_refused_and_not_absent(knowledge, monkeypatch):
    """As debugfs is to all but root; a report then says once what could not be read."""
    folder = f"/{ABSENT_HERE}".rpartition("/")[0]
    while not os.path.lexists(folder):
        folder = folder.rpartition("/")[0]
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != folder and allowed(path, mode))
    assert isinstance(files_of(_snapshot(knowledge, "/"), "s")[ABSENT_HERE], Refused)


def test_a_snapshot_of_this_machine_tells_what_that_lacks(knowledge, tmp_path):
    """As the machine itself does; of no sysctl and no module nobody knows."""
    (tmp_path / "s").write_bytes(_snapshot(knowledge, "/"))
    names = [*map(knowledge.run_time_names, ("sysctl", "sysfs", "there"))]
    here, taken = (read_settings(root, *names) for root in (Root(), read_snapshot(tmp_path / "s")))
    assert (taken.lacking, taken.closed) == (here.lacking, here.closed)
    assert "/sys/kernel/mm/no_such_file" not in here.lacking
    assert not here.lacking & here.sysctl.keys()


def test_of_a_pattern_that_names_no_file_a_snapshot_notes_that_once():
    absent = b"kernel-advisor snapshot 1\nabsent /sys/bus/usb/devices/*/power/control\nend\n"
    root = Snapshot("s", files_of(absent, "s"))
    assert root.knows("/sys/bus/usb/devices/*/power/control") is False
    assert root.knows("/sys/bus/usb/devices/1-1/power/control") is False
    assert root.knows("/sys/bus/pci/devices/1-1/power/control") is None
    found = read_settings(root, ("vm.swappiness",), ("/sys/bus/usb/devices/*/power/control",))
    assert found.lacking == {"/sys/bus/usb/devices/*/power/control"}


def test_what_was_refused_is_closed_and_not_lacking():
    text = b"kernel-advisor snapshot 1\nrefused /sys/block/sda/queue/scheduler\nend\n"
    found = read_settings(
        Snapshot("s", files_of(text, "s")), (), ("/sys/block/DEVICE/queue/scheduler",)
    )
    assert (found.lacking, found.closed) == (set(), {"/sys/block/DEVICE/queue/scheduler"})


def test_what_is_not_there_is_told_of_this_machine(knowledge):
    """That nobody looked, and that there is nothing, are two things."""
    files = files_of(_snapshot(knowledge, "/"), "s")
    assert files[ABSENT_HERE] == Missing()
    # That it is there is not all that is taken of it.
    assert not os.path.exists("/proc/config.gz") or isinstance(files["proc/config.gz"], bytes)
    assert Held("s", files).knows(f"/{ABSENT_HERE}") is False
    assert Held("s", files).knows("/proc/pressure/unheard_of") is None


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell[0])
def test_the_script_tells_what_is_not_there(shell, tmp_path):
    takes = [Take("presence", f"/{ABSENT_HERE}"), Take("presence", "/proc/self/x/y"),
             Take("presence", "/proc/cmdline"), Take("presence", "/proc/sys")]  # fmt: skip
    (tmp_path / "s").write_text(script(takes, ("nobody",), ("/boot/config-{}",)))
    made = subprocess.run([*shell, tmp_path / "s"], capture_output=True, check=True, timeout=60)
    lines = gzip.decompress(made.stdout).decode().splitlines()[1:]
    found = ["absent /proc/self/x/y", "there /proc/cmdline", "folder /proc/sys"]
    assert lines[:4] == [f"absent /{ABSENT_HERE}", *found]


def test_of_processes_those_are_taken_that_profiles_name(knowledge, tmp_path):
    folder = write_host(tmp_path / "h", HOSTS["processes"])
    files = files_of(_snapshot(knowledge, str(folder)), "x")
    told = sorted(path for path in files if path.endswith("/comm"))
    assert told == ["proc/812/comm", "proc/813/comm", "proc/9/comm", "proc/90/comm"]
    assert "postgres" in _processes(knowledge)


def test_no_secret_is_in_it(knowledge, tmp_path):
    folder = write_host(tmp_path / "h", BOOTING)
    text = _snapshot(knowledge, str(folder)).decode()
    for secret in ("/secret", "abc", "1-2-3", "plain", "secret=1"):
        assert secret not in text


@pytest.mark.parametrize(
    "shell", SMALL if ("busybox", "ash") in SMALL else (), ids=lambda shell: shell[0]
)
def test_without_gzip_it_is_plain(shell, knowledge, tmp_path):
    """With nothing but what busybox has, and no gzip among it."""
    programs = tmp_path / "bin"
    programs.mkdir()
    names = ("awk", "cat", "find", "grep", "head", "kill", "mktemp", "mv", "od", "printf",
             "readlink", "rm", "sed", "sleep", "sort", "tail", "tr", "uname", "wc")  # fmt: skip
    for name in names:
        (programs / name).symlink_to(str(shutil.which("busybox")))
    for name in ("dash", "busybox", "mksh"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    folder = write_host(tmp_path / "host", BOOTING)
    made = taken_by(shell, knowledge, tmp_path, folder, PATH=str(programs))
    if shell[0] == "busybox" and made[:2] == b"\x1f\x8b":  # its shell finds its own before PATH
        made = gzip.decompress(made)
    assert made == _snapshot(knowledge, str(folder))


def test_this_machine_twice_and_by_all(knowledge, tmp_path):
    """The command before and after the shells, so that each is held against another time."""
    made = [_snapshot(knowledge, "/")]
    made += (gzip.decompress(taken_by(shell, knowledge, tmp_path, "")) for shell in SMALL)
    made.append(_snapshot(knowledge, "/"))
    # What runs here while the tests do comes and goes.
    first, *others = (
        {path: entry for path, entry in files_of(text, "x").items() if path[-5:] != "/comm"}
        for text in made
    )
    for other in others:
        assert other == first


def test_four_thousand_devices(knowledge, tmp_path):
    files = {f"/sys/block/sd{n}/queue/scheduler": "[none]\n" for n in range(4000)}
    folder = write_host(tmp_path / "host", {**SERVER, **files})
    text = gzip.decompress(taken_by(("dash",), knowledge, tmp_path, folder))
    assert text == _snapshot(knowledge, str(folder))


def test_a_file_that_blocks_costs_itself(knowledge, tmp_path):
    """A shell that reads for ever is ended; what its path names is told as not read."""
    folder = write_host(tmp_path / "host", SERVER)
    whole = _script(knowledge)
    assert "take_value() {\n" in whole
    blocking = whole.replace(
        "take_value() {\n",
        'take_value() {\n  case $path in */policy0/*) while :; do sleep 9; done ;; esac\n', 1
    )  # fmt: skip
    (tmp_path / "collect.sh").write_text(blocking)
    done = subprocess.run(
        ["sh", tmp_path / "collect.sh", tmp_path / "out"],
        check=False, capture_output=True, text=True, timeout=60,
        env={**os.environ, "KERNEL_ADVISOR_ROOT": str(folder)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    root = read_snapshot(str(tmp_path / "out"))
    path = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
    assert root.text(path) is None
    assert path in root.unread
    assert root.text("/proc/sys/vm/swappiness") == "60\n"


def test_the_script_is_what_shellcheck_likes(knowledge, tmp_path):
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed")
    (tmp_path / "collect.sh").write_text(_script(knowledge))
    done = subprocess.run(
        ["shellcheck", "-s", "sh", tmp_path / "collect.sh"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_a_snapshot_is_known_by_what_it_holds(knowledge, run_inside, tmp_path):
    folder = write_host(tmp_path / "host", SERVER)
    plain = tmp_path / "anything.tar"
    plain.write_bytes(_snapshot(knowledge, str(folder)))
    done = run_inside("--host", plain)
    assert done.code == 0
    assert "PowerEdge R650" in done.stdout
    plain.write_bytes(plain.read_bytes().replace(b"snapshot 1", b"snapshot 7", 1))
    done = run_inside("audit", "--host", plain)
    assert done.code == 3
    assert (
        f"{plain}:1: has version 7, and this kernel-advisor reads versions up to 1" in done.stderr
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--script", "--host", "/"), "the script packs the host that runs it"),
        (("--host", "/", "--host", "/"), "a snapshot has one host"),
    ],
)
def test_what_makes_no_sense_is_refused(run_inside, words, message):
    done = run_inside("collect", *words)
    assert done.code == 2
    assert message in done.stderr


def test_a_file_that_cannot_be_written(run_inside, tmp_path):
    folder = write_host(tmp_path / "host", SERVER)
    done = run_inside("collect", "--host", folder, "-o", tmp_path / "no/where")
    assert (done.code, done.stdout) == (6, "")
