"""Which modules a tree's makefiles build from a symbol, and the devices in tables of C sources."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.comparison import DeviceIds, LostDriver
from advisor.tree.drivers import cmacros, tables
from advisor.tree.drivers.cmacros import TooLongError, cleaned, defined, written_out
from advisor.tree.drivers.devices import Devices
from advisor.tree.drivers.makefiles import Makefiles, Module
from advisor.tree.files import TreeFiles

from ..cases import each

HEADERS = {
    "include/linux/pci_ids.h": """
#define PCI_VENDOR_ID_ACME	0x10ec
#define PCI_DEVICE_ID_ACME_ONE	0x0001 /* the first */
""",
    "include/linux/pci.h": """
#define PCI_ANY_ID (~0)
#define PCI_DEVICE(vend,dev) \\
	.vendor = (vend), .device = (dev), \\
	.subvendor = PCI_ANY_ID, .subdevice = PCI_ANY_ID
#define PCI_VDEVICE(vend, dev) \\
	.vendor = PCI_VENDOR_ID_##vend, .device = (dev), \\
	.subvendor = PCI_ANY_ID, .subdevice = PCI_ANY_ID, 0, 0
#define PCI_DEVICE_CLASS(dev_class,dev_class_mask) \\
	.class = (dev_class), .class_mask = (dev_class_mask), \\
	.vendor = PCI_ANY_ID, .device = PCI_ANY_ID, \\
	.subvendor = PCI_ANY_ID, .subdevice = PCI_ANY_ID
""",
    "include/linux/usb.h": """
#define USB_DEVICE(vend, prod) \\
	.match_flags = 3, .idVendor = (vend), .idProduct = (prod)
#define USB_INTERFACE_INFO(cl, sc, pr) \\
	.match_flags = 0x380, .bInterfaceClass = (cl), \\
	.bInterfaceSubClass = (sc), .bInterfaceProtocol = (pr)
""",
}
MAKEFILES = {
    "drivers/Makefile": "obj-y += net/\nobj-$(CONFIG_USB) += usb/\n",
    "drivers/net/Makefile": """
obj-$(CONFIG_PLAIN)	+= plain.o   # a comment
two-names-y := first.o \\
	second.o
two-names-$(CONFIG_EXTRA) += sub/extra.o
obj-$(CONFIG_SEVERAL) += two-names.o
obj-$(CONFIG_FOLDER) += folder/
obj-$(subst m,y,$(CONFIG_SUBST)) += subst.o
obj-$(CONFIG_NESTED) += nested.o
nested-objs := $(common-objs) own.o
common-objs := shared.o ../lib/far.o
""",
    "drivers/net/folder/Kbuild": "obj-y += inner.o\nobj-$(CONFIG_OTHER) += other.o\n",
    "drivers/usb/Makefile": "obj-$(CONFIG_STICK) += stick.o\n",
}


@pytest.fixture
def tree(tmp_path):
    """The devices of a tree with these files beside headers and makefiles."""

    def make(files=None, **texts):
        files = {"drivers/pci/pci.c": "", **HEADERS, **MAKEFILES, **(files or {})}
        files.update({f"drivers/net/{name}.c": text for name, text in texts.items()})
        for name, text in files.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return TreeFiles(str(tmp_path / "tree"))

    return make


@pytest.mark.parametrize(
    ("symbol", "modules"),
    [
        ("PLAIN", [Module("plain", ("drivers/net/plain.c",))]),
        (
            "SEVERAL",
            [
                Module(
                    "two_names",
                    ("drivers/net/first.c", "drivers/net/second.c", "drivers/net/sub/extra.c"),
                )
            ],
        ),
        ("EXTRA", [Module("two_names", ("drivers/net/sub/extra.c",), part=True)]),
        ("FOLDER", [Module("inner", ("drivers/net/folder/inner.c",))]),
        ("OTHER", [Module("other", ("drivers/net/folder/other.c",))]),
        ("SUBST", [Module("subst", ("drivers/net/subst.c",))]),
        (
            "NESTED",
            [Module("nested", ("drivers/net/own.c", "drivers/net/shared.c", "drivers/lib/far.c"))],
        ),
        ("STICK", [Module("stick", ("drivers/usb/stick.c",))]),
        ("NOWHERE", []),
    ],
)
def test_makefiles_tell_modules_and_their_sources(tree, symbol, modules):
    assert Makefiles(tree(), "x86").modules(symbol) == modules


def found(tree, symbol="PLAIN", **texts):
    (driver,) = Devices(tree(**texts), "x86").drivers(symbol, symbol)
    return {one.bus: one.ids for one in driver.devices}, driver.unread


PCI = """
#define OWN 0x8136U
#define BOTH(dev) { PCI_VDEVICE(ACME, dev), .driver_data = (kernel_ulong_t)&ops[0] }
static const struct pci_device_id plain_tbl[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_ACME, PCI_DEVICE_ID_ACME_ONE) }, // { PCI_DEVICE(1, 1) }
	/* { PCI_DEVICE(2, 2) }, */
	{ 0x10ec, OWN, PCI_ANY_ID, PCI_ANY_ID, 0, 0, (1 << 4) },
	BOTH(0x0003), BOTH(0x0003),
#if 0
	{ PCI_DEVICE(3, 3) },
#else
	{ PCI_DEVICE(0x10ec, 4) },
#endif
#ifdef CONFIG_MORE
	{ .vendor = 0x10ec, .device = 0x5, .subvendor = 0x1028, .subdevice = 0x10 },
#endif
	{ PCI_ANY_ID, 0x8139, PCI_ANY_ID, PCI_ANY_ID },
	{ PCI_DEVICE(0x10ec, PCI_ANY_ID) },
	{ PCI_DEVICE_CLASS(0x010600, 0xffff00) },
	{ PCI_DEVICE(0x10ec, NOBODY_KNOWS) },
	{ }
};
MODULE_DEVICE_TABLE(pci, plain_tbl);
static const struct pci_device_id broken[] = { { PCI_DEVICE(6, 6) }, { 0 } };
"""


def test_pci_devices_are_those_of_the_table_that_the_module_has(tree):
    ids = (
        "10ec:0001", "10ec:8136", "10ec:0003", "10ec:0004", "10ec:0005 on 1028:0010",
        "*:8139", "10ec:*", "class 0106xx",
    )  # fmt: skip
    assert found(tree, plain=PCI) == ({"pci": ids}, 1)


def test_a_table_counts_that_a_driver_is_given(tree):
    text = """
static const struct of_device_id of_ids[] __maybe_unused = {
	{ .compatible = "acme,one", .data = &one }, { .compatible = "acme,two" }, {},
};
static const struct acpi_device_id acpi_ids[] = { { "ACME0001", 0 }, { .id = "PNP0303" }, { "" } };
static const struct usb_device_id sticks[] = {
	{ USB_DEVICE(0x0bda, 0x8152) }, { USB_INTERFACE_INFO(0xe0, 1, 1) }, { }
};
static struct platform_driver d = { .driver = {
	.of_match_table = of_match_ptr(of_ids), .acpi_match_table = ACPI_PTR(acpi_ids), } };
static struct usb_driver u = { .id_table = sticks };
CLK_OF_DECLARE(early, "acme,clock", init);
"""
    devices = {
        "usb": ("0bda:8152", "interface e0:01:01"),
        "acpi": ("ACME0001", "PNP0303"),
        "of": ("acme,one", "acme,two", "acme,clock"),
    }
    assert found(tree, plain=text) == (devices, 0)


def test_a_module_of_several_files_is_read_as_one(tree):
    first = "const struct pci_device_id many[] = { { PCI_DEVICE(1, 2) }, {} };\n"
    second = "/* struct pci_device_id */ MODULE_DEVICE_TABLE(pci, many); struct pci_device_id;\n"
    told = found(tree, "SEVERAL", first=first, second=second)
    assert told == ({"pci": ("0001:0002",)}, 0)


def test_what_a_source_includes_is_read(tree):
    files = {
        "drivers/net/ids.h": "#define MINE 0x0007\n",
        "drivers/net/list.h": "ENTRY(MINE)\nENTRY(0x0008)\n",
        "include/uapi/linux/acme.h": "#define SHARED 0x0009\n",
        "drivers/net/plain.c": """
#include <linux/acme.h>
#include "ids.h"
#define ENTRY(x) { USB_DEVICE(0x1111, x) },
static struct usb_device_id ids[] = {
#include "list.h"
	{ USB_DEVICE(0x1111, SHARED) },
	{ }
};
#undef ENTRY
#define ENTRY(x) { something else },
MODULE_DEVICE_TABLE(usb, ids);
""",
    }
    (driver,) = Devices(tree(files), "x86").drivers("PLAIN", "PLAIN")
    usb = DeviceIds("usb", ("1111:0007", "1111:0008", "1111:0009"))
    assert driver == LostDriver("PLAIN", "plain", "drivers/net/plain.c", (usb,))


def test_a_tree_that_means_harm_costs_little(tree, monkeypatch):
    """Macros that name each other, includes in a circle, links and files that are not there."""
    monkeypatch.setattr(cmacros, "LONGEST", 1 << 16)
    bomb = "".join(f"#define A{n} A{n + 1} A{n + 1} A{n + 1}\n" for n in range(40))
    text = f"""{bomb}
#include "plain.c"
#include "../../../../etc/passwd"
#define LOOP LOOP
static struct pci_device_id one[] = {{ {{ A0 }}, {{ LOOP }} }};
MODULE_DEVICE_TABLE(pci, one);
"""
    devices, unread = found(tree, plain=text)
    assert devices == {}
    assert unread


def test_a_table_that_is_not_found_is_one_that_is_not_read(tree):
    text = "BEGIN_OF_TABLE\n{0,} };\nMODULE_DEVICE_TABLE(pci, hidden); struct pci_device_id;\n"
    assert found(tree, plain=text) == ({}, 1)


def test_a_module_without_devices_is_a_module_and_a_part_is_none(tree):
    devices = Devices(tree(plain="int x;"), "x86")
    assert list(devices.drivers("PLAIN", "PLAIN")) == [
        LostDriver("PLAIN", "plain", "drivers/net/plain.c")
    ]
    assert list(devices.drivers("EXTRA", "EXTRA")) == []


def test_what_the_core_of_the_kernel_builds_is_no_driver(tree):
    files = {
        "kernel/Makefile": "obj-y += cgroup/\n",
        "kernel/cgroup/Makefile": "obj-$(CONFIG_CPUSETS_V1) += cpuset-v1.o\n",
        "kernel/cgroup/cpuset-v1.c": "int x;",
    }
    devices = Devices(tree(files), "x86")
    assert list(devices.drivers("CPUSETS_V1", "CPUSETS_V1")) == []


@given(st.text(alphabet=string.printable, max_size=300))
def test_any_text_is_read(text):
    clean = cleaned(text)
    table = f"struct pci_device_id t[] = {{ {clean} }};"
    for one in tables.tables(table, defined(clean)):
        assert all(len(ids) < 40 for ids in one.ids)


@given(st.text(alphabet="()0x1fF|~<&+- \tuUL", max_size=60))
def test_any_expression_is_a_number_of_32_bits_or_none(text):
    value = tables.number(text)
    assert value is None or 0 <= value < 1 << 32


@each(
    ("text", "value"),
    [
        ("0x10", 16), ("(~0)", 0xFFFFFFFF), ("(u16)7", 7), ("1 << 4 | 1", 17), ("010", 8),
        ("08", None),
        ("(0x01 << 16) | 0x0600UL", 0x10600), ("X", None), ("1 ** 9", None), ("", None),
        ("1" * 5000, None), ("1 << 99999999", 0),
    ],
)  # fmt: skip
def test_numbers(text, value):
    assert tables.number(text) == value


@each(
    ("text", "out"),
    [
        ("F(1, (2, 3))", "<1|(2, 3)>"),
        ("F (a,b) F", "<a|b> F"),
        ("P(X)", "PRE_X"),
        ("S(X Y)", '"X Y"'),
        ("V(1, 2, 3)", "{1 : 2,3}"),
        ("O", "o"),
        ('"O" O', '"O" o'),
    ],
)
def test_macros_are_written_out(text, out):
    macros = defined(
        cleaned(
            "#define F(a, b) <a|b>\n#define P(x) PRE_##x\n#define S(x) #x\n"
            "#define V(a, ...) {a : __VA_ARGS__}\n # define O o // O\n#define X wrong\n"
        )
    )
    assert written_out(text, macros) == out


def test_a_text_that_grows_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(cmacros, "LONGEST", 1000)
    macros = defined("".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(11)))
    with pytest.raises(TooLongError):
        written_out("A0", macros)
