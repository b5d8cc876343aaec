"""A host with something of each kind to change, a plan for it, and what runs the plan's scripts."""

from __future__ import annotations

import json
import lzma
import shutil
import subprocess
from pathlib import Path

from ..inputs.host.hosts import write_host
from ..shared import common_folder, made_once

EXAMPLE = Path(__file__).parents[2] / "examples" / "x86_64-6.12.config.xz"
RELEASE = "6.12.117-test"
FIRST_BOOT = "11111111-1111-1111-1111-111111111111"
PROFILE = ("-p", "power-saving", "--strength", "could")
SYSCTL = "etc/sysctl.d/90-kernel-advisor.conf"
TMPFILES = "etc/tmpfiles.d/kernel-advisor.conf"
MODPROBE = "etc/modprobe.d/kernel-advisor.conf"
WRITEBACK = "proc/sys/vm/dirty_writeback_centisecs"
EPP = "sys/devices/system/cpu/cpufreq/policy{}/energy_performance_preference"
SOUND = "sys/module/snd_hda_intel/parameters/power_save"
WORD = "workqueue.power_efficient=1"
ENTRY = "boot/loader/entries/x.conf"
OTHER = "etc/sysctl.d/99-mine.conf"
SECOND_BOOT = "22222222-2222-2222-2222-222222222222"
_SOUND = ("SND_HDA_INTEL", "SND_HDA_CODEC_REALTEK")
_POLICY = "/sys/devices/system/cpu/cpufreq/policy"
_LINE = "root=/dev/sda1 ro quiet"


def host(folder: Path) -> Path:
    """A laptop with a sysctl, files of policies, devices, a module and a boot line to change; a
    file of the name of one of ours is there before."""
    files = {
        "/proc/sys/kernel/osrelease": RELEASE,
        "/proc/sys/kernel/arch": "x86_64",
        "/proc/sys/kernel/random/boot_id": FIRST_BOOT,
        "/proc/version": f"Linux version {RELEASE}",
        "/proc/cmdline": f"BOOT_IMAGE=/vmlinuz {_LINE}",
        f"/{WRITEBACK}": "500",
        "/sys/bus/pci/devices/0000:00:00.0/power/control": "on",
        "/sys/bus/pci/devices/0000:00:01.0/power/control": "auto",
        f"/{SOUND}": "0",
        f"/lib/modules/{RELEASE}/modules.dep": "kernel/sound/pci/hda/snd-hda-intel.ko.xz:\n",
        "/boot/loader/loader.conf": "default x.conf",
        "/boot/loader/entries/x.conf": f"version {RELEASE}\nlinux /vmlinuz\noptions {_LINE}",
        "/usr/lib/systemd/systemd": "",
        f"/{MODPROBE}": "# mine\noptions loop max_loop=8",
    }
    for number in (0, 1):
        files[f"{_POLICY}{number}/scaling_driver"] = "intel_pstate"
        files[f"{_POLICY}{number}/scaling_governor"] = "powersave"
        files[f"{_POLICY}{number}/energy_performance_preference"] = "performance"
    write_host(folder, {path: f"{text}\n" for path, text in files.items()})
    config = lzma.decompress(EXAMPLE.read_bytes()).decode()
    for symbol in _SOUND:
        config = config.replace(f"# CONFIG_{symbol} is not set\n", f"CONFIG_{symbol}=m\n")
        config = config.replace(f"CONFIG_{symbol}=y\n", f"CONFIG_{symbol}=m\n")
    (folder / f"boot/config-{RELEASE}").write_text(config)
    return folder


def data(plan: Path):
    """The one plan of a folder."""
    (one,) = json.loads((plan / "plan.json").read_text())["plans"]
    return one


def state(plan: Path, root: Path) -> Path:
    """Where the scripts keep what was there before."""
    return root / "var/lib/kernel-advisor" / data(plan)["digest"]


def log(plan: Path, root: Path):
    """The lines of the log, as lists of their fields."""
    lines = (state(plan, root) / "log").read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def run(script: Path, root: Path, *words: str, shell=("dash",), before=""):
    """Runs a script of a plan on the files below a folder; `before` is Python to be run before."""
    shell = shell if shutil.which(shell[0]) else ("sh",)
    command = [*shell, str(script), "--root", str(root), *words]
    if before:
        code = f"{before}\nimport os, sys\nos.execvp(sys.argv[1], sys.argv[1:])"
        command = ["python3", "-c", code, *command]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def applied(plan: Path, root: Path, *words: str, **how):
    """Runs apply.sh for real, and expects that all of it succeeds."""
    result = run(plan / "apply.sh", root, "--yes", *words, **how)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout + result.stderr
    return result


def undone(plan: Path, root: Path, *words: str, **how):
    """Runs undo.sh for real, and expects that all of it succeeds."""
    result = run(plan / "undo.sh", root, "--yes", *words, **how)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout + result.stderr
    return result


def files(folder: Path):
    """All files and folders below a folder but the state of the scripts, with what they hold."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.relative_to(folder).parts[0] != "var"
    }


def verified(run_inside, tmp_path_factory) -> Path:
    """The folder of the plan for such a host, written once. Beside it is the host, as `host`, with
    the plan in effect, and the word in the boot loader's entry."""

    def make(folder):
        root = host(folder / "host")
        result = run_inside("plan", "--host", root, *PROFILE, "--into", folder / "plan")
        assert result.code == 0, result.stderr
        applied(folder / "plan", root)
        on_entry(root)

    return made_once(common_folder(tmp_path_factory, "verified") / "it", make) / "plan"


def write(root: Path, path: str, text: str) -> None:
    """Writes a file of a host."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(f"{text}\n")


def on_entry(root: Path) -> None:
    """Gives the boot loader's entry the word of the plan."""
    text = (root / ENTRY).read_text().rstrip("\n")
    (root / ENTRY).write_text(f"{text} {WORD}\n")


def rebooted(root: Path) -> None:
    """As after a boot of the entry: its line, another id."""
    line = (root / ENTRY).read_text().splitlines()[-1].removeprefix("options ")
    write(root, "proc/cmdline", line)
    write(root, "proc/sys/kernel/random/boot_id", SECOND_BOOT)
