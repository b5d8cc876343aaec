"""A file has the same name on every machine that has a clone of its repository."""

from __future__ import annotations

import os

import pytest

from advisor import repository as places
from advisor.repository import RepositoryPaths

from .cases import each

REPOSITORY = RepositoryPaths("/src/repo", "/src/repo/sub")


@each(
    ("path", "name"),
    [
        ("config", "sub/config"),
        ("./config", "sub/config"),
        ("../config", "config"),
        ("..//a/../config", "config"),
        ("/src/repo/a/config", "a/config"),
        ("/src/repo/../repo/a/config", "a/config"),
        ("..config", "sub/..config"),
        ("../..configs/x", "..configs/x"),
        ("a b/[x]", "sub/a b/[x]"),
        ("caf\xe9", "sub/caf\xe9"),
        ("a\\b", "sub/a\\b"),
        ("../../other/config", "config"),
        ("/boot/config-6.12", "config-6.12"),
        ("/src/repository/config", "config"),
        ("<stdin>", "<stdin>"),
        ("--cmdline", "--cmdline"),
    ],
)
def test_in_a_repository(path, name):
    assert REPOSITORY.of(path) == name


@each(("path", "name"), [("./a/config", "a/config"), ("/boot/config", "config"), ("../x", "../x")])
def test_where_nothing_is_known(path, name):
    assert RepositoryPaths().of(path) == name


def test_of_this_process(tmp_path, monkeypatch):
    (tmp_path / "sub/deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "sub/deep")
    alone = str(tmp_path / "sub/deep")
    assert places.current() == RepositoryPaths(alone, alone)
    (tmp_path / ".git").write_text("gitdir: elsewhere")  # as in a work tree
    assert places.current() == RepositoryPaths(str(tmp_path), alone)
    assert places.current().of("config") == "sub/deep/config"


def test_a_current_folder_that_is_gone(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert places.current().of("/boot/config") in ("config", "boot/config")
    assert places.upwards(places.here(), "absent.toml") == ""


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("repo/sub/s.toml", "s.toml"),
        ("repo/s.toml", "../s.toml"),
        ("s.toml", ""),  # above the repository
        ("repo/other/s.toml", ""),
    ],
)
def test_the_nearest_file_up_to_the_root(tmp_path, monkeypatch, where, found):
    (tmp_path / "repo/.git").mkdir(parents=True)
    for folder in ("sub", "other"):
        (tmp_path / "repo" / folder).mkdir()
    (tmp_path / where).touch()
    monkeypatch.chdir(tmp_path / "repo/sub")
    assert places.upwards(os.getcwd(), "s.toml") == found


def test_the_nearest_of_two(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / "s.toml").touch()
    monkeypatch.chdir(tmp_path / "sub")
    assert places.upwards(os.getcwd(), "s.toml") == "s.toml"


def test_outside_a_repository_only_the_folder_itself(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "s.toml").touch()
    monkeypatch.chdir(tmp_path / "sub")
    assert places.upwards(os.getcwd(), "s.toml") == ""


def test_a_link_to_nowhere_is_found(tmp_path, monkeypatch):
    """Else waivers would be gone, and nobody told."""
    (tmp_path / "s.toml").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path)
    assert places.upwards(os.getcwd(), "s.toml") == "s.toml"


@each(("path", "name"), [("/", "."), ("//", "."), ("/elsewhere/x/", "x")])
def test_a_path_outside_is_never_without_a_name(path, name):
    assert RepositoryPaths("/repository", "/repository").of(path) == name
    assert RepositoryPaths().of(path) == name
