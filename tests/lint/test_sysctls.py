"""Sysctls out of C source: names, types and ranges, and the catalogue that keeps them."""

from __future__ import annotations

from advisor.knowledge.sysctlcatalogue import SysctlCatalogue
from advisor.lint.csource.sysctls import _File, sysctls
from advisor.tree.files import find_tree

from ..cases import each

TABLE = """\
static int most = 7;
static const struct ctl_table gadget_table[] = {
	{
		.procname	= "speed",
		.data		= &speed,
		.maxlen		= sizeof(int),
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &most,
	},
	{ .procname = "name", .maxlen = 8, .proc_handler = proc_dostring, },
	{ .procname = "on", .proc_handler = proc_dobool },
	{ .procname = "own", .proc_handler = gadget_handler },
	{ .procname = "low", .proc_handler = proc_douintvec_minmax, .extra1 = SYSCTL_ONE },
	{ .procname = "folder", .mode = 0555 },
	{ }
};
"""
REGISTER = 'register_sysctl_init("dev/gadget", gadget_table);\n'
DEVICE = """\
static struct gadget_sysctl {
	struct ctl_table gadget_vars[4];
} gadget_sysctl = {
	.gadget_vars = {
		GADGET_ENTRY(SPEED, "speed"),
	},
};
	snprintf(path, sizeof(path), "net/gadget/conf/%s", name);
	t = register_net_sysctl_sz(net, path, t->gadget_vars, 1);
"""
COPY = """\
	table = kmemdup(gadget_table, sizeof(gadget_table), GFP_KERNEL);
	hdr = register_net_sysctl(net, "net/gadget", table);
"""


def found(text):
    return {one.name: one.traits for one in _File(text).sysctls()}


def test_type_and_range_of_each_entry():
    assert found(TABLE + REGISTER) == {
        "dev.gadget.speed": "i:0..7",
        "dev.gadget.name": "s",
        "dev.gadget.on": "b",
        "dev.gadget.own": "x",
        "dev.gadget.low": "u:1..",
    }


@each(
    ("text", "name"),
    [
        (DEVICE, "net.gadget.conf.*.speed"),
        (TABLE + COPY, "net.gadget.speed"),
        (TABLE + "DECLARE_SYSCTL_BASE(gadgets, gadget_table)\n", "gadgets.speed"),
        (
            TABLE + 'hdr = __register_sysctl_table(&ns->set, "gadget", gadget_table);',
            "gadget.speed",
        ),
    ],
)
def test_where_a_table_is_put(text, name):
    assert name in found(text)


def test_a_table_that_nothing_registers_is_left_out():
    assert found(TABLE) == {}


def test_a_table_that_another_file_registers(make_tree, tmp_path):
    maker = "struct ctl_table * __net_init make(struct net *net)\n{\n}\n"
    caller = 'table = make(net);\nregister_net_sysctl(net, "net/far", table);\nctl_table\n'
    files = {"Kconfig": "", "lib/a.c": TABLE + maker, "lib/b.c": caller}
    tree = find_tree(str(make_tree(tmp_path / "tree", files)))
    assert "net.far.speed" in {sysctl.name for sysctl in sysctls(tree)}


def test_a_table_of_a_kernels_own_test_is_left_out(make_tree, tmp_path):
    put = 'register_sysctl("example", gadget_table);\n'
    files = {
        "Kconfig": "",
        "lib/a.c": f"#include <kunit/test.h>\n{TABLE}{put}",
        "lib/b.c": f"{TABLE}{put.replace('example', 'gadget')}",
    }
    tree = find_tree(str(make_tree(tmp_path / "tree", files)))
    assert {sysctl.name.partition(".")[0] for sysctl in sysctls(tree)} == {"gadget"}


CATALOGUE = """\
kernel-advisor-catalogue 1
kernel 6.1.0 x86
kernel 6.12.0 x86
[sysctls]
net.conf.*.speed\ti:0..7 6.1.0..
vm.free\tx 6.1.0;i:0.. 6.12.0
vm.on\tb 6.12.0..
vm.two\tu:1.. 6.12.0..
"""


@each(
    ("name", "value", "why"),
    [
        ("net.conf.eth0.speed", "7", ""),
        ("net.conf.eth0.speed", "8", "takes 0 to 7"),
        ("net.conf.eth0.speed", "fast", "takes a number"),
        ("vm.free", "-1", ""),  # 6.1 may take it
        ("vm.on", "2", ""),  # as good as 1
        ("vm.on", "yes", "takes a number"),
        ("net.conf.eth0.speed", "0x7", ""),
        ("net.conf.eth0.speed", "0x8", "takes 0 to 7"),
        ("net.conf.eth0.speed", "010", "takes 0 to 7"),
        ("net.conf.eth0.speed", "08", "takes 0 to 7"),
        ("vm.two", "1,2", "takes a number"),
        ("vm.two", "1 0", "takes 1 or more"),
        ("vm.two", "1\t2", ""),
        ("vm.none", "1", ""),
    ],
)
def test_what_a_sysctl_takes(name, value, why):
    assert SysctlCatalogue(CATALOGUE).refuses(name, value) == why


def test_a_device_has_the_sysctl_of_all():
    catalogue = SysctlCatalogue(CATALOGUE)
    assert catalogue.seen("net.conf.eth0.speed").name == "net.conf.*.speed"
    assert catalogue.seen("net.other.eth0.speed") is None
    assert catalogue.near("vm.frees") == ["vm.free"]


@each(
    "name",
    [
        "kernel.numa_balancing", "vm.swappiness", "net.core.busy_poll", "net.ipv4.tcp_rmem",
        "net.ipv4.conf.all.rp_filter", "net.ipv6.route.max_size", "fs.file-max",
        "kernel.random.uuid", "kernel.sched_rt_runtime_us", "kernel.split_lock_mitigate",
    ],
)  # fmt: skip
def test_the_built_in_catalogue(name):
    assert SysctlCatalogue.load().seen(name)
    assert not SysctlCatalogue.load().seen("foo.bar")  # of kernel/sysctl-test.c in 6.12


HANDED = """\
static int own(struct ctl_table *table, int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	int ret = proc_dointvec_minmax(table, write, buffer, lenp, ppos);
	return ret;
}
int both(const struct ctl_table *table, int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	return write ? proc_dostring(table, 1) : proc_dointvec(table, 0);
}
int free(const struct ctl_table *table, int write)
{
	return proc_douintvec(table, write);
}
static struct ctl_table t[] = {
	{ .procname = "own", .proc_handler = own, .extra1 = SYSCTL_ZERO, .extra2 = SYSCTL_ONE },
	{ .procname = "both", .proc_handler = both, .extra1 = SYSCTL_ZERO, },
	{ .procname = "free", .proc_handler = free, .extra1 = SYSCTL_ZERO, },
#ifdef CONFIG_64BIT
	{ .procname = "long",
#else
	.procname = "short",
#endif
	.proc_handler = proc_dostring, },
};
register_sysctl_init("dev", t);
"""


def test_what_a_handler_of_its_own_hands_on_to():
    """Its range only where that looks at one; nothing where there are several."""
    assert found(HANDED) == {
        "dev.own": "i:0..1", "dev.both": "x", "dev.free": "u", "dev.long": "s", "dev.short": "s",
    }  # fmt: skip


def test_a_handler_of_another_file(make_tree, tmp_path):
    head, _, table = HANDED.partition("static struct ctl_table")
    files = {"Kconfig": "", "a.c": head.replace("static ", ""), "b.c": f"struct ctl_table{table}"}
    tree = find_tree(str(make_tree(tmp_path / "tree", files)))
    assert ("dev.own", "i:0..1") in {(one.name, one.traits) for one in sysctls(tree)}
