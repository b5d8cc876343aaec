"""What variables of boot parameters and sysctls start as, in small trees of our own."""

from __future__ import annotations

import pytest

from advisor.lint.csource.initial import Initials
from advisor.lint.csource.source import KernelSource
from advisor.lint.csource.sysctls import sysctls
from advisor.tree.files import TreeFiles

from ..cases import each

HEADER = "#define FAR (1UL << 4)\n#define TWICE 1\n#define TWICE 2\n"
NAMESPACE = "net->ipv4.gadget_reuse = 2;\n"
STRUCTURE = "struct hot hot = {\n\t.gadget_budget = 300,\n};\n"
HANDLER = """\
static int mode = MODE_SAFE;
static int __init gadget(char *str)
{
	if (!strcmp(str, "fast"))
		mode = MODE_FAST;
	else if (!strcmp(str, "safe"))
		mode = MODE_SAFE;
	return 1;
}
early_param("gadget", gadget);
"""
NUMBER = """\
static unsigned int wait __read_mostly = 5;
static int __init gadget(char *str)
{
	return kstrtouint(str, 0, &wait);
}
__setup("gadget=", gadget);
"""


@pytest.fixture
def tree(tmp_path):
    """Writes the files of a tree."""

    def make(files):
        for name, text in {"init/main.c": "", "kernel/x.c": "", **files}.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return TreeFiles(str(tmp_path / "tree"))

    return make


@pytest.fixture
def parameter(tree):
    """What the parameter gadget.speed, or gadget, starts as."""

    def starts(text, name="gadget.speed"):
        files = {"lib/gadget.c": text, "lib/far.h": HEADER, "lib/cited.c": "int far = 9;\n"}
        initials = Initials(KernelSource(tree(files)))
        return [one.value for one in initials.of_parameter(name, "x86", ["lib/cited.c"])]

    return starts


@each(
    ("definition", "values"),
    [
        ("static int speed = 30;", ["30"]),
        ("unsigned int speed __read_mostly = 0x10U;", ["16"]),
        ("static bool __ro_after_init speed = true;", ["1"]),
        ("static int speed;", ["0"]),
        ("static int speed = /* of old */ 2 * (3 + 1);", ["8"]),
        ("static int speed = -1;", ["-1"]),
        ('#include "far.h"\nstatic int speed = FAR;', ["16"]),
        ("#define NEAR 3\nstatic long speed = NEAR << 10;", ["3072"]),
        ("#ifdef A\nint speed = 1;\n#else\nint speed = 2;\n#endif", ["1", "2"]),
        # What cannot be read, or is not fixed in C.
        ('#include "far.h"\nstatic int speed = TWICE;', []),
        ("static int speed = CONFIG_SPEED;", []),
        ("static bool speed = IS_ENABLED(CONFIG_SPEED);", []),
        ("static int speed = 1 << 65;", []),
        ("static int speed = 1 / 0;", []),
        ("static int speed[2] = { 1, 2 };", []),
        ("extern int speed;", []),
        ("static int speed;\nvoid f(void)\n{\n\tspeed = cpus;\n}", []),
    ],
)
def test_a_variable_of_a_parameter(parameter, definition, values):
    assert parameter(f"{definition}\nmodule_param(speed, int, 0644);\n") == values


@each(
    ("text", "name", "values"),
    [
        ("int s = 7;\nmodule_param_named(speed, s, int, 0);", "gadget.speed", ["7"]),
        ("int s = 7;\nmodule_param_cb(speed, &ops, &s, 0);", "gadget.speed", ["7"]),
        ("module_param_named(speed, far, int, 0);", "gadget.speed", ["9"]),
        ("bool no = 1;\nmodule_param_named(speed, no, invbool, 0);", "gadget.speed", ["0"]),
        ('char *s = "lzo";\nmodule_param_named(speed, s, charp, 0);', "gadget.speed", ["lzo"]),
        ("int s = 7;\ncore_param(gadget, s, int, 0644);", "gadget", ["7"]),
        (HANDLER, "gadget", ["safe"]),
        (HANDLER.replace("mode = MODE_SAFE;\nstatic", "mode = other();\nstatic"), "gadget", []),
        (NUMBER, "gadget", ["5"]),
    ],
)
def test_what_a_macro_or_function_names(parameter, text, name, values):
    assert parameter(text, name) == values


@each(
    ("data", "handler", "values"),
    [
        ("&gadget_speed", "proc_dointvec", ["4"]),
        ("&gadget_far", "proc_dointvec", ["9"]),
        ("&init_net.ipv4.gadget_reuse", "proc_dou8vec_minmax", ["2"]),
        ("&hot.gadget_budget", "proc_dointvec", ["300"]),
        # Shown in another unit, or made at run time.
        ("&gadget_speed", "proc_dointvec_jiffies", []),
        ("NULL", "proc_dointvec", []),
    ],
)
def test_a_variable_of_a_sysctl(tree, data, handler, values):
    entry = f'{{ .procname = "speed", .data = {data}, .proc_handler = {handler} }},'
    table = f"static struct ctl_table gadgets[] = {{\n\t{entry}\n}};\n"
    files = tree({
        "lib/gadget.c": f'int gadget_speed = 4;\n{table}register_sysctl("dev", gadgets);\n',
        "lib/hot.c": STRUCTURE + NAMESPACE,
        "mm/far.c": "int gadget_far = 9;\n",
    })  # fmt: skip
    (sysctl,) = sysctls(files)
    initials = Initials(KernelSource(files)).of_sysctl(sysctl, ["mm/far.c", "mm/gone.c"])
    assert [one.value for one in initials] == values
