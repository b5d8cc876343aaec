"""`rules new` and `profiles new`, as somebody types them."""

from __future__ import annotations

import re

import pytest

KCONFIG = """\
config X86
	def_bool y

config PRINTK
	bool "printk"

menu "lib"
source "lib/Kconfig.debug"
endmenu
"""
DEBUG = """\
config PRINTK_CALLER
	bool "caller"
	depends on PRINTK=y && !X86

config LOG_CPU_MAX_BUF_SHIFT
	int "size"
	range 3 21
	depends on PRINTK
"""
SYSCTL = """\
static struct ctl_table table[] = {
	{
		.procname = "core_sort_vma",
		.maxlen = sizeof(int),
		.proc_handler = proc_dointvec_minmax,
	},
};
register_sysctl("kernel", table);
"""
PARAMETER = '__setup("bootmem_debug", f);\n'


@pytest.fixture
def tree(make_tree, tmp_path):
    files = {
        "Kconfig": KCONFIG,
        "lib/Kconfig.debug": DEBUG,
        "mm/coredump.c": SYSCTL,
        "init/main.c": PARAMETER,
        "kernel/a.c": "",
    }
    return make_tree(tmp_path / "tree", files)


def test_a_rule_and_a_profile_to_fill_in(run_inside, tmp_path):
    rules, profiles = tmp_path / "mine/rules", tmp_path / "mine/profiles"
    made = run_inside("rules", "new", "PRINTK_CALLER", "--rules", rules)
    assert (made.code, made.stdout) == (0, f"{rules}/printk-caller.toml\n")
    made = run_inside("profiles", "new", "render-farm", "--profiles", profiles)
    assert (made.code, made.stdout) == (0, f"{profiles}/render-farm.toml\n")
    told = run_inside("lint", tmp_path / "mine")
    assert told.code == 4
    summary = f"{rules}/printk-caller.toml:4: summary: write one sentence without an opinion: "
    assert summary in told.stderr
    assert len(told.stderr.splitlines()) == 12


@pytest.mark.parametrize(
    ("name", "path", "rows"),
    [
        (
            "PRINTK_CALLER",
            "debug/printk-caller.toml",
            ["kconfig lib/Kconfig.debug#PRINTK_CALLER@6.12", 'requires = "PRINTK = y && !X86"'],
        ),
        (
            "LOG_CPU_MAX_BUF_SHIFT",
            "debug/log-cpu-max-buf-shift.toml",
            ["# takes 3 to 21", 'requires = "PRINTK"', "SHIFT=21 -> 21"],
        ),
        (
            "kernel.core_sort_vma",
            "mm/kernel-core-sort-vma.toml",
            ["code mm/coredump.c#core_sort_vma@6.12", '= 1 -> on"'],
        ),
        (
            "bootmem_debug",
            "parameters/bootmem-debug.toml",
            ['type = "flag"', "code init/main.c#bootmem_debug"],
        ),
    ],
)
def test_a_tree_tells_source_area_and_dependencies(run_inside, tmp_path, tree, name, path, rows):
    made = run_inside("rules", "new", name, "--rules", tmp_path / "rules", "--tree", tree)
    assert (made.code, made.stdout) == (0, f"{tmp_path}/rules/{path}\n")
    text = (tmp_path / "rules" / path).read_text()
    for row in rows:
        assert row in text
    assert not re.search("TODO: (kconfig|code)", text)


def test_the_area_that_is_named_counts(run_inside, tmp_path, tree):
    given = ("--rules", tmp_path / "rules", "--tree", tree, "--area", "misc")
    made = run_inside("rules", "new", "PRINTK_CALLER", *given)
    assert made.stdout == f"{tmp_path}/rules/misc/printk-caller.toml\n"


@pytest.mark.parametrize("name", ["BLK_DEV_LOOP", "kernel.hung_task_all_cpu_backtrace", "quiet"])
def test_a_tree_without_the_name(run_inside, tmp_path, tree, name):
    made = run_inside("rules", "new", name, "--rules", tmp_path / "rules", "--tree", tree)
    assert made.code == 2
    assert not (tmp_path / "rules").exists()


def test_a_tree_and_an_area_are_for_a_new_rule(run_inside, tree):
    for given in (("--tree", tree), ("--area", "mm")):
        made = run_inside("rules", "show", "psi", *given)
        assert (made.code, made.stdout) == (2, "")
        assert "possible only with 'new' (kernel-advisor rules new NAME)" in made.stderr


def test_a_folder_of_the_place_where_one_stands(run_inside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_inside("rules", "new", "PRINTK_CALLER").stdout == "rules/printk-caller.toml\n"
    assert (tmp_path / "rules/printk-caller.toml").exists()


def test_new_needs_a_name(run_inside):
    made = run_inside("rules", "new")
    assert (made.code, made.stdout) == (2, "")
    assert "'new' needs a NAME (kernel-advisor rules new NAME)" in made.stderr


def test_the_folder_alone_says_where_it_goes(run_inside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in ("rules", "profiles"):
        made = run_inside(command, "new", "PRINTK_CALLER", "-o", "mine.toml")
        assert (made.code, made.stdout) == (2, "")
        assert f"--{command} FOLDER selects the folder" in made.stderr
    assert not [*tmp_path.iterdir()]


def test_a_folder_in_the_form_of_today(run_inside, own, edit):
    table = '[[source]]\nkind = "doc"\nref = "a"\n'
    edit(
        own / "rules/area/widget.toml", '[[value]]\nname = "on"', f'{table}\n[[value]]\nname = "on"'
    )
    done = run_inside("rules", "convert", own)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == f"{own}/rules/area/widget.toml: rewritten, 23 lines became 22\n"
    assert run_inside("rules", "convert", own).stdout == ""


def test_convert_needs_a_folder(run_inside, tmp_path):
    done = run_inside("rules", "convert")
    assert (done.code, done.stdout) == (2, "")
    assert "'convert' needs a DIR or FILE" in done.stderr
    done = run_inside("rules", "convert", tmp_path / "none")
    assert (done.code, done.stdout) == (4, "")
    assert "is no directory of rules or profiles" in done.stderr
