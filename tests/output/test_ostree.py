"""The boot line's words of an image, deployed by ostree itself and read back."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import tomli

from ..cli.plans import EXAMPLE

RELEASE = "6.12.117-test"
GIVEN = ("root=UUID=1111-2222", "quiet", "mitigations=off")
TREE = {
    f"usr/lib/modules/{RELEASE}/vmlinuz": "a kernel\n",
    f"usr/lib/modules/{RELEASE}/initramfs.img": "an initramfs\n",
    "usr/lib/os-release": 'ID=test\nPRETTY_NAME="Test"\n',
    "usr/lib/systemd/systemd": "",
    "usr/etc/hostname": "test\n",
}

pytestmark = pytest.mark.skipif(not shutil.which("ostree"), reason="ostree is not installed")


class Sysroot:
    """A folder with deployments of one tree, as ostree keeps them on a disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "sysroot"
        self._host = folder / "host"
        tree = folder / "tree"
        for path, text in TREE.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        self.path.mkdir()
        self.run("admin", "init-fs", str(self.path))
        repository = f"--repo={self.path}/ostree/repo"
        self.run("config", repository, "set", "sysroot.bootloader", "none")
        self.admin("os-init", "test")
        self.run("commit", repository, "--branch=test", f"--tree=dir={tree}")

    @staticmethod
    def run(*words: str) -> None:
        done = subprocess.run(["ostree", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def admin(self, command: str, *words: str) -> None:
        self.run("admin", command, f"--sysroot={self.path}", *words)

    def deploy(self, *options: str) -> None:
        self.admin("deploy", "--os=test", *options, "test")

    def host(self) -> Path:
        """The system as it looks from inside once the line of before has started it, by a GRUB that
        reads the entries."""
        shutil.rmtree(self._host, ignore_errors=True)
        (newest, *_) = sorted(self.path.glob("ostree/deploy/test/deploy/*.?"))
        shutil.copytree(newest, self._host, symlinks=True)
        shutil.copytree(self.path / "boot", self._host / "boot", symlinks=True)
        for path, text in {
            "proc/cmdline": " ".join(GIVEN),
            "proc/sys/kernel/osrelease": RELEASE,
            "boot/grub2/grub.cfg": "blscfg",
        }.items():
            (self._host / path).parent.mkdir(parents=True, exist_ok=True)
            (self._host / path).write_text(f"{text}\n")
        return self._host

    def line(self) -> list[str]:
        """The words of the newest entry, but for ostree's own."""
        entries = sorted(self.path.glob("boot/loader/entries/*.conf"))
        rows = entries[-1].read_text().splitlines()
        (options,) = (row.split()[1:] for row in rows if row.startswith("options "))
        return [word for word in options if not word.startswith("ostree=")]


@pytest.fixture
def sysroot(tmp_path):
    made = Sysroot(tmp_path)
    made.deploy("--karg-none", *(f"--karg={word}" for word in GIVEN))
    return made


def test_a_deployment_has_the_words_and_the_one_before_has_them_not(sysroot, run_inside, tmp_path):
    folder = tmp_path / "plan"
    words = ("-p", "network-latency", "--effort", "boot", "--cmdline", " ".join(GIVEN))
    made = run_inside("plan", EXAMPLE, *words, "--into", folder)
    assert made.code == 0, made.stderr
    (plan,) = json.loads((folder / "plan.json").read_text())["plans"]
    dropped = plan["boot_line"]["remove"]
    # bootc reads the image's file, and ostree writes the line.
    text = (folder / "usr/lib/bootc/kargs.d/50-kernel-advisor.toml").read_text()
    added = tomli.loads(text)["kargs"]
    assert added == plan["boot_line"]["add"] != []
    assert dropped == ["mitigations=off"]

    def reasons():
        asked = ("verify", folder, "--host", sysroot.host(), "--anyway", "-f", "json")
        (verified,) = json.loads(run_inside(*asked).stdout)["verified"]
        return {c["key"]: c["reason"] for item in verified["items"] for c in item["checks"]}

    told = reasons()
    assert {told[word] for word in (*added, *dropped)} == {"not-in-entry"}

    options = [*(f"--karg-append={word}" for word in added)]
    sysroot.deploy(*options, *(f"--karg-delete={word}" for word in dropped))
    kept = [word for word in GIVEN if word not in dropped]
    assert sysroot.line() == [*kept, *added] == (folder / "cmdline").read_text().split()
    told = reasons()
    assert {told[word] for word in (*added, *dropped)} == {"needs-reboot"}

    # As `bootc rollback` and `ostree admin undeploy` leave it: the entry of before is the default.
    sysroot.admin("undeploy", "0")
    assert sysroot.line() == [*GIVEN]
    told = reasons()
    assert {told[word] for word in (*added, *dropped)} == {"not-in-entry"}
