"""sysctl.d, held against the programs that read it at boot."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.sysctls import parsed, read_sysctls

from ..host.hosts import write_host

NAMES = ("vm.swappiness", "vm.dirty_ratio", "vm.dirty_bytes", "kernel.panic",
         "net.ipv4.conf.all.forwarding", "net.ipv4.conf.eth0/1.forwarding")  # fmt: skip
# Of these none displaces another, which plain files do not either.
PLAIN = tuple(name for name in NAMES if "dirty" not in name)


@pytest.fixture
def read(tmp_path):
    """What is set at boot on a host with these files: values by name, and the whole answer."""

    def reading(files, by_systemd=True):
        found = read_sysctls(Root(str(write_host(tmp_path, files))), NAMES, by_systemd)
        return {key: one.value for key, one in found.writes.items()}, found

    return reading


def test_the_last_file_by_name_counts_whatever_folder_it_is_in(read):
    files = {
        "/usr/lib/sysctl.d/99-z.conf": "vm.swappiness = 1\n",
        "/etc/sysctl.d/10-a.conf": "# mine\nvm.swappiness = 2\n",
    }
    values, found = read(files)
    assert values == {"vm.swappiness": "1"}
    (lost,) = found.overridden
    assert str(lost.setting.place).endswith("etc/sysctl.d/10-a.conf:2")
    assert lost.value == "1"


def test_a_file_stands_in_for_those_of_its_name(read):
    files = {
        "/etc/sysctl.d/50-x.conf": "kernel.panic = 5\n",
        "/usr/lib/sysctl.d/50-x.conf": "kernel.panic = 9\nvm.swappiness = 1\n",
    }
    values, found = read(files)
    assert values == {"kernel.panic": "5"}
    assert [(one.setting.key, one.value) for one in found.overridden] == [
        ("kernel.panic", "5"),
        ("vm.swappiness", None),
    ]


@pytest.mark.parametrize("target", ["/dev/null", "nowhere"])
def test_a_link_to_nothing_masks_a_file(read, tmp_path, target):
    write_host(
        tmp_path, {"/usr/lib/sysctl.d/50-x.conf": "kernel.panic = 9\n", "/etc/sysctl.d/": ""}
    )
    (tmp_path / "etc/sysctl.d/50-x.conf").symlink_to(target)
    assert read({})[0] == {}


def test_what_runs_now_says_nothing_of_the_next_boot(read):
    assert read({"/run/sysctl.d/50-x.conf": "kernel.panic = 9\n"})[0] == {}


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("vm/swappiness=7", "vm.swappiness", "7"),
        ("-vm.swappiness = 7", "vm.swappiness", "7"),
        ("/vm/swappiness=7", "vm.swappiness", "7"),
        ("net.ipv4.conf.eth0/1.forwarding=1", "net.ipv4.conf.eth0/1.forwarding", "1"),
        ("net/ipv4/conf/eth0.1/forwarding=1", "net.ipv4.conf.eth0/1.forwarding", "1"),
        ("net.ipv4.tcp_rmem = 1\t2   3", "net.ipv4.tcp_rmem", "1 2 3"),
        ("kernel.core_pattern=|/bin/x %p=%s", "kernel.core_pattern", "|/bin/x %p=%s"),
    ],
)
def test_keys_are_spelled_in_several_ways(read, line, key, value):
    assert read({"/etc/sysctl.d/1.conf": f"{line}\n"})[0] == {key: value}


@pytest.mark.parametrize("line", ["# a=b", "; a=b", "", "vm.swappiness 7", "=7", "-vm.swappiness"])
def test_what_is_no_setting_sets_nothing(read, line):
    assert read({"/etc/sysctl.d/1.conf": f"{line}\n"})[0] == {}


def test_a_pattern_sets_what_no_line_names(read):
    text = "net.ipv4.conf.*.forwarding = 1\n-net.ipv4.conf.all.forwarding\n"
    values, _ = read({"/etc/sysctl.d/1.conf": text})
    assert values == {"net.ipv4.conf.eth0/1.forwarding": "1"}


def test_bytes_and_share_of_dirty_memory_displace_each_other(read):
    values, _ = read({"/etc/sysctl.d/1.conf": "vm.dirty_ratio=5\nvm.dirty_bytes=4096\n"})
    assert values == {"vm.dirty_ratio": "0", "vm.dirty_bytes": "4096"}


def test_systemd_reads_sysctl_conf_by_a_link_alone(read, tmp_path):
    files = {"/etc/sysctl.conf": "kernel.panic = 9\n", "/etc/sysctl.d/": ""}
    values, found = read(files)
    assert values == {}
    assert [(one.key, one.place.line) for one in found.unread] == [("kernel.panic", 1)]
    (tmp_path / "etc/sysctl.d/99-sysctl.conf").symlink_to("../sysctl.conf")
    values, found = read({})
    assert (values, found.unread) == ({"kernel.panic": "9"}, ())


def test_procps_reads_sysctl_conf_last(read):
    files = {"/etc/sysctl.conf": "kernel.panic = 9\n", "/etc/sysctl.d/z.conf": "kernel.panic=1\n"}
    assert read(files, by_systemd=False)[0] == {"kernel.panic": "9"}


@given(st.text())
def test_any_text_is_read(text):
    for line in parsed(text, "x"):
        assert line.path
        assert not line.path.startswith("/")


# -- against systemd-sysctl and sysctl --system, in a chroot with a /proc/sys of plain files

PROGRAMS = {
    "systemd": ("/lib/systemd/systemd-sysctl", ()),
    "procps": ("/usr/sbin/sysctl", ("--system",)),
}
KEYS = st.sampled_from(
    ["vm.swappiness", "vm/swappiness", "kernel.panic", "-kernel.panic", "-vm.swappiness",
     "net.ipv4.conf.eth0/1.forwarding", "net/ipv4/conf/eth0.1/forwarding",
     "net.ipv4.conf.*.forwarding",
     "-net.ipv4.conf.*.forwarding", "vm.sw*", "vm.*", "*.panic", "net.ipv4.conf.[ae]*.forwarding",
     "net.*.conf.all.forwarding", "net.ipv4.conf.eth?/1.forwarding", "panic", "nothing.there"]
)  # fmt: skip
LINES = st.builds(
    "{}{}{}".format, KEYS,
    st.sampled_from(["=", " = ", "\t=  ", "", " "]), st.integers(11, 99).map(str),
) | KEYS | st.sampled_from(["# kernel.panic=12", ";vm.swappiness=12", "=12"])  # fmt: skip
FILES = st.dictionaries(
    st.builds(
        "{}/{}".format,
        st.sampled_from(["etc/sysctl.d", "usr/lib/sysctl.d", "usr/local/lib/sysctl.d"]),
        st.sampled_from(["10-a.conf", "A.conf", "a.conf", "99-sysctl.conf", ".x.conf", "x.conf~"]),
    ),
    st.lists(LINES, max_size=4).map("\n".join) | st.sampled_from(["-> /dev/null", "-> nowhere",
                                                                  "-> /etc/sysctl.conf"]),
    max_size=5,
)  # fmt: skip


@pytest.fixture(scope="module")
def chroot(tmp_path_factory):
    """A folder with both programs, and what they load."""
    if os.geteuid() or not all(os.path.exists(path) for path, _ in PROGRAMS.values()):
        pytest.skip("needs root, systemd and procps")
    folder = tmp_path_factory.mktemp("chroot")
    for path, _ in PROGRAMS.values():
        needed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        for one in (path, *re.findall(r"(/\S+)", needed)):
            place = folder / one.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(one, place)
    return folder


def kernel_settings(folder: Path) -> dict[str, Path]:
    slashed = str.maketrans("./", "/.")
    return {name: folder / "proc/sys" / name.translate(slashed) for name in PLAIN}


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(files=FILES, conf=st.lists(LINES, max_size=3).map("\n".join))
def test_the_programs_set_the_same(chroot, program, files, conf):
    for name in ("etc", "usr/lib/sysctl.d", "usr/local/lib/sysctl.d"):
        shutil.rmtree(chroot / name, ignore_errors=True)
    write_host(chroot, {"etc/sysctl.conf": conf})
    for name, text in files.items():
        place = chroot / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            place.symlink_to(text[3:])
        else:
            place.write_text(text)
    places = kernel_settings(chroot)
    for place in places.values():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("00")
    found = read_sysctls(Root(str(chroot)), PLAIN, program == "systemd")
    path, words = PROGRAMS[program]
    subprocess.run(["chroot", chroot, path, *words], capture_output=True, check=False)
    texts = {name: place.read_text().strip() for name, place in places.items()}
    ours = {key: one.value for key, one in found.writes.items() if key in places and one.value}
    assert ours == {name: text for name, text in texts.items() if text not in ("00", "")}
