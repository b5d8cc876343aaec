"""A boot line as settings of GRUB, taken by grub-mkconfig itself (2.06 in Debian 12, 2.12 in 13).

Nothing is started: grub-mkconfig runs in a folder with Debian's packages. What looks at disks is
told what it finds.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from .conftest import PROJECT, SUITES, Guests

RELEASE = "6.12.117"
CONFIG = PROJECT / "examples/x86_64-6.12.config.xz"
LINE = "root=UUID=1111-2222 ro quiet"
PLACE = "etc/default/grub.d/zz-kernel-advisor.cfg"
SETTINGS = (
    "GRUB_DEFAULT=0\nGRUB_TIMEOUT=5\nGRUB_DISTRIBUTOR=Debian\nGRUB_CMDLINE_LINUX_DEFAULT='{}'\n"
)
PROBE = """#!/bin/sh
case $* in
*target=device*) echo /dev/sda1 ;;
*target=fs_uuid*) echo 1111-2222 ;;
*target=partuuid*) echo 3333-01 ;;
*target=fs*) echo ext2 ;;
*target=partmap*) echo gpt ;;
*target=abstraction*) ;;
*) echo hd0 ;;
esac
"""

pytestmark = [
    pytest.mark.guest,
    pytest.mark.sampled,
    pytest.mark.skipif(os.geteuid() != 0, reason="chroot needs root"),
]


class Lines(NamedTuple):
    """The words of the kernel's line in the menu's entries: the first one, and for recovery."""

    normal: list[str]
    recovery: list[str]


class System:
    """A folder with GRUB's tools and a kernel."""

    def __init__(self, root: Path, given: str) -> None:
        self.root = root
        files = {
            f"boot/vmlinuz-{RELEASE}": "",
            f"boot/initrd.img-{RELEASE}": "",
            f"boot/config-{RELEASE}": "CONFIG_X86_64=y\n",
            "etc/default/grub": SETTINGS.format(given),
            "usr/sbin/grub-probe": PROBE,
        }
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        (root / "boot/grub").mkdir(exist_ok=True)

    def menu(self) -> bytes:
        """What grub-mkconfig writes."""
        command = ["chroot", str(self.root), "grub-mkconfig", "-o", "/boot/grub/grub.cfg"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return (self.root / "boot/grub/grub.cfg").read_bytes()

    def lines(self) -> Lines:
        """The lines of its entries."""
        text = self.menu().decode()
        found = [line.split()[2:] for line in text.splitlines() if line.split()[:1] == ["linux"]]
        recovery = [words for words in found if "single" in words]
        return Lines(next(words for words in found if "single" not in words), recovery[0])


@pytest.fixture(params=SUITES)
def unpacked(request: pytest.FixtureRequest, guests: Guests, tmp_path: Path):
    """Unpacks the packages of a suite."""
    root = tmp_path / "root"
    root.mkdir()
    archive = guests.folder / f"{request.param}.grub.tar"
    subprocess.run(["tar", "-x", "-f", archive, "-C", root], check=True)
    yield root
    shutil.rmtree(root)


@pytest.mark.parametrize(
    ("profile", "more"), [("network-latency", ""), ("container-host", " mitigations=off panic=5")]
)
def test_grub_mkconfig_takes_the_words_and_gives_the_menu_back(
    unpacked: Path, run_inside, tmp_path: Path, profile: str, more: str
) -> None:
    system = System(unpacked, f"quiet{more}")
    before = system.menu()
    words = ("plan", CONFIG, "-p", profile, "--strength", "could", "--effort", "boot")
    words += ("--cmdline", f"{LINE}{more}")
    made = tmp_path / "plan"
    drop_in = run_inside(*words, "--into", made, "-f", "grub")
    assert drop_in.code == 0, drop_in.stderr
    (plan,) = json.loads((made / "plan.json").read_text())["plans"]
    added, removed = (plan["boot_line"][name] for name in ("add", "remove"))
    assert added or removed

    (system.root / PLACE).parent.mkdir(exist_ok=True)
    (system.root / PLACE).write_text(drop_in.stdout)
    lines = system.lines()
    assert lines.normal[len(lines.normal) - len(added) :] == added
    assert not set(removed) & {*lines.normal, *lines.recovery}
    assert not set(added) & {*lines.recovery}
    # What our own reader makes of that menu.
    checked = run_inside("verify", made, "--host", system.root, "--anyway", "-f", "json")
    (verified,) = json.loads(checked.stdout)["verified"]
    told = {c["key"]: c["reason"] for item in verified["items"] for c in item["checks"]}
    assert not [word for word in (*added, *removed) if told[word] == "not-in-entry"]

    (system.root / PLACE).unlink()
    assert system.menu() == before
