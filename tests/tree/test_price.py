"""What a plan may cost in a tree: nothing that users set, and not the machine itself."""

from __future__ import annotations

import pytest

from advisor.inputs.config import named_lines, parse_config
from advisor.tree.check import KnownNames, check_fragment
from advisor.tree.kerneltree import open_tree
from advisor.tree.search import Limits, achieve

# The machine is a choice here, as on mips; boards have a folder of their own, as on arm.
ARCH = """
config X86
\tdef_bool y

choice
\tprompt "System type"
\tdefault MACHINE_GENERIC

config MACHINE_GENERIC
\tbool "generic"
\tselect GENERIC_CLOCK

config MACHINE_LARGE
\tbool "large"
\tselect HAS_NODES

endchoice

config GENERIC_CLOCK
\tbool

config HAS_NODES
\tbool

config NODES
\tbool "nodes"
\tdepends on HAS_NODES

source "arch/x86/mach-imx/Kconfig"

config ARCH_POLL
\tbool "poll"

config POLLER
\tbool "poller"
\tdepends on ARCH_POLL

config ARM_LPAE
\tbool "larger tables"

config GUESTS
\tbool "guests"
\tdepends on ARM_LPAE
"""
BOARD = """
config BOARD
\tbool "board"

config BOARD_TIMER
\tbool "timer"
\tdepends on BOARD
"""
INIT = """
config EXPERT
\tbool "expert"

config PRINTER
\tbool "printer" if EXPERT
\tdefault y

config PAPER
\tbool "paper"
\tdepends on PRINTER
\tdefault y

config RT
\tbool "rt"
\tdepends on EXPERT

config GRAPHICS
\ttristate "graphics"
\tdepends on !RT
\tselect HELPER

config HELPER
\tbool "helper" if EXPERT

config SMALL
\tbool "small"

config CACHE
\tint "cache"
\trange 1 4 if SMALL
\trange 1 64
\tdefault 32

config TINY
\tbool "tiny"
\tdepends on SMALL

config MODE
\tbool "mode"

config SAFE
\ttristate "safe"
\tdepends on !MODE

config FAST
\tbool "fast"
\tdepends on MODE

config CHECKS
\tbool "checks"

config CHECKS_STACK
\tbool "checks of the stack"
\tdepends on CHECKS

config CHECKS_INLINE
\tbool "inline"
\tdepends on CHECKS

config STACK
\tbool "stack"
\tdepends on !CHECKS || CHECKS_STACK

config TABLES
\tbool

choice
\tprompt "tables"

config TABLES_NONE
\tbool "none"

config TABLES_FULL
\tbool "full"
\tselect TABLES

endchoice

config READER
\tbool "reader"
\tdepends on TABLES

config LIBRARY
\tbool

config USER
\tbool "user"
\tselect LIBRARY
\tdefault y if EXPERT

config PROGRAM
\tbool "program"
\tdepends on LIBRARY && EXPERT
"""
LINES = """CONFIG_X86=y
CONFIG_MACHINE_GENERIC=y
CONFIG_PRINTER=y
CONFIG_PAPER=y
CONFIG_GRAPHICS=y
CONFIG_CACHE=32
CONFIG_SAFE=y
CONFIG_STACK=y
CONFIG_TABLES_NONE=y
"""


@pytest.fixture
def tree(make_tree, tmp_path):
    files = {
        "Kconfig": 'source "init/Kconfig"\nsource "arch/x86/Kconfig"\n',
        "init/Kconfig": INIT,
        "arch/x86/Kconfig": ARCH,
        "arch/x86/mach-imx/Kconfig": BOARD,
    }
    make_tree(tmp_path, files)
    return open_tree(str(tmp_path), "x86", parse_config(LINES, ".config", complete=True))


@pytest.mark.parametrize(
    ("wanted", "needed"),
    [
        # What is needed comes on; what the symbol itself excludes goes, and says so.
        (("RT", "y"), (("EXPERT", "y"),)),
        (("PRINTER", "n"), (("EXPERT", "y"),)),
        (("HELPER", "n"), (("GRAPHICS", "n"),)),
        (("MACHINE_LARGE", "y"), ()),
        # What would go stays with one more line: VMAP_STACK beside KASAN, with KASAN_VMALLOC.
        (("CHECKS_INLINE", "y"), (("CHECKS", "y"), ("CHECKS_STACK", "y"))),
        # A choice's "none" is no feature.
        (("READER", "y"), (("TABLES_FULL", "y"),)),
        # No line for what has no prompt, or what another line brings: LIBRARY, USER.
        (("PROGRAM", "y"), (("EXPERT", "y"),)),
        # Named as boards are, where there are none.
        (("POLLER", "y"), (("ARCH_POLL", "y"),)),
    ],
)
def test_a_plan_pays_with_nothing_but_what_stands_against_it(tree, wanted, needed):
    found = achieve(tree, [wanted])
    assert (found.reason, set(found.needed)) == ("", set(needed))
    with tree.trial():
        for line in (*found.needed, wanted):
            tree.set(*line)
        assert tree.value(wanted[0]) == wanted[1]


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        # The means is another machine.
        (("NODES", "y"), "NODES needs HAS_NODES (arch/x86/Kconfig:27); "
         "MACHINE_LARGE would make this a kernel for other machines"),
        (("BOARD_TIMER", "y"), "BOARD_TIMER needs BOARD (arch/x86/mach-imx/Kconfig:7); "
         "BOARD would make this a kernel for other machines"),
        (("GUESTS", "y"), "GUESTS needs ARM_LPAE (arch/x86/Kconfig:43); "
         "ARM_LPAE would make this a kernel for other machines"),
        # The means takes away what it is not about, or makes it smaller.
        (("FAST", "y"), "FAST needs MODE (init/Kconfig:48); MODE=y would remove SAFE"),
        (("TINY", "y"), "TINY needs SMALL (init/Kconfig:37); SMALL=y would remove CACHE"),
    ],
)  # fmt: skip
def test_a_price_that_nobody_asked_for_is_refused_and_named(tree, wanted, reason):
    found = achieve(tree, [wanted])
    assert (found.needed, found.reason) == ((), reason)


@pytest.mark.parametrize(
    ("wanted", "allowed", "needed"),
    [
        (("FAST", "y"), "SAFE", ("MODE", "y")),
        (("TINY", "y"), "CACHE", ("SMALL", "y")),
        (("BOARD_TIMER", "y"), "BOARD", ("BOARD", "y")),
    ],
)
def test_what_is_allowed_may_go(tree, wanted, allowed, needed):
    assert achieve(tree, [wanted], Limits(allowed=frozenset([allowed]))).needed == (needed,)


def test_what_the_fragment_itself_asks_for_is_no_price(tree):
    # RT takes effect by EXPERT, and GRAPHICS goes: by RT's line, not by EXPERT.
    text = "CONFIG_RT=y\n# CONFIG_PRINTER is not set\n"
    lines = named_lines(parse_config(text, "fragment"))
    results = check_fragment(tree, lines, KnownNames())
    assert [result.remedy for result in results] == [(("EXPERT", "y"),)] * 2


def test_a_price_names_what_goes_by_itself(make_tree, tmp_path):
    lost = "".join(f'config L{n}\n\tbool "{n}"\n\tdepends on !MODE\n' for n in range(9))
    rest = 'config REST\n\tbool "rest"\n\tdepends on L0\n'
    mode = 'config MODE\n\tbool "mode"\nconfig FAST\n\tbool "fast"\n\tdepends on MODE\n'
    make_tree(tmp_path, {"Kconfig": f"{lost}{rest}{mode}"})
    lines = "".join(f"CONFIG_{name}=y\n" for name in ("REST", *(f"L{n}" for n in range(9))))
    tree = open_tree(str(tmp_path), "x86", parse_config(lines, "c", complete=True))
    assert achieve(tree, [("FAST", "y")]).reason == (
        "FAST needs MODE (Kconfig:35); MODE=y would remove L0, L1, L2, L3, L4, L5, L6, L7"
        " and 2 more (a check with these lines lists all of them)"
    )


def test_nothing_in_the_tree_is_left_behind(tree):
    before = tree.snapshot()
    for symbol in ("FAST", "NODES", "READER", "PROGRAM"):
        achieve(tree, [(symbol, "y")])
    assert tree.snapshot() == before
