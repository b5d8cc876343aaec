"""What `check` says of a fragment, against what the tree's own tools make of it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from advisor.tree.kbuild import symbols_named

from .kernels import PROJECT
from .tools import clean

pytestmark = [pytest.mark.kernel, pytest.mark.sampled]

# A line of every kind: effective, a dependency away or several, hidden, selected, out of range,
# of the wrong type, two members of a choice, derived, unknown, left to the toolchain.
FRAGMENT = """\
CONFIG_LATENCYTOP=y
CONFIG_HZ_1000=y
CONFIG_HZ=500
CONFIG_HZ_300=y
CONFIG_PREEMPT_RT=y
CONFIG_BPF_JIT_ALWAYS_ON=y
CONFIG_NO_SUCH_SYMBOL=y
# CONFIG_PERF_EVENTS is not set
CONFIG_LOG_BUF_SHIFT=99
CONFIG_DEFAULT_BBR=y
CONFIG_RCU_LAZY=y
CONFIG_RCU_BOOST=y
CONFIG_ZSWAP=m
CONFIG_ZRAM=m
CONFIG_DEBUG_INFO_BTF=y
CONFIG_TRANSPARENT_HUGEPAGE_MADVISE=y
CONFIG_IRQSOFF_TRACER=y
CONFIG_UCLAMP_TASK=y
CONFIG_SLUB_STATS=y
CONFIG_LOCKDEP=y
"""
BASES = [
    ("6.1", "x86_64-defconfig"),
    ("6.12", "arm64-defconfig"),
    ("6.12", "amd64"),
]


@pytest.fixture(scope="session", params=BASES, ids="-".join)
def checked(request, kernels, base, tmp_path_factory):
    """The version and base, and the report of `check`."""
    version, name = request.param
    fragment = tmp_path_factory.mktemp("check") / "x.config"
    fragment.write_text(FRAGMENT)
    config = base(version, name)
    command = [
        sys.executable, "-m", "advisor", "check", str(fragment), "--on", str(config),
        "--tree", str(kernels.tree(version)), "--format", "json",
    ]  # fmt: skip
    done = subprocess.run(
        command, env=clean(), cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    return version, name, config, json.loads(done.stdout)


def settled(kernels, version, name, config, lines, folder):
    """What conf makes of the configuration once merge_config.sh has put these lines into it."""
    named = symbols_named(lines)
    kept = [line for line in config.read_text().splitlines() if not symbols_named(line) & named]
    (folder / ".config").write_text("\n".join([*kept, lines]))
    kernels.olddefconfig(version, "arm64" if "arm64" in name else "x86_64", folder)
    final = {}
    for line in (folder / ".config").read_text().splitlines():
        if line.startswith("CONFIG_"):
            symbol, _, value = line.removeprefix("CONFIG_").partition("=")
            final[symbol] = value
    return final


def test_every_line_comes_to_what_is_told(checked, kernels, tmp_path):
    version, name, config, report = checked
    final = settled(kernels, version, name, config, FRAGMENT, tmp_path)
    told = {line["symbol"]: line["result"] for line in report["lines"]}
    assert told == {symbol: final.get(symbol, "n") for symbol in told}


def test_every_remedy_makes_its_line_hold(checked, kernels, tmp_path):
    version, name, config, report = checked
    offered = [line for line in report["lines"] if line["remedy"]]
    assert offered
    for line in offered:
        folder = tmp_path / line["symbol"]
        folder.mkdir()
        wanted = {**line["remedy"], line["symbol"]: line["value"]}
        lines = "".join(f"CONFIG_{symbol}={value}\n" for symbol, value in wanted.items())
        final = settled(kernels, version, name, config, lines, folder)
        held = {symbol: final.get(symbol, "n") for symbol in wanted}
        assert held == wanted


def test_every_dropped_line_has_its_reason(checked):
    *_, report = checked
    for line in report["lines"]:
        assert bool(line["reason"]) is (line["outcome"] == "dropped"), line
