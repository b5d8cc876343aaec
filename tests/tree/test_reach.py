"""What nothing can switch on for an architecture, whatever else is set."""

from __future__ import annotations

import zlib

from advisor.knowledge.catalogue import MAGIC
from advisor.knowledge.unreachable import Unreachable
from advisor.lint.learn import learn
from advisor.model.kernel import parse_version
from advisor.tree.kerneltree import open_tree

KCONFIG = """\
config HAVE_IT
\tbool
config HAVE_OTHER
\tbool
config HAVE_CIRCLE
\tdef_bool HAVE_ROUND
config HAVE_ROUND
\tdef_bool HAVE_CIRCLE
config MACHINE
\tbool "machine"
\tselect HAVE_IT if !TINY
config TINY
\tbool "tiny"
config COMPILE_TEST
\tbool "build everything"
config USES_IT
\tbool "uses"
\tdepends on HAVE_IT
config USES_OTHER
\ttristate "uses the other's"
\tdepends on HAVE_OTHER && MACHINE
config BELOW
\tbool "below"
\tdepends on USES_OTHER != n
config TESTED
\tbool "only for tests"
\tdepends on ELSEWHERE || COMPILE_TEST
config WITHOUT
\tbool "without the other"
\tdepends on !HAVE_OTHER
config GIVEN
\tbool
\tdefault y if TINY
choice
\tprompt "one"
\tdepends on HAVE_OTHER
config FIRST
\tbool "first"
config SECOND
\tbool "second"
endchoice
"""
NEVER = [
    "BELOW", "FIRST", "HAVE_CIRCLE", "HAVE_OTHER", "HAVE_ROUND", "SECOND", "TESTED", "USES_OTHER",
]  # fmt: skip


def test_only_what_rests_on_something_that_can_be_on_can_be_on(make_tree, tmp_path):
    make_tree(tmp_path, {"Kconfig": KCONFIG})
    assert sorted(open_tree(str(tmp_path), "x86", None).unreachable()) == NEVER


def test_it_is_learnt_with_the_rest(make_tree, tmp_path):
    tree = make_tree(tmp_path / "tree", {"Kconfig": KCONFIG, "arch/x86/Kconfig": ""})
    told = learn([str(tree)], str(tmp_path / "catalogue.gz"), str)
    assert "1 kernels, 8 unreachable, " in told
    text = zlib.decompress((tmp_path / "unreachable.gz").read_bytes(), wbits=31).decode()
    assert [line.partition("\t")[0] for line in text.split("\n")[3:-1]] == NEVER


def test_between_kernels_only_what_both_say_counts():
    table = Unreachable(
        f"{MAGIC}\nkernel 6.1.0 arm x86\nkernel 6.6.0 arm x86\nkernel 6.12.0 arm x86\n"
        "[unreachable]\nALWAYS\tn arm 6.1.0..\nONCE\tn arm 6.1.0..6.6.0\n"
    )

    def never(symbol, kernel, arch="arm"):
        return table.never_on(symbol, parse_version(kernel) if kernel else None, arch)

    assert [never("ALWAYS", kernel) for kernel in ("6.6.30", "6.9", None)] == [True] * 3
    assert [never("ONCE", kernel) for kernel in ("6.4", "6.9", None)] == [True, False, False]
    # Nothing was read before the first and after the last.
    assert [never("ALWAYS", kernel) for kernel in ("5.4", "6.18")] == [False, False]
    assert [never("ALWAYS", "6.6", arch) for arch in ("x86", "riscv", None)] == [False] * 3
    assert not never("UNHEARD", "6.6")


def test_what_was_learnt_of_kernels():
    table = Unreachable.load()
    kernel = parse_version("6.12.74")
    for symbol in ("ARCH_SUPPORTS_RT", "HOTPLUG_SMT", "X86_INTEL_PSTATE", "DEBUG_BUGVERBOSE"):
        assert table.never_on(symbol, kernel, "mips"), symbol
        assert not table.never_on(symbol, kernel, "x86"), symbol
    assert not table.never_on("CPU_FREQ", kernel, "mips")
