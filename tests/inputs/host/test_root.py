"""The files of a host: links stay within it, and nothing blocks, runs away or raises."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.inputs.host import root as module
from advisor.inputs.host.root import Root, reasons

from .hosts import write_host


@pytest.fixture
def host(tmp_path: Path) -> Path:
    write_host(tmp_path, {"secret": "no\n"})
    return write_host(tmp_path / "host", {"/etc/name": "yes\n", "/sys/a/b/c": "1\n"})


@pytest.mark.parametrize(
    ("link", "target", "asked"),
    [
        ("etc/absolute", "/etc/name", "/etc/absolute"),
        ("etc/relative", "../etc/./name", "/etc/relative"),
        ("etc/up", "../../../../../etc/name", "/etc/up"),
        ("sys/folder", "../etc", "/sys/folder/name"),
        ("sys/folder", "/sys/again", "/sys/folder/name"),
    ],
)
def test_a_link_leads_where_it_would_on_the_host(host, link, target, asked):
    (host / link).symlink_to(target)
    (host / "sys" / "again").symlink_to("/etc")
    assert Root(str(host)).text(asked) == "yes\n"


@pytest.mark.parametrize("target", ["../../secret", "../secret", "{outside}/secret"])
def test_no_link_leads_out(host, target):
    (host / "etc" / "out").symlink_to(target.format(outside=host.parent))
    (host / "etc" / "folder").symlink_to(str(host.parent))
    root = Root(str(host))
    assert root.text("/etc/out") is None
    assert root.text("/etc/folder/secret") is None
    assert root.text("/../secret") is None
    assert root.names("/..") == ["etc", "sys"]


def test_links_without_end_are_told(host):
    (host / "etc" / "a").symlink_to("b")
    (host / "etc" / "b").symlink_to("a")
    root = Root(str(host))
    assert root.text("/etc/a") is None
    assert not root.has("/etc/a/x")
    assert root.unread == {"/etc/a": "too many levels of symbolic links"}


def test_what_is_not_there_is_not_told(host):
    root = Root(str(host))
    assert (root.text("/no"), root.text("/etc/name/no"), root.stream("/no")) == (None, None, None)
    assert (root.names("/no"), root.head("/no", 9)) == ([], "")
    assert root.unread == {}


def test_nothing_waits_for_a_pipe(host):
    os.mkfifo(host / "etc" / "pipe")
    root = Root(str(host))
    assert root.text("/etc/pipe") is None
    assert root.unread == {"/etc/pipe": "no regular file"}


def test_a_value_has_an_end(host):
    (host / "etc" / "long").write_bytes(b"x" * (module.MOST_OF_A_VALUE + 1))
    root = Root(str(host))
    assert root.text("/etc/long") is None
    assert root.unread == {"/etc/long": f"more than {module.MOST_OF_A_VALUE} bytes"}
    assert root.head("/etc/long", 3) == "xxx"


@pytest.mark.parametrize(("name", "most"), [("MOST_BYTES", 7), ("MOST_ENTRIES", 7)])
def test_a_host_has_an_end(host, monkeypatch, name, most):
    monkeypatch.setattr(module, name, most)
    root = Root(str(host))
    assert [root.text("/etc/name") for _ in range(9)].count("yes\n") in (1, 7)
    assert root.unread == {"/etc/name": "more files than kernel-advisor reads from one host"}


def test_a_path_may_name_many(host):
    for path in ("sys/n/cpu1/x", "sys/n/cpu10/x", "sys/n/cpufreq/x", "sys/n/cpu0/y"):
        write_host(host, {path: ""})
    (host / "sys" / "n" / "cpu2").symlink_to("cpu1")
    (host / "sys" / "n" / "cpuidle").write_text("")
    root = Root(str(host))
    found = [path for path in root.matching("/sys/n/cpu[0-9]*/x") if root.has(path)]
    assert found == ["/sys/n/cpu1/x", "/sys/n/cpu10/x", "/sys/n/cpu2/x"]
    assert list(root.matching("/sys/n/DEVICE/x"))[-1] == "/sys/n/cpufreq/x"
    assert list(root.matching("/sys/n/cpu0/y")) == ["/sys/n/cpu0/y"]


def test_control_groups_may_hold_others(host):
    files = ("a/p", "a/b/p", "a/b/c/other", "a/b/c/d/p", "z/p")
    write_host(host, {f"/sys/fs/cgroup/{path}": "" for path in files})
    (host / "sys/fs/cgroup/a/round").symlink_to("/sys/fs/cgroup/a")
    root = Root(str(host))
    found = [path for path in root.matching("/sys/fs/cgroup/GROUP/p") if root.has(path)]
    # A group without the file has none below it either: its controller is not passed on.
    assert found == [f"/sys/fs/cgroup/{path}" for path in ("a/p", "a/b/p", "a/round/p", "z/p")]


@pytest.mark.slow
def test_ten_thousand_cpus_are_read(tmp_path):
    write_host(tmp_path, {"/sys/cpu0/value": "1\n"})
    for number in range(1, 10_000):
        (tmp_path / f"sys/cpu{number}").symlink_to("cpu0")
    root = Root(str(tmp_path))
    assert sum(root.text(path) == "1\n" for path in root.matching("/sys/cpu*/value")) == 10_000
    assert root.unread == {}


def test_reasons_come_by_their_number():
    assert reasons({"/a": "x", "/b": "y", "/c": "y"}) == [("y", ["/b", "/c"]), ("x", ["/a"])]


PARTS = st.sampled_from(["..", ".", "", "etc", "sys", "a", "out", "loop", "name", "secret"])


@given(st.lists(PARTS, max_size=9), st.lists(PARTS, max_size=9), st.booleans())
def test_nothing_outside_is_ever_read(tmp_path_factory, path, target, absolute):
    top = tmp_path_factory.mktemp("top")
    write_host(top, {"secret": "no", "etc/secret": "no"})
    host = write_host(top / "host", {"/etc/name": "yes", "/sys/a/name": "yes"})
    (host / "etc" / "out").symlink_to("/" * absolute + "/".join(target) or ".")
    (host / "sys" / "loop").symlink_to("../etc/out/loop")
    assert Root(str(host)).text("/" + "/".join(path)) in (None, "yes")


def test_another_process_may_have_another_root(host, monkeypatch):
    """That of a container reads as a link to /, and is not the one that reads."""
    monkeypatch.setattr(os.path, "realpath", lambda path: "/")
    assert not Root(str(host)).runs
    assert Root("/proc/self/root").runs


def test_what_is_known_not_to_be_there(host):
    """Of the running system, and of no folder that may be a part of one."""
    root = Root("/")
    assert root.knows("/proc/cmdline") is root.knows("/proc/sys/vm") is True
    assert root.knows("/proc/sys/vm/unheard_of") is root.knows("/proc/no/such/folder") is False
    assert Root(str(host)).knows("/proc/no_such_file") is None


def test_what_is_not_mounted_tells_nothing(monkeypatch, tmp_path):
    root = Root("/")
    monkeypatch.setattr(
        root, "_place", lambda path: f"{tmp_path}{path.removeprefix('/sys/kernel')}"
    )
    (tmp_path / "slab").mkdir()
    assert root.knows("/sys/kernel/debug/sched/preempt") is None  # debugfs=off makes no folder
    (tmp_path / "debug").mkdir()
    assert root.knows("/sys/kernel/debug/page_owner") is None
    (tmp_path / "debug/sched").mkdir()
    assert root.knows("/sys/kernel/debug/page_owner") is False


def test_the_running_system_is_read_as_it_is():
    root = Root("//")
    assert root.runs
    assert root.text("/proc/self/comm")
    assert root.called("/proc/cmdline") == "/proc/cmdline"
    assert root.link("/proc/self")
