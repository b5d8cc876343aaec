"""Archives of hosts: as good as the folder they were made of, and nothing gets out of hand."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.inputs.host import archive as module
from advisor.inputs.host.archive import read_archive
from advisor.inputs.host.read import read_host
from advisor.model.kernel import Machine

from ... import corpus
from .hosts import BOOTED, recorded, write_host

KERNELS = sorted(path.stem for path in BOOTED.iterdir())
FORMS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
PACKERS = {"tar": bytes, "gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}
RELEASE = {"/proc/sys/kernel/osrelease": "6.12.1-x\n"}
UNAME = "Linux name 6.4.0-9-default #1 SMP PREEMPT_DYNAMIC Thu Jan 1 aarch64 aarch64 GNU/Linux\n"


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def packed(*members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    """A tar archive of these members and their data."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def folder_packed(folder: Path, top: str, form: int = tarfile.GNU_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as tar:
        tar.add(folder, top)
    return stream.getvalue()


@pytest.fixture
def held(tmp_path):
    """What an archive of these bytes holds."""

    def read(data: bytes):
        path = tmp_path / "host.tar"
        path.write_bytes(data)
        return read_archive(str(path))

    return read


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("top", [".", "sosreport-name-2026-11-24-abc"])
@pytest.mark.parametrize("packer", PACKERS)
def test_an_archive_is_read_as_its_folder(tmp_path, kernel, top, packer):
    folder = write_host(tmp_path / "host", recorded(kernel))
    path = tmp_path / f"host.{packer}"
    path.write_bytes(PACKERS[packer](folder_packed(folder, top)))
    names = [corpus.knowledge().run_time_names(layer) for layer in ("sysctl", "sysfs")]
    one, other = (read_host(str(place), *names) for place in (folder, path))
    assert (one.machine, one.version) == (other.machine, other.version)
    words = [host.cmdline.words if host.cmdline else None for host in (one, other)]
    assert words[0] == words[1]
    assert one.runtime[2:] == other.runtime[2:]
    for ours, theirs in zip(one.runtime[:2], other.runtime[:2], strict=True):
        assert [(key, text) for key, (text, _) in ours.items()] == [
            (key, text) for key, (text, _) in theirs.items()
        ]
    assert [(n.id, n.message) for n in one.notes] == [(n.id, n.message) for n in other.notes]


@pytest.mark.parametrize("form", FORMS)
def test_long_names_are_read(held, form):
    name = "sys/" + "/".join(["a" * 40] * 4) + "/value"
    root = held(packed((member(name), b"1\n"), form=form))
    assert root.text(f"/{name}") == "1\n"


def test_names_beyond_those_of_a_header_are_read(held):
    name = "sys/" + "/".join(["é" * 90] * 5)
    for form in FORMS[1:]:
        assert held(packed((member(name), b"1\n"), form=form)).text(f"/{name}") == "1\n"


def test_a_long_name_of_which_the_header_has_a_folder_is_a_file(held):
    name = "sys/" + "a/" * 80 + "value"
    for form in FORMS[1:]:
        root = held(packed((member(name), b"1\n"), (member("etc/x"), b"2\n"), form=form))
        assert (root.text(f"/{name}"), root.text("/etc/x")) == ("1\n", "2\n")


def test_a_path_has_an_end(held):
    with pytest.raises(InputError, match="a name without end"):
        held(packed((member("sys/" + "a/" * 3000 + "x"), b"")))


def test_links_stay_within(held):
    (files) = [
        (member("etc/name"), b"yes\n"),
        (member("etc/absolute", tarfile.SYMTYPE, "/etc/name"), b""),
        (member("etc/up", tarfile.SYMTYPE, "../../../../etc/name"), b""),
        (member("etc/out", tarfile.SYMTYPE, "/../../home/secret"), b""),
        (member("sys/folder", tarfile.SYMTYPE, "../etc"), b""),
        (member("etc/round", tarfile.SYMTYPE, "round"), b""),
        (member("etc/same", tarfile.LNKTYPE, "etc/name"), b""),
        (member("etc/lost", tarfile.LNKTYPE, "home/secret"), b""),
        (member("etc/disk", tarfile.BLKTYPE), b""),
        (member("etc/pipe", tarfile.FIFOTYPE), b""),
    ]
    root = held(packed(*files))
    for name in ("name", "absolute", "up", "same"):
        assert root.text(f"/etc/{name}") == "yes\n"
    assert root.text("/sys/folder/name") == "yes\n"
    assert root.names("/sys/folder") == sorted(
        info.name[4:] for info, _ in files if "sys" not in info.name
    )
    assert [root.text(f"/etc/{name}") for name in ("out", "round", "lost", "disk", "pipe")] == [
        None
    ] * 5
    assert root.unread == {
        "/etc/round": "too many levels of symbolic links",
        "/etc/lost": "a link to a file that the archive does not have",
        "/etc/disk": "no regular file",
        "/etc/pipe": "no regular file",
    }
    assert root.has("/etc/name")
    assert not root.has("/etc/round/x")
    assert root.names("/etc/round") == []


def test_nothing_of_this_machine_is_told(held, tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    for top in ("", "sosreport-x/"):
        held(
            packed(*((member(f"{top}{path[1:]}"), text.encode()) for path, text in RELEASE.items()))
        )
        host = read_host(str(tmp_path / "host.tar"), ["vm.swappiness"], ["/sys/kernel/mm/ksm/run"])
        assert (host.machine, host.cmdline, len(host.config)) == (Machine(), None, 0)
        assert (list(host.runtime.sysctl), host.runtime.sysfs) == (["kernel.osrelease"], {})
    root = held(packed((member("etc/x"), b"")))
    assert not root.runs
    assert (root.text("/proc/cmdline"), root.names("/proc"), root.has("/sys")) == (None, [], False)


def test_an_sos_report_tells_what_commands_printed(held, tmp_path):
    files = {
        "proc/version": "Linux version 6.4.0-9-default (x)\n", "proc/cmdline": "quiet\n",
        "proc/sys/kernel/pid_max": "7\n", "sos_commands/kernel/uname_-a": UNAME,
        "sos_commands/kernel/sysctl_-a":
            "kernel.pid_max = 9\nsysctl: no\nvm.swappiness = 10\nnet.ipv4.tcp_rmem = 1\t2\t3\n?\n",
    }  # fmt: skip
    held(packed(*((member(f"sosreport-a/{name}"), text.encode()) for name, text in files.items())))
    names = ["kernel.pid_max", "net.ipv4.tcp_rmem", "vm.swappiness", "vm.none"]
    host = read_host(str(tmp_path / "host.tar"), names, [])
    shown = {key: text for key, (text, _) in host.runtime.sysctl.items()}
    assert shown == {"kernel.pid_max": "7", "vm.swappiness": "10", "net.ipv4.tcp_rmem": "1 2 3"}
    place = host.runtime.sysctl["vm.swappiness"][1]
    assert str(place) == f"{tmp_path}/host.tar/sos_commands/kernel/sysctl_-a:3"
    assert (host.version.text, host.machine.arch) == ("6.4.0-9-default", "arm64")


@pytest.mark.parametrize("more", [{}, {"sos_commands/kernel/uname_-a": UNAME}])
def test_of_a_report_no_next_boot_is_told(held, tmp_path, more):
    # What of /etc and /usr/lib is not in it may set something all the same.
    files = {
        "proc/cmdline": "quiet\n", "proc/sys/vm/swappiness": "9\n",
        "etc/systemd/system/x": "", "etc/sysctl.d/a.conf": "vm.swappiness = 1\n", **more,
    }  # fmt: skip
    held(packed(*((member(name), text.encode()) for name, text in files.items())))
    after = read_host(str(tmp_path / "host.tar"), ["vm.swappiness"], []).next
    assert (after is None) is bool(more)


def test_uname_alone_tells_the_release(held, tmp_path):
    held(packed((member("s/sos_commands/kernel/uname_-a"), UNAME.encode())))
    assert read_host(str(tmp_path / "host.tar"), [], []).version.text == "6.4.0-9-default"


GOOD = packed((member("proc/cmdline"), b"quiet\n" * 200))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is no tar archive"),
        (b"text\n" * 300, "is no tar archive"),
        (b"\0" * 5000, "is no tar archive"),
        (b"PK\3\4" + b"\0" * 600, "is no tar archive"),
        (gzip.compress(b"text", mtime=0), "is no tar archive"),
        (gzip.compress(GOOD, mtime=0)[:60], "the gzip data are cut short"),
        (GOOD[:700], "the tar data are cut short"),
        (GOOD[:2048], "the tar data are cut short"),
        (GOOD[:2048] + b"x" * 512, "the tar data are damaged"),
        (packed((member("/etc/x"), b"")), "contains '/etc/x', a path outside its folder"),
        (packed((member("etc/../../x"), b"")), "contains 'etc/../../x', a path"),
        (packed((member("etc/x"), b"1"), (member("./etc//x"), b"2")), "holds 'etc/x' twice"),
        (packed((member("etc/y", tarfile.LNKTYPE, "../x"), b"")), "contains '../x', a path"),
    ],
)  # fmt: skip
def test_what_is_no_good_archive_is_told(held, data, words):
    with pytest.raises(InputError) as caught:
        held(data)
    assert words in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("limit", "most", "words"),
    [
        ("MOST_MEMBERS", 3, "more than 3 files"),
        ("MOST_HELD", 3, "more than 0 MiB of files"),
        ("MOST_UNPACKED", 3, "unpacks to more than 0 GiB"),
        ("_MOST_OF_A_NAME", 3, "a name without end"),
    ],
)
def test_an_archive_has_an_end(held, monkeypatch, limit, most, words):
    monkeypatch.setattr(module, limit, most)
    files = [(member(f"etc/{number}{'x' * 200}"), b"1") for number in range(9)]
    with pytest.raises(InputError) as caught:
        held(packed(*files))
    assert words in caught.value.message


def test_a_large_file_costs_itself_only(held):
    long = b"x" * (module.MOST_OF_A_FILE + 1)
    root = held(
        packed((member("etc/long"), long), (member("etc/x"), b"1"), (member("boot/config-6"), long))
    )
    assert (root.text("/etc/long"), root.text("/etc/x")) == (None, "1")
    assert root.unread == {"/etc/long": f"more than {module.MOST_OF_A_FILE} bytes"}
    assert root.stream("/boot/config-6") is not None


def test_a_root_file_system_costs_no_modules(held, monkeypatch):
    """Whose /lib is a link to what is below /usr."""
    monkeypatch.setattr(module, "MOST_HELD", 99)
    folder = "usr/lib/modules/6.1"
    files = [(member("lib", tarfile.SYMTYPE, "usr/lib"), b"")]
    for name in (f"{folder}/config", "usr/lib/sysctl.d/x.conf", "usr/lib/udev/rules.d/1.rules"):
        files.append((member(name), b"1"))
    files.append((member(f"{folder}/kernel/fs/x.ko"), b"x" * 999))
    root = held(packed(*files))
    for name in ("modules/6.1/config", "sysctl.d/x.conf", "udev/rules.d/1.rules"):
        assert root.text(f"/lib/{name}") == "1"
    assert not root.has("/lib/modules/6.1/kernel")


def test_logs_are_passed_over(held):
    root = held(packed((member("var/log/x"), b"x" * 9999), (member("etc/x"), b"1")))
    assert (root.has("/var"), root.text("/etc/x")) == (False, "1")


PIECES = st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), max_size=6)


@given(PIECES, st.integers(0, len(GOOD)))
@example([(124, 0x80), (125, 0xFF)], len(GOOD))
def test_damage_is_a_line_or_nothing(tmp_path_factory, changes, end):
    data = bytearray(GOOD)
    for at, value in changes:
        data[at] = value
    # As if whoever damaged it had summed it up anew.
    data[148:156] = b"%06o\0 " % (sum(data[:148]) + sum(data[156:512]) + 8 * 32)
    path = tmp_path_factory.mktemp("a") / "host.tar"
    path.write_bytes(bytes(data[:end]))
    try:
        root = read_archive(str(path))
    except InputError:
        return
    root.text("/proc/cmdline")


@given(st.binary(max_size=600))
def test_a_pax_header_of_anything_is_read_or_refused(tmp_path_factory, text):
    header = packed((member("x", tarfile.XHDTYPE), text), (member("etc/x"), b"1"))
    path = tmp_path_factory.mktemp("a") / "host.tar"
    path.write_bytes(header)
    with suppress(InputError):
        read_archive(str(path))
