"""Numbers in texts of others, and that there is one place where they are read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.model.numbers import count_of, kernel_number, whole_number

from ..cases import each

PACKAGE = Path(__file__).parents[2] / "advisor"
# Who calls int() on what is no text of others: truths, numbers, and the package's own tables.
OF_OWN = {
    "model/numbers.py": 1,
    "files.py": 1,  # below the model; of a name that a run of ours made
    "cli/check.py": 1,
    "knowledge/lines.py": 1,
    "knowledge/tomltext.py": 1,
    "lint/learn.py": 1,
    "lint/places.py": 5,
    "output/encoding.py": 2,
    "output/page.py": 1,
    "output/screenwords.py": 1,
    "tree/drivers/tables.py": 1,
    "tree/kconfig/values.py": 1,
}


@each(
    ("text", "base", "number"),
    [
        ("0", 10, 0), ("12", 10, 12), ("007", 10, 7), ("7f", 16, 127), ("17", 8, 15),
        ("", 10, None), (None, 10, None), ("²", 10, None), ("٣", 10, None), ("-1", 10, None),
        ("+1", 10, None), (" 1", 10, None), ("1\n", 10, None), ("1_0", 10, None),
        ("0x7f", 16, None), ("0o7", 8, None), ("8", 8, None), ("12x", 10, None),
        ("9" * 24, 10, 10**24 - 1), ("9" * 25, 10, None), ("9" * 5000, 10, None),
    ],
    ids=str,
)  # fmt: skip
def test_a_number_is_of_ascii_digits_and_not_too_many(text, base, number):
    assert whole_number(text, base) == number


@each(
    ("text", "number"),
    [
        ("10", 10), ("-10", -10), ("0x10", 16), ("-0X10", -16), ("010", 8), ("0", 0), ("-0", 0),
        ("08", None), ("0x", None), ("--1", None), ("", None), ("-", None), ("0xx1", None),
        ("0b1", None), ("1e3", None), ("-" + "9" * 5000, None),
    ],
    ids=str,
)  # fmt: skip
def test_a_kernels_number_has_a_sign_and_a_base(text, number):
    assert kernel_number(text) == number


def test_a_count_has_nine_digits():
    assert (count_of("9" * 9), count_of("9" * 10), count_of(None)) == (10**9 - 1, None, None)


def without_calls(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it, but for calls."""
    if not isinstance(node, ast.Call):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from without_calls(child)


def conversions(code: str) -> int:
    """How often the code names int or float, but as a type: called, or given to what calls it."""
    of_types: set[ast.AST] = set()
    named = []
    for node in ast.walk(ast.parse(code)):
        types: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            types = [node.returns]
        elif isinstance(node, ast.arg | ast.AnnAssign):
            types = [node.annotation]
        elif isinstance(node, ast.Subscript):
            types = [node.slice]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            types = [node.args[1]]
        elif isinstance(node, ast.Attribute) and node.attr != "fromhex":  # int.from_bytes
            types = [node.value]
        elif isinstance(node, ast.Name) and node.id in ("int", "float"):
            named.append(node)
        of_types.update(one for each in types if each for one in without_calls(each))
    return sum(node not in of_types for node in named)


@each(
    ("code", "count"),
    [
        ("int(a)", 1), ("[*map(int, a)]", 1), ("defaultdict(int)", 1), ("f(key=int)", 1),
        ("read = {'a': float}", 1), ("a = int", 1), ("def f(a=int): pass", 1),
        ("float.fromhex(a)", 1), ("a[int(b)]", 1), ("int(a).b", 1),
        ("def f(a: int) -> dict[str, int]: pass", 0), ("a: int = 1", 0), ("isinstance(a, int)", 0),
        ("A = dict[str, int]", 0), ("int.from_bytes(a, 'big')", 0), ("a.int(b)", 0),
    ],
    ids=str,
)  # fmt: skip
def test_every_way_to_make_a_number_counts(code, count):
    assert conversions(code) == count


@pytest.mark.parametrize("name", sorted(str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py")))
def test_no_other_place_makes_numbers_of_texts(name):
    assert conversions((PACKAGE / name).read_text()) == OF_OWN.get(name, 0)
