"""What the owners of real machines read of them, word for word, as far as these were recorded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..inputs.host.hosts import MACHINES, recorded, write_host

GOLDEN = Path(__file__).parents[1] / "golden" / "machines"
CASES = {
    "dell-xps-15-9530": "power-saving",
    "hp-elitebook-840-g10": "server-throughput",
    "nvidia-dgx-spark": "power-saving",
    "steam-deck": "power-saving",
    "thinkpad-t14-amd": "desktop-latency",
}


@pytest.mark.parametrize("name", CASES)
def test_golden_of_a_real_machine(name, run_inside, tmp_path):
    write_host(tmp_path / name, recorded(name, MACHINES))
    screen = run_inside("machine", "--host", name, cwd=tmp_path)
    report = run_inside("audit", "--host", name, "-p", CASES[name], cwd=tmp_path)
    assert (screen.code, screen.stderr, report.stderr) == (0, "", "")
    path, text = GOLDEN / f"{name}.txt", f"{screen.stdout}\n{report.stdout}"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


def test_only_machines_that_tell_their_kernel_have_a_report():
    told = [
        path.stem
        for path in MACHINES.iterdir()
        if "/proc/sys/kernel/osrelease=" in path.read_text()
    ]
    assert sorted(told) == sorted(CASES)
    assert sorted(path.stem for path in GOLDEN.iterdir()) == sorted(CASES)
