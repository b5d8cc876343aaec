"""Targets of the readers of kernel trees: Kconfig files, makefiles, tables of C sources."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.inputs.config import KernelConfig, parse_config
from advisor.tree.drivers.cmacros import cleaned, defined
from advisor.tree.drivers.devices import Devices
from advisor.tree.drivers.makefiles import Makefiles
from advisor.tree.drivers.tables import given, promised, tables
from advisor.tree.files import find_tree
from advisor.tree.kconfig.brought import brought
from advisor.tree.kconfig.facts import facts, menus
from advisor.tree.kconfig.macros import Context
from advisor.tree.kconfig.questions import assumptions
from advisor.tree.kconfig.reach import unreachable
from advisor.tree.kconfig.restore import parser_of
from advisor.tree.kconfig.table import packed, table_of, unpacked
from advisor.tree.kerneltree import KernelTree
from advisor.tree.why import gates, why_not
from fuzz.seeds import all_of, folders, texts
from fuzz.target import Target, bundled, files_in, text, written

TARGETS: dict[str, Target] = {}
MAKEFILE = b"VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nEXTRAVERSION =\n"
_MOST_SYMBOLS = 24
_TREE = {"Makefile": MAKEFILE, "init/Kconfig": b"", "arch/x86/Kconfig": b""}


def tree_of(data: bytes, name: str = "in") -> str:
    """A folder with the tree that an input holds; what every tree has is there."""
    return str(written({**_TREE, "Kconfig": b"", **files_in(data)}, name))


def _kconfig(data: bytes) -> None:
    files = find_tree(tree_of(data))
    config = KernelConfig(".config", "", {})
    if (own := files_in(data).get(".config")) and b"CONFIG_" in own:
        config = parse_config(text(own), ".config")
    tree = KernelTree(files, "x86", config)
    parser = tree._parser
    menus(parser)
    list(unreachable(parser))
    list(brought(parser))
    names = [symbol.name for symbol in parser.unique_defined_syms[:_MOST_SYMBOLS]]
    for name in names:
        facts(parser, files, parser.syms[name])
        for value in ("y", "m", "n", "99"):
            why_not(tree, name, value)
    gates(tree, names)
    assumptions(tree._toolchain, parser.questions)
    context = Context(files, parser._environment, parser._toolchain, None)
    restored = parser_of(unpacked(packed(table_of(parser))), context, parser.dialect)
    assert {*restored.syms} >= {one.name for one in parser.unique_defined_syms}


def _kconfigs() -> list[bytes]:
    """Trees of the tests, and each text that looks like Kconfig as a tree of its own."""
    tests = "tests/tree/*.py", "tests/cli/test_trees.py"
    alone = [one for one in texts(*tests) if b"config " in one]
    config = b"CONFIG_BASE=y\nCONFIG_ONE=y\n# CONFIG_TWO is not set\nCONFIG_NUMBER=5\n"
    trees = (bundled({"Kconfig": one, ".config": config}) for one in alone)
    return all_of(_linked(), trees, folders(*tests))


def _linked() -> Iterator[bytes]:
    """Trees whose files name others by patterns, and by links that stay and that do not."""
    for line in (
        'source "drivers/*/Kconfig"', 'osource "none/*/Kconfig"', 'rsource "drivers/b/Kconfig"',
        'source "out/Kconfig"', 'source "../Kconfig"', 'source "/etc/passwd"', 'source "loop"',
        'source "drivers/[ab]/Kconfig*"', 'source "none"', 'source "drivers"', 'source "*/*/*"',
    ):  # fmt: skip
        yield bundled({
            "Kconfig": f'{line}\nconfig A\n\tbool "a"\n\tselect B\n', "out": "-> /etc",
            "loop": "-> loop", "drivers/b": "-> a",
            "drivers/a/Kconfig": 'config B\n\ttristate "b"\n\tdepends on A || m\n',
        })  # fmt: skip


TARGETS["kconfig"] = Target(
    _kconfig,
    (*(f"tree.kconfig.{one}" for one in (
        "parser", "macros", "values", "facts", "questions", "text", "table", "restore", "reach",
        "brought",
    )), "tree.files", "tree.parsing", "tree.taking", "tree.why"),
    _kconfigs,
    ("depends on", "select", "imply", "choice", "endchoice", "menuconfig", "def_bool", "int", "hex",
     "def_tristate", "visible if", "source", "rsource", "osource", "mainmenu", "comment", "string",
     "$(shell,", "$(cc-option,", "$(success,", "$(if-success,", "range", "modules", "optional",
     "prompt", "tristate", "transitional", "default", "help", "endmenu", "endif", ":=", "+=",
     "$(error-if,"),
)  # fmt: skip


def _makefiles(data: bytes) -> None:
    makefiles = Makefiles(find_tree(tree_of(data)), "x86")
    for symbol in ("PLAIN", "SEVERAL", "FOLDER", "NESTED", "USB", "NET"):
        makefiles.modules(symbol)


TARGETS["makefiles"] = Target(
    _makefiles,
    ("tree.drivers.makefiles",),
    lambda: [
        *folders("tests/tree/test_drivers.py"),
        *(bundled({"drivers/Makefile": "obj-y += net/\n", "drivers/net/Makefile": one})
          for one in texts("tests/tree/test_drivers.py")),
    ],
)  # fmt: skip


def _devices(data: bytes) -> None:
    source = cleaned(text(data))
    given(source)
    promised(source)
    list(tables(source, defined(source)))
    makefile = b"obj-$(CONFIG_PLAIN) += plain.o\n"
    tree = bundled({"drivers/Makefile": makefile, "drivers/plain.c": data, "drivers/plain.h": data})
    devices = Devices(find_tree(tree_of(tree)), "x86")
    list(devices.drivers("PLAIN", "PLAIN"))


TARGETS["devices"] = Target(
    _devices,
    ("tree.drivers.cmacros", "tree.drivers.tables", "tree.drivers.devices"),
    lambda: texts("tests/tree/test_drivers.py"),
    ("PCI_DEVICE(", "USB_DEVICE(", "MODULE_DEVICE_TABLE(", "static const struct pci_device_id",
     ".compatible = ", "of_device_id", "#define", "#include", "PCI_VDEVICE("),
)  # fmt: skip
