"""The table of diagnostics: the code gives no other, and docs/diagnostics.md shows it."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

from advisor.model.diagnostics import DIAGNOSTICS, Input, is_about_acceptance, severity_of
from advisor.model.kernel import Severity

from ..cases import each

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/diagnostics.md"
TABLE = re.compile(r"<!-- diagnostics: (.*?) -->\n.*?<!-- end -->", re.DOTALL)
# What makes a diagnostic, or a note of an input that becomes one: its id is the first argument.
MAKERS = {"diagnostic", "InputNote", "Diagnostic", "_diagnostic", "_note"}


@pytest.fixture(scope="module")
def trees():
    folders = ("model", "engine", "inputs", "knowledge", "tree", "cli")
    paths = [path for folder in folders for path in (ROOT / "advisor" / folder).rglob("*.py")]
    return [ast.parse(path.read_text()) for path in paths if path.name != "diagnostics.py"]


def called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


@pytest.mark.slow
def test_each_is_in_the_code(trees):
    texts = {
        node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)
    }
    assert [name for name in DIAGNOSTICS if name not in texts] == []


def test_the_code_names_no_other(trees):
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = [call.args[0] for call in calls if called(call) in MAKERS and call.args]
    names = {node.value for node in made if isinstance(node, ast.Constant)}
    assert len(names) > len(DIAGNOSTICS) / 2
    assert names - set(DIAGNOSTICS) == set()


def test_the_documentation_shows_each_once():
    """`make golden` writes the tables again: each has the kinds whose first input it names."""
    left = list(DIAGNOSTICS)

    def renewed(match):
        rows = [
            "| id | severity | shown by | what it means | what to do |",
            "|---|---|---|---|---|",
        ]
        for name in [n for n in left if DIAGNOSTICS[n].inputs[0].value in match[1].split(", ")]:
            kind = DIAGNOSTICS[name]
            severities = ", ".join(severity.value for severity in kind.severities)
            inputs = ", ".join(one.value for one in kind.inputs)
            rows.append(f"| `{name}` | {severities} | {inputs} | {kind.meaning} | {kind.remedy} |")
            left.remove(name)
        return "\n".join([f"<!-- diagnostics: {match[1]} -->", *rows, "<!-- end -->"])

    shown = PAGE.read_text()
    fresh = TABLE.sub(renewed, shown)
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(fresh)
    assert left == []
    assert fresh == PAGE.read_text()


@each("kind", DIAGNOSTICS.values(), ids=DIAGNOSTICS)
def test_each_has_severities_and_inputs_in_the_order_of_their_kind(kind):
    order = [severity for severity in Severity if severity in kind.severities]
    assert list(kind.severities) == order != []
    assert list(kind.inputs) == [one for one in Input if one in kind.inputs] != []


def test_a_severity_that_the_case_decides_is_not_the_tables():
    assert severity_of("cpulist-differs") is Severity.WARNING
    with pytest.raises(ValueError, match="too many"):
        severity_of("malformed-line")


def test_those_about_waivers_and_baseline():
    found = [name for name in DIAGNOSTICS if is_about_acceptance(name)]
    assert found == ["waiver-expired", "waiver-unused", "baseline-outdated"]
