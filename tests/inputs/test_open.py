"""Files that others name: nothing outside of the repository is read, whatever way is tried."""

from __future__ import annotations

import os

import pytest

from advisor.errors import InputError
from advisor.inputs import git
from advisor.inputs.open import RepositoryFile, name_of, read_text

SECRET = "password=hunter2\n"


@pytest.fixture
def files(repository, tmp_path_factory):
    """A repository beside a folder of secrets, to which links in it lead."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret").write_text(SECRET)
    os.symlink(outside / "secret", repository.root / "link")
    os.symlink(outside, repository.root / "folder")
    repository.commit({"a/b.txt": "committed\n", "a/c.toml": "", "d.toml": ""})
    return repository


def work(files, path: str) -> RepositoryFile:
    return RepositoryFile(path, str(files.root))


def committed(files, path: str) -> RepositoryFile:
    return work(files, path)._replace(revision=git.commit("HEAD"))


@pytest.mark.parametrize("place", [work, committed])
def test_a_file_of_the_repository(files, place):
    assert read_text(place(files, "a/b.txt")) == "committed\n"
    assert name_of(place(files, "a/b.txt")) == "a/b.txt"


def test_the_revision_is_read_and_not_what_stands_there_now(files):
    (files.root / "a/b.txt").write_text("changed\n")
    assert read_text(committed(files, "a/b.txt")) == "committed\n"
    assert read_text(work(files, "a/b.txt")) == "changed\n"


def test_no_file_of_the_work_tree_passes_for_one_of_a_revision(files):
    head = git.commit("HEAD")
    (files.root / f"{head}:a").mkdir()
    (files.root / f"{head}:a" / "b.txt").write_text("forged\n")
    assert read_text(committed(files, "a/b.txt")) == "committed\n"


@pytest.mark.parametrize("place", [work, committed])
@pytest.mark.parametrize("path", ["link", "folder/secret", "nowhere", "a"])
def test_no_link_leads_out(files, place, path):
    with pytest.raises(InputError) as caught:
        read_text(place(files, path))
    assert "hunter2" not in f"{caught.value}"
    assert caught.value.where == path
    assert caught.value.hint


@pytest.mark.parametrize("place", [work, committed])
def test_what_is_below_a_folder(files, place):
    assert place(files, "a").below() == ["a/b.txt", "a/c.toml"]
    assert place(files, "nowhere").below() == []
    assert "link" not in place(files, ".").below()


def test_a_folder_that_leads_out_has_nothing_below_it(files):
    with pytest.raises(InputError, match="leads out of the repository"):
        work(files, "folder").below()
    assert committed(files, "folder").below() == []


@pytest.mark.parametrize(
    ("name", "path"),
    [("x", "a/x"), ("../d.toml", "d.toml"), ("./x/../y", "a/y"), ("../../x", None),
     ("/etc/passwd", None), ("../a/../../x", None), ("x\0y", None)],
)  # fmt: skip
def test_what_a_file_calls_its_neighbours(files, name, path):
    found = work(files, "a/b.txt").beside(name)
    assert (found and found.path) == path
