"""A host, read whole: which kernel, which configuration, what is set."""

from __future__ import annotations

import gzip
import os

import pytest

from advisor.errors import InputError
from advisor.inputs.host.read import read_host
from advisor.model.kernel import Location, Machine

from .hosts import recorded, write_host

CONFIG = "# Linux/x86 {} Kernel Configuration\nCONFIG_OF={}\n"
NAMES = (("vm.swappiness", "net.ipv4.tcp_rmem"), ("/sys/kernel/mm/ksm/run", "/sys/block/DEVICE/x"))


@pytest.fixture
def host(tmp_path):
    """Writes a host and reads it."""

    def read(files, names=NAMES):
        return read_host(str(write_host(tmp_path, files)), *names)

    return read


def kept(*releases, place="/boot/config-{}"):
    return {place.format(r): CONFIG.format(r.partition("-")[0], f'"{r}"') for r in releases}


def running(release="6.1.0-5-amd64"):
    return {"/proc/sys/kernel/osrelease": f"{release}\n", "/proc/cmdline": "quiet a=b\n"}


@pytest.mark.parametrize(
    "place",
    ["/boot/config-{}", "/usr/lib/modules/{}/config", "/lib/modules/{}/config",
     "/usr/lib/ostree-boot/config-{}"],
)  # fmt: skip
def test_the_running_kernel_has_its_own_configuration(host, place):
    found = host({**running(), **kept("6.1.0-5-amd64", "6.12.0-1-amd64", place=place)})
    assert found.config.get("OF") == '"6.1.0-5-amd64"'
    assert found.config.path.endswith(place.format("6.1.0-5-amd64"))
    assert found.notes == ()


def test_what_the_kernel_itself_shows_comes_first(host, tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/config.gz").write_bytes(gzip.compress(b"CONFIG_OF=y\n"))
    found = host({**running(), **kept("6.1.0-5-amd64")})
    assert found.config.get("OF") == "y"


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_module_that_was_not_loaded_holds_it_too(host, tmp_path, packed):
    folder = tmp_path / "lib/modules/6.1.0-5-amd64/kernel/kernel"
    folder.mkdir(parents=True)
    module = b"\x7fELF" + bytes(60) + b"IKCFG_ST" + gzip.compress(b"CONFIG_OF=y\n") + b"IKCFG_ED"
    module = gzip.compress(module) if packed else module
    (folder / f"configs.ko{packed}").write_bytes(module)
    assert host(running()).config.get("OF") == "y"


def test_the_release_may_stand_in_the_version(host):
    files = {"/proc/version": "Linux version 6.1.0-5-amd64 (x@y) #1 SMP\n"}
    assert host({**files, **kept("6.1.0-5-amd64")}).config.get("OF") == '"6.1.0-5-amd64"'


def test_of_a_system_that_does_not_run_the_newest_kernel_counts(host):
    found = host(kept("6.2.0-9-x", "6.12.0-1-x", "6.1.0-99-x", "rescue"))
    assert found.config.get("OF") == '"6.12.0-1-x"'
    assert found.cmdline is None


def test_a_mounted_system_is_not_the_one_that_reads(host):
    found = host(kept("4.19.0-1-x"))
    assert found.machine == Machine(arch="x86")  # which the configuration tells
    assert (found.runtime.sysctl, found.runtime.sysfs) == ({}, {})


def test_another_kernels_configuration_is_not_taken(host):
    found = host({**running(), **kept("6.12.0-1-amd64")})
    assert not len(found.config)
    assert found.version.text == "6.1.0-5-amd64"
    ((name, _, message, *_),) = found.notes
    assert (name, message) == (
        "host-no-config",
        "this host has no configuration of 6.1.0-5-amd64",
    )


def test_a_module_is_named_and_not_loaded(host):
    (note, unread) = host(
        {**running(), "/usr/lib/modules/6.1.0-5-amd64/kernel/kernel/configs.ko.xz": "x"}
    ).notes
    assert "after `modprobe configs`, /proc/config.gz contains the configuration" in note.message
    assert unread.id == "host-unread"


def test_a_wrong_configuration_is_told_and_the_next_taken(host):
    wrong = {"/boot/config-6.1.0-5-amd64": "nothing of the kind\n"}
    found = host(
        {**running(), **wrong, **kept("6.1.0-5-amd64", place="/usr/lib/modules/{}/config")}
    )
    assert found.config.get("OF")
    (note,) = found.notes
    assert note.message.startswith("/boot/config-6.1.0-5-amd64: not a kernel configuration")


def test_the_version_is_the_configurations(host):
    """Of Debian's release the third number is no patch level."""
    files = {"/boot/config-6.1.0-5-amd64": CONFIG.format("6.1.192", "y")}
    assert host({**running(), **files}).version.numbers == (6, 1, 192)


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"/proc/version": "Linux version 6.1.0-50-amd64 (x@y) (gcc-12 (Debian 12.2.0-14+deb12u1) "
          "12.2.0) #1 SMP PREEMPT_DYNAMIC Debian 6.1.176-1 (2026-07-02)\n"}, "6.1.176"),
        ({"/sos_commands/kernel/uname_-a": "Linux vm 6.1.0-50-amd64 #1 SMP PREEMPT_DYNAMIC Debian "
          "6.1.176-1 (2026-07-02) x86_64 GNU/Linux\n"}, "6.1.176"),
        ({"/proc/version": "Linux version 6.1.0-50-amd64 (x@y) (Debian 12.2.0-14) #1 SMP\n"},
         "6.1.0-50-amd64"),
    ],
)  # fmt: skip
def test_of_debians_kernels_without_a_configuration_the_version_is_the_packages(
    host, files, version
):
    assert host({"/proc/cmdline": "quiet\n", **files}).version.text == version


def test_the_architecture_is_the_configurations(host):
    """A 32-bit system may say otherwise."""
    found = host({**running(), **kept("6.1.0-5-amd64"), "/proc/sys/kernel/arch": "aarch64\n"})
    assert found.machine.arch == "x86"


def test_settings_have_their_files_as_places(host, tmp_path):
    files = {
        "/proc/sys/vm/swappiness": "10\n", "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
        "/sys/kernel/mm/ksm/run": "1\n", "/sys/kernel/mm/ksm/other": "1\n",
        "/sys/block/sda/x": "2\n", "/sys/block/loop0/x": "3\n", "/sys/block/zram1/x": "3\n",
    }  # fmt: skip
    found = host({**running(), **files})
    path = f"{tmp_path}/proc/sys/vm/swappiness"
    assert found.runtime.sysctl["vm.swappiness"] == ("10", Location(path))
    assert found.runtime.sysctl["net.ipv4.tcp_rmem"][0] == "4096 131072 6291456"
    shown = {path: text for path, (text, _) in found.runtime.sysfs.items()}
    assert shown == {"/sys/kernel/mm/ksm/run": "1", "/sys/block/sda/x": "2"}


def test_what_cannot_be_read_is_told_once(host, tmp_path):
    for disk in "abcde":
        folder = tmp_path / f"sys/block/sd{disk}"
        folder.mkdir(parents=True)
        os.mkfifo(folder / "x")
    (note,) = host({**running(), **kept("6.1.0-5-amd64")}).notes
    names = ", ".join(f"/sys/block/sd{disk}/x" for disk in "abc")
    assert note.message == f"{names} and 2 more: no regular file"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "no such folder"),
        (lambda path: path.write_text(""), "is no tar archive"),
        (os.mkfifo, "is neither a folder nor an archive"),
        (lambda path: path.mkdir(), "contains neither a running nor an installed kernel"),
    ],
)
def test_no_host(tmp_path, make, words):
    path = tmp_path / "host"
    make(path)
    with pytest.raises(InputError) as caught:
        read_host(str(path), *NAMES)
    assert (caught.value.message, bool(caught.value.hint)) == (words, True)


def test_half_a_proc_is_read_as_far_as_it_goes(host):
    found = host({"/proc/cmdline": "quiet"})
    assert [word.text for word in found.cmdline.words] == ["quiet"]
    assert found.version is None
    assert [note.id for note in found.notes] == ["host-no-config"]


@pytest.mark.parametrize("name", ["cloud-6.1", "cloud-6.12", "rt-6.12"])
def test_a_booted_kernel(host, name):
    found = host(recorded(name))
    assert found.version.text.startswith(("6.1.", "6.12."))
    assert found.runtime.sysctl["vm.swappiness"][0] == "10"
    assert found.runtime.sysfs["/sys/kernel/mm/ksm/run"][0] == "1"
    assert {note.id for note in found.notes} == {"host-no-config"}
