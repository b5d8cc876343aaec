"""The answers of a tree are kept for the next run, and used only if they would be the same."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from advisor.cache import code_state, packed, read_own
from advisor.errors import TreeError
from advisor.inputs.config import parse_config
from advisor.model.kernel import EntryState
from advisor.model.tree import Effect
from advisor.tree import kept as treeanswers
from advisor.tree import kerneltree
from advisor.tree.kept import Evaluated, TreeAnswers, TreeQuestion

ARCH = "config {}\n\tdef_bool y\n"
KCONFIG = """\
source "init/Kconfig"
source "arch/$(SRCARCH)/Kconfig"
source "drivers/*/Kconfig"

config BASE
	bool "base"

config TOP
	bool "top"
	depends on BASE

choice
	prompt "one of"

config ONE
	bool "one"

config TWO
	bool "two"

endchoice
"""
CONFIG = "# CONFIG_BASE is not set\nCONFIG_ONE=y\n# CONFIG_TWO is not set\n"
BASE, TOP = ("BASE", "y"), ("TOP", "y")


@pytest.fixture
def tree(make_tree, tmp_path):
    files = {
        "Kconfig": KCONFIG,
        "arch/x86/Kconfig": ARCH.format("X86"),
        "arch/arm64/Kconfig": ARCH.format("ARM64"),
        "drivers/net/Kconfig": 'config NET\n\tbool "net"\n',
        "drivers/usb/Kconfig": 'config USB\n\tbool "usb"\n',
    }
    return make_tree(tmp_path / "tree", files, "6.12.3")


@pytest.fixture
def opened(monkeypatch):
    """How often a tree was opened."""
    calls = []
    open_tree = kerneltree.open_tree

    def spy(*arguments, **options):
        calls.append(1)
        return open_tree(*arguments, **options)

    monkeypatch.setattr(kerneltree, "open_tree", spy)
    return calls


@pytest.fixture
def ask(tree, cache, opened):
    """The answers for a configuration, of whatever else is asked for."""

    def make(text=CONFIG, *, path=tree, arch="x86", tools=False, use_cache=True, complete=True):
        question = TreeQuestion(str(path), arch, tools, use_cache, nullcontext)
        return TreeAnswers(question, parse_config(text, "a.config", complete=complete))

    return make


def all_of(answers):
    """An answer of each kind."""
    return [
        answers.defines("TOP"),
        answers.defines("NO_SUCH"),
        answers.value((), "TOP"),
        answers.value((BASE,), "TOP"),
        answers.achieve((), (TOP,), frozenset()),
        answers.achieve((), (TOP,), frozenset(["BASE"])),
        answers.members((), "ONE"),
        answers.effects((BASE, ("TWO", "y"))),
        answers.lost((("USB", "n"),)),
        answers.version,
        answers.use,
        [answers.config().get(symbol) for symbol in ("BASE", "TOP", "NET", "X86")],
    ]


def kept(ask):
    """All answers, and none left to ask for."""
    answers = ask()
    found = all_of(answers)
    answers.save()
    return found


def test_the_answers_themselves(ask):
    answers = ask()
    assert answers.achieve((), (TOP,), frozenset()).needed == (BASE,)
    assert answers.achieve((), (TOP,), frozenset(["BASE"])).missed == "TOP"
    assert answers.members((), "ONE") == ("ONE", "TWO")
    (effect,) = answers.effects((("TWO", "y"),))
    assert (effect.kind, effect.symbol, effect.old, effect.new) == (Effect.DERIVED, "ONE", "y", "n")
    assert (answers.version.text, answers.use.arch) == ("6.12.3", "x86")


def test_the_second_time_the_tree_is_not_opened(ask, opened, tree):
    first = kept(ask)
    opened.clear()
    assert all_of(ask()) == first
    assert opened == []


def test_without_saving_nothing_is_kept(ask, opened, cache):
    all_of(ask())
    assert not list(cache.glob("tree-*"))


def test_what_was_not_asked_before_is_asked_and_kept_too(ask, opened):
    first = ask()
    first.achieve((), (TOP,), frozenset())
    first.save()
    second = ask()
    whole = all_of(second)
    assert len(opened) == 2
    second.save()
    assert all_of(ask()) == whole == all_of(ask(use_cache=False))
    assert len(opened) == 3


def change(tree):
    (tree / "init/Kconfig").write_text("# nothing\n")


def add(tree):
    (tree / "drivers/gpu").mkdir()
    (tree / "drivers/gpu/Kconfig").write_text('config GPU\n\tbool "gpu"\n')


def remove(tree):
    (tree / "drivers/usb/Kconfig").unlink()


def raise_version(tree):
    makefile = tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("SUBLEVEL = 3", "SUBLEVEL = 4"))


def keep_size_and_time(tree):
    path = tree / "Kconfig"
    before = path.stat()
    path.write_text(path.read_text().replace('"top"', '"pot"'))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("edit", [change, add, remove, raise_version, keep_size_and_time])
def test_a_tree_that_changed_is_asked_anew(ask, opened, tree, edit):
    kept(ask)
    edit(tree)
    opened.clear()
    answers = ask()
    assert len(opened) == 1
    assert answers.version.text == ("6.12.4" if edit is raise_version else "6.12.3")
    assert answers.defines("GPU") is (edit is add)
    assert answers.defines("USB") is (edit is not remove)


def test_what_is_no_part_of_the_tree_makes_no_difference(ask, opened, tree):
    kept(ask)
    (tree / "drivers/net/net.c").write_text("int main;\n")
    (tree / "drivers/Kconfig").write_text("nonsense\n")
    opened.clear()
    ask()
    assert opened == []


@pytest.mark.parametrize(
    "other",
    [
        {"arch": "arm64"},
        {"text": CONFIG.replace("# CONFIG_BASE is not set", "CONFIG_BASE=y")},
        {"text": CONFIG + "CONFIG_NET=y\n"},
        {"text": "# Linux/x86 6.1.0 Kernel Configuration\n" + CONFIG},
        {"complete": False},
    ],
    ids=["architecture", "value", "symbol", "version", "completeness"],
)
def test_another_question_is_asked_anew(ask, opened, other):
    kept(ask)
    opened.clear()
    answers = ask(**other)
    assert len(opened) == 1
    assert all_of(answers) == all_of(ask(**other, use_cache=False))


def test_another_tree_of_the_same_content_is_asked_anew(ask, opened, tree, tmp_path):
    kept(ask)
    tree.rename(tmp_path / "moved")
    opened.clear()
    ask(path=tmp_path / "moved")
    assert len(opened) == 1


def test_by_another_path_it_is_the_same_tree(ask, opened, tree, tmp_path):
    kept(ask)
    (tmp_path / "link").symlink_to(tree)
    opened.clear()
    assert ask(path=tmp_path / "link").use.path == str(tmp_path / "link")
    assert opened == []


def test_another_version_of_the_tool_asks_anew(ask, opened, monkeypatch):
    kept(ask)
    monkeypatch.setattr(treeanswers, "_MARK", treeanswers._MARK + ".1")
    opened.clear()
    ask()
    assert len(opened) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data + b" ",
        lambda data: b"",
        lambda data: b"\xff\0" * 500,
        lambda data: data.replace(b"6.12.3", b"6.12.9"),
        lambda data: data.split(b"\n", 1)[1],
    ],
    ids=["half", "cut", "longer", "empty", "binary", "edited", "without its first line"],
)
def test_a_damaged_file_is_no_answer(ask, opened, cache, damage):
    first = kept(ask)
    (path,) = cache.glob("tree-*")
    damaged = damage(path.read_bytes())
    assert damaged != path.read_bytes()
    path.write_bytes(damaged)
    opened.clear()
    assert kept(ask) == first
    assert len(opened) == 1
    assert all_of(ask()) == first
    assert len(opened) == 1


@pytest.mark.parametrize(
    "forge",
    [
        lambda known: [],
        lambda known: {},
        lambda known: {**known, "more": {}},
        lambda known: {**known, "version": "none"},
        lambda known: {**known, "digests": {"Kconfig": 1}},
        lambda known: {**known, "listed": {"Kconfig": "Kconfig"}},
        lambda known: {**known, "moved": ["SMP"]},
        lambda known: {**known, "values": {"x": {"SMP": ["y"]}}},
        lambda known: {**known, "line": {"SMP=y": ["SMP"]}},
        lambda known: {**known, "assumed": [["a", "b"]]},
        lambda known: {**known, "effects": {"x": [[["odd", "SMP", "y", "n", "", True]], []]}},
        lambda known: {**known, "lost": {"x": [["odd", "SMP", "y", "n", "", True]]}},
    ],
)
def test_a_file_of_another_shape_is_no_answer(ask, opened, cache, forge):
    first = kept(ask)
    (path,) = cache.glob("tree-*")
    content = read_own(str(path), treeanswers._MARK)
    path.write_bytes(packed(treeanswers._MARK, json.dumps(forge(json.loads(content))).encode()))
    opened.clear()
    assert all_of(ask()) == first
    assert len(opened) == 1


@pytest.mark.parametrize("way", [{"use_cache": False}, {"tools": True}], ids=["off", "tools"])
def test_without_the_cache_nothing_is_read_or_kept(ask, opened, cache, way):
    """What the machine's tools answer is not kept either."""
    answers = ask(**way)
    all_of(answers)
    answers.save()
    assert not cache.exists()
    kept(ask)
    opened.clear()
    ask(**way)
    assert len(opened) == 1


def test_a_folder_that_cannot_be_written_is_no_error(ask, cache):
    cache.parent.write_text("a file where the folder would be")
    first = kept(ask)
    assert all_of(ask()) == first


def test_only_the_newest_files_stay(ask, cache, monkeypatch):
    monkeypatch.setattr("advisor.tree.kept.MOST_KEPT", 3)
    kept(ask)
    (oldest,) = cache.glob("tree-*")
    os.utime(oldest, (1, 1))
    (cache / "index-of-others.json").write_text("")
    for number in range(3):
        ask(CONFIG + f"CONFIG_EXTRA_{number}=y\n").save()
    names = {path.name for path in cache.iterdir() if not path.name.startswith("parse-")}
    assert len(names) == 4
    assert "index-of-others.json" in names
    assert oldest.name not in names


def test_a_folder_that_is_no_tree_any_more(ask, tree):
    kept(ask)
    (tree / "Kconfig").unlink()
    with pytest.raises(TreeError):
        ask()


def test_an_architecture_that_the_tree_lost(ask, tree):
    kept(ask)
    (tree / "arch/x86/Kconfig").unlink()
    with pytest.raises(TreeError):
        ask()


@pytest.mark.parametrize(
    ("header", "warned"),
    [
        ("", False),
        ("# Linux/x86 6.12.117 Kernel Configuration\n", False),
        ("# Linux/x86 6.1.5 Kernel Configuration\n", True),
    ],
)
def test_a_configuration_of_another_version_is_warned_of(ask, header, warned):
    told = " ".join(ask(header + CONFIG).use.warnings)
    assert ("is of Linux 6.1.5, but the tree is Linux 6.12.3" in told) is warned


def test_lines_that_the_tree_reads_otherwise_are_counted(ask):
    text = CONFIG + "CONFIG_GONE=y\nCONFIG_TOP=m\n"
    (warning,) = ask(text).use.warnings
    assert warning.startswith("2 lines of the configuration")
    assert ask(text, complete=False).use.warnings == ()


class TestEvaluated:
    @pytest.fixture
    def config(self):
        text = "CONFIG_SAME=y\nCONFIG_GONE=y\nCONFIG_OFF=y\n# CONFIG_ON is not set\n"
        file = parse_config(text, "a.config", complete=False)
        moved = {"GONE": None, "OFF": "n", "ON": "y", "ADDED": "m", "ADDED_OFF": "n"}
        return Evaluated(file, moved, "the/tree")

    @pytest.mark.parametrize(
        ("symbol", "value", "state", "place"),
        [
            ("SAME", "y", EntryState.SET, "a.config:1"),
            ("GONE", None, EntryState.ABSENT, "the/tree"),
            ("OFF", "n", EntryState.NOT_SET, "as the/tree completes it"),
            ("ON", "y", EntryState.SET, "as the/tree completes it"),
            ("ADDED", "m", EntryState.SET, "as the/tree completes it"),
            ("ADDED_OFF", "n", EntryState.NOT_SET, "as the/tree completes it"),
            ("NO_SUCH", None, EntryState.ABSENT, "a.config"),
        ],
    )
    def test_a_symbol(self, config, symbol, value, state, place):
        entry = config.entry(symbol)
        assert (entry.value, entry.state, str(entry.location)) == (value, state, place)
        assert config.get(symbol) == value
        assert config.shows(symbol) is (value is not None)

    def test_it_is_complete_whatever_the_file_is(self, config):
        assert config.complete


def test_the_tree_is_as_the_configuration_has_it_whatever_was_asked(ask):
    answers = ask()
    assert answers.value((BASE, TOP), "TOP") == "y"
    assert answers.tree().value("BASE") == "n"


def test_answers_are_of_the_code_that_gave_them():
    """Every module that evaluates a tree is part of what kept answers are about."""
    package = Path(treeanswers.__file__).parents[1]
    modules = {str(path.relative_to(package)) for path in (package / "tree").rglob("*.py")}
    # Reads makefiles and sources of drivers anew each time: nothing of it is kept.
    modules = {name for name in modules if not name.startswith("tree/drivers/")}
    assert {"tree/kerneltree.py", "tree/kconfig/values.py"} <= modules
    assert modules <= {line.split()[0] for line in code_state("tree", "tree/kconfig").splitlines()}
