"""A file that one run keeps for the next is used only if it is whole and of this kind."""

from __future__ import annotations

import pytest

from advisor.cache import cache_path, digest, keep, packed, read_intact

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
