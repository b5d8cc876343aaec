"""What an architecture, or one symbol of it, has on whatever else is set."""

from __future__ import annotations

import pytest

from advisor.knowledge.brought import Brought
from advisor.knowledge.catalogue import MAGIC
from advisor.model.kernel import parse_version
from advisor.tree.kerneltree import open_tree

KCONFIG = """\
config X86
\tdef_bool y
\tselect HAVE_IT
\tselect SOMETIMES if ASKED
\tselect OFTEN if HAVE_IT
config HAVE_IT
\tbool
config SOMETIMES
\tbool
config OFTEN
\tbool "seen"
config NEVER
\tbool
config UNLESS
\tdef_bool !NEVER
config ASKED
\tbool "asked"
\tselect BESIDE
\tselect MAYBE if OTHER
config OTHER
\tbool "other"
config BESIDE
\tbool
config MAYBE
\tbool
config FIRST
\tbool
\tdefault n if OTHER
\tdefault y
config CC_HAS_IT
\tdef_bool y
config RESTS_ON_A_TOOL
\tdef_bool y if CC_HAS_IT
config WITHOUT_A_TOOL
\tdef_bool !CC_HAS_IT
config DEPENDS
\tdef_bool y
\tdepends on ASKED
config TWICE
\tbool "here"
\tdepends on ASKED
\tselect MAYBE
config TWICE
\tbool "there"
\tdepends on OTHER
config IN_MENU
\ttristate "in a menu"
\tdefault y
choice
\tprompt "one"
config ONE
\tbool "one"
config TWO
\tbool "two"
endchoice
"""


def test_only_what_is_on_in_every_configuration_always_is(make_tree, tmp_path):
    make_tree(tmp_path, {"Kconfig": KCONFIG})
    found = [*open_tree(str(tmp_path), "x86", None).brought()]
    assert [name for name, by in found if by == "y"] == ["X86", "HAVE_IT", "OFTEN", "UNLESS"]
    assert [pair for pair in found if pair[1] != "y"] == [("BESIDE", "ASKED")]


TABLE = f"""{MAGIC}
kernel 6.1.0 arm x86
kernel 6.12.0 arm x86
[brought]
ALWAYS\ty arm 6.1.0..
GIVEN\tONE 6.1.0..;TWO arm 6.1.0..;THREE 6.12.0
"""


@pytest.mark.parametrize(
    ("symbol", "kernel", "arch", "by"),
    [
        ("ALWAYS", "6.6", "arm", ["ALWAYS"]),
        ("ALWAYS", "6.6", "x86", []),
        ("ALWAYS", "6.6", None, []),
        ("ALWAYS", "6.6", "mips", []),  # of which nothing was read
        ("ALWAYS", "7.2", "arm", ["ALWAYS"]),  # later than all that was read: as the last
        ("ALWAYS", "5.4", "arm", []),
        ("ALWAYS", None, "arm", ["ALWAYS"]),
        ("GIVEN", "6.6", "arm", ["ONE", "TWO"]),
        ("GIVEN", "6.6", None, ["ONE"]),
        ("GIVEN", "6.12", "x86", ["ONE", "THREE"]),
        ("GIVEN", None, "x86", ["ONE"]),
        ("UNHEARD", "6.12", "x86", []),
    ],
)
def test_what_brings_a_symbol(symbol, kernel, arch, by):
    table = Brought(TABLE)
    assert table.by(symbol, parse_version(kernel) if kernel else None, arch) == by


def test_what_was_learnt_of_kernels():
    table, kernel = Brought.load(), parse_version("6.12.74")
    assert table.by("CPU_MITIGATIONS", kernel, "arm64") == ["CPU_MITIGATIONS"]
    assert table.by("CPU_MITIGATIONS", kernel, "x86") == []
    assert {"NO_HZ_IDLE", "NO_HZ_FULL"} <= {*table.by("NO_HZ_COMMON", kernel, "x86")}
    for symbol in ("CC_IS_GCC", "AS_HAS_ARMV8_3", "BROKEN_GAS_INST", "LD_IS_BFD"):
        assert table.by(symbol, kernel, "arm64") == [], symbol
