"""Trees of a few lines: what Kconfig means, what toolchains answer, and what hostile trees try."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from advisor.errors import TreeError
from advisor.inputs.config import parse_config
from advisor.model.kernel import Inferred, Location, parse_version
from advisor.tree import files as treefiles
from advisor.tree.kconfig import macros as kconfigmacros
from advisor.tree.kerneltree import Access, KernelTree, open_tree, tree_version

Write = Callable[..., Path]

INCLUDE = """\
if-success = $(shell,{ $(1); } >/dev/null 2>&1 && echo "$(2)" || echo "$(3)")
success = $(if-success,$(1),y,n)
failure = $(if-success,$(1),n,y)
cc-option = $(success,$(CC) -Werror $(1) -c -x c /dev/null -o /dev/null)
$(error-if,$(failure,command -v $(CC)),C compiler '$(CC)' not found)
cc-info := $(shell,$(srctree)/scripts/cc-version.sh $(CC))
cc-name := $(shell,set -- $(cc-info) && echo $1)
cc-version := $(shell,set -- $(cc-info) && echo $2)
"""
TOOLS = """\
config CC_IS_GCC
	def_bool $(success,test "$(cc-name)" = GCC)
config GCC_VERSION
	int
	default $(cc-version) if CC_IS_GCC
	default 0
config MAJOR
	int
	default $(shell,expr $(cc-version) / 10000)
config CC_HAS_FANCY
	def_bool $(cc-option,-ffancy)
config OLD_COMPILER
	def_bool $(failure,$(CC) --is-new)
config FANCY
	bool "Fancy"
	depends on $(cc-option,-mfancy) && NET
config NET
	bool "Net"
config PAHOLE_VERSION
	int
	default $(shell,$(srctree)/scripts/pahole-version.sh $(PAHOLE))
"""


@pytest.fixture
def write(make_tree: Callable[..., Path], tmp_path: Path) -> Write:
    """Writes a tree whose init/Kconfig is given; further files by their path."""

    def make(init: str = "", version: str = "6.12.1", **files: str) -> Path:
        texts = {
            "Kbuild": "",
            "Kconfig": 'mainmenu "Linux/$(ARCH) $(KERNELVERSION) Kernel Configuration"\n'
            'source "scripts/Kconfig.include"\nsource "init/Kconfig"\nsource "arch/$(SRCARCH)/Kconfig"\n',
            "scripts/Kconfig.include": "",
            "init/Kconfig": init,
            "arch/x86/Kconfig": "config X86\n\tdef_bool y\n",
            **{name.replace("__", "/"): text for name, text in files.items()},
        }
        return make_tree(tmp_path / "tree", texts, version)

    return make


def load(
    root: Path, lines: str | None = None, *, complete: bool = True, **more: bool
) -> KernelTree:
    """The tree, with the configuration that these lines write."""
    config = None
    if lines is not None:
        config = parse_config(lines + "CONFIG_X86=y\n", ".config", complete=complete)
    return open_tree(str(root), "x86", config, Access(**more))


# What the lines mean


def test_version_and_mainmenu(write):
    root = write("", "6.12.117")
    assert tree_version(str(root)).text == "6.12.117"
    tree = load(root)
    assert (tree.version.numbers, tree.arch, tree.path) == ((6, 12, 117), "x86", str(root))


def test_lines_that_kconfiglib_does_not_know(write):
    tree = load(write(
        "config MODULES\n\tbool \"Modules\"\n\tmodules\n"
        "config A\n\ttristate \"A\"\n\t---help---\n\t  Text.\n\n\t  config NOT_ONE\n"
        "+config B\n+\ttristate \"B\"\n"
        ".\n"
        "config C\n\ttristate \"C\" ;\n\tdepends on B if A\n"
        "config D\n\tdef_bool y if \\\n\t\tA\n",
    ), "CONFIG_MODULES=y\nCONFIG_A=m\nCONFIG_B=m\nCONFIG_C=y\n")  # fmt: skip
    assert tree.snapshot() == {"MODULES": "y", "A": "m", "B": "m", "C": "m", "D": "y", "X86": "y"}
    assert tree.warnings == [
        f"init/Kconfig:{n}: stray characters are ignored" for n in (10, 11, 12, 14)
    ]
    assert tree.about("C").definitions[0].where == Location("init/Kconfig", 13)
    assert tree.about("D").definitions[0].where == Location("init/Kconfig", 16)


@pytest.mark.parametrize(
    ("condition", "other", "limit"),
    [("Y", "n", "y"), ("Y", "m", "n"), ("Y", "y", "n"), ("!Y", "y", "y"), ("!Y", "n", "n"),
     ("Y && MODULES", "n", "y"), ("Y || N", "m", "n"), ("Y = m", "m", "n"), ("Y = m", "y", "y"),
     ("!(Y && MODULES)", "n", "n")],
)  # fmt: skip
def test_depends_if(write, condition, other, limit):
    root = write(
        f'config MODULES\n\tdef_bool y\n\tmodules\nconfig N\n\tbool\nconfig Y\n\ttristate "y"\n'
        f'config A\n\ttristate "a"\n\tdepends on N if {condition}\n'
    )
    tree = load(root, f"CONFIG_Y={other}\nCONFIG_A=y\n")
    assert tree.value("A") == limit


def test_transitional(write):
    root = write('config OLD\n\tbool\n\ttransitional\nconfig NEW\n\tbool "new"\n\tdefault OLD\n'
                 'config OLDER\n\tint\n\ttransitional\nconfig NUMBER\n\tint "n"\n\tdefault OLDER\n', "7.1.0")  # fmt: skip
    tree = load(root, "CONFIG_OLD=y\nCONFIG_OLDER=7\n")
    assert tree.renames == {"OLD": "NEW", "OLDER": "NUMBER"}
    assert tree.snapshot() == {"NEW": "y", "NUMBER": "7", "X86": "y"}
    assert [(note.id, note.location.line) for note in tree.notes] == [
        ("renamed-symbol", 1),
        ("renamed-symbol", 2),
    ]
    assert "NEW" in tree.notes[0].message
    assert load(root, "CONFIG_OLD=y\n# CONFIG_NEW is not set\n").value("NEW") == "n"


def test_sources_with_globs_and_old_variables(write):
    tree = load(write(
        'config ARCH\n\tstring\n\toption env="ARCH"\n'
        'source "drivers/*/Kconfig"\nsource "arch/$SRCARCH/Kconfig.cpu"\n'
        'config NAME\n\tstring\n\tdefault "$ARCH-$HOME-${HOME}"\n',
        "4.14.0", drivers__a__Kconfig="config A\n\tdef_bool y\n", drivers__b__Kconfig="config B\n\tdef_bool A\n",
        **{"arch/x86/Kconfig.cpu": "config CPU\n\tdef_bool y\n"},
    ), "CONFIG_X86=y\n")  # fmt: skip
    assert tree.snapshot() == {
        "A": "y",
        "B": "y",
        "CPU": "y",
        "NAME": '"x86-$HOME-${HOME}"',
        "X86": "y",
    }


def test_commas_in_a_command(write):
    root = write('config A\n\tstring\n\tdefault "$(shell,echo "a,b" | sed s/,/./)"\n')
    assert load(root, "", complete=False).value("A") == '""'
    assert load(root, None, run_toolchain=True).value("A") == '"a.b"'


def test_first_type_counts(write):
    tree = load(write("config A\n\tbool\nconfig A\n\tstring\n\tdefault y\n"), "")
    assert (tree.value("A"), tree.about("A").type) == ("y", "bool")


@pytest.mark.parametrize(
    ("version", "lines", "value"),
    [("6.12.0", "CONFIG_A=99", "20"), ("6.12.0", "CONFIG_A=1", "LOW"), ("6.1.0", "CONFIG_A=99", "12"),
     ("6.12.0", "CONFIG_A=15", "15"), ("6.12.0", "CONFIG_A=007", "12")],
)  # fmt: skip
def test_ranges(write, version, lines, value):
    root = write(
        'config LOW\n\tint\n\tdefault 10\nconfig A\n\tint "a"\n\trange LOW 20\n\tdefault 12\n',
        version,
    )
    tree = load(root, lines + "\n")
    assert tree.value("A") == {"LOW": "10"}.get(value, value)
    kinds = {
        "99": "out-of-range",
        "1": "out-of-range",
        "x": "invalid-value",
        "007": "invalid-value",
    }
    asked = lines.partition("=")[2]
    assert [note.id for note in tree.notes] == ([kinds[asked]] if asked in kinds else [])


def test_a_number_without_a_value(write):
    text = 'config A\n\tint "a"\nconfig B\n\thex "b"\n'
    assert load(write(text, "6.12.0"), "").snapshot() == {"A": "0", "B": "0x0", "X86": "y"}
    # conf writes `CONFIG_A=`, and reads that as no line.
    assert load(write(text, "6.1.0"), "").snapshot() == {"X86": "y"}


@pytest.mark.parametrize(("version", "value"), [("6.12.0", "m"), ("5.4.0", "y")])
def test_imply(write, version, value):
    root = write(
        'config MODULES\n\tdef_bool y\n\toption modules\nconfig A\n\tbool "a"\n\timply B\n\timply C\n'
        'config B\n\ttristate "b"\nconfig C\n\tbool "c"\n\tdepends on D\nconfig D\n\tbool\n', version,
    )  # fmt: skip
    tree = load(root, "CONFIG_A=y\nCONFIG_B=m\n")
    assert (tree.value("B"), tree.value("C")) == (value, "n")
    tree.reset("B")
    assert tree.value("B") == "y"


CHOICE = """\
choice
	prompt "Preemption"
	default NONE
config NONE
	bool "none"
config VOLUNTARY
	bool "voluntary"
config FULL
	bool "full"
config RT
	bool "rt"
	depends on EXPERT
endchoice
config EXPERT
	bool "expert"
"""


@pytest.mark.parametrize("version", ["6.1.0", "6.12.0"])
@pytest.mark.parametrize(
    ("lines", "selected"),
    [("", "NONE"), ("FULL", "FULL"), ("FULL VOLUNTARY", "VOLUNTARY"), ("RT", "NONE"), ("FULL -FULL", "NONE"),
     ("FULL RT EXPERT", "RT"), ("-VOLUNTARY", "NONE")],
)  # fmt: skip
def test_choices(write, version, lines, selected):
    tree = load(write(CHOICE, version), "")
    for word in lines.split():
        tree.set(word.lstrip("-"), "n" if word[0] == "-" else "y")
    members = ("NONE", "VOLUNTARY", "FULL", "RT")
    assert [name for name in members if tree.value(name) == "y"] == [selected]
    again = load(write(CHOICE, version), tree.write())
    assert again.snapshot() == tree.snapshot()
    assert "RT" not in tree.snapshot() or "EXPERT" in lines


@pytest.mark.parametrize("version", ["6.1.0", "6.12.0"])
def test_a_select_of_a_hidden_member(write, version):
    # drivers/usb/musb/Kconfig of 6.6 has one: two members would be on.
    root = write(CHOICE + 'config BOARD\n\tbool "board"\n\tselect RT\n', version)
    tree = load(root, "CONFIG_BOARD=y\n")
    assert (tree.value("NONE"), tree.value("RT")) == ("y", "n")


@pytest.mark.parametrize(("version", "selected"), [("6.1.0", "NONE"), ("6.12.0", "VOLUNTARY")])
def test_a_negative_line_of_the_default_member(write, version, selected):
    tree = load(write(CHOICE, version), "# CONFIG_NONE is not set\n")
    assert tree.value(selected) == "y"


def test_no_member_is_wanted(write):
    lines = "".join(f"# CONFIG_{name} is not set\n" for name in ("VOLUNTARY", "FULL", "NONE"))
    assert load(write(CHOICE), lines).value("VOLUNTARY") == "y"


def test_an_optional_tristate_choice(write):
    root = write(
        'config MODULES\n\tdef_bool y\n\toption modules\nchoice\n\ttristate "gadget"\n\toptional\n'
        'config A\n\ttristate "a"\nconfig B\n\ttristate "b"\nendchoice\n', "4.14.0",
    )  # fmt: skip
    assert load(root, "").snapshot() == {"MODULES": "y", "X86": "y"}
    tree = load(root, "CONFIG_A=m\nCONFIG_B=m\n")
    assert (tree.value("A"), tree.value("B")) == ("m", "m")
    tree = load(root, "CONFIG_A=y\nCONFIG_B=y\n")
    assert (tree.value("A"), tree.value("B")) == ("n", "y")
    tree = load(root, "CONFIG_A=y\nCONFIG_B=m\n")
    assert (tree.value("A"), tree.value("B")) == ("n", "n")


def test_defaults_of_n_were_written_once(write):
    text = "config A\n\tdef_bool n\n"
    assert "A" not in load(write(text, "4.19.0"), "").snapshot()
    assert load(write(text, "4.14.0"), "").snapshot()["A"] == "n"


@pytest.mark.parametrize(("version", "value"), [("5.4.0", "y"), ("5.0.0", "m")])
def test_selects_of_a_bool_below_a_module(write, version, value):
    root = write(
        'config MODULES\n\tdef_bool y\n\toption modules\nconfig A\n\ttristate "a"\n'
        'config B\n\tbool "b"\n\tdepends on A != n && (A || MODULES)\n\tselect C\n'
        "config C\n\ttristate\n",
        version,
    )
    assert load(root, "CONFIG_A=m\nCONFIG_B=y\n").value("C") == value


def test_the_tool_of_the_tree_beats_its_version(write):
    files = {
        "scripts/kconfig/symbol.c": 'newval.val = "0";',
        "scripts/kconfig/confdata.c": "flags &= ~(SYMBOL_VALID|SYMBOL_DEF_USER);",
        "scripts/kconfig/menu.c": "static void menu_warn();",
    }
    text = 'config A\n\tint "a"\n\trange 1 2\n\tdefault 1\n'
    assert load(write(text, "6.12.0"), "CONFIG_A=9\n").value("A") == "2"
    assert load(write(text, "6.12.0", **files), "CONFIG_A=9\n").value("A") == "1"


# Values


LINES = """\
config MODULES
	bool "Modules"
	modules
config NAME
	string "Name"
	default "a\\"b\\\\c"
config NET
	tristate "Net"
	select CRC
	help
	  select NOTHING
config CRC
	tristate
config DEBUG
	bool "Debug" if NET
	depends on MODULES
	default y
"""


def test_values_and_lines(write):
    tree = load(write(LINES), "CONFIG_MODULES=y\nCONFIG_NET=m\n# CONFIG_DEBUG is not set\n")
    assert tree.value("NAME") == '"a\\"b\\\\c"'
    assert tree.value("DEBUG") == "n"
    assert tree.value("GONE") is None
    assert tree.defines("CRC")
    assert not tree.defines("NOTHING")
    assert tree.write() == (
        'CONFIG_MODULES=y\nCONFIG_NAME="a\\"b\\\\c"\nCONFIG_NET=m\nCONFIG_CRC=m\n'
        "# CONFIG_DEBUG is not set\nCONFIG_X86=y\n"
    )
    assert load(write(LINES), tree.write()).write() == tree.write()


def test_set_tells_whether_the_line_holds(write):
    tree = load(write(LINES), "CONFIG_MODULES=y\n")
    assert tree.set("NET", "m")
    assert tree.value("CRC") == "m"
    assert not tree.set("CRC", "y")
    assert not tree.set("DEBUG", "m")
    assert not tree.set("GONE", "y")
    assert tree.set("NAME", '"x"')
    assert not tree.set("NAME", "x")
    # merge_config.sh has taken the old line away before conf refuses the new one.
    assert not tree.set("NET", "yes")
    assert tree.value("NET") == "n"
    assert tree.set("NET", "m")
    assert tree.set("MODULES", "n")
    assert (tree.value("NET"), tree.value("DEBUG")) == ("y", "n")
    tree.reset("MODULES")
    tree.reset("GONE")
    assert tree.value("MODULES") == "n"


def test_trials_leave_no_trace(write):
    tree = load(write(LINES + CHOICE), "CONFIG_MODULES=y\nCONFIG_FULL=y\n")
    before = tree.snapshot()
    with tree.trial():
        tree.set("NET", "m")
        tree.set("NONE", "y")
        middle = tree.snapshot()
        with pytest.raises(ZeroDivisionError), tree.trial():  # noqa: PT012  # it ends by the error
            tree.set("VOLUNTARY", "y")
            tree.reset("NET")
            raise ZeroDivisionError
        assert tree.snapshot() == middle
    assert tree.snapshot() == before
    evaluations = tree.evaluations
    assert evaluations
    assert tree.snapshot() == before
    assert tree.evaluations == evaluations


def test_load_tells_what_it_drops(write):
    tree = load(write(LINES), "CONFIG_X86=y\n")
    config = parse_config(
        "CONFIG_GONE=y\n# CONFIG_GONE_TOO is not set\nCONFIG_DEBUG=m\nCONFIG_NAME=5\nCONFIG_NET=y\n",
        "x.config", complete=True,
    )  # fmt: skip
    assert [(note.id, str(note.location)) for note in tree.load(config)] == [
        ("unknown-symbol", "x.config:1"), ("unknown-symbol", "x.config:2"),
        ("invalid-value", "x.config:3"), ("invalid-value", "x.config:4"),
    ]  # fmt: skip
    assert tree.value("CRC") == "y"


def test_about(write):
    tree = load(write(LINES + CHOICE), "CONFIG_MODULES=y\nCONFIG_NET=m\n")
    crc = tree.about("CRC")
    assert (crc.type, crc.value, crc.visible) == ("tristate", "m", "n")
    (selector,) = crc.selected_by
    assert (selector.symbol, selector.condition, selector.now) == ("NET", "", "m")
    assert selector.where == Location("init/Kconfig", 9)
    rt = tree.about("RT")
    assert rt.choice == ("NONE", "VOLUNTARY", "FULL", "RT")
    assert rt.unmet == ("EXPERT",)
    (definition,) = rt.definitions
    assert (definition.prompt, definition.depends) == ("rt", "EXPERT")
    assert [(line.text, line.where.line) for line in definition.lines] == [
        ("depends on EXPERT", 29)
    ]
    debug = tree.about("DEBUG")
    assert debug.defaults == ("y if MODULES",)
    assert debug.definitions[0].prompt_condition == "NET && MODULES"
    assert tree.about("GONE") is None


def test_about_shows_the_question_that_blocks(write):
    tree = load(
        write(TOOLS, scripts__Kconfig_include="", **{"scripts/Kconfig.include": INCLUDE}),
        "CONFIG_NET=y\n",
    )
    assert tree.about("FANCY").unmet == ("$(cc-option,-mfancy)",)
    assert tree.about("FANCY").depends == "$(cc-option,-mfancy) && NET"


# Toolchains


def tools(write: Write, lines: str | None, **more: bool) -> KernelTree:
    return load(write(TOOLS, **{"scripts/Kconfig.include": INCLUDE}), lines, **more)


def test_answers_are_recorded(write):
    tree = tools(
        write, "CONFIG_CC_IS_GCC=y\nCONFIG_GCC_VERSION=120200\nCONFIG_OLD_COMPILER=y\n"
        "CONFIG_NET=y\nCONFIG_PAHOLE_VERSION=125\n",
    )  # fmt: skip
    values = {
        name: tree.value(name)
        for name in ("GCC_VERSION", "MAJOR", "OLD_COMPILER", "CC_HAS_FANCY", "FANCY")
    }
    assert values == {
        "GCC_VERSION": "120200",
        "MAJOR": "12",
        "OLD_COMPILER": "y",
        "CC_HAS_FANCY": "n",
        "FANCY": "n",
    }
    told = {entry.subject: (entry.value, entry.source) for entry in tree.assumptions}
    assert told == {
        "cc-name": ("GCC", "recorded in the configuration"),
        "cc-version": ("120200", "recorded in the configuration"),
        "CC_HAS_FANCY": ("n", "recorded in the configuration"),
        "FANCY": ("n", "recorded in the configuration"),
        "OLD_COMPILER": ("y", "recorded in the configuration"),
        "PAHOLE_VERSION": ("125", "recorded in the configuration"),
    }


@pytest.mark.parametrize(
    ("after", "before", "value", "source"),
    [
        (None, None, "n", "recorded in the configuration"),
        ("6.6.0", None, "n", "recorded in the configuration"),
        ("6.6.0", "6.18.0", "n", "recorded in the configuration"),
        # It is of another release, which did not ask.
        ("5.19.0", "6.4.6", "y", "default"),
        ("6.18.0", None, "y", "default"),
    ],
)
def test_of_another_release_by_its_symbols_nothing_is_recorded(write, after, before, value, source):
    bounds = (parse_version(text) if text else None for text in (after, before))
    lines = "CONFIG_CC_IS_GCC=y\nCONFIG_GCC_VERSION=120200\nCONFIG_NET=y\n"
    config = parse_config(lines, ".config", complete=True)
    config.inferred = Inferred("", *bounds)
    root = write(TOOLS, **{"scripts/Kconfig.include": INCLUDE})
    tree = open_tree(str(root), "x86", config)
    assert tree.value("CC_HAS_FANCY") == value
    assert {one.subject: one.source for one in tree.assumptions}["CC_HAS_FANCY"] == source


@pytest.mark.parametrize("lines", ["", "CONFIG_HAVE_GUARD=y\n"])
def test_answers_are_recorded_by_what_they_select(write, lines):
    # arch/powerpc/Kconfig asks for HAVE_STACKPROTECTOR so; CONFIG_PPC says nothing of the answer.
    text = (
        "config PPC\n\tdef_bool y\n\tselect HAVE_GUARD if $(cc-option,-mguard) && NET\n"
        'config HAVE_GUARD\n\tbool\nconfig NET\n\tbool "Net"\n'
    )
    root = write(text, **{"scripts/Kconfig.include": INCLUDE})
    tree = load(root, f"CONFIG_PPC=y\nCONFIG_NET=y\n{lines}")
    value = "y" if lines else "n"
    assert tree.value("HAVE_GUARD") == value
    told = {one.subject: (one.value, one.source) for one in tree.assumptions}
    assert told["HAVE_GUARD"] == (value, "recorded in the configuration")


def test_an_answer_that_did_not_matter_is_not_recorded(write):
    tree = tools(write, "CONFIG_CC_IS_GCC=y\nCONFIG_GCC_VERSION=120200\n")
    assert "FANCY" not in {entry.subject for entry in tree.assumptions}
    tree.set("NET", "y")
    assert tree.set("FANCY", "y")
    told = {entry.subject: entry.source for entry in tree.assumptions}
    assert told["FANCY"] == "default"


@pytest.mark.parametrize("lines", [None, "CONFIG_NET=y\n"])
def test_answers_by_default(write, lines):
    tree = tools(write, lines, complete=False)
    assert tree.value("GCC_VERSION") == "140200"
    assert tree.value("CC_HAS_FANCY") == "y"
    told = {entry.subject: entry.source for entry in tree.assumptions}
    assert told["cc-version"] == told["CC_HAS_FANCY"] == "default"


def test_clang(write):
    lines = "CONFIG_CC_IS_CLANG=y\nCONFIG_CLANG_VERSION=190100\nCONFIG_LD_IS_LLD=y\nCONFIG_LLD_VERSION=190100\n"
    tree = tools(write, lines)
    assert (tree.value("CC_IS_GCC"), tree.value("GCC_VERSION"), tree.value("MAJOR")) == (
        "n",
        "0",
        "19",
    )


def test_the_toolchain_runs_on_request_only(write, tmp_path):
    witness = tmp_path / "witness"
    text = f'config RAN\n\tdef_bool $(success,touch {witness})\nconfig ENV\n\tstring\n\tdefault "$(shell,echo $CC)"\n'
    root = write(text, **{"scripts/Kconfig.include": INCLUDE.partition("$(error")[0]})
    assert load(root).value("RAN") == "y"
    assert not witness.exists()
    tree = load(root, run_toolchain=True)
    assert witness.exists()
    assert (tree.value("RAN"), tree.value("ENV")) == ("y", '"gcc"')
    assert [(entry.subject, entry.source) for entry in tree.assumptions] == [
        ("RAN", "asked of the toolchain")
    ]


@pytest.mark.parametrize(
    ("environment", "compiler", "archiver"),
    [
        ({}, "gcc", "ar"),
        ({"CROSS_COMPILE": "sparc-"}, "sparc-gcc", "sparc-ar"),
        ({"LLVM": "1"}, "clang", "llvm-ar"),
        ({"LLVM": "-15", "CROSS_COMPILE": "sparc-"}, "clang-15", "llvm-ar-15"),
        ({"LLVM": "/opt/"}, "/opt/clang", "/opt/llvm-ar"),
    ],
)
def test_the_tools_that_make_would_run(write, monkeypatch, environment, compiler, archiver):
    for name in ("CROSS_COMPILE", "LLVM", "CC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CC", "evil")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    root = write('config A\n\tstring\n\tdefault "$(shell,echo $(CC) $AR)"\n')
    assert load(root, run_toolchain=True).value("A") == f'"{compiler} {archiver}"'


def test_a_tree_that_refuses_the_toolchain(write):
    root = write("$(error-if,y,no compiler, sorry)\n")
    assert load(root, "").warnings == ["init/Kconfig:1: no compiler, sorry"]
    with pytest.raises(TreeError, match=r"init/Kconfig:1: no compiler, sorry") as error:
        load(root, run_toolchain=True)
    assert error.value.exit_code == 5


# What is no kernel tree


@pytest.mark.parametrize(
    ("name", "text", "project"),
    [("Kconfig", 'mainmenu "U-Boot $(UBOOTVERSION) Configuration"\n', "U-Boot"),
     ("Kconfig", "# Zephyr\nmainmenu 'Zephyr Kernel Configuration'\n", "Zephyr"),
     ("Kconfig.zephyr", "", "Zephyr"), ("Kconfig", 'mainmenu "barebox"\n', "no init/Kconfig"),
     ("Config.in", 'mainmenu "Buildroot"\n', "Buildroot"), ("README", "", "no Kconfig file"),
     ("Kconfig", 'mainmenu "Linux/x86"\n', "no init/Kconfig")],
)  # fmt: skip
def test_other_projects(tmp_path, name, text, project):
    (tmp_path / name).write_text(text)
    with pytest.raises(TreeError, match=project) as error:
        open_tree(str(tmp_path), "x86", None)
    assert error.value.where == str(tmp_path)
    assert error.value.hint


def test_folders_that_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(TreeError, match="no such folder"):
        tree_version(str(tmp_path / "gone"))
    (tmp_path / "linux.tar").write_text("")
    with pytest.raises(TreeError, match=r"is a file.*unpack"):
        tree_version(str(tmp_path / "linux.tar"))

    def denied(path: str) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", denied)
    with pytest.raises(TreeError, match="Permission denied"):
        tree_version(str(tmp_path))


@pytest.mark.parametrize("arch", ["riscv", "../x86", "", "X86"])
def test_an_architecture_that_the_tree_lacks(write, arch):
    with pytest.raises(TreeError, match=r"has no architecture.*\(it has x86\)"):
        open_tree(str(write()), arch, None)


def test_names_of_make_for_an_architecture(write):
    root = write('config SIXTYFOUR\n\tbool\n\tdefault "$(ARCH)" != "i386"\n')
    assert open_tree(str(root), "i386", None).value("SIXTYFOUR") == "n"
    assert open_tree(str(root), "x86_64", None).value("SIXTYFOUR") == "y"


def test_a_makefile_of_something_else(write):
    with pytest.raises(TreeError, match="VERSION"):
        load(write(Makefile="all:\n"))


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [("config A\n\tbool\n\tfrobnicate now\n", 3, "frobnicate"), ("endmenu\n", 1, "no corresponding"),
     ("config A\n\tbool\n\tdepends on (A\n", 3, "malformed"), ("config A\n\tbool \"x\n", 2, "unterminated"),
     ('source "gone/Kconfig"\n', 1, "gone/Kconfig', which does not"), ("menu \"x\"\n", 1, "expected 'endmenu'"),
     ("config A\n\tdef_bool $(x\n", 2, "parenthesis"),
     # Of these kconfiglib makes errors of Python's own.
     ("config A\n\tbool \"x\"\n\tvisible if B\n", 3, "cannot be parsed"),
     ("config A\n\tbool \"x\"\n\tprompt\n", 3, "prompt"),
     ("y = $(z)\nz = $(y)\nconfig A\n\tdef_bool $(y)\n", 4, "recursively")],
)  # fmt: skip
def test_damaged_files(write, text, where, what):
    with pytest.raises(TreeError, match=what) as error:
        load(write(text))
    assert error.value.where == f"init/Kconfig:{where}"
    assert error.value.exit_code == 5


# Hostile trees


_WATCHED: list[list[tuple[str, object]]] = []


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _WATCHED and event.partition(".")[0] in (
        "open",
        "subprocess",
        "os",
        "import",
        "socket",
        "glob",
        "exec",
        "shutil",
    ):
        _WATCHED[-1].append((event, arguments[0] if arguments else ""))


sys.addaudithook(_audit)


@contextmanager
def watched() -> Iterator[list[tuple[str, object]]]:
    """What Python tells of files, processes and modules that are touched meanwhile."""
    events: list[tuple[str, object]] = []
    _WATCHED.append(events)
    try:
        yield events
    finally:
        _WATCHED.pop()


def outside(events: list[tuple[str, object]], root: Path) -> list[tuple[str, object]]:
    """The events that are more than a look into the tree."""
    reading = ("open", "os.listdir", "os.scandir", "glob.glob")
    return [
        (event, what) for event, what in ((event.split("/")[0], what) for event, what in events)
        if not isinstance(what, int)
        and not (event in reading and str(what).startswith(str(root)))
    ]  # fmt: skip


HOSTILE = """\
$(shell,touch {witness})
$(info,$(shell,touch {witness}))
$(warning-if,$(success,touch {witness}),x)
variable := $(shell,touch {witness})
config A
	def_bool $(success,touch {witness})
	depends on $(shell,touch {witness})
config B
	string
	default "$(shell,cat {secret})$(SECRET)$SECRET${{SECRET}}$(kconfigfunctions)$(custom-function)"
config C
	string
	option env="SECRET"
config D$(SECRET)
	bool
	default $(if-success,touch {witness},y,n)
"""


def test_nothing_runs_and_nothing_outside_is_read(write, tmp_path, monkeypatch, capfd):
    witness, secret = tmp_path / "witness", tmp_path / "secret"
    secret.write_text("secret")
    (tmp_path / "kconfigfunctions.py").write_text(
        f"open({str(witness)!r}, 'w')\nfunctions = {{}}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name, value in {"SECRET": "secret", "KCONFIG_FUNCTIONS": "kconfigfunctions", "srctree": "/",
                        "CONFIG_": "EVIL_", "KCONFIG_CONFIG_HEADER": "secret", "CC": "evil"}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    text = HOSTILE.format(witness=witness, secret=secret)
    root = write(text, **{"scripts/Kconfig.include": INCLUDE.partition("$(error")[0]})
    load(root, "")  # what Python itself loads on the way is no longer news
    before = dict(os.environ)
    with watched() as events:
        tree = load(root, "CONFIG_A=y\n")
        written = tree.write()
        facts = [tree.about(name) for name in ("A", "B", "C", "D")]
    assert outside(events, root) == []
    assert not witness.exists()
    assert "secret" not in written
    assert "secret" not in repr([fact and fact.value for fact in facts])
    assert dict(os.environ) == before
    assert capfd.readouterr() == ("", "")


def test_the_watch_sees_what_it_should(tmp_path):
    (tmp_path / "x").write_text("")
    with watched() as events:
        (tmp_path / "x").read_text()
        subprocess.run(["true"], check=True)
    assert {event for event, _ in outside(events, tmp_path / "tree")} >= {
        "open",
        "subprocess.Popen",
    }


@pytest.mark.parametrize(
    "source",
    ["../outside/Kconfig", "/etc/passwd", "link/Kconfig", "linked", "drivers/../../outside/Kconfig", "link/*",
     "../*/Kconfig", "*/../../outside/Kconfig", "$(up)/outside/Kconfig", "/*", "*/Kconfig", "drivers/loop"],
)  # fmt: skip
def test_sources_that_leave_the_tree(write, tmp_path, source):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "Kconfig").write_text("config STOLEN\n\tdef_bool y\n")
    root = write(f'up := ..\nsource "{source}"\n', drivers__Kconfig="")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "linked").symlink_to("../outside/Kconfig")
    (root / "drivers" / "loop").symlink_to("loop")
    with watched() as events, pytest.raises(TreeError) as error:
        load(root)
    assert outside(events, root) == []
    assert error.value.where == "init/Kconfig:2"
    assert error.value.exit_code == 5
    assert error.value.hint


def test_links_into_an_allowed_folder_are_followed(write, tmp_path):
    # As KernelSU's setup makes them beside a vendor's tree: drivers/kernelsu -> ../../KernelSU/kernel.
    root = write('source "drivers/kernelsu/Kconfig"\n', drivers__Kconfig="")
    module = tmp_path / "KernelSU" / "kernel"
    module.mkdir(parents=True)
    (module / "Kconfig").write_text('config KSU\n\tdef_bool y\nsource "drivers/kernelsu/*.inc"\n')
    (module / "more.inc").write_text("config MORE\n\tdef_bool y\n")
    (root / "drivers" / "kernelsu").symlink_to("../../KernelSU/kernel")
    with pytest.raises(TreeError) as error:
        load(root)
    assert error.value.where == "init/Kconfig:1"
    assert f"drivers/kernelsu leads out of the tree, to {module} (" in str(error.value)
    assert "--allow-root" in str(error.value.hint)
    with pytest.raises(TreeError):
        open_tree(str(root), "x86", None, Access((str(tmp_path / "Kernel"),)))
    tree = open_tree(str(root), "x86", None, Access((str(tmp_path / "KernelSU"),)))
    assert tree.snapshot() == {"KSU": "y", "MORE": "y", "X86": "y"}
    # What the module links to is outside again.
    (module / "Kconfig").unlink()
    (module / "Kconfig").symlink_to("/etc/hostname")
    with pytest.raises(TreeError, match="leads out of the tree, to /etc/hostname"):
        open_tree(str(root), "x86", None, Access((str(tmp_path / "KernelSU"),)))


@pytest.mark.parametrize("line", ["<<<<<<< HEAD", "=======", ">>>>>>> vendor/main"])
def test_a_merge_conflict_is_named(write, line):
    with pytest.raises(TreeError, match=f"a merge conflict is not settled: {line} ") as error:
        load(write(f"config A\n\tbool\n{line}\n"))
    assert error.value.where == "init/Kconfig:3"


def test_a_file_that_is_not_checked_out_is_named(write):
    with pytest.raises(TreeError, match="'drivers/vendor/Kconfig', which does not exist") as error:
        load(write('source "drivers/vendor/Kconfig"\n'))
    assert error.value.where == "init/Kconfig:1"
    assert "submodule" in str(error.value.hint)


def test_links_within_the_tree_are_followed(write):
    root = write('source "linked"\nsource "link/Kconfig"\n', drivers__Kconfig="config A\n\tdef_bool y\n",
                 net__Kconfig="config B\n\tdef_bool y\n")  # fmt: skip
    (root / "linked").symlink_to("drivers/Kconfig")
    (root / "link").symlink_to(root / "net")
    assert load(root, "").snapshot() == {"A": "y", "B": "y", "X86": "y"}


def test_a_tree_whose_path_looks_like_a_pattern(write, tmp_path):
    os.rename(write("config A\n\tdef_bool y\n"), tmp_path / "tree [1]*")
    assert load(tmp_path / "tree [1]*", "").value("A") == "y"


def test_a_tree_behind_a_link(write, tmp_path):
    (tmp_path / "link").symlink_to(write("config A\n\tdef_bool y\n"))
    assert load(tmp_path / "link", "").value("A") == "y"


@pytest.mark.parametrize("name", ["Makefile", "Kconfig", "arch/x86", "arch"])
def test_main_files_that_are_links_out(write, tmp_path, name):
    root = write()
    (tmp_path / "elsewhere").mkdir()
    os.rename(root / name, tmp_path / "elsewhere" / "it")
    (root / name).symlink_to(tmp_path / "elsewhere" / "it")
    with watched() as events, pytest.raises(TreeError, match="leads out of the tree"):
        load(root)
    assert outside(events, root) == []


def test_a_pipe_does_not_hang(write):
    root = write('source "pipe"\n')
    os.mkfifo(root / "pipe")
    assert stat.S_ISFIFO(os.stat(root / "pipe").st_mode)
    with pytest.raises(TreeError, match="no regular file"):
        load(root)


def test_files_that_include_themselves(write):
    with pytest.raises(TreeError, match="within itself") as error:
        load(write('source "a"\n', a='source "b"\n', b='\nsource "init/Kconfig"\n'))
    assert error.value.where == "b:2"


def test_files_that_include_each_other_very_deeply(write):
    files = {f"f{n}": f'source "f{n + 1}"\n' for n in range(100)}
    with pytest.raises(TreeError, match="64 levels deep"):
        load(write('source "f0"\n', **files))


def test_files_that_include_each_other_very_often(write, monkeypatch):
    monkeypatch.setattr(treefiles, "FILES", 500)
    files = {f"f{n}": f'source "f{n + 1}"\n' * 2 for n in range(40)}
    with pytest.raises(TreeError, match="500 files"):
        load(write('source "f0"\n', **files, f40=""))


def test_a_very_long_line(write):
    with pytest.raises(TreeError, match=r"init/Kconfig:2: a line of more than 16 KiB"):
        load(write("\n" + "x" * 20_000))
    with pytest.raises(TreeError, match=r"init/Kconfig:2: a line of more than 16 KiB"):
        load(write("config A\n\tbool " + "\\\n" * 20_000))


def test_a_very_large_file(write):
    root = write()
    with open(root / "init" / "Kconfig", "r+b") as file:
        file.truncate(100 << 20)
    with watched() as events, pytest.raises(TreeError, match="more than 4 MiB"):
        load(root)
    assert outside(events, root) == []


def test_very_much_text(write, monkeypatch):
    monkeypatch.setattr(treefiles, "TOTAL", 1000)
    with pytest.raises(TreeError, match="of Kconfig files"):
        load(write("#" * 900 + "\n", **{"arch/x86/Kconfig": "#" * 900}))


@pytest.mark.parametrize(
    "text",
    ["a = $(b)$(b)\nb = $(c)$(c)\n" + "".join(f"{x} = $({y})$({y})\n" for x, y in zip("cdefghijklmnopq", "defghijklmnopqr", strict=True))
     + "r = xxxxxxxxxxxxxxxxxxxxxxxxxx\nz := $(a)\n",
     "a = $(a)\nz := $(a)\n", "f = $(f,$(1)x)\nz := $(f,x)\n", "z := " + "$(" * 4000 + ")" * 4000 + "\n",
     "f = $(g,$(1))\ng = $(f,$(1))\nz := $(f,x)\n"],
    ids=["laughs", "self", "function", "nested", "mutual"],
)  # fmt: skip
def test_macros_without_end(write, text):
    with pytest.raises(TreeError) as error:
        load(write(text))
    assert (error.value.where or "").startswith("init/Kconfig:")
    assert error.value.exit_code == 5


def test_very_many_macros(write, monkeypatch):
    monkeypatch.setattr(kconfigmacros, "EXPANSIONS", 100)
    with pytest.raises(TreeError, match="does not end"):
        load(write("a = x\n" + "b := $(a)\n" * 200))


@pytest.mark.parametrize(
    "text",
    ["config A\n\tbool\n\tdepends on " + "(" * 5000 + "A" + ")" * 5000 + "\n",
     "config A\n\tbool\n\tdefault y\n" + "\tdepends on A\n" + "if A\n" * 3000 + "endif\n" * 3000,
     "config A\n\tbool\n\tdepends on " + "!" * 10_000 + "A\n"],
    ids=["parentheses", "ifs", "nots"],
)  # fmt: skip
def test_very_deep_nesting(write, text):
    with pytest.raises(TreeError, match="too deeply"):
        load(write(text), "")


def test_symbols_in_a_circle(write):
    root = write("config A\n\tdef_bool y\n\tdepends on B\nconfig B\n\tdef_bool y\n\tdepends on A\n")
    with pytest.raises(TreeError, match="circle"):
        load(root, "")
    with pytest.raises(TreeError, match="circle"):
        load(root).value("A")


def test_many_selects_do_not_recurse(write):
    many = "".join(f'config S{n}\n\tbool "s"\n\tselect T\n' for n in range(3000))
    tree = load(write(many + "config T\n\tbool\n"), "CONFIG_S2999=y\n")
    assert tree.value("T") == "y"
    assert tree.set("S2999", "n")
    assert tree.value("T") == "n"
    assert len(tree.about("T").selected_by) == 3000


def test_messages_carry_no_control_characters(write):
    with pytest.raises(TreeError) as error:
        load(write('source "\x1b[2J../\x07"\n'))
    assert str(error.value).isprintable()
    with pytest.raises(TreeError) as error:
        load(write("\x1b[2J frobnicate\n"))
    assert str(error.value).isprintable()
    notes = load(write("$(warning-if,y,\x1b[2J" + "x" * 1000 + ")\n")).warnings
    assert notes[0].isprintable()
    assert len(notes[0]) < 400


def test_odd_bytes_are_no_error(write):
    root = write()
    (root / "init" / "Kconfig").write_bytes(
        b'config A\r\n\tbool "\xe9\x00"\r\n\tdefault y\r\n\thelp\r\n\t  \xff\r\n'
    )
    assert load(root, "").value("A") == "y"
