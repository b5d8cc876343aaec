"""The built-in boot line of a fragment, merged by merge_config.sh and written again by conf."""

from __future__ import annotations

import re

import pytest

from advisor.inputs.config import parse_config
from advisor.model.kernel import quoted, unquote

pytestmark = [pytest.mark.kernel, pytest.mark.sampled]

# Names that no kernel knows: what this one surely makes nothing of would not be written at all.
HOSTILE = (
    'query="file a.c +p" a=b"c"d e=\\f\\\\ g=\\ h=it\'s i=$HOME$(id)${x} j=`id` k=#l #m;n '
    'o=100% p=!{q}[r]*? s=caf\u00e9 t="u  v" w== =x y="z'
) + '"'


@pytest.mark.parametrize("version", ["6.1", "6.12"])
@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
@pytest.mark.parametrize("own", ["", HOSTILE], ids=["new", "own"])
def test_the_line_survives(kernels, tmp_path, version, arch, own):
    """What stands in the configuration already, or on the boot line, is kept to the byte."""
    folder = tmp_path
    base = folder / "base"
    defconfig = (kernels.build(version, arch) / ".config").read_text()
    switch = "CONFIG_CMDLINE_BOOL=y\n" if arch == "x86_64" else ""
    symbols = f"{switch}CONFIG_CMDLINE={quoted(own)}\n" if own else ""
    base.write_text(re.sub("(?m)^.*CONFIG_CMDLINE(_BOOL)?[= ].*$", "", defconfig) + symbols)
    written = folder / "fragment"
    kernels.advise_line(base, "root=/dev/sda1" if own else HOSTILE, written)
    fragment = written.read_text()
    line = unquote(parse_config(fragment, "fragment").get("CMDLINE"))
    assert (HOSTILE in line) is (bool(own) or arch == "arm64")
    kernels.merge(version, folder, base, written)
    log = kernels.olddefconfig(version, arch, folder)
    assert "warning" not in log
    final = (folder / ".config").read_text()
    lines = [line for line in fragment.splitlines() if not line.startswith("# ")]
    assert [line for line in lines if f"\n{line}\n" not in final] == []
    assert f"\nCONFIG_CMDLINE={quoted(line)}\n" in final
    if arch == "arm64":
        assert "\nCONFIG_CMDLINE_FROM_BOOTLOADER=y\n" in final
