"""What people read, word for word: each file in golden/ is what its command prints.

`make golden` writes them again; the change then shows in review.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "golden"
X86 = "examples/x86_64-6.12.config.xz"
BAD = "examples/x86_64-6.12-bad-ideas.config.xz"
OLDER = "examples/x86_64-6.1.config.xz"
ARM = "examples/arm64-6.1.config.xz"
ARM_NEW = "examples/arm64-6.12.config.xz"
LINE = "quiet nohz=off preempt=full elevator=noop fastboot numa_balancing=0 intel_idle.max_cstate=0"
OLD = ["cmdline", X86, "-p", "power-saving", "--cmdline", "@examples/old-guide.cmdline", "-f"]
TO_LINE = ["--old-cmdline", "quiet", "--new-cmdline", LINE]
MARKDOWN = ["--format", "markdown"]
MACHINE = ["--cpus", "16", "--nodes", "2", "--vendor", "intel", "--bare-metal"]

CI = ["audit", BAD, "-p", "power-saving", "--cmdline", "@examples/old-guide.cmdline", "-f"]

CASES = {
    "audit-server.txt": ["audit", X86, "-p", "server-throughput"],
    "audit-server-verbose.txt": ["audit", X86, "-p", "server-throughput", "-v", *MACHINE],
    "audit-server-running.txt": [
        "audit", ARM_NEW, "-p", "server-throughput", "-v", "--runtime", "examples/server.running"
    ],
    "audit-server-running.json": [
        "audit", ARM_NEW, "-p", "realtime", "-f", "json", "--runtime", "examples/server.running"
    ],
    "audit-brief.txt": ["audit", BAD, "-p", "server-throughput", "--cmdline", LINE, "--brief"],
    "audit-desktop.txt": ["audit", X86, "-p", "desktop-latency", "--cmdline", LINE, *MACHINE],
    "audit-power-arm64.txt": ["audit", ARM, "-p", "power-saving"],
    "audit-bad-ideas.txt": ["audit", BAD, "-p", "server-throughput", "--cmdline", LINE, *MACHINE],
    "audit-bad-ideas.sarif": [*CI, "sarif"],
    "audit-bad-ideas.github.txt": [*CI, "github"],
    "audit-bad-ideas.gitlab.json": [*CI, "gitlab"],
    "audit-bad-ideas.junit.xml": [*CI, "junit"],
    "audit-conflict.txt": ["audit", X86, "-p", "server-throughput", "-p", "power-saving"],
    "audit-desktop.md": ["audit", X86, "-p", "desktop-latency", "--cmdline", LINE, *MARKDOWN],
    "audit-power-arm64.html": ["audit", ARM, "-p", "power-saving", "-f", "html"],
    "audit-bad-ideas.json": ["audit", BAD, "-p", "power-saving", "--cmdline", LINE, "-f", "json"],
    "fragment-diagnosis.config": ["fragment", X86, "-p", "diagnosis"],
    "fragment-bad-ideas.config": ["fragment", BAD, "-p", "desktop-latency", "--strength", "could"],
    "cmdline-bad-ideas.txt": ["cmdline", BAD, "-p", "server-throughput", "--cmdline", LINE],
    "cmdline-old-guide-grub.cfg": [*OLD, "grub"],
    "cmdline-old-guide-grubby.sh": [*OLD, "grubby"],
    "cmdline-old-guide-kernel-install.txt": [*OLD, "kernel-install"],
    "cmdline-old-guide-bootc.toml": [*OLD, "bootc"],
    "cmdline-old-guide-tuned.conf": [*OLD, "tuned"],
    "cmdline-old-guide-kconfig.config": [*OLD, "kconfig"],
    "diff-bad-ideas.txt": ["diff", X86, BAD, "-p", "server-throughput", *TO_LINE],
    "diff-all.txt": ["diff", BAD, X86],
    "diff-kernels.txt": ["diff", OLDER, X86, "-p", "desktop-latency"],
    "diff-bad-ideas.md": ["diff", X86, BAD, "-p", "power-saving", *TO_LINE, *MARKDOWN],
    "explain-preempt.txt": ["explain", "PREEMPT_DYNAMIC"],
    "explain-fastboot.txt": ["explain", "fastboot"],
    "profiles.txt": ["profiles"],
    "profiles-diagnosis.txt": ["profiles", "show", "diagnosis"],
    "rules.txt": ["rules"],
    "rules-tick-mode.txt": ["rules", "show", "tick-mode"],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_golden(name, run_inside, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = run_inside(*CASES[name])
    assert "Traceback" not in result.stderr
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(result.stdout)
    assert result.stdout == path.read_text()


def test_no_golden_file_is_left_over():
    assert {path.name for path in GOLDEN.iterdir() if path.is_file()} == set(CASES)
