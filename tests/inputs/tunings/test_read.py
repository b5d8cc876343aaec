"""Which tuning a word names: a file of any form, a name on the host, words of a boot line."""

from __future__ import annotations

import pytest

from advisor.errors import InputError, UsageError
from advisor.inputs.host.root import Root
from advisor.inputs.tunings.read import read_tuning
from advisor.model.kernel import Machine
from advisor.model.like import Answer, System

from ...cases import each

X86 = Machine(arch="x86")
KARGS = 'kargs = ["nosmt", "quiet"]\nmatch-architectures = ["x86_64"]\n'


def read(name, folder):
    return read_tuning(str(name), Root(str(folder)), X86)


@each(
    ("name", "text", "system", "entries"),
    [
        ("sysctl.d/50-x.conf", "# a\n-vm.swappiness = 10\n-net.ipv4.conf.all.forwarding\n",
         System.SYSCTL_D, ["vm.swappiness = 10"]),
        ("x.txt", "vm.swappiness = 10\nnet/core/somaxconn=1\n",
         System.SYSCTL_D, ["vm.swappiness = 10", "net.core.somaxconn = 1"]),
        ("one.txt", "vm.swappiness = 10\n", System.SYSCTL_D, ["vm.swappiness = 10"]),
        ("run.txt", "/sys/kernel/mm/ksm/run = 1\nvm.swappiness=2\n",
         System.SETTINGS, ["vm.swappiness = 2", "/sys/kernel/mm/ksm/run = 1"]),
        ("tmpfiles.d/x.conf", "d /run/x\nw /proc/sys/vm/swappiness - - - - 10\n"
         "w+ /sys/a - - - - b%%\n", System.TMPFILES_D, ["vm.swappiness = 10", "/sys/a = b%"]),
        ("any", "w! /sys/kernel/mm/ksm/run - - - - 1\n", System.TMPFILES_D,
         ["/sys/kernel/mm/ksm/run = 1"]),
        ("kargs.d/1.toml", KARGS, System.BOOT_LINE, ["nosmt", "quiet"]),
        ("line", "nosmt quiet sysctl.vm.swappiness=1\n", System.BOOT_LINE,
         ["nosmt", "quiet", "sysctl.vm.swappiness=1"]),
        ("default/grub", 'GRUB_CMDLINE_LINUX="nosmt $(run)"\n', System.BOOT_LINE,
         ["nosmt", "$(run)"]),
        ("note", "[version]\nVERSION=1\n[vm]\nKSM=0\n", System.SAPTUNE,
         ["/sys/kernel/mm/ksm/run = 0"]),
        ("a/tuned.conf", "[sysctl]\nvm.swappiness=1\n", System.TUNED, ["vm.swappiness = 1"]),
        ("odd.conf", "[sysctl]\nvm.swappiness=1\n", System.TUNED, ["vm.swappiness = 1"]),
    ],
)  # fmt: skip
def test_a_file_is_read_as_what_it_is(tmp_path, name, text, system, entries):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    found = read(path, tmp_path)
    assert found.system is system
    assert [one.text for one in found.entries][: len(entries)] == entries


def test_a_name_is_looked_for_on_the_host(tmp_path):
    for path, text in (
        ("usr/lib/tuned/fast/tuned.conf", "[sysctl]\nvm.swappiness=1\n"),
        ("usr/share/saptune/notes/123", "[version]\n[vm]\nKSM=0\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    assert read("fast", tmp_path).system is System.TUNED
    assert read("123", tmp_path).system is System.SAPTUNE
    assert read(tmp_path / "usr/lib/tuned/fast", tmp_path).system is System.TUNED
    with pytest.raises(UsageError, match="this host has no tuning") as error:
        read("fsat", tmp_path)
    assert error.value.hint == "did you mean fast?"
    with pytest.raises(UsageError) as error:
        read("zzzzzzzz", tmp_path)
    assert error.value.hint.startswith("name a tuned.conf")


def test_words_are_a_tuning(tmp_path):
    found = read("nosmt quiet", tmp_path)
    assert (found.system, [one.key for one in found.entries]) == (
        System.BOOT_LINE, ["nosmt", "quiet"],
    )  # fmt: skip
    assert all(one.is_word for one in found.entries)


def test_what_is_no_tuning_is_refused(tmp_path):
    path = tmp_path / "x"
    path.write_text("one two\nthree\n")
    with pytest.raises(InputError):
        read(path, tmp_path)


def test_more_than_anybody_tunes_is_refused(tmp_path):
    with pytest.raises(InputError, match="more than 256 parameters"):
        read(" ".join(f"a{number}=1" for number in range(257)), tmp_path)


def test_what_only_the_program_can_read_is_not_known(tmp_path):
    path = tmp_path / "tmpfiles.d/x.conf"
    path.parent.mkdir()
    path.write_text("w /sys/a - - - - %H\n")
    (one,) = read(path, tmp_path).entries
    assert one.told.answer is Answer.UNKNOWN
