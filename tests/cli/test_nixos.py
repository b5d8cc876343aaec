"""`plan --format nixos`: a module whose options write what the plan's files have."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from advisor.output.plan.nixos import _string

from ..cases import each
from . import plans

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


FORMATS = ("nixos", "tmpfiles.d", "udev", "modprobe.d")


@pytest.fixture
def plan(run_inside, tmp_path):
    """What `plan` writes in a format, for one host."""
    host = plans.host(tmp_path / "host")
    writes = [word for name in FORMATS for word in ("--write", f"{name}={tmp_path / name}")]
    result = run_inside("plan", "--host", host, *plans.PROFILE, *writes)
    assert (result.code, result.stderr) == (0, "")
    return lambda name: (tmp_path / name).read_text()


def read(text):
    """The strings of each option, as Nix reads them."""
    found = {}
    for option in re.finditer(r"^  ([\w.]+) = (.*?)^  [\]}];$", text, re.M | re.S):
        body = option[2].replace('concatStringsSep "\\n"', "")
        found[option[1]] = [re.sub(r"\\(.)", r"\1", one) for one in STRING.findall(body)]
    return found


def entries(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_the_options_have_what_the_files_have(plan):
    text = plan("nixos")
    options = read(text)
    assert options["boot.kernel.sysctl"] == ["vm.dirty_writeback_centisecs", "1500"]
    assert options["systemd.tmpfiles.rules"] == entries(plan("tmpfiles.d"))
    assert options["services.udev.extraRules"] == [*entries(plan("udev")), ""]
    assert options["boot.extraModprobeConfig"] == [*entries(plan("modprobe.d")), ""]
    assert options["boot.kernelParams"] == [plans.WORD]
    remark = "# This file omits changes that need a rebuild: use --format fragment for them."
    assert f"{remark}\n" in text


@each(
    ("text", "shown"),
    [
        ('a"b\\n', r'"a\"b\\n"'),
        ("${x} $y $${z}", r'"\${x} $y $\${z}"'),
    ],
    ids=lambda case: case[0],
)
def test_what_nix_would_read_otherwise_is_escaped(text, shown):
    assert _string(text) == shown


@pytest.mark.skipif(not shutil.which("nix-instantiate"), reason="nix-bin is not installed")
def test_nix_reads_the_same(plan, tmp_path):
    file = tmp_path / "module.nix"
    file.write_text(plan("nixos"))
    odd = 'a"b\\n ${x} $${z}'
    asked = f"{{ module = import {file} {{}}; odd = {_string(odd)}; }}"
    command = ["nix-instantiate", "--eval", "--strict", "--json", "--readonly-mode", "-E", asked]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(result.stdout)
    assert found["odd"] == odd
    module = found["module"]
    assert module["boot"]["kernel"]["sysctl"] == {"vm.dirty_writeback_centisecs": "1500"}
    assert module["boot"]["kernelParams"] == [plans.WORD]
    assert module["systemd"]["tmpfiles"]["rules"] == entries(plan("tmpfiles.d"))
    assert module["services"]["udev"]["extraRules"].splitlines() == entries(plan("udev"))
