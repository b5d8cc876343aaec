"""Settings of a plan as files, read back by our own readers and by the programs they are for."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.modules import read_modules
from advisor.inputs.nextboot.sysctls import read_sysctls
from advisor.inputs.nextboot.tmpfiles import read_tmpfiles
from advisor.inputs.nextboot.udev import read_udev
from advisor.inputs.nextboot.writes import Writes
from advisor.model.disks import KINDS
from advisor.model.finding import Finding, Verdict
from advisor.model.kernel import Machine
from advisor.model.plan import File, Item, Kept, Plan
from advisor.model.remedy import Remedy, RemedyKind, Setting
from advisor.model.report import Report
from advisor.model.state import State
from advisor.output import PLAN_FORMATS, Style, renderer

from .. import corpus
from ..cases import each
from ..inputs.host.hosts import write_host

KNOWLEDGE = corpus.knowledge()
PROFILE = KNOWLEDGE.profile("server-throughput")
# With what each of the files could take for its own; and what none may change.
VALUES = ("1", "a b", "100%", "%%", "a%b%%c", "$x", "$$", "a;b#c", "it's", 'a"b', "~!()[]{}*?|<>&=")
BACKSLASHES = ("a\\b", "\\", "\\n", "\\x41")


def report_on(*kept):
    """A report whose plan has these settings, each of a change of its own."""
    (advice, *_) = PROFILE.advice
    tunable = KNOWLEDGE.tunable(advice.options[0].tunable)
    finding = Finding(advice.key, Verdict.CHANGE, advice, tunable, State(tunable.id, ()))
    remedy = Remedy(RemedyKind.RUNTIME, "x")
    items = tuple(Item(finding, remedy, (PROFILE.id,), (one,)) for one in kept)
    plan = Plan(whole=True, items=items)
    return Report("c", None, Machine(), True, None, (PROFILE,), (), (), (), plan)


def text_of(file, *kept):
    return renderer(file.value, PLAN_FORMATS)([report_on(*kept)], Style())


def of(file, key, value, disks=()):
    return Kept(Setting(key, value), file, "", disks)


def lines_of(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.fixture
def written(tmp_path):
    """What a host with these files writes at its next boot, by one of the readers."""

    def read(reader, file, text, shown=(), patterns=()):
        root = Root(
            str(write_host(tmp_path, {f"/{file.paths[0]}": text, **dict.fromkeys(shown, "1\n")}))
        )
        into = Writes(root, patterns)
        reader(root, into)
        assert not into.unsure
        return {key: one.value for key, one in into.written.items()}

    return read


def once(text):
    """As a reader shows a value: blanks once."""
    return " ".join(text.split())


# --- our own readers --------------------------------------------------------------------------


@each("value", (*VALUES, *BACKSLASHES))
def test_sysctl_d_is_read_back(written, value):
    text = text_of(File.SYSCTL, of(File.SYSCTL, "vm.x", value))
    found = written(
        lambda root, into: into.take(read_sysctls(root, ()).writes, ()), File.SYSCTL, text
    )
    assert found == {"vm.x": once(value)}


FILE = "/sys/kernel/mm/x"


@each("value", (*VALUES, *BACKSLASHES, ""))
def test_tmpfiles_d_is_read_back(written, value):
    text = text_of(File.TMPFILES, of(File.TMPFILES, FILE, value))
    assert written(read_tmpfiles, File.TMPFILES, text, (), (FILE,)) == {FILE: once(value)}


def test_a_pattern_of_tmpfiles_d_is_for_all_that_are_there(written):
    key = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
    shown = [key.replace("*", number) for number in "03"]
    text = text_of(File.TMPFILES, of(File.TMPFILES, key, "performance"))
    found = written(read_tmpfiles, File.TMPFILES, text, shown, (key,))
    assert found == dict.fromkeys(shown, "performance")


@each("value", VALUES)
def test_a_rule_of_udev_is_read_back(written, value):
    key = "/sys/bus/pci/devices/*/power/control"
    shown = "/sys/bus/pci/devices/0000:00:02.0/power/control"
    text = text_of(File.UDEV, of(File.UDEV, key, value))
    assert written(read_udev, File.UDEV, text, (shown,), (key,)) == {shown: value}


@each("key", [
    "/sys/bus/usb/devices/*/power/control",
    "/sys/class/scsi_host/host*/link_power_management_policy",
    "/sys/class/net/*/threaded", "/sys/block/*/queue/nomerges",
])  # fmt: skip
def test_each_subsystem_of_udev_is_read_back(written, key):
    shown = key.replace("*", "0" if "host*" in key else "x0")
    text = text_of(File.UDEV, of(File.UDEV, key, "2"))
    assert written(read_udev, File.UDEV, text, (shown,), (key,)) == {shown: "2"}


SCHEDULER = "/sys/block/DEVICE/queue/scheduler"
TURNING = ("sda", "vda")
DISKS = (*TURNING, "sdb", "nvme0n1", "mmcblk0", "dm-0", "loop0")
OF_KIND = {
    "nvme": {"nvme0n1"}, "virtual": {"vda"}, "card": {"mmcblk0"}, "combined": {"dm-0"},
    "rotating": {"sda"}, "solid-state": {"sdb"}, "scsi": {"sda", "sdb"},
}  # fmt: skip


@pytest.mark.parametrize("kind", OF_KIND)
def test_a_rule_is_for_the_disks_of_its_kind(tmp_path, kind):
    """With `other` nobody knows the names."""
    assert {*OF_KIND, "other"} == set(KINDS)
    text = text_of(File.UDEV, of(File.UDEV, SCHEDULER, "bfq", (kind,)))
    files = {f"/{File.UDEV.paths[0]}": text}
    for name in DISKS:
        files[f"/sys/block/{name}/queue/rotational"] = "1\n" if name in TURNING else "0\n"
        files[f"/sys/block/{name}/queue/scheduler"] = "[none] bfq\n"
    root = Root(str(write_host(tmp_path, files)))
    into = Writes(root, (SCHEDULER,))
    read_udev(root, into)
    assert {key.split("/")[3] for key in into.written} == OF_KIND[kind]
    assert not into.unsure


@each("value", ("1", "a b", "100%", "$x", "it's", "a;b"))
def test_modprobe_d_is_read_back(written, value):
    key = "/sys/module/kvm/parameters/halt_poll_ns"
    text = text_of(File.MODPROBE, of(File.MODPROBE, key, value))

    def read(root, into):
        assert read_modules(root, "6.12.0-x", None, into) == ()

    assert written(read, File.MODPROBE, text, (), (key,)) == {key: value}


@pytest.mark.parametrize("file", [File.SYSCTL, File.TMPFILES, File.UDEV, File.MODPROBE])
def test_a_file_says_where_it_goes_why_and_when_it_comes_too_early(file):
    key = "/sys/module/kvm/parameters/x"
    key = {File.SYSCTL: "vm.x", File.UDEV: "/sys/block/*/queue/x"}.get(file, key)
    text = text_of(file, of(file, key, "1")._replace(why="comes too early"))
    joined = text.replace("\n# ", " ")
    (advice, *_) = PROFILE.advice
    assert f"Install this file as /{file.paths[0]}." in joined
    assert f"{advice.strength.value}, {advice.key}]" in joined
    assert once(advice.why) in once(joined)
    assert "# Source: https://" in text
    assert "Note: comes too early." in joined
    assert len(lines_of(text)) == 1
    assert "Nothing to set." in text_of(file)
    assert lines_of(text_of(file)) == []


# --- the programs that read such files ----------------------------------------------------------


PACKAGES = {
    "systemd-tmpfiles": "systemd", "udevadm": "udev", "modprobe": "kmod", "sysctl": "procps",
}  # fmt: skip


def program(name):
    """The path of a program, or a skip that names its package."""
    packages = {
        "systemd-tmpfiles": "systemd",
        "udevadm": "udev",
        "modprobe": "kmod",
        "sysctl": "procps",
    }
    found = shutil.which(name, path="/usr/sbin:/sbin:/usr/bin:/bin:/usr/lib/systemd")
    if not found:
        pytest.skip(f"{name} is missing: install {packages.get(name, name)}")
    return found


def ran(*words, **more):
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, check=False, timeout=60, **more
    )
    return done.returncode, done.stdout, done.stderr


@each("value", (*VALUES, *BACKSLASHES, ""))
def test_systemd_tmpfiles_writes_the_value(tmp_path, value):
    root = tmp_path / f"root{value.encode().hex()}"
    target = root / "sys/kernel/mm/x"
    target.parent.mkdir(parents=True)
    target.write_text("")  # the kernel's files are not made shorter either
    place = root / "plan.conf"
    place.write_text(text_of(File.TMPFILES, of(File.TMPFILES, FILE, value)))
    code, _, errors = ran(program("systemd-tmpfiles"), "--create", f"--root={root}", place)
    assert (code, errors) == (0, "")
    assert target.read_text().removesuffix("\n") == value


def test_systemd_tmpfiles_passes_over_what_is_not_there(tmp_path):
    place = tmp_path / "plan.conf"
    keys = (FILE, "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor")
    place.write_text(text_of(File.TMPFILES, *(of(File.TMPFILES, key, "1") for key in keys)))
    code, _, errors = ran(program("systemd-tmpfiles"), "--create", f"--root={tmp_path}", place)
    assert (code, errors) == (0, "")


RULES = "/etc/udev/rules.d"


def faults(folder):
    """What udev says of the rules in a folder: by its own check, else in a simulated event, of a
    device that none of them is for."""
    udevadm = program("udevadm")
    code, version, _ = ran(udevadm, "--version")
    if code == 0 and int(version.split()[0]) >= 254:
        _, shown, errors = ran(udevadm, "verify", *folder.iterdir())
        return [line for line in (shown + errors).splitlines() if ".rules:" in line]
    test = f"mount --bind {folder} {RULES} && {udevadm} test --action=add /sys/class/net/lo"
    code, shown, errors = ran(program("unshare"), "-rm", "sh", "-c", test)
    if code:
        reason = "udevadm verify came with systemd 254, and no folder can be mounted"
        pytest.skip(f"{reason}: {errors[-80:]}")
    said = (line for line in (shown + errors).splitlines() if RULES in line)
    return [line for line in said if not line.startswith("Reading rules file: ")]


def test_udev_finds_no_fault(tmp_path):
    kept = [of(File.UDEV, "/sys/bus/pci/devices/*/power/control", value) for value in VALUES]
    kept += [of(File.UDEV, SCHEDULER, "bfq", (kind,)) for kind in OF_KIND]
    (tmp_path / "90-k.rules").write_text(text_of(File.UDEV, *kept))
    assert faults(tmp_path) == []
    (tmp_path / "91-wrong.rules").write_text('NOTHING=="x", ATTR{a}="b"\n')
    assert [line for line in faults(tmp_path) if "NOTHING" in line]


@each("value", ("1", "a b", "100%", "$x", "it's", "a;b"))
def test_modprobe_gives_the_module_its_option(tmp_path, value):
    place = tmp_path / "modprobe.d"
    place.mkdir(exist_ok=True)
    key = "/sys/module/kvm/parameters/halt_poll_ns"
    (place / "k.conf").write_text(text_of(File.MODPROBE, of(File.MODPROBE, key, value)))
    code, shown, errors = ran(program("modprobe"), "--showconfig", "-C", place)
    assert (code, errors) == (0, "")
    wanted = f'halt_poll_ns="{value}"' if " " in value else f"halt_poll_ns={value}"
    assert f"options kvm {wanted}" in shown.splitlines()


@each("value", (*VALUES, *BACKSLASHES))
def test_sysctl_takes_the_line_as_it_is(tmp_path, value):
    """It names the key that this kernel has not: what it would write it does not show."""
    place = tmp_path / "plan.conf"
    place.write_text(text_of(File.SYSCTL, of(File.SYSCTL, "vm.no_such_key", value)))
    _, shown, errors = ran(program("sysctl"), "-p", place)
    there = "/proc/sys/vm/no_such_key"
    assert (shown, errors) == ("", f"sysctl: cannot stat {there}: No such file or directory\n")
