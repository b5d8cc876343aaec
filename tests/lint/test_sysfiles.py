"""Files below /sys: described by trees, shown by running kernels, and looked up by rules."""

from __future__ import annotations

import zlib

import pytest

from advisor.errors import InputError, KnowledgeError
from advisor.knowledge.sysfs import Sysfs, pattern
from advisor.lint.csource import attributes
from advisor.lint.learn import learn
from advisor.lint.sysfiles import add_listing

from ..cases import each

ABI = """\
What:		/sys/kernel/mm/gadget/speed
		/sys/class/gadget/<name>/limit[0-9]
Date:		today
What:		/proc/gadget
Description:	writes to /sys/other
"""
LISTING = """\
Linux 6.12.9-cloud
/sys/kernel/debug/gadget/base_ns
/sys/devices/system/gadget/gadget12/on
/sys/devices/pci0000:00/0000:00:01.0/class
/sys/module/gadget/sections/.text
END
"""


@each(
    ("path", "plain"),
    [
        ("/sys/block/DEVICE/queue/scheduler", "/sys/block/*/queue/scheduler"),
        ("/sys/devices/system/cpu/cpuX/online", "/sys/devices/system/cpu/cpu*/online"),
        ("/sys/devices/system/cpu/cpu#/cpufreq", "/sys/devices/system/cpu/cpu*/cpufreq"),
        ("/sys/class/net/<iface>/queues/rx-12/rps_cpus", "/sys/class/net/*/queues/rx-*/rps_cpus"),
        ("/sys/kernel/mm/ksm/run", "/sys/kernel/mm/ksm/run"),
    ],
)
def test_what_is_numbered_or_named_is_a_star(path, plain):
    assert pattern(path) == plain


def test_a_listing_of_a_running_kernel():
    table = Sysfs(Sysfs.magic)
    add_listing(LISTING, "listing", table)
    assert table.patterns == {
        "/sys/kernel/debug/gadget/base_ns",
        "/sys/devices/system/gadget/gadget*/on",
    }
    assert Sysfs(table.text()).patterns == table.patterns
    assert table.has("/sys/devices/system/gadget/gadget3/on")
    assert not table.has("/sys/devices/system/gadget/gadget3/of")


@each("text", ["", "/sys/a\n", "Linux here\n"])
def test_what_is_no_listing(text):
    with pytest.raises(InputError, match="does not begin with a kernel's version"):
        add_listing(text, "listing", Sysfs(Sysfs.magic))


def test_a_table_of_another_version():
    with pytest.raises(KnowledgeError, match="makes the file again"):
        Sysfs("another\n", "sysfs.gz")


def test_trees_and_listings_are_learnt_together(make_tree, tmp_path):
    files = {"Kconfig": "", "Documentation/ABI/testing/gadget": ABI}
    files |= {"init/main.c": "", "kernel/gadget.c": KOBJECT}
    tree = make_tree(tmp_path / "tree", files)
    listing = tmp_path / "listing"
    listing.write_text(LISTING)
    told = learn([str(tree), str(listing)], str(tmp_path / "catalogue.gz"), str)
    assert "5 files of /sys, " in told
    text = zlib.decompress((tmp_path / "sysfs.gz").read_bytes(), wbits=31).decode()
    assert text.split("\n")[:-1] == [
        "kernel-advisor-sysfs 1",
        "read 6.12.0 C",
        "read 6.12.0 Documentation/ABI",
        "read 6.12.9-cloud /sys",
        "/sys/class/gadget/*/limit*",
        "/sys/devices/system/gadget/gadget*/on",
        "/sys/kernel/debug/gadget/base_ns",
        "/sys/kernel/mm/gadget/speed",
        "/sys/kernel/mm/gadget/way",
    ]


NET = """\
#define NETDEVICE_SHOW_RW(field, format_string) \\
static DEVICE_ATTR_RW(field)
NETDEVICE_SHOW_RW(flush, fmt_ulong);
static DEVICE_ATTR_RO(carrier);
static DEVICE_ATTR(alias, 0644, alias_show, alias_store);
static const struct class net_class = {
	.name = "gadget",
};
"""
KOBJECT = """\
static struct kobj_attribute speed_attr = __ATTR_RW(speed);
static struct kobj_attribute way_attr =
	__ATTR(way, 0644, way_show, way_store);
	kobj = kobject_create_and_add("gadget", mm_kobj);
"""


@each(
    ("text", "paths"),
    [
        (NET, ["class/gadget/*/flush", "class/gadget/*/carrier", "class/gadget/*/alias"]),
        (KOBJECT, ["kernel/mm/gadget/speed", "kernel/mm/gadget/way"]),
        ('QUEUE_RW_ENTRY(queue_ra, "read_ahead_kb");', ["block/*/queue/read_ahead_kb"]),
        # Whose folder the file does not tell.
        ("static DEVICE_ATTR_RO(alone);", []),
        (KOBJECT.replace("mm_kobj", "parent"), []),
    ],
)
def test_the_files_that_c_source_makes(text, paths):
    assert [*attributes.paths(text)] == [f"/sys/{path}" for path in paths]


@each(
    ("path", "there"),
    [
        ("/sys/kernel/mm/lru_gen/enabled", True),
        ("/sys/kernel/mm/lru_gn/enabled", False),
        ("/sys/kernel/debug/sched/preempt", True),
        ("/sys/kernel/debug/sched/premept", False),
        ("/sys/block/DEVICE/queue/wbt_lat_usec", True),
        ("/sys/block/DEVICE/queue/wbt_lat_sec", False),
        ("/sys/devices/system/cpu/smt/control", True),
        ("/sys/class/net/eth0/gro_flush_timeout", True),  # which no document names
    ],
)
def test_the_built_in_table(path, there):
    assert Sysfs.load().has(path) is there
