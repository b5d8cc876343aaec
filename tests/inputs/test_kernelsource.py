"""What counts as a parsed boot parameter, in small trees of our own."""

from __future__ import annotations

import os

import pytest

from advisor.inputs import kernelsource
from advisor.inputs.kernelsource import KernelSource
from advisor.inputs.treefiles import TreeFiles


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
        ("core_param_cb(x, &ops, &x, 0644);", "x", "core_param_cb", ""),
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
    ['my__setup("x=", f);', "devm_module_param(x, int, 0);", "/* early_param of x */", '"x="'],
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
