"""A file that one run keeps for the next is used only if it is whole and of this kind."""

from __future__ import annotations

import os
import stat

import pytest

from advisor.cache import cache_path, digest, has_shape, keep, packed, read_intact, read_own

from .cases import each

MARK = "a-mark 1 0.1.0"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "cache/kernel-advisor/x.json")


def test_what_is_kept_is_read_again(path):
    keep(path, MARK, b"line\nline\n")
    assert read_intact(path, MARK) == b"line\nline\n"
    keep(path, MARK, b"")
    assert read_intact(path, MARK) == b""


def test_nothing_is_there(path, tmp_path):
    assert read_intact(path, MARK) is None
    assert read_intact(str(tmp_path), MARK) is None


@pytest.mark.parametrize(
    "data",
    [
        packed("a-mark 1 0.2.0", b"text"),
        packed("another-mark 1 0.1.0", b"text"),
        packed(MARK, b"text") + b" ",
        packed(MARK, b"text")[:-1],
        packed(MARK, b"text").replace(b"text", b"tent"),
        b"text",
        b"",
        b"\xff" * 5000,
    ],
    ids=["version", "kind", "longer", "shorter", "edited", "bare", "empty", "no line"],
)
def test_what_is_not_intact_is_nothing(tmp_path, data):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    assert read_intact(str(path), MARK) is None


def test_a_digest_is_of_all_bytes():
    assert len(digest(b"")) == 32
    assert digest(b"a") == digest(b"a") != digest(b"b")


def test_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert cache_path("tree", "x").startswith(f"{tmp_path}/own/kernel-advisor/tree-")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_path("tree", "x").startswith(f"{tmp_path}/home/.cache/kernel-advisor/tree-")


def test_each_kind_and_subject_has_its_file():
    paths = {cache_path(kind, subject) for kind in ("tree", "index") for subject in ("a", "b")}
    assert len(paths) == 4
    assert cache_path("tree", "a\udcff") not in paths


def test_where_it_cannot_be_kept_nothing_happens(tmp_path):
    (tmp_path / "file").write_text("")
    path = str(tmp_path / "file/x.json")
    keep(path, MARK, b"text")
    assert read_intact(path, MARK) is None


def test_nothing_but_the_file_stays_in_the_folder(path, tmp_path):
    for content in (b"one", b"two"):
        keep(path, MARK, content)
    assert [p.name for p in (tmp_path / "cache/kernel-advisor").iterdir()] == ["x.json"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o700), (0o002, 0o700), (0, 0o700)])
def test_what_is_kept_is_this_users_alone(path, umask, mode):
    before = os.umask(umask)
    try:
        keep(path, MARK, b"text")
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == mode
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert read_own(path, MARK) == b"text"


@each(
    ("mode", "of_folder"), [(0o666, False), (0o620, False), (0o777, True), (0o1777, True)], ids=str
)
def test_what_others_can_write_is_not_believed(tmp_path, mode, of_folder):
    path = str(tmp_path / f"{mode}/kernel-advisor/x.json")
    keep(path, MARK, b"text")
    os.chmod(os.path.dirname(path) if of_folder else path, mode)
    assert read_own(path, MARK) is None
    assert read_intact(path, MARK) == b"text"
    keep(path, MARK, b"new")  # and from then on it is ours alone
    assert read_own(path, MARK) == b"new"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("of_folder", [False, True])
def test_what_another_user_keeps_is_not_believed(path, of_folder):
    keep(path, MARK, b"text")
    folder = os.path.dirname(path)
    os.chown(folder if of_folder else path, 65534, 65534)
    assert read_own(path, MARK) is None
    keep(path, MARK, b"new")
    # Into another's folder nothing is written: a link in it may lead anywhere.
    assert read_intact(path, MARK) == (b"text" if of_folder else b"new")


def test_a_link_is_not_believed(path, tmp_path):
    keep(path, MARK, b"text")
    link = tmp_path / "cache/kernel-advisor/link.json"
    link.symlink_to(path)
    assert read_own(str(link), MARK) is None


def test_a_relative_cache_folder_is_ignored(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_path("tree", "x").startswith(f"{tmp_path}/home/.cache/kernel-advisor/tree-")


@each(
    ("value", "shape", "has"),
    [
        ({"a": 1}, {str: int}, True), ({"a": "1"}, {str: int}, False), ([], {str: int}, False),
        ({"a": 1, "b": []}, {"a": int, "b": [str]}, True), ({"c": 1}, {"a": int}, False),
        (["x", 1], (str, int), True), (["x"], (str, int), False), ({"0": "x"}, (str,), False),
        ([["x", None]], [(str, str | None)], True), ([["x", 1]], [(str, str | None)], False),
        ("xy", [str], False), (None, str | None, True), (1, str, False),
    ],
    ids=str,
)  # fmt: skip
def test_a_shape(value, shape, has):
    assert has_shape(value, shape) is has
