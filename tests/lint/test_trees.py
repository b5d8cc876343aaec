"""`lint --tree`: rules of our own against small trees of our own, as a maintainer runs it."""

from __future__ import annotations

import re
import shutil

import pytest

KCONFIG = """\
config X86
	def_bool y

config BASE
	bool "base"

config WIDGET
	bool "widget"
"""
PARAMETERS = """\
[[parameter]]
name = "gadget"
summary = "Chooses a gadget."
type = "enum"
words = ["fast", "slow"]
touches = []
sources = ["code lib/gadget.c@6.12"]
"""
GADGET = """\
static int __init gadget(char *str)
{
	return !strcmp(str, "fast") ? 1 : !strcmp(str, "slow");
}
__setup("gadget=", gadget);
"""
CHOICE = """\
choice
	prompt "widget"

config WIDGET
	bool "one"

config WIDGET_TWO
	bool "two"

endchoice
"""


@pytest.fixture
def tree(make_tree, tmp_path):
    """Writes the tree; files given replace its own."""

    def write(**files):
        return make_tree(tmp_path / "tree", {"Kconfig": KCONFIG, **files})

    return write


@pytest.fixture
def lint(run_inside, own, tree):
    """`lint --tree` of the own rules against the tree of these files."""

    def run(*more, **files):
        return run_inside("lint", own, "--tree", tree(**files), *more)

    return run


@pytest.fixture(autouse=True)
def _rules_alone(own):
    """What a profile makes of the rule is not the point."""
    shutil.rmtree(own / "profiles")


@pytest.fixture
def value(own, edit):
    """Writes further keys into the rule's value `on`, and what its example must show for it."""
    rule = own / "rules/area/widget.toml"

    def write(new, shown=""):
        edit(rule, 'set = { WIDGET = "y" }', new)
        edit(rule, "WIDGET=y -> on", f"WIDGET=y{shown} -> on")

    return write


@pytest.fixture
def exception(own):
    """Writes rules/exceptions.toml with one entry."""

    def write(check, more="", rule="tunable/widget"):
        head = f'[[exception]]\nrule = "{rule}"\ncheck = "{check}"\n{more}\n'
        (own / "rules/exceptions.toml").write_text(f'{head}reason = "it is right so"\n')

    return write


def contradictions(result, path="widget.toml"):
    """What is told after the rule's place; the command ends with 4 if there is any."""
    assert result.stderr == ""
    lines = [line for line in result.stdout.splitlines() if f"{path}:" in line]
    assert result.code == (4 if lines else 0), result.stdout
    return [re.split(rf"{re.escape(path)}:\d+: ", line)[-1] for line in lines]


def test_rules_that_hold(lint):
    result = lint()
    assert contradictions(result) == []
    assert result.stdout.splitlines()[-1].startswith("Linux 6.12.0, x86: ")
    assert result.stdout.endswith(
        "0 contradictions; boot parameters not checked: no C source in the tree\n"
    )


def test_a_symbol_that_no_kernel_has(lint):
    found = contradictions(lint(Kconfig=KCONFIG.replace("WIDGET", "OTHER")))
    assert found[0] == (
        "symbol: the rule names WIDGET; "
        "Linux 6.12.0 on x86: the tree has no symbol WIDGET, nor has any kernel read"
    )


def test_a_symbol_that_the_catalogue_knows_and_the_tree_lacks(lint, value):
    value('set = { WIDGET = "y", HIGH_RES_TIMERS = "n" }')
    assert contradictions(lint()) == [
        "symbol: according to the catalogue of symbols, HIGH_RES_TIMERS is in this kernel; "
        "Linux 6.12.0 on x86: the tree has no symbol HIGH_RES_TIMERS"
    ]


def test_a_value_of_the_wrong_type(lint, value):
    value('set = { WIDGET = "m" }')
    assert contradictions(lint()) == [
        "type: the rule sets WIDGET=m; Linux 6.12.0 on x86: WIDGET is of the type bool (Kconfig:7)"
    ]


def test_a_number_out_of_its_range(lint, value):
    value('set = { WIDGET = "y", SIZE = "9" }', " SIZE=9")
    size = 'config SIZE\n\tint "size"\n\trange 1 5\n\tdefault 2\n'
    found = contradictions(lint(Kconfig=KCONFIG + size))
    assert (
        "type: the rule sets SIZE=9; Linux 6.12.0 on x86: the range of SIZE is 1 5 (Kconfig:9)"
        in found
    )


def test_a_condition_that_asks_a_number_like_a_switch(lint, value):
    value('set = { WIDGET = "y" }\nwhen = "WIDGET && SIZE"', " SIZE=y")
    size = 'config SIZE\n\tint "size"\n\tdefault 2\n'
    assert contradictions(lint(Kconfig=KCONFIG + size)) == [
        "type: a condition asks whether SIZE; "
        "Linux 6.12.0 on x86: SIZE is of the type int (Kconfig:9)"
    ]


def test_a_condition_that_does_not_count_in_this_kernel(lint, value):
    value('set = { WIDGET = "y" }\nwhen = "WIDGET && (kernel >= 6.0 || SIZE)"')
    size = 'config SIZE\n\tint "size"\n\tdefault 2\n'
    assert contradictions(lint(Kconfig=KCONFIG + size)) == []


def test_a_symbol_without_a_prompt(lint):
    found = contradictions(lint(Kconfig=KCONFIG.replace('bool "widget"', "bool")))
    assert found[0] == (
        "prompt: the rule sets WIDGET=y; Linux 6.12.0 on x86: WIDGET has no prompt (Kconfig:7)"
    )


def test_a_choice_that_the_rule_does_not_name(lint):
    found = contradictions(lint(Kconfig=CHOICE))
    assert (
        "choice: the tunable sets WIDGET and names no choice; "
        "Linux 6.12.0 on x86: WIDGET is a member of the choice of WIDGET, WIDGET_TWO (Kconfig:4)"
        in found
    )


def test_a_choice_with_more_members(lint, own, edit):
    rule = own / "rules/area/widget.toml"
    edit(rule, 'kind = "switch"', 'kind = "choice"\nchoice = ["WIDGET", "WIDGET_TWO"]')
    edit(rule, 'set = { WIDGET = "n" }', 'set = { WIDGET_TWO = "y" }')
    edit(rule, "WIDGET=n", "WIDGET_TWO=y")
    assert contradictions(lint(Kconfig=CHOICE)) == []
    more = CHOICE.replace("endchoice", 'config WIDGET_THREE\n\tbool "three"\n\nendchoice')
    assert contradictions(lint(Kconfig=more)) == [
        "choice: the choice has WIDGET, WIDGET_TWO; "
        "Linux 6.12.0 on x86: the choice has WIDGET_THREE as well (Kconfig:10)"
    ]


def test_a_dependency_that_requires_does_not_name(lint, value):
    value('set = { WIDGET = "y" }\nrequires = "BASE"')
    more = 'config GATE\n\tbool "gate"\n\tdepends on BASE\n'
    depends = KCONFIG.replace('bool "widget"\n', 'bool "widget"\n\tdepends on GATE\n') + more
    assert contradictions(lint(Kconfig=depends)) == [
        "requires: WIDGET=y (with BASE=y) gives the value 'on'; "
        "Linux 6.12.0 on x86: WIDGET=y does not hold: "
        "WIDGET needs GATE (Kconfig:9) (from the defaults)"
    ]
    named = depends.replace("depends on GATE", "depends on BASE")
    assert contradictions(lint(Kconfig=named)) == []


def test_another_way_to_what_is_so_is_not_planned(lint, value):
    """A module that needs a module cannot be built in, and nobody who has it is asked to."""
    value('set = [{ WIDGET = "m" }, { WIDGET = "y" }]')
    modules = "config MODULES\n\tbool\n\tdefault y\n\tmodules\n"
    of_modules = KCONFIG.replace('bool "base"', 'tristate "base"\n\tdefault m')
    needy = 'tristate "widget"\n\tdepends on BASE\n\tdefault m'
    tree = modules + of_modules.replace('bool "widget"', needy)
    assert contradictions(lint(Kconfig=tree)) == []


def test_a_dependency_that_is_none(lint, value):
    value('set = { WIDGET = "y" }\nrequires = "arch = arm64"')
    assert contradictions(lint()) == [
        "blocked: the value 'on' is unavailable: needs arch=arm64; "
        "Linux 6.12.0 on x86: the tree takes WIDGET=y (from the defaults) (Kconfig:7)"
    ]


def test_a_defconfig_is_a_starting_point_too(lint, value):
    value('set = { WIDGET = "y" }\nrequires = "BASE"')
    depends = KCONFIG.replace('bool "widget"\n', 'bool "widget"\n\tdepends on BASE && !BAR\n')
    more = 'config BAR\n\tbool "bar"\n'
    files = {"Kconfig": depends + more, "arch/x86/configs/x86_64_defconfig": "CONFIG_BAR=y\n"}
    assert contradictions(lint(**files)) == [
        "requires: WIDGET=y (with BASE=y) gives the value 'on'; "
        "Linux 6.12.0 on x86: WIDGET=y does not hold: "
        "WIDGET needs !BAR (Kconfig:9) (from arch/x86/configs/x86_64_defconfig)"
    ]


def test_since_against_a_tree_that_has_it(lint, own, edit):
    edit(own / "rules/area/widget.toml", 'kind = "switch"', 'kind = "switch"\nsince = "6.13"')
    assert contradictions(lint()) == [
        "since: WIDGET exists since 6.13; Linux 6.12.0 on x86: the tree has WIDGET (Kconfig:7)"
    ]


@pytest.fixture
def gadget(own, lint):
    """`lint` with a parameter, against a tree with that source."""

    def run(source=GADGET, parameters=PARAMETERS):
        path = own / "rules/parameters/gadgets.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(parameters)
        files = {"init/main.c": "", "kernel/fork.c": "", "lib/gadget.c": source}
        return contradictions(lint(**files), "gadgets.toml")

    return run


def test_a_parameter_that_is_parsed(gadget):
    assert gadget() == []


def test_a_parameter_that_nothing_parses(gadget):
    assert gadget("") == [
        "parsed: gadget is parsed; Linux 6.12.0 on x86: the kernel parses no parameter gadget"
    ]


def test_a_parameter_that_should_be_gone(gadget):
    parameters = PARAMETERS.replace('type = "enum"', 'type = "enum"\nuntil = "6.10"')
    assert gadget(parameters=parameters) == [
        "parsed: gadget is not parsed; "
        "Linux 6.12.0 on x86: the kernel parses gadget (lib/gadget.c:5)"
    ]


def test_a_word_that_the_source_does_not_name(gadget):
    assert gadget(GADGET.replace('"slow"', '"lazy"')) == [
        "word: gadget=slow is accepted; "
        "Linux 6.12.0 on x86: the word 'slow' is not in lib/gadget.c (lib/gadget.c:5)"
    ]


def test_a_list_whose_last_word_begins_like_one_of_a_table(gadget):
    words = PARAMETERS.replace('["fast", "slow"]', '["fast,no_*"]')
    table = GADGET.replace("return", 'if (match(str, "no_sound")) return 2; return', 1)
    assert gadget(table, words) == []
    assert gadget(GADGET, words) == [
        "word: gadget=fast,no_* is accepted; "
        "Linux 6.12.0 on x86: the word 'fast,no_*' is not in lib/gadget.c (lib/gadget.c:5)"
    ]


def test_words_of_several_parts_and_beginnings(gadget):
    words = PARAMETERS.replace('["fast", "slow"]', '["fast,slow", "rate:*"]')
    assert (
        gadget(GADGET.replace("return", 'if (!strncmp(str, "rate:", 5)) return 2; return'), words)
        == []
    )


def test_a_parameter_of_another_type(gadget):
    parameters = PARAMETERS.replace('"gadget"', '"gadget.speed"').replace('"enum"', '"cpulist"')
    source = "module_param(speed, int, 0444);"
    assert gadget(source, parameters.replace('words = ["fast", "slow"]\n', "")) == [
        "parsed-type: gadget.speed is of the type cpulist; "
        "Linux 6.12.0 on x86: the kernel reads gadget.speed as int (lib/gadget.c:1)"
    ]


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ("gadget: no such speed", True),
        ("no such speed 'x'", True),
        ("no such", True),
        ("no speed", False),
    ],
)
def test_what_the_kernel_logs_when_it_refuses(gadget, refusal, told):
    source = GADGET.replace("return", 'pr_warn("no such"\n" speed \'%s\'", str); return')
    found = gadget(source, PARAMETERS.replace("words =", f'refusal = "{refusal}"\nwords ='))
    said = refusal.partition("'")[0]
    assert found == (
        []
        if told
        else [
            f"refusal: gadget is refused with '{said}'; "
            "Linux 6.12.0 on x86: this message is not in lib/gadget.c (lib/gadget.c:6)"
        ]
    )


@pytest.mark.parametrize(("size", "told"), [("2048", False), ("4096", True)])
def test_the_length_of_a_boot_line(own, lint, size, told):
    limits = (
        '[[fact]]\nabout = "boot-line"\nof = "x86"\nnames = ["2048"]\nonly_if = "arch = x86"\n'
        'sources = ["code arch/x86/include/asm/setup.h@6.12"]\n'
    )
    (own / "rules/commandline.toml").write_text(limits)
    header = {"arch/x86/include/asm/setup.h": f"#define COMMAND_LINE_SIZE\t{size}\n"}
    files = {"init/main.c": "", "kernel/fork.c": "", **header}
    expected = (
        "limit: a boot line has 2048 bytes on x86; Linux 6.12.0 on x86: COMMAND_LINE_SIZE is 4096 "
        "(arch/x86/include/asm/setup.h:1)"
    )
    assert contradictions(lint(**files), "commandline.toml") == ([expected] if told else [])


def test_a_difference_that_is_explained(lint, exception, value):
    value('set = { WIDGET = "m" }')
    exception("type", 'subject = "WIDGET"\nonly_if = "kernel >= 6.12 && arch = x86"')
    result = lint()
    assert contradictions(result) == []
    assert "0 contradictions (1 more explained)" in result.stdout


@pytest.mark.parametrize(
    "more", ['only_if = "kernel < 6.12"', 'subject = "OTHER"\nonly_if = "kernel < 6"']
)
def test_an_explanation_of_something_else(lint, exception, value, more):
    value('set = { WIDGET = "m" }')
    exception("type", more)
    assert len(contradictions(lint())) == 1


def test_an_explanation_that_is_not_needed(lint, exception):
    exception("type")
    result = lint()
    assert result.code == 4
    assert result.stdout.splitlines()[-1].endswith(
        "exceptions.toml:1: no tree contradicts tunable/widget (type): remove the exception"
    )


def test_an_explanation_that_another_architecture_may_need(lint, exception):
    exception("type")
    assert lint("--arch", "x86").code == 0


def test_an_explanation_of_parameters_waits_for_a_tree_with_sources(lint, exception):
    exception("word")
    assert lint().code == 0


def test_a_wrong_exception_is_reported_with_its_place(lint, exception):
    exception("wish")
    result = lint()
    assert result.code == 4
    assert "exceptions.toml:3: exception.0.check: 'wish' is not one of" in result.stderr


def test_architectures(lint):
    files = {"arch/arm64/Kconfig": "", "arch/riscv/Kconfig": ""}
    told = [line for line in lint(**files).stdout.splitlines() if line.startswith("Linux")]
    assert [line.split(":")[0] for line in told] == ["Linux 6.12.0, x86", "Linux 6.12.0, arm64"]
    told = lint("--arch", "riscv", **files).stdout.splitlines()[1:]
    assert [line.split(":")[0] for line in told] == ["Linux 6.12.0, riscv"]


def test_several_trees(run_inside, own, tree, tmp_path):
    first = tree()
    second = tmp_path / "second"
    first.rename(second)
    result = run_inside("lint", own, "--tree", second, "--tree", tree())
    assert result.stdout.count("Linux 6.12.0, x86") == 2


def test_what_cannot_be_checked(run_inside, own, tree, tmp_path):
    assert run_inside("lint", own, "--tree", tmp_path / "none").code == 5
    assert run_inside("lint", own, "--tree", tree(), "--arch", "arm64").code == 5
    assert run_inside("lint", own, "--tree", tree(), "--arch", "pdp11").code == 2
    assert run_inside("lint", own, "--arch", "x86").code == 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("kconfig init/Kconfig#WIDGET", None),
        (
            "kconfig init/Kconfig#WIDGTE",
            "the rule cites init/Kconfig#WIDGTE; Linux 6.12.0 on x86: ",
        ),
        (
            "kconfig init/Kconfg",
            "the rule cites init/Kconfg; Linux 6.12.0 on x86: the tree has no file",
        ),
        ("kconfig init/Kconfg@6.1", None),  # of another kernel
        ("code init/mian.c", None),  # a tree without C source is no witness
    ],
)
def test_a_source_that_is_not_in_the_tree(lint, own, edit, source, message):
    rule = own / "rules/area/widget.toml"
    edit(rule, '"kconfig init/Kconfig@6.12"', f'"{source}"')
    result = lint(**{"init/Kconfig": KCONFIG})
    found = [line for line in result.stdout.splitlines() if "widget.toml:" in line]
    assert result.code == (4 if message else 0), result.stdout
    assert bool(found) == bool(message)
    if message:
        assert f"widget.toml:7: source: {message}" in found[0]


@pytest.mark.parametrize(("files", "code"), [({}, 0), ({"MAINTAINERS": ""}, 4)])
def test_a_file_that_only_a_whole_tree_would_have(lint, own, edit, files, code):
    sources = "sources = ["
    edit(own / "rules/area/widget.toml", sources, f'{sources}"code init/mian.c@6.12", ')
    result = lint(**{"init/Kconfig": KCONFIG, "init/main.c": "", "kernel/a.c": "", **files})
    assert result.code == code, result.stdout
    assert ("the rule cites init/mian.c" in result.stdout) == (code == 4)


@pytest.mark.parametrize(
    ("requires", "complete", "told"),
    [
        # All of it, and nothing more.
        ("BASE && X86", "6.12", []),
        # Without a line the tree asks for more than the rule says.
        ("X86", "6.12", ["offered: the value 'on' requires all that WIDGET needs"]),
        # Only from that release on.
        ("X86", "6.13", []),
    ],
)
def test_what_is_said_to_be_complete_is(lint, value, requires, complete, told):
    value(
        f'set = {{ WIDGET = "y" }}\nrequires = "{requires}"\ncomplete = "{complete}"',
        " BASE=y",
    )
    needy = KCONFIG.replace('bool "widget"', 'bool "widget"\n\tdepends on BASE && X86')
    found = contradictions(lint("--arch", "x86", Kconfig=needy))
    assert [one.partition(";")[0] for one in found if one.startswith("offered")] == told


def test_nothing_is_offered_where_the_setting_does_not_exist(lint, value, own, edit):
    value('set = { WIDGET = "y" }\nrequires = "X86"\ncomplete = "6.12"')
    edit(
        own / "rules/area/widget.toml",
        'kind = "switch"',
        'kind = "switch"\nonly_if = "arch != x86"',
    )
    needy = KCONFIG.replace('bool "widget"', 'bool "widget"\n\tdepends on BASE && X86')
    found = contradictions(lint("--arch", "x86", Kconfig=needy))
    assert [one for one in found if one.startswith("offered")] == []


DEFAULT = """\
id = "gauge"
title = "Gauge"
kind = "number"
summary = "How far the gauge goes."
sysctl = "vm.swappiness"
default = "5"
sources = ["code lib/gadget.c"]
examples = ["6.14 | WIDGET=n -> 5", "WIDGET=y | vm.swappiness = 7 -> 7"]
"""
OLDER = DEFAULT.replace('"5"', '{ "3" = "kernel < 6.13", "5" = "" }', 1)
GAUGE = """\
int gauge = 5;
static struct ctl_table gauges[] = {
	{ .procname = "swappiness", .data = &gauge, .proc_handler = proc_dointvec },
};
	register_sysctl("vm", gauges);
"""
LEFT_OPEN = OLDER.replace("kernel < 6.13", "WIDGET")


@pytest.mark.parametrize(
    ("rule", "source", "told"),
    [
        (DEFAULT, GAUGE, ""),
        (DEFAULT, GAUGE.replace("5", "6"), "5; Linux 6.12.0 on x86: vm.swappiness starts as 6"),
        (OLDER, GAUGE, "3; Linux 6.12.0 on x86: vm.swappiness starts as 5"),
        (OLDER, GAUGE.replace("5", "3"), ""),
        # A default of which the tree does not decide whether it counts may be either.
        (LEFT_OPEN, GAUGE, ""),
        (DEFAULT.replace('= "5"', '= "none"').replace("-> 5", "-> none"), GAUGE, None),
    ],
)
def test_a_default_that_stands_in_c(own, lint, rule, source, told):
    (own / "rules/area/gauge.toml").write_text(rule)
    files = {"init/main.c": "", "kernel/x.c": "", "lib/gadget.c": source}
    result = lint(**files)
    lines = [f"initial: the default is {told} (lib/gadget.c:1)"] if told else []
    assert contradictions(result, "gauge.toml") == lines
    assert ("; 1 defaults not read in C\n" in result.stdout) is (told is None)


SWITCH = """\
id = "gauge"
title = "Gauge"
kind = "switch"
summary = "Whether the gauge is read."
default = "on"
sources = ["code lib/gadget.c"]
examples = ["6.12 | WIDGET=y | quiet -> on", "WIDGET=y | gadget.gauge=0 -> off"]

[[value]]
name = "on"

[[value]]
name = "off"
reads = [["gadget.gauge=0"]]
"""
GAUGES = """\
[[parameter]]
name = "gadget.gauge"
summary = "Reads the gauge."
type = "bool"
touches = ["gauge"]
sources = ["code lib/gadget.c"]
"""


@pytest.mark.parametrize(
    ("definition", "told"),
    [
        ("bool gauge = true;", ""),
        ("bool gauge;", "on; Linux 6.12.0 on x86: gadget.gauge starts as 0"),
    ],
)
def test_a_default_of_which_no_word_is_known(own, lint, definition, told):
    (own / "rules/area/gauge.toml").write_text(SWITCH)
    (own / "rules/parameters").mkdir()
    (own / "rules/parameters/gadgets.toml").write_text(GAUGES)
    source = f"{definition}\nmodule_param(gauge, bool, 0444);\n"
    result = lint(**{"init/main.c": "", "kernel/x.c": "", "lib/gadget.c": source})
    lines = [f"initial: the default is {told} (lib/gadget.c:1)"] if told else []
    assert contradictions(result, "gauge.toml") == lines
