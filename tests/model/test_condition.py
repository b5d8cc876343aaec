"""The condition language: its three truth values, and what narrows a condition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.model import condition
from advisor.model.condition_parser import parse

from ..cases import each

SYMBOLS = {"A": "y", "B": "n", "M": "m", "HZ": "250", "NAME": "text"}
FACTS = {"arch": "x86", "kernel": (6, 12, 5), "cpus": 16, "memory": 32 << 30}


class Answers:
    """A world of fixed answers; what is not named is not told."""

    def symbol(self, name):
        return SYMBOLS.get(name)

    def present(self, name):
        return True if name in SYMBOLS else None

    def fact(self, name):
        return FACTS.get(name)

    def boot(self, word):
        return word == "nohz=off"

    def shown(self, path, form):
        return (path, form) == ("/sys/flaw", "Not affected")

    def effective(self, tunable):
        return {
            "one-value": (("a",), frozenset()),
            "two-values": (("a", "b"), frozenset(["vendor"])),
            "no-value": ((), frozenset()),
        }[tunable]


def truth(text):
    return condition.evaluate(parse(text), Answers())


@each(
    "text",
    [
        "A", "M", "!B", "A && !B", "B || A", "A && (B || M)", "M = m", "B = n", "HZ = 250",
        "HZ >= 100", "HZ < 1000", "HZ != 100", 'NAME = "text"', 'NAME = "*ex*"', "present(A)",
        "boot(nohz=off)",
        "!boot(nohz=on)", "arch = x86", "arch != arm64", "kernel >= 6.12", "kernel < 6.13",
        "kernel = 6.12", "kernel > 6.12.4", "cpus > 1", "memory <= 32G", "memory > 512M",
        "one-value = a", "one-value != b", "two-values != c",
        "no-value != a", "UNTOLD || A",
    ],
)  # fmt: skip
def test_true(text):
    assert truth(text) is True


@each(
    "text",
    ["B", "!A", "A && B", "M = y", "HZ > 250", "NAME > 3", 'NAME != "*ex*"', 'NAME = "*x?*"',
     "kernel >= 6.13", "one-value = b", "UNTOLD && B", "no-value = a"],
)  # fmt: skip
def test_false(text):
    assert truth(text) is False


@each(
    ("text", "missing"),
    [
        ("UNTOLD", {"UNTOLD"}),
        ("!UNTOLD", {"UNTOLD"}),
        ("UNTOLD && A", {"UNTOLD"}),
        ("UNTOLD || B", {"UNTOLD"}),
        ("present(UNTOLD)", {"UNTOLD"}),
        ("UNTOLD > 3 && OTHER", {"UNTOLD", "OTHER"}),
        ("vendor = intel", {"vendor"}),
        ("two-values = a", {"vendor"}),
    ],
)
def test_unknown_names_what_would_tell(text, missing):
    assert truth(text) == missing


names = st.sampled_from(["A", "B", "HZ", "UNTOLD"])
terms = st.one_of(
    st.builds(lambda n: ["on", n], names),
    st.builds(lambda n: ["sym", n, ">=", "100"], names),
    st.builds(lambda n: ["present", n], names),
    st.just(["fact", "arch", "=", "x86"]),
)
exprs = st.recursive(
    terms,
    lambda inner: st.one_of(
        st.builds(lambda e: ["!", e], inner),
        st.builds(lambda a, b: ["&", a, b], inner, inner),
        st.builds(lambda a, b: ["|", a, b], inner, inner),
    ),
)


@given(exprs)
def test_showing_keeps_the_truth(expr):
    shown = parse(condition.show(expr))
    assert condition.evaluate(shown, Answers()) == condition.evaluate(expr, Answers())


@given(exprs)
def test_not_turns_truth_and_keeps_ignorance(expr):
    value = condition.evaluate(expr, Answers())
    negated = condition.evaluate(["!", expr], Answers())
    assert negated == (value if isinstance(value, frozenset) else not value)


def test_symbols_are_named_once_in_order():
    assert condition.symbols(parse("B && (A = y || B) && present(C) && arch = x86")) == [
        "B",
        "A",
        "C",
    ]


@each(
    ("text", "truth"),
    [
        ("kernel >= 5.14", True),
        ("kernel >= 6.4", None),
        ("kernel >= 6.5", False),
        ("kernel < 6.5", True),
        ("kernel > 5.19", None),
        ("kernel = 6.1", None),
        ("kernel != 6.1", None),
        ("kernel = 6", None),
        ("kernel = 5.10", False),
        ("kernel != 7.0", True),
        ("kernel = 6.1 || kernel >= 5.14", True),
    ],
)
def test_of_a_kernel_between_two_versions_that_is_so_which_all_agree_on(text, truth):
    class Between:
        def fact(self, name):
            return (5, 19, 0), (6, 4, 6)

    answer = condition.evaluate(parse(text), Between())
    assert answer == (frozenset(("kernel",)) if truth is None else truth)


@each(
    ("text", "left"),
    [
        ("cpus = 16 && nodes > 1", "nodes>1"),
        ("B || nodes > 1 && A", "nodes>1"),
        ("UNTOLD || nodes > 1", "UNTOLD || nodes>1"),
        ("!(A && UNTOLD)", "!UNTOLD"),
        ("UNTOLD", "UNTOLD"),
    ],
)
def test_what_leaves_a_condition_open(text, left):
    assert condition.show(condition.left_open(parse(text), Answers())) == left


@each(
    ("text", "given", "so"),
    [
        ("A && UNTOLD", "A && UNTOLD", True),
        ("UNTOLD", "nodes > 1 && UNTOLD", True),
        ("UNTOLD && nodes > 1", "UNTOLD", False),
        ("UNTOLD", "UNTOLD || nodes > 1", False),
        ("!UNTOLD", "UNTOLD", False),
    ],
)
def test_what_follows_from_another_condition(text, given, so):
    assert condition.follows(parse(text), parse(given), Answers()) is so


@each(
    ("text", "lacks"),
    [
        ("A && B", "B"),
        ("A && (B || kernel < 4.15)", "B"),
        ("B && arch = arm64", "B"),
        ("arch = arm64 && kernel < 4.15", "arch=arm64 && kernel<4.15"),
        ("B || M = y", "B || M=y"),
        ("B && kernel < 4.15", "B && kernel<4.15"),
        ("M = y || B && kernel < 4.15", "M=y"),
        ("present(GONE) || B && kernel < 4.15", "B && kernel<4.15"),
    ],
)
def test_what_would_have_to_be_set(text, lacks):
    assert condition.show(condition.lacking(parse(text), Answers())) == lacks


@each(
    ("text", "says"),
    [
        ("B || A || arch = arm64", "A"),
        ("A && B && arch = arm64", "B && arch=arm64"),
        ("A && (B || arch = arm64) && M", "B || arch=arm64"),
        ("A && M", "A && M"),
        ("A && (B || M && A)", "A && M && A"),
        ("!(A || B)", "!(A || B)"),
    ],
)
def test_what_makes_a_condition_so(text, says):
    assert condition.show(condition.deciding(parse(text), Answers())) == says


@each(
    ("text", "says"),
    [
        ("arch = arm64 && A || arch = s390", "arch=arm64 || arch=s390"),
        ("arch = arm64 && A || B", "B"),
        ("A && (arch = arm64 || arch = s390 && A) && B", "arch=arm64 || arch=s390"),
        ("B && M", "B && M"),
        ("arch = arm64", "arch=arm64"),
    ],
)
def test_what_a_condition_is_about_on_this_architecture(text, says):
    assert condition.show(condition.elsewhere(parse(text), Answers())) == says
