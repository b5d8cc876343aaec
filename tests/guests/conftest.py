"""Systems of Debian that are started with their own systemd, and a folder that is shared.

Needs the folder that prepare.sh fills, named by KERNEL_ADVISOR_GUESTS, and no KVM: User Mode Linux
runs as a process, and qemu emulates.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from ..shared import common_folder, made_once

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
SUITES = ("bookworm", "trixie")
LIMIT = 3600  # seconds; a start takes fifteen where nothing else runs, and a minute in qemu


class Guests(NamedTuple):
    """The folder that prepare.sh filled, and the command in one file."""

    folder: Path
    command: Path

    def run(self, system: str, share: Path, script: str, files: dict[str, str]) -> None:
        """Starts a system, and again while its script asks for that; the disk stays as it is.
        Each start runs the script of this folder as root, in the shared one.

        Raises AssertionError where it does not end well, or in time.
        """
        share.mkdir(parents=True, exist_ok=True)
        (share / "run.sh").write_bytes((HERE / script).read_bytes())
        (share / "kernel-advisor.pyz").write_bytes(self.command.read_bytes())
        for name, text in files.items():
            (share / name).write_text(text)
        system_files = self.folder / system
        if system_files.with_suffix(".vmlinuz").exists():
            command = ["sh", HERE / "qemu.sh", system_files, share]
        else:
            command = ["sh", HERE / "uml.sh", self.folder / "uml", f"{system_files}.disk", share]
        console = share.with_name("console")
        with console.open("wb") as file:
            try:
                code = subprocess.run(
                    command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=LIMIT,
                    check=False,
                ).returncode  # fmt: skip
                ended = f"ended with {code}"
            except subprocess.TimeoutExpired:
                ended = f"was stopped after {LIMIT} seconds"
        last = console.read_text(errors="replace")[-3000:]
        assert ended == "ended with 0", f"{system} {ended}; its console ends with\n{last}"


@pytest.fixture(scope="session")
def guests(tmp_path_factory: pytest.TempPathFactory) -> Guests:
    """The guests, and the command of this checkout in one file."""
    given = os.environ.get("KERNEL_ADVISOR_GUESTS")
    if not given:
        pytest.skip("KERNEL_ADVISOR_GUESTS is not set (the folder of tests/guests/prepare.sh)")

    def make(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder]
        subprocess.run([*pip, PROJECT], check=True)
        (wheel,) = folder.glob("*.whl")
        pyz = [sys.executable, PROJECT / "tools/pyz.py", wheel, folder / "kernel-advisor.pyz"]
        subprocess.run(pyz, check=True)

    made = made_once(common_folder(tmp_path_factory, "command") / "pyz", make)
    return Guests(Path(given).resolve(), made / "kernel-advisor.pyz")
