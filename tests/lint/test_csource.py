"""What counts as a parsed boot parameter, in small trees of our own."""

from __future__ import annotations

import os

import pytest

from advisor.lint.csource import source as kernelsource
from advisor.lint.csource.source import KernelSource
from advisor.tree.files import TreeFiles


@pytest.fixture
def source(tmp_path):
    """The parameters of a tree of these files."""

    def make(**files):
        for name, text in {"init/main.c": "", "kernel/x.c": "", **files}.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return KernelSource(TreeFiles(str(tmp_path / "tree")))

    return make


def found(source, name, arch="x86"):
    return [(one.macro, one.type, str(one.where)) for one in source.parsed(name, arch)]


@pytest.mark.parametrize(
    ("line", "name", "macro", "kind"),
    [
        ('__setup("nosmp=", nosmp);', "nosmp", "__setup", ""),
        ('__setup("nosmp", nosmp);', "nosmp", "__setup", "flag"),
        ('early_param("no-hlt", f);', "no_hlt", "early_param", "flag"),
        ('__setup_param("x=", x_early, x_setup, 1)', "x", "__setup_param", ""),
        (
            'early_param_on_off("a_on", "a_off", v, CONFIG_A);',
            "a_off",
            "early_param_on_off",
            "flag",
        ),
        ("core_param(panic, panic_timeout, int, 0644);", "panic", "core_param", "int"),
        ("core_param_cb(x, &ops, &x, 0644);", "one.x", "core_param_cb", ""),
        ("__core_param_cb(x, &ops, &x, 0644);", "x", "__core_param_cb", ""),
        ("core_param_unsafe(x, x, bool, 0644);", "x", "core_param_unsafe", "bool"),
        (
            "__module_param_call(MODULE_PARAM_PREFIX, x, &ops, &x, 0444, -1, 0);",
            "one.x",
            "__module_param_call",
            "",
        ),
        ("late_param_cb(x, &ops, &x, 0644);", "one.x", "late_param_cb", ""),
        (
            'cmdline_find_option(boot_command_line,\n "mem", arg, 4)',
            "mem",
            "cmdline_find_option",
            "",
        ),
        ('cmdline_find_option_bool(line, "pti")', "pti", "cmdline_find_option", "flag"),
        ("module_param(force, bool, 0444);", "one.force", "module_param", "bool"),
        ("module_param_named(a, v, uint, 0644);", "one.a", "module_param_named", "uint"),
        ("module_param_unsafe(a, charp, 0);", "one.a", "module_param_unsafe", "charp"),
        ("module_param_array(a, int, &n, 0);", "one.a", "module_param_array", "int"),
        ("module_param_string(a, s, sizeof(s), 0);", "one.a", "module_param_string", ""),
        ("module_param_cb(a, &ops, &a, 0644);", "one.a", "module_param_cb", ""),
        ("module_param_call(a, set, get, NULL, 0);", "one.a", "module_param_call", ""),
    ],
)
def test_every_macro(source, line, name, macro, kind):
    tree = source(**{"lib/one.c": f"int x;\n{line}\n"})
    assert found(tree, name) == [(macro, kind, "lib/one.c:2")]


@pytest.mark.parametrize(
    "line",
    [
        'my__setup("x=", f);',
        "devm_module_param(x, int, 0);",
        "/* early_param of x */",
        '"x="',
        '/* __setup("x=", f); */',
        '/*\n * __setup("x=", f);\n */',
        '// __setup("x=", f);',
        '#define F(a) __setup("x=", a)',
        "#define F(x) module_param(x, int, 0)",
    ],
)
def test_what_only_looks_alike(source, line):
    tree = source(**{"lib/one.c": line, "lib/x.c": ""})
    assert not found(tree, "x")
    assert not found(tree, "one.x")


def test_a_module_of_several_files_gives_its_name(source):
    tree = source(**{
        "drivers/a/Makefile": "obj-$(CONFIG_A)\t+= big-mod.o\nbig-mod-y := core.o \\\n\tsub/io.o\n"
        "big-mod-$(CONFIG_B) += more.o\nobj-y += alone.o\n",
        "drivers/a/core.c": "module_param(x, int, 0);",
        "drivers/a/sub/io.c": "module_param(y, int, 0);",
        "drivers/a/more.c": "module_param(z, int, 0);",
        "drivers/a/alone.c": "module_param(w, int, 0);",
    })  # fmt: skip
    for name in ("big_mod.x", "big_mod.y", "big_mod.z", "alone.w"):
        assert found(tree, name), name


@pytest.mark.parametrize(
    ("makefile", "name"),
    [
        ("big-y := main.o $(sub-y)\nsub-$(CONFIG_X) += a.o\n", "big.x"),
        ("big-y := main.o $(sub-y)\nsub-y := $(deep-y)\ndeep-y := a.o\n", "big.x"),
        ("obj-y += $(sub-y)\nsub-y := a.o\n", "a.x"),
        ("ifeq ($(X),y)\n  big-objs += a.o\nendif\n", "big.x"),
        ("FILES := main.o \\\n a.o\nFILES += b.o\nbig-y := $(FILES)\n", "big.x"),
        ("include $(src)/more/Makefile\n", "more.x"),
        ("include $(srctree)/$(src)/more/Makefile\n", "more.x"),
        ("A := $(B)$(B)$(B)\n" * 9 + "B := $(A)$(A)$(A)\n" * 9 + "big-y := a.o\n", "big.x"),
        ("include $(src)/Makefile\nbig-y := a.o\n", "big.x"),
    ],
)
def test_what_makefiles_list(source, makefile, name):
    tree = source(**{
        "drivers/d/Makefile": makefile,
        "drivers/d/more/Makefile": "more-y := a.o\n",
        "drivers/d/a.c": "module_param(x, int, 0);",
    })  # fmt: skip
    assert list(tree.common()) == [name]


def test_code_that_other_files_include(source):
    tree = source(**{
        "kernel/tree.c": '#define MODULE_PARAM_PREFIX "tree."\n#include "part.h"\n',
        "kernel/part.h": 'module_param(x, int, 0);\n__setup("once=", f);\n',
        "sound/Makefile": "obj-m := snd-one.o snd-two.o\nsnd-one-y := one.o\nsnd-two-y := two.o\n",
        "sound/one.c": '#include "all.c"\n',
        "sound/two.c": '#include "one.c"\n#include "./all.c"\n#include "../../out.c"\n',
        "sound/all.c": "module_param(y, int, 0);\n",
        "net/lonely.h": "module_param(z, int, 0);\n",
    })  # fmt: skip
    assert sorted(tree.common()) == ["once", "snd_one.y", "snd_two.y", "tree.x"]
    assert len(tree.common()["once"]) == 1
    assert found(tree, "tree.x") == [("module_param", "int", "kernel/part.h:1")]


def test_a_module_that_another_includes_is_its_own_too(source):
    tree = source(**{
        "sound/Makefile": "snd-sb16-y := sb16.o\nsnd-sbawe-y := sbawe.o\n",
        "sound/sb16.c": "module_param(port, int, 0);\n",
        "sound/sbawe.c": '#include "sb16.c"\n',
    })  # fmt: skip
    assert sorted(tree.common()) == ["snd_sb16.port", "snd_sbawe.port"]


def test_a_file_that_other_makefiles_include(source):
    tree = source(**{
        "virt/kvm/Makefile.kvm": "KVM ?= ../../../virt/kvm\nkvm-y := $(KVM)/kvm_main.o\n",
        "virt/kvm/kvm_main.c": "module_param(halt_poll_ns, uint, 0644);",
    })  # fmt: skip
    assert found(tree, "kvm.halt_poll_ns")


def test_a_prefix_of_its_own_counts_from_there_on(source):
    text = """\
module_param(early, int, 0);
#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "rcutree."
module_param(late, int, 0);
#define MODULE_PARAM_PREFIX KBUILD_MODNAME "."
module_param(last, int, 0);
"""
    tree = source(**{"kernel/rcu.c": text})
    assert found(tree, "rcu.early")
    assert found(tree, "rcutree.late")
    assert found(tree, "rcu.last")


def test_a_prefix_of_several_parts(source):
    text = (
        '#define NAME "big"\n#define MODULE_PARAM_PREFIX NAME "." "ger."\nmodule_param(x, int, 0);'
    )
    assert found(source(**{"lib/a.c": text}), "big.ger.x")


MACROS = """\
#define INT_PARM(n, v) static int n = v; module_param(n, int, 0)
#define NAMED(a, b, \\
              name) module_param_named(a ## _##name, b, uint, 0); \\
    MODULE_PARM_DESC(name, "a name")
#define BOTH(v) NAMED(low, v, one); NAMED(high, /* none, */ v, two)
#define TEXT(t) early_param(#t, f)
"""


@pytest.mark.parametrize(
    ("use", "names"),
    [
        ("INT_PARM(x, 4);", ["a.x"]),
        ("INT_PARM (x, max(3, 4));\nINT_PARM(y, ',');", ["a.x", "a.y"]),
        ("NAMED(get, v, it);", ["a.get_it"]),
        ("BOTH(v)", ["a.low_one", "a.high_two"]),
        ("TEXT(quiet);", ["quiet"]),
        ("/* INT_PARM(x, 4) */ MY_INT_PARM(x, 4) INT_PARM; INT_PARM(x", []),
    ],
)
@pytest.mark.parametrize("header", ["drivers/d/own.h", ""])
def test_macros_of_a_driver(source, use, names, header):
    text = f"{use}\n" if header else MACROS + f"{use}\n"
    tree = source(**{"drivers/d/a.c": text + 'char s[] = "_param";', header or "x.h": MACROS})
    assert sorted(tree.common()) == sorted(names)
    if names and header:
        assert tree.common()[names[-1]][0].where.path == "drivers/d/a.c"


def test_macros_of_headers(source):
    tree = source(**{
        "include/linux/torture.h": "#define torture_param(t, name) module_param(name, t, 0)\n",
        "kernel/a.c": '#define MODULE_PARAM_PREFIX "t."\ntorture_param(int, x);\n',
        "arch/arm/b.c": "torture_param(bool, y);\n",
        "include/linux/moduleparam.h": "#define module_param(name, t, p) core_param(name, t)\n",
        "drivers/d/own.h": "#define OWN(name) module_param(name, int, 0)\n",
        "drivers/e/a.c": "OWN(z); /* _param */\n",
    })  # fmt: skip
    assert list(tree.common()) == ["t.x"]
    assert found(tree, "t.x") == [("module_param", "int", "kernel/a.c:2")]
    assert list(tree.own("arm")) == ["b.y"]


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("arch/x86/a.c", 'p = strstr(boot_command_line, "nokaslr");', "nokaslr"),
        ("arch/x86/a.c", 'if (strstr(cmdline, "resume="))', "resume"),
        ("arch/x86/a.c", 'opt = prom_strstr(prom_cmd_line, "disable_radix");', "disable_radix"),
        ("arch/x86/boot/a.c", '/* cmdline, */ if (!strcmp(param, "prot_virt"))', "prot_virt"),
        ("drivers/firmware/efi/libstub/a.c", 'strstr(cmdline, "efi=");', "efi"),
    ],
)
def test_boot_code(source, path, line, name):
    tree = source(**{path: f"{line}\n"})
    assert [one.name for one in tree.parsed(name, "x86")] == [name]


@pytest.mark.parametrize(
    "line", ['strstr(name, "nokaslr");', 'strcmp(arg, "off");', 'strstr(cmdline, "a");']
)
def test_what_boot_code_compares_besides(source, line):
    tree = source(**{"arch/x86/a.c": f"/* cmdline, */ {line}\n", "lib/a.c": f"_param {line}\n"})
    assert tree.count("x86") == 0


def test_the_fields_of_arm64(source):
    text = """\
static const struct ftr_set_desc mmfr1 = {
	.name		= "id_aa64mmfr1",
	.fields		= {
		FIELD("vh", ID_AA64MMFR1_EL1_VH_SHIFT, mmfr1_vh_filter),
		{ "fa64", ID_AA64SMFR0_EL1_FA64_SHIFT, 1, },
		{}
	},
};
	{ "arm64.nobti",		"id_aa64pfr1.bt=0" },
"""
    tree = source(**{"arch/arm64/kernel/idreg-override.c": text})
    assert sorted(tree.own("arm64")) == ["arm64.nobti", "id_aa64mmfr1.fa64", "id_aa64mmfr1.vh"]


def test_the_table_of_arm64(source):
    text = (
        'static const struct { char a[9]; } aliases[] = {\n\t{ "nokaslr", "kaslr.disabled=1" },\n'
    )
    tree = source(**{"arch/arm64/kernel/idreg-override.c": text})
    assert found(tree, "nokaslr", "arm64") == [
        ("override", "", "arch/arm64/kernel/idreg-override.c:2")
    ]
    assert not found(tree, "nokaslr")


def test_other_architectures_and_folders_do_not_count(source):
    line = '__setup("x=", f);'
    tree = source(**{
        "arch/arm/a.c": line, "tools/a.c": line, "samples/a.c": line, "Documentation/a.c": line,
    })  # fmt: skip
    assert not found(tree, "x")
    assert tree.count("x86") == 0


def test_headers_count(source):
    assert found(source(**{"include/linux/a.h": '#define A early_param("a", f)'}), "a")


def test_links_are_not_followed(source, tmp_path):
    outside = tmp_path / "outside.c"
    outside.write_text('__setup("x=", f);')
    tree = source(**{"lib/a.c": ""})
    (tmp_path / "tree/lib/b.c").symlink_to(outside)
    (tmp_path / "tree/lib/c").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "tree/lib/d.c")
    assert not found(tree, "x")


def test_what_is_too_large_is_left_out(source, monkeypatch):
    monkeypatch.setattr(kernelsource, "LARGEST", 100)
    tree = source(**{"lib/a.c": '__setup("x=", f);' + " " * 100, "lib/b.c": '__setup("y=", f);'})
    assert not found(tree, "x")
    assert found(tree, "y")


def test_a_tree_of_kconfig_files_is_no_witness(tmp_path):
    (tmp_path / "kernel").mkdir()
    assert not KernelSource(TreeFiles(str(tmp_path))).present
