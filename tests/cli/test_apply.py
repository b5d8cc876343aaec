"""apply.sh and undo.sh of a plan, run on the files of a host below a folder."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess

import pytest

from ..shared import common_folder, made_once
from . import plans
from .plans import EPP, FIRST_BOOT, MODPROBE, SOUND, SYSCTL, TMPFILES, WORD, WRITEBACK

SHELLS = [
    shell
    for shell in (("dash",), ("bash",), ("mksh",), ("busybox", "sh"), ("ksh",))
    if shutil.which(shell[0])
]
EACH_SHELL = pytest.mark.parametrize(
    "shell",
    [SHELLS[0], *(pytest.param(shell, marks=pytest.mark.slow) for shell in SHELLS[1:])],
    ids=lambda shell: shell[0],
)
WAS = {WRITEBACK: "500", EPP.format(0): "performance", EPP.format(1): "performance", SOUND: "0"}
ASKED = {
    WRITEBACK: "1500",
    EPP.format(0): "balance_power",
    EPP.format(1): "balance_power",
    SOUND: "10",
}


@pytest.fixture
def root(tmp_path):
    return plans.host(tmp_path / "host")


@pytest.fixture
def plan(run_inside, tmp_path_factory):
    """The folder of the plan for such a host, written once."""

    def make(folder):
        host = plans.host(folder / "host")
        result = run_inside("plan", "--host", host, *plans.PROFILE, "--into", folder / "plan")
        assert result.code == 0, result.stderr

    return made_once(common_folder(tmp_path_factory, "applied") / "it", make) / "plan"


def values(root):
    return {path: (root / path).read_text().strip() for path in WAS}


# --- apply, and undo ----------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_shellcheck_finds_nothing(plan):
    scripts = [str(plan / name) for name in ("apply.sh", "undo.sh")]
    result = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "")


@EACH_SHELL
def test_a_plan_is_applied_and_taken_back_byte_for_byte(plan, root, shell):
    before = plans.files(root)
    dry = plans.run(plan / "apply.sh", root, shell=shell)
    assert (dry.returncode, dry.stderr) == (0, "")
    assert f"/{WRITEBACK}: 500 -> 1500 [power-saving/writeback-interval]" in dry.stdout
    assert plans.files(root) == before
    assert not (root / "var").exists()

    plans.applied(plan, root, shell=shell)
    after = plans.files(root)
    assert values(root) == ASKED
    for name in (SYSCTL, TMPFILES, MODPROBE):
        assert after[name] == (plan / name).read_bytes()

    again = plans.applied(plan, root, shell=shell)
    assert plans.files(root) == after
    assert "set  " not in again.stdout
    assert "wrote" not in again.stdout

    dry = plans.run(plan / "undo.sh", root, shell=shell)
    assert (dry.returncode, dry.stderr) == (0, "")
    assert plans.files(root) == after
    plans.undone(plan, root, shell=shell)
    assert plans.files(root) == before
    twice = plans.undone(plan, root, shell=shell)
    assert "nothing of the plan is in effect here" in twice.stdout
    assert plans.files(root) == before


def test_the_log_has_boot_item_key_and_values(plan, root):
    plans.applied(plan, root)
    lines = plans.log(plan, root)
    item = "power-saving/writeback-interval"
    assert [FIRST_BOOT, "set", item, f"/{WRITEBACK}", "=500", "=1500", "=1500", "-"] in lines
    assert [FIRST_BOOT, "file", "-", f"/{SYSCTL}", "-", "-", "-", "-"] in lines
    assert {len(line) for line in lines} == {8}


def test_what_is_written_is_of_who_runs_it_and_what_was_there_keeps_its_mode(plan, root, tmp_path):
    """A rule of udev that somebody else may write would give root to them."""
    mine = shutil.copytree(plan, tmp_path / "copy")
    for path in mine.rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
        if os.geteuid() == 0:
            os.chown(path, 12345, 12345)
    (root / MODPROBE).chmod(0o600)
    plans.applied(mine, root)
    for path in (root / SYSCTL, root / MODPROBE, plans.state(mine, root) / "undo.sh"):
        found = path.stat()
        assert (stat.S_IMODE(found.st_mode), found.st_uid) == (0o644, os.geteuid())
    plans.undone(mine, root)
    assert stat.S_IMODE((root / MODPROBE).stat().st_mode) == 0o600


def test_the_state_can_take_the_plan_back_by_itself(plan, root, tmp_path):
    before = plans.files(root)
    mine = shutil.copytree(plan, tmp_path / "copy")
    plans.applied(mine, root)
    kept = plans.state(mine, root)
    shutil.rmtree(mine)
    result = subprocess.run(
        ["sh", str(kept / "undo.sh"), "--yes", "--root", str(root)], check=False
    )
    assert result.returncode == 0
    assert plans.files(root) == before


def test_the_first_backup_stays(plan, root):
    before = plans.files(root)
    plans.applied(plan, root)
    (root / WRITEBACK).write_text("700\n")  # as after a boot without the file, or by hand
    (root / MODPROBE).unlink()
    plans.applied(plan, root, "--anyway")
    plans.undone(plan, root)
    assert plans.files(root) == before


@pytest.mark.slow
def test_two_plans_are_taken_back_one_after_the_other(plan, root, run_inside, tmp_path):
    before = plans.files(root)
    plans.applied(plan, root)
    between = plans.files(root)
    more = tmp_path / "more"
    assert run_inside("plan", "--host", root, "-p", "database", "--into", more).code == 0
    # The files have the same names: what the first plan's lines no more set at boot is said before.
    lost = f"but     /{SYSCTL} loses a line: vm.dirty_writeback_centisecs = 1500\n"
    assert lost in plans.run(more / "apply.sh", root).stdout
    assert lost in plans.applied(more, root).stdout
    assert " loses a line" not in plans.applied(more, root).stdout
    assert plans.files(root)[SYSCTL] != between[SYSCTL]
    assert f"restored /{SYSCTL}\n" in plans.undone(more, root).stdout
    assert plans.files(root)[SYSCTL] == between[SYSCTL]
    plans.undone(plan, root)
    assert plans.files(root)[MODPROBE] == before[MODPROBE]
    assert SYSCTL not in plans.files(root)
    assert values(root) == WAS


# --- single items -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["power-saving/writeback-interval", "writeback-interval"])
def test_single_items_are_taken_back(plan, root, name):
    before = plans.files(root)
    plans.applied(plan, root)
    plans.undone(plan, root, name)
    assert values(root) == {**ASKED, WRITEBACK: "500"}
    text = (root / SYSCTL).read_text()
    assert "\n# taken back: vm.dirty_writeback_centisecs = 1500\n" in text
    assert (root / TMPFILES).read_bytes() == (plan / TMPFILES).read_bytes()
    plans.undone(plan, root)
    assert plans.files(root) == before


def test_an_item_that_was_taken_back_can_be_had_again(plan, root):
    before = plans.files(root)
    plans.applied(plan, root)
    plans.undone(plan, root, "writeback-interval")
    plans.applied(plan, root)
    assert values(root) == ASKED
    assert (root / SYSCTL).read_bytes() == (plan / SYSCTL).read_bytes()
    plans.undone(plan, root)
    assert plans.files(root) == before


def test_an_item_that_is_not_there_is_refused(plan, root):
    plans.applied(plan, root)
    result = plans.run(plan / "undo.sh", root, "--yes", "swappiness")
    assert (result.returncode, result.stdout) == (2, "")
    assert "no item of the plan is called swappiness" in result.stderr
    assert values(root) == ASKED


# --- what was changed since ---------------------------------------------------------------------


def test_what_was_changed_since_is_left_alone_and_said(plan, root):
    plans.applied(plan, root)
    (root / WRITEBACK).write_text("999\n")
    with open(root / SYSCTL, "a") as file:
        file.write("vm.swappiness = 3\n")
    changed = (root / SYSCTL).read_text()
    result = plans.undone(plan, root)
    assert (
        f"/{WRITEBACK}: 999 was set after apply.sh, and is left alone (before apply.sh: 500)"
        in result.stdout
    )
    assert f"/{SYSCTL} was changed since apply.sh wrote it, and is left alone" in result.stdout
    assert values(root) == {**WAS, WRITEBACK: "999"}
    assert (root / SYSCTL).read_text() == changed
    assert not (root / TMPFILES).exists()


def test_apply_does_not_overwrite_a_file_that_was_changed_since(plan, root):
    plans.applied(plan, root)
    (root / SYSCTL).write_text("vm.swappiness = 3\n")
    result = plans.run(plan / "apply.sh", root, "--yes")
    assert result.returncode == 1
    assert f"/{SYSCTL} was changed since" in result.stdout
    assert (root / SYSCTL).read_text() == "vm.swappiness = 3\n"


# --- what is refused, or fails ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("osrelease", "6.12.118-test", "Linux 6.12.117-test, and this is 6.12.118-test"),
        ("arch", "aarch64", "the plan is for x86, and this is arm64"),
    ],
)
def test_another_machine_is_refused(plan, root, file, text, message):
    (root / "proc/sys/kernel" / file).write_text(f"{text}\n")
    before = plans.files(root)
    for words in ((), ("--yes",)):
        result = plans.run(plan / "apply.sh", root, *words)
        assert (result.returncode, result.stdout) == (3, "")
        assert message in result.stderr
    assert plans.files(root) == before
    plans.applied(plan, root, "--anyway")
    plans.undone(plan, root)  # on whatever kernel
    assert plans.files(root) == before


def test_values_that_changed_since_the_plan_was_made_are_named_and_refused(plan, root):
    (root / WRITEBACK).write_text("700\n")
    (root / EPP.format(1)).write_text("power\n")
    before = plans.files(root)
    for words in ((), ("--yes",)):
        result = plans.run(plan / "apply.sh", root, *words)
        assert result.returncode == 3
        assert "the machine has changed since the plan was made" in result.stderr
        told = {line.split()[1] for line in result.stdout.splitlines()}
        assert told == {f"/{WRITEBACK}:", f"/{EPP.format(1)}:"}
        assert "it was 500 when the plan was made, and is 700" in result.stdout
    assert plans.files(root) == before
    plans.applied(plan, root, "--anyway")
    assert values(root) == ASKED
    plans.undone(plan, root)
    assert plans.files(root) == before


def test_symbols_that_the_plan_rests_on_are_named_where_they_differ(plan, root):
    config = root / f"boot/config-{plans.RELEASE}"
    text = config.read_text()
    rests = [line for line in (plan / "items.tsv").read_text().splitlines() if "rests" in line]
    assert "rests\tpower-saving/audio-codec-power-saving\tSND_HDA_INTEL\t=m" in rests
    config.write_text(text.replace("CONFIG_SND_HDA_INTEL=m\n", "CONFIG_SND_HDA_INTEL=y\n"))
    before = plans.files(root)
    result = plans.run(plan / "apply.sh", root, "--yes")
    assert result.returncode == 3
    assert "CONFIG_SND_HDA_INTEL: it was m when the plan was made, and is y [" in result.stdout
    assert plans.files(root) == before
    plans.applied(plan, root, "--anyway")
    config.unlink()
    dry = plans.run(plan / "apply.sh", root)
    assert dry.returncode == 0
    assert "no configuration of this kernel was found" in dry.stdout


def test_values_that_the_plan_rests_on_are_named_where_they_differ(plan, root, tmp_path):
    mine = shutil.copytree(plan, tmp_path / "copy")
    ours = "rests\tpower-saving/x\tsys/devices/system/cpu/cpufreq/policy0/scaling_driver\t="
    for driver, code in (("intel_pstate", 0), ("acpi-cpufreq", 3)):
        with (mine / "items.tsv").open("a") as file:
            file.write(f"{ours}{driver}\n")
        assert plans.run(mine / "apply.sh", root).returncode == code


def test_what_the_kernel_made_of_a_value_is_no_change(plan, root):
    """It may show another text than was written: the log has it."""
    plans.applied(plan, root)
    log = plans.state(plan, root) / "log"
    log.write_text(log.read_text().replace("=1500\t=1500", "=1500\t=1498"))
    (root / WRITEBACK).write_text("1498\n")
    assert plans.run(plan / "apply.sh", root).returncode == 0


@pytest.mark.parametrize(
    ("machine", "arch"),
    [("i686", "x86"), ("armv7l", "arm"), ("ppc64le", "powerpc"), ("riscv64", "riscv")],
)
def test_machines_are_called_as_by_uname(plan, root, machine, arch):
    (root / "proc/sys/kernel/arch").write_text(f"{machine}\n")
    result = plans.run(plan / "apply.sh", root)
    assert (result.returncode == 0) is (arch == "x86")
    assert arch == "x86" or f"and this is {arch}" in result.stderr


def test_user_mode_linux_is_told_by_its_release_alone(plan, root, tmp_path):
    """It calls itself as the machine that it runs on."""
    mine = shutil.copytree(plan, tmp_path / "copy")
    text = (mine / "items.tsv").read_text()
    (mine / "items.tsv").write_text(text.replace("arch\tx86\n", "arch\tum\n"))
    assert plans.run(mine / "apply.sh", root).returncode == 0
    (root / "proc/sys/kernel/osrelease").write_text("6.12.118-test\n")
    assert plans.run(mine / "apply.sh", root).returncode == 3


def test_a_value_that_the_kernel_refuses_is_told_and_the_rest_done(plan, root, drop_override):
    (root / WRITEBACK).chmod(0o444)
    result = plans.run(plan / "apply.sh", root, "--yes", before=drop_override)
    assert result.returncode == 1
    assert f"failed  /{WRITEBACK} = 1500: Permission denied" in result.stdout
    assert values(root) == {**ASKED, WRITEBACK: "500"}
    tries = [line[4:] for line in plans.log(plan, root) if line[3] == f"/{WRITEBACK}"]
    assert tries == [["=500", "=1500", "-", "Permission denied"]] * 2
    plans.undone(plan, root)
    assert values(root) == WAS


def test_a_kernel_that_is_locked_down_is_named(plan, root, tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    real = shutil.which("dd")
    (tools / "dd").write_text(
        f"""#!/bin/sh
case $* in of=proc*) echo "dd: error writing 'x': Operation not permitted" >&2; exit 1;; esac
exec {real} "$@"
"""
    )
    (tools / "dd").chmod(0o755)
    lockdown = root / "sys/kernel/security/lockdown"
    lockdown.parent.mkdir(parents=True)
    path = f"import os; os.environ['PATH'] = '{tools}:' + os.environ['PATH']"
    for text, named in (("none [integrity] confidentiality", True), ("[none] integrity", False)):
        lockdown.write_text(f"{text}\n")
        result = plans.run(plan / "apply.sh", root, "--yes", before=path)
        assert result.returncode == 1
        assert f"/{WRITEBACK} = 1500: Operation not permitted" in result.stdout
        assert ("locked down" in result.stdout) is named


def test_a_file_that_is_read_later_and_sets_something_else_is_said_before(plan, root):
    """As Debian 12's 99-protect-links.conf does."""
    name = "vm.dirty_writeback_centisecs"
    files = {
        "usr/lib/sysctl.d/99-vendor.conf": f"# {name} = 1\nvm.other = 3\n-{name}=700 \n",
        "usr/lib/sysctl.d/98-same.conf": f"{name} = 1500\n",
        "usr/lib/sysctl.d/10-early.conf": f"{name} = 8\n",
        "usr/lib/sysctl.d/97-replaced.conf": f"{name} = 9\n",
        "etc/sysctl.d/97-replaced.conf": "",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    dry = plans.run(plan / "apply.sh", root)
    told = [line for line in dry.stdout.splitlines() if line.startswith("but     /")]
    # The host's own file of the same name goes, and is named with it.
    assert told.pop() == f"but     /{MODPROBE} loses a line: options loop max_loop=8"
    assert told == [
        f"but     /usr/lib/sysctl.d/99-vendor.conf:3 sets {name} = 700 after the plan's file "
        "[power-saving/writeback-interval]: make the plan with --host, "
        "then the plan's file is read later"
    ]


def test_what_undo_cannot_take_back_is_said_before(plan, root):
    dry = plans.run(plan / "apply.sh", root)
    assert "undo.sh cannot change options of a module that is loaded: a reboot does" in dry.stdout


def test_what_the_kernel_never_sets_back_is_said_before(root, run_inside, tmp_path):
    name = "proc/sys/kernel/unprivileged_bpf_disabled"
    plans.write(root, name, "0")
    config = root / f"boot/config-{plans.RELEASE}"
    text = config.read_text()
    config.write_text(text.replace("# CONFIG_BPF_SYSCALL is not set", "CONFIG_BPF_SYSCALL=y"))
    made = tmp_path / "made"
    words = ("-p", "hardening", "--only", "bpf-for-users", "--effort", "now", "--into", made)
    assert run_inside("plan", "--host", root, *words).code == 0
    dry = plans.run(made / "apply.sh", root)
    told = f"note    undo.sh cannot set /{name} back, because the kernel refuses that: a reboot"
    assert told in dry.stdout


def test_a_folder_that_cannot_be_written_stops_it_with_a_log(plan, root, drop_override):
    (root / "etc/modprobe.d").chmod(0o555)
    result = plans.run(plan / "apply.sh", root, "--yes", before=drop_override)
    assert result.returncode == 1
    assert f"failed  /{MODPROBE}: Permission denied" in result.stdout
    assert "stopped; no value was set" in result.stderr
    assert values(root) == WAS
    assert [line[3] for line in plans.log(plan, root) if line[7] == "Permission denied"] == [
        f"/{MODPROBE}"
    ]
    (root / "etc/modprobe.d").chmod(0o755)
    plans.undone(plan, root)
    assert not (root / SYSCTL).exists()


_SMALL = """
mount -t tmpfs -o size=700k none "$1" && cp -a "$2/." "$1" || exit 77
left=$(df -k "$1" | tail -n 1 | awk '{ print $4 }')
dd if=/dev/zero of="$1/filled" bs=1024 count=$((left - 100)) 2>/dev/null
sh "$3/apply.sh" --yes --root "$1"
echo "exit code $?"
cat "$1/var/lib/kernel-advisor/"*/log
sh "$3/undo.sh" --yes --root "$1"
rm "$1/filled"
cp -a "$1/." "$4"
"""


def test_a_disk_that_gets_full_leaves_a_log_and_can_be_taken_back(plan, root, tmp_path):
    places = [tmp_path / "small", root, plan, tmp_path / "after"]
    places[0].mkdir()
    places[-1].mkdir()
    command = ["unshare", "--mount", "sh", "-c", _SMALL, "sh", *map(str, places)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if "exit code" not in result.stdout:
        pytest.skip("no file system can be mounted here")
    assert "exit code 1" in result.stdout
    assert f"failed  /{TMPFILES}: No space left on device" in result.stdout
    assert f"/{TMPFILES}\t-\t-\t-\tNo space left on device" in result.stdout  # in the log
    assert "stopped; no value was set" in result.stderr
    assert plans.files(tmp_path / "after") == plans.files(root)


def test_where_no_state_can_be_kept_nothing_is_changed(plan, root, drop_override):
    before = plans.files(root)
    (root / "var").mkdir(mode=0o555)
    result = plans.run(plan / "apply.sh", root, "--yes", before=drop_override)
    assert (result.returncode, result.stdout) == (1, "")
    assert "cannot be made: Permission denied; nothing was changed" in result.stderr
    assert plans.files(root) == before


def test_a_file_that_is_not_there_is_told(plan, root):
    (root / WRITEBACK).unlink()
    result = plans.applied(plan, root)
    assert f"/{WRITEBACK}: no such file now [power-saving/writeback-interval]" in result.stdout


def test_the_boot_line_and_the_fragment_are_told_and_not_changed(plan, root):
    before = (root / "boot/loader/entries/x.conf").read_text()
    result = plans.applied(plan, root)
    assert f"add to the boot line: {WORD}" in result.stdout
    assert f"merge_config.sh .config {plan}/kernel.fragment" in result.stdout
    assert (root / "boot/loader/entries/x.conf").read_text() == before
    (root / "proc/cmdline").write_text(f"root=/dev/sda1 {WORD}\n")
    assert "\nboot " not in plans.applied(plan, root).stdout
    assert f"by hand, remove from the boot line: {WORD}" in plans.undone(plan, root).stdout


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("run/ostree-booted", f'rpm-ostree kargs --append-if-missing="{WORD}"'),
        ("usr/sbin/grubby", f'grubby --update-kernel=ALL --args="{WORD}"'),
        ("boot/firmware/cmdline.txt", "the first line of /boot/firmware/cmdline.txt"),
        ("boot/armbianEnv.txt", "extraargs= in /boot/armbianEnv.txt"),
        ("etc/default/u-boot", "U_BOOT_PARAMETERS in /etc/default/u-boot, run u-boot-update"),
        ("boot/extlinux/extlinux.conf", "append in /boot/extlinux/extlinux.conf"),
        ("etc/kernel/cmdline", "kernel-install add VERSION"),
        (None, "options in loader/entries/*.conf"),
        ("usr/sbin/update-grub", "in /etc/default/grub, run update-grub"),
        ("boot/grub2/grub.cfg", "run grub2-mkconfig -o /boot/grub2/grub.cfg"),
    ],
)
def test_the_boot_line_is_changed_where_the_loader_has_it(plan, root, file, told):
    if file:
        shutil.rmtree(root / "boot/loader")
        plans.write(root, file, "")
    dry = plans.run(plan / "apply.sh", root).stdout
    assert told in dry
    assert ("grubby" in dry) == ("grubby" in told)
    assert ("GRUB" in dry) == ("grub" in told and "grubby" not in told)
    (root / "proc/cmdline").write_text(f"root=/dev/sda1 {WORD}\n")
    back = plans.run(plan / "undo.sh", root).stdout
    assert told.replace("--append-if-missing", "--delete-if-present").replace(
        "--args", "--remove-args"
    ) in back  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--root",), "--root needs a folder"),
        (("--root", "/no/such"), "/no/such is no folder"),
        (("--force",), "usage: sh "),
        (("swappiness",), "takes no item"),
    ],
)
def test_wrong_words_are_refused(plan, words, message):
    result = subprocess.run(
        ["sh", str(plan / "apply.sh"), *words], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_script_without_its_plan_is_refused(plan, tmp_path):
    shutil.copy(plan / "apply.sh", tmp_path)
    result = plans.run(tmp_path / "apply.sh", tmp_path)
    assert result.returncode == 2
    assert "items.tsv is missing" in result.stderr


def test_a_value_that_turns_another_to_0_is_taken_back_by_that_one(plan, root, tmp_path):
    """The kernel makes vm.dirty_bytes 0 when vm.dirty_ratio is written (mm/page-writeback.c)."""
    mine = shutil.copytree(plan, tmp_path / "copy")
    items = (mine / "items.tsv").read_text()
    row = "set\tp/dirty\t-\tproc/sys/vm/dirty_bytes\tproc/sys/vm/dirty_ratio\t1000000\n"
    (mine / "items.tsv").write_text(items + row)
    ratio, size = root / "proc/sys/vm/dirty_ratio", root / "proc/sys/vm/dirty_bytes"
    ratio.write_text("20\n")
    size.write_text("0\n")
    plans.applied(mine, root)
    ratio.write_text("0\n")  # what the kernel does then
    plans.undone(mine, root)
    # 0 bytes is none that could be written; with the ratio the kernel sets it.
    assert (ratio.read_text(), size.read_text()) == ("20\n", "1000000\n")


_REAL = """
mount --bind /proc "$1/proc" && [ -w /proc/sys/net/ipv4/ip_default_ttl ] || exit 77
$3 "$2/apply.sh" --yes --root "$1"
echo "exit code $?"
cat "$1/var/lib/kernel-advisor/"*/log
$3 "$2/undo.sh" --yes --root "$1"
"""


@EACH_SHELL
def test_what_a_running_kernel_takes_and_refuses(plan, tmp_path, shell):
    """In a network namespace of its own, which has sysctls of its own."""
    mine = shutil.copytree(plan, tmp_path / "copy")
    rows = [
        ("arch", "-"), ("release", "-"),
        ("set", "p/b", "-", "proc/sys/net/ipv4/tcp_rmem", "-", "4096 131072 7654321"),
        ("set", "p/c", "-", "proc/sys/net/ipv4/ip_default_ttl", "-", "300"),
        ("set", "p/d", "-", "proc/sys/net/ipv4/conf/*/rp_filter", "-", "2"),
        # Taken only beside the next (net/ipv4/sysctl_net_ipv4.c#ipv4_local_port_range of 6.12).
        ("set", "p/e", "-", "proc/sys/net/ipv4/ip_local_port_range", "-", "600 60000"),
        ("set", "p/f", "-", "proc/sys/net/ipv4/ip_unprivileged_port_start", "-", "512"),
    ]  # fmt: skip
    text = "".join("\t".join(row) + "\n" for row in (("items", "1"), ("plan", "12ab"), *rows))
    (mine / "items.tsv").write_text(text)
    (tmp_path / "host" / "proc").mkdir(parents=True)
    command = ["unshare", "--net", "--mount", "sh", "-c", _REAL, "sh", tmp_path / "host", mine]
    result = subprocess.run(
        [*map(str, command), " ".join(shell)], capture_output=True, text=True, check=False
    )
    if "exit code" not in result.stdout:
        pytest.skip("no namespace can be made here")
    assert "exit code 1" in result.stdout
    assert (
        "failed  /proc/sys/net/ipv4/ip_default_ttl = 300: Invalid argument [p/c]" in result.stdout
    )
    assert "\t=4096 131072 7654321\t=4096 131072 7654321\t-\n" in result.stdout
    assert "set     /proc/sys/net/ipv4/conf/all/rp_filter: " in result.stdout
    assert result.stdout.count("failed") == 1
    assert "set     /proc/sys/net/ipv4/ip_local_port_range: " in result.stdout
    assert "restore /proc/sys/net/ipv4/ip_local_port_range: 600 60000 -> " in result.stdout
    assert "restore /proc/sys/net/ipv4/ip_unprivileged_port_start: 512 -> 1024" in result.stdout
    assert "restore /proc/sys/net/ipv4/tcp_rmem: 4096 131072 7654321 -> 4096 " in result.stdout
    assert "restore /proc/sys/net/ipv4/conf/all/rp_filter: 2 -> " in result.stdout


def test_what_a_plan_is_known_by_does_not_name_its_host(plan, run_inside, tmp_path):
    other = plans.host(tmp_path / "another-place")
    assert run_inside("plan", "--host", other, *plans.PROFILE, "--into", tmp_path / "b").code == 0
    assert plans.data(tmp_path / "b")["digest"] == plans.data(plan)["digest"]
    assert plans.data(plan)["release"] == plans.RELEASE
