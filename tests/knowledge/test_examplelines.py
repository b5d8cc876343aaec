"""Examples as lines: what a line says, what is refused and where, and back again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import KnowledgeError
from advisor.knowledge.examplelines import (
    ANSWERS,
    RESULTS,
    VERDICTS,
    ExampleError,
    line,
    parse,
    plain,
    position,
)
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.load import compile_files

from ..cases import each
from ..conftest import TUNABLE

HZ = "CONFIG_HZ_1000=y\n# CONFIG_HZ_250 is not set\nCONFIG_HZ=1000"


@each(
    ("text", "table"),
    [
        (
            "x86 6.12 | HZ_1000=y -> on",
            {"arch": "x86", "kernel": "6.12", "config": "CONFIG_HZ_1000=y"},
        ),
        ("HZ_1000=y HZ_250=n HZ=1000 -> on", {"config": HZ}),
        ("| HZ_1000=y HZ_250=n HZ=1000 -> on", {"config": HZ}),
        (
            '64BIT=y BASE=0x10 LSM="a, b" -> on',
            {"config": 'CONFIG_64BIT=y\nCONFIG_BASE=0x10\nCONFIG_LSM="a, b"'},
        ),
        ("PSI=y | quiet psi=1 -> on", {"config": "CONFIG_PSI=y", "cmdline": "quiet psi=1"}),
        ("6.1 | | quiet -> on", {"kernel": "6.1", "cmdline": "quiet"}),
        ("| | quiet -> on", {"cmdline": "quiet"}),
        ("-> on", {}),
        ("6.18.0-0.rc1.fc44 -> on", {"kernel": "6.18.0-0.rc1.fc44"}),
        ("cpus=16 nodes=2 memory=16G -> on", {"cpus": 16, "nodes": 2, "memory": "16G"}),
        (
            "vendor=amd virtual=guest hypervisor=xen -> on",
            {"vendor": "amd", "virtual": "guest", "hypervisor": "xen"},
        ),
        ("efi=n isolate=2-7 fragment -> on", {"efi": "n", "isolate": "2-7", "fragment": True}),
        (
            "A=y | vm.a = 1 | net.b = 1 2 -> on",
            {"config": "CONFIG_A=y", "sysctl": "vm.a = 1\nnet.b = 1 2"},
        ),
        (
            "A=y | quiet | vm.a = 1 | /sys/a = [x] y -> on",
            {
                "config": "CONFIG_A=y",
                "cmdline": "quiet",
                "sysctl": "vm.a = 1",
                "runtime": "/sys/a = [x] y",
            },
        ),
        ("A=y -> on — why | not -> so", {"config": "CONFIG_A=y", "note": "why | not -> so"}),
        (
            "x86 |\n  A=y\n  B=n | quiet\n  loglevel=3 -> on",
            {
                "arch": "x86",
                "config": "CONFIG_A=y\n# CONFIG_B is not set",
                "cmdline": "quiet loglevel=3",
            },
        ),
        (
            "A=y | kernel.core_pattern = |/bin/x %p -> on",
            {"config": "CONFIG_A=y", "sysctl": "kernel.core_pattern = |/bin/x %p"},
        ),
    ],
)
def test_a_line_says_what_a_table_says(text, table):
    assert parse(text, "effective") == {**table, "effective": "on"}


@each(
    ("result", "key", "value"),
    [
        ("the kernel's own", "effective", "the kernel's own"),
        ("a or b or c", "effective", ["a", "b", "c"]),
        ("?", "effective", ""),
        ("not-applicable", "verdict", "not-applicable"),
        ("ok", "diagnostics", []),
        ("parameter-void", "diagnostics", ["parameter-void"]),
        (
            "parameter-void and parameter-caution",
            "diagnostics",
            ["parameter-void", "parameter-caution"],
        ),
    ],
)
def test_results(result, key, value):
    assert parse(f"A=y -> {result}", key)[key] == value


@each(
    ("text", "at", "message"),
    [
        ("x86 | A=y", "", "has no result: write FACTS | CONFIG"),
        ("x86 | A=y ->", "", "has no result"),
        ("A=y -> ok — ", "", "has no note after the dash"),
        ("A=y -> ok -> ok", "ok -> ok", "has two arrows"),
        ("A=y -> maybe", "maybe", "'maybe' is no verdict: ok, change, blocked, unknown, not-app"),
        ("x68 | A=y -> ok", "x68", "'x68' is no fact about a kernel or machine: did you mean"),
        ("x86 16 | A=y -> ok", "16", "'16' is no fact about a kernel or machine: write an arch"),
        ("x86 A=y -> ok", "A=y", "is no fact about a kernel or machine: write | before A=y"),
        ("x86| A=y -> ok", "x86|", "'x86|' is no fact about a kernel or machine: write blanks"),
        ("x86 | A=y| quiet -> ok", "A=y|", "A=y|: write blanks around |"),
        ("x86 | A=y-> ok", "", "has no result: write blanks around ->"),
        ("x86 arm | A=y -> ok", "arm", "arch is given twice"),
        ("vendor=via | A=y -> ok", "vendor=via", "vendor is intel, amd, arm or other"),
        ("cpus=all | A=y -> ok", "cpus=all", "cpus=all: cpus is a number"),
        ("x86 | CONFIG_A=y -> ok", "CONFIG_A=y", "CONFIG_A=y: write A=y"),
        ("CONFIG_A=y B=y -> ok", "CONFIG_A=y", "CONFIG_A=y: write A=y"),
        ("A=y !B -> ok", "!B", "!B: write B=n"),
        ("A=y B -> ok", "B", "B: write B=y, or B=n where it is not set"),
        ("A=y B=fq -> ok", "B=fq", "B=fq: a value is y, m, n, a number or a text in double quo"),
        ("A=y b=y -> ok", "b=y", "'b=y' is no symbol with a value"),
        ("A=y | quiet | splash -> ok", "splash", "'splash' is no setting, and only the first"),
        ("A=y | vm.a = 1 | quiet -> ok", "quiet", "'quiet' is no setting, and only"),
        ("A=y | quiet vm.a = 1 -> ok", "quiet vm.a", "write NAME = VALUE, with blanks around ="),
        ("A=y | | vm.a = 1 -> ok", " | vm.a", "remove this empty part and its |"),
    ],
)
def test_what_is_no_example_is_told_where_it_stands(text, at, message):
    with pytest.raises(ExampleError) as caught:
        parse(text, "verdict")
    assert message in str(caught.value)
    assert text[caught.value.offset :].startswith(at) if at else caught.value.offset >= 9


# --- there and back -------------------------------------------------------------------------------

names = st.from_regex(r"[A-Z][A-Z0-9_]{0,8}", fullmatch=True).filter(lambda n: n != "CONFIG_")
texts = st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=12)
quoted = texts.map(lambda t: '"' + t.replace("\\", "\\\\").replace('"', '\\"') + '"')
values = st.one_of(st.sampled_from("ym"), st.integers().map(str), quoted)
assignments = st.builds("CONFIG_{}={}".format, names, values)
unset = st.builds("# CONFIG_{} is not set".format, names)
configs = st.lists(st.one_of(assignments, unset), max_size=5).map("\n".join)
words = st.text(st.characters(codec="ascii", exclude_categories=["C", "Z"]), min_size=1, max_size=9)
sysctls = st.builds("vm.{} = {}".format, st.sampled_from("ab"), words)
files = st.builds("/sys/{} = {}".format, st.sampled_from("ab"), words)
TABLES = st.fixed_dictionaries(
    {},
    optional={
        "arch": st.sampled_from(["x86", "arm64"]),
        "kernel": st.sampled_from(["6.12", "4.19.5-12.el8"]),
        "cpus": st.integers(1, 512),
        "memory": st.just("16G"),
        "vendor": st.sampled_from(["intel", "amd"]),
        "isolate": st.just("2-7"),
        "fragment": st.just(True),
        "config": configs,
        "cmdline": st.lists(words, min_size=1, max_size=3).map(" ".join),
        "sysctl": st.lists(sysctls, min_size=1, max_size=2).map("\n".join),
        "runtime": st.lists(files, min_size=1, max_size=2).map("\n".join),
        "note": st.lists(words, min_size=1, max_size=3).map(" ".join),
    },
)
WRITTEN = {
    "effective": st.sampled_from(["on", "", ["a", "b"]]),
    "verdict": st.sampled_from(VERDICTS),
    "answer": st.sampled_from(ANSWERS),
    "diagnostics": st.sampled_from([[], ["parameter-void"], ["a", "b"]]),
}


@pytest.mark.parametrize("key", RESULTS)
@given(data=st.data())
def test_what_is_written_reads_the_same(key, data):
    """A table that no line can say just so has none; of the others the line is the same."""
    table = {**data.draw(TABLES), key: data.draw(WRITTEN[key])}
    written = line(table, key)
    if written is not None:
        assert parse(written, key) == plain(table)
        assert line(parse(written, key), key) == written
    else:
        marks = {"|", "->", "—", "="}
        parts = " ".join(
            str(table.get(name, "")) for name in ("config", "cmdline", "sysctl", "runtime")
        )
        assert marks & set(parts.split()) or {'"', "\n"} & set(parts)


@given(st.text())
def test_any_text_is_an_example_or_told(text):
    try:
        parse(text, "verdict")
        offset = 0
    except ExampleError as error:
        offset = error.offset
    assert 0 <= offset <= len(text)


def test_no_line_says_what_no_line_has_a_word_for():
    assert line({"config": "CONFIG_A=y", "by": "A", "effective": "on"}, "effective") is None
    assert line({"config": "A=y", "effective": "on"}, "effective") is None
    assert line({"cmdline": "a | b", "effective": "on"}, "effective") is None
    assert line({"cmdline": "", "effective": "on"}, "effective") is None
    assert line({"effective": "this or that"}, "effective") is None


# --- in files -------------------------------------------------------------------------------------

LINES = (
    'examples = [\n    "WIDGET=y -> on",\n    # why\n    """x86\n       | WIDGET=n -> off""",\n]\n'
)
BARE = re.sub(r"examples = \[.*?\n\]\n", "", TUNABLE, flags=re.DOTALL)


def compiled(text):
    file = KnowledgeFile("tunable", "widget.toml", "area", text.encode())
    return compile_files([file], check=True).examples["tunable/widget"]


def with_lines(lines, rest=""):
    head, table, values = BARE.partition("\n[[value]]")
    return head + lines + table + values + rest


def test_a_line_of_a_file_is_a_table():
    first, second = compiled(with_lines(LINES))
    assert first == {"config": "CONFIG_WIDGET=y", "effective": "on"}
    assert second == {"arch": "x86", "config": "# CONFIG_WIDGET is not set", "effective": "off"}


@each(
    ("old", "new", "place", "message"),
    [
        ("WIDGET=y ->", "WIDGET ->", "9:6", "WIDGET: write WIDGET=y"),
        ("WIDGET=n", "WIDGET=off", "12:10", "WIDGET=off: a value is"),
        ('"WIDGET=y -> on"', r'"WIDGET=\"a -> on"', "8", "WIDGET="),
        ('    "WIDGET=y -> on",\n', "", "8", "a tunable needs at least two examples"),
    ],
)
def test_a_wrong_line_is_told_by_line_and_column(old, new, place, message):
    text = with_lines(LINES)
    assert old in text
    with pytest.raises(KnowledgeError) as caught:
        compiled(text.replace(old, new))
    ((where, told),) = caught.value.problems
    assert told.startswith(f"examples: {message}")
    assert where == f"widget.toml:{place}"


def test_a_place_in_an_item():
    text = 'x = 1\nexamples = [\n  "a b",\n  """c\n  d e""",\n]\n'
    assert position(text, 2, "a b", 2) == (3, 6)
    assert position(text, 2, "c\n  d e", 6) == (5, 5)
    assert position(text, 2, 'q"', 1) == (2, 0)


def test_lines_at_the_end_of_a_rule_are_told_where_they_belong():
    with pytest.raises(KnowledgeError) as caught:
        compiled(TUNABLE + LINES)
    ((_, told),) = caught.value.problems
    assert told.startswith("value.1.examples: unknown key 'examples'")
    assert told.endswith("write it above the first [[value]]; a key below belongs to that table")
