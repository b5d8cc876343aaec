"""Profiles of TuneD as entries: what their options set, for whom, and what TuneD computes."""

from __future__ import annotations

import pytest

from advisor.errors import InputError
from advisor.inputs.host.root import Root
from advisor.inputs.tunings import tuned
from advisor.model.like import Answer

from ...cases import each

BASE = """
[main]
summary = A base
[cpu]
governor=conservative|powersave
force_latency=1
[sysctl]
vm.swappiness=10
vm.dirty_ratio = >40
[vm]
transparent_hugepages=never
[vm.arm]
type=vm
uname_regex=aarch64
transparent_hugepages=always
[disk]
devices=sd*
readahead=4096
"""
CHILD = """
[main]
include = base, -no-such
[variables]
size = 5
other = ${size}00
mask = ${f:cpulist2hex:1-3}
[sysctl]
vm.swappiness = ${other}
kernel.x = ${mask}
[sysfs]
/sys/a/*/b = 1
[scheduler]
sched_latency_ns = 7
runtime = 0
[bootloader]
cmdline_a = +nosmt isolcpus=${mask} "quiet"
cmdline_b = -quiet
[script]
script = run.sh
"""


@pytest.fixture
def root(tmp_path):
    """A host with two profiles."""
    for name, text in (("base", BASE), ("child", CHILD)):
        folder = tmp_path / "usr/lib/tuned" / name
        folder.mkdir(parents=True)
        (folder / "tuned.conf").write_text(text)
    return Root(str(tmp_path))


def entries(tuning):
    return {one.key: one for one in tuning.entries}


@each(
    ("key", "value", "more"),
    [
        ("vm.swappiness", "500", {}),
        ("vm.dirty_ratio", "40", {"bound": ">"}),
        (
            "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", "powersave",
            {"choices": ("conservative", "powersave"), "label": "[cpu] governor"},
        ),
        ("/sys/a/*/b", "1", {}),
        (
            "/sys/kernel/debug/sched/latency_ns", "7",
            {"rather": "kernel.sched_latency_ns", "since": (6, 6, 0)},
        ),
        ("nosmt", "nosmt", {"is_word": True, "label": "[bootloader] cmdline_a"}),
    ],
)  # fmt: skip
def test_what_an_option_sets(root, key, value, more):
    one = entries(tuned.read_profile("child", root, "x86"))[key]
    assert (one.value, one.told) == (value, None)
    assert {name: getattr(one, name) for name in more} == more


@each(
    ("key", "arch", "answer"),
    [
        ("kernel.x", "x86", Answer.UNKNOWN),
        ("isolcpus=${mask}", "x86", Answer.UNKNOWN),
        ("/sys/block/*/queue/read_ahead_kb", "x86", Answer.UNKNOWN),
        ("[cpu] force_latency", "x86", Answer.OUTSIDE),
        ("[scheduler] runtime", "x86", Answer.OUTSIDE),
        ("[bootloader] cmdline_b", "x86", Answer.OUTSIDE),
        ("[script] script", "x86", Answer.OUTSIDE),
        ("/sys/kernel/mm/transparent_hugepage/enabled", "x86", Answer.NO_EFFECT),
        ("/sys/kernel/mm/transparent_hugepage/enabled", "arm64", None),
        ("/sys/kernel/mm/transparent_hugepage/enabled", None, Answer.UNKNOWN),
    ],
)
def test_what_the_profile_alone_rules(root, key, arch, answer):
    one = entries(tuned.read_profile("child", root, arch))[key]
    assert (one.told and one.told.answer) == answer


def test_a_profile_has_a_name_and_files(root):
    found = tuned.read_profile("child", root, "x86")
    assert found.name == "TuneD's profile child"
    assert [path.rpartition("/tuned/")[2] for path in found.files] == [
        "child/tuned.conf", "base/tuned.conf",
    ]  # fmt: skip
    assert found.remarks == ("the profile includes no-such, which does not exist",)
    assert tuned.read_profile("none", root, "x86") is None
    thp = entries(found)["/sys/kernel/mm/transparent_hugepage/enabled"]
    assert thp.unless_boot == "transparent_hugepage"
    assert thp.label == "[vm.arm] transparent_hugepages"


def test_a_file_finds_what_stands_beside_it(root, tmp_path):
    path = f"{tmp_path}/usr/lib/tuned/child/tuned.conf"
    found = tuned.read_file(path, CHILD, Root(str(tmp_path / "elsewhere")), "x86")
    assert found.files == (path, f"{tmp_path}/usr/lib/tuned/base/tuned.conf")
    computed = CHILD.replace("base, -no-such", "${f:virt_check:a:b}")
    (remark,) = tuned.read_file(path, computed, root, "x86").remarks
    assert remark == "the profile includes ${f:virt_check:a:b}, which TuneD computes"
    with pytest.raises(InputError):
        tuned.read_file(path, "no section = 1", root, "x86")


def test_variables_that_name_one_another_end(root, tmp_path):
    text = "[variables]\na = ${b}\nb = ${a}\n[sysctl]\nvm.swappiness = ${a}\n"
    (one,) = tuned.read_file(f"{tmp_path}/x/tuned.conf", text, root, "x86").entries
    assert one.told.answer is Answer.UNKNOWN
