"""The format of a snapshot: what was written is read, what is damaged or hostile is refused."""

from __future__ import annotations

import gzip
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.inputs.host import collect, patience, snapshot
from advisor.inputs.host.collect import snapshot_of
from advisor.inputs.host.held import Held, Link, Refused
from advisor.inputs.host.masks import masked
from advisor.inputs.host.root import Root
from advisor.inputs.host.snapshot import files_of, read_snapshot
from advisor.inputs.host.taken import BINARY, TEXT, THERE, VALUE, Take, taken

from ...cases import each
from .hosts import write_host

HEAD = b"kernel-advisor snapshot 1\n"
PARTS = st.text("abc-*é \udcff|", min_size=1, max_size=6).filter(lambda part: part not in "..")
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
LINES = st.lists(st.text("ab |=#\t\r\\\"'é", max_size=8), max_size=4)
CONTENT = LINES.map(lambda lines: "".join(f"{line}\n" for line in lines).encode())


def read(body, name="x"):
    return files_of(HEAD + body, name)


def test_what_an_entry_may_be():
    text = (
        b"file /a/b\n|1\n||2\n|\nlink /c\n|../d\nfolder /e\nthere /f\nrefused /g\n"
        b"binary /h\n|00 ff\n|0a\nfile /empty\nend\n"
    )
    assert read(text) == {
        "a/b": b"1\n|2\n\n", "c": Link("../d"), "e/": b"", "f": Refused(snapshot.NOT_TAKEN),
        "g": Refused(snapshot.REFUSED), "h": b"\0\xff\n", "empty": b"",
    }  # fmt: skip


def test_what_is_only_there_gives_way_to_what_it_holds():
    assert read(b"there /a\nfile /a\n|1\nend\n") == {"a": b"1\n"}
    assert read(b"file /a\n|1\nthere /a\nend\n") == {"a": b"1\n"}


def test_of_a_path_that_is_there_twice_the_first_counts():
    assert read(b"file /a\n|1\nfile /a\n|2\nend\n") == {"a": b"1\n"}


@given(st.dictionaries(PATHS, CONTENT, max_size=6))
def test_what_is_taken_of_a_host_is_read_again(files):
    """Of a host of any files: the same, but that a value of no byte is none."""
    own = {
        path: data
        for path, data in files.items()
        if not any(other != path and other.startswith(f"{path}/") for other in files)
    }
    takes = [Take(VALUE, f"/{path}") for path in own if "*" not in path]
    found = files_of(snapshot_of(Held("x", own), takes, ()), "x")
    there = {path: data for path, data in own.items() if "*" not in path}
    wanted = {path: data or Refused(snapshot.REFUSED) for path, data in there.items()}
    assert found == wanted


@given(st.binary(max_size=80))
def test_hostile_bytes_are_read_or_refused(data):
    for text in (data, HEAD + data, HEAD + data + b"\nend\n"):
        with suppress(InputError):
            Held("x", files_of(text, "x"))


@each(
    ("body", "place", "message"),
    [
        (b"", "x:1", "is cut short"),
        (b"file /a\n|1\n", "x:3", "is cut short"),
        (b"nonsense\nend\n", "x:2", "'nonsense' is no line of a snapshot"),
        (b"|1\nend\n", "x:2", "a line of content after an entry without content"),
        (b"folder /a\n|1\nend\n", "x:3", "a line of content after an entry without content"),
        (b"file a\nend\n", "x:2", "'a' is no path of a file"),
        (b"file /\nend\n", "x:2", "'/' is no path of a file"),
        (b"file /a/../b\nend\n", "x:2", "'/a/../b' is no path of a file"),
        (b"file /a//b\nend\n", "x:2", "'/a//b' is no path of a file"),
        (b"file /" + b"a" * 5000 + b"\nend\n", "x:2", "is no path of a file"),
        (b"link /a\nend\n", "x:3", "a link needs exactly one line"),
        (b"link /a\n|b\n|c\nend\n", "x:5", "a link needs exactly one line"),
        (b"binary /a\n|0g\nend\n", "x:4", "binary content must be written"),
        (b"end\nfile /a\n", "x:3", "text after the last line of the snapshot"),
    ],
)
def test_what_is_damaged_is_refused_with_its_line(body, place, message):
    with pytest.raises(InputError) as caught:
        read(body)
    assert caught.value.where == place
    assert message in caught.value.message


def test_a_newer_version_is_refused():
    with pytest.raises(InputError) as caught:
        files_of(b"kernel-advisor snapshot 2\nwhatever\n", "x")
    assert str(caught.value).startswith(
        "x:1: has version 2, and this kernel-advisor reads versions up to 1"
    )
    assert caught.value.hint == "update kernel-advisor"


def test_it_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "MOST_ENTRIES", 3)
    with pytest.raises(InputError, match="more than 3 entries"):
        read(b"there /a\n" * 5 + b"end\n")
    bomb = tmp_path / "bomb"
    monkeypatch.setattr(snapshot, "MOST_BYTES", 1 << 20)
    bomb.write_bytes(gzip.compress(HEAD + b"file /a\n" + b"|\n" * (1 << 20)))
    with pytest.raises(InputError, match="more than 1 MiB, unpacked"):
        read_snapshot(str(bomb))


def test_a_link_does_not_lead_out(tmp_path):
    name = tmp_path / "x"
    name.write_bytes(HEAD + b"link /proc/cmdline\n|../../../../etc/hostname\nend\n")
    root = read_snapshot(str(name))
    assert root.text("/proc/cmdline") is None
    assert root.has("/proc/cmdline")


def test_links_and_bytes_and_what_may_not_be_read(tmp_path):
    folder = write_host(tmp_path / "h", {"/etc/sysctl.conf": "a=1\n", "/etc/sysctl.d/": ""})
    (folder / "etc/sysctl.d/99.conf").symlink_to("../sysctl.conf")
    (folder / "etc/sysctl.d/1.conf").symlink_to("/dev/null")
    (folder / "etc/sysctl.d/2.conf").symlink_to("../other")
    (folder / "etc/other").write_text("b=1")
    (folder / "big").write_text("x" * 5000)
    (folder / "raw").write_bytes(b"\x07\0\0\0L\0")
    takes = (
        Take(TEXT, "/etc/sysctl.d/*.conf"), Take(VALUE, "/big"), Take(BINARY, "/raw"),
        Take(THERE, "/etc/*"),
    )  # fmt: skip
    assert files_of(snapshot_of(Root(str(folder)), takes, ()), "x") == {
        "etc/sysctl.d/1.conf": Link("/dev/null"), "etc/sysctl.d/2.conf": b"b=1\n",
        "etc/sysctl.d/99.conf": Link("../sysctl.conf"), "big": Refused(snapshot.REFUSED),
        "raw": b"\x07\0\0\0L\0", "etc/other": Refused(snapshot.NOT_TAKEN),
        "etc/sysctl.conf": Refused(snapshot.NOT_TAKEN),
        "etc/sysctl.d": Refused(snapshot.NOT_TAKEN),
    }  # fmt: skip


@each(
    ("line", "kept"),
    [
        ("root=/dev/x quiet hashdist=1", "root=/dev/x quiet hashdist=1"),
        ("rd.luks.key=/k:UUID=1 quiet", "rd.luks.key=*** quiet"),
        ('a.token="x y" quiet', "a.token=*** quiet"),
        ("Password=x,y ro", "Password=*** ro"),
        ("my_psk='a b' ro", "my_psk=*** ro"),
        ('CONFIG_CMDLINE="api_key=ab ro"', 'CONFIG_CMDLINE="api_key=*** ro"'),
        (r'CONFIG_CMDLINE="key=\"a b\" ro"', 'CONFIG_CMDLINE="key=*** ro"'),
        ("netroot=iscsi:u:p@10.0.0.1::3260 ro", "netroot=iscsi:***@10.0.0.1::3260 ro"),
        ("inst.ks=https://u:p@host/x?secret=1", "inst.ks=https://***@host/x?secret=***"),
        ("root=https://host/a@b", "root=https://host/a@b"),
        ("net.ipv4.tcp_fastopen_key = 1-2 3-4", "net.ipv4.tcp_fastopen_key = ***"),
        ("password_pbkdf2 root grub.pbkdf2.x", "password_pbkdf2 ***"),
        ("  password me it", "  password ***"),
        ("pass=hunter2 smb.pass=x cifs_pass=y ro", "pass=*** smb.pass=*** cifs_pass=*** ro"),
        ("bypass=1 iommu.passthrough=1 compass=2", "bypass=1 iommu.passthrough=1 compass=2"),
        ('key=ab"cd ef"gh ro', "key=*** ro"),
        ("pwd='x'y\"z w\" ro", "pwd=*** ro"),
        ('key=ab"cd ef', "key=***"),
        ('GRUB_CMDLINE_LINUX="quiet key=ab x=1"', 'GRUB_CMDLINE_LINUX="quiet key=*** x=1"'),
    ],
)
def test_what_looks_like_a_secret_is_masked(line, kept):
    assert masked(line) == kept
    assert masked(kept) == kept


def test_more_than_a_snapshot_holds_is_refused(tmp_path, monkeypatch):
    """Rather than to leave out the rest and say nothing."""
    monkeypatch.setattr(collect, "MOST_ENTRIES", 2)
    for name in "abc":
        (tmp_path / name).write_text("1\n")
    with pytest.raises(InputError, match="more than 2 files"):
        snapshot_of(Root(str(tmp_path)), (Take(VALUE, "/*"),), ())


def test_a_file_that_never_answers_is_left(tmp_path, monkeypatch):
    """A driver may let a reader wait: that file is noted as not read, and none like it is tried."""

    class Stuck:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.close()

        def close(self):
            pass

        def read(self, size):
            time.sleep(60)

    asked = []

    def opened(path):
        if not path.startswith("/sys/"):
            raise FileNotFoundError
        asked.append(path)
        return Stuck()

    root = Root("/")
    monkeypatch.setattr(patience, "SECONDS", 0.2)
    monkeypatch.setattr(root, "_opened", opened)
    start = time.monotonic()
    files = [f"/sys/class/net/lo/x{number}/speed" for number in range(50)]
    assert [root.text(path) for path in files] == [None] * 50
    assert asked == files[:1]
    assert set(root.unread.values()) == {"no answer within 0.2 seconds"}
    monkeypatch.setattr(root, "has", lambda path: True)
    text = snapshot_of(root, (Take(VALUE, "/sys/other/speed"), Take(VALUE, "/sys/x/y")), ())
    assert b"refused /sys/other/speed\nrefused /sys/x/y\n" in text
    assert time.monotonic() - start < 10


def test_a_path_that_another_covers_is_named_once():
    names = [take.pattern for take in taken((), ["/sys/x/NAME/a", "/sys/x/y/a", "/sys/x/*/a"])]
    assert [name for name in names if name.startswith("/sys/x/")] == ["/sys/x/*/a"]
