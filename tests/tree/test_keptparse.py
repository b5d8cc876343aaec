"""The parse of a tree is kept for the next run, and used only where it would come out the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.inputs.config import parse_config
from advisor.tree import keptparse, parsing
from advisor.tree.kconfig.table import Table, packed, unpacked
from advisor.tree.kerneltree import Access, KernelTree, open_tree

INCLUDE = """\
success = $(shell,{ $(1); } >/dev/null 2>&1 && echo "y" || echo "n")
cc-option = $(success,$(CC) -Werror $(1) -c -x c /dev/null -o /dev/null)
cc-info := $(shell,$(srctree)/scripts/cc-version.sh $(CC))
cc-version := $(shell,set -- $(cc-info) && echo $2)
"""
KCONFIG = """\
mainmenu "Linux Kernel Configuration"
source "scripts/Kconfig.include"
source "arch/$(SRCARCH)/Kconfig"

config MODULES
\tbool "Modules"
\tmodules

config CC_VERSION
\tint
\tdefault $(cc-version)

config CC_HAS_FANCY
\tdef_bool $(cc-option,-ffancy)

config FANCY
\tbool "Fancy" if !X86 || MOST > 5
\tdepends on $(cc-option,-mfancy) && NO_SUCH != y
\tselect NET if MODULES
\timply PLAIN

menu "Networks"
\tvisible if !PLAIN
config NET
\ttristate "Net"
source "drivers/*/Kconfig"
endmenu

config PLAIN
\tbool

config SIZE
\tint "Size"
\trange 1 MOST if NET=y
\trange 0 9
\tdefault 7 if NET
\tdefault 3

config MOST
\tint
\tdefault 8

config NET
	tristate
	default m if MOST > 9

config NAME
\tstring "Name"
\tdefault "a \\"$(ARCH)\\" kernel"

choice
\tprompt "One of"
\tdefault TWO if NET

config ONE
\tbool "one"

config TWO
\tbool "two"
\tdepends on !PLAIN

endchoice

config OLD_NAME
\tbool
\ttransitional
\tdefault n

config NEW_NAME
\tbool "New"
\tdefault OLD_NAME
"""
CONFIG = """\
CONFIG_X86=y
CONFIG_FANCY=y
CONFIG_NET=m
CONFIG_MODULES=y
CONFIG_ONE=y
CONFIG_GCC_VERSION=120000
"""
KEPT = Access(use_cache=True)


@pytest.fixture
def tree(make_tree, tmp_path):
    files = {
        "Kconfig": KCONFIG,
        "scripts/Kconfig.include": INCLUDE,
        "arch/x86/Kconfig": "config X86\n\tdef_bool y\n",
        "arch/arm64/Kconfig": "config ARM64\n\tdef_bool y\n",
        "drivers/hid/Kconfig": 'config HID\n\tbool "hid"\n',
        "drivers/usb/Kconfig": 'config USB\n\tbool "usb"\n',
    }
    return make_tree(tmp_path / "tree", files, "6.18.3")


@pytest.fixture
def parses(monkeypatch):
    """How often files were parsed."""
    calls = []
    parse = parsing.Parser.parse
    monkeypatch.setattr(parsing.Parser, "parse", lambda *words: calls.append(1) or parse(*words))
    return calls


def opened(tree: Path, text: str = CONFIG, access: Access = KEPT, arch: str = "x86") -> KernelTree:
    return open_tree(str(tree), arch, parse_config(text, "a.config", complete=True), access)


def told(tree: KernelTree) -> list[object]:
    """All that a tree tells, now and after lines were set."""
    symbols = [one.name for one in tree.declarations()]
    states: list[object] = []
    for line in (("NET", "y"), ("SIZE", "9"), ("TWO", "y"), ("MODULES", "n"), ("FANCY", "n")):
        states += [tree.snapshot(), list(map(tree.about, symbols)), tree.set(*line)]
    return [
        *states, tree.warnings, tree.renames, tree.menus(), tree.assumptions, tree.notes,
        list(tree.declarations()), [tree.choice(symbol) for symbol in symbols],
        tree.files.digests, tree.files.listed,
    ]  # fmt: skip


def test_the_second_tree_is_as_the_first(tree, cache, parses):
    fresh = told(opened(tree, access=Access()))
    assert [told(opened(tree)) for _ in range(3)] == [fresh] * 3
    assert len(parses) == 2


def test_another_configuration_needs_no_parse(tree, cache, parses):
    opened(tree)
    other = CONFIG.replace("CONFIG_NET=m", "CONFIG_NET=y") + "CONFIG_CC_HAS_FANCY=y\n"
    assert told(opened(tree, other)) == told(opened(tree, other, Access()))
    assert len(parses) == 2


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda tree: (tree / "drivers/usb/Kconfig").write_text("\n"), id="a file"),
        pytest.param(lambda tree: (tree / "drivers/usb/Kconfig").unlink(), id="a file less"),
        pytest.param(
            lambda tree: [(tree / "drivers/new").mkdir(), (tree / "drivers/new/Kconfig").touch()],
            id="a file more",
        ),
        pytest.param(
            lambda tree: (tree / "Makefile").write_text("VERSION = 6\nPATCHLEVEL = 19\n"),
            id="the version",
        ),
    ],
)
def test_a_changed_tree_is_parsed(tree, cache, parses, change):
    opened(tree)
    change(tree)
    assert told(opened(tree)) == told(opened(tree, access=Access()))
    assert len(parses) == 3


def test_other_tools_and_architectures_are_parsed(tree, cache, parses):
    opened(tree)
    clang = CONFIG.replace("GCC_VERSION=120000", "CC_IS_CLANG=y\nCONFIG_CLANG_VERSION=190000")
    assert opened(tree, clang).value("CC_VERSION") == "190000"
    assert opened(tree, "CONFIG_ARM64=y\n", arch="arm64").defines("ARM64")
    assert len(parses) == 3


def test_a_recorded_answer_that_is_another_is_parsed(tree, cache, parses):
    # No tool's version that is known by name, so that the tree itself has to ask.
    (tree / "Kconfig").write_text(
        KCONFIG + "config FORMAT\n\tint\n\tdefault $(shell,scripts/format.sh)\n"
    )
    assert opened(tree, CONFIG + "CONFIG_FORMAT=3\n").value("FORMAT") == "3"
    assert opened(tree, CONFIG + "CONFIG_FORMAT=4\n").value("FORMAT") == "4"
    assert len(parses) == 2


def test_nothing_is_kept_where_nothing_should_be(tree, cache):
    (tree / "Kconfig").write_text('config HOST\n\tstring\n\tdefault "$(shell,echo here)"\n')
    opened(tree, access=Access())
    opened(tree, access=Access(run_toolchain=True, use_cache=True))
    assert not cache.exists()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: b"", id="nothing"),
        pytest.param(lambda content: content[:-4], id="too short"),
        pytest.param(lambda content: content.replace(b"\n", b"\n[]\n", 1), id="another head"),
        pytest.param(lambda content: content[:-4] + b"\xff\xff\xff\x7f", id="a wrong number"),
        pytest.param(lambda content: content.replace(b'"nodes"', b'"knots"'), id="a wrong name"),
    ],
)
def test_a_file_that_is_none_of_ours_is_not_used(tree, cache, parses, monkeypatch, damage):
    opened(tree)
    whole = keptparse.read_own
    monkeypatch.setattr(keptparse, "read_own", lambda *words: damage(whole(*words)))
    assert told(opened(tree)) == told(opened(tree, access=Access()))
    assert len(parses) == 3


def test_only_some_parses_stay(tree, cache, monkeypatch):
    monkeypatch.setattr(keptparse, "MOST_KEPT", 2)
    for version in range(4):
        opened(tree, CONFIG + f'CONFIG_CC_VERSION_TEXT="gcc {version}"\n')
    assert len(list(cache.glob("parse-*"))) == 2


def test_a_table_comes_back_from_its_bytes():
    table = Table({"symbols": ["a", None, "\n"]}, {"nodes": [1, -1, 2**31 - 1], "depends": []})
    assert unpacked(packed(table)) == table
    with pytest.raises(ValueError, match="do not have the stated length"):
        unpacked(packed(table) + b"\0\0\0\0")
