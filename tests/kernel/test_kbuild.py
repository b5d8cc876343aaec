"""That the tests' short cut equals make, and what merge_config.sh says when it runs to its end."""

from __future__ import annotations

import re
import shutil

import pytest

pytestmark = [pytest.mark.kernel, pytest.mark.sampled]


@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
@pytest.mark.parametrize("version", ["6.1", "6.12"])
def test_conf_equals_make(kernels, tmp_path, version, arch):
    defconfig = kernels.defconfig(version, arch)
    made = tmp_path / "made"
    shutil.copytree(kernels.build(version, arch), made, symlinks=True)
    shutil.copy(defconfig, made / ".config")
    kernels.make(version, arch, made, "olddefconfig")
    short = tmp_path / "short"
    short.mkdir()
    shutil.copy(defconfig, short / ".config")
    kernels.olddefconfig(version, arch, short)
    assert (short / ".config").read_text() == (made / ".config").read_text()


def test_merge_config_finds_every_line(merge):
    named = set(re.findall(r"^(?:# )?CONFIG_(\w+)", merge.fragment, re.MULTILINE))
    complaints = re.findall(
        r"^Value requested for CONFIG_(\w+) not in final .*\n.*: +(.*)\n.*: +(.*)",
        merge.log,
        re.MULTILINE,
    )
    # A line of the defconfig that said "not set" of something that is gone now is no loss.
    lost = [
        f"{name}: asked {asked}, got {got or 'nothing'}"
        for name, asked, got in complaints
        if name in named or (name not in merge.stale and (got or asked.startswith("CONFIG_")))
    ]
    assert not lost, "\n".join(lost)
    warnings = [line for line in merge.log.splitlines() if "warning:" in line]
    bad = [line for line in warnings if named & set(re.findall(r"\w+", line))]
    assert not bad, "\n".join(bad)
