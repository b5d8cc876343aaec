"""Objects of a git repository: what is found, what is refused, and that nothing of it is run."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.inputs import git
from advisor.inputs.open import read_text

ODD = ["two\nlines.config", '"quoted".config', "`id`.config", "$(id).config", "-dash.config", "a:b"]


@pytest.fixture
def filled(repository):
    repository.commit({"dir/a.config": "CONFIG_A=y\n", "b.config": "CONFIG_B=y\n"})
    return repository


def refused(name: str) -> str:
    with pytest.raises(InputError) as caught:
        read_text(name)
    assert caught.value.where == name
    assert caught.value.hint
    return caught.value.message


@pytest.mark.parametrize(
    "name",
    ["HEAD:dir/a.config", "main:dir/a.config", "HEAD:./dir/a.config", "@{0}:dir/a.config",
     "HEAD^{/change}:dir/a.config", "HEAD@{2000-01-01 10:00}:dir/a.config"],
)  # fmt: skip
def test_a_file_of_a_revision(filled, name):
    assert read_text(name) == "CONFIG_A=y\n"


def test_a_path_from_the_folder_here(filled, monkeypatch):
    monkeypatch.chdir(filled.root / "dir")
    assert read_text("HEAD:./a.config") == "CONFIG_A=y\n"
    assert read_text("HEAD:../b.config") == "CONFIG_B=y\n"
    assert read_text("HEAD:b.config") == "CONFIG_B=y\n"
    assert refused("HEAD:../../b.config") == "the path leaves the repository"
    assert refused("HEAD:./") == "is a directory in HEAD"


def test_a_file_of_that_very_name_wins(filled):
    (filled.root / "HEAD:b.config").write_text("CONFIG_MINE=y\n")
    assert read_text("HEAD:b.config") == "CONFIG_MINE=y\n"


@pytest.mark.parametrize("name", ODD)
def test_odd_paths(repository, name):
    repository.commit({name: "CONFIG_A=y\n"})
    assert read_text(f"HEAD:{name}") == "CONFIG_A=y\n"


def test_what_is_not_there(filled):
    assert refused("nope:b.config") == "no such file, and git has no revision 'nope' here"
    assert refused("HEAD:c.config") == "HEAD has no file 'c.config'"
    assert refused("HEAD:*.config") == "HEAD has no file '*.config'"
    assert refused("HEAD:dir") == "is a directory in HEAD"
    assert refused("HEAD:dir/") == "is a directory in HEAD"
    assert refused("HEAD:") == "is a directory in HEAD"


@pytest.mark.parametrize("name", ["--output=x:b.config", "-:b"])
def test_a_name_like_an_option_is_refused(filled, name):
    assert "is no name of a revision" in refused(name)
    assert not (filled.root / "x").exists()


def test_without_a_revision_git_is_not_asked(filled, monkeypatch):
    monkeypatch.setenv("PATH", "")
    for name in (":b.config", "b.confi"):
        assert refused(name) == "no such file"


def test_no_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert refused("HEAD:b") == "no such file, and no git repository is here"


def test_no_git(filled, monkeypatch):
    monkeypatch.setenv("PATH", str(filled.root))
    assert refused("HEAD:b.config") == "no such file, and git is not installed"


def test_links_and_submodules(filled):
    os.symlink("b.config", filled.root / "link")
    commit = filled.git("rev-parse", "HEAD")
    filled.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    filled.git("add", "link")
    filled.git("commit", "--quiet", "--message=links")
    assert refused("HEAD:link") == "is a symbolic link in HEAD"
    assert refused("HEAD:module") == "is a submodule in HEAD"


def test_too_large(filled, monkeypatch):
    monkeypatch.setattr(git, "LIMIT", 4)
    monkeypatch.setattr(git._git, "__kwdefaults__", {"settings": (), "limit": 1000})
    assert refused("HEAD:b.config").startswith("more than ")


# What changed


def names(base, head="", **options):
    return sorted((c.status, c.old, c.new) for c in git.changed(base, head, **options))


def test_all_kinds_of_changes(repository):
    text = "".join(f"CONFIG_{n}=y\n" for n in range(50))
    files = {name: f"{name}\n" for name in ("gone", "changed", "mode")}
    first = repository.commit({**files, "old": text})
    (repository.root / "mode").chmod(0o755)
    repository.write({"gone": None, "changed": "new\n", "added": "CONFIG_A=y\n", "old": None})
    last = repository.commit({"new": text + "CONFIG_MORE=y\n"})
    expected = [
        ("A", "", "added"), ("D", "gone", ""), ("M", "changed", "changed"), ("M", "mode", "mode"),
        ("R", "old", "new"),
    ]  # fmt: skip
    assert names(first, last) == expected
    assert names(first) == expected


@pytest.mark.parametrize("settings", [(), ("diff.relative", "diff.noprefix", "status.relative")])
def test_odd_names_survive(repository, monkeypatch, settings):
    for name in settings:
        repository.git("config", name, "true")
    first = repository.commit({"dir/x": ""})
    monkeypatch.chdir(repository.root / "dir")
    odd = [*ODD, "\udcff\udcfe.config", " blank "]
    last = repository.commit(dict.fromkeys(odd, "x\n"))
    assert names(first, last) == sorted(("A", "", name) for name in odd)


def test_it_is_what_a_pull_request_shows(repository):
    start = repository.commit({"a": "1\n"})
    repository.git("checkout", "--quiet", "-b", "topic")
    topic = repository.commit({"b": "1\n"})
    repository.git("checkout", "--quiet", "main")
    main = repository.commit({"c": "2\n"})
    assert names("main", "topic") == [("A", "", "b")]
    assert names("main", "topic", exact=True) == [("A", "", "b"), ("D", "c", "")]
    assert git.merge_base(main, topic) == start


def test_histories_that_never_meet(repository):
    first = repository.commit({"a": "1\n"})
    repository.git("checkout", "--quiet", "--orphan", "other")
    other = repository.commit({"b": "1\n"})
    with pytest.raises(InputError, match="have no common commit") as caught:
        git.changed(first, other)
    assert "--exact" in caught.value.hint
    assert names(first, other, exact=True)


def test_a_shallow_clone_says_what_to_do(repository, tmp_path, monkeypatch):
    first = repository.commit({"a": "1\n"})
    repository.git("branch", "topic")
    repository.commit({"b": "1\n"})
    repository.git("checkout", "--quiet", "topic")
    repository.commit({"c": "1\n"})
    source = f"file://{repository.root}"
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--depth=1", "--no-single-branch", source, clone)
    monkeypatch.chdir(clone)
    with pytest.raises(InputError, match="in this shallow clone") as caught:
        git.changed("origin/main", "HEAD")
    assert "--unshallow" in caught.value.hint
    with pytest.raises(InputError, match="git has no revision"):
        git.changed(first, "HEAD")


def test_blobs_are_read_by_their_ids(filled, monkeypatch):
    ids = filled.git("rev-parse", "HEAD:b.config", "HEAD:dir/a.config").split()
    with git.blobs() as blobs:
        assert [blobs.read(name, "x") for name in ids] == [b"CONFIG_B=y\n", b"CONFIG_A=y\n"]
        with pytest.raises(InputError, match="git has no object"):
            blobs.read("1" * 40, "x")
        monkeypatch.setattr(git, "LIMIT", 4)
        with pytest.raises(InputError, match="more than"):
            blobs.read(ids[0], "x")
        monkeypatch.setattr(git, "LIMIT", 400)
        assert blobs.read(ids[1], "x") == b"CONFIG_A=y\n"


def test_what_replaces_an_object_does_not_count(repository):
    first = repository.commit({"a": "one\n"})
    second = repository.commit({"a": "two\n"})
    repository.git("replace", f"{second}^{{tree}}", f"{first}^{{tree}}")
    repository.git("replace", f"{second}:a", f"{first}:a")
    assert [change.new for change in git.changed(first, second)] == ["a"]
    assert git.read_at(second, "a") == b"two\n"


@pytest.fixture
def planted(filled, tmp_path):
    """A repository whose configuration names a program wherever git would run one."""
    mark = tmp_path / "planted"
    program = f"touch {mark};false"
    settings = (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "core.editor",
        "core.gitProxy", "core.alternateRefsCommand", "diff.external", "diff.evil.command",
        "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
        "pager.diff", "pager.config", "interactive.diffFilter", "credential.helper",
        "gpg.program", "alias.diff", "alias.rev-parse", "alias.cat-file",
        "uploadpack.packObjectsHook",
    )  # fmt: skip
    for name in settings:
        filled.git("config", name, f"!{program}" if name.startswith("alias") else program)
    filled.git("config", "filter.evil.required", "true")
    hooks = filled.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "post-checkout",
        "reference-transaction",
    ):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (hooks / name).chmod(0o755)
    filled.write({".gitattributes": "* filter=evil diff=evil\n"})
    filled.write({"b.config": "CONFIG_C=y\n", "dir/a.config": "CONFIG_A=y\n"})
    past = time.time() - 100
    os.utime(filled.root / "dir/a.config", (past, past))
    return filled, mark


def test_a_hostile_configuration_runs_nothing(planted):
    filled, mark = planted
    assert names("HEAD") == [("M", "b.config", "b.config")]
    assert git.changed("HEAD", "HEAD") == []
    assert read_text("HEAD:b.config") == "CONFIG_B=y\n"
    assert git.work_file(str(filled.root), "b.config") == b"CONFIG_C=y\n"
    assert not mark.exists()


def test_the_trap_does_work(planted):
    """The counter-test: git as it is run by hand does run such a program."""
    repository, mark = planted
    with pytest.raises(Exception, match="git"):
        repository.git("diff", "--raw", "-M", "HEAD")
    assert mark.exists()


def test_a_filter_that_cannot_be_set_off_is_refused(filled):
    filled.git("config", "filter.a=b.clean", "false")
    with pytest.raises(InputError, match="filter"):
        git.changed("HEAD")
    assert git.changed("HEAD", "HEAD") == []


@pytest.mark.parametrize("without", ["", "GIT_NO_LAZY_FETCH", "GIT_ALLOW_PROTOCOL", "both"])
def test_a_partial_clone_fetches_nothing(without, filled, tmp_path, monkeypatch):
    """Either setting is enough, since an older git knows one of them only; without both it does."""
    for name in ("GIT_NO_LAZY_FETCH", "GIT_ALLOW_PROTOCOL"):
        if without in (name, "both"):
            monkeypatch.delitem(git._ENVIRONMENT, name)
    filled.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    words = ("clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{filled.root}")
    filled.git(*words, clone)
    mark = tmp_path / "planted"
    program = tmp_path / "upload"
    program.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.chdir(clone)
    filled.git("-C", clone, "config", "remote.origin.uploadpack", program)
    with pytest.raises(InputError):
        read_text("HEAD:b.config")
    assert mark.exists() == (without == "both")


def test_a_submodule_is_not_entered(filled, tmp_path):
    inner = filled.root / "module"
    filled.git("init", "--quiet", inner)
    filled.git("-C", inner, "commit", "--quiet", "--allow-empty", "--message=x")
    filled.git("add", "module")
    filled.git("commit", "--quiet", "--message=module")
    mark = tmp_path / "planted"
    filled.git("-C", inner, "config", "core.fsmonitor", f"touch {mark}")
    (inner / "new").touch()
    assert git.changed("HEAD") == []
    assert not mark.exists()


def test_the_work_tree_does_not_lead_out(filled, tmp_path):
    (tmp_path / "secret").write_text("CONFIG_SECRET=y\n")
    (filled.root / "b.config").unlink()
    os.symlink(tmp_path / "secret", filled.root / "b.config")
    (change,) = git.changed("HEAD")
    assert (change.status, change.new_mode) == ("T", "120000")
    with pytest.raises(InputError):
        git.work_file(str(filled.root), "b.config")


def test_a_pipe_in_the_work_tree_is_not_waited_for(filled):
    Path("b.config").unlink()
    os.mkfifo("b.config")
    with pytest.raises(InputError, match="no regular file"):
        git.work_file(str(filled.root), "b.config")


def test_it_ends_when_git_does_not(filled, monkeypatch, tmp_path):
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 100\n")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "SECONDS", 0.1)
    with pytest.raises(InputError):
        git.commit("HEAD")
