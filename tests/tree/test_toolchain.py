"""The answers to commands of Kconfig files, and that no command is taken for another."""

from __future__ import annotations

from advisor.inputs.config import parse_config
from advisor.tree.toolchain import DEFAULT, RECORDED, Assumption, Question, Toolchain, tools_of_make

from ..cases import each

CLANG = (
    "CONFIG_CC_IS_CLANG=y\nCONFIG_CLANG_VERSION=190100\nCONFIG_AS_IS_LLVM=y\n"
    "CONFIG_AS_VERSION=190100\nCONFIG_LD_IS_LLD=y\nCONFIG_LLD_VERSION=190100\n"
    'CONFIG_CC_VERSION_TEXT="clang version 19.1.0"\nCONFIG_RUSTC_VERSION=108200\n'
)


def toolchain(lines: str = "") -> Toolchain:
    return Toolchain(parse_config(lines, ".config", complete=True) if lines else None)


def asking(command: str) -> str:
    return f'{{ {command}; }} >/dev/null 2>&1 && echo "y" || echo "n"'


@each(
    ("command", "gcc", "clang"),
    [
        ("./scripts/cc-version.sh gcc", "GCC 140200", "Clang 190100"),
        ("./scripts/as-version.sh gcc", "GNU 24400", "LLVM 190100"),
        ("./scripts/ld-version.sh ld", "BFD 24400", "LLD 190100"),
        # Up to 5.11, of which nothing but GNU's linker is read.
        ("ld --version | ./scripts/ld-version.sh", "244000000", "1901000000"),
        ("./scripts/gcc-version.sh gcc", "140200", "0"),
        ("./scripts/clang-version.sh clang", "0", "190100"),
        ("./scripts/pahole-version.sh pahole", "129", "129"),
        ("./scripts/rustc-version.sh rustc", "0", "108200"),
        ("./scripts/rustc-llvm-version.sh rustc", "0", "0"),
        ("./scripts/other-version.sh tool", "0", "0"),
        ("./scripts/min-tool.sh || echo none", "none", "none"),
        ("./scripts/unknown.sh", "", ""),
        ("set -- a b c && echo $2", "b", "b"),
        ("set -- a && echo $2", "", ""),
        ("set -- a && echo $0", "", ""),
        ("expr 7 / 2", "3", "3"),
        ("expr 7 / 0", "", ""),
        ("expr 7 + 2", "9", "9"),
        ("expr 2 - 7", "-5", "-5"),
        ("expr 2 * 7", "14", "14"),
    ],
)
def test_what_a_command_would_print(command, gcc, clang):
    assert toolchain().answer(command, "") == gcc
    assert toolchain(CLANG).answer(command, "") == clang


@each(
    ("command", "answer"),
    [
        ("test 3 -eq 3", "y"), ("test 3 -ne 3", "n"), ("test 2 -lt 3", "y"), ("test 3 -le 2", "n"),
        ("test 3 -gt 2", "y"), ("[ 2 -ge 3 ]", "n"), ("test a = a", "y"), ("test a == b", "n"),
        ("test a != b", "y"), ("test -z ''", "y"), ("test -n ''", "n"), ("test -n x", "y"),
        ("command -v gcc", "y"), ("echo ab-cd | grep -q b-c", "y"), ("echo ab | grep -q c", "n"),
        ("gcc --version | head -n 1 | grep -q gcc", "y"), ("gcc --version | grep -q clang", "n"),
        ("ld -v | grep -q BFD", "y"), ("ld.lld -v | grep -q LLD", "n"),
    ],
)  # fmt: skip
def test_comparisons_are_worked_out(command, answer):
    assert toolchain().answer(asking(command), "") == answer


@each(
    "command",
    [
        "test 3 -eq x",
        "test 3 -xx 3",
        "test 1 2 3 4",
        "test",
        "[ 1 -eq 1",
        "test a = a; rm -rf /",
        "test `id` = root",
        "test $(id) = root",
        "test 'a = a",
        "objdump --version | grep -q GNU",
        "gcc -ffancy -c -x c /dev/null",
        "true",
        "test ² -eq ²",
    ],
)
def test_what_only_a_tool_can_tell_stays_a_question(command):
    assert toolchain().answer(asking(command), "") == Question(command, "y", "n")


@each(
    ("command", "gcc", "clang"),
    [
        ("gcc -ffancy", True, True),
        ("gcc -mllvm -x", False, True),
        ("./scripts/rust_is_available.sh", False, False),
        ("ld --version | grep -q llvm", False, True),
        ("test -e $(gcc -print-file-name=plugin)/include/plugin-version.h", False, False),
    ],
)
def test_guesses(command, gcc, clang):
    assert toolchain().guess(command) is gcc
    assert toolchain(CLANG).guess(command) is clang


def test_what_the_symbol_records_comes_before_what_a_script_would_say():
    tools = toolchain('CONFIG_X=7\nCONFIG_TEXT="a \\"b\\""\n')
    assert tools.answer("./scripts/unknown.sh", "X") == "7"
    assert tools.answer("./scripts/unknown.sh", "TEXT") == 'a "b"'
    assert tools.answer("./scripts/unknown.sh", "Y") == ""
    assert tools.used["X"] == Assumption("X", "7", RECORDED)


def test_where_an_answer_comes_from():
    tools = toolchain("CONFIG_CC_IS_GCC=y\nCONFIG_GCC_VERSION=120200\n")
    assert (tools.fact("cc-version"), tools.fact("ld-version")) == ("120200", "24400")
    assert (tools.used["cc-version"].source, tools.used["ld-version"].source) == (RECORDED, DEFAULT)


@each(
    ("environment", "compiler", "archiver"),
    [
        ({}, "gcc", "ar"),
        ({"CROSS_COMPILE": "arm-"}, "arm-gcc", "arm-ar"),
        ({"LLVM": "1", "CROSS_COMPILE": "arm-"}, "clang", "llvm-ar"),
        ({"LLVM": "-19"}, "clang-19", "llvm-ar-19"),
        ({"LLVM": "/opt/bin/"}, "/opt/bin/clang", "/opt/bin/llvm-ar"),
    ],
)
def test_what_make_takes(environment, compiler, archiver):
    tools = tools_of_make(environment)
    assert (tools["CC"], tools["AR"]) == (compiler, archiver)


def test_the_environment_names_the_recorded_tools():
    tools = toolchain(CLANG).environment()
    assert (tools["CC"], tools["LD"], tools["CC_VERSION_TEXT"]) == (
        "clang",
        "ld.lld",
        "clang version 19.1.0",
    )
