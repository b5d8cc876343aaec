"""Notes of saptune as entries: sections, their tags, and what saptune does not set."""

from __future__ import annotations

from advisor.inputs.host.root import Root
from advisor.inputs.tunings import saptune
from advisor.model.kernel import Machine
from advisor.model.like import Answer

from ...cases import each

NOTE = """\
[version]
VERSION=3
DESCRIPTION=A note # with a comment
[sysctl]
# vm.a = 1
vm.swappiness = 10 # little
kernel.sem = "250 32000  32 1024"
vm.empty =
[sys]
module.nvme_core.parameters.io_timeout=4294967295
[vm]
THP=never
KSM=0
[block]
IO_SCHEDULER=noop, none
NRREQ=1024
[cpu:arch=x86_64:virt=bare-metal]
governor=performance
force_latency=70
[sysctl:csp=azure]
net.ipv4.tcp_timestamps = 0
[vm:os=15-[5-7]:arch=ppc64le]
THP=madvise
[grub]
numa_balancing=disable
nosmt
[limits]
LIMITS=@sapsys hard nofile 65536
[reminder]
# Think of it.
"""
THP = "/sys/kernel/mm/transparent_hugepage/enabled"
GOVERNOR = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
BARE = Machine(arch="x86", virtual="no")


def entries(machine=BARE):
    return saptune.read_file("/usr/share/saptune/notes/1", NOTE, machine).entries


@each(
    ("key", "value", "line"),
    [
        ("vm.swappiness", "10", 6),
        ("kernel.sem", "250 32000 32 1024", 7),
        ("/sys/module/nvme_core/parameters/io_timeout", "4294967295", 10),
        (THP, "never", 12),
        ("/sys/kernel/mm/ksm/run", "0", 13),
        ("/sys/block/*/queue/scheduler", "none", 15),
        ("/sys/block/*/queue/nr_requests", "1024", 16),
        (GOVERNOR, "performance", 18),
    ],
)
def test_what_is_set(key, value, line):
    one = next(one for one in entries() if one.key == key)
    assert (one.value, one.place.line, one.told) == (value, line, None)


@each(
    ("key", "machine", "answer", "why"),
    [
        ("vm.empty", BARE, Answer.OUTSIDE,
         "without a value, saptune shows the setting and does not change it"),
        ("net.ipv4.tcp_timestamps", BARE, Answer.UNKNOWN,
         "[sysctl:csp=azure] applies only if csp=azure"),
        (GOVERNOR, Machine(arch="arm64"), Answer.NO_EFFECT,
         "[cpu:arch=x86_64:virt=bare-metal] applies only if arch=x86_64, and this is aarch64"),
        (GOVERNOR, Machine(arch="x86"), Answer.UNKNOWN,
         "[cpu:arch=x86_64:virt=bare-metal] applies only if virt=bare-metal"),
        ("numa_balancing=disable", BARE, Answer.NO_EFFECT,
         "saptune only compares this parameter with /proc/cmdline, and does not set it"),
        ("nosmt", BARE, Answer.NO_EFFECT,
         "saptune only compares this parameter with /proc/cmdline, and does not set it"),
        ("[cpu] force_latency", BARE, Answer.OUTSIDE, ""),
        ("[limits] LIMITS", BARE, Answer.OUTSIDE, ""),
    ],
)  # fmt: skip
def test_what_the_note_alone_rules(key, machine, answer, why):
    one = next(one for one in entries(machine) if one.key == key)
    assert one.told == (answer, why)


def test_sections_for_others_and_lists():
    thp = [one for one in entries() if one.key == THP]
    assert [one.told and one.told.answer for one in thp] == [None, Answer.NO_EFFECT]
    disks = next(one for one in entries() if one.choices)
    assert (disks.key, disks.choices) == ("/sys/block/*/queue/scheduler", ("noop", "none"))
    assert len(entries()) == 15


def test_a_note_of_a_host(tmp_path):
    folder = tmp_path / "etc/saptune/extra"
    folder.mkdir(parents=True)
    (folder / "mine.conf").write_text(NOTE)
    root = Root(str(tmp_path))
    assert saptune.read_note("mine", root, BARE).name == "saptune's note mine"
    assert saptune.read_note("no", root, BARE) is None
    assert saptune.read_note("../extra/mine", root, BARE) is None
    assert saptune.is_note(NOTE)
    assert not saptune.is_note("[sysctl]\nvm.swappiness=1\n")
