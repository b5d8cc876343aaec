"""Anchors: what counts as a thing's own line in C, Kconfig and documents."""

from __future__ import annotations

from advisor.lint.anchors import line_of, slug

from ..cases import each

CODE = """\
#define LIMIT 4
struct gadget {
	int size;
};
enum gear {
	GEAR_LOW,
	GEAR_HIGH = 3,
};

static int __init widget(char *str);
static bool use_widget __read_mostly = true;

static int __init widget(char *str)
{
	return strtobool(str, &use_widget);
}
early_param("widget", widget);
__setup("big-widget=", widget);
module_param_named(speed, gear, int, 0444);

static inline unsigned long
far_away(struct gadget *gadget,
	int size)
{
	if (widget(0))
		return other(size);
}

SYSCALL_DEFINE2(turn, int, a, int, b)
{
}
static const struct ctl_table table[] = {
	{
		.procname	= "turns",
	},
	{ "plain", 1 },
};
DEFINE_STATIC_KEY_FALSE(spins);
#ifdef CONFIG_X
int twice(void) { return 1; }
#else
int twice(void)
{
	return 2;
}
#endif
extern int declared;
"""


@each(
    ("anchor", "row"),
    [
        ("LIMIT", "#define LIMIT 4"),
        ("gadget", "struct gadget {"),
        ("gear", "enum gear {"),
        ("GEAR_HIGH", "\tGEAR_HIGH = 3,"),
        ("widget", "static int __init widget(char *str)"),
        ("widget:2", 'early_param("widget", widget);'),
        ("big_widget", '__setup("big-widget=", widget);'),
        ("big-widget", '__setup("big-widget=", widget);'),
        ("speed", "module_param_named(speed, gear, int, 0444);"),
        ("use_widget", "static bool use_widget __read_mostly = true;"),
        ("far_away", "far_away(struct gadget *gadget,"),
        ("turn", "SYSCALL_DEFINE2(turn, int, a, int, b)"),
        ("table", "static const struct ctl_table table[] = {"),
        ("turns", '\t\t.procname\t= "turns",'),
        ("plain", '\t{ "plain", 1 },'),
        ("spins", "DEFINE_STATIC_KEY_FALSE(spins);"),
        ("twice", "int twice(void) { return 1; }"),
        ("twice:2", "int twice(void)"),
        ("twice:3", None),
        ("other", None),  # is called
        ("declared", None),
        ("str", None),
        ("nothing", None),
    ],
)
def test_a_thing_in_c_stands_where_it_is_defined(anchor, row):
    line = line_of("lib/a.c", CODE, anchor)
    assert (CODE.split("\n")[line - 1] if line else None) == row


KCONFIG = (
    "config A\n\tbool\n\nmenuconfig B_B\n\tbool\n\nif A\n  config A\nendif\n\tdepends on B_B\n"
)


@each(("anchor", "line"), [("A", 1), ("A:2", 8), ("B_B", 4), ("B", None)])
def test_a_symbol_stands_at_its_config_line(anchor, line):
    assert line_of("kernel/Kconfig.hz", KCONFIG, anchor) == line


RST = (
    "=====\nTitle\n=====\n\nnuma_balancing\n--------------\n\nFar: a-way\n~~~~~~~~~~\nno heading\n"
)
ENTRIES = "\tnohz=\t\t[KNL] text\n\t\t\tnosmt: x\n\tnosmt\t\t[KNL]\n"
ABI = "What:\t\t/sys/kernel/a /sys/kernel/b\nDate:\t\tnow\n"


@each(
    ("path", "text", "anchor", "line"),
    [
        ("Documentation/a.rst", RST, "title", 2),
        ("Documentation/a.rst", RST, "numa_balancing", 5),
        ("Documentation/a.rst", RST, "far-a-way", 8),
        ("Documentation/a.rst", RST, "no-heading", None),
        ("Documentation/admin-guide/kernel-parameters.txt", ENTRIES, "nohz", 1),
        ("Documentation/admin-guide/kernel-parameters.txt", ENTRIES, "nosmt", 3),
        ("Documentation/ABI/testing/a", ABI, "/sys/kernel/b", 1),
        ("Documentation/ABI/testing/a", ABI, "/sys/kernel", None),
    ],
)
def test_a_part_of_a_document_stands_at_its_heading(path, text, anchor, line):
    assert line_of(path, text, anchor) == line


def test_a_heading_as_an_anchor():
    assert slug("  vm.dirty_bytes, and more: `this` ") == "vm.dirty_bytes-and-more-this"
