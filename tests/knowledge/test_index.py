"""The index is used only if it is this version's, of the files as they are, and whole."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import advisor
from advisor.cache import packed
from advisor.errors import KnowledgeError
from advisor.knowledge import folders, index, load

RULE = "rules/area/widget.toml"


@pytest.fixture
def cache(own, tmp_path, monkeypatch):
    """The index of a small checkout in place of the built-in knowledge."""
    roots = (str(own / "rules"), str(own / "profiles"), str(own / "index.json"))
    monkeypatch.setattr(folders, "roots", lambda: roots)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    load.built_in_defaults.cache_clear()

    def find():
        (path,) = (tmp_path / "cache/kernel-advisor").iterdir()
        return path

    yield find
    # What holds for the small checkout holds for no test behind this one.
    load.built_in_defaults.cache_clear()


@pytest.fixture
def parsed(monkeypatch):
    """How often rules were parsed."""
    calls = []
    compile_files = load.compile_files

    def spy(*arguments, **options):
        calls.append(1)
        return compile_files(*arguments, **options)

    monkeypatch.setattr(load, "compile_files", spy)
    return calls


def title():
    return index.load().tunable("widget").title


def test_rules_are_parsed_once(cache, parsed):
    assert [title() for _ in range(3)] == ["Widget"] * 3
    assert len(parsed) == 1
    assert cache().read_text().startswith(f"{index._MAGIC} {advisor.__version__} ")


def test_a_changed_rule_makes_it_stale(cache, parsed, own, edit):
    assert title() == "Widget"
    edit(own / RULE, '"Widget"', '"Gizmo"')
    assert [title(), title()] == ["Gizmo", "Gizmo"]
    assert len(parsed) == 2


def test_a_rule_of_the_same_size_but_another_time_makes_it_stale(cache, own, edit):
    assert title() == "Widget"
    before = (own / RULE).stat()
    edit(own / RULE, '"Widget"', '"Wodget"')
    os.utime(own / RULE, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert (own / RULE).stat().st_size == before.st_size
    assert title() == "Wodget"


def test_a_new_a_renamed_and_a_removed_file_make_it_stale(cache, own):
    assert index.load().ids("tunables") == ["widget"]
    text = (own / RULE).read_text()
    (own / "rules/new").mkdir()
    (own / "rules/new/gizmo.toml").write_text(text.replace('"widget"', '"gizmo"'))
    assert index.load().ids("tunables") == ["gizmo", "widget"]
    (own / RULE).rename(own / "rules/new/widget.toml")
    assert index.load().tunable("widget").area == "new"
    (own / "rules/new/gizmo.toml").unlink()
    assert index.load().ids("tunables") == ["widget"]


def halves(data):
    return data[: len(data) // 2]


def without_end(data):
    return data[:-1]


def header_only(data):
    return data[: data.index(b"\n") + 1]


def other_content(data):
    return data.replace(b"Whether widgets are built", b"Whether widgets are burnt")


def other_version(data):
    return data.replace(advisor.__version__.encode(), b"9.9.9", 1)


def other_format(data):
    return data.replace(index._MAGIC.encode(), b"kernel-advisor-index 0", 1)


def appended(data):
    return data + b" "


def two_lines(data):
    return b"\n" + data


WRONG = [
    halves, without_end, header_only, other_content, other_version, other_format, appended,
    two_lines, lambda _: b"", lambda _: b"\xff\0" * 500, lambda _: b'{"tunables": {}}',
]  # fmt: skip


@pytest.mark.parametrize("spoil", WRONG, ids=lambda spoil: spoil.__name__.strip("<>"))
def test_a_spoiled_index_is_made_again(cache, parsed, spoil):
    assert title() == "Widget"
    whole = cache().read_bytes()
    assert spoil(whole) != whole
    cache().write_bytes(spoil(whole))
    knowledge = index.load()
    assert knowledge.notes("widget").summary == "Whether widgets are built."
    assert len(parsed) == 2
    assert cache().read_bytes() == whole


def test_the_index_of_another_checkout_is_not_used(cache, parsed, own):
    assert title() == "Widget"
    text = cache().read_text()
    state = text.partition("\n")[0].split()[3]
    sections = index._Parted(cache().read_bytes().partition(b"\n")[2])
    sections["tunables"] = {
        name: document.replace('"Widget"', '"Foreign"')
        for name, document in sections["tunables"].items()
    }
    content = index._content(sections)
    cache().write_bytes(packed(index._mark(state), content))
    assert title() == "Foreign"  # so it would be read, were it not for the state of the files
    cache().write_bytes(packed(index._mark(re.sub(".", "0", state)), content))
    assert title() == "Widget"


def test_each_checkout_has_an_index_of_its_own(cache, own, tmp_path, monkeypatch):
    assert title() == "Widget"
    first = cache()
    other = tmp_path / "other"
    (own / "rules").rename(tmp_path / "moved")
    (own / "software").rename(tmp_path / "software")
    other.symlink_to(tmp_path / "moved")
    monkeypatch.setattr(
        folders, "roots", lambda: (str(other), str(own / "profiles"), str(own / "index.json"))
    )
    assert title() == "Widget"
    assert len([path for path in first.parent.iterdir() if path != first]) == 1


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_it_is_written_whole_or_not_at_all(cache, own, edit, monkeypatch, step):
    assert title() == "Widget"
    whole = cache().read_bytes()
    edit(own / RULE, '"Widget"', '"Gizmo"')

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, step, fail)
        assert title() == "Gizmo"
    assert cache().read_bytes() == whole  # and `cache` saw no other file beside it
    assert title() == "Gizmo"
    assert cache().read_bytes() != whole


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/absent", "/dev/null"])
def test_without_a_cache_folder_it_works_all_the_same(cache, parsed, tmp_path, monkeypatch, place):
    (tmp_path / "file").write_text("as it was")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / place))
    assert [title(), title()] == ["Widget", "Widget"]
    assert len(parsed) == 2
    assert (tmp_path / "file").read_text() == "as it was"


@pytest.mark.skipif(
    os.path.exists(folders.roots()[2]), reason="a wheel has its index, and keeps none"
)
def test_a_cache_folder_that_is_read_only(run_command, own, tmp_path, drop_override):
    """As a process, which permissions bind; of a small checkout, as the rules are read anew."""
    (own / "advisor").symlink_to(Path(advisor.__file__).parent)
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o500)
    env = {"XDG_CACHE_HOME": str(folder), "PYTHONPATH": str(own)}
    result = run_command("rules", "show", "widget", env=env, before=drop_override)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.startswith("Widget [widget]\n")
    assert list(folder.iterdir()) == []


def test_an_index_that_cannot_be_read(cache, parsed):
    assert title() == "Widget"
    path = cache()
    path.unlink()
    path.mkdir()
    assert title() == "Widget"
    assert len(parsed) == 2


def test_a_wrong_rule_of_the_checkout_leaves_no_index(cache, own, edit, tmp_path):
    edit(own / RULE, 'title = "Widget"', "title = Widget")
    with pytest.raises(KnowledgeError) as caught:
        index.load()
    assert [where for where, _ in caught.value.problems] == [f"{own / RULE}:2"]
    assert not (tmp_path / "cache").exists()


def test_own_folders_never_get_into_it(cache, own, tmp_path, edit):
    assert index.load().ids("tunables") == ["widget"]
    before = cache().read_bytes()
    mine = tmp_path / "mine/gizmo.toml"
    mine.parent.mkdir()
    mine.write_text((own / RULE).read_text().replace('"widget"', '"gizmo"'))
    assert index.load([str(mine.parent)]).ids("tunables") == ["gizmo", "widget"]
    assert cache().read_bytes() == before
    edit(mine, '"Widget"', '"Gizmo"')
    assert index.load([str(mine.parent)]).tunable("gizmo").title == "Gizmo"
    assert index.load().ids("tunables") == ["widget"]


def test_own_folders_are_checked_each_time(cache, own, tmp_path, edit):
    mine = tmp_path / "mine/gizmo.toml"
    mine.parent.mkdir()
    mine.write_text((own / RULE).read_text().replace('"widget"', '"gizmo"'))
    index.load([str(mine.parent)])
    edit(mine, 'kind = "switch"', 'kind = "wheel"')
    with pytest.raises(KnowledgeError):
        index.load([str(mine.parent)])


def test_the_index_of_a_wheel_spares_all_of_this(cache, parsed, own, tmp_path):
    index.build(str(own), str(own / "index.json"))
    for path in (own / "rules", own / "profiles"):
        path.rename(tmp_path / path.name)
    assert title() == "Widget"
    assert len(parsed) == 1
    assert not (tmp_path / "cache").exists()


def test_the_index_of_another_version_s_wheel_is_not_used(cache, own, edit):
    index.build(str(own), str(own / "index.json"))
    edit(own / "index.json", f"{index._MAGIC} {advisor.__version__}", f"{index._MAGIC} 9.9.9")
    edit(own / RULE, '"Widget"', '"Gizmo"')
    assert title() == "Gizmo"


def test_it_holds_what_the_files_say(cache, own):
    fresh = index.load()
    again = index.load()
    for section in index.SECTIONS:
        assert again.ids(section) == fresh.ids(section)
    assert again.tunable("widget") == fresh.tunable("widget")
    assert again.profile("widgets") == fresh.profile("widgets")
