"""The table of options: who takes what, and why not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from advisor.cli.app import COMMANDS, described
from advisor.cli.groups import GROUPS
from advisor.cli.options import Request

from ..cases import each

CLI = Path(__file__).parents[2] / "advisor" / "cli"
# The groups whose options are for every command that can make sense of them.
COMMON = ("subject", "machine", "knowledge", "tree", "output", "policy")
JUDGES = "judges nothing: it says what names mean"
HAS_NO_CONFIGURATION = "has no configuration to judge"
ONE_FORM = "what it writes has one form"
TREE_TELLS = "the tree tells its version"
EXIT_CODE = "no finding makes its exit code 1"
NO_PLAN = "makes no plan"
COMPLETES = "the configuration that the tree is evaluated for is its CONFIG"
SETTINGS = "reads no settings: they are for what is judged"
OLD_TOO = "plans against what was there before as well"
NOT_WRITTEN = "proves a fragment, and writes none"
FOLDS_EFFECTS = "lists no side effects of a plan"
ONE_FILE = "has one CONFIG"
NOT_A_HOST = "is about files that are written, not about a machine that runs"
SUBJECT = ("configs", "cmdline", "sysctl", "runtime", "kernel")
MACHINE = ("cpus", "isolate", "nodes", "memory", "shared_memory", "vendor", "guest",
           "hypervisor", "efi", "this_machine")  # fmt: skip
POLICY = ("strength", "keep", "fail_on", "baseline", "settings", "no_settings")
OF_NAMES = {
    **dict.fromkeys((*SUBJECT, "profile", "prefer", "require"), JUDGES),
    **dict.fromkeys(("whole", "merge", "hosts"), JUDGES),
    **dict.fromkeys(MACHINE, JUDGES),
    **dict.fromkeys(
        ("no_cache", "allow", "prove", "format", "write", "verbose", "all"), "prints one page"
    ),
    **dict.fromkeys(POLICY, SETTINGS),
}
# Why a command does not take an option; the rest it takes.
WHY_NOT = {
    "audit": {"on": COMPLETES, "prove": NOT_WRITTEN, "all": "--verbose lists them"},
    "baseline": {
        "on": COMPLETES, "prove": NOT_WRITTEN, "all": FOLDS_EFFECTS, "strength": NO_PLAN,
        "fail_on": EXIT_CODE, "baseline": "it writes one: what an older one knows is in it too",
        **dict.fromkeys(("format", "write", "verbose"), ONE_FORM),
    },
    "review": {
        "configs": "finds them itself", "merge": "judges each by itself", "hosts": NOT_A_HOST,
        "on": COMPLETES, "prove": NOT_WRITTEN, "all": FOLDS_EFFECTS, "strength": NO_PLAN,
    },
    "can": {
        "configs": "has it behind the names of programs", "merge": "looks at one by itself",
        **dict.fromkeys(("profile", "profiles", "prefer"), "what a program needs is so for all"),
        "require": "has names of programs", "on": COMPLETES, "prove": NOT_WRITTEN,
        **dict.fromkeys([name for name in POLICY if name != "fail_on"], SETTINGS),
    },
    "costs": {
        "merge": "looks at each by itself", "verbose": "folds nothing",
        **dict.fromkeys(
            ("profile", "profiles", "prefer", "require"), "what was counted is so for all"
        ),
        **dict.fromkeys([option.name for option in GROUPS["tree"]], "no tree was measured"),
        **dict.fromkeys(POLICY, SETTINGS), "all": FOLDS_EFFECTS,
    },
    "fragment": {
        "hosts": NOT_A_HOST, "on": COMPLETES, "fail_on": EXIT_CODE, "baseline": OLD_TOO,
        "verbose": "--all lists what it folds",
        **dict.fromkeys(("format", "write"), ONE_FORM),
    },
    "cmdline": {
        "hosts": NOT_A_HOST, "on": COMPLETES, "prove": NOT_WRITTEN, "all": FOLDS_EFFECTS,
        "keep": "sets no symbol", "fail_on": EXIT_CODE, "baseline": OLD_TOO,
        "verbose": "folds nothing",
    },
    "plan": {
        "on": COMPLETES, "prove": NOT_WRITTEN, "all": FOLDS_EFFECTS, "fail_on": EXIT_CODE,
        "baseline": OLD_TOO,
    },
    "like": {
        "configs": "has it behind the tuning", "merge": "looks at one by itself",
        **dict.fromkeys(("prefer", "require"), "judges each profile by itself"),
        "on": COMPLETES, "prove": NOT_WRITTEN, "all": FOLDS_EFFECTS, "strength": NO_PLAN,
        "keep": NO_PLAN, "fail_on": "fails for what is against a must",
        "baseline": "knows no findings",
    },
    "verify": {
        **dict.fromkeys(SUBJECT, "looks at a host"),
        **dict.fromkeys(("whole", "merge"), "looks at a host"),
        **dict.fromkeys(
            ("profile", "profiles", "prefer", "rules", "require"), "the plan has all of it"
        ),
        **dict.fromkeys((*MACHINE, "arch"), "a host tells its own facts"),
        **dict.fromkeys([option.name for option in GROUPS["tree"]], "asks no tree"),
        **dict.fromkeys(POLICY, "judges what a plan asks for"), "all": FOLDS_EFFECTS,
    },
    "diff": {
        "configs": "has OLD and NEW", "merge": "has --base", "hosts": NOT_A_HOST,
        "prefer": "judges each profile by itself",
        "on": COMPLETES, "prove": NOT_WRITTEN, "all": FOLDS_EFFECTS, "strength": NO_PLAN,
        "keep": NO_PLAN,
    },
    "upgrade": {
        "kernel": TREE_TELLS, "merge": ONE_FILE, "hosts": NOT_A_HOST,
        "prefer": "judges each profile by itself", "on": COMPLETES,
        "all": FOLDS_EFFECTS, "strength": NO_PLAN, "keep": NO_PLAN,
    },
    "check": {
        "configs": "has FRAGMENT and --on", "merge": ONE_FILE, "hosts": NOT_A_HOST,
        "kernel": TREE_TELLS,
        **dict.fromkeys(("cmdline", "sysctl", "runtime"), "looks at lines of a fragment"),
        **dict.fromkeys(("profile", "profiles", "prefer", "require"), "needs no profile"),
        **dict.fromkeys(MACHINE, "of the machine only --arch decides what Kconfig does"),
        "no_cache": "keeps no answers", "all": "lists all of them with --verbose",
        **dict.fromkeys(POLICY, SETTINGS),
    },
    "machine": {
        **dict.fromkeys(SUBJECT, "shows hosts"), **dict.fromkeys(("whole", "merge"), "shows hosts"),
        **dict.fromkeys(("profile", "prefer", "require"), "shows what fits; audit takes others"),
        **dict.fromkeys((*MACHINE, "arch"), "a host tells its own facts"),
        **dict.fromkeys(
            ("tree", "on", "run_toolchain", "allow_root", "allow", "no_cache", "prove"),
            "is quick: audit asks trees",
        ),
        **dict.fromkeys(("verbose", "all"), "is one screen"),
        **dict.fromkeys(POLICY, "is the same wherever it is asked"),
    },
    "collect": {
        **dict.fromkeys(SUBJECT, "takes hosts"), **dict.fromkeys(("whole", "merge"), "takes hosts"),
        **dict.fromkeys(("profile", "prefer", "require"), "takes what any profile asks for"),
        **dict.fromkeys((*MACHINE, "arch"), "a host tells its own facts"),
        **dict.fromkeys(
            ("tree", "on", "run_toolchain", "allow_root", "allow", "no_cache", "prove"),
            "asks no tree",
        ),
        **dict.fromkeys(("format", "write", "verbose", "all"), ONE_FORM),
        **dict.fromkeys(POLICY, "judges nothing"),
    },
    "explain": {
        **{
            name: why
            for name, why in OF_NAMES.items()
            if name not in (*SUBJECT, *MACHINE, "hosts", "whole", "settings")
        },
        "configs": "has it behind the name", "merge": "looks at one by itself",
    },
    "profiles": {
        **OF_NAMES,
        **dict.fromkeys(
            ("tree", "on", "run_toolchain", "allow_root", "allow", "arch"), "asks no tree"
        ),
    },
    "rules lint": {
        **dict.fromkeys(SUBJECT, HAS_NO_CONFIGURATION),
        **dict.fromkeys(("whole", "merge", "hosts"), HAS_NO_CONFIGURATION),
        **dict.fromkeys((*MACHINE, *POLICY), HAS_NO_CONFIGURATION),
        **dict.fromkeys(("profile", "rules", "profiles", "prefer", "require"), "DIR are the rules"),
        **dict.fromkeys(("tree", "arch"), "its own may be repeated"),
        **dict.fromkeys(
            ("on", "run_toolchain", "allow_root", "allow", "no_cache", "prove"),
            "reads facts of a tree only",
        ),
        **dict.fromkeys(("format", "write", "verbose", "all"), ONE_FORM),
    },
}  # fmt: skip
WHY_NOT["rules"] = {
    **OF_NAMES, "profiles": "shows no profile",
    **dict.fromkeys(("on", "run_toolchain", "allow"), "reads facts of a tree only"),
}  # fmt: skip
WHY_NOT["policy"] = {
    **{name: why for name, why in OF_NAMES.items() if name != "settings"},
    **dict.fromkeys(("tree", "on", "run_toolchain", "allow_root", "allow"), "asks no tree"),
    "profiles": "shows no profile",
}
ALL = [option for name in COMMON for option in GROUPS[name]]


def taken(command):
    """The names in a request of what a command takes."""
    return {one.name for one in described([command]).commands[command].params} - {"help_all"}


@each("command", WHY_NOT)
def test_a_command_takes_an_option_or_says_why_not(command):
    common = {option.name for option in ALL}
    if command == "rules lint":  # its own options --tree and --arch are of another group
        assert {"trees", "arches"} <= taken(command)
    assert common - taken(command) == set(WHY_NOT[command])


def test_every_command_that_has_such_options_is_held_against_them():
    assert set(COMMANDS) - set(WHY_NOT) == {"completion"}


def test_one_flag_is_one_option():
    """In the common groups, and of them and each further group together."""
    further = [GROUPS[name] for name in GROUPS if name not in (*COMMON, "lint")]
    for group in further:
        flags = [flag for option in (*ALL, *group) for flag in option.flags or ()]
        assert len(flags) == len(set(flags))


def test_every_option_is_taken_by_a_command():
    assert {option.name for name in GROUPS for option in GROUPS[name]} == {
        name for command in COMMANDS for name in taken(command)
    }


def test_every_option_is_read():
    """An option that no code asks for would be accepted and ignored."""
    trees = {path.name: ast.parse(path.read_text()) for path in CLI.glob("*.py")}
    for name in ("options.py", "groups.py", "command.py"):
        del trees[name]
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    # Those of a machine are read by name, out of a tuple.
    read |= {n.value for n in ast.walk(trees["values.py"]) if isinstance(n, ast.Constant)}
    assert {option.name for name in GROUPS for option in GROUPS[name]} - read == set()


def test_a_group_of_a_request_has_the_defaults_of_its_options():
    for name, group in GROUPS.items():
        empty = getattr(Request(), name)
        assert tuple(option.default for option in group) == tuple(empty)
        assert tuple(option.name for option in group) == empty._fields
    assert {*GROUPS, "scopes"} == set(Request._fields)


def test_a_wrong_name_of_an_option_is_no_option():
    with pytest.raises(KeyError):
        GROUPS["tree"].without("treee")
    with pytest.raises(AttributeError, match="no option treee"):
        _ = GROUPS["tree"].treee
